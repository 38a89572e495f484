// SPDX-License-Identifier: GPL-2.0
/*
 * Folding: bring the counts of narrow counters up to date before these wrap. The same timer enables
 * interrupts that were too many.
 */
#include "cgroup.h"
#include "deadline.h"
#include "fold.h"
#include "overflow.h"
#include "user_page.h"

/* Fold a context that is loaded; @arg: the shortest period so far, 0: none. */
static void fold(struct pmudev_ctx *ctx, void *arg)
{
	u64 *period_ns = arg;

	raw_spin_lock(&ctx->lock);
	if (pmudev_ctx_counting(ctx) && ctx->fold_ns) {
		pmudev_counted_live(ctx, pmudev_backend_read(ctx->active, ctx->nr));
		pmudev_pages_refresh(ctx);
		if (!*period_ns || ctx->fold_ns < *period_ns)
			*period_ns = ctx->fold_ns;
	}
	raw_spin_unlock(&ctx->lock);
}

enum hrtimer_restart pmudev_fold_tick(struct hrtimer *timer)
{
	struct pmudev_cpu *cpuc = container_of(timer, struct pmudev_cpu, fold_timer);

	cpuc->fold_ns = 0;
	pmudev_overflow_tick(cpuc);
	pmudev_loaded_walk(cpuc, fold, &cpuc->fold_ns);
	if (!cpuc->fold_ns)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(cpuc->fold_ns));
	return HRTIMER_RESTART;
}
