// SPDX-License-Identifier: GPL-2.0
/* The fold timer, for whoever needs it; fold_tick.c has what it does. */
#include "fold.h"

void pmudev_fold_timer(struct pmudev_cpu *cpuc, u64 period_ns)
{
	lockdep_assert_irqs_disabled();
	if (!period_ns || (cpuc->fold_ns && cpuc->fold_ns <= period_ns))
		return;
	cpuc->fold_ns = period_ns;
	hrtimer_start(&cpuc->fold_timer, ns_to_ktime(period_ns), HRTIMER_MODE_REL_PINNED_HARD);
}
