// SPDX-License-Identifier: GPL-2.0
/* Inheritance: how children begin. inherit_end.c: how they end; task/children.c: the walk. */
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../context/deadline.h"
#include "../context/events.h"
#include "../context/rotate.h"
#include "../memory.h"
#include "../task/attach.h"
#include "inherit.h"
#include "quota.h"
#include "set.h"

unsigned int pmudev_inherit_limit(void)
{
	return perfmon_capable() ? 2 * PMUDEV_MAX_INHERIT : PMUDEV_MAX_INHERIT;
}

void pmudev_ctx_add_inherited(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	lockdep_assert_held(&ctx->lock);
	/* Also read without the lock. */
	WRITE_ONCE(ctx->nr_inherited, ctx->nr_inherited + 1);
	hlist_add_head(&set->ctx_node, &ctx->inherited);
}

/* Also of one that never started: it is charged to nobody and does not wait for RCU. */
static void child_free(struct pmudev_child *child)
{
	unsigned int i;

	/* Chunks for events that were added later have memory of their own. */
	for (i = child->own_chunks; i < ARRAY_SIZE(child->set.chunk); i++)
		kfree(child->set.chunk[i]);
	if (child->deadlines)
		pmudev_set_deadlines_put(child->deadlines);
	pmudev_quota_put_memory(child->owner);
	kfree(child);
}

static void child_free_rcu(struct rcu_head *rcu)
{
	child_free(container_of(rcu, struct pmudev_child, rcu));
}

/* The last reference is gone. */
static void child_release(struct pmudev_child *child)
{
	if (child->set.deadlines)
		pmudev_set_deadlines_put(child->set.deadlines);
	if (child->set.ctx)
		pmudev_ctx_put(child->set.ctx);
	pmudev_quota_uncharge(child->owner);
	call_rcu(&child->rcu, child_free_rcu);
}

static struct pmudev_child *child_alloc(unsigned int nr_slots, gfp_t gfp)
{
	unsigned int i, chunks = DIV_ROUND_UP(max(nr_slots, 1U), PMUDEV_CHUNK);
	struct pmudev_child *child;
	struct pmudev_event *more;
	struct pmudev_set *set;

	/* One piece: chunks beyond the first follow it. */
	child = kzalloc(sizeof(*child) + (chunks - 1) * PMUDEV_CHUNK * sizeof(*more), gfp);
	if (!child)
		return NULL;
	more = (struct pmudev_event *)(child + 1);
	set = &child->set;
	set->chunk[0] = set->first;
	for (i = 1; i < chunks; i++)
		set->chunk[i] = more + (i - 1) * PMUDEV_CHUNK;
	child->own_chunks = chunks;
	INIT_LIST_HEAD(&child->node);
	kref_init(&child->ref);
	child->release = child_release;
	return child;
}

int pmudev_inherit_create(struct pmudev_set *set, bool threads_only)
{
	struct pmudev_inherit *inherit = kzalloc(sizeof(*inherit), PMUDEV_GFP);

	if (!inherit)
		return -ENOMEM;
	mutex_init(&inherit->mutex);
	raw_spin_lock_init(&inherit->lock);
	INIT_LIST_HEAD(&inherit->children);
	INIT_LIST_HEAD(&inherit->to_visit);
	INIT_LIST_HEAD(&inherit->visited);
	inherit->threads_only = threads_only;
	set->inherit = inherit;
	return 0;
}

/* What a walk has not yet done to the set that a new child comes from is done to the child now. */
static void catch_up(struct pmudev_child *child, struct pmudev_set *from,
		     const struct pmudev_walk *walk)
{
	lockdep_assert_held(&from->inherit->lock);
	if (walk->asking) {
		lockdep_assert_held(&from->ctx->lock);
		walk->fn(from->ctx, from, walk->arg);
		return;
	}
	walk->fn(child->set.ctx, &child->set, walk->arg);
	/* It may have no room for all events that are new. */
	if (walk->fn == pmudev_change_enable &&
	    (((const struct pmudev_enable_arg *)walk->arg)->slots & ~child->set.used))
		from->inherit->incomplete = true;
}

/* Add to the children. */
static void join(struct pmudev_child *child, struct pmudev_set *from)
{
	struct pmudev_inherit *inherit = child->set.inherit;
	u32 seq;

	raw_spin_lock(&inherit->lock);
	seq = pmudev_set_is_child(from) ? pmudev_child_of(from)->seq : inherit->parent_seq;
	if (inherit->walk && seq != inherit->seq)
		catch_up(child, from, inherit->walk);
	child->seq = inherit->seq;
	list_add_tail(&child->node, &inherit->children);
	list_add_tail(&child->pass_node, &inherit->to_visit);
	raw_spin_unlock(&inherit->lock);
}

/* Charge a child to the owner of its parent. */
static bool charge(struct pmudev_child *child, struct pmudev_set *parent)
{
	struct pmudev_quota_owner *owner = pmudev_open_set(parent)->owner;

	if (!pmudev_quota_charge(owner))
		return false;
	child->owner = owner;
	return true;
}

static void set_incomplete(struct pmudev_inherit *inherit)
{
	raw_spin_lock(&inherit->lock);
	inherit->incomplete = true;
	raw_spin_unlock(&inherit->lock);
}

/* The set may have got deadlines, or more, since memory was allocated. */
static void inherit_deadlines(struct pmudev_child *child, struct pmudev_set *from,
			      struct pmudev_ctx *ctx)
{
	if (pmudev_deadlines_inherit(ctx, &child->set, from, child->deadlines))
		child->deadlines = NULL;
	else
		set_incomplete(from->inherit);
}

/*
 * Make a child of @from on @ctx. Either that is the context of a task that has not run, whose
 * clocks stand at 0, and both contexts' locks are held; or nothing of @from is enabled.
 */
static void child_start(struct pmudev_child *child, struct pmudev_set *from, struct pmudev_ctx *ctx)
{
	struct pmudev_set *set = &child->set;
	u32 number;

	lockdep_assert_held(&ctx->lock);
	set->parent = from->parent;
	set->inherit = from->inherit;
	set->pmu = from->pmu;
	set->cpu = -1;
	set->on_exec = from->on_exec;
	set->armed = from->armed;
	set->nr_slots = from->nr_slots;
	set->used = from->used;
	set->mux = from->mux;
	set->enabled = from->enabled;
	pmudev_events_copy(set, from, from->used);
	set->ctx = ctx;
	if (from->deadlines)
		inherit_deadlines(child, from, ctx);
	WARN_ON_ONCE(!pmudev_slots_activate(ctx, set, from->active & ~from->mux));
	if (from->rotation.plan) {
		raw_spin_lock(&set->inherit->lock);
		number = set->inherit->nr_started++;
		raw_spin_unlock(&set->inherit->lock);
		pmudev_rotation_inherit(ctx, set, from, number);
	}
	kref_get(&ctx->ref);
	ctx->link.nr_sets++;
	pmudev_ctx_add_inherited(ctx, set);
	join(child, from);
}

/* Has a context a child of this set? ctx->lock held. */
static bool has_child(struct pmudev_ctx *ctx, const struct pmudev_set *parent)
{
	struct pmudev_set *set;

	hlist_for_each_entry(set, &ctx->inherited, ctx_node)
		if (set->parent == parent)
			return true;
	return false;
}

/* Does @task, which the calling thread has made, inherit a set? */
static bool inherits(const struct pmudev_set *set, struct task_struct *task)
{
	const struct pmudev_inherit *inherit = set->inherit;

	return inherit && !READ_ONCE(inherit->closing) &&
	       (!inherit->threads_only || same_thread_group(task, current));
}

/* What the children take that a new task gets */
struct needs {
	unsigned int children;
	unsigned int slots;	/* the most that one of them has */
	unsigned int deadlines; /* likewise */
	bool stop;		/* one of them can be stopped */
};

static struct needs count_inherited(struct pmudev_ctx *ctx, struct task_struct *task)
{
	struct needs needs = {};
	struct pmudev_set *set;
	unsigned int deadlines;
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	hlist_for_each_entry(set, &ctx->inherited, ctx_node) {
		if (!inherits(set, task))
			continue;
		needs.children++;
		needs.slots = max3(needs.slots, set->nr_slots, READ_ONCE(set->parent->nr_slots));
		if (!set->deadlines)
			continue;
		deadlines = hweight64(READ_ONCE(set->deadlines->common->room));
		needs.deadlines = max(needs.deadlines, deadlines);
		if (set->deadlines->stop)
			needs.stop = true;
	}
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return needs;
}

/* Without memory for deadlines the child counts, and the record says INCOMPLETE. */
static struct pmudev_child *prepare_child(const struct needs *needs)
{
	struct pmudev_child *child = child_alloc(needs->slots, PMUDEV_GFP_NOWAIT);

	if (child && needs->deadlines)
		child->deadlines = pmudev_set_deadlines_alloc(needs->deadlines, needs->stop,
							      PMUDEV_GFP_NOWAIT);
	return child;
}

/* Make one child of each inherited set of @ctx on @fresh, which is NULL without memory. */
static void inherit(struct pmudev_ctx *ctx, struct task_struct *task, struct pmudev_ctx *fresh,
		    struct list_head *prepared, unsigned int slots)
{
	bool foreign = fresh && fresh->link.nr_parents;
	struct pmudev_child *child;
	struct pmudev_set *set;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry(set, &ctx->inherited, ctx_node) {
		if (!inherits(set, task) || (fresh && has_child(fresh, set->parent)))
			continue;
		child = list_first_entry_or_null(prepared, struct pmudev_child, node);
		/*
		 * The set may have grown, or come, since memory was allocated. Or another process
		 * counts the new task already, perhaps on the set's counters.
		 */
		if (fresh && child && set->nr_slots <= slots && !foreign &&
		    charge(child, set->parent)) {
			list_del_init(&child->node);
			child_start(child, set, fresh);
			continue;
		}
		set_incomplete(set->inherit);
	}
}

void pmudev_inherit_fork(struct pmudev_ctx *ctx, struct task_struct *task)
{
	struct pmudev_child *child, *next;
	struct needs needs = count_inherited(ctx, task);
	unsigned int nr = needs.children;
	struct pmudev_ctx *fresh;
	unsigned long flags;
	LIST_HEAD(prepared);

	if (!nr)
		return;
	needs.slots = round_up(needs.slots, PMUDEV_CHUNK);
	while (nr--) {
		child = prepare_child(&needs);
		if (child)
			list_add(&child->node, &prepared);
	}
	fresh = pmudev_attach_new_task(task, ctx->pmu);
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (fresh) {
		raw_spin_lock_nested(&fresh->lock, SINGLE_DEPTH_NESTING);
		inherit(ctx, task, fresh, &prepared, needs.slots);
		raw_spin_unlock(&fresh->lock);
	} else {
		inherit(ctx, task, NULL, &prepared, needs.slots);
	}
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	/* It was attached for one set too many. */
	if (fresh)
		pmudev_detach(fresh);
	list_for_each_entry_safe(child, next, &prepared, node)
		child_free(child);
}

bool pmudev_inherit_has(struct pmudev_set *parent, const struct task_struct *task)
{
	struct pmudev_ctx *ctx = pmudev_ctx_find(task, parent->pmu);
	unsigned long flags;
	bool has;

	if (!ctx)
		return false;
	raw_spin_lock_irqsave(&ctx->lock, flags);
	has = has_child(ctx, parent);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	pmudev_ctx_put(ctx);
	return has;
}

/* A thread that gets a child. */
struct attaching {
	struct pmudev_set *parent;
	struct pmudev_child *child;
	unsigned int limit; /* how many inherited sets the thread may have */
	bool started;	    /* out */
	int error;	    /* out: 0, -EBUSY, -EDQUOT */
};

static void attach_child(struct pmudev_ctx *ctx, void *arg)
{
	struct attaching *attaching = arg;

	/* Nothing is enabled yet, so the context's clocks do not matter. */
	if (ctx->dead || has_child(ctx, attaching->parent))
		return;
	if (ctx->nr_inherited >= attaching->limit) {
		attaching->error = -EBUSY;
		return;
	}
	attaching->started = charge(attaching->child, attaching->parent);
	if (attaching->started)
		child_start(attaching->child, attaching->parent, ctx);
	else
		attaching->error = -EDQUOT;
}

int pmudev_inherit_attach(struct pmudev_set *parent, struct task_struct *task)
{
	struct attaching attaching = { .parent = parent, .limit = pmudev_inherit_limit() };
	struct pmudev_ctx *ctx;

	attaching.child = child_alloc(0, pmudev_bind_gfp(task));
	if (!attaching.child)
		return -ENOMEM;
	ctx = pmudev_attach(task, parent->pmu);
	if (!IS_ERR(ctx)) {
		pmudev_ctx_call(ctx, attach_child, &attaching);
		pmudev_detach(ctx);
	}
	if (!attaching.started)
		child_free(attaching.child);
	return IS_ERR(ctx) ? PTR_ERR(ctx) : attaching.error;
}
