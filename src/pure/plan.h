/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A partial assignment, shared by assign.c, assign_path.c and assign_chained.c.
 *
 * A chain slot is an even counter and the next one, which a chained event takes together. A mask of
 * chain slots has the bits of the even counters.
 */
#ifndef PMUDEV_PURE_PLAN_H
#define PMUDEV_PURE_PLAN_H

#include <pmudev/assign.h>

#define EVEN	0x55555555ULL	/* all chain slots: chained events use programmable counters */
#define SLOTS	16

enum kind {
	SINGLE,
	CHAINED,
	KINDS,
};

/*
 * A partial assignment. An event is in play once it was added. Counters by kind: of chained events,
 * only the even one.
 *
 * A cut is a proven limit on the choice of chain slots: each slot has a weight, and the weights of
 * the chosen slots must not exceed a sum. Each cut occupies one lane of 8 bits in start, sum,
 * per_chained and weight. The sum is stored so that the lane's top bit is set if it is exceeded.
 */
struct plan {
	const struct pmudev_constraint *constraint; /* by event */
	u8 *counter;		/* by event: its counter, if it has one */
	bool keep_active;	/* active events stay on their counters, which are blocked */
	u64 active;		/* events that are on a counter they accept */
	u64 usable;		/* counters that any event accepts */
	u64 blocked[KINDS];	/* by kind: counters that no event in play may take */
	u64 used[KINDS];	/* by kind: counters that events in play have */
	u64 unplaced;		/* events in play that have no counter */
	u64 chained;		/* events in play that are chained */
	unsigned int nr_chained;

	u64 slots;		/* chain slots that any chained event accepts, in play or not */
	u64 chosen;		/* chain slots reserved for chained events in play */
	unsigned int nr_chosen;
	unsigned int nr_slots;	/* chain slots in order */
	unsigned int nr_cuts;	/* cuts found so far; the last 8 are kept */
	unsigned int nr_queue;	/* counters in queue */
	u64 per_chained;	/* lanes: 1 if the limit grows with each chained event in play */
	u64 start;		/* lanes: value of sum when no chain slot is chosen */
	u64 sum;		/* lanes: start plus the weights of the chosen slots */
	u64 weight[SLOTS];	/* by chain slot: lanes: its weight in each cut */
	u8 order[SLOTS];	/* chain slots to choose from, most promising first */
	u8 picked[SLOTS];	/* positions in order of the chosen slots */
	u8 owner[64];		/* by counter in used: the event that has it */
	u8 queue[64];		/* counters that the last search for an augmenting path visited */
};

/* Both counters of each chain slot */
static inline u64 both(u64 slots)
{
	return slots | slots << 1;
}

/* Chain slots that contain any of these counters */
static inline u64 slots_of(u64 counters)
{
	return (counters | counters >> 1) & EVEN;
}

/* Counters that an event accepts and that are not blocked */
static inline u64 allowed(const struct plan *p, unsigned int event)
{
	const struct pmudev_constraint *constraint = &p->constraint[event];

	return constraint->chained ? constraint->allowed & EVEN & ~p->blocked[CHAINED] :
				     constraint->allowed & ~p->blocked[SINGLE];
}

/* Put an event on a counter */
static inline void put(struct plan *p, unsigned int event, unsigned int c)
{
	p->counter[event] = c;
	p->owner[c] = event;
	p->used[p->constraint[event].chained] |= BIT_ULL(c);
}

/*
 * Give an event without counter one by a shortest augmenting path. Return: false if there is none;
 * the plan is then unchanged, except for queue.
 */
bool pmudev_plan_place_one(struct plan *p, unsigned int event);

/*
 * Place all unplaced events, choosing chain slots as necessary. @anew: chained events or chain
 * slots were added since the last search. Return: false if the events in play have no assignment.
 */
bool pmudev_plan_solve(struct plan *p, bool anew);

#endif /* PMUDEV_PURE_PLAN_H */
