// SPDX-License-Identifier: GPL-2.0
/*
 * Placing events: against the ledger as it is, at the cost of what multiplexing sets have to
 * spare, by moving what is placed for the same target, and if all fails, the reason.
 */
#include <linux/slab.h>

#include "ledger.h"

/**
 * struct assignment - a placement that is being looked for
 * @constraint: the newcomers first, then what may be moved
 * @set: of the latter: whose it is
 * @slot: of the latter: which of its slots
 * @counter: the solution
 * @nr: how many
 */
struct assignment {
	struct pmudev_constraint constraint[PMUDEV_ASSIGN_MAX];
	struct pmudev_set *set[PMUDEV_ASSIGN_MAX];
	u8 slot[PMUDEV_ASSIGN_MAX];
	u8 counter[PMUDEV_ASSIGN_MAX];
	unsigned int nr;
};

/* Without pmu->lock: of this moment, and whoever takes counters looks again under it. */
static u64 available(const struct pmudev_pmu *pmu)
{
	return pmu->info.counters & ~READ_ONCE(pmu->info.unavailable);
}

/* What an event wants that is on no counter, when these are to be had. */
static struct pmudev_constraint newcomer(const struct pmudev_constraint *constraint, u64 free)
{
	return (struct pmudev_constraint){
		.allowed = pmudev_places(constraint->allowed, constraint->chained, free),
		.now = PMUDEV_NO_COUNTER,
		.chained = constraint->chained,
	};
}

/* Returns -1, or the index of an event that does not fit; @counter is undefined then. */
static noinline_for_stack int try_place(u64 free, const struct pmudev_constraint *constraint,
					unsigned int nr, u8 *counter)
{
	struct pmudev_constraint now[PMUDEV_ASSIGN_MAX] PMUDEV_UNSET;
	unsigned int i;

	if (WARN_ON_ONCE(nr > PMUDEV_ASSIGN_MAX))
		return 0;
	for (i = 0; i < nr; i++)
		now[i] = newcomer(&constraint[i], free);
	return pmudev_assign(now, nr, counter);
}

/* --------------------------------------------------------------- moving -- */

/* Inherited sets stay where they are: their children' tasks have sets of their own. */
static bool movable(const struct pmudev_set *set, const struct pmudev_ctx *ctx)
{
	return set->ctx == ctx && !set->inherit;
}

/* Everything that may move joins the assignment. Its counters are free then; 0: too many. */
static u64 add_movable(struct assignment *assignment, struct pmudev_pmu *pmu,
		       const struct pmudev_ctx *ctx)
{
	struct pmudev_set *set;
	unsigned int slot;
	u64 rest, freed = 0;

	list_for_each_entry(set, &pmu->sets, node) {
		if (!movable(set, ctx))
			continue;
		pmudev_for_each_slot(slot, rest, set->placed & ~set->mux) {
			const struct pmudev_event *event = pmudev_slot_event(set, slot);

			/* Whoever reads it by the bare instruction knows where it is. */
			if (event->flags & PMUDEV_DIRECT)
				continue;
			if (assignment->nr == PMUDEV_ASSIGN_MAX)
				return 0;
			assignment->set[assignment->nr] = set;
			assignment->slot[assignment->nr++] = slot;
			freed |= pmudev_place_counters(set->place[slot], event->hw.chained);
		}
	}
	return freed;
}

/* The with_guaranteed of the context's multiplexing sets may move, too. */
static u64 movable_guaranteed(struct pmudev_pmu *pmu, const struct pmudev_ctx *ctx)
{
	struct pmudev_set *set;
	u64 freed = 0;

	list_for_each_entry(set, &pmu->sets, node)
		if (movable(set, ctx))
			freed |= set->guaranteed;
	return freed;
}

/* The newcomers on counters of @free, what may move on those or on what its like have. */
static bool solve(struct assignment *assignment, u64 free, u64 freed,
		  const struct pmudev_constraint *constraint, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		assignment->constraint[i] = newcomer(&constraint[i], free);
	for (; i < assignment->nr; i++) {
		struct pmudev_set *set = assignment->set[i];
		struct pmudev_constraint has =
			pmudev_event_constraint(pmudev_slot_event(set, assignment->slot[i]));

		assignment->constraint[i] = newcomer(&has, free | freed);
		assignment->constraint[i].now = set->place[assignment->slot[i]];
	}
	return pmudev_assign(assignment->constraint, assignment->nr, assignment->counter) < 0;
}

/* Every multiplexing set of the context still has counters for each of its groups, or -EBUSY. */
static noinline_for_stack int find_guaranteed(struct pmudev_pmu *pmu, const struct pmudev_ctx *ctx,
					      u64 free)
{
	struct pmudev_refusal unused;
	struct pmudev_set *set;
	int ret;

	list_for_each_entry(set, &pmu->sets, node) {
		if (!movable(set, ctx) || !set->guaranteed)
			continue;
		ret = pmudev_find_guaranteed(set, set->placed & set->mux, free,
					     &set->new_guaranteed, &unused);
		if (ret)
			return ret;
		free &= ~set->new_guaranteed;
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

/* Write the plan into the sets: what moves, and where to. */
static void plan(struct assignment *assignment, unsigned int nr, struct pmudev_pmu *pmu,
		 const struct pmudev_ctx *ctx, bool with_guaranteed)
{
	struct pmudev_set *set;
	unsigned int i;

	list_for_each_entry(set, &pmu->sets, node) {
		if (!movable(set, ctx))
			continue;
		set->moving = 0;
		if (!with_guaranteed || !set->guaranteed)
			set->new_guaranteed = set->guaranteed;
	}
	for (i = nr; i < assignment->nr; i++) {
		u8 slot = assignment->slot[i];

		set = assignment->set[i];
		if (set->place[slot] == assignment->counter[i])
			continue;
		set->moving |= BIT_ULL(slot);
		set->new_place[slot] = assignment->counter[i];
	}
}

/* -EBUSY: there is no such placement. */
static int solve_by_moving(struct assignment *assignment, struct pmudev_set *set,
			   const struct pmudev_constraint *constraint, unsigned int nr, u8 *counter)
{
	struct pmudev_pmu *pmu = set->pmu;
	u64 free = available(pmu) & ~pmudev_alloc_taken(set, false);
	u64 on_other_pmu = pmudev_alloc_taken_by_children(set);
	u64 freed, with_guaranteed = 0;
	int ret;

	assignment->nr = nr;
	freed = add_movable(assignment, pmu, set->ctx);
	if (!solve(assignment, free | (freed & ~on_other_pmu), freed, constraint, nr)) {
		with_guaranteed = movable_guaranteed(pmu, set->ctx);
		freed |= with_guaranteed;
		if (!with_guaranteed ||
		    !solve(assignment, free | (freed & ~on_other_pmu), freed, constraint, nr))
			return -EBUSY;
		ret = find_guaranteed(pmu, set->ctx, (free | freed) & ~solution(assignment));
		if (ret)
			return ret;
	}
	plan(assignment, nr, pmu, set->ctx, with_guaranteed);
	memcpy(counter, assignment->counter, nr);
	return 0;
}

static int place_by_moving(struct pmudev_set *set, const struct pmudev_constraint *constraint,
			   unsigned int nr, u8 *counter)
{
	struct assignment *assignment;
	int ret;

	if (nr > PMUDEV_ASSIGN_MAX)
		return -EBUSY;
	assignment = kmalloc(sizeof(*assignment), GFP_NOWAIT | __GFP_NOWARN);
	if (!assignment)
		return -ENOMEM;
	ret = solve_by_moving(assignment, set, constraint, nr, counter);
	kfree(assignment);
	return ret;
}

/* ------------------------------------------------------------- refusing -- */

/* Counters of @allowed that other sets keep from this one. */
static u64 held_by_sets(struct pmudev_set *set, u64 allowed)
{
	return allowed & available(set->pmu) & pmudev_alloc_taken(set, true);
}

int pmudev_place_ever(struct pmudev_pmu *pmu, const struct pmudev_constraint *constraint,
		      unsigned int nr, struct pmudev_refusal *why)
{
	u64 reserved =
		READ_ONCE(pmu->info.unavailable); /* more come under pmu->lock, not held here */
	u8 counter[PMUDEV_MAX_EVENTS] PMUDEV_UNSET;
	bool ever;
	int bad;

	bad = try_place(pmu->info.counters & ~reserved, constraint, nr, counter);
	if (bad < 0)
		return 0;
	ever = try_place(pmu->info.counters, constraint, nr, counter) < 0;
	why->event = bad;
	why->allowed = pmudev_places_counters(constraint[bad].allowed, constraint[bad].chained);
	if (!ever)
		return pmudev_refuse(why, -ENOSPC, PMUDEV_WHY_NO_COUNTER, 0);
	/* All would fit if the claim did not cost a counter, or none was kept below the kernel. */
	why->busy = why->allowed & reserved;
	why->holder.counter = why->busy ? __ffs64(why->busy) : __ffs64(reserved);
	why->holder.kind = pmudev_unavailable_kind(pmu, why->holder.counter);
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_HELD, 0);
}

int pmudev_refuse_held(struct pmudev_set *set, const struct pmudev_constraint *constraint,
		       struct pmudev_refusal *why)
{
	why->allowed = pmudev_places_counters(constraint->allowed, constraint->chained);
	why->busy = held_by_sets(set, why->allowed);
	if (why->busy) {
		pmudev_find_conflicts(set);
		pmudev_find_holder(set, __ffs64(why->busy), &why->holder);
	}
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_HELD, 0);
}

struct refused {
	struct pmudev_set *set;
	struct pmudev_refusal *why;
};

static bool complete_refusal(void *arg)
{
	struct refused *refused = arg;

	if (!pmudev_in_worker())
		return false;
	refused->why->busy |= held_by_sets(refused->set, refused->why->allowed);
	return true;
}

void pmudev_refusal_complete(struct pmudev_set *set, struct pmudev_refusal *why)
{
	struct refused refused = { .set = set, .why = why };

	if (why->code == PMUDEV_WHY_HELD)
		pmudev_locked(pmudev_urgent, &set->pmu->lock, complete_refusal, &refused);
}

static int refuse(struct pmudev_set *set, const struct pmudev_constraint *constraint,
		  unsigned int nr, int bad, struct pmudev_refusal *why)
{
	int ret = pmudev_place_ever(set->pmu, constraint, nr, why);

	if (ret) {
		if (why->code == PMUDEV_WHY_HELD)
			why->busy |= held_by_sets(set, why->allowed);
		return ret;
	}
	why->event = bad;
	return pmudev_refuse_held(set, &constraint[bad], why);
}

bool pmudev_place_at_once(u64 free, const struct pmudev_constraint *constraint, unsigned int nr,
			  u8 *counter)
{
	return try_place(free, constraint, nr, counter) < 0;
}

int pmudev_place(struct pmudev_set *set, u64 free, const struct pmudev_constraint *constraint,
		 unsigned int nr, u8 *counter, bool *moves, struct pmudev_refusal *why)
{
	struct pmudev_pmu *pmu = set->pmu;
	int bad, ret = 0;

	lockdep_assert_held(&pmu->lock);
	*moves = false;
	bad = try_place(free, constraint, nr, counter);
	/* Who has ended, or is disabled, makes room before anybody who counts is moved. */
	if (bad >= 0) {
		pmudev_rest_end_all(pmu);
		pmudev_reclaim_dead(pmu);
		bad = try_place(available(pmu) & ~pmudev_alloc_taken(set, false), constraint, nr,
				counter);
	}
	if (bad >= 0) {
		ret = place_by_moving(set, constraint, nr, counter);
		*moves = !ret;
	}
	if (ret == -ENOMEM)
		pmudev_refuse(why, ret, PMUDEV_WHY_MEMORY, 0);
	else if (ret)
		ret = refuse(set, constraint, nr, bad, why);
	return ret;
}

int pmudev_place_alone(struct pmudev_set *set, u64 free, const struct pmudev_constraint *constraint,
		       unsigned int nr, u8 *counter, struct pmudev_refusal *why)
{
	int bad = try_place(free, constraint, nr, counter);

	return bad < 0 ? 0 : refuse(set, constraint, nr, bad, why);
}

struct pmudev_set *pmudev_place_moves(struct pmudev_set *asking)
{
	struct pmudev_set *set, *next, *first = NULL;
	struct pmudev_pmu *pmu = asking->pmu;
	struct pmudev_ctx *ctx = asking->ctx;
	unsigned int slot;
	LIST_HEAD(moved);
	u64 rest;

	lockdep_assert_held(&pmu->lock);
	/* All leave the ledger before the first enters it: they may change places. */
	list_for_each_entry_safe(set, next, &pmu->sets, node) {
		if (!movable(set, ctx) || (!set->moving && set->new_guaranteed == set->guaranteed))
			continue;
		pmudev_alloc_unaccount(set);
		list_add_tail(&set->node, &moved);
	}
	list_for_each_entry_safe(set, next, &moved, node) {
		list_del(&set->node);
		set->rotation_changed |= set->new_guaranteed != set->guaranteed;
		set->guaranteed = set->new_guaranteed;
		pmudev_for_each_slot(slot, rest, set->moving)
			set->place[slot] = set->new_place[slot];
		set->last = (struct pmudev_placement){};
		pmudev_alloc_account(set);
		set->next_moving = first;
		first = set;
	}
	return first;
}
