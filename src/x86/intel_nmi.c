// SPDX-License-Identifier: GPL-2.0
/* Intel's overflow status, at an NMI and when it is forgotten; see nmi.c. */
#include <asm/apic.h>

#include "intel.h"
#include "intel_regs.h"

/* Is the NMI of a counter of ours? Clear what has overflowed: @counters. */
static bool is_ours(struct x86_cpu *cpuc, u64 *counters)
{
	const u64 interrupts = READ_ONCE(cpuc->interrupts);
	u64 status = interrupts ? read_global_status() & interrupts : 0;
	bool late = x86_is_late_nmi(cpuc), masked = READ_ONCE(cpuc->masked);

	*counters = status;
	if (status) {
		write_global_ovf_ctrl(status);
		/* Masked: the NMI is somebody else's, and the core will compare. */
		return !masked;
	}
	/*
	 * Its overflow was cleared before it came: a save found the count. Or its event was
	 * unloaded, but the interrupt has masked LVTPC: perf's handler has unmasked what was
	 * perf's.
	 */
	return late || (!masked && apic->read(APIC_LVTPC) & APIC_LVT_MASKED);
}

enum x86_nmi intel_judge_nmi(struct x86_cpu *cpuc, u64 *counters)
{
	/* perf's handler, called for Intel PT, stops the PMU and may leave it stopped. */
	write_global_ctrl(READ_ONCE(cpuc->active) ^ READ_ONCE(cpuc->guest));
	if (is_ours(cpuc, counters))
		return X86_NMI_OURS;
	/* That handler may also have taken an overflow of ours for its own. */
	return READ_ONCE(cpuc->interrupts) ? X86_NMI_MISSED : X86_NMI_OTHER;
}

void intel_acknowledge(struct x86_cpu *cpuc)
{
	write_global_ovf_ctrl(cpuc->kind->counters & ~cpuc->foreign);
}
