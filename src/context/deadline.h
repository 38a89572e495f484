/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deadlines: counts that are reported when an event reaches them.
 *
 * An event with an armed deadline counts from -deadline: hw.value is the count less the deadline,
 * modulo 2^64, and the event's @target is what to add. So a counter of any width overflows exactly
 * at the deadline, load and save need not know of it, and the deadline is reached when the sign bit
 * of hw.value changes. The callers of save and read pass the changed bits on.
 *
 * In an inherited set each thread has deadlines of its own. Those of the total are steps
 * (<pmudev/budget.h>).
 */
#ifndef _PMUDEV_CONTEXT_DEADLINE_H
#define _PMUDEV_CONTEXT_DEADLINE_H

#include "notify.h"

struct pmudev_pause;

/* Slots whose counter does not hold the count. */
static inline u64 pmudev_deadline_slots(const struct pmudev_set *set)
{
	return set->deadlines ? set->deadlines->slots : 0;
}

/*
 * Report what some of a set's events have reached, and arm what comes next. @live: their counters
 * may be running. ctx->lock held, the context loaded here or nowhere.
 */
void pmudev_deadlines_check(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots, bool live)
	__must_hold(&ctx->lock);

/* The same for all active events of a context. */
void pmudev_deadlines_check_all(struct pmudev_ctx *ctx, bool live) __must_hold(&ctx->lock);

/* Counts of loaded, running events were updated. @changed: the bits in which any of them changed */
static __always_inline void pmudev_counted_live(struct pmudev_ctx *ctx, u64 changed)
	__must_hold(&ctx->lock)
{
	if (unlikely(changed >> 63))
		pmudev_deadlines_check_all(ctx, true);
}

/*
 * The interrupt of a counter may have come: look at all that is loaded. @overflowed: counters whose
 * deadline is probably reached, which makes this faster. Loaded here.
 */
void pmudev_deadlines_look(struct pmudev_ctx *ctx, u64 overflowed) __must_hold(&ctx->lock);

/*
 * As pmudev_slots_pause(), before counts or deadlines are changed: what these events have reached
 * is reported before. A sample has all counts of one moment, also of events that are not paused.
 */
void pmudev_deadlines_pause(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots,
			    struct pmudev_pause *pause) __must_hold(&ctx->lock);

/* The set's active events have changed. */
void pmudev_deadlines_list(struct pmudev_ctx *ctx, struct pmudev_set *set) __must_hold(&ctx->lock);

/*
 * These events were reset, their counters stopped: reach what is reached, move what is periodic.
 * @count: what they have now
 */
void pmudev_deadlines_reset(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots, u64 count)
	__must_hold(&ctx->lock);

/* These events are removed, and all that was reported of them. They are not active. */
void pmudev_deadlines_forget(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
	__must_hold(&ctx->lock);

/* The target has ended: wake whoever polls its sets. */
void pmudev_deadlines_ended(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* Wake whoever polls the set. Irqs off. */
void pmudev_deadlines_wake(struct pmudev_set *set);

/*
 * No more of the set's deadlines: it leaves the context. @dropped: slots whose counts do not stay
 * in the sum.
 */
void pmudev_deadlines_leave(struct pmudev_set *set, u64 dropped) __must_hold(&set->ctx->lock);

/*
 * One event that has no armed deadline, its counter stopped: arm one at @target, or reach it if the
 * count has: report it, and arm the next or none. Of a total begin a step; @target is ignored.
 * pmudev_deadlines_list() follows.
 */
void pmudev_deadline_begin(struct pmudev_ctx *ctx, struct pmudev_set *set, unsigned int slot,
			   u64 target) __must_hold(&ctx->lock);
/* Take an armed deadline back. Its counter is stopped, and the list follows as above. */
void pmudev_deadline_disarm(struct pmudev_set *set, unsigned int slot) __must_hold(&set->ctx->lock);

/* These are reached, or steps of totals that end early. @live: as above */
void pmudev_deadlines_reach(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots, bool live)
	__must_hold(&ctx->lock);

/* Those of @slots whose deadline is of the total. Each of them has a deadline. */
u64 pmudev_deadlines_totals(const struct pmudev_set_deadlines *deadlines, u64 slots);

/* deadline_set.c */

/* For pmudev_change_deadlines() */
struct pmudev_deadlines_arg {
	struct pmudev_deadline_common *common;
	const struct pmudev_deadline *entry; /* each of a slot of its own */
	unsigned int nr;
	struct eventfd_ctx **eventfd; /* of each entry, or NULL */
	kuid_t uid;		      /* of the caller, real and effective */
	kuid_t euid;
	int error;		      /* out: 0, -ESRCH: ended, -EINVAL: see culprit */
	unsigned int culprit;	      /* out: the entry that is out of range */
	bool incomplete;	      /* out: a child has no memory for them */
};

/* pmudev_set_fn: are the deadlines in range? For a set with a file only. */
void pmudev_check_deadlines(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/*
 * pmudev_set_fn: set, change and remove deadlines. The set has memory for them; a child that has
 * none is left out.
 */
void pmudev_change_deadlines(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/*
 * pmudev_set_fn: from now on these are the set's deadlines. @arg: struct pmudev_set_deadlines **;
 * set to NULL if they were taken
 */
void pmudev_take_deadlines(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/*
 * A child begins on @ctx, with its events, which are not active yet: it gets the deadlines of
 * @from. @deadlines: memory for them. Return: false if it is too small.
 */
bool pmudev_deadlines_inherit(struct pmudev_ctx *ctx, struct pmudev_set *child,
			      const struct pmudev_set *from, struct pmudev_set_deadlines *deadlines)
	__must_hold(&ctx->lock);

/* For pmudev_read_reports() */
struct pmudev_reports_arg {
	struct pmudev_report *report; /* room */
	unsigned int room;
	unsigned int nr; /* out */
};

/* Move reports to @reading. */
void pmudev_read_reports(struct pmudev_deadline_common *common, struct pmudev_reports_arg *reading);

#endif /* _PMUDEV_CONTEXT_DEADLINE_H */
