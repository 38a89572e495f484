/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deadlines: counts that are reported when an event reaches them.
 *
 * An event with an armed deadline counts from -deadline: hw.value is the count less the deadline,
 * modulo 2^64, and the event's @target is what to add. So a counter of any width overflows exactly
 * at the deadline, load and save need not know of it, and the deadline is reached when the sign bit
 * of hw.value changes. The callers of save and read pass the changed bits on.
 */
#ifndef _PMUDEV_CONTEXT_DEADLINE_H
#define _PMUDEV_CONTEXT_DEADLINE_H

#include <linux/irq_work.h>
#include <linux/wait.h>

#include "ctx.h"

struct eventfd_ctx;
struct pmudev_stop;

/* What happens when a deadline is reached */
struct pmudev_deadline_action {
	struct eventfd_ctx *eventfd; /* or NULL */
	u32 signal;		     /* to send, 0: none */
	s32 id;			     /* the caller's, for the signal */
	bool stop;		     /* stop the thread */
};

/* A report that the notifier has to tell */
struct pmudev_deadline_told {
	struct pmudev_deadline_action action; /* of the deadline that was reached; no references */
	u64 count;
};

/* What becomes of one event's deadline, and what was reported; under ctx->lock */
struct pmudev_slot_deadline {
	u64 period;	 /* 0: once */
	u64 value;	 /* the last deadline that was reached */
	u64 count;	 /* the count when that was found */
	u64 reached;	 /* deadlines since REPORT read the last */
	u64 overruns;	 /* those of them that passed with an earlier one unreported */
	bool late;	 /* one of them waited for its interrupt to be enabled */
	u8 nr_told;	 /* of @told */
	struct pmudev_deadline_action action; /* has a reference to its eventfd */
	/* The notifier has told all before a deadline is changed: of the old one, and the new. */
	struct pmudev_deadline_told told[2];
};

/* The deadlines of a set, from the first on until the set is destroyed */
struct pmudev_set_deadlines {
	struct pmudev_set *set;	 /* constant */
	wait_queue_head_t *wait; /* who polls the set; constant */
	struct hlist_node node;	 /* in ctx->deadlines while an armed event is active; ctx->lock */
	struct hlist_node ctx_node; /* in ctx->with_deadlines; ctx->lock */
	struct irq_work notify;	 /* tells who waits, outside of all locks */
	struct rcu_head rcu;
	/* Under ctx->lock, as all that follow: */
	u64 slots;    /* events that have a deadline, reached or not */
	u64 armed;    /* those that have not reached it: their counts have a @target */
	u64 reported; /* events with a report that was not read; also read without lock */
	u64 pending;  /* events whose report @notify has to tell */
	u32 runs;     /* how often @notify was queued and has not ended: CPUs may run it at once */
	struct pmudev_stop *stop; /* NULL: none stops it; set once, also read without lock */
	/* By event; NULL if it never had one. Made under the set's mutex, kept until the end. */
	struct pmudev_slot_deadline *slot[PMUDEV_MAX_EVENTS];
};

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

/* The interrupt of a counter may have come: look at all that is loaded. Loaded here. */
void pmudev_deadlines_look(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* The set's active events have changed. */
void pmudev_deadlines_list(struct pmudev_ctx *ctx, struct pmudev_set *set) __must_hold(&ctx->lock);

/* These events were reset, their counters stopped: reach what is reached, move what is periodic. */
void pmudev_deadlines_reset(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots, u64 count)
	__must_hold(&ctx->lock);

/* These events are removed, and all that was reported of them. They are not active. */
void pmudev_deadlines_forget(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
	__must_hold(&ctx->lock);

/* The target has ended: who waits shall look. */
void pmudev_deadlines_ended(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/*
 * One event that has no armed deadline, its counter stopped: arm one at @target, or reach it if the
 * count has: report it, and arm the next or none. pmudev_deadlines_list() follows.
 */
void pmudev_deadline_begin(struct pmudev_ctx *ctx, struct pmudev_set *set, unsigned int slot,
			   u64 target) __must_hold(&ctx->lock);
/* Take an armed deadline back. Its counter is stopped, and the list follows as above. */
void pmudev_deadline_disarm(struct pmudev_set *set, unsigned int slot) __must_hold(&set->ctx->lock);

/* For pmudev_change_deadlines() */
struct pmudev_deadlines_arg {
	struct pmudev_set_deadlines *deadlines; /* the set's from now on; has all slots */
	const struct pmudev_deadline *entry;	/* each of a slot of its own */
	unsigned int nr;
	struct eventfd_ctx **eventfd; /* of each entry, or NULL. Out: the reference to drop. */
	int error;		      /* out: 0, -ESRCH: ended, -EINVAL: see culprit */
	unsigned int culprit;	      /* out: the entry that is out of range */
};

/* pmudev_set_fn: set, change and remove deadlines, all or none. */
void pmudev_change_deadlines(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/* For pmudev_read_reports() */
struct pmudev_reports_arg {
	struct pmudev_report *report; /* room */
	unsigned int room;
	unsigned int nr; /* out */
};

/* pmudev_set_fn: move reports to @arg. */
void pmudev_read_reports(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
	__must_hold(&ctx->lock);

/* No more of the set's deadlines. ctx->lock held. */
static inline void pmudev_deadlines_leave(struct pmudev_set *set) __must_hold(&set->ctx->lock)
{
	if (!set->deadlines)
		return;
	hlist_del_init(&set->deadlines->node);
	hlist_del_init(&set->deadlines->ctx_node);
}

/* The irq_work's function. */
void pmudev_deadlines_notify(struct irq_work *work);

#endif /* _PMUDEV_CONTEXT_DEADLINE_H */
