// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexed groups: how many counters let each of them fit, and which of them are on together.
 *
 * Of the n groups of a set the k-th image has the k-th group, and those that follow it as far as
 * there is room. So each group has n'ths of the time, most of them many.
 */
#include <linux/slab.h>

#include "ledger.h"

/* ------------------------------------------------------- groups to fit -- */

/* The groups of some slots, by their first slots. How many. */
static unsigned int split_groups(struct pmudev_set *set, u64 slots, u64 *group)
{
	u8 place[PMUDEV_MAX_GROUPS] PMUDEV_UNSET;
	unsigned int slot, number, nr = 0;
	u64 rest, seen = 0;

	BUILD_BUG_ON(PMUDEV_MAX_GROUPS > 64);
	pmudev_for_each_slot(slot, rest, slots) {
		number = pmudev_slot_event(set, slot)->group;
		if (!(seen & BIT_ULL(number))) {
			seen |= BIT_ULL(number);
			place[number] = nr;
			group[nr++] = 0;
		}
		group[place[number]] |= BIT_ULL(slot);
	}
	return nr;
}

/* Of a group of one event that takes one counter, as most are, its slot; else -1. */
static int lone_slot(struct pmudev_set *set, u64 group)
{
	unsigned int slot = __ffs64(group);

	return group & (group - 1) || pmudev_slot_event(set, slot)->hw.chained ? -1 : slot;
}

/*
 * Events of @slots on counters of @free, those that @slot_plan has already where they are if that can
 * be. Returns the slot that does not fit, or -1; then they are in @slot_plan.
 */
static int fit(struct pmudev_set *set, u64 slots, u64 free, struct pmudev_rotation_slot *slot_plan)
{
	struct pmudev_constraint constraint[PMUDEV_ASSIGN_MAX] PMUDEV_UNSET;
	u8 counter[PMUDEV_ASSIGN_MAX] PMUDEV_UNSET;
	unsigned int slot, nr = 0;
	u64 rest;
	int bad;

	slots |= slot_plan->slots;
	pmudev_for_each_slot(slot, rest, slots) {
		const struct pmudev_event *event = pmudev_slot_event(set, slot);
		bool on = slot_plan->slots & BIT_ULL(slot);

		constraint[nr++] = (struct pmudev_constraint){
			.allowed = pmudev_places(event->allowed, event->hw.chained, free),
			.chained = event->hw.chained,
			.now = on ? slot_plan->counter[slot] : PMUDEV_NO_COUNTER,
		};
	}
	bad = pmudev_assign(constraint, nr, counter);
	if (bad >= 0)
		return pmudev_nth_slot(slots, bad);
	nr = 0;
	pmudev_for_each_slot(slot, rest, slots)
		slot_plan->counter[slot] = counter[nr++];
	slot_plan->slots = slots;
	return -1;
}

static u64 slot_counters(struct pmudev_set *set, const struct pmudev_rotation_slot *slot_plan)
{
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, slot_plan->slots)
		mask |= pmudev_place_counters(slot_plan->counter[slot],
					      pmudev_slot_event(set, slot)->hw.chained);
	return mask;
}

/* As fit() by itself: a counter of @found, or one more of @free. The slot if there is none. */
static int find_lone(struct pmudev_set *set, unsigned int slot, u64 free, u64 *found)
{
	u64 allowed = pmudev_slot_event(set, slot)->allowed;

	if (allowed & *found)
		return -1;
	if (!(allowed & free))
		return slot;
	*found |= BIT_ULL(fls64(allowed & free) - 1);
	return -1;
}

/*
 * Counters that let each group fit: where the groups before can do with what there is, nothing is
 * added. Those of many events first would need fewer still; it is not worth sorting.
 */
int pmudev_find_guaranteed(struct pmudev_set *set, u64 slots, u64 free, u64 *guaranteed,
			   struct pmudev_refusal *why)
{
	struct pmudev_rotation_slot *slot_plan;
	struct pmudev_constraint constraint;
	u64 group[PMUDEV_MAX_GROUPS] PMUDEV_UNSET, found = 0;
	unsigned int i, nr = split_groups(set, slots, group);
	int bad = -1, lone;

	lockdep_assert_held(&set->pmu->lock);
	slot_plan = kmalloc(sizeof(*slot_plan), GFP_NOWAIT | __GFP_NOWARN);
	if (!slot_plan)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	for (i = 0; i < nr && bad < 0; i++) {
		lone = lone_slot(set, group[i]);
		if (lone >= 0) {
			bad = find_lone(set, lone, free, &found);
			continue;
		}
		slot_plan->slots = 0;
		if (fit(set, group[i], found, slot_plan) < 0)
			continue;
		bad = fit(set, group[i], free, slot_plan);
		if (bad < 0)
			found |= slot_counters(set, slot_plan);
	}
	kfree(slot_plan);
	if (bad >= 0) {
		why->event = bad;
		constraint = pmudev_event_constraint(pmudev_slot_event(set, bad));
		return pmudev_refuse_held(set, &constraint, why);
	}
	*guaranteed = found;
	return 0;
}

/* --------------------------------------------------------- the images -- */

/**
 * struct partial - the counters of an image
 * @used: those that its events are on
 * @constraints: of those: which else of the pool the event that is there could be on
 */
struct partial {
	u64 used;
	u64 constraints[PMUDEV_COUNTERS];
};

static u64 constraints(struct pmudev_set *set, unsigned int slot, u64 pool)
{
	const struct pmudev_event *event = pmudev_slot_event(set, slot);

	return pmudev_places_counters(pmudev_places(event->allowed, event->hw.chained, pool),
				      event->hw.chained);
}

static void seat(struct pmudev_set *set, u64 pool, const struct pmudev_rotation_slot *slot_plan,
		 struct partial *partial)
{
	unsigned int slot, c;
	u64 rest, on;

	partial->used = slot_counters(set, slot_plan);
	pmudev_for_each_slot(slot, rest, slot_plan->slots) {
		on = pmudev_place_counters(slot_plan->counter[slot],
					   pmudev_slot_event(set, slot)->hw.chained);
		for (; on; on &= on - 1) {
			c = __ffs64(on);
			partial->constraints[c] = constraints(set, slot, pool);
		}
	}
}

/* A lone event on a counter that nobody is on: so most come to theirs, for much less than fit(). */
static bool place_one(struct pmudev_set *set, u64 group, u64 pool,
		      struct pmudev_rotation_slot *slot_plan, struct partial *partial)
{
	int slot = lone_slot(set, group);
	u64 can, free;
	unsigned int c;

	if (slot < 0)
		return false;
	can = pmudev_slot_event(set, slot)->allowed & pool;
	free = can & ~partial->used;
	if (!free)
		return false;
	c = fls64(free) - 1;
	slot_plan->slots |= BIT_ULL(slot);
	slot_plan->counter[slot] = c;
	partial->used |= BIT_ULL(c);
	partial->constraints[c] = can;
	return true;
}

/*
 * So many counters more for who wants @counters? Who is on one of them may move, to where others
 * may move away, and so on: if that leads to fewer free counters there is no way.
 */
static bool leads_to(const struct partial *partial, u64 counters, unsigned int nr)
{
	u64 seen = 0, next;

	while ((next = counters & partial->used & ~seen)) {
		seen |= next & -next;
		counters |= partial->constraints[__ffs64(next)];
	}
	return hweight64(counters & ~partial->used) >= nr;
}

/* False: the group cannot join the image. So of most that cannot, for much less than fit(). */
static bool may_fit(struct pmudev_set *set, u64 group, u64 pool, const struct partial *partial)
{
	unsigned int slot, needs, all = 0;
	u64 rest, counters, any = 0;

	pmudev_for_each_slot(slot, rest, group) {
		counters = constraints(set, slot, pool);
		needs = 1 + pmudev_slot_event(set, slot)->hw.chained;
		if (!leads_to(partial, counters, needs))
			return false;
		any |= counters;
		all += needs;
	}
	return leads_to(partial, any, all);
}

void pmudev_rotation_plan(struct pmudev_set *set, u64 pool, struct pmudev_rotation *rotation)
{
	u64 group[PMUDEV_MAX_GROUPS] PMUDEV_UNSET;
	unsigned int k, i, next, nr = split_groups(set, set->placed & set->mux, group);
	struct partial partial PMUDEV_UNSET;

	rotation->nr = 0;
	for (k = 0; k < nr; k++) {
		struct pmudev_rotation_slot *slot_plan = &rotation->slot_plan[k];

		*slot_plan = (struct pmudev_rotation_slot){};
		partial.used = 0;
		for (i = 0; i < nr && partial.used != pool; i++) {
			next = (k + i) % nr;
			if (place_one(set, group[next], pool, slot_plan, &partial))
				continue;
			if (may_fit(set, group[next], pool, &partial) &&
			    fit(set, group[next], pool, slot_plan) < 0)
				seat(set, pool, slot_plan, &partial);
		}
		rotation->nr++;
		pmudev_cond_resched();
		/* If all fit together nobody takes turns. */
		if (slot_plan->slots == (set->placed & set->mux))
			break;
	}
}
