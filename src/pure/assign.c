// SPDX-License-Identifier: GPL-2.0
/*
 * Exact assignment of events to counters, by bipartite matching.
 *
 * assign_path.c places one event; assign_chained.c searches which chain slots chained events take.
 */
#include "plan.h"

/* Sort events into active (they stay), displaced (they must move) and new ones. */
static void classify(struct plan *p, unsigned int nr, u64 *displaced, u64 *added)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct pmudev_constraint *constraint = &p->constraint[i];
		u64 can = constraint->chained ? constraint->allowed & EVEN : constraint->allowed;
		u64 at = constraint->now < 64 ? can & BIT_ULL(constraint->now) : 0;
		u64 takes = constraint->chained ? both(at) : at;

		p->usable |= constraint->chained ? both(can) : can;
		p->slots |= constraint->chained ? can : 0;
		if (at && !(p->blocked[SINGLE] & takes)) {
			p->blocked[SINGLE] |= takes;
			p->active |= BIT_ULL(i);
			p->counter[i] = constraint->now;
		} else if (constraint->now != PMUDEV_NO_COUNTER) {
			*displaced |= BIT_ULL(i);
		} else {
			*added |= BIT_ULL(i);
		}
	}
	p->blocked[CHAINED] = slots_of(p->blocked[SINGLE]);
}

/* Let active events move after all: they come into play on their present counters. */
static void release_active(struct plan *p)
{
	u64 rest;

	p->keep_active = false;
	p->blocked[SINGLE] = 0;
	p->blocked[CHAINED] = 0;
	p->per_chained = 0;
	p->start = 0;
	memset(p->weight, 0, sizeof(p->weight));
	for (rest = p->active; rest; rest &= rest - 1) {
		unsigned int i = __ffs64(rest);

		put(p, i, p->constraint[i].now);
		p->chained |= (u64)p->constraint[i].chained << i;
	}
	p->nr_chained = hweight64(p->chained);
}

static bool add(struct plan *p, unsigned int event)
{
	bool chained = p->constraint[event].chained;

	p->unplaced |= BIT_ULL(event);
	if (chained) {
		p->chained |= BIT_ULL(event);
		p->nr_chained++;
		p->start -= p->per_chained;
	}
	if (pmudev_plan_solve(p, chained))
		return true;
	if (!p->keep_active || !p->active)
		return false;
	release_active(p);
	return pmudev_plan_solve(p, p->nr_chained);
}

static int add_all(struct plan *p, u64 events)
{
	for (; events; events &= events - 1)
		if (!add(p, __ffs64(events)))
			return __ffs64(events);
	return -1;
}

/*
 * The search moves events back and forth. Keep the chain slots that it found, return active events
 * to their counters where possible, and place the others again.
 */
static void settle(struct plan *p, u64 events)
{
	u64 good[KINDS] = { ~both(p->chosen), p->chosen };

	p->used[SINGLE] = 0;
	p->used[CHAINED] = 0;
	for (; events; events &= events - 1) {
		unsigned int i = __ffs64(events);

		if ((p->active & BIT_ULL(i)) &&
		    (good[p->constraint[i].chained] & BIT_ULL(p->constraint[i].now)))
			put(p, i, p->constraint[i].now);
		else
			p->unplaced |= BIT_ULL(i);
	}
	for (; p->unplaced; p->unplaced &= p->unplaced - 1)
		pmudev_plan_place_one(p, __ffs64(p->unplaced));
}

int pmudev_assign(const struct pmudev_constraint *constraint, unsigned int nr, u8 *counter)
{
	struct plan p = { .constraint = constraint, .counter = counter, .keep_active = true };
	u64 displaced = 0, added = 0;
	int bad;

	classify(&p, nr, &displaced, &added);
	bad = add_all(&p, displaced);
	if (bad < 0)
		bad = add_all(&p, added);
	if (bad < 0 && p.nr_chained)
		settle(&p, displaced | added | (p.keep_active ? 0 : p.active));
	return bad;
}
