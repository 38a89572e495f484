// SPDX-License-Identifier: GPL-2.0
/*
 * Events to counters, exactly: single events and pairs as matchings, and who stays where it is.
 *
 * A single event that finds its counters taken asks their events, in turn, to move (an augmenting
 * path). Pairs do the same among the slots that are theirs; which ones that should be is searched
 * in assign_pairs.c.
 */
#include "plan.h"

/* ------------------------------------------------------------ matching -- */

/*
 * Of several free counters a fixed one, then one whose neighbour is taken, so that slots remain
 * for pairs, then the highest.
 */
static __always_inline unsigned int best_single(u64 free, u64 fit)
{
	u64 alone = fit & ~both(free & (free >> 1) & EVEN);

	if (!(fit >> 32) && alone)
		fit = alone;
	return fls64(fit) - 1;
}

static unsigned int best(const struct plan *p, enum kind k, u64 fit)
{
	u64 free = p->known & ~p->used[SINGLE] & ~both(p->used[PAIR]) & ~p->barred[SINGLE];

	if (k == SINGLE)
		return best_single(free, fit);
	return fls64(fit) - 1;
}

/* @event gets @c. If it cannot use it itself, the first of those asked that can does, and so on. */
static void shift(struct plan *p, unsigned int event, unsigned int c)
{
	p->used[p->constraint[event].chained] |= BIT_ULL(c);
	while (!(p->constraint[event].allowed & BIT_ULL(c))) {
		unsigned int i = 0;

		while (!(p->constraint[p->owner[p->asked[i]]].allowed & BIT_ULL(c)))
			i++;
		put(p, p->owner[p->asked[i]], c);
		c = p->asked[i];
	}
	put(p, event, c);
}

/*
 * Give @event a counter by a shortest augmenting path: breadth first. Without one, nothing
 * changes.
 */
bool pmudev_plan_place(struct plan *p, unsigned int event)
{
	enum kind k = p->constraint[event].chained;
	u64 here = (k == PAIR ? p->in : ~both(p->in)) & ~p->barred[k];
	u64 free = here & ~p->used[k];
	u64 ask = p->constraint[event].allowed & here, seen = ask;

	p->nr_asked = 0;
	while (!(ask & free)) {
		u64 next = 0;

		if (!ask)
			return false;
		for (; ask; ask &= ask - 1) {
			unsigned int c = __ffs64(ask);

			p->asked[p->nr_asked++] = c;
			next |= p->constraint[p->owner[c]].allowed;
		}
		ask = next & here & ~seen;
		seen |= ask;
	}
	shift(p, event, best(p, k, ask & free));
	return true;
}

/* ---------------------------------------------------------- the events -- */

static void find_on(struct plan *p, unsigned int nr, u64 *displaced, u64 *newcomers)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct pmudev_constraint *constraint = &p->constraint[i];
		u64 can = constraint->chained ? constraint->allowed & EVEN : constraint->allowed;
		u64 at = constraint->now < 64 ? can & BIT_ULL(constraint->now) : 0;
		u64 takes = constraint->chained ? both(at) : at;

		/* As most are. */
		if (constraint->now == PMUDEV_NO_COUNTER && !constraint->chained) {
			p->known |= can;
			*newcomers |= BIT_ULL(i);
			continue;
		}
		p->known |= constraint->chained ? both(can) : can;
		p->slots |= constraint->chained ? can : 0;
		if (at && !(p->barred[SINGLE] & takes)) {
			p->barred[SINGLE] |= takes;
			p->active |= BIT_ULL(i);
			p->counter[i] = constraint->now;
		} else if (constraint->now != PMUDEV_NO_COUNTER) {
			*displaced |= BIT_ULL(i);
		} else {
			*newcomers |= BIT_ULL(i);
		}
	}
	p->barred[PAIR] = touched(p->barred[SINGLE]);
}

/* The events that are on must move after all: they come into play where they are. */
static void bring_in(struct plan *p)
{
	u64 rest;

	p->staying = false;
	p->barred[SINGLE] = 0;
	p->barred[PAIR] = 0;
	p->of_pairs = 0;
	p->start = 0;
	memset(p->weight, 0, sizeof(p->weight));
	for (rest = p->active; rest; rest &= rest - 1) {
		unsigned int i = __ffs64(rest);

		put(p, i, p->constraint[i].now);
		p->pairs |= (u64)p->constraint[i].chained << i;
	}
	p->nr_pairs = hweight64(p->pairs);
}

/* What pmudev_plan_solve() does where there are no pairs. */
static bool place_among_singles(struct plan *p, unsigned int event)
{
	u64 free = p->constraint[event].allowed & ~p->barred[SINGLE] & ~p->used[SINGLE];

	/* As most often: nobody has to be asked. */
	if (!free)
		return pmudev_plan_place(p, event);
	put(p, event, best(p, SINGLE, free));
	return true;
}

static bool add(struct plan *p, unsigned int event)
{
	bool chained = p->constraint[event].chained;

	if (!chained && !p->nr_pairs && place_among_singles(p, event))
		return true;
	p->lost |= BIT_ULL(event);
	if (chained) {
		if (!p->nr_pairs)
			memset(p->weight, 0, sizeof(p->weight));
		p->pairs |= BIT_ULL(event);
		p->nr_pairs++;
		p->start -= p->of_pairs;
	}
	if (pmudev_plan_solve(p, chained))
		return true;
	if (!p->staying || !p->active)
		return false;
	bring_in(p);
	return pmudev_plan_solve(p, p->nr_pairs);
}

static int add_all(struct plan *p, u64 events)
{
	for (; events; events &= events - 1)
		if (!add(p, __ffs64(events)))
			return __ffs64(events);
	return -1;
}

/*
 * The search has moved events to and fro. With the slots that it found, place once more whoever
 * cannot be where it was.
 */
static void settle(struct plan *p, u64 events)
{
	u64 good[KINDS] = { ~both(p->in), p->in };

	p->used[SINGLE] = 0;
	p->used[PAIR] = 0;
	for (; events; events &= events - 1) {
		unsigned int i = __ffs64(events);

		if ((p->active & BIT_ULL(i)) &&
		    (good[p->constraint[i].chained] & BIT_ULL(p->constraint[i].now)))
			put(p, i, p->constraint[i].now);
		else
			p->lost |= BIT_ULL(i);
	}
	for (; p->lost; p->lost &= p->lost - 1)
		pmudev_plan_place(p, __ffs64(p->lost));
}

int pmudev_assign(const struct pmudev_constraint *constraint, unsigned int nr, u8 *counter)
{
	struct plan p PMUDEV_UNSET;
	u64 displaced = 0, newcomers = 0;
	int bad;

	memset(&p, 0, offsetof(struct plan, weight));
	p.constraint = constraint;
	p.counter = counter;
	p.staying = true;
	find_on(&p, nr, &displaced, &newcomers);
	bad = add_all(&p, displaced);
	if (bad < 0)
		bad = add_all(&p, newcomers);
	if (bad < 0 && p.nr_pairs)
		settle(&p, displaced | newcomers | (p.staying ? 0 : p.active));
	return bad;
}
