// SPDX-License-Identifier: GPL-2.0
/*
 * Guest filters, at KVM's entry and exit hooks: one write of IA32_PERF_GLOBAL_CTRL stops events for
 * the host only and starts events for guests only. Selectors stay.
 *
 * KVM disables interrupts before kvm_entry and until after kvm_exit, and calls both for each entry,
 * also when it enters again at once. KVM's own code between the hooks and the guest counts as the
 * guest's: it loads registers, may wait for the guest's timer and, in kernels newer than 6.1,
 * handles the NMI that ended the guest. If the CPU refuses an entry (KVM reports an internal
 * error), and after two errors of TDX guests, there is no kvm_exit: this CPU then counts as in a
 * guest until an event is loaded or saved here, or another guest is left.
 *
 * KVM lets the CPU switch IA32_PERF_GLOBAL_CTRL if its value must differ for perf's events. perf
 * has none on owned CPUs, so KVM leaves the register alone. A mediated vPMU (Linux 7.2) breaks
 * this: our events then miscount.
 */
#include "intel.h"
#include "intel_regs.h"

void intel_guest_enter(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);

	/* Events for the host only are active, events for guests only are not: invert both. */
	WRITE_ONCE(cpuc->guest, pmudev_hw_counters(hw, nr));
	write_global_ctrl(cpuc->active ^ cpuc->guest);
}

void intel_guest_leave(void)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);

	if (!cpuc->guest)
		return;
	WRITE_ONCE(cpuc->guest, 0);
	write_global_ctrl(cpuc->active);
}

/* Arguments of the tracepoints kvm_entry and kvm_exit, Linux 6.1 to 7.3 */
void intel_on_guest_entry(PMUDEV_PROBE_KVM_ENTRY_ARGS)
{
	x86_upcalls->guest_entered();
}

void intel_on_guest_exit(void *data, struct kvm_vcpu *vcpu, u32 isa)
{
	x86_upcalls->guest_left();
}
