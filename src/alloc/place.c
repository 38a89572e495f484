// SPDX-License-Identifier: GPL-2.0
/*
 * Placement: on what is free, at the cost of what others borrow, by moving what the same target
 * has, and if all fails, the reason.
 */
#include <linux/slab.h>

#include "../cpu/counters.h"
#include "conflict.h"
#include "place.h"
#include "rotation_plan.h"

/* A placement with events that may move */
struct assignment {
	struct pmudev_constraint constraint[PMUDEV_ASSIGN_MAX]; /* new events, then those to move */
	struct pmudev_set *set[PMUDEV_ASSIGN_MAX];		/* of the latter: its set */
	u8 slot[PMUDEV_ASSIGN_MAX];				/* of the latter: its slot */
	u8 counter[PMUDEV_ASSIGN_MAX];				/* the solution */
	unsigned int nr;					/* how many */
};

u64 pmudev_place_free(struct pmudev_set *set)
{
	return pmudev_pmu_available(set->pmu) & ~pmudev_alloc_taken(set, true);
}

/* A constraint of an event that is on no counter, when it can have those in @free. */
static struct pmudev_constraint restrict_to(struct pmudev_constraint constraint, u64 free)
{
	constraint.allowed = pmudev_places(constraint.allowed, constraint.chained, free);
	constraint.now = PMUDEV_NO_COUNTER;
	return constraint;
}

int pmudev_place_on(u64 free, const struct pmudev_constraint *constraint, unsigned int nr,
		    u8 *counter)
{
	struct pmudev_constraint now[PMUDEV_ASSIGN_MAX];
	unsigned int i;

	if (WARN_ON_ONCE(nr > PMUDEV_ASSIGN_MAX))
		return 0;
	for (i = 0; i < nr; i++)
		now[i] = restrict_to(constraint[i], free);
	return pmudev_assign(now, nr, counter);
}

/*
 * Add all that may move. Return: the counters that are free then. 0: none may move, or there are
 * more events than counters, and no placement need be found.
 */
static u64 add_movable(struct assignment *assignment, const struct pmudev_pmu *pmu,
		       const struct pmudev_ctx *ctx)
{
	struct pmudev_alloc *alloc;
	unsigned int slot;
	u64 rest, freed = 0;

	pmudev_for_each_alloc(alloc, pmu) {
		struct pmudev_set *set = alloc->set;

		if (!pmudev_movable(set, ctx))
			continue;
		pmudev_for_each_slot(slot, rest, alloc->placed & ~READ_ONCE(set->mux)) {
			const struct pmudev_event *event = pmudev_slot_event(set, slot);

			/* The program reads a DIRECT event's counter by its number. */
			if (event->flags & PMUDEV_DIRECT)
				continue;
			if (assignment->nr == PMUDEV_ASSIGN_MAX)
				return 0;
			assignment->set[assignment->nr] = set;
			assignment->slot[assignment->nr++] = slot;
			freed |= pmudev_place_counters(alloc->place[slot], event->hw.chained);
		}
	}
	return freed;
}

/* The guaranteed counters of the context's multiplexing sets may move, too. */
static u64 movable_guaranteed(const struct pmudev_pmu *pmu, const struct pmudev_ctx *ctx)
{
	struct pmudev_alloc *alloc;
	u64 freed = 0;

	pmudev_for_each_alloc(alloc, pmu)
		if (pmudev_movable(alloc->set, ctx))
			freed |= alloc->mux.guaranteed;
	return freed;
}

/* Place the new events on counters of @free, and what may move on those or on @freed. */
static bool solve(struct assignment *assignment, u64 free, u64 freed,
		  const struct pmudev_constraint *constraint, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		assignment->constraint[i] = restrict_to(constraint[i], free);
	for (; i < assignment->nr; i++) {
		struct pmudev_set *set = assignment->set[i];
		u8 slot = assignment->slot[i];
		const struct pmudev_event *event = pmudev_slot_event(set, slot);

		assignment->constraint[i] =
			restrict_to(pmudev_event_constraint(event), free | freed);
		assignment->constraint[i].now = set->alloc->place[slot];
	}
	return pmudev_assign(assignment->constraint, assignment->nr, assignment->counter) < 0;
}

/* Do the context's multiplexing sets keep counters that let each group fit? 0, -EBUSY, -ENOMEM. */
static noinline_for_stack int find_guaranteed(const struct pmudev_pmu *pmu,
					      const struct pmudev_ctx *ctx, u64 free)
{
	struct pmudev_refusal unused;
	struct pmudev_alloc *alloc;
	int ret;

	pmudev_for_each_alloc(alloc, pmu) {
		struct pmudev_alloc_mux *mux = &alloc->mux;
		struct pmudev_set *set = alloc->set;

		if (!pmudev_movable(set, ctx) || !mux->guaranteed)
			continue;
		ret = pmudev_find_guaranteed(set, alloc->placed & READ_ONCE(set->mux), free,
					     &mux->new_guaranteed, &unused);
		if (ret)
			return ret;
		free &= ~mux->new_guaranteed;
	}
	return 0;
}

static u64 solution(const struct assignment *assignment)
{
	unsigned int i;
	u64 mask = 0;

	for (i = 0; i < assignment->nr; i++)
		mask |= pmudev_place_counters(assignment->counter[i],
					      assignment->constraint[i].chained);
	return mask;
}

/* Note in the sets what moves, and where to; pmudev_place_moves() does it. */
static void plan(const struct assignment *assignment, unsigned int nr, const struct pmudev_pmu *pmu,
		 const struct pmudev_ctx *ctx, bool with_guaranteed)
{
	struct pmudev_alloc *alloc;
	unsigned int i;

	pmudev_for_each_alloc(alloc, pmu) {
		if (!pmudev_movable(alloc->set, ctx))
			continue;
		alloc->moving = 0;
		if (!with_guaranteed || !alloc->mux.guaranteed)
			alloc->mux.new_guaranteed = alloc->mux.guaranteed;
	}
	for (i = nr; i < assignment->nr; i++) {
		u8 slot = assignment->slot[i];

		alloc = assignment->set[i]->alloc;
		if (alloc->place[slot] == assignment->counter[i])
			continue;
		alloc->moving |= BIT_ULL(slot);
		alloc->new_place[slot] = assignment->counter[i];
	}
}

/* Place new events by moving others: the moves are noted in their sets. 0, -EBUSY or -ENOMEM. */
static int solve_by_moving(struct assignment *assignment, struct pmudev_set *set, u64 free,
			   const struct pmudev_constraint *constraint, unsigned int nr, u8 *counter)
{
	struct pmudev_pmu *pmu = set->pmu;
	/* What others hold on the children's threads: moving events of this context frees none. */
	u64 by_children = pmudev_alloc_taken_by_children(set);
	u64 freed, guaranteed = 0;
	int ret;

	assignment->nr = nr;
	freed = add_movable(assignment, pmu, set->ctx);
	if (!solve(assignment, free | (freed & ~by_children), freed, constraint, nr)) {
		guaranteed = movable_guaranteed(pmu, set->ctx);
		freed |= guaranteed;
		if (!guaranteed ||
		    !solve(assignment, free | (freed & ~by_children), freed, constraint, nr))
			return -EBUSY;
		ret = find_guaranteed(pmu, set->ctx, (free | freed) & ~solution(assignment));
		if (ret)
			return ret;
	}
	plan(assignment, nr, pmu, set->ctx, guaranteed);
	memcpy(counter, assignment->counter, nr);
	return 0;
}

static int place_by_moving(struct pmudev_set *set, u64 free,
			   const struct pmudev_constraint *constraint, unsigned int nr, u8 *counter)
{
	struct assignment *assignment;
	int ret;

	if (nr > PMUDEV_ASSIGN_MAX)
		return -EBUSY;
	assignment = kmalloc(sizeof(*assignment), GFP_NOWAIT | __GFP_NOWARN);
	if (!assignment)
		return -ENOMEM;
	ret = solve_by_moving(assignment, set, free, constraint, nr, counter);
	kfree(assignment);
	return ret;
}

int pmudev_place_ever(struct pmudev_pmu *pmu, const struct pmudev_constraint *constraint,
		      unsigned int nr, struct pmudev_refusal *why)
{
	u8 counter[PMUDEV_MAX_EVENTS];
	int bad;

	bad = pmudev_place_on(pmudev_pmu_available(pmu), constraint, nr, counter);
	if (bad < 0)
		return 0;
	why->event = bad;
	why->allowed = pmudev_places_counters(constraint[bad].allowed, constraint[bad].chained);
	if (pmudev_place_on(pmu->info.counters, constraint, nr, counter) >= 0)
		return pmudev_refuse(why, -ENOSPC, PMUDEV_WHY_NO_COUNTER, 0);
	return pmudev_refuse_unavailable(pmu, why);
}

/* What others hold of the counters that the events from @first to @last allow. */
static u64 held_of(struct pmudev_set *set, const struct pmudev_constraint *constraint, int first,
		   int last)
{
	u64 allowed = 0;
	int i;

	for (i = first; i <= last; i++)
		allowed |= pmudev_places_counters(constraint[i].allowed, constraint[i].chained);
	return pmudev_held_by_others(set, allowed);
}

/*
 * The events up to @bad do not fit on @free together. If the last ones of them also had what others
 * hold: how many of them would do? The first of these lacks a counter that others hold. Found by
 * bisection, for a search with chained events may take long.
 */
static noinline_for_stack int lacking(struct pmudev_set *set, u64 free,
				      const struct pmudev_constraint *constraint, int bad)
{
	int middle, low = -1, high = bad;
	u8 counter[PMUDEV_MAX_EVENTS];
	u64 more;

	while (low < high) {
		middle = (low + high + 1) / 2;
		more = held_of(set, constraint, middle, bad);
		if (pmudev_place_on(free | more, constraint, bad + 1, counter) < 0)
			low = middle;
		else
			high = middle - 1;
	}
	return low < 0 ? bad : low;
}

/* No placement on @free was found: @bad does not fit. */
static int refuse(struct pmudev_set *set, u64 free, const struct pmudev_constraint *constraint,
		  unsigned int nr, int bad, struct pmudev_refusal *why)
{
	int ret = pmudev_place_ever(set->pmu, constraint, nr, why);

	if (ret) {
		if (why->code == PMUDEV_WHY_HELD)
			why->busy |= pmudev_held_by_others(set, why->allowed);
		return ret;
	}
	why->event = lacking(set, free, constraint, bad);
	return pmudev_refuse_held(set, &constraint[why->event], why);
}

/* Place on some of the free counters, if these are not all. */
static bool place_on_some(u64 some, u64 free, const struct pmudev_constraint *constraint,
			  unsigned int nr, u8 *counter)
{
	some &= free;
	return some && some != free && pmudev_place_on(some, constraint, nr, counter) < 0;
}

int pmudev_place_cheaply(struct pmudev_set *set, const struct pmudev_constraint *constraint,
			 unsigned int nr, u8 *counter)
{
	u64 free = pmudev_place_free(set);

	/*
	 * Leave perf as many as possible: rather those that other sets have, then those that are
	 * reserved, whether a set needs them or not.
	 */
	if (pmudev_beside_perf() &&
	    (place_on_some(pmudev_alloc_use(set)->any, free, constraint, nr, counter) ||
	     place_on_some(pmudev_counters_reserved(set->pmu), free, constraint, nr, counter)))
		return -1;
	return pmudev_place_on(free, constraint, nr, counter);
}

int pmudev_place(struct pmudev_set *set, const struct pmudev_constraint *constraint,
		 unsigned int nr, u8 *counter, bool *moves, struct pmudev_refusal *why)
{
	struct pmudev_pmu *pmu = set->pmu;
	int bad, ret;
	u64 free;

	lockdep_assert_held(&pmu->lock);
	*moves = false;
	if (pmudev_place_cheaply(set, constraint, nr, counter) < 0)
		return 0;
	/* Reclaim dead sets, and what others borrow, before moving active events. */
	pmudev_reclaim_dead(pmu);
	free = pmudev_pmu_available(pmu) & ~pmudev_alloc_taken(set, false);
	bad = pmudev_place_on(free, constraint, nr, counter);
	if (bad < 0)
		return 0;
	ret = place_by_moving(set, free, constraint, nr, counter);
	*moves = !ret;
	if (ret == -ENOMEM)
		return pmudev_refuse(why, ret, PMUDEV_WHY_MEMORY, 0);
	return ret ? refuse(set, free, constraint, nr, bad, why) : 0;
}

int pmudev_place_alone(struct pmudev_set *set, u64 free, const struct pmudev_constraint *constraint,
		       unsigned int nr, u8 *counter, struct pmudev_refusal *why)
{
	int bad = pmudev_place_on(free, constraint, nr, counter);

	return bad < 0 ? 0 : refuse(set, free, constraint, nr, bad, why);
}
