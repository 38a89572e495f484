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
static __always_inline void show(struct pmuv3_cpu *cpuc, u64 bits)
{
	cpuc->shown = bits;
	bits |= cpuc->perf_shown;
	/* Read it: perf writes it, too. */
	if (read_pmuacr() != bits)
		write_pmuacr(bits);
}

void pmuv3_hide(struct pmuv3_cpu *cpuc)
{
	if (cpuc->hides)
		show(cpuc, 0);
}

/*
 * Without PMUACR_EL1 the thread can read every counter: clear what perf left in those that it does
 * not use any more. What it counts now, on this CPU, stays readable, as for perf's own readers.
 */
static noinline void clear_perf_left(struct pmuv3_cpu *cpuc)
{
	u64 left = cpuc->perf_left & ~pmuv3_perf_counters_here(cpuc), rest;

	cpuc->perf_left &= ~left;
	for (rest = left & ~(cpuc->active | cpuc->idle); rest; rest &= rest - 1) {
		pmuv3_write_counter(__ffs64(rest), 0);
		cpuc->shadow[__ffs64(rest)].value = 0;
	}
}

void pmuv3_write_user_access(struct pmuv3_cpu *cpuc)
{
	u64 enable = PMUSERENR_ER | PMUSERENR_CR | cpuc->perf_userenr;

	if (unlikely(cpuc->perf_left) && !cpuc->hides && !in_nmi())
		clear_perf_left(cpuc);
	if (cpuc->hides) {
		show(cpuc, cpuc->shown);
		enable |= PMUSERENR_UEN | PMUSERENR_IR;
	}
	/* PMXEVCNTR_EL0 reads the counter that PMSELR_EL0 selects: show no earlier selection. */
	write_pmselr(0);
	write_pmuserenr(enable);
}

/*
 * pmudev may write PMUSERENR_EL0: the CPU is owned, and KVM does not have the register. While our
 * thread has no access, the register says what perf's driver wants; 0 also if root has withdrawn
 * all access (sysctl kernel.perf_user_access).
 */
static __always_inline bool can_write(struct pmuv3_cpu *cpuc)
{
	u64 now = read_pmuserenr();

	if (unlikely(now & PMUSERENR_EN) || unlikely(!cpuc->owned))
		return false;
	if (unlikely(cpuc->user && !now))
		atomic64_inc(&cpuc->info->user_access_lost);
	if (!cpuc->user || !now)
		cpuc->perf_userenr = now;
	return true;
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

	if (!can_write(cpuc))
		return cannot_write(cpuc, true);
	cpuc->shown = pmuv3_enable_bits(counters);
	/* From here on an NMI of perf enables it as well. */
	cpuc->user = true;
	pmuv3_write_user_access(cpuc);
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
	write_pmuserenr(cpuc->perf_userenr);
	return true;
}
