// SPDX-License-Identifier: GPL-2.0
/* The walk over an inherited set's children. */
#include <linux/slab.h>

#include "../context/totals.h"
#include "../memory.h"
#include "../worker.h"
#include "children.h"

static void child_release(struct kref *ref)
{
	struct pmudev_child *child = container_of(ref, struct pmudev_child, ref);

	child->release(child);
}

void pmudev_child_put(struct pmudev_child *child)
{
	kref_put(&child->ref, child_release);
}

void pmudev_sum_add(struct pmudev_sum *sum, struct pmudev_child *child, u64 values, u64 times)
{
	struct pmudev_set *set = &child->set;
	struct pmudev_clocks now = pmudev_ctx_clocks(set->ctx);
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, set->used) {
		struct pmudev_event *event = pmudev_slot_event(set, slot);
		u64 bit = BIT_ULL(slot);

		if (values & bit)
			sum->value[slot] += pmudev_event_count(event);
		if (!(times & bit))
			continue;
		sum->enabled[slot] += event->time_enabled;
		sum->running[slot] += event->time_running;
		if (set->enabled & bit)
			sum->enabled[slot] += now.enabled;
		if (set->active & bit)
			sum->running[slot] += now.running;
	}
	sum->set_enabled += set->time_enabled;
	sum->set_running += set->time_running;
	if (set->enabled)
		sum->set_enabled += now.enabled;
	if (set->enabled && set->active == set->enabled)
		sum->set_running += now.running;
}

void pmudev_sum_add_child(struct pmudev_sum *total, struct pmudev_child *child)
{
	struct pmudev_inherit *inherit = child->set.inherit;

	lockdep_assert_held(&child->set.ctx->lock);
	/* A child that ends may add itself at the same time. */
	raw_spin_lock(&inherit->lock);
	pmudev_sum_add(total, child, ~0ULL, ~0ULL);
	raw_spin_unlock(&inherit->lock);
}

static void forget_sum(struct pmudev_sum *sum, u64 values, u64 times)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, values)
		sum->value[slot] = 0;
	pmudev_for_each_slot(slot, rest, times) {
		sum->enabled[slot] = 0;
		sum->running[slot] = 0;
	}
}

static int make_room(struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots) {
		struct pmudev_event **chunk = &set->chunk[slot / PMUDEV_CHUNK];

		if (!*chunk)
			*chunk = kcalloc(PMUDEV_CHUNK, sizeof(**chunk), PMUDEV_GFP);
		if (!*chunk)
			return -ENOMEM;
	}
	return 0;
}

/*
 * The child to be visited after @child (NULL: the first), referenced; @child is put. NULL: the pass
 * is over. A list of its own: walks move children in the other meanwhile.
 */
static struct pmudev_child *next_child(struct pmudev_inherit *inherit, struct pmudev_child *child)
{
	struct pmudev_child *next;

	raw_spin_lock_irq(&inherit->lock);
	if (!child)
		list_splice_init(&inherit->visited, &inherit->to_visit);
	next = list_first_entry_or_null(&inherit->to_visit, struct pmudev_child, pass_node);
	if (next) {
		list_move_tail(&next->pass_node, &inherit->visited);
		kref_get(&next->ref);
	}
	raw_spin_unlock_irq(&inherit->lock);
	if (child)
		pmudev_child_put(child);
	return next;
}

int pmudev_children_each(struct pmudev_set *parent, int (*fn)(struct pmudev_set *child, void *arg),
			 void *arg)
{
	struct pmudev_child *child = NULL;
	int ret;

	if (!parent->inherit)
		return 0;
	while ((child = next_child(parent->inherit, child))) {
		ret = fn(&child->set, arg);
		if (ret) {
			pmudev_child_put(child);
			return ret;
		}
		cond_resched();
	}
	return 0;
}

static int make_events_room(struct pmudev_set *child, void *arg)
{
	struct pmudev_set *parent = arg;

	return make_room(child, parent->used);
}

void pmudev_children_make_room(struct pmudev_set *parent)
{
	/* Children made meanwhile have room. Counts of those that this misses are incomplete. */
	if (parent->nr_slots > PMUDEV_CHUNK)
		pmudev_children_each(parent, make_events_room, parent);
}

static void begin_walk(struct pmudev_set *parent, const struct pmudev_walk *walk)
{
	struct pmudev_inherit *inherit = parent->inherit;

	raw_spin_lock_irq(&inherit->lock);
	inherit->seq++;
	inherit->walk = walk->reading ? NULL : walk;
	inherit->total = walk->total;
	if (inherit->total)
		*inherit->total = inherit->ended;
	inherit->reset = walk->reset;
	inherit->forget = walk->forget;
	if (walk->begin)
		walk->begin(parent, walk->arg);
	pmudev_totals_drop(parent, walk->reset, inherit->ended.value);
	forget_sum(&inherit->ended, walk->reset, walk->forget);
	raw_spin_unlock_irq(&inherit->lock);
}

static void end_walk(struct pmudev_inherit *inherit)
{
	raw_spin_lock_irq(&inherit->lock);
	inherit->total = NULL;
	inherit->walk = NULL;
	inherit->reset = 0;
	inherit->forget = 0;
	raw_spin_unlock_irq(&inherit->lock);
}

/* The first child that the walk has not reached, referenced; or NULL. */
static struct pmudev_child *not_reached(struct pmudev_inherit *inherit)
{
	struct pmudev_child *child;

	raw_spin_lock_irq(&inherit->lock);
	child = list_first_entry_or_null(&inherit->children, struct pmudev_child, node);
	if (child && child->seq == inherit->seq)
		child = NULL;
	if (child)
		kref_get(&child->ref);
	raw_spin_unlock_irq(&inherit->lock);
	return child;
}

/* On the parent's context, or a child's. */
static void visit(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_child *child = pmudev_set_is_child(set) ? pmudev_child_of(set) : NULL;
	struct pmudev_inherit *inherit = set->inherit;
	const struct pmudev_walk *walk = arg;

	/* It has ended. */
	if (child && list_empty(&child->node))
		return;
	if (!walk->asking)
		walk->fn(ctx, set, walk->arg);
	raw_spin_lock(&inherit->lock);
	if (walk->asking)
		walk->fn(ctx, set, walk->arg);
	*(child ? &child->seq : &inherit->parent_seq) = inherit->seq;
	/* pmudev_has_children() takes no lock: the list must not be empty even for a moment. */
	if (child && !list_is_singular(&inherit->children))
		list_move_tail(&child->node, &inherit->children);
	raw_spin_unlock(&inherit->lock);
}

/* A walk, for pmudev_locked() */
struct walking {
	struct pmudev_set *set;	  /* the parent */
	struct pmudev_walk *walk; /* the walk */
};

/*
 * Calls for other sets rotate one that multiplexes, with pmu->lock held, and the work that brings
 * totals up to date has a worker that others need: these wait for inherit->mutex.
 */
static bool others_wait(const struct pmudev_set *set)
{
	/* Pairs with pmudev_take_deadlines(). */
	const struct pmudev_set_deadlines *deadlines = smp_load_acquire(&set->deadlines);

	return set->mux || (deadlines && READ_ONCE(deadlines->common->totals));
}

/* inherit->mutex held. In a worker, or by a caller that nobody waits for. */
static bool walk_all(void *arg)
{
	struct walking *walking = arg;
	struct pmudev_set *parent = walking->set;
	struct pmudev_walk *walk = walking->walk;
	struct pmudev_inherit *inherit = parent->inherit;
	struct pmudev_child *child;

	if (others_wait(parent) && !pmudev_in_worker())
		return false;
	begin_walk(parent, walk);
	pmudev_set_call_alone(parent, visit, walk);
	if (walk->then)
		walk->then(parent, walk->arg);
	while ((child = not_reached(inherit))) {
		/* Without memory a child cannot count what is new, but what it has goes on. */
		if (walk->fn == pmudev_change_enable &&
		    pmudev_slots_room(&child->set, parent->used) != parent->used)
			WRITE_ONCE(inherit->incomplete, true);
		pmudev_set_call_alone(&child->set, visit, walk);
		if (walk->then)
			walk->then(&child->set, walk->arg);
		pmudev_child_put(child);
		cond_resched();
	}
	end_walk(inherit);
	return true;
}

void pmudev_walk_children(struct pmudev_set *set, struct pmudev_walk *walk)
{
	struct walking walking = { .set = set, .walk = walk };
	struct pmudev_inherit *inherit = set->inherit;

	if (others_wait(set)) {
		pmudev_locked(pmudev_plain, &inherit->mutex, walk_all, &walking);
		return;
	}
	mutex_lock(&inherit->mutex);
	walk_all(&walking);
	mutex_unlock(&inherit->mutex);
}
