// SPDX-License-Identifier: GPL-2.0
/*
 * At the kvm_hook_point of KVM's guests, which run on the host's PMU: one write of IA32_PERF_GLOBAL_CTRL
 * stops what is not for guests and starts what is for them alone. The counters' selectors stay.
 *
 * KVM has irqs off before kvm_entry and until after kvm_exit, and calls both for each entry, those
 * of its fast path included, where it enters again without having been anywhere else. What it does
 * between the probes and the guest is the guest's here: it loads registers, may wait for the
 * guest's timer to be due, and in newer kernels (not in 6.1) hands on the NMI that ended the guest.
 * An entry that the CPU refuses (KVM reports an internal error) has no kvm_exit, nor have two
 * errors of TDX guests: this CPU counts as in a guest until something is loaded or saved on it, or
 * it leaves another one.
 *
 * KVM has the CPU switch IA32_PERF_GLOBAL_CTRL itself where it is to differ for perf's events.
 * Beside us perf has none, so that both of KVM's values are the same, and it leaves the register
 * alone. (Not where a guest has a mediated vPMU, Linux 7.2: there nothing of ours counts as it
 * should.)
 */
#include "intel.h"
#include "regs.h"

void intel_guest_enter(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	/* What is on in the host is not in the guest, and what is loaded but not on is. */
	cpuc->guest = pmudev_hw_counters(hw, nr);
	write_global_ctrl(cpuc->active ^ cpuc->guest);
}

void intel_guest_leave(void)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);

	if (!cpuc->guest)
		return;
	cpuc->guest = 0;
	write_global_ctrl(cpuc->active);
}

/* The arguments are those of the tracepoints kvm_entry and kvm_exit, from 6.1 to 7.3. */
void intel_on_guest_entry(PMUDEV_PROBE_KVM_ENTRY_ARGS)
{
	pmudev_guest_entered();
}

void intel_on_guest_exit(void *data, struct kvm_vcpu *vcpu, u32 isa)
{
	pmudev_guest_left();
}
