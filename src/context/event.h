/* SPDX-License-Identifier: GPL-2.0 */
/* One event of a set: what it counts, and its counts and times. */
#ifndef _PMUDEV_CONTEXT_EVENT_H
#define _PMUDEV_CONTEXT_EVENT_H

#include <pmudev/assign.h>
#include <pmudev/hw.h>

/* One slot of a set. Under ctx->lock unless its group is disabled. */
struct pmudev_event {
	struct pmudev_hw hw; /* hw.value is the count at the last save or read, less @target */
	u64 target;	     /* of an armed deadline (deadline.h), else 0 */
	u64 time_enabled;    /* ticks; while the group is enabled less the context's clock */
	u64 time_running;    /* the same for the running clock, while the event is active */
	u64 allowed; /* counters that can take it; of a chained event the even ones. Constant. */
	u64 tag;     /* the user's. Constant. */
	u32 flags;   /* the user's, PMUDEV_EXCLUDE_USER and so on. Constant. */
	u8 group;    /* number of its group. Constant. */
};

/* The count at the last save or read. */
static __always_inline u64 pmudev_event_count(const struct pmudev_event *event)
{
	return event->hw.value + event->target;
}

/* What an event that is on no counter requires of a placement. */
static inline struct pmudev_constraint pmudev_event_constraint(const struct pmudev_event *event)
{
	return (struct pmudev_constraint){
		.allowed = event->allowed,
		.now = PMUDEV_NO_COUNTER,
		.chained = event->hw.chained,
	};
}

/* The counters of an event, once it has been placed. */
static inline u64 pmudev_event_counters(const struct pmudev_event *event)
{
	return pmudev_place_counters(event->hw.counter, event->hw.chained);
}

#endif /* _PMUDEV_CONTEXT_EVENT_H */
