/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupts of counters that overflow: a deadline may be reached. So many per tick, not more. */
#ifndef _PMUDEV_CONTEXT_OVERFLOW_H
#define _PMUDEV_CONTEXT_OVERFLOW_H

#include "ctx.h"

struct pt_regs;

/* The sysctl dev.pmudev.max_overflows: interrupts per tick and CPU. */
extern int pmudev_max_overflows;

/* Upcall; see struct pmudev_upcalls. */
void pmudev_overflowed(bool ours, u64 counters, struct pt_regs *regs);

/* The fold timer has expired: enable interrupts that were too many. On the CPU, irqs off. */
void pmudev_overflow_tick(struct pmudev_cpu *cpuc);

/* The CPU's counters are reserved now. On the CPU, irqs off. */
void pmudev_overflow_begin(struct pmudev_cpu *cpuc);

void pmudev_overflow_init(struct pmudev_cpu *cpuc);
/* No CPU is owned any more. May sleep. */
void pmudev_overflow_exit(struct pmudev_cpu *cpuc);

#endif /* _PMUDEV_CONTEXT_OVERFLOW_H */
