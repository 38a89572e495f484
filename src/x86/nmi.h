/* SPDX-License-Identifier: GPL-2.0 */
/* NMIs of counters that overflow, on x86 */
#ifndef _PMUDEV_X86_NMI_H
#define _PMUDEV_X86_NMI_H

#include <linux/static_call.h>

#include "x86.h"

/* What an NMI on an owned CPU is */
enum x86_nmi {
	X86_NMI_OTHER,	/* not ours */
	X86_NMI_MISSED,	/* not ours, but what handled it may have taken an overflow of ours */
	X86_NMI_LATE,	/* its overflow was cleared by whoever saw the count */
	X86_NMI_OURS,	/* the core has to look at the counts */
};

/* @counters: out: those that have overflowed, as far as is known, if the NMI is ours */
enum x86_nmi x86_no_nmi(struct x86_cpu *cpuc, u64 *counters);
void x86_no_acknowledge(struct x86_cpu *cpuc);

/* Direct calls, patched to the vendor's functions */
DECLARE_STATIC_CALL(x86_judge_nmi, x86_no_nmi);	   /* an NMI on an owned CPU; in the NMI */
DECLARE_STATIC_CALL(x86_acknowledge, x86_no_acknowledge); /* forget overflows of our counters */

/* With the first reservation, and before unload. May sleep. */
void x86_hook_nmi(void);
void x86_unhook_nmi(void);
void x86_interrupts(bool enable);

/* An overflow that interrupts was cleared by its count: its NMI may still come. Irqs off. */
void x86_expect_late_nmi(struct x86_cpu *cpuc);
/* May this be such an NMI? In the NMI. */
bool x86_late_nmi_expected(const struct x86_cpu *cpuc);
/* The same, where there is one at most: none is expected any more. */
bool x86_is_late_nmi(struct x86_cpu *cpuc);

#endif /* _PMUDEV_X86_NMI_H */
