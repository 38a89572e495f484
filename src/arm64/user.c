// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of counters in user mode: PMUSERENR_EL0, and PMUACR_EL1 with FEAT_PMUv3p9.
 *
 * On VHE, KVM owns PMUSERENR_EL0 from a vcpu's load to its put. It sets EN meanwhile, which neither
 * perf nor pmudev does, and at the put restores the value that it found, whatever was written
 * meanwhile.
 */
#include "pmuv3.h"
#include "regs.h"

bool pmudev_backend_user_readable(void)
{
	return read_pmuserenr();
}

/* Show counters to EL0, if cpuc->hides. Takes effect at the return to EL0. */
static __always_inline void show(struct pmuv3_cpu *cpuc, u64 counters)
{
	u64 bits = pmuv3_enable_bits(counters);

	/* Read it: perf writes it, too, and a kretprobe may miss that. */
	if (read_pmuacr() != bits)
		write_pmuacr(bits);
	cpuc->shown = bits;
}

void pmuv3_hide(struct pmuv3_cpu *cpuc)
{
	if (cpuc->hides)
		show(cpuc, 0);
}

/* pmudev may write PMUSERENR_EL0: the CPU is owned, and KVM does not have the register. */
static __always_inline bool can_write(const struct pmuv3_cpu *cpuc)
{
	return likely(!(read_pmuserenr() & PMUSERENR_EN)) && likely(cpuc->owned);
}

/* KVM has the register, or the CPU is not owned. Inlined, so that callers need no frame. */
static __always_inline bool cannot_write(struct pmuv3_cpu *cpuc, bool enable)
{
	if (read_pmuserenr() & PMUSERENR_EN) {
		if (cpuc->hides)
			show(cpuc, 0);
		return false;
	}
	/* Not owned any more: only a value that KVM restored must be withdrawn. */
	if (!enable && cpuc->user)
		write_pmuserenr(0);
	cpuc->user = false;
	return true;
}

bool pmudev_backend_user_access_enable(u64 counters)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 enable = PMUSERENR_ER | PMUSERENR_CR;

	if (!can_write(cpuc))
		return cannot_write(cpuc, true);
	cpuc->user = true;
	if (cpuc->hides) {
		show(cpuc, counters);
		enable |= PMUSERENR_UEN | PMUSERENR_IR;
	}
	/* PMXEVCNTR_EL0 reads the counter that PMSELR_EL0 selects: show no earlier selection. */
	write_pmselr(0);
	write_pmuserenr(enable);
	return true;
}

bool pmudev_backend_user_access_disable(void)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);

	if (!can_write(cpuc))
		return cannot_write(cpuc, false);
	cpuc->user = false;
	if (cpuc->hides)
		show(cpuc, 0);
	write_pmuserenr(0);
	return true;
}
