/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A placement under construction: what assign.c and assign_pairs.c share. A slot is an even
 * counter and the next, which a pair takes together; a set of slots is a mask of the even ones.
 */
#ifndef PMUDEV_PURE_PLAN_H
#define PMUDEV_PURE_PLAN_H

#include <pmudev/pure.h>

#define EVEN	0x55555555ULL	/* pairs are on programmable counters */
#define SLOTS	16

enum kind {
	SINGLE,
	PAIR,
	KINDS,
};

/**
 * struct plan - the placement under construction
 * @constraint: what the events want
 * @counter: by event, of those that have one
 * @staying: the events that are on are left alone: their counters are barred, and they are not
 *	in play
 * @active: the events that are on
 * @known: the counters that any event can take
 * @barred: by kind: counters that no event in play can take; of pairs: even ones
 * @used: by kind: counters that events in play have; of pairs: the even one
 * @lost: the events in play that have no counter
 * @pairs: the events in play that are pairs
 * @nr_pairs: how many
 * @slots: all that pairs can take, in play or not; this and the like are the even counters
 * @in: those chosen for pairs
 * @chosen: how many
 * @nr_slots: how many there are for the pairs in play
 * @nr_cuts: how many cuts were found; the last of them are kept, each in a lane of 8 bits. A cut
 *	gives slots a weight, and what is chosen may weigh so much together.
 * @nr_asked: how many counters the last search for a path has asked for
 * @of_pairs: 1 in the lanes of cuts that allow 1 more with each pair that comes into play
 * @start: lane by lane, FULL less how much is allowed and 1
 * @sum: lane by lane, the same and the weight of what is chosen: FULL if it is too much
 * @weight: by slot, lane by lane
 * @order: the slots for the pairs in play, those to be tried first in front
 * @picked: the places in @order of those chosen
 * @owner: who has a counter that is used
 * @asked: the counters that the last search for a path has asked for
 */
struct plan {
	const struct pmudev_constraint *constraint;
	u8 *counter;
	bool staying;
	u64 active;
	u64 known;
	u64 barred[KINDS];
	u64 used[KINDS];
	u64 lost;
	u64 pairs;
	unsigned int nr_pairs;

	u64 slots;
	u64 in;
	unsigned int chosen;
	unsigned int nr_slots;
	unsigned int nr_cuts;
	unsigned int nr_asked;
	u64 of_pairs;
	u64 start;
	u64 sum;

	/* From here on nothing means anything before it is written, the weights all at once. */
	u64 weight[SLOTS];
	u8 order[SLOTS];
	u8 picked[SLOTS];
	u8 owner[64];
	u8 asked[64];
};

/* The counters of the slots, or of the pairs on the even counters, @slots. */
static inline u64 both(u64 slots)
{
	return slots | slots << 1;
}

/* The slots that @counters are in. */
static inline u64 touched(u64 counters)
{
	return (counters | counters >> 1) & EVEN;
}

static inline u64 allowed(const struct plan *p, unsigned int event)
{
	const struct pmudev_constraint *constraint = &p->constraint[event];

	return constraint->chained ? constraint->allowed & EVEN & ~p->barred[PAIR] :
				     constraint->allowed & ~p->barred[SINGLE];
}

/* Where @event is from now on. */
static inline void put(struct plan *p, unsigned int event, unsigned int c)
{
	p->counter[event] = c;
	p->owner[c] = event;
	p->used[p->constraint[event].chained] |= BIT_ULL(c);
}

bool pmudev_plan_place(struct plan *p, unsigned int event);
bool pmudev_plan_solve(struct plan *p, bool anew);

#endif /* PMUDEV_PURE_PLAN_H */
