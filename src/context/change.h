/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of a set on its context: enable, disable, reset, slots, user access. Each is a
 * pmudev_set_fn: ctx->lock is held, irqs are off, and the context is loaded here or nowhere. For an
 * inherited set it is called for the parent and for each child (task/children.h).
 */
#ifndef _PMUDEV_CONTEXT_CHANGE_H
#define _PMUDEV_CONTEXT_CHANGE_H

#include "ctx.h"

/**
 * typedef pmudev_set_fn - something done to a set, or read from it
 * @ctx: its context, locked
 * @set: the set
 * @arg: the caller's
 */
typedef void (*pmudev_set_fn)(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg);

/**
 * struct pmudev_enable_arg - for pmudev_change_enable()
 * @slots: whole groups, which hold counters
 * @place: by slot: the counter of an event that is not multiplexed, of a chained one the even one
 * @error: out: 0, or -ESRCH if the target has ended
 */
struct pmudev_enable_arg {
	u64 slots;
	const u8 *place;
	int error;
};

void pmudev_change_enable(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg);

/* @arg: const u64 *slots: whole groups */
void pmudev_change_disable(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg);

/**
 * struct pmudev_reset_arg - for pmudev_change_reset()
 * @slots: the events
 * @value: their count from now on. A child's is 0: the sum over a set and its children is @value.
 */
struct pmudev_reset_arg {
	u64 slots;
	u64 value;
};

void pmudev_change_reset(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg);

/**
 * struct pmudev_slots_arg - for pmudev_change_slots(): the masks from now on
 * @used: see struct pmudev_set. What leaves it is disabled.
 * @user: likewise
 * @mux: likewise
 */
struct pmudev_slots_arg {
	u64 used;
	u64 user;
	u64 mux;
};

void pmudev_change_slots(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg);

/* @arg: const struct pmudev_rotation *plan, or NULL */
void pmudev_change_rotation(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg);

/* User access was disabled: deactivate readable groups, which stay enabled. @arg: unused */
void pmudev_change_user_access_off(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg);

/* It was enabled: activate them again. @arg: unused */
void pmudev_change_user_access_on(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg);

/* The thread executes a program: enable what was armed for that. ctx->lock held, loaded here. */
void pmudev_ctx_exec(struct pmudev_ctx *ctx);

/* Copy events of a set to a child; counts and times begin at 0. */
void pmudev_events_copy(struct pmudev_set *child, const struct pmudev_set *from, u64 slots);

#endif /* _PMUDEV_CONTEXT_CHANGE_H */
