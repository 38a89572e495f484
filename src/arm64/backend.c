// SPDX-License-Identifier: GPL-2.0
/* The PMUv3 backend's operations: what the core calls. */
#include "pmuv3.h"

static int pmuv3_probe(struct pmudev_pmu_info *const *info, const struct pmudev_upcalls *upcalls)
{
	int nr, ret;

	pmuv3_upcalls = upcalls;
	ret = pmuv3_protected_kvm(pmuv3_find_shape());
	if (ret < 0)
		return ret;
	nr = pmuv3_find_kinds(info, ret);
	if (nr < 0)
		return nr;
	ret = pmuv3_reserve_init();
	return ret ?: nr;
}

static void pmuv3_remove(void)
{
	pmuv3_reserve_exit();
}

static int pmuv3_identify(void)
{
	int index = pmuv3_kind_here();

	if (index < 0)
		return index;
	this_cpu_ptr(&pmuv3_cpus)->info = pmuv3_kinds[index].info;
	/* On failure, the first reservation finds it. */
	pmuv3_find_perf(index, raw_smp_processor_id());
	return index;
}

/* MRS of PMEVCNTR<n>_EL0 or, at 31, PMCCNTR_EL0 and, at 32, PMICNTR_EL0; see struct pmudev_slot. */
static u32 pmuv3_operand(unsigned int counter)
{
	return counter < PMUDEV_FIXED_BASE ? counter : counter - 1;
}

static int pmuv3_encode_event(const struct pmudev_pmu_info *info,
			      const struct pmudev_event_attr *attr, struct pmudev_code *code,
			      struct pmudev_refusal *why)
{
	return pmuv3_encode(&pmuv3_kinds[info->index].caps, attr, code, why);
}

const struct pmudev_backend_ops pmudev_backend = {
	.probe = pmuv3_probe,
	.remove = pmuv3_remove,
	.identify = pmuv3_identify,
	.cpu_up = pmuv3_cpu_up,
	.cpu_down = pmuv3_cpu_down,
#if PMUV3_BESIDE_PERF
	.shared = &pmuv3_shared,
#endif
	.encode = pmuv3_encode_event,
	.operand = pmuv3_operand,
	/* perf lets no user read it. */
	.not_perfs = BIT_ULL(PMUV3_INSTRUCTION_COUNTER),
#if PMUV3_BESIDE_PERF
	.interrupts = pmuv3_interrupts,
#endif
#ifdef CONFIG_KVM
	.guest_entry = pmuv3_on_guest_entry,
	.guest_exit = pmuv3_on_guest_exit,
	.guest_enter = pmuv3_guest_enter,
	.guest_leave = pmuv3_guest_leave,
#endif
};
