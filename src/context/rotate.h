/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rotation: multiplexed groups are active by turns. alloc/rotation_plan.c works out which groups
 * are active together; here the next slot of that plan is applied when its time has come. Events
 * that go on stay on their counters if those that come find others.
 */
#ifndef _PMUDEV_CONTEXT_ROTATE_H
#define _PMUDEV_CONTEXT_ROTATE_H

#include "ctx.h"

/* Multiplexed groups that are active together */
struct pmudev_rotation_slot {
	u64 slots;		       /* their events */
	u8 counter[PMUDEV_MAX_EVENTS]; /* by slot of the set; of a chained event the even counter */
};

/* What a set's multiplexed groups go through, one slot after the other */
struct pmudev_rotation {
	u64 pool;			    /* the counters that the groups have; nobody else's */
	u32 nr;				    /* number of slots */
	struct pmudev_rotation_slot slot[]; /* each begins with another group: all get their time */
};

/* All functions here: ctx->lock held, the context loaded here or nowhere. */

/* Groups with an event for user reads: with user access disabled they stop as a whole. */
u64 pmudev_user_slots(const struct pmudev_set *set) __must_hold(&set->ctx->lock);

/* Activate, of the set's multiplexed groups, what its current rotation slot says. */
void pmudev_rotation_apply(struct pmudev_ctx *ctx, struct pmudev_set *set) __must_hold(&ctx->lock);

/* pmudev_set_fn: have a set go through const struct pmudev_rotation *@arg; NULL: none. */
void pmudev_change_rotation(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/* A copy of @from's rotation for a child that is being made, at another slot for each child. */
void pmudev_rotation_inherit(struct pmudev_ctx *ctx, struct pmudev_set *child,
			     const struct pmudev_set *from, u32 number) __must_hold(&ctx->lock);

/* Rotate if the current slot has lasted long enough. Loaded here. */
void pmudev_rotate_if_due(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* Have this CPU's rotation timer run. Loaded here. */
void pmudev_rotate_timer(struct pmudev_cpu *cpuc, struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* The timer's function; no lock held. */
enum hrtimer_restart pmudev_rotate_tick(struct hrtimer *timer);

#endif /* _PMUDEV_CONTEXT_ROTATE_H */
