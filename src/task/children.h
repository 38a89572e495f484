/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Children of an inherited set, and the walk over them. set/inherit.c makes children and ends them.
 *
 * A walk reaches the parent and each child once. To a child that is made meanwhile, by a thread
 * whose child was not reached yet, the same is done when it is made; so a walk visits no more
 * children than there were when it began.
 */
#ifndef _PMUDEV_TASK_CHILDREN_H
#define _PMUDEV_TASK_CHILDREN_H

#include <linux/rcupdate.h>

#include "../context/context.h"

struct pmudev_child;
struct pmudev_quota_owner;

/**
 * struct pmudev_sum - what children counted
 * @value: by slot
 * @enabled: ticks, by slot
 * @running: ticks, by slot
 * @set_enabled: ticks, of the set
 * @set_running: likewise
 */
struct pmudev_sum {
	u64 value[PMUDEV_MAX_EVENTS];
	u64 enabled[PMUDEV_MAX_EVENTS];
	u64 running[PMUDEV_MAX_EVENTS];
	u64 set_enabled;
	u64 set_running;
};

/**
 * struct pmudev_walk - a walk over a set and its children
 * @fn: what is done to each
 * @arg: its argument
 * @total: NULL, or the sum that @fn adds each child to with pmudev_sum_add_child(); it begins with
 *	what ended children counted, and a child that ends before it is reached adds itself
 * @reset: slots whose counts of ended children are dropped
 * @forget: slots whose times of ended children are dropped
 * @reading: nothing is changed: children that are made meanwhile need not be reached
 */
struct pmudev_walk {
	pmudev_set_fn fn;
	void *arg;
	struct pmudev_sum *total;
	u64 reset;
	u64 forget;
	bool reading;
};

/**
 * struct pmudev_inherit - what an inherited set has beside its own events
 * @mutex: one walk at a time
 * @lock: all below unless it says otherwise; raw, irqs off
 * @children: those not yet reached by the walk first, then the others
 * @seq: number of the walk; a child that was reached has the same
 * @parent_seq: the last walk that reached the parent
 * @walk: the walk in progress that changes something, else NULL
 * @total: the walk's sum, or NULL
 * @reset: the walk's, see there
 * @forget: likewise
 * @ended: sums of the children that have ended
 * @nr_started: how many children there were
 * @incomplete: a child could not be counted; also read without @lock
 * @closing: the parent is being destroyed: no more children are made; without @lock
 * @threads_only: children that are processes of their own do not inherit. Constant.
 */
struct pmudev_inherit {
	struct mutex mutex;  /* one walk at a time */
	raw_spinlock_t lock; /* all below */
	struct list_head children;
	u32 seq;
	u32 parent_seq;
	const struct pmudev_walk *walk;
	struct pmudev_sum *total;
	u64 reset;
	u64 forget;
	struct pmudev_sum ended;
	u32 nr_started;
	bool incomplete;
	bool closing;
	bool threads_only;
};

/**
 * struct pmudev_child - a child: the part of an inherited set that one thread has
 * @node: in inherit->children, or a list of its own; under inherit->lock
 * @ref: its thread's context, and a walk that works on it
 * @seq: the last walk that reached it; under inherit->lock
 * @next_ended: the next child of a thread that has exited
 * @owner: whose quota it takes; NULL: nobody's
 * @rcu: for freeing it
 * @release: frees it when the last reference is gone; the parent may be gone, too. Constant.
 * @own_chunks: how many chunks of events are part of it. Constant.
 * @set: the set; its chunks follow
 */
struct pmudev_child {
	struct list_head node;
	struct kref ref;
	u32 seq;
	struct pmudev_child *next_ended;
	struct pmudev_quota_owner *owner;
	struct rcu_head rcu;
	void (*release)(struct pmudev_child *child);
	u8 own_chunks;
	struct pmudev_set set;
};

static inline struct pmudev_child *pmudev_child_of(struct pmudev_set *set)
{
	return container_of(set, struct pmudev_child, set);
}

/* Drop a reference to a child. */
void pmudev_child_put(struct pmudev_child *child);

/* Has the set a child? It may be gone the next moment. */
static inline bool pmudev_has_children(const struct pmudev_set *set)
{
	return set->inherit && !list_empty(&set->inherit->children);
}

/* Have the target and all that inherited from it ended? */
static inline bool pmudev_set_ended(const struct pmudev_set *set)
{
	/* The target ended first, and then its children: one that was made before is seen. */
	return smp_load_acquire(&set->ctx->dead) && !pmudev_has_children(set);
}

/* Add to a sum what a child counted in some slots. Its ctx->lock and inherit->lock held. */
void pmudev_sum_add(struct pmudev_sum *sum, struct pmudev_child *child, u64 values, u64 times);

/* Add a child that a walk visits to the walk's sum. Its ctx->lock held, its events updated. */
void pmudev_sum_add_child(struct pmudev_sum *total, struct pmudev_child *child);

/* pmudev_set_walk() of an inherited set. May sleep. */
void pmudev_walk_children(struct pmudev_set *set, struct pmudev_walk *walk);

/**
 * pmudev_set_walk - do something to a set and each of its children
 * @set: a set with a file
 * @walk: what
 *
 * May sleep if the set is inherited, else as pmudev_ctx_call().
 */
static inline void pmudev_set_walk(struct pmudev_set *set, struct pmudev_walk *walk)
{
	if (set->inherit)
		pmudev_walk_children(set, walk);
	else
		pmudev_set_call_alone(set, walk->fn, walk->arg);
}

/* The same of a change that concerns nothing that ended children counted. */
static inline void pmudev_set_call(struct pmudev_set *set, pmudev_set_fn fn, void *arg)
{
	struct pmudev_walk walk = { .fn = fn, .arg = arg };

	pmudev_set_walk(set, &walk);
}

/* The same of a function that changes nothing. */
static inline void pmudev_set_look(struct pmudev_set *set, pmudev_set_fn fn, void *arg)
{
	struct pmudev_walk walk = { .fn = fn, .arg = arg, .reading = true };

	pmudev_set_walk(set, &walk);
}

/*
 * Memory for what children will be told of when the parent's events are enabled, allocated before
 * the locks that others want. The set's mutex held. May sleep.
 */
void pmudev_children_make_room(struct pmudev_set *parent);

#endif /* _PMUDEV_TASK_CHILDREN_H */
