/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A partial assignment, shared by assign.c, assign_path.c and assign_chained.c. Like all of
 * src/pure, it uses nothing but its arguments; see include/pmudev/types.h for what this folder may
 * call.
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

/**
 * struct plan - a partial assignment
 *
 * An event is in play once it was added. Counters by kind: of chained events, only the even one.
 *
 * A cut is a proven limit on the choice of chain slots: each slot has a weight, and the weights of
 * the chosen slots must not exceed a sum. Each cut occupies one lane of 8 bits in @start, @sum,
 * @per_chained and @weight. The sum is stored so that the lane's top bit is set if it is exceeded.
 */
struct plan {
	/** @constraint: by event */
	const struct pmudev_constraint *constraint;
	/** @counter: by event: its counter, if it has one */
	u8 *counter;
	/** @keep_active: events of @active stay on their counters; these are blocked for others */
	bool keep_active;
	/** @active: events that are on a counter they accept */
	u64 active;
	/** @usable: counters that any event accepts */
	u64 usable;
	/** @blocked: by kind: counters that no event in play may take */
	u64 blocked[KINDS];
	/** @used: by kind: counters that events in play have */
	u64 used[KINDS];
	/** @unplaced: events in play that have no counter */
	u64 unplaced;
	/** @chained: events in play that are chained */
	u64 chained;
	/** @nr_chained: number of @chained */
	unsigned int nr_chained;

	/** @slots: chain slots that any chained event accepts, in play or not */
	u64 slots;
	/** @chosen: chain slots reserved for chained events in play */
	u64 chosen;
	/** @nr_chosen: number of @chosen */
	unsigned int nr_chosen;
	/** @nr_slots: chain slots in @order */
	unsigned int nr_slots;
	/** @nr_cuts: cuts found so far; the last 8 are kept */
	unsigned int nr_cuts;
	/** @nr_queue: counters in @queue */
	unsigned int nr_queue;
	/** @per_chained: lanes: 1 if the cut's limit grows with each chained event in play */
	u64 per_chained;
	/** @start: lanes: value of @sum when no chain slot is chosen */
	u64 start;
	/** @sum: lanes: @start plus the weights of @chosen */
	u64 sum;
	/** @weight: by chain slot: lanes: its weight in each cut */
	u64 weight[SLOTS];
	/** @order: chain slots to choose from, most promising first */
	u8 order[SLOTS];
	/** @picked: positions in @order of @chosen */
	u8 picked[SLOTS];
	/** @owner: by counter in @used: the event that has it */
	u8 owner[64];
	/** @queue: counters visited by the last search for an augmenting path, in order */
	u8 queue[64];
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

bool pmudev_plan_place_one(struct plan *p, unsigned int event);
bool pmudev_plan_solve(struct plan *p, bool anew);

#endif /* PMUDEV_PURE_PLAN_H */
