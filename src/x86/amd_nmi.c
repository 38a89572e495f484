// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's NMIs; see nmi.c. The local APIC does not mask LVTPC at an overflow, so this does. NMIs can
 * come late: another counter overflows before LVTPC is masked, or a switch or read has found the
 * count before the interrupt came. So for a while after an overflow, as in perf's driver, an NMI of
 * which nobody knows better is taken for such a one, and counted (`pmudev info`).
 */
#include <asm/apic.h>

#include "amd.h"
#include "amd_regs.h"

/* Counters of @among that have overflowed; without a global register those that interrupt */
static u64 overflowed(const struct x86_cpu *cpuc, u64 among)
{
	u64 rest, found = 0;

	if (!among)
		return 0;
	if (cpuc->global)
		return amd_read_global_status() & among;
	for (rest = READ_ONCE(cpuc->armed) & among; rest; rest &= rest - 1)
		if (!(x86_rdpmc(__ffs64(rest)) >> (AMD_WIDTH - 1) & 1))
			found |= rest & -rest;
	return found;
}

enum x86_nmi amd_judge_nmi(struct x86_cpu *cpuc, u64 *counters)
{
	u64 status = overflowed(cpuc, READ_ONCE(cpuc->interrupts));

	*counters = status;
	if (status) {
		if (cpuc->global)
			amd_write_status_clr(status);
		else
			WRITE_ONCE(cpuc->armed, cpuc->armed & ~status);
		x86_expect_late_nmi(cpuc);
		/* Masked: the core will compare. */
		if (READ_ONCE(cpuc->masked))
			return X86_NMI_LATE;
		apic->write(APIC_LVTPC, APIC_DM_NMI | APIC_LVT_MASKED);
		return X86_NMI_OURS;
	}
	if (!x86_late_nmi_expected(cpuc))
		return X86_NMI_OTHER;
	atomic64_inc(&cpuc->kind->info->late);
	return X86_NMI_LATE;
}

void amd_acknowledge(struct x86_cpu *cpuc)
{
	const u64 mine = cpuc->kind->counters & ~cpuc->foreign;
	/* To read costs less than to write, but only NMIs need it. */
	u64 status = cpuc->interrupts ? overflowed(cpuc, mine) : mine;

	/* While LVTPC is masked none is sent; that of the overflow before is expected already. */
	if (status & cpuc->interrupts && !READ_ONCE(cpuc->masked))
		x86_expect_late_nmi(cpuc);
	/* What overflows only now keeps its bit. */
	if (!cpuc->global)
		WRITE_ONCE(cpuc->armed, cpuc->armed & ~status);
	else if (status)
		amd_write_status_clr(status);
}
