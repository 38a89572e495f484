/* SPDX-License-Identifier: GPL-2.0 */
/* Events on their counters: activate, deactivate, update, fold, enter and leave guests. */
#ifndef _PMUDEV_CONTEXT_EVENTS_H
#define _PMUDEV_CONTEXT_EVENTS_H

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

/* pmudev_set_update() of a context with other sets' events. */
void pmudev_set_update_some(struct pmudev_set *set) __must_hold(&set->ctx->lock);

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
	if (hweight64(set->active) == ctx->nr)
		pmudev_backend_read(ctx->active, ctx->nr);
	else
		pmudev_set_update_some(set);
}

/* The events of some slots, in ascending order. Return: how many. */
unsigned int pmudev_slots_hw(struct pmudev_set *set, u64 slots, struct pmudev_hw **hw);

/*
 * Folding: a timer brings the counts of narrow counters up to date before these wrap. Have this
 * CPU's run at least this often; 0: nothing needs it. Irqs off.
 */
void pmudev_fold_timer(struct pmudev_cpu *cpuc, u64 period_ns);

/* The timer's function. */
enum hrtimer_restart pmudev_fold_tick(struct hrtimer *timer);

/*
 * Upcalls: this CPU is about to run a KVM guest, or is back from one. What is loaded here counts as
 * its host/guest filter says. Irqs are off until the guest runs or was left; after it, preemption
 * is off, and interrupts since then were the host's.
 */
void pmudev_guest_entered(void);
void pmudev_guest_left(void);

#endif /* _PMUDEV_CONTEXT_EVENTS_H */
