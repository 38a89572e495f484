/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load and unload, inline for the two callers: context.c, and the switches of threads, where a call
 * would be a tenth of the work.
 */
#ifndef _PMUDEV_CONTEXT_LOAD_H
#define _PMUDEV_CONTEXT_LOAD_H

#include "fold.h"
#include "rotate.h"
#include "user_page.h"

/* The common case: the CPU is of the context's PMU, and no counter shows residue. */
static __always_inline void pmudev_pages_in_here(struct pmudev_cpu *cpuc, struct pmudev_ctx *ctx)
	__must_hold(&ctx->lock)
{
	if (likely(!cpuc->residue && pmudev_backend_user_access_enable(ctx->reads.counters)))
		pmudev_pages_show(ctx);
	else
		pmudev_pages_in(ctx);
}

/* The common case: no other context on this CPU gives the thread access as well. */
static __always_inline void pmudev_pages_out_here(struct pmudev_cpu *cpuc, struct pmudev_ctx *ctx)
	__must_hold(&ctx->lock)
{
	if (likely(cpuc->task == ctx && !cpuc->nr_on_other_pmu &&
		   pmudev_backend_user_access_disable())) {
		pmudev_pages_disown(ctx);
		ctx->reads.revoke_pending = false;
	} else {
		pmudev_pages_out(ctx);
	}
}

/* pmudev_ctx_load(); @task: the context is a task's. */
static __always_inline void pmudev_ctx_load_here(struct pmudev_ctx *ctx, bool task)
	__must_hold(&ctx->lock)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	bool here = ctx->pmu == cpuc->pmu, ready = here && cpuc->ready;
	u64 now;

	lockdep_assert_held(&ctx->lock);
	/* While it is not loaded a rotation costs nothing. */
	if (unlikely(!hlist_empty(&ctx->rotating)) && ready)
		pmudev_rotate_if_due(ctx);
	now = pmudev_clock();
	ctx->cpu = cpuc->cpu;
	if (task && here)
		cpuc->task = ctx;
	ctx->ready = ready;
	ctx->clock -= now;
	if (unlikely(!ready)) {
		ctx->lost -= now;
		ctx->reads.stale |= PMUDEV_STALE_ALL;
		if (ctx->reads.maps)
			pmudev_pages_in(ctx);
		return;
	}
	if (ctx->nr) {
		pmudev_backend_load(ctx->active, ctx->nr, ctx->mask);
		cpuc->residue &= ~ctx->mask;
		/* Mostly the timer runs. 0 means never: less 1 it is the longest period. */
		if (unlikely(ctx->fold_ns - 1 < cpuc->fold_ns - 1))
			pmudev_fold_timer(cpuc, ctx->fold_ns);
	}
	if (ctx->reads.maps)
		pmudev_pages_in_here(cpuc, ctx);
	if (unlikely(!hlist_empty(&ctx->rotating)))
		pmudev_rotate_timer(cpuc, ctx);
}

static __always_inline void pmudev_ctx_unload_here(struct pmudev_ctx *ctx) __must_hold(&ctx->lock)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	bool ready = ctx->ready;
	u64 now;

	lockdep_assert_held(&ctx->lock);
	if (pmudev_pages_need_out(ctx))
		pmudev_pages_out_here(cpuc, ctx);
	if (ready && ctx->nr) {
		pmudev_pages_counted(ctx, pmudev_backend_save(ctx->active, ctx->nr, ctx->mask));
		pmudev_leave_residue(cpuc, ctx->residue_mask);
	}
	now = pmudev_clock();
	ctx->clock += now;
	if (!ready)
		ctx->lost += now;
	if (cpuc->task == ctx)
		cpuc->task = NULL;
	ctx->cpu = -1;
}

#endif /* _PMUDEV_CONTEXT_LOAD_H */
