/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of a set on its context: enable, disable, reset, slots, user access. Each is a
 * pmudev_set_fn: ctx->lock is held, irqs are off, and the context is loaded here or nowhere. For an
 * inherited set it is called for the parent and for each child (task/children.h).
 */
#ifndef _PMUDEV_CONTEXT_CHANGE_H
#define _PMUDEV_CONTEXT_CHANGE_H

#include "ctx.h"

/* Something done to a set, or read from it. @ctx: its context. @arg: the caller's. */
typedef void (*pmudev_set_fn)(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg);

/* For pmudev_change_enable() */
struct pmudev_enable_arg {
	u64 slots;	 /* whole groups, which hold counters */
	const u8 *place; /* by slot, unless multiplexed: the counter; if chained the even one */
	int error;	 /* out: 0, or -ESRCH if the target has ended */
};

void pmudev_change_enable(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/* @arg: const u64 *slots: whole groups */
void pmudev_change_disable(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/* For pmudev_change_reset() */
struct pmudev_reset_arg {
	u64 slots; /* the events */
	u64 value; /* their count from now on; a child's is 0, so the sum is this */
};

void pmudev_change_reset(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/* For pmudev_change_slots(): the masks from now on */
struct pmudev_slots_arg {
	u64 used; /* see struct pmudev_set. What leaves it is disabled. */
	u64 user; /* likewise */
	u64 mux;  /* likewise */
};

void pmudev_change_slots(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/* User access was disabled: deactivate readable groups, which stay enabled. @arg: unused */
void pmudev_change_user_access_off(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/* It was enabled: activate them again. @arg: unused */
void pmudev_change_user_access_on(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/* The thread executes a program: enable what was armed for that. ctx->lock held, loaded here. */
void pmudev_ctx_exec(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* Those of some slots that a set has memory for. Under the mutex of the set, or of its parent. */
u64 pmudev_slots_room(const struct pmudev_set *set, u64 slots);

/*
 * A child learns of its parent's events that were added after it was made. ctx->lock held. Return:
 * those of @slots that it has room for.
 */
u64 pmudev_child_learn(struct pmudev_set *child, u64 slots) __must_hold(&child->ctx->lock);

/* Copy events of a set to a child; counts and times begin at 0. */
void pmudev_events_copy(struct pmudev_set *child, const struct pmudev_set *from, u64 slots);

#endif /* _PMUDEV_CONTEXT_CHANGE_H */
