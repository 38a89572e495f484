// SPDX-License-Identifier: GPL-2.0
/* Counters for multiplexed groups: guaranteed ones, and those that sets borrow. */
#include <linux/sched.h>
#include <linux/slab.h>

#include "../cpu/counters.h"
#include "../memory.h"
#include "../worker.h"
#include "rotation.h"
#include "rotation_plan.h"

static unsigned int count_groups(const struct pmudev_set *set, u64 slots)
{
	return hweight64(pmudev_slots_groups(set, slots));
}

void pmudev_rotation_prepare(struct pmudev_set *set)
{
	struct pmudev_alloc_mux *mux = &set->alloc->mux;
	unsigned int nr = count_groups(set, set->used & set->mux);

	if (nr <= mux->room || nr <= mux->prepared_room)
		return;
	kfree(mux->prepared);
	mux->prepared = kmalloc(struct_size(mux->prepared, slot, nr), PMUDEV_GFP);
	mux->prepared_room = mux->prepared ? nr : 0;
}

int pmudev_rotation_room(struct pmudev_set *set, u64 slots)
{
	struct pmudev_alloc_mux *mux = &set->alloc->mux;
	unsigned int nr = count_groups(set, slots);

	lockdep_assert_held(&set->pmu->lock);
	if (nr <= mux->room)
		return 0;
	if (nr > mux->prepared_room)
		return -ENOMEM;
	kfree(mux->new_plan);
	mux->new_plan = mux->prepared;
	mux->room = mux->prepared_room;
	mux->prepared = NULL;
	mux->prepared_room = 0;
	return 0;
}

u64 pmudev_mux_free(struct pmudev_set *set)
{
	return pmudev_pmu_available(set->pmu) &
	       (~pmudev_alloc_taken(set, false) | set->alloc->mux.guaranteed);
}

/* All counters that multiplexed groups of a set could be on. */
static u64 usable(const struct pmudev_set *set)
{
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, set->alloc->placed & READ_ONCE(set->mux))
		mask |= pmudev_places_counters(pmudev_slot_event(set, slot)->allowed,
					       pmudev_slot_event(set, slot)->hw.chained);
	return mask;
}

/*
 * Beside perf, the lowest event counter that nobody holds is left to it, so that it can always
 * count something.
 */
static u64 left_to_perf(const struct pmudev_pmu *pmu)
{
	const struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(pmu);
	u64 free = pmudev_pmu_available(pmu) & GENMASK_ULL(PMUDEV_FIXED_BASE - 1, 0) &
		   ~(all->task_use.any | all->cpu_use.any | all->perf.pinned | all->perf.flexible);

	return pmudev_beside_perf() && !all->nr_exclusive ? free & -free : 0;
}

/* Those of some counters that can be reserved without taking any from perf. */
static u64 reserve_free(struct pmudev_pmu *pmu, u64 counters)
{
	struct pmudev_refusal unused = {};
	unsigned int c;
	u64 rest, got = 0;

	pmudev_for_each_slot(c, rest, counters)
		if (!pmudev_counters_reserve(pmu, BIT_ULL(c), false, &unused))
			got |= BIT_ULL(c);
	return got;
}

/* What one set borrows. */
static u64 borrow(struct pmudev_set *set)
{
	struct pmudev_lent *lent = &pmudev_pmu_alloc(set->pmu)->lent;
	u64 free = lent->available & usable(set) & ~lent->left & ~pmudev_alloc_taken(set, true);
	u64 got = reserve_free(set->pmu, free);

	if (got != free)
		lent->known = false;
	return got;
}

static void account_borrowed(const struct pmudev_alloc *alloc)
{
	const struct pmudev_set *set = alloc->set;
	struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(set->pmu);
	u64 *borrowed = set->cpu < 0 ? &all->task_borrowed : &all->cpu_borrowed;

	pmudev_alloc_of(set->ctx, set)->borrowed |= alloc->mux.borrowed;
	WRITE_ONCE(*borrowed, *borrowed | alloc->mux.borrowed);
}

/*
 * Lend the counters that no set holds to the multiplexing sets, first come, first served. @only:
 * others than this context's keep what they have; NULL: to all. Where threads inherit, or a set
 * waits for an exec, what they have changes without a call, and is looked at in any case.
 */
static void share_borrowed(struct pmudev_pmu *pmu, const struct pmudev_ctx *only)
{
	struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(pmu);
	struct pmudev_alloc *alloc;

	/* perf_waits() reads both without the lock; if it misses one, perf soon asks again. */
	WRITE_ONCE(all->task_borrowed, 0);
	WRITE_ONCE(all->cpu_borrowed, 0);
	pmudev_for_each_mux(alloc, pmu) {
		struct pmudev_set *set = alloc->set;

		alloc->mux.old_borrowed = alloc->mux.borrowed;
		alloc->mux.lent_anew = !only || set->ctx == only || set->inherit ||
				       READ_ONCE(set->ctx->nr_inherited);
		if (alloc->mux.lent_anew)
			alloc->mux.borrowed = 0;
		pmudev_alloc_of(set->ctx, set)->borrowed = 0;
	}
	/* First what is kept: no other set of the thread is lent that, if it inherits just now. */
	pmudev_for_each_mux(alloc, pmu)
		if (!alloc->mux.lent_anew)
			account_borrowed(alloc);
	pmudev_for_each_mux(alloc, pmu) {
		pmudev_cond_resched();
		if (!all->lent.lend || !alloc->mux.lent_anew)
			continue;
		alloc->mux.borrowed = borrow(alloc->set);
		account_borrowed(alloc);
	}
}

static struct pmudev_lent what_is_lent(struct pmudev_pmu *pmu, bool lend)
{
	const struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(pmu);

	return (struct pmudev_lent){
		.known = true,
		.lend = lend,
		.available = pmudev_pmu_available(pmu),
		.left = left_to_perf(pmu),
		.taken = all->perf.pinned | all->perf.flexible | all->cpu_use.any,
	};
}

/*
 * What a thread's set holds concerns the thread's other sets, those it inherited, CPU sets, and
 * what is left to perf. If no CPU set borrows, and that is as it was, the sets of other threads
 * keep what they borrow: there may be thousands, and each takes its time under pmu->lock. This
 * holds because each call that changes what sets hold comes here before it releases the lock.
 */
static bool concerns_others(const struct pmudev_set *asking, const struct pmudev_lent *now)
{
	const struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(asking->pmu);
	const struct pmudev_lent *lent = &all->lent;

	return asking->cpu >= 0 || all->nr_cpu_mux || asking->inherit || !lent->known ||
	       lent->lend != now->lend || lent->available != now->available ||
	       lent->left != now->left || lent->taken != now->taken;
}

/* @asking: whose counters changed; NULL: it concerns all. */
static void share(struct pmudev_pmu *pmu, const struct pmudev_set *asking, bool lend)
{
	struct pmudev_lent now = what_is_lent(pmu, lend);
	const struct pmudev_ctx *only = NULL;

	if (asking && !concerns_others(asking, &now))
		only = asking->ctx;
	else
		pmudev_pmu_alloc(pmu)->lent = now;
	share_borrowed(pmu, only);
}

void pmudev_rotation_set(struct pmudev_set *set, const struct pmudev_rotation *rotation)
{
	pmudev_set_call(set, pmudev_change_rotation, (void *)rotation);
}

static bool changed(const struct pmudev_alloc_mux *mux)
{
	return mux->changed || (mux->guaranteed && mux->borrowed != mux->old_borrowed);
}

/* All that change give up their counters first: then each finds its own free. */
static void suspend_changed(struct pmudev_pmu *pmu, struct pmudev_set *asking,
			    struct hlist_head *suspended)
{
	struct pmudev_alloc *alloc;

	pmudev_for_each_mux(alloc, pmu) {
		struct pmudev_alloc_mux *mux = &alloc->mux;

		if (!changed(mux))
			continue;
		mux->changed = true;
		if (alloc->set != asking && hlist_unhashed(&mux->suspended_node))
			hlist_add_head(&mux->suspended_node, suspended);
		if (alloc->set->rotation.plan)
			pmudev_rotation_set(alloc->set, NULL);
	}
}

void pmudev_rotation_suspend(struct pmudev_set *asking)
{
	struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(asking->pmu);

	lockdep_assert_held(&asking->pmu->lock);
	if (list_empty(&all->mux_sets) && !all->task_borrowed && !all->cpu_borrowed)
		return;
	share(asking->pmu, asking, !all->paused);
	suspend_changed(asking->pmu, asking, &asking->alloc->mux.suspended);
}

void pmudev_rotation_resume(struct pmudev_set *set)
{
	struct pmudev_alloc_mux *mux = &set->alloc->mux;

	lockdep_assert_held(&set->pmu->lock);
	hlist_del_init(&mux->suspended_node);
	if (!mux->changed)
		return;
	mux->changed = false;
	if (!mux->guaranteed)
		return;
	/* Suspended: nothing uses the plan. */
	if (mux->new_plan) {
		kfree(mux->plan);
		mux->plan = mux->new_plan;
		mux->new_plan = NULL;
	}
	pmudev_rotation_plan(set, mux->guaranteed | mux->borrowed, mux->plan);
	pmudev_rotation_set(set, mux->plan);
}

/* By a worker. */
static void resume_list(struct pmudev_pmu *pmu, struct hlist_head *suspended)
{
	struct pmudev_alloc *alloc;

	while (!hlist_empty(suspended)) {
		mutex_lock(&pmu->lock);
		alloc = hlist_entry_safe(suspended->first, struct pmudev_alloc, mux.suspended_node);
		if (alloc)
			pmudev_rotation_resume(alloc->set);
		mutex_unlock(&pmu->lock);
		cond_resched();
	}
}

static void resume_all(void *arg)
{
	struct pmudev_set *asking = arg;

	resume_list(asking->pmu, &asking->alloc->mux.suspended);
}

bool pmudev_rotation_share(struct pmudev_pmu *pmu, bool lend)
{
	struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(pmu);
	HLIST_HEAD(suspended);
	bool more;

	mutex_lock(&pmu->lock);
	all->paused = !lend;
	pmudev_alloc_look_at_perf(pmu, 0);
	share(pmu, NULL, lend);
	suspend_changed(pmu, NULL, &suspended);
	pmudev_alloc_release(pmu);
	more = !list_empty(&all->mux_sets) && (all->perf.pinned | all->perf.flexible);
	mutex_unlock(&pmu->lock);
	resume_list(pmu, &suspended);
	return more;
}

void pmudev_rotation_resume_others(struct pmudev_set *asking)
{
	/* Other calls only take sets from the list. */
	if (!hlist_empty(&asking->alloc->mux.suspended))
		pmudev_by_worker(pmudev_urgent, resume_all, asking);
}

int pmudev_rotation_counter(const struct pmudev_set *set, unsigned int slot)
{
	const struct pmudev_rotation *plan = set->rotation.plan;
	unsigned int i;

	for (i = 0; plan && i < plan->nr; i++)
		if (plan->slot[i].slots & BIT_ULL(slot))
			return plan->slot[i].counter[slot];
	return -1;
}
