// SPDX-License-Identifier: GPL-2.0
/* Bookkeeping: which counters each set holds. */
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../cpu/counters.h"
#include "allocation.h"

struct pmudev_pmu_alloc pmudev_allocs[PMUDEV_MAX_PMUS];

void pmudev_allocs_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pmudev_allocs); i++) {
		INIT_LIST_HEAD(&pmudev_allocs[i].sets);
		INIT_LIST_HEAD(&pmudev_allocs[i].mux_sets);
	}
}

void pmudev_alloc_init(struct pmudev_alloc *alloc, struct pmudev_set *set)
{
	INIT_LIST_HEAD(&alloc->node);
	alloc->set = set;
	alloc->opener = get_pid(task_tgid(current));
}

void pmudev_alloc_exit(struct pmudev_alloc *alloc)
{
	kfree(alloc->mux.plan);
	kfree(alloc->mux.new_plan);
	kfree(alloc->mux.prepared);
	put_pid(alloc->opener);
}

/* Counters that a set cannot have */
struct taken {
	u64 counters;		      /* out: these */
	bool borrowed;		      /* also those that others borrow */
	const struct pmudev_set *but; /* not what children of this set have */
};

/* What the sets of a context have, and the parents of its children. pmudev_set_fn. */
static void add_taken(struct pmudev_ctx *ctx, struct pmudev_set *looked, void *arg)
	__must_hold(&ctx->lock)
{
	const struct pmudev_alloc_ctx *of = pmudev_alloc_of(ctx, looked);
	struct taken *taken = arg;
	struct pmudev_alloc *alloc;
	struct pmudev_set *set;

	lockdep_assert_held(&ctx->lock);
	taken->counters |= of->held | (taken->borrowed ? of->borrowed : 0);
	hlist_for_each_entry(set, &ctx->inherited, ctx_node) {
		alloc = set->parent->alloc;
		if (pmudev_set_is_child(set) && set->parent != taken->but)
			taken->counters |=
				alloc->held | (taken->borrowed ? alloc->mux.borrowed : 0);
	}
}

static void add_taken_by_child(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	if (pmudev_set_is_child(set))
		add_taken(ctx, set, arg);
}

/* pmu->lock held: what a thread has when it is asked, or less, its later children have. */
static void ask(struct pmudev_set *set, pmudev_set_fn fn, void *arg)
{
	struct pmudev_walk walk = { .fn = fn, .arg = arg, .asking = true };

	lockdep_assert_held(&set->pmu->lock);
	pmudev_set_walk(set, &walk);
}

u64 pmudev_alloc_taken_by_children(struct pmudev_set *set)
{
	struct taken taken = { .but = set };

	lockdep_assert_held(&set->pmu->lock);
	if (pmudev_has_children(set))
		ask(set, add_taken_by_child, &taken);
	return taken.counters;
}

void pmudev_alloc_look(struct pmudev_set *set, pmudev_set_fn fn, void *arg)
{
	unsigned long flags;
	bool alone;

	/* With this lock the target makes no first child. */
	raw_spin_lock_irqsave(&set->ctx->lock, flags);
	alone = !pmudev_has_children(set);
	if (alone)
		fn(set->ctx, set, arg);
	raw_spin_unlock_irqrestore(&set->ctx->lock, flags);
	if (!alone)
		ask(set, fn, arg);
}

u64 pmudev_alloc_taken(struct pmudev_set *set, bool borrowed)
{
	const struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(set->pmu);
	struct taken taken = { .borrowed = borrowed, .but = set };
	bool task = set->cpu < 0;

	lockdep_assert_held(&set->pmu->lock);
	taken.counters = all->perf.pinned | (task ? all->cpu_use.any : all->task_use.any);
	if (borrowed)
		taken.counters |=
			all->perf.flexible | (task ? all->cpu_borrowed : all->task_borrowed);
	pmudev_alloc_look(set, add_taken, &taken);
	return taken.counters;
}

void pmudev_alloc_look_at_perf(struct pmudev_pmu *pmu, u64 pinned)
{
	struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(pmu);

	lockdep_assert_held(&pmu->lock);
	all->perf = pmudev_perf_use(pmu);
	all->perf.pinned |= pinned & ~pmudev_counters_reserved(pmu);
	all->perf.flexible &= ~all->perf.pinned;
}

int pmudev_alloc_reserve(struct pmudev_pmu *pmu, u64 counters)
{
	struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(pmu);
	struct pmudev_refusal why = {};
	int ret = pmudev_counters_reserve(pmu, counters, true, &why);

	if (ret != -EBUSY)
		return ret;
	all->perf.pinned |= BIT_ULL(why.holder.counter);
	all->perf.flexible &= ~BIT_ULL(why.holder.counter);
	return -EAGAIN;
}

void pmudev_alloc_release(struct pmudev_pmu *pmu)
{
	const struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(pmu);

	pmudev_counters_exclusive(pmu, all->nr_exclusive);
	if (!all->nr_exclusive)
		pmudev_counters_release(pmu, ~(all->task_use.any | all->cpu_use.any |
					       all->task_borrowed | all->cpu_borrowed));
}

static u64 placed_counters(const struct pmudev_set *set)
{
	const struct pmudev_alloc *alloc = set->alloc;
	u64 rest, mask = alloc->mux.guaranteed;
	unsigned int slot;

	pmudev_for_each_slot(slot, rest, alloc->placed & ~READ_ONCE(set->mux))
		mask |= pmudev_place_counters(alloc->place[slot],
					      pmudev_slot_event(set, slot)->hw.chained);
	return mask;
}

struct pmudev_use *pmudev_alloc_use(const struct pmudev_set *set)
{
	struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(set->pmu);

	return set->cpu < 0 ? &all->task_use : &all->cpu_use;
}

void pmudev_alloc_account(struct pmudev_set *set)
{
	struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(set->pmu);
	struct pmudev_alloc *alloc = set->alloc;
	struct pmudev_use *use = pmudev_alloc_use(set);
	unsigned int c;
	u64 rest;

	lockdep_assert_held(&set->pmu->lock);
	if (!alloc->placed)
		return;
	list_add_tail(&alloc->node, &all->sets);
	all->nr_sets++;
	if (alloc->mux.guaranteed) {
		list_add_tail(&alloc->mux.node, &all->mux_sets);
		all->nr_cpu_mux += set->cpu >= 0;
	}
	all->nr_exclusive += alloc->exclusive;
	alloc->held = placed_counters(set);
	pmudev_alloc_of(set->ctx, set)->held |= alloc->held;
	pmudev_for_each_slot(c, rest, alloc->held)
		use->nr[c]++;
	use->any |= alloc->held;
}

void pmudev_alloc_unaccount(struct pmudev_set *set)
{
	struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(set->pmu);
	struct pmudev_alloc *alloc = set->alloc;
	struct pmudev_use *use = pmudev_alloc_use(set);
	unsigned int c;
	u64 rest;

	lockdep_assert_held(&set->pmu->lock);
	if (!alloc->placed)
		return;
	pmudev_for_each_slot(c, rest, alloc->held)
		if (!--use->nr[c])
			use->any &= ~BIT_ULL(c);
	pmudev_alloc_of(set->ctx, set)->held &= ~alloc->held;
	pmudev_alloc_of(set->ctx, set)->borrowed &= ~alloc->mux.borrowed;
	alloc->held = 0;
	if (alloc->mux.guaranteed) {
		list_del(&alloc->mux.node);
		all->nr_cpu_mux -= set->cpu >= 0;
	}
	all->nr_exclusive -= alloc->exclusive;
	list_del(&alloc->node);
	all->nr_sets--;
	/* The caller accounts it again and resumes it. */
	hlist_del_init(&alloc->mux.suspended_node);
}

void pmudev_alloc_set_placed(struct pmudev_set *set, u64 slots)
{
	pmudev_alloc_unaccount(set);
	WRITE_ONCE(set->alloc->placed, slots);
	pmudev_alloc_account(set);
}

void pmudev_reclaim_dead(struct pmudev_pmu *pmu)
{
	struct pmudev_alloc *alloc, *next;
	bool reclaimed = false;

	lockdep_assert_held(&pmu->lock);
	list_for_each_entry_safe(alloc, next, &pmudev_pmu_alloc(pmu)->sets, node) {
		if (!pmudev_set_ended(alloc->set))
			continue;
		pmudev_alloc_unaccount(alloc->set);
		WRITE_ONCE(alloc->placed, 0);
		alloc->mux.guaranteed = 0;
		alloc->mux.borrowed = 0;
		reclaimed = true;
	}
	if (!reclaimed)
		return;
	/* No call shares out what they had: the next one looks at all. */
	pmudev_pmu_alloc(pmu)->lent.known = false;
	pmudev_alloc_release(pmu);
}

u64 pmudev_alloc_busy(struct pmudev_pmu *pmu)
{
	const struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(pmu);

	pmudev_reclaim_dead(pmu);
	return all->task_use.any | all->cpu_use.any | all->task_borrowed | all->cpu_borrowed;
}
