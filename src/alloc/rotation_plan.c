// SPDX-License-Identifier: GPL-2.0
/*
 * Rotation plans. Of the n groups of a set the k-th rotation slot has the k-th group, and those
 * that follow it as far as there is room. So each group has at least a share of 1/n, and most have
 * more. An event stays on its counter from one rotation slot to the next if it can: it need not be
 * stopped, and neither its counter nor its selector be written.
 */
#include <linux/slab.h>

#include "../worker.h"
#include "conflict.h"
#include "rotation_plan.h"

/* Split slots into groups, in the order of their first slots. Return: how many. */
static unsigned int split_groups(const struct pmudev_set *set, u64 slots, u64 *group)
{
	u8 index[PMUDEV_MAX_GROUPS]; /* in @group, by number */
	unsigned int slot, number, nr = 0;
	u64 rest, found = 0;

	pmudev_for_each_slot(slot, rest, slots) {
		number = pmudev_slot_event(set, slot)->group;
		if (!(found & BIT_ULL(number))) {
			found |= BIT_ULL(number);
			index[number] = nr;
			group[nr++] = 0;
		}
		group[index[number]] |= BIT_ULL(slot);
	}
	return nr;
}

/*
 * The counters that a group of one event on one counter allows; 0: it is another kind of group.
 * Most groups are such, and need no fit(), which costs fifty times as much: pmu->lock is held while
 * sets are planned, and other users may wait for it.
 */
static u64 allowed_alone(const struct pmudev_set *set, u64 group)
{
	const struct pmudev_event *event = pmudev_slot_event(set, __ffs64(group));

	return (group & (group - 1)) || event->hw.chained ? 0 : event->allowed;
}

static u64 counters_of(const struct pmudev_set *set, const struct pmudev_rotation_slot *together)
{
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, together->slots)
		mask |= pmudev_place_counters(together->counter[slot],
					      pmudev_slot_event(set, slot)->hw.chained);
	return mask;
}

/* The counter that an event has in @before, which may be NULL, or PMUDEV_NO_COUNTER. */
static u8 counter_before(const struct pmudev_rotation_slot *before, unsigned int slot)
{
	return before && (before->slots & BIT_ULL(slot)) ? before->counter[slot] :
							   PMUDEV_NO_COUNTER;
}

/*
 * Add events to a rotation slot, on counters of @free; what is there already stays on its counter
 * if that can be, and what is not stays where it is in @before. Return: -1, or the slot of an event
 * that does not fit: nothing was done then.
 */
static int fit(const struct pmudev_set *set, u64 slots, u64 free,
	       const struct pmudev_rotation_slot *before, struct pmudev_rotation_slot *together)
{
	struct pmudev_constraint constraint[PMUDEV_ASSIGN_MAX];
	u8 counter[PMUDEV_ASSIGN_MAX];
	unsigned int slot, nr = 0;
	u64 rest;
	int bad;

	slots |= together->slots;
	pmudev_for_each_slot(slot, rest, slots) {
		const struct pmudev_event *event = pmudev_slot_event(set, slot);
		bool there = together->slots & BIT_ULL(slot);

		constraint[nr++] = (struct pmudev_constraint){
			.allowed = pmudev_places(event->allowed, event->hw.chained, free),
			.chained = event->hw.chained,
			.now = there ? together->counter[slot] : counter_before(before, slot),
		};
	}
	bad = pmudev_assign(constraint, nr, counter);
	if (bad >= 0)
		return pmudev_nth_slot(slots, bad);
	nr = 0;
	pmudev_for_each_slot(slot, rest, slots)
		together->counter[slot] = counter[nr++];
	together->slots = slots;
	return -1;
}

/*
 * Where the groups before fit, nothing is added. To begin with the largest groups would need fewer
 * counters still; it is not worth sorting.
 */
int pmudev_find_guaranteed(struct pmudev_set *set, u64 slots, u64 free, u64 *guaranteed,
			   struct pmudev_refusal *why)
{
	struct pmudev_rotation_slot *alone;
	struct pmudev_constraint constraint;
	u64 group[PMUDEV_MAX_GROUPS], allowed, found = 0;
	unsigned int i, nr = split_groups(set, slots, group);
	int bad = -1;

	lockdep_assert_held(&set->pmu->lock);
	alone = kmalloc(sizeof(*alone), GFP_NOWAIT | __GFP_NOWARN);
	if (!alone)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	for (i = 0; i < nr && bad < 0; i++) {
		allowed = allowed_alone(set, group[i]);
		if (allowed & found)
			continue;
		if (allowed & free) {
			found |= BIT_ULL(fls64(allowed & free) - 1);
			continue;
		}
		alone->slots = 0;
		if (fit(set, group[i], found, NULL, alone) < 0)
			continue;
		bad = fit(set, group[i], free, NULL, alone);
		if (bad < 0)
			found |= counters_of(set, alone);
	}
	kfree(alone);
	if (bad >= 0) {
		why->event = bad;
		constraint = pmudev_event_constraint(pmudev_slot_event(set, bad));
		return pmudev_refuse_held(set, &constraint, why);
	}
	*guaranteed = found;
	return 0;
}

/*
 * Put a group of one event on a free counter, that of @before if it can be. Return: false if it is
 * not that simple.
 */
static bool place_one(const struct pmudev_set *set, u64 group, u64 free,
		      const struct pmudev_rotation_slot *before,
		      struct pmudev_rotation_slot *together)
{
	unsigned int slot = __ffs64(group);
	u8 counter = counter_before(before, slot);

	free &= allowed_alone(set, group);
	if (!free)
		return false;
	if (counter == PMUDEV_NO_COUNTER || !(free & BIT_ULL(counter)))
		counter = fls64(free) - 1;
	together->counter[slot] = counter;
	together->slots |= group;
	return true;
}

void pmudev_rotation_plan(struct pmudev_set *set, u64 pool, struct pmudev_rotation *rotation)
{
	u64 all = set->alloc->placed & READ_ONCE(set->mux), group[PMUDEV_MAX_GROUPS];
	unsigned int k, i, nr = split_groups(set, all, group);

	lockdep_assert_held(&set->pmu->lock);
	rotation->pool = pool;
	rotation->nr = 0;
	for (k = 0; k < nr; k++) {
		struct pmudev_rotation_slot *together = &rotation->slot[k];
		const struct pmudev_rotation_slot *before = k ? together - 1 : NULL;

		together->slots = 0;
		for (i = 0; i < nr; i++) {
			u64 next = group[(k + i) % nr], free = pool & ~counters_of(set, together);

			if (!free)
				break;
			if (!place_one(set, next, free, before, together))
				fit(set, next, pool, before, together);
		}
		rotation->nr++;
		pmudev_cond_resched();
		/* If all fit together there is nothing to rotate. */
		if (together->slots == all)
			break;
	}
}
