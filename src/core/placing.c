// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of a set's slots: what is enabled gets some, in the ledger, and what is disabled
 * gives them back. place.c finds them. pmu->lock held, for all here.
 */
#include "ledger.h"

/* What the events want, by slot in ascending order. */
static void slots_constraints(struct pmudev_set *set, u64 slots,
			      struct pmudev_constraint *constraint)
{
	unsigned int slot, nr = 0;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		constraint[nr++] = pmudev_event_constraint(pmudev_slot_event(set, slot));
}

/*
 * The last placement again? From the same counters the same events get the same ones, so there is
 * no need to look.
 */
static bool placed_before(const struct pmudev_set *set, u64 slots, u64 free)
{
	return slots == set->last.slots && free == set->last.free && !set->removed;
}

/* Counters for strict groups: of what is free, or whoever is in the way makes room. */
static int find_places(struct pmudev_set *set, u64 slots, u64 free,
		       const struct pmudev_constraint *constraint, u8 *counter, bool *moves,
		       struct pmudev_refusal *why)
{
	unsigned int nr = hweight64(slots);
	int ret;

	if (pmudev_place_at_once(free, constraint, nr, counter))
		return 0;
	if (!why)
		return -EBUSY;
	ret = pmudev_place(set, free, constraint, nr, counter, moves, why);
	if (ret && why->event >= 0)
		why->event = pmudev_nth_slot(slots, why->event);
	return ret;
}

/*
 * Nothing is changed yet, but where the events of a set without children are to be: its target has not
 * ended, so what is not placed is on no counter. @why is NULL: only if there is no need to ask
 * anybody to make room.
 */
static noinline_for_stack int place_strict(struct pmudev_set *set, u64 slots, u64 free, bool *moves,
					   struct pmudev_refusal *why)
{
	struct pmudev_constraint constraint[PMUDEV_MAX_EVENTS] PMUDEV_UNSET;
	u8 counter[PMUDEV_MAX_EVENTS] PMUDEV_UNSET;
	const struct pmudev_pmu *pmu = set->pmu;
	bool alone = !set->inherit;
	unsigned int slot, i = 0;
	u64 rest, counters = 0;
	int ret;

	slots_constraints(set, slots, constraint);
	ret = find_places(set, slots, free, constraint, counter, moves, why);
	if (ret)
		return ret;
	pmudev_for_each_slot(slot, rest, slots) {
		set->place[slot] = counter[i];
		if (alone)
			pmudev_hw_place(pmu, &pmudev_slot_event(set, slot)->hw, counter[i]);
		counters |= pmudev_place_counters(counter[i], constraint[i].chained);
		i++;
	}
	set->last = (struct pmudev_placement){
		.slots = slots,
		.counters = counters,
		.free = counters & ~free ? ~0ULL : free,
	};
	set->removed = false;
	return 0;
}

/* Counters that let each multiplexed group fit, beside all that is in the ledger. */
static int place_mux(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why)
{
	u64 all = (set->placed & set->mux) | slots, guaranteed;
	int ret;

	ret = pmudev_find_guaranteed(set, all, pmudev_mux_free(set), &guaranteed, why);
	if (ret)
		return ret;
	if (pmudev_rotation_room(set, all))
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	pmudev_alloc_unaccount(set);
	set->placed |= slots;
	set->guaranteed = guaranteed;
	set->rotation_changed = true;
	pmudev_alloc_account(set);
	return 0;
}

static void account_slots(struct pmudev_set *set, u64 slots)
{
	pmudev_alloc_unaccount(set);
	set->placed |= slots;
	pmudev_alloc_account(set);
}

static void unaccount_slots(struct pmudev_set *set, u64 slots)
{
	pmudev_alloc_unaccount(set);
	set->placed &= ~slots;
	pmudev_alloc_account(set);
}

/* Whoever has to make room does; what is in the way is moved, and the rest shared out anew. */
static noinline void rearrange_others(struct pmudev_set *set, struct pmudev_set *moving)
{
	pmudev_rotation_suspend(set);
	if (moving)
		pmudev_ctx_call(set->ctx, pmudev_change_places, moving);
	pmudev_rotation_resume(set);
}

static void rearrange(struct pmudev_set *set, struct pmudev_set *moving)
{
	if (moving || pmudev_rotation_concerned(set))
		rearrange_others(set, moving);
}

bool pmudev_slots_place_free(struct pmudev_set *set, u64 slots)
{
	u64 free = pmudev_place_free(set);

	if (!placed_before(set, slots, free) && place_strict(set, slots, free, NULL, NULL))
		return false;
	account_slots(set, slots);
	return true;
}

int pmudev_slots_place(struct pmudev_set *set, struct pmudev_change *change,
		       struct pmudev_refusal *why)
{
	u64 non_mux = change->slots & ~set->mux, mux = change->slots & set->mux, free;
	struct pmudev_set *moving = NULL;
	bool moves = false;
	int ret = 0;

	if (non_mux) {
		free = pmudev_place_free(set);
		/* An child has its events where they were when it was started. */
		change->placed = !set->inherit;
		if (set->inherit || !placed_before(set, non_mux, free))
			ret = place_strict(set, non_mux, free, &moves, why);
	}
	if (ret)
		return ret;
	if (moves)
		moving = pmudev_place_moves(set);
	account_slots(set, non_mux);
	if (mux)
		ret = place_mux(set, mux, why);
	if (ret) {
		unaccount_slots(set, non_mux);
		set->last = (struct pmudev_placement){};
	}
	rearrange(set, moving);
	return ret;
}

/* Fewer groups take turns. */
static noinline_for_stack void shrink_guaranteed(struct pmudev_set *set)
{
	struct pmudev_refusal unused;

	set->rotation_changed = true;
	/* Those that are left fit where they were, if not on less. */
	if (!(set->placed & set->mux)) {
		set->guaranteed = 0;
		set->borrowed = 0;
	} else {
		pmudev_find_guaranteed(set, set->placed & set->mux, set->guaranteed,
				       &set->guaranteed, &unused);
	}
	pmudev_rotation_show(set, NULL);
}

void pmudev_slots_displace(struct pmudev_set *set, u64 slots)
{
	pmudev_alloc_unaccount(set);
	set->placed &= ~slots;
	if (slots & set->mux)
		shrink_guaranteed(set);
	pmudev_alloc_account(set);
	rearrange(set, NULL);
}
