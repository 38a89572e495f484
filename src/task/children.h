/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Children of an inherited set, and the walk over them. set/inherit.c makes children and ends them.
 *
 * A walk reaches the parent and each child once. To a child that is made meanwhile, by a thread
 * whose child was not reached yet, the same is done when it is made, or its creator is asked
 * instead; so a walk visits no more children than there were when it began.
 */
#ifndef _PMUDEV_TASK_CHILDREN_H
#define _PMUDEV_TASK_CHILDREN_H

#include <linux/rcupdate.h>

#include "../context/context.h"

struct pmudev_child;
struct pmudev_quota_owner;

/* What children counted */
struct pmudev_sum {
	u64 value[PMUDEV_MAX_EVENTS];	/* by slot */
	u64 enabled[PMUDEV_MAX_EVENTS]; /* ticks, by slot */
	u64 running[PMUDEV_MAX_EVENTS]; /* ticks, by slot */
	u64 set_enabled;		/* ticks, of the set */
	u64 set_running;		/* likewise */
};

/* A walk over a set and its children */
struct pmudev_walk {
	pmudev_set_fn fn; /* what is done to each */
	void *arg;	  /* its argument */
	/*
	 * NULL, or the sum that fn adds each child to with pmudev_sum_add_child(). It begins with
	 * what ended children counted; a child that ends before it is reached adds itself.
	 */
	struct pmudev_sum *total;
	u64 reset;    /* slots whose counts of ended children are dropped */
	u64 forget;   /* slots whose times of ended children are dropped */
	bool reading; /* nothing is changed: children that are made meanwhile need not be reached */
	/*
	 * fn changes nothing and asks what threads have. Of a child that is made meanwhile its
	 * creator is asked, which may exit before the walk reaches it. Under inherit->lock.
	 */
	bool asking;
	/* For inherited sets, as all below. Or NULL: done as it begins, under inherit->lock. */
	void (*begin)(struct pmudev_set *set, void *arg);
	bool leaving; /* fn also concerns children that end before they are reached */
	/* Or NULL: what is done after that, without ctx->lock. May sleep. Not to new children. */
	void (*then)(struct pmudev_set *set, void *arg);
};

/* What an inherited set has beside its own events */
struct pmudev_inherit {
	struct mutex mutex;	   /* one walk at a time */
	raw_spinlock_t lock;	   /* all below unless it says otherwise; raw, irqs off */
	struct list_head children; /* those not yet reached by the walk first, then the others */
	u32 seq;		   /* number of the walk; a child that was reached has the same */
	u32 parent_seq;		   /* the last walk that reached the parent */
	struct list_head to_visit; /* children that a pmudev_children_each() has not visited */
	struct list_head visited;  /* and those that it has */
	const struct pmudev_walk *walk; /* the walk in progress, if new children matter to it */
	struct pmudev_sum *total;	/* the walk's sum, or NULL */
	u64 reset;			/* the walk's, see there */
	u64 forget;			/* likewise */
	struct pmudev_sum ended;	/* sums of the children that have ended */
	u32 nr_started;			/* how many children there were */
	bool incomplete;		/* a child could not be counted; also read without lock */
	bool closing; /* the parent is being destroyed: no more children are made; without lock */
	bool threads_only; /* children that are processes of their own do not inherit. Constant. */
};

/* A child: the part of an inherited set that one thread has */
struct pmudev_child {
	struct list_head node; /* in inherit->children, or a list of its own; under inherit->lock */
	struct kref ref;       /* its thread's context, and a walk that works on it */
	u32 seq;	       /* the last walk that reached it; under inherit->lock */
	struct list_head pass_node; /* in inherit->to_visit or ->visited; under inherit->lock */
	struct pmudev_child *next_ended;  /* the next child of a thread that has exited */
	struct pmudev_quota_owner *owner; /* whose quota it takes; NULL: nobody's */
	struct rcu_head rcu;		  /* for freeing it */
	/* Frees it when the last reference is gone; the parent may be gone, too. Constant. */
	void (*release)(struct pmudev_child *child);
	struct pmudev_set_deadlines *deadlines; /* memory for them, until it is used */
	u8 own_chunks;	       /* how many chunks of events are part of it. Constant. */
	struct pmudev_set set; /* the set; its chunks follow */
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
void pmudev_sum_add(struct pmudev_sum *sum, struct pmudev_child *child, u64 values, u64 times)
	__must_hold(&child->set.inherit->lock);

/* Add a child that a walk visits to the walk's sum. Its ctx->lock held, its events updated. */
void pmudev_sum_add_child(struct pmudev_sum *total, struct pmudev_child *child)
	__must_hold(&child->set.ctx->lock);

/* pmudev_set_walk() of an inherited set. May sleep. */
void pmudev_walk_children(struct pmudev_set *set, struct pmudev_walk *walk);

/*
 * Do something to a set with a file and each of its children. May sleep if the set is inherited,
 * else as pmudev_ctx_call().
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
 * Call @fn with each child, without a lock but the set's mutex: also with those that are made until
 * the last was visited. It stops when @fn fails. May sleep. Return: what @fn returned.
 */
int pmudev_children_each(struct pmudev_set *parent, int (*fn)(struct pmudev_set *child, void *arg),
			 void *arg);

/*
 * Memory for what children will be told of when the parent's events are enabled, allocated before
 * the locks that others want. The set's mutex held. May sleep.
 */
void pmudev_children_make_room(struct pmudev_set *parent);

#endif /* _PMUDEV_TASK_CHILDREN_H */
