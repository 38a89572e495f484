// SPDX-License-Identifier: GPL-2.0
/*
 * The slots of pairs. Once they are chosen, single events keep off them, pairs keep to them, and
 * both are matchings. Only the choice has to be searched, and what fails cuts the search short: an
 * event that finds no path proves that too many events want the same counters (Hall's theorem),
 * and every choice that the same proof rules out is passed over.
 */
#include "plan.h"

#define CUTS	8			/* that are remembered; forgetting one costs time only */
#define FULL	0x8080808080808080ULL	/* in every lane of plan.sum */

/* ---------------------------------------------------------------- cuts -- */

/**
 * struct crowd - some events, and what they can use
 * @nr: how many
 * @among: their counters
 * @once: the slots that any of them can use
 * @twice: the slots that two of them can use
 */
struct crowd {
	unsigned int nr;
	u64 among;
	u64 once;
	u64 twice;
};

static struct crowd with(const struct crowd *crowd, u64 allowed)
{
	u64 slots = touched(allowed);

	return (struct crowd){
		.nr = crowd->nr + 1,
		.among = crowd->among | allowed,
		.once = crowd->once | slots,
		.twice = crowd->twice | (crowd->once & slots),
	};
}

/* The counters less one of each slot that only one of them can use: so many can be placed. */
static u64 room(const struct crowd *crowd)
{
	u64 wide = crowd->among & (crowd->among >> 1) & EVEN;

	return crowd->among & ~((wide & ~crowd->twice) << 1);
}

/* What is chosen may weigh @limit, a slot as much as it has of @counters: 0, 1 or 2. */
static void cut(struct plan *p, u64 counters, int limit, bool of_pairs)
{
	unsigned int shift = p->nr_cuts++ % CUTS * 8;
	u64 lane = 0xffULL << shift, start = 127 - limit;
	u64 sum = start + hweight64(counters & both(p->in)), rest;

	for (rest = p->slots; rest; rest &= rest - 1) {
		unsigned int c = __ffs64(rest);
		u64 bits = counters >> c & 3, weight = bits - (bits >> 1);

		p->weight[c / 2] = (p->weight[c / 2] & ~lane) | weight << shift;
	}
	p->of_pairs = (p->of_pairs & ~lane) | (u64)of_pairs << shift;
	p->start = (p->start & ~lane) | start << shift;
	p->sum = (p->sum & ~lane) | sum << shift;
}

/*
 * The stuck event and those asked are too many for what is left to them. More single events make
 * the reason better, as long as it remains one: if they bring less room with them than there is
 * on the average for those that come with it.
 */
static void grow(const struct plan *p, struct crowd *crowd, u64 asked)
{
	bool few = 2 * p->nr_pairs < p->nr_slots;
	u64 rest, more, left = ~both(p->in);

	for (rest = p->used[SINGLE] & ~asked; rest; rest &= rest - 1) {
		struct crowd larger = with(crowd, allowed(p, p->owner[__ffs64(rest)]));

		more = room(&larger) & ~room(crowd);
		if (more & left & ((more & left) - 1))
			continue;
		more &= more - 1;
		if (few ? more : more & (more - 1))
			continue;
		*crowd = larger;
	}
}

/* pmudev_plan_place() has found nothing for @event: why not, for the search. */
static void learn(struct plan *p, unsigned int event)
{
	struct crowd crowd = with(&(struct crowd){ 0 }, allowed(p, event));
	unsigned int i;
	u64 asked = 0;

	for (i = 0; i < p->nr_asked; i++) {
		crowd = with(&crowd, allowed(p, p->owner[p->asked[i]]));
		asked |= BIT_ULL(p->asked[i]);
	}
	if (p->constraint[event].chained) {
		/* Slots that are of no use to them are to be few. */
		cut(p, ~crowd.among & EVEN, (int)p->nr_pairs - (int)crowd.nr, true);
	} else {
		grow(p, &crowd, asked);
		cut(p, room(&crowd), (int)hweight64(room(&crowd)) - (int)crowd.nr, false);
	}
}

/* --------------------------------------------------- the slots of pairs -- */

static void append(struct plan *p, u64 *rest, u64 slots)
{
	slots &= *rest;
	*rest ^= slots;
	for (; slots; slots &= slots - 1)
		p->order[p->nr_slots++] = __ffs64(slots);
}

/* What pairs are on comes first, then what is free of single events, then what has only one. */
static void begin_search(struct plan *p)
{
	u64 rest, slots = 0, single = p->used[SINGLE];

	for (rest = p->pairs; rest; rest &= rest - 1)
		slots |= allowed(p, __ffs64(rest));
	p->nr_slots = 0;
	append(p, &slots, p->used[PAIR]);
	append(p, &slots, ~touched(single));
	append(p, &slots, single ^ single >> 1);
	append(p, &slots, ~0ULL);
	p->in = 0;
	p->chosen = 0;
	p->sum = p->start;
}

/* Who is on the wrong side of the slots chosen loses its counter. */
static void evict(struct plan *p)
{
	u64 single = p->used[SINGLE] & both(p->in), chained = p->used[PAIR] & ~p->in, rest;

	for (rest = single | chained; rest; rest &= rest - 1)
		p->lost |= BIT_ULL(p->owner[__ffs64(rest)]);
	p->used[SINGLE] ^= single;
	p->used[PAIR] ^= chained;
}

/* The first choice of slots, or the next, that no cut rules out: in lexical order of @picked. */
static bool search(struct plan *p, bool again)
{
	unsigned int at = 0, chosen = p->chosen, slot;
	u64 in = p->in, sum = p->sum;

	if (p->nr_slots < p->nr_pairs)
		return false;
	while (again || chosen < p->nr_pairs) {
		/* Too few remain, or another choice is wanted: leave out the last one. */
		if (again || at - chosen > p->nr_slots - p->nr_pairs) {
			if (!chosen)
				return false;
			at = p->picked[--chosen];
			slot = p->order[at++];
			in ^= BIT_ULL(slot);
			sum -= p->weight[slot / 2];
			again = sum & FULL;
			continue;
		}
		slot = p->order[at];
		if (!((sum + p->weight[slot / 2]) & FULL)) {
			p->picked[chosen++] = at;
			in |= BIT_ULL(slot);
			sum += p->weight[slot / 2];
		}
		at++;
	}
	p->chosen = chosen;
	p->in = in;
	p->sum = sum;
	evict(p);
	return true;
}

/**
 * pmudev_plan_solve - place all that are lost, wherever pairs have to be for it
 * @p: the plan
 * @anew: there are pairs, or slots for them, that the search does not know yet
 *
 * Return: false if there is no placement of the events in play.
 */
bool pmudev_plan_solve(struct plan *p, bool anew)
{
	if (anew) {
		begin_search(p);
		if (!search(p, false))
			return false;
	}
	while (p->lost) {
		if (pmudev_plan_place(p, __ffs64(p->lost))) {
			p->lost &= p->lost - 1;
			continue;
		}
		if (!p->nr_pairs)
			return false;
		learn(p, __ffs64(p->lost));
		if (!search(p, true))
			return false;
	}
	return true;
}
