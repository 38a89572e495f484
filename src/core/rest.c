// SPDX-License-Identifier: GPL-2.0
/*
 * Sets at rest. A thread that measures a stretch of its code again and again enables and
 * disables its set each time, and from one time to the next nothing changes. So a set that was
 * disabled keeps its place in the ledger until somebody asks what is free, or needs it: then all
 * that rests gives up what it does not use. Until then it is enabled and disabled under ctx->lock
 * alone, whoever does the same on_other_pmu.
 *
 * A rest begins and ends with pmu->lock and ctx->lock held. While a set rests
 *   set->placed	stays as it is: who changes it, under pmu->lock, has ended the rest
 *   its events		may be moved, as those of a set that is enabled
 *   multiplexed groups	have no counters: they would share what rests
 */
#include "ledger.h"

static void set_rests(struct pmudev_set *set, bool rests)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&set->ctx->lock, flags);
	/* Looked at without the lock, to see whether it is worth taking it. After set->ctx. */
	smp_store_release(&set->rests, rests);
	raw_spin_unlock_irqrestore(&set->ctx->lock, flags);
}

bool pmudev_rest_begin(struct pmudev_set *set, u64 slots)
{
	pmudev_assert_call(set);
	lockdep_assert_held(&set->pmu->lock);
	if (slots != set->placed || (slots & set->mux) || set->cpu >= 0 || set->inherit ||
	    READ_ONCE(set->on_exec) || READ_ONCE(set->ctx->dead) || pmudev_rotation_concerned(set))
		return false;
	hlist_add_head(&set->rest_node, &set->pmu->resting);
	set_rests(set, true);
	return true;
}

void pmudev_rest_end(struct pmudev_set *set)
{
	u64 unused;

	lockdep_assert_held(&set->pmu->lock);
	if (hlist_unhashed(&set->rest_node))
		return;
	hlist_del_init(&set->rest_node);
	set_rests(set, false);
	/* Enabled since, or not. Nobody else enables it: that takes pmu->lock now. */
	unused = set->placed & ~READ_ONCE(set->enabled);
	if (!unused)
		return;
	pmudev_alloc_unaccount(set);
	WRITE_ONCE(set->placed, set->placed & ~unused);
	pmudev_alloc_account(set);
}

void pmudev_rest_end_all(struct pmudev_pmu *pmu)
{
	lockdep_assert_held(&pmu->lock);
	while (!hlist_empty(&pmu->resting)) {
		pmudev_rest_end(hlist_entry(pmu->resting.first, struct pmudev_set, rest_node));
		pmudev_cond_resched();
	}
}

static bool rest_end(void *arg)
{
	pmudev_rest_end(arg);
	return true;
}

void pmudev_rest_over(struct pmudev_set *set)
{
	pmudev_locked(pmudev_urgent, &set->pmu->lock, rest_end, set);
}

bool pmudev_toggle(struct pmudev_set *set, bool on)
{
	struct pmudev_ctx *ctx;
	unsigned long flags;
	bool done = false;

	/* It was bound before it could rest: so the context is looked at after this. */
	if (!smp_load_acquire(&set->rests))
		return false;
	ctx = READ_ONCE(set->ctx);
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (set->rests && !ctx->dead && (ctx->cpu < 0 || ctx->cpu == smp_processor_id()))
		done = on ? pmudev_enable_again(ctx, set) : pmudev_disable_again(ctx, set);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return done;
}
