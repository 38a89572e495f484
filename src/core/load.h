/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pmudev_ctx_load() and pmudev_ctx_unload(), for those who do it at every switch of a thread: there
 * a call is a tenth of all.
 */
#ifndef _PMUDEV_LOAD_H
#define _PMUDEV_LOAD_H

#include "ledger.h"

/* -------------------------------------------------------- the user page -- */

/*
 * The reader runs on the CPU that writes, or is not running and will see all this by
 * the switch to it: compiler barriers keep the fields between the two steps of seq.
 */
static __always_inline u32 pmudev_page_begin(struct pmudev_page *page)
{
	u32 seq = page->seq + 1;

	WRITE_ONCE(page->seq, seq);
	barrier();
	return seq;
}

/* @seq: what pmudev_page_begin() returned. */
static __always_inline void pmudev_page_end(struct pmudev_page *page, u32 seq)
{
	barrier();
	WRITE_ONCE(page->seq, seq + 1);
}

/*
 * How far the counts in a page may lag behind at a switch: by less than 2^this, a quarter of what
 * the narrowest counter (31 bits) takes. As much may be counted until the fold timer rewrites them.
 */
#define PMUDEV_PAGE_LAG 29

/* @changed: the bits in which any of the context's counts changed. */
static __always_inline void pmudev_ctx_counted(struct pmudev_ctx *ctx, u64 changed)
{
	if (unlikely(changed >> PMUDEV_PAGE_LAG))
		ctx->stale |= PMUDEV_STALE_COUNTS;
}

/*
 * What a switch changes while a set's events stay where they are: clock, owner. In one step, for
 * the reader does not run; others, on other CPUs, are not the owner.
 */
static __always_inline void pmudev_page_resume(const struct pmudev_ctx *ctx,
					       const struct pmudev_set *set)
{
	struct pmudev_page *page = set->page;

	page->clock = ctx->clock;
	WRITE_ONCE(page->owner, set->reader_tid);
	WRITE_ONCE(page->seq, page->seq + 2);
}

/* The thread can read: have its pages say so. */
static __always_inline void pmudev_pages_show(struct pmudev_ctx *ctx)
{
	struct hlist_node *node;

	ctx->user = true;
	ctx->reader = true;
	ctx->revoke_pending = false;
	if (unlikely(ctx->stale)) {
		pmudev_pages_renew(ctx);
		return;
	}
	hlist_for_each(node, &ctx->pages)
		pmudev_page_resume(ctx, hlist_entry(node, struct pmudev_set, page_node));
}

static __always_inline void pmudev_pages_disown(struct pmudev_ctx *ctx)
{
	struct hlist_node *node;

	hlist_for_each(node, &ctx->pages)
		WRITE_ONCE(hlist_entry(node, struct pmudev_set, page_node)->page->owner, 0);
	ctx->user = false;
}

/* As most often: loaded on its PMU, where nothing shows that others left. */
static __always_inline void pmudev_pages_in_here(struct pmudev_cpu *cpuc, struct pmudev_ctx *ctx)
{
	if (likely(!cpuc->residue && pmudev_backend_user_access_enable(ctx->readable)))
		pmudev_pages_show(ctx);
	else
		pmudev_pages_in(ctx);
}

/* As most often: no other context on this CPU has the right for the thread, too. */
static __always_inline void pmudev_pages_out_here(struct pmudev_cpu *cpuc, struct pmudev_ctx *ctx)
{
	if (likely(cpuc->task == ctx && !cpuc->nr_on_other_pmu &&
		   pmudev_backend_user_access_disable())) {
		pmudev_pages_disown(ctx);
		ctx->revoke_pending = false;
	} else {
		pmudev_pages_out(ctx);
	}
}

/* ------------------------------------------------------- load and unload -- */

/* @task: whether it is a task's. */
static __always_inline void pmudev_ctx_load_here(struct pmudev_ctx *ctx, bool task)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	bool here = ctx->pmu == cpuc->pmu, ready = here && cpuc->ready;
	u64 now;

	lockdep_assert_held(&ctx->lock);
	/* What is not loaded takes turns for nothing. */
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
		ctx->stale |= PMUDEV_STALE_ALL;
		if (ctx->maps)
			pmudev_pages_in(ctx);
		return;
	}
	if (ctx->nr) {
		pmudev_backend_load(ctx->active, ctx->nr, ctx->mask);
		cpuc->residue &= ~ctx->mask;
		/* As most often it runs. 0 is never, and the largest of them here. */
		if (unlikely(ctx->fold_ns - 1 < cpuc->timer_ns - 1))
			pmudev_fold_timer(cpuc, ctx->fold_ns);
	}
	if (ctx->maps)
		pmudev_pages_in_here(cpuc, ctx);
	if (unlikely(!hlist_empty(&ctx->rotating)))
		pmudev_rotate_timer(cpuc, ctx);
}

/*
 * Counters were saved and stopped. What was loaded shows in them still, but is not to: they are
 * cleared by the time somebody could see them. Irqs off.
 *
 * Where the right to read is a CPU's, a thread that is given it finds the rest cleared then, or
 * hidden. Where it is an address space's, any thread of it may look at any time; what is hidden is
 * so by its event.
 *
 * @residue_mask: those of them that are in ctx->left
 */
static __always_inline void pmudev_leave_residue(struct pmudev_cpu *cpuc, u64 left)
{
	lockdep_assert_irqs_disabled();
	if (pmudev_backend.grant &&
	    (READ_ONCE(pmudev_readers.nr_granted) || pmudev_backend_user_readable()))
		pmudev_backend_clear(left);
	else
		cpuc->residue |= left;
}

static __always_inline void pmudev_ctx_unload_here(struct pmudev_ctx *ctx)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	bool ready = ctx->ready;
	u64 now;

	lockdep_assert_held(&ctx->lock);
	if (ctx->reading)
		pmudev_pages_out_here(cpuc, ctx);
	if (ready && ctx->nr) {
		pmudev_ctx_counted(ctx, pmudev_backend_save(ctx->active, ctx->nr, ctx->mask));
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

#endif /* _PMUDEV_LOAD_H */
