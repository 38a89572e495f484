/* SPDX-License-Identifier: GPL-2.0 */
/* A pause: the counters of some events are stopped for a moment, so that counts can be changed. */
#ifndef _PMUDEV_CONTEXT_PAUSE_H
#define _PMUDEV_CONTEXT_PAUSE_H

#include "ctx.h"

/* What was stopped */
struct pmudev_pause {
	unsigned int nr;
	u64 counters;
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
};

/*
 * Save the counts of those of some slots whose counters run, and stop these. ctx->lock held, the
 * context loaded here or nowhere.
 */
void pmudev_slots_pause(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots,
			struct pmudev_pause *pause) __must_hold(&ctx->lock);

/*
 * Update the counts of all active events of a loaded context: stop those that interrupt and whose
 * counters are among @counters, and read the others, which count on. Each is read once. ctx->lock
 * held.
 */
void pmudev_counters_pause(struct pmudev_ctx *ctx, u64 counters, struct pmudev_pause *pause)
	__must_hold(&ctx->lock);

/* Have them count on, from what their counts are now. The same context, still locked. */
void pmudev_slots_resume(const struct pmudev_pause *pause);

#endif /* _PMUDEV_CONTEXT_PAUSE_H */
