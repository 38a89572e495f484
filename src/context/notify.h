/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of deadlines, and who is told of them.
 *
 * A set with a file and its children share one struct pmudev_deadline_common, where all reports go.
 * Each of them has a struct pmudev_set_deadlines with an irq_work of its own, so that it is known
 * which thread is to get a signal or to stop.
 */
#ifndef _PMUDEV_CONTEXT_NOTIFY_H
#define _PMUDEV_CONTEXT_NOTIFY_H

#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <pmudev/budget.h>

#include "ctx.h"

struct eventfd_ctx;
struct pid_namespace;
struct pmudev_ring;
struct pmudev_stop;

/* What happens when a deadline is reached */
struct pmudev_deadline_action {
	struct eventfd_ctx *eventfd; /* or NULL */
	u32 signal;		     /* to send, 0: none */
	s32 id;			     /* the caller's, for the signal */
	kuid_t uid;		     /* who set it, real and effective: whom may he signal? */
	kuid_t euid;
	bool stop;		     /* stop the thread; with @sample when the ring is full */
	bool sample;		     /* write a sample, and tell when half of the ring is used */
};

/* A report that the notifier has to tell */
struct pmudev_deadline_told {
	struct pmudev_deadline_action action; /* of the deadline that was reached; no references */
	u64 count;
};

/*
 * One event's deadline in one set or child; under ctx->lock, and of a set with a file written under
 * its mutex, too, and read under either. @nr_told and @told are under common->lock.
 */
struct pmudev_slot_deadline {
	u64 first;  /* for threads that inherit it: the count at which it begins */
	u64 period; /* 0: once */
	struct pmudev_deadline_action action;
	bool total; /* it is of the sum: @part, in steps that nobody is told of */
	struct pmudev_budget_part part; /* under common->lock */
	u8 nr_told;			/* of @told */
	/*
	 * The notifier has told all before a deadline is changed: of the old one, and the new.
	 * Those of samples are told in two ways, to the thread that stops and to the eventfd.
	 */
	struct pmudev_deadline_told told[4];
};

/* What was reported of one event, by all threads; under common->lock */
struct pmudev_slot_report {
	u64 value;    /* the last deadline that was reached */
	u64 count;    /* the count when that was found */
	u64 reached;  /* deadlines since REPORT read the last */
	u64 overruns; /* those of them that passed with an earlier one untold */
	s32 tid;      /* the thread that reached the last, in common->ns */
	bool late;    /* one of them waited for its interrupt to be enabled */
	struct eventfd_ctx *eventfd; /* the reference for all actions; under the set's mutex */
	struct pmudev_budget budget; /* if it is of the total */
};

/* What a set with a file and its children share, from the first deadline until it is destroyed */
struct pmudev_deadline_common {
	raw_spinlock_t lock;	 /* all below unless it says otherwise; nests in ctx->lock */
	wait_queue_head_t *wait; /* who polls the set; constant */
	struct pid_namespace *ns; /* whose thread ids reports have; constant */
	u64 reported; /* events with a report that was not read; also read without lock */
	u64 sampled;  /* the same of those that write samples: nobody waits for them */
	struct pmudev_ring *ring; /* of samples; NULL: none. Set once, also read without lock. */
	bool waiting; /* a thread has stopped because @ring is full; also read without lock */
	u32 threads;  /* of its sets, that have not ended: they may write samples */
	u32 runs;     /* notifiers that were queued and have not ended; two CPUs may run one */
	bool look_wanted; /* a notifier is to queue @look */
	bool closing;	  /* it must not any more */
	bool used;	  /* a deadline was set; also read without lock */
	bool totals;	  /* one of them was a total; written under the set's mutex, read without */
	/* Brings totals up to date, with work that the set layer provides. */
	struct work_struct look;
	/* Slots that all have memory for, and new children get; written under the set's mutex. */
	u64 room;
	struct rcu_head rcu;
	struct pmudev_slot_report *slot[PMUDEV_MAX_EVENTS]; /* NULL: never had one. As @room. */
};

/* The deadlines of a set or child, from the first on until it goes */
struct pmudev_set_deadlines {
	struct pmudev_set *set;		       /* under ctx->lock */
	struct pmudev_deadline_common *common; /* constant */
	/* NULL: a CPU. Constant. While not @ended valid under RCU: the exit hook sets that. */
	struct task_struct *task;
	struct kref ref;	    /* the set's, and one while @notify is queued or runs */
	struct hlist_node node;	    /* in ctx->deadlines, see there; ctx->lock */
	struct hlist_node ctx_node; /* in ctx->with_deadlines; ctx->lock */
	struct irq_work notify;	    /* tells who waits, outside of all locks */
	struct rcu_head rcu;
	u64 slots;   /* events that have a deadline, reached or not; ctx->lock */
	u64 armed;   /* those that have not reached it: their counts have a @target; as @slots */
	u64 pending; /* events whose report @notify has to tell; common->lock */
	bool ended;  /* the target has, or the set leaves it; common->lock */
	bool child;  /* of a child; constant */
	struct pmudev_stop *stop; /* NULL: none stops it; set once, also read without lock */
	u32 nr_inside; /* how many slots have memory that is part of this; constant */
	u64 inside;    /* which; constant */
	/* By event; NULL if it never had one. Made under the set's mutex, kept until the end. */
	struct pmudev_slot_deadline *slot[PMUDEV_MAX_EVENTS];
	/* The memory that is part of it follows. */
};

static inline struct pmudev_slot_deadline *
pmudev_deadlines_memory(struct pmudev_set_deadlines *deadlines)
{
	return (struct pmudev_slot_deadline *)(deadlines + 1);
}

/*
 * An event has reached @passed deadlines, the last at @value, its count is @count. The common lock
 * and ctx->lock held.
 */
void pmudev_report(struct pmudev_set_deadlines *deadlines, unsigned int slot, u64 value, u64 count,
		   u64 passed);

/*
 * Report a total, if it has reached its deadline and that was not reported. The common lock held,
 * and ctx->lock or the set's mutex.
 */
void pmudev_report_total(struct pmudev_set_deadlines *deadlines, unsigned int slot);

/* Have common->look run. The common lock held, irqs off. */
void pmudev_look_later(struct pmudev_set_deadlines *deadlines);

/* These events' reports were read, or concern nobody any more. The common lock held. */
void pmudev_clear_reports(struct pmudev_deadline_common *common, u64 slots);

/* Have the notifier run: who waits shall look. The common lock held, irqs off. */
void pmudev_tell(struct pmudev_set_deadlines *deadlines);

/* The irq_work's function. */
void pmudev_notify(struct irq_work *work);

/*
 * Memory for the deadlines of @nr events and, with @stop, for stopping a thread. Return: with the
 * set's reference; NULL without memory.
 */
struct pmudev_set_deadlines *pmudev_set_deadlines_alloc(unsigned int nr, bool stop, gfp_t gfp);

/* Drop a reference. The set's own: a thread that it stopped is continued, at the latest now. */
void pmudev_set_deadlines_put(struct pmudev_set_deadlines *deadlines);

#endif /* _PMUDEV_CONTEXT_NOTIFY_H */
