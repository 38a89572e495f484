// SPDX-License-Identifier: GPL-2.0
/*
 * Search of chain slots. Once they are chosen, single events keep off them and chained events keep
 * to them, so both are bipartite matchings. Only the choice must be searched.
 *
 * An event without augmenting path proves that too many events accept the same few counters (Hall's
 * theorem). Each such proof becomes a cut, and the search skips all choices that a cut excludes.
 */
#include "plan.h"

#define CUTS	8			/* cuts kept; a forgotten cut only costs time */
#define FULL	0x8080808080808080ULL	/* top bit of every lane of plan.sum */

/* Some events and the counters that they accept */
struct subset {
	unsigned int nr;
	u64 counters; /* counters that any of them accepts */
	u64 once;     /* chain slots that at least one of them accepts, in part or whole */
	u64 twice;    /* chain slots that at least two of them accept, likewise */
};

static struct subset with(const struct subset *subset, u64 allowed)
{
	u64 slots = slots_of(allowed);

	return (struct subset){
		.nr = subset->nr + 1,
		.counters = subset->counters | allowed,
		.once = subset->once | slots,
		.twice = subset->twice | (subset->once & slots),
	};
}

/* Counters that the events can occupy at once: all but one of each slot that one event accepts. */
static u64 room(const struct subset *subset)
{
	u64 whole = subset->counters & (subset->counters >> 1) & EVEN;

	return subset->counters & ~((whole & ~subset->twice) << 1);
}

/* Add a cut: of @counters, the chosen chain slots may cover @limit. A slot weighs 0, 1 or 2. */
static void cut(struct plan *p, u64 counters, int limit, bool per_chained)
{
	unsigned int shift = p->nr_cuts++ % CUTS * 8;
	u64 lane = 0xffULL << shift, start = 127 - limit;
	u64 sum = start + hweight64(counters & both(p->chosen)), rest;

	for (rest = p->slots; rest; rest &= rest - 1) {
		unsigned int c = __ffs64(rest);
		u64 bits = counters >> c & 3, weight = bits - (bits >> 1);

		p->weight[c / 2] = (p->weight[c / 2] & ~lane) | weight << shift;
	}
	p->per_chained = (p->per_chained & ~lane) | (u64)per_chained << shift;
	p->start = (p->start & ~lane) | start << shift;
	p->sum = (p->sum & ~lane) | sum << shift;
}

/*
 * The stuck event and those of the queue have too few counters. Add other single events to the
 * subset where this makes the cut exclude more: if an event brings less room than its share.
 */
static void grow(const struct plan *p, struct subset *subset, u64 queued)
{
	bool few = 2 * p->nr_chained < p->nr_slots;
	u64 rest, more, outside = ~both(p->chosen);

	for (rest = p->used[SINGLE] & ~queued; rest; rest &= rest - 1) {
		struct subset larger = with(subset, allowed(p, p->owner[__ffs64(rest)]));

		more = room(&larger) & ~room(subset);
		if (more & outside & ((more & outside) - 1))
			continue;
		more &= more - 1;
		if (few ? more : more & (more - 1))
			continue;
		*subset = larger;
	}
}

/* pmudev_plan_place_one() failed for @event: add a cut that says why. */
static void learn(struct plan *p, unsigned int event)
{
	struct subset subset = with(&(struct subset){ 0 }, allowed(p, event));
	unsigned int i;
	u64 queued = 0;

	for (i = 0; i < p->nr_queue; i++) {
		subset = with(&subset, allowed(p, p->owner[p->queue[i]]));
		queued |= BIT_ULL(p->queue[i]);
	}
	if (p->constraint[event].chained) {
		/* Limit the chosen slots that these events do not accept. */
		cut(p, ~subset.counters & EVEN, (int)p->nr_chained - (int)subset.nr, true);
	} else {
		grow(p, &subset, queued);
		cut(p, room(&subset), (int)hweight64(room(&subset)) - (int)subset.nr, false);
	}
}

static void append(struct plan *p, u64 *rest, u64 slots)
{
	slots &= *rest;
	*rest ^= slots;
	for (; slots; slots &= slots - 1)
		p->order[p->nr_slots++] = __ffs64(slots);
}

/* Order: slots of chained events, slots without a single event, slots with one, the others. */
static void begin_search(struct plan *p)
{
	u64 rest, slots = 0, single = p->used[SINGLE];

	for (rest = p->chained; rest; rest &= rest - 1)
		slots |= allowed(p, __ffs64(rest));
	p->nr_slots = 0;
	append(p, &slots, p->used[CHAINED]);
	append(p, &slots, ~slots_of(single));
	append(p, &slots, single ^ single >> 1);
	append(p, &slots, ~0ULL);
	p->chosen = 0;
	p->nr_chosen = 0;
	p->sum = p->start;
}

/* Take counters from single events in chosen slots, and from chained events in others. */
static void evict(struct plan *p)
{
	u64 single = p->used[SINGLE] & both(p->chosen);
	u64 chained = p->used[CHAINED] & ~p->chosen, rest;

	for (rest = single | chained; rest; rest &= rest - 1)
		p->unplaced |= BIT_ULL(p->owner[__ffs64(rest)]);
	p->used[SINGLE] ^= single;
	p->used[CHAINED] ^= chained;
}

/*
 * Find the first choice of slots that no cut excludes, or the next one if @again, in lexical order
 * of @picked. False if there is none.
 */
static bool search(struct plan *p, bool again)
{
	unsigned int at = 0, nr = p->nr_chosen, slot;
	u64 chosen = p->chosen, sum = p->sum;

	if (p->nr_slots < p->nr_chained)
		return false;
	while (again || nr < p->nr_chained) {
		/* Too few slots remain, or another choice is wanted: drop the last one. */
		if (again || at - nr > p->nr_slots - p->nr_chained) {
			if (!nr)
				return false;
			at = p->picked[--nr];
			slot = p->order[at++];
			chosen ^= BIT_ULL(slot);
			sum -= p->weight[slot / 2];
			again = sum & FULL;
			continue;
		}
		slot = p->order[at];
		if (!((sum + p->weight[slot / 2]) & FULL)) {
			p->picked[nr++] = at;
			chosen |= BIT_ULL(slot);
			sum += p->weight[slot / 2];
		}
		at++;
	}
	p->nr_chosen = nr;
	p->chosen = chosen;
	p->sum = sum;
	evict(p);
	return true;
}

bool pmudev_plan_solve(struct plan *p, bool anew)
{
	if (anew) {
		begin_search(p);
		if (!search(p, false))
			return false;
	}
	while (p->unplaced) {
		if (pmudev_plan_place_one(p, __ffs64(p->unplaced))) {
			p->unplaced &= p->unplaced - 1;
			continue;
		}
		if (!p->nr_chained)
			return false;
		learn(p, __ffs64(p->unplaced));
		if (!search(p, true))
			return false;
	}
	return true;
}
