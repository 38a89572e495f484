/* SPDX-License-Identifier: GPL-2.0 */
/* A set's events on their counters: activate, deactivate, update. */
#ifndef _PMUDEV_CONTEXT_EVENTS_H
#define _PMUDEV_CONTEXT_EVENTS_H

#include "deadline.h"
#include "user_access.h"

/*
 * Put inactive events, which have been placed, on their counters; and take active ones off them.
 * ctx->lock held, the context loaded here or nowhere. Return: false if another of the context's
 * events has one of the counters: nothing was done.
 */
bool pmudev_slots_activate(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
	__must_hold(&ctx->lock);
void pmudev_slots_deactivate(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
	__must_hold(&ctx->lock);

/* pmudev_set_update() of a context with other sets' events. Return: the bits that changed. */
u64 pmudev_set_update_some(struct pmudev_set *set) __must_hold(&set->ctx->lock);

/*
 * Bring the counts of a set's events up to date, but not its page. ctx->lock held, the context
 * loaded here or nowhere.
 */
static __always_inline void pmudev_set_update(struct pmudev_ctx *ctx, struct pmudev_set *set)
	__must_hold(&ctx->lock)
{
	lockdep_assert_held(&ctx->lock);
	if (!set->active || !pmudev_ctx_counting(ctx))
		return;
	/* How far the pages' counts lag behind is unknown from now on. */
	if (ctx->reads.maps)
		ctx->reads.stale |= PMUDEV_STALE_COUNTS;
	pmudev_counted_live(ctx, hweight64(set->active) == ctx->nr ?
				 pmudev_backend_read(ctx->active, ctx->nr) :
				 pmudev_set_update_some(set));
}

#endif /* _PMUDEV_CONTEXT_EVENTS_H */
