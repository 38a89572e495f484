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

	return group & (group - 1) || pmudev_slot_event(set, slot)->hw.pair ? -1 : slot;
}

/*
 * Events of @slots on counters of @free, those that @image has already where they are if that can
 * be. Returns the slot that does not fit, or -1; then they are in @image.
 */
static int fit(struct pmudev_set *set, u64 slots, u64 free, struct pmudev_image *image)
{
	struct pmudev_want want[PMUDEV_ASSIGN_MAX] PMUDEV_UNSET;
	u8 counter[PMUDEV_ASSIGN_MAX] PMUDEV_UNSET;
	unsigned int slot, nr = 0;
	u64 rest;
	int bad;

	slots |= image->slots;
	pmudev_for_each_slot(slot, rest, slots) {
		const struct pmudev_event *event = pmudev_slot_event(set, slot);
		bool on = image->slots & BIT_ULL(slot);

		want[nr++] = (struct pmudev_want){
			.allowed = pmudev_places(event->allowed, event->hw.pair, free),
			.pair = event->hw.pair,
			.now = on ? image->counter[slot] : PMUDEV_NOWHERE,
		};
	}
	bad = pmudev_assign(want, nr, counter);
	if (bad >= 0)
		return pmudev_nth_slot(slots, bad);
	nr = 0;
	pmudev_for_each_slot(slot, rest, slots)
		image->counter[slot] = counter[nr++];
	image->slots = slots;
	return -1;
}

static u64 image_counters(struct pmudev_set *set, const struct pmudev_image *image)
{
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, image->slots)
		mask |= pmudev_place_counters(image->counter[slot],
					      pmudev_slot_event(set, slot)->hw.pair);
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
int pmudev_find_base(struct pmudev_set *set, u64 slots, u64 free, u64 *base,
		     struct pmudev_refusal *why)
{
	struct pmudev_image *image;
	struct pmudev_want want;
	u64 group[PMUDEV_MAX_GROUPS] PMUDEV_UNSET, found = 0;
	unsigned int i, nr = split_groups(set, slots, group);
	int bad = -1, lone;

	lockdep_assert_held(&set->pmu->lock);
	image = kmalloc(sizeof(*image), GFP_NOWAIT | __GFP_NOWARN);
	if (!image)
		return pmudev_refuse(why, -ENOMEM, PMUDEV_WHY_MEMORY, 0);
	for (i = 0; i < nr && bad < 0; i++) {
		lone = lone_slot(set, group[i]);
		if (lone >= 0) {
			bad = find_lone(set, lone, free, &found);
			continue;
		}
		image->slots = 0;
		if (fit(set, group[i], found, image) < 0)
			continue;
		bad = fit(set, group[i], free, image);
		if (bad < 0)
			found |= image_counters(set, image);
	}
	kfree(image);
	if (bad >= 0) {
		why->event = bad;
		want = pmudev_event_want(pmudev_slot_event(set, bad));
		return pmudev_refuse_held(set, &want, why);
	}
	*base = found;
	return 0;
}

/* --------------------------------------------------------- the images -- */

/**
 * struct seating - the counters of an image
 * @used: those that its events are on
 * @wants: of those: which else of the pool the event that is there could be on
 */
struct seating {
	u64 used;
	u64 wants[PMUDEV_COUNTERS];
};

static u64 wants(struct pmudev_set *set, unsigned int slot, u64 pool)
{
	const struct pmudev_event *event = pmudev_slot_event(set, slot);

	return pmudev_places_counters(pmudev_places(event->allowed, event->hw.pair, pool),
				      event->hw.pair);
}

static void seat(struct pmudev_set *set, u64 pool, const struct pmudev_image *image,
		 struct seating *seating)
{
	unsigned int slot, c;
	u64 rest, on;

	seating->used = image_counters(set, image);
	pmudev_for_each_slot(slot, rest, image->slots) {
		on = pmudev_place_counters(image->counter[slot],
					   pmudev_slot_event(set, slot)->hw.pair);
		for (; on; on &= on - 1) {
			c = __ffs64(on);
			seating->wants[c] = wants(set, slot, pool);
		}
	}
}

/* A lone event on a counter that nobody is on: so most come to theirs, for much less than fit(). */
static bool sit_down(struct pmudev_set *set, u64 group, u64 pool, struct pmudev_image *image,
		     struct seating *seating)
{
	int slot = lone_slot(set, group);
	u64 can, free;
	unsigned int c;

	if (slot < 0)
		return false;
	can = pmudev_slot_event(set, slot)->allowed & pool;
	free = can & ~seating->used;
	if (!free)
		return false;
	c = fls64(free) - 1;
	image->slots |= BIT_ULL(slot);
	image->counter[slot] = c;
	seating->used |= BIT_ULL(c);
	seating->wants[c] = can;
	return true;
}

/*
 * So many counters more for who wants @counters? Who is on one of them may move, to where others
 * may move away, and so on: if that leads to fewer free counters there is no way.
 */
static bool leads_to(const struct seating *seating, u64 counters, unsigned int nr)
{
	u64 seen = 0, next;

	while ((next = counters & seating->used & ~seen)) {
		seen |= next & -next;
		counters |= seating->wants[__ffs64(next)];
	}
	return hweight64(counters & ~seating->used) >= nr;
}

/* False: the group cannot join the image. So of most that cannot, for much less than fit(). */
static bool may_fit(struct pmudev_set *set, u64 group, u64 pool, const struct seating *seating)
{
	unsigned int slot, needs, all = 0;
	u64 rest, counters, any = 0;

	pmudev_for_each_slot(slot, rest, group) {
		counters = wants(set, slot, pool);
		needs = 1 + pmudev_slot_event(set, slot)->hw.pair;
		if (!leads_to(seating, counters, needs))
			return false;
		any |= counters;
		all += needs;
	}
	return leads_to(seating, any, all);
}

void pmudev_make_images(struct pmudev_set *set, u64 pool, struct pmudev_turns *turns)
{
	u64 group[PMUDEV_MAX_GROUPS] PMUDEV_UNSET;
	unsigned int k, i, next, nr = split_groups(set, set->placed & set->mux, group);
	struct seating seating PMUDEV_UNSET;

	turns->nr = 0;
	for (k = 0; k < nr; k++) {
		struct pmudev_image *image = &turns->image[k];

		*image = (struct pmudev_image){};
		seating.used = 0;
		for (i = 0; i < nr && seating.used != pool; i++) {
			next = (k + i) % nr;
			if (sit_down(set, group[next], pool, image, &seating))
				continue;
			if (may_fit(set, group[next], pool, &seating) &&
			    fit(set, group[next], pool, image) < 0)
				seat(set, pool, image, &seating);
		}
		turns->nr++;
		pmudev_breathe();
		/* If all fit together nobody takes turns. */
		if (image->slots == (set->placed & set->mux))
			break;
	}
}
