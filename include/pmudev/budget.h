/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Totals: a deadline of the sum that a set and its children count.
 *
 * Each thread counts in steps, which are deadlines that nobody is told of. At the end of a step its
 * count is added to what is known of the sum, and the next step is a part of what is left. So the
 * sum is never above what is known by more than all steps, and it is reported when what is known
 * reaches the deadline: never early. If it could have been reached unseen, all threads' counts are
 * added and their steps made shorter; steps of PMUDEV_MIN_STEP are not.
 */
#ifndef _PMUDEV_BUDGET_H
#define _PMUDEV_BUDGET_H

#include <pmudev/types.h>

/* The shortest step, unless less is left */
#define PMUDEV_MIN_STEP 10000

/* The deadline of a sum; under one lock */
struct pmudev_budget {
	bool total;    /* the event's deadline is of the sum */
	bool reached;  /* and was reached */
	bool held;     /* counts are being changed: what is known is not compared */
	bool relative; /* while held: what a thread counted before it takes part moves @target */
	u32 threads;   /* that take part */
	u64 target;    /* the deadline */
	u64 known;     /* of the sum: at least this */
	u64 unseen;    /* how much more threads can count until they tell: all steps */
};

/* A thread's part; under one lock */
struct pmudev_budget_part {
	bool joined; /* it takes part */
	bool left;   /* no more: it has ended */
	u64 known;   /* what is known of its count */
	u64 step;    /* how far it may go */
};

/* A thread's count is known; its step ends. */
void pmudev_budget_add(struct pmudev_budget *budget, struct pmudev_budget_part *part, u64 count);

/* A thread does not take part any more, with this count: it stays in the sum. */
void pmudev_budget_leave(struct pmudev_budget *budget, struct pmudev_budget_part *part, u64 count);

/* Begin a step. Return: how many events it has. */
u64 pmudev_budget_step(struct pmudev_budget *budget, struct pmudev_budget_part *part);

/* Is the deadline reached now, for the first time? */
bool pmudev_budget_reached(struct pmudev_budget *budget);

/* May it have been reached unseen, in steps that threads are in? */
bool pmudev_budget_hidden(const struct pmudev_budget *budget);

/* And would shorter steps help? */
bool pmudev_budget_unclear(const struct pmudev_budget *budget);

#endif /* _PMUDEV_BUDGET_H */
