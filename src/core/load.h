/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmudev_ctx_load() and pmudev_ctx_unload(), for those who do it at every switch of a thread: there
 * a call is a tenth of all.
 */
#ifndef _PMUDEV_LOAD_H
#define _PMUDEV_LOAD_H

#include "ledger.h"

/* @task: whether it is a task's. */
static __always_inline void pmudev_ctx_load_here(struct pmudev_ctx *ctx, int cpu, bool task)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);
	bool here = ctx->pmu == pc->pmu, ready = here && pc->ready;
	u64 now = pmudev_clock();

	lockdep_assert_held(&ctx->lock);
	/* What is not loaded takes turns for nothing. */
	if (unlikely(!hlist_empty(&ctx->turning)) && ready)
		pmudev_turn_if_due(ctx);
	ctx->cpu = cpu;
	if (task && here)
		pc->task = ctx;
	ctx->ready = ready;
	ctx->clock -= now;
	if (unlikely(!ready)) {
		ctx->lost -= now;
		ctx->stale = true;
		if (ctx->maps)
			pmudev_pages_in(ctx);
		return;
	}
	if (ctx->nr) {
		pmudev_backend_load(ctx->on, ctx->nr);
		pc->dirty &= ~ctx->mask;
		if (ctx->fold_ns)
			pmudev_fold_timer(pc, ctx->fold_ns);
	}
	if (ctx->maps)
		pmudev_pages_in(ctx);
	if (unlikely(!hlist_empty(&ctx->turning)))
		pmudev_turn_timer(pc, ctx);
}

/*
 * Counters were saved and stopped. What was loaded shows in them still, but is not to: they are
 * cleared by the time somebody could see them. Irqs off.
 *
 * Where the right to read is a CPU's, a thread that is given it finds the rest cleared then, or
 * hidden. Where it is an address space's, any thread of it may look at any time; what is hidden is
 * so by its event.
 *
 * @user: those of @counters with events for user reads
 */
static __always_inline void pmudev_counters_left(struct pmudev_cpu *pc, u64 counters, u64 user)
{
	lockdep_assert_irqs_disabled();
	if (pc->pmu->info.features & PMUDEV_HAS_HIDING)
		counters = pmudev_backend.grant ? user : 0;
	if (pmudev_backend.grant && (READ_ONCE(pmudev_visible.nr_granted) || pmudev_backend_seen()))
		pmudev_backend.clear(counters);
	else
		pc->dirty |= counters;
}

static __always_inline void pmudev_ctx_unload_here(struct pmudev_ctx *ctx)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);
	bool ready = ctx->ready;
	u64 now;

	lockdep_assert_held(&ctx->lock);
	if (ctx->reading)
		pmudev_pages_out(ctx);
	if (ready && ctx->nr) {
		pmudev_backend_save(ctx->on, ctx->nr);
		pmudev_counters_left(pc, ctx->mask, ctx->user_mask);
	}
	now = pmudev_clock();
	ctx->clock += now;
	if (!ready)
		ctx->lost += now;
	if (pc->task == ctx)
		pc->task = NULL;
	ctx->cpu = -1;
}

#endif /* _PMUDEV_LOAD_H */
