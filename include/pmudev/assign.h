/* SPDX-License-Identifier: GPL-2.0 */
/* Assignment: which counter each event gets. */
#ifndef _PMUDEV_ASSIGN_H
#define _PMUDEV_ASSIGN_H

#include <pmudev/types.h>

/* Counters have indices 0..63, so no more than 64 events can be active at once. */
#define PMUDEV_ASSIGN_MAX	64

/* Not a counter's index: the event is on no counter. */
#define PMUDEV_NO_COUNTER	0xff

/* The counters that an event accepts */
struct pmudev_constraint {
	/*
	 * Counters that can count the event and are available. Of a chained event: the even
	 * counters, where the next one is available, too. Of an event that must not move: now.
	 */
	u64 allowed;
	u8 now;		/* the counter that the event is on, or PMUDEV_NO_COUNTER if it is new */
	bool chained;	/* the event takes two counters: an even one and the next */
};

/*
 * Masks of counters. A chained event takes two; its places, and the counter that it is on, are
 * those of the even one.
 */
/* Places where an event can go: those of @allowed whose counters are in @free */
static inline u64 pmudev_places(u64 allowed, bool chained, u64 free)
{
	return allowed & free & (chained ? free >> 1 : ~0ULL);
}

/* All counters of some places */
static inline u64 pmudev_places_counters(u64 places, bool chained)
{
	return chained ? places | places << 1 : places;
}

/* The one or two counters of an event on @counter, 0..63 */
static inline u64 pmudev_place_counters(unsigned int counter, bool chained)
{
	return pmudev_places_counters(1ULL << counter, chained);
}

/**
 * pmudev_assign - give each event its own counter, or two if it is chained
 * @constraint: by event
 * @nr: number of events, 0..PMUDEV_ASSIGN_MAX
 * @counter: set by event: its counter, of a chained event the even one. Undefined on failure.
 *
 * Exact: if an assignment exists, it is found. An event that is on a counter it accepts stays
 * there if all such events can stay. Otherwise few of them move; the number is not minimal.
 *
 * Events are added in this order: those that can stay, those that must move, new ones; each by
 * index.
 *
 * Return: -1, or the index of the first event that does not fit beside those added before it.
 */
int pmudev_assign(const struct pmudev_constraint *constraint, unsigned int nr, u8 *counter);

#endif /* _PMUDEV_ASSIGN_H */
