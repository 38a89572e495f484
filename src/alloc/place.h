/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Placement: counters for the events of groups that are not multiplexed. It is exact: if a
 * placement exists it is found, at the cost of what others borrow, or by moving what the same
 * target has.
 */
#ifndef _PMUDEV_ALLOC_PLACE_H
#define _PMUDEV_ALLOC_PLACE_H

#include "allocation.h"

/* Counters that such events of @set can have at no other set's cost. pmu->lock held. */
u64 pmudev_place_free(struct pmudev_set *set);

/*
 * In all of these @constraint says what @nr events allow; its .now means nothing. @counter: out, by
 * event; of a chained event the even counter. @why: filled in on error; its event is the index of
 * one that does not fit.
 */

/* Place events on counters of @free. Pure. Return: -1, or the index of one that does not fit. */
int pmudev_place_on(u64 free, const struct pmudev_constraint *constraint, unsigned int nr,
		    u8 *counter);

/*
 * Place events at nobody's cost: on counters that are reserved already, else also on those that
 * perf does not use. pmu->lock held. Return: as pmudev_place_on().
 */
int pmudev_place_cheaply(struct pmudev_set *set, const struct pmudev_constraint *constraint,
			 unsigned int nr, u8 *counter);

/*
 * Find counters for events of a set that is bound. @moves: out: other events must move for it, see
 * pmudev_place_moves(). pmu->lock held. Return: 0, -ENOSPC if no state of the allocation would do,
 * -EBUSY with the holders, -ENOMEM.
 */
int pmudev_place(struct pmudev_set *set, const struct pmudev_constraint *constraint,
		 unsigned int nr, u8 *counter, bool *moves, struct pmudev_refusal *why);

/* The same on counters of @free, and nothing moves. */
int pmudev_place_alone(struct pmudev_set *set, u64 free, const struct pmudev_constraint *constraint,
		       unsigned int nr, u8 *counter, struct pmudev_refusal *why);

/*
 * May events of @set move for one of @ctx? Inherited sets stay where they are: their children's
 * tasks have sets of their own.
 */
static inline bool pmudev_movable(const struct pmudev_set *set, const struct pmudev_ctx *ctx)
{
	return set->ctx == ctx && !set->inherit;
}

/* move.c: counters that what moves for the last placement moves to. pmu->lock held. */
u64 pmudev_place_moved(struct pmudev_set *asking);

/*
 * Move what the last placement requires to move, in the allocation. Return: the first of these
 * sets, linked by alloc->next_moving, for pmudev_move_events().
 */
struct pmudev_set *pmudev_place_moves(struct pmudev_set *asking);

/* pmudev_ctx_fn; @arg: that set. Its events, and the others', change their counters. */
void pmudev_move_events(struct pmudev_ctx *ctx, void *arg) __must_hold(&ctx->lock);

/*
 * Could these events be on counters together, if no other set had any? Without pmu->lock. Return:
 * 0, -ENOSPC or -EBUSY with the reason.
 */
int pmudev_place_ever(struct pmudev_pmu *pmu, const struct pmudev_constraint *constraint,
		      unsigned int nr, struct pmudev_refusal *why);

#endif /* _PMUDEV_ALLOC_PLACE_H */
