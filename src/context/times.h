/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times of a set and its events. They are relative to the context's clocks while they advance. A
 * change of what is enabled makes them totals, changes the masks, and makes them relative again.
 */
#ifndef _PMUDEV_CONTEXT_TIMES_H
#define _PMUDEV_CONTEXT_TIMES_H

#include "ctx.h"

static inline void pmudev_times_add(struct pmudev_set *set, u64 enabled, u64 running)
	__must_hold(&set->ctx->lock)
{
	struct pmudev_event *event;
	unsigned int slot;
	u64 rest;

	if (!set->enabled)
		return;
	set->time_enabled += enabled;
	if (set->active == set->enabled)
		set->time_running += running;
	pmudev_for_each_slot(slot, rest, set->enabled) {
		event = pmudev_slot_event(set, slot);
		event->time_enabled += enabled;
		if (set->active & BIT_ULL(slot))
			event->time_running += running;
	}
}

/* Before a change of what is enabled. ctx->lock held. */
static inline void pmudev_times_stop(struct pmudev_set *set, const struct pmudev_clocks *now)
	__must_hold(&set->ctx->lock)
{
	pmudev_times_add(set, now->enabled, now->running);
}

/* After it. */
static inline void pmudev_times_start(struct pmudev_set *set, const struct pmudev_clocks *now)
	__must_hold(&set->ctx->lock)
{
	pmudev_times_add(set, -now->enabled, -now->running);
}

/* After a change of what is active alone; @was: what was. What is enabled stays so. */
static inline void pmudev_times_changed(struct pmudev_set *set, u64 was,
					const struct pmudev_clocks *now)
	__must_hold(&set->ctx->lock)
{
	bool all_were = was == set->enabled, all_are = set->active == set->enabled;
	unsigned int slot;
	u64 rest;

	if (all_were != all_are)
		set->time_running += all_were ? now->running : -now->running;
	pmudev_for_each_slot(slot, rest, was ^ set->active)
		pmudev_slot_event(set, slot)->time_running +=
			was & BIT_ULL(slot) ? now->running : -now->running;
}

#endif /* _PMUDEV_CONTEXT_TIMES_H */
