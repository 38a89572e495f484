// SPDX-License-Identifier: GPL-2.0
/*
 * Bipartite matching: place one event.
 *
 * If all counters that a single event accepts are taken, their events are moved along a shortest
 * augmenting path. Chained events do the same among the chain slots reserved for them.
 */
#include "plan.h"

/*
 * Choose among free counters. A single event prefers a fixed counter, then one whose neighbour is
 * taken, to save chain slots, then the highest.
 */
static unsigned int best(const struct plan *p, enum kind k, u64 fit)
{
	u64 free = p->usable & ~p->used[SINGLE] & ~both(p->used[CHAINED]) & ~p->blocked[SINGLE];
	u64 alone = fit & ~both(free & (free >> 1) & EVEN);

	if (k == SINGLE && !(fit >> 32) && alone)
		fit = alone;
	return fls64(fit) - 1;
}

/*
 * Give @c to @event. If @event does not accept it, the first event of the queue that does takes it
 * and passes on its own counter, and so on.
 */
static void shift(struct plan *p, unsigned int event, unsigned int c)
{
	p->used[p->constraint[event].chained] |= BIT_ULL(c);
	while (!(p->constraint[event].allowed & BIT_ULL(c))) {
		unsigned int i = 0;

		while (!(p->constraint[p->owner[p->queue[i]]].allowed & BIT_ULL(c)))
			i++;
		put(p, p->owner[p->queue[i]], c);
		c = p->queue[i];
	}
	put(p, event, c);
}

bool pmudev_plan_place_one(struct plan *p, unsigned int event)
{
	enum kind k = p->constraint[event].chained;
	u64 here = (k == CHAINED ? p->chosen : ~both(p->chosen)) & ~p->blocked[k];
	u64 free = here & ~p->used[k];
	u64 level = p->constraint[event].allowed & here, visited = level;

	/* Breadth first: @level is the set of counters at the current distance. */
	p->nr_queue = 0;
	while (!(level & free)) {
		u64 next = 0;

		if (!level)
			return false;
		for (; level; level &= level - 1) {
			unsigned int c = __ffs64(level);

			p->queue[p->nr_queue++] = c;
			next |= p->constraint[p->owner[c]].allowed;
		}
		level = next & here & ~visited;
		visited |= level;
	}
	shift(p, event, best(p, k, level & free));
	return true;
}
