/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmudev_ctx_load() and pmudev_ctx_unload(), for those who do it at every switch of a thread: there
 * a call is a tenth of all.
 */
#ifndef _PMUDEV_LOAD_H
#define _PMUDEV_LOAD_H

#include "core.h"

static __always_inline void pmudev_ctx_load_here(struct pmudev_ctx *ctx, int cpu)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);
	u64 now = pmudev_clock();

	lockdep_assert_held(&ctx->lock);
	/* What is not loaded takes turns for nothing. */
	if (unlikely(!hlist_empty(&ctx->turning)) && pc->ready && ctx->pmu == pc->pmu)
		pmudev_turn_if_due(ctx);
	ctx->cpu = cpu;
	if (ctx->task && ctx->pmu == pc->pmu)
		pc->task = ctx;
	ctx->ready = pc->ready && ctx->pmu == pc->pmu;
	ctx->clock -= now;
	if (unlikely(!ctx->ready)) {
		ctx->lost -= now;
		ctx->stale = true;
		if (ctx->maps)
			pmudev_pages_in(ctx);
		return;
	}
	if (ctx->nr) {
		pmudev_backend.load(ctx->on, ctx->nr);
		pc->dirty &= ~ctx->mask;
		if (ctx->fold_ns)
			pmudev_fold_timer(pc, ctx->fold_ns);
	}
	if (ctx->maps)
		pmudev_pages_in(ctx);
	if (unlikely(!hlist_empty(&ctx->turning)))
		pmudev_turn_timer(pc, ctx);
}

static __always_inline void pmudev_ctx_unload_here(struct pmudev_ctx *ctx)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);
	u64 now;

	lockdep_assert_held(&ctx->lock);
	if (ctx->user || ctx->owed || ctx->elsewhere)
		pmudev_pages_out(ctx);
	if (ctx->ready) {
		if (ctx->nr) {
			pmudev_backend.save(ctx->on, ctx->nr);
			pmudev_counters_left(pc, ctx);
		}
	}
	now = pmudev_clock();
	ctx->clock += now;
	if (!ctx->ready)
		ctx->lost += now;
	if (pc->task == ctx)
		pc->task = NULL;
	ctx->cpu = -1;
}

#endif /* _PMUDEV_LOAD_H */
