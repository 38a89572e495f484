// SPDX-License-Identifier: GPL-2.0
/* The counters of a set's slots. */
#include "../cpu/counters.h"
#include "place.h"
#include "rotation.h"
#include "rotation_plan.h"
#include "slots.h"

/* The constraints of some slots' events, in ascending order. Return: how many. */
static unsigned int get_constraints(const struct pmudev_set *set, u64 slots,
				    struct pmudev_constraint *constraint)
{
	unsigned int slot, nr = 0;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		constraint[nr++] = pmudev_event_constraint(pmudev_slot_event(set, slot));
	return nr;
}

/* The counters of a placement. */
static u64 counters_of(const struct pmudev_constraint *constraint, unsigned int nr,
		       const u8 *counter)
{
	unsigned int i;
	u64 mask = 0;

	for (i = 0; i < nr; i++)
		mask |= pmudev_place_counters(counter[i], constraint[i].chained);
	return mask;
}

/* Allocate these counters, in the order of the slots. */
static void take(struct pmudev_set *set, u64 slots, const u8 *counter)
{
	unsigned int slot, i = 0;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		set->alloc->place[slot] = counter[i++];
	pmudev_alloc_set_placed(set, set->alloc->placed | slots);
}

bool pmudev_slots_allocate_free(struct pmudev_set *set, u64 slots)
{
	struct pmudev_constraint constraint[PMUDEV_MAX_EVENTS];
	unsigned int nr = get_constraints(set, slots, constraint);
	struct pmudev_refusal unused = {};
	u8 counter[PMUDEV_MAX_EVENTS];

	lockdep_assert_held(&set->pmu->lock);
	if (set->alloc->exclusive || pmudev_place_cheaply(set, constraint, nr, counter) >= 0 ||
	    pmudev_counters_reserve(set->pmu, counters_of(constraint, nr, counter), false, &unused))
		return false;
	take(set, slots, counter);
	return true;
}

static noinline_for_stack int place_non_mux(struct pmudev_set *set, u64 slots,
					    struct pmudev_set **moving, struct pmudev_refusal *why)
{
	struct pmudev_constraint constraint[PMUDEV_MAX_EVENTS];
	unsigned int nr = get_constraints(set, slots, constraint);
	u8 counter[PMUDEV_MAX_EVENTS];
	bool moves;
	int ret;

	do {
		ret = pmudev_place(set, constraint, nr, counter, &moves, why);
		if (ret && why->event >= 0)
			why->event = pmudev_nth_slot(slots, why->event);
		if (ret)
			return ret;
		ret = pmudev_alloc_reserve(set->pmu, counters_of(constraint, nr, counter) |
							     (moves ? pmudev_place_moved(set) : 0));
	} while (ret == -EAGAIN);
	if (ret)
		return pmudev_refuse(why, ret, PMUDEV_WHY_MEMORY, 0);
	if (moves)
		*moving = pmudev_place_moves(set);
	take(set, slots, counter);
	return 0;
}

/*
 * Leave perf as many as possible: rather those that other sets have, then those that perf does not
 * use, and only then any.
 */
static int find_guaranteed(struct pmudev_set *set, u64 slots, u64 *guaranteed,
			   struct pmudev_refusal *why)
{
	u64 free = pmudev_mux_free(set);
	const u64 rather[] = {
		free & pmudev_alloc_use(set)->any,
		free & ~pmudev_pmu_alloc(set->pmu)->perf.flexible,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rather) && pmudev_beside_perf(); i++)
		if (rather[i] && rather[i] != free &&
		    !pmudev_find_guaranteed(set, slots, rather[i], guaranteed, why))
			return 0;
	return pmudev_find_guaranteed(set, slots, free, guaranteed, why);
}

/* Guarantee counters that let each multiplexed group fit, beside all that is allocated. */
static int place_mux(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	struct pmudev_alloc *alloc = set->alloc;
	u64 all = (alloc->placed & set->mux) | slots, guaranteed;
	int ret;

	do {
		ret = find_guaranteed(set, all, &guaranteed, why);
		if (ret == -EBUSY) {
			/* Sets whose targets have ended have theirs until somebody needs them. */
			pmudev_reclaim_dead(set->pmu);
			ret = find_guaranteed(set, all, &guaranteed, why);
		}
		if (ret)
			return ret;
		ret = pmudev_alloc_reserve(set->pmu, guaranteed);
	} while (ret == -EAGAIN);
	if (ret)
		return pmudev_refuse(why, ret, PMUDEV_WHY_MEMORY, 0);
	if (pmudev_rotation_room(set, all))
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	pmudev_alloc_unaccount(set);
	WRITE_ONCE(alloc->placed, alloc->placed | slots);
	alloc->mux.guaranteed = guaranteed;
	alloc->mux.changed = true;
	pmudev_alloc_account(set);
	return 0;
}

/* Have others make room: move what is in the way, and share what is left. */
static void rearrange(struct pmudev_set *set, struct pmudev_set *moving)
{
	if (!moving && !pmudev_rotation_concerned(set))
		return;
	pmudev_rotation_suspend(set);
	if (moving)
		pmudev_ctx_call(set->ctx, pmudev_move_events, moving);
	pmudev_rotation_resume(set);
}

/* A set that wants the PMU to itself takes all that perf could have. */
static int reserve_all(struct pmudev_set *set, struct pmudev_refusal *why)
{
	struct pmudev_pmu *pmu = set->pmu;
	int ret = pmudev_counters_reserve(pmu, pmudev_pmu_available(pmu), true, why);

	if (!ret)
		return 0;
	why->allowed = pmudev_pmu_available(pmu);
	why->busy = BIT_ULL(why->holder.counter);
	return ret == -EBUSY ? ret : pmudev_refuse(why, ret, PMUDEV_WHY_MEMORY, 0);
}

int pmudev_slots_allocate(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	u64 non_mux = slots & ~set->mux, mux = slots & set->mux;
	struct pmudev_set *moving = NULL;
	int ret = 0;

	lockdep_assert_held(&set->pmu->lock);
	if (non_mux)
		ret = place_non_mux(set, non_mux, &moving, why);
	if (ret) {
		pmudev_alloc_release(set->pmu);
		return ret;
	}
	if (mux)
		ret = place_mux(set, mux, why);
	if (ret)
		pmudev_alloc_set_placed(set, set->alloc->placed & ~non_mux);
	rearrange(set, moving);
	if (!ret && set->alloc->exclusive) {
		ret = reserve_all(set, why);
		if (ret)
			pmudev_slots_give_back(set, slots);
	}
	pmudev_alloc_release(set->pmu);
	return ret;
}

/* Fewer groups rotate. */
static noinline_for_stack void shrink_guaranteed(struct pmudev_set *set)
{
	struct pmudev_alloc *alloc = set->alloc;
	struct pmudev_alloc_mux *mux = &alloc->mux;
	struct pmudev_refusal unused;

	mux->changed = true;
	if (alloc->placed & set->mux) {
		/* The groups that are left fit where they were, if not on less. */
		pmudev_find_guaranteed(set, alloc->placed & set->mux, mux->guaranteed,
				       &mux->guaranteed, &unused);
	} else {
		mux->guaranteed = 0;
		mux->borrowed = 0;
	}
	pmudev_rotation_set(set, NULL);
}

void pmudev_slots_give_back(struct pmudev_set *set, u64 slots)
{
	lockdep_assert_held(&set->pmu->lock);
	if (pmudev_rotation_concerned(set))
		pmudev_alloc_look_at_perf(set->pmu, 0);
	pmudev_alloc_unaccount(set);
	WRITE_ONCE(set->alloc->placed, set->alloc->placed & ~slots);
	if (slots & set->mux)
		shrink_guaranteed(set);
	pmudev_alloc_account(set);
	rearrange(set, NULL);
	pmudev_alloc_release(set->pmu);
}
