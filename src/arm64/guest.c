// SPDX-License-Identifier: GPL-2.0
/*
 * Guest filters, at KVM's entry and exit hooks.
 *
 * VHE: the hooks change the selector's bit for EL0. Nothing runs at EL0 between a hook and the
 * guest.
 *
 * nVHE: host and guest kernels share EL1, so counters must be started and stopped at EL2. KVM does
 * that for perf's events, by two masks in the vcpu. It sets the masks before each entry; the entry
 * hook then adds our counters.
 */
#include <linux/kprobes.h>
#include <linux/kvm_host.h>

#include <asm/virt.h>

#include "../compat.h"
#include "pmuv3.h"

/* kvm_get_running_vcpu(); newer kernels do not export it. */
static struct kvm_vcpu *(*running_vcpu)(void);

static int find_running_vcpu(void)
{
	struct kprobe there = { .symbol_name = "kvm_get_running_vcpu" };
	int ret = register_kprobe(&there);

	if (ret)
		return ret;
	running_vcpu = (void *)there.addr;
	unregister_kprobe(&there);
	return 0;
}

/* Masks of the loaded vcpu: counters that KVM stops and starts for the guest. May be NULL. */
static struct kvm_pmu_events *masks_here(void)
{
	struct kvm_vcpu *vcpu = running_vcpu();

	return vcpu ? &vcpu->arch.pmu.events : NULL;
}

static void lend_masks(struct pmuv3_cpu *cpuc, u64 host, u64 guest)
{
	struct kvm_pmu_events *masks = masks_here();

	/* Kernels with FEAT_PMUv3_ICNTR have 64-bit masks. */
	BUILD_BUG_ON(PMUDEV_PERF_ICNTR && sizeof(masks->events_host) < sizeof(u64));
	if (!masks)
		return;
	cpuc->lent_host = pmuv3_enable_bits(host);
	cpuc->lent_guest = pmuv3_enable_bits(guest);
	masks->events_host |= cpuc->lent_host;
	masks->events_guest |= cpuc->lent_guest;
}

/* The hook may be gone at the next entry. */
static void take_masks_back(struct pmuv3_cpu *cpuc)
{
	struct kvm_pmu_events *masks = masks_here();

	if (masks) {
		masks->events_host &= ~cpuc->lent_host;
		masks->events_guest &= ~cpuc->lent_guest;
	}
	cpuc->lent_host = 0;
	cpuc->lent_guest = 0;
}

int pmuv3_protected_kvm(enum pmuv3_shape shape)
{
	int ret;

	if (shape != PMUV3_NVHE)
		return false;
	/* The host cannot reach protected KVM's vcpus. */
	if (is_protected_kvm_enabled())
		return true;
	ret = find_running_vcpu();
	return ret == -ENOMEM ? ret : !!ret;
}

void pmuv3_guest_enter(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	const struct pmuv3_caps *caps = &pmuv3_kinds[cpuc->info->index].caps;
	u64 mask[PMUDEV_FILTER_GUEST + 1] = {};
	unsigned int i;

	if (!cpuc->owned)
		return;
	for (i = 0; i < nr; i++)
		mask[hw[i]->filter] |= pmudev_hw_counters(hw + i, 1);
	if (caps->shape == PMUV3_NVHE) {
		lend_masks(cpuc, mask[PMUDEV_FILTER_HOST], mask[PMUDEV_FILTER_GUEST]);
		return;
	}
	/* Takes effect at the exception return to the guest. */
	for (i = 0; i < nr; i++) {
		pmuv3_write_config(hw[i]->counter,
				   pmuv3_guest_config(caps, hw[i]->config, hw[i]->filter));
		cpuc->changed |= BIT_ULL(hw[i]->counter);
	}
}

void pmuv3_guest_leave(void)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	unsigned int c;

	if (cpuc->lent_host | cpuc->lent_guest)
		take_masks_back(cpuc);
	/* Use the shadow: another event may have been loaded since the guest was left. */
	for (; cpuc->changed; cpuc->changed &= cpuc->changed - 1) {
		c = __ffs64(cpuc->changed);
		if (cpuc->shadow[c].config != PMUV3_UNKNOWN)
			pmuv3_write_config(c, cpuc->shadow[c].config);
	}
}

/* Arguments of the tracepoints kvm_entry and kvm_exit */
void pmuv3_on_guest_entry(void *data, unsigned long vcpu_pc)
{
	pmuv3_upcalls->guest_entered();
}

void pmuv3_on_guest_exit(void *data, int ret, unsigned int esr_ec, unsigned long vcpu_pc)
{
	pmuv3_upcalls->guest_left();
}
