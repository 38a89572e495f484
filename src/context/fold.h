/* SPDX-License-Identifier: GPL-2.0 */
/* Folding: a timer brings the counts of narrow counters up to date before these wrap. */
#ifndef _PMUDEV_CONTEXT_FOLD_H
#define _PMUDEV_CONTEXT_FOLD_H

#include "ctx.h"

/* Have this CPU's fold timer run at least this often; 0: nothing needs it. Irqs off. */
void pmudev_fold_timer(struct pmudev_cpu *cpuc, u64 period_ns);

/* The timer's function. */
enum hrtimer_restart pmudev_fold_tick(struct hrtimer *timer);

#endif /* _PMUDEV_CONTEXT_FOLD_H */
