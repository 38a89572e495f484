// SPDX-License-Identifier: GPL-2.0
/*
 * Inherited sets: children come with their threads and go with them. event.h has the words, walk.c
 * what is done to all of them.
 */
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "core.h"

int pmudev_inherit_create(struct pmudev_set *set, bool threads_only)
{
	struct pmudev_inherit *inherit = kzalloc(sizeof(*inherit), PMUDEV_GFP);

	if (!inherit)
		return -ENOMEM;
	mutex_init(&inherit->mutex);
	raw_spin_lock_init(&inherit->lock);
	INIT_LIST_HEAD(&inherit->children);
	inherit->threads_only = threads_only;
	set->inherit = inherit;
	return 0;
}

bool pmudev_has_children(struct pmudev_set *set)
{
	return set->inherit && !list_empty(&set->inherit->children);
}

/* ------------------------------------------------------- an child's life -- */

static struct pmudev_set *child_alloc(unsigned int nr_slots, gfp_t gfp)
{
	unsigned int i, chunks = DIV_ROUND_UP(max(nr_slots, 1U), PMUDEV_CHUNK);
	struct pmudev_event *more;
	struct pmudev_set *child;

	/* One piece: what a set has in chunks follows it. */
	child = kzalloc(sizeof(*child) + (chunks - 1) * PMUDEV_CHUNK * sizeof(*more), gfp);
	if (!child)
		return NULL;
	more = (struct pmudev_event *)(child + 1);
	child->chunk[0] = child->first;
	for (i = 1; i < chunks; i++)
		child->chunk[i] = more + (i - 1) * PMUDEV_CHUNK;
	child->own_chunks = chunks;
	INIT_LIST_HEAD(&child->child_node);
	kref_init(&child->child_ref);
	return child;
}

/* Also of one that was never started: nobody looks at it, and nobody pays for what waits for RCU. */
static void child_free(struct pmudev_set *child)
{
	unsigned int i;

	/* What was added to the root after the child was started has chunks of its own. */
	for (i = child->own_chunks; i < ARRAY_SIZE(child->chunk); i++)
		kfree(child->chunk[i]);
	pmudev_quota_put_memory(child->owner);
	kfree(child);
}

static void child_free_rcu(struct rcu_head *rcu)
{
	child_free(container_of(rcu, struct pmudev_set, rcu));
}

static void child_release(struct kref *ref)
{
	struct pmudev_set *child = container_of(ref, struct pmudev_set, child_ref);

	if (child->ctx)
		pmudev_ctx_put(child->ctx);
	pmudev_quota_uncharge(child->owner);
	call_rcu(&child->rcu, child_free_rcu);
}

void pmudev_child_put(struct pmudev_set *child)
{
	kref_put(&child->child_ref, child_release);
}

static void copy_events(struct pmudev_set *child, struct pmudev_set *src, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots) {
		struct pmudev_event *event = pmudev_slot_event(child, slot);

		*event = *pmudev_slot_event(src, slot);
		event->hw.value = 0;
		event->time_enabled = 0;
		event->time_running = 0;
	}
}

/* Join the family. What a walk has not yet done to the parent is done to the child now. */
static void join(struct pmudev_set *child, const struct pmudev_set *src)
{
	struct pmudev_inherit *inherit = child->inherit;
	struct pmudev_change change;

	raw_spin_lock(&inherit->lock);
	if (inherit->fn && src->seq != inherit->seq) {
		change = *inherit->change;
		change.set = child;
		inherit->fn(child->ctx, &change);
		/* Of what is new it may have no room for all. */
		if (inherit->fn == pmudev_change_enable && (change.slots & ~child->used))
			inherit->incomplete = true;
	}
	child->seq = inherit->seq;
	list_add_tail(&child->child_node, &inherit->children);
	raw_spin_unlock(&inherit->lock);
}

/* How many there were before. */
static u32 count_child(struct pmudev_inherit *inherit)
{
	u32 nr_started;

	raw_spin_lock(&inherit->lock);
	nr_started = inherit->nr_started++;
	raw_spin_unlock(&inherit->lock);
	return nr_started;
}

/*
 * Make @child the child of @src on @ctx: either the latter is a child's that has not run, whose
 * clocks stand at 0, and both contexts' locks are held; or nothing of @src is enabled.
 */
static void child_start(struct pmudev_set *child, struct pmudev_set *src, struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	child->parent = src->parent;
	child->inherit = src->inherit;
	child->pmu = src->pmu;
	child->cpu = -1;
	child->on_exec = src->on_exec;
	child->armed = src->armed;
	child->nr_slots = src->nr_slots;
	child->used = src->used;
	child->mux = src->mux;
	child->enabled = src->enabled;
	copy_events(child, src, src->used);
	WARN_ON_ONCE(!pmudev_slots_activate(ctx, child, src->active & ~src->mux));
	child->rotation = src->rotation;
	if (child->rotation) {
		/* Children that live for less than a turn each have another one. */
		child->rotation_pos = count_child(child->inherit) % max(child->rotation->nr, 1U);
		hlist_add_head(&child->rotate_node, &ctx->rotating);
		pmudev_rotation_apply(ctx, child);
	}
	child->ctx = ctx;
	kref_get(&ctx->ref);
	ctx->nr_sets++;
	WRITE_ONCE(ctx->nr_inherit, ctx->nr_inherit + 1);
	hlist_add_head(&child->ctx_node, &ctx->inherit);
	join(child, src);
}

/* Who pays for the root pays for each child. */
static bool pay(struct pmudev_set *child, const struct pmudev_set *src)
{
	if (!pmudev_quota_charge(src->parent->owner))
		return false;
	child->owner = src->parent->owner;
	return true;
}

static void lose(struct pmudev_set *set)
{
	raw_spin_lock(&set->inherit->lock);
	set->inherit->incomplete = true;
	raw_spin_unlock(&set->inherit->lock);
}

/* @child is a child of the calling thread. */
static bool inherits(const struct pmudev_set *set, struct task_struct *task)
{
	const struct pmudev_inherit *inherit = set->inherit;

	return inherit && !READ_ONCE(inherit->closing) &&
	       (!inherit->threads_only || same_thread_group(task, current));
}

/* How many sets of the context are inherited, and the most slots one has. */
static unsigned int count_inherited(struct pmudev_ctx *ctx, struct task_struct *task,
				    unsigned int *slots)
{
	struct pmudev_set *set;
	unsigned long flags;
	unsigned int nr = 0;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	hlist_for_each_entry(set, &ctx->inherit, ctx_node) {
		if (!inherits(set, task))
			continue;
		nr++;
		*slots = max3(*slots, set->nr_slots, READ_ONCE(set->parent->nr_slots));
	}
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return nr;
}

static bool has_child(struct pmudev_ctx *ctx, const struct pmudev_set *parent)
{
	struct pmudev_set *set;

	hlist_for_each_entry(set, &ctx->inherit, ctx_node)
		if (set->parent == parent)
			return true;
	return false;
}

/* One child for each inherited set of @ctx. */
static void inherit(struct pmudev_ctx *ctx, struct task_struct *task, struct pmudev_ctx *new,
		    struct list_head *spares, unsigned int slots)
{
	bool foreign = new &&new->nr_parents;
	struct pmudev_set *set, *child;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry(set, &ctx->inherit, ctx_node) {
		if (!inherits(set, task) || (new &&has_child(new, set->parent)))
			continue;
		child = list_first_entry_or_null(spares, struct pmudev_set, child_node);
		/*
		 * The set may have grown, or come, since memory was asked for. Or somebody counts
		 * the child already, on what may be the set's counters.
		 */
		if (!new || !child || set->nr_slots > slots || foreign || !pay(child, set)) {
			lose(set);
			continue;
		}
		list_del_init(&child->child_node);
		child_start(child, set, new);
	}
}

void pmudev_inherit_fork(struct pmudev_ctx *ctx, struct task_struct *task)
{
	struct pmudev_set *child, *next;
	struct pmudev_ctx *started;
	unsigned int nr, slots = 0;
	unsigned long flags;
	LIST_HEAD(spares);

	nr = count_inherited(ctx, task, &slots);
	if (!nr)
		return;
	slots = round_up(slots, PMUDEV_CHUNK);
	while (nr--) {
		child = child_alloc(slots, PMUDEV_GFP_NOWAIT);
		if (child)
			list_add(&child->child_node, &spares);
	}
	started = pmudev_attach_new_task(task, ctx->pmu);
	if (started) {
		raw_spin_lock_irqsave(&ctx->lock, flags);
		raw_spin_lock_nested(&started->lock, SINGLE_DEPTH_NESTING);
		inherit(ctx, task, started, &spares, slots);
		raw_spin_unlock(&started->lock);
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
		/* It was kept by one set too many. */
		pmudev_detach(started);
	} else {
		raw_spin_lock_irqsave(&ctx->lock, flags);
		inherit(ctx, task, NULL, &spares, slots);
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
	}
	list_for_each_entry_safe(child, next, &spares, child_node)
		child_free(child);
}

/* ------------------------------------------------------------- attaching_child -- */

unsigned int pmudev_inherit_limit(void)
{
	return perfmon_capable() ? 2 * PMUDEV_MAX_INHERIT : PMUDEV_MAX_INHERIT;
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

struct attaching_child {
	struct pmudev_set *parent;
	struct pmudev_set *child;
	unsigned int limit;
	bool started;
	int error;
};

static void attach_child_here(struct pmudev_ctx *ctx, void *arg)
{
	struct attaching_child *attaching_child = arg;

	/* Nothing is enabled yet: its clocks do not matter. */
	if (ctx->dead || has_child(ctx, attaching_child->parent))
		return;
	if (ctx->nr_inherit >= attaching_child->limit) {
		attaching_child->error = -EBUSY;
		return;
	}
	attaching_child->started = pay(attaching_child->child, attaching_child->parent);
	if (attaching_child->started)
		child_start(attaching_child->child, attaching_child->parent, ctx);
	else
		attaching_child->error = -EDQUOT;
}

int pmudev_inherit_attach(struct pmudev_set *parent, struct task_struct *task)
{
	struct attaching_child attaching_child = { .parent = parent,
						   .limit = pmudev_inherit_limit() };
	struct pmudev_ctx *ctx;

	attaching_child.child = child_alloc(0, pmudev_bind_gfp(task));
	if (!attaching_child.child)
		return -ENOMEM;
	ctx = pmudev_attach(task, parent->pmu);
	if (!IS_ERR(ctx)) {
		pmudev_ctx_call(ctx, attach_child_here, &attaching_child);
		pmudev_detach(ctx);
	}
	if (!attaching_child.started)
		child_free(attaching_child.child);
	return IS_ERR(ctx) ? PTR_ERR(ctx) : attaching_child.error;
}

/* ---------------------------------------------------------- an child ends -- */

void pmudev_sum_add(struct pmudev_sum *sum, struct pmudev_set *child, u64 values, u64 times)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(child->ctx);
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, child->used) {
		struct pmudev_event *event = pmudev_slot_event(child, slot);
		u64 bit = BIT_ULL(slot);

		if (values & bit)
			sum->value[slot] += event->hw.value;
		if (!(times & bit))
			continue;
		sum->enabled[slot] += event->time_enabled;
		sum->running[slot] += event->time_running;
		if (child->enabled & bit)
			sum->enabled[slot] += now.enabled;
		if (child->active & bit)
			sum->running[slot] += now.running;
	}
	sum->set_enabled += child->time_enabled;
	sum->set_running += child->time_running;
	if (child->enabled)
		sum->set_enabled += now.enabled;
	if (child->enabled && child->active == child->enabled)
		sum->set_running += now.running;
}

void pmudev_child_leave(struct pmudev_set *child)
{
	struct pmudev_inherit *inherit = child->inherit;
	bool reached;

	lockdep_assert_held(&child->ctx->lock);
	raw_spin_lock(&inherit->lock);
	list_del_init(&child->child_node);
	reached = child->seq == inherit->seq;
	/* What a walk takes back, it takes back from those that it does not reach, too. */
	pmudev_sum_add(&inherit->ended, child, reached ? ~0ULL : ~inherit->reset,
		       reached ? ~0ULL : ~inherit->forget);
	if (inherit->total && !reached)
		pmudev_sum_add(inherit->total, child, ~0ULL, ~0ULL);
	raw_spin_unlock(&inherit->lock);

	hlist_del_init(&child->ctx_node);
	hlist_del_init(&child->rotate_node);
	WRITE_ONCE(child->ctx->nr_inherit, child->ctx->nr_inherit - 1);
}

struct pmudev_set *pmudev_inherit_exit(struct pmudev_ctx *ctx)
{
	struct pmudev_set *set, *ended = NULL;
	struct hlist_node *next;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry_safe(set, next, &ctx->inherit, ctx_node) {
		if (set->parent == set)
			continue;
		pmudev_child_leave(set);
		/* It goes; the context and what others have on it stay. */
		pmudev_slots_deactivate(ctx, set, set->active);
		ctx->nr_sets--;
		set->next_ended = ended;
		ended = set;
	}
	return ended;
}

void pmudev_inherit_free(struct pmudev_set *children)
{
	while (children) {
		struct pmudev_set *next = children->next_ended;

		pmudev_child_put(children);
		children = next;
	}
}
