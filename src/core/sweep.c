// SPDX-License-Identifier: GPL-2.0
/* Sweeps: what is done to an inherited set, or read from it, reaches its children. */
#include <linux/slab.h>

#include "core.h"

/* A walk (the root's), or a step of it. */
struct visit {
	struct pmudev_set *child;
	pmudev_ctx_fn fn;
	struct pmudev_change *change;
};

/* The root is visited first, like an child. */
static void visit_here(struct pmudev_ctx *ctx, void *arg)
{
	struct visit *visit = arg;
	struct pmudev_set *set = visit->child;
	struct pmudev_inherit *inherit = set->inherit;
	struct pmudev_change change = *visit->change;

	if (set != set->parent && list_empty(&set->child_node))
		return;
	change.set = set;
	visit->fn(ctx, &change);
	if (change.error)
		visit->change->error = change.error;
	raw_spin_lock(&inherit->lock);
	set->seq = inherit->seq;
	/* Who asks whether there are children takes no lock: not even for a moment are there none. */
	if (set != set->parent && !list_is_singular(&inherit->children))
		list_move_tail(&set->child_node, &inherit->children);
	raw_spin_unlock(&inherit->lock);
}

/* An child may have to be told of events that came after it was started. Under the root's mutex. */
static bool has_room(const struct pmudev_set *child, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		if (!child->chunk[slot / PMUDEV_CHUNK])
			return false;
	return true;
}

static int make_room(struct pmudev_set *child, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots) {
		struct pmudev_event **chunk = &child->chunk[slot / PMUDEV_CHUNK];

		if (!*chunk)
			*chunk = kcalloc(PMUDEV_CHUNK, sizeof(**chunk), PMUDEV_GFP);
		if (!*chunk)
			return -ENOMEM;
	}
	return 0;
}

/*
 * The child after @child, referenced; @child is put. NULL: it was the last, or (@lost) is in the
 * family no more.
 */
static struct pmudev_set *next_child(struct pmudev_inherit *inherit, struct pmudev_set *child,
				     bool *lost)
{
	struct pmudev_set *next = NULL;

	raw_spin_lock_irq(&inherit->lock);
	*lost = child && list_empty(&child->child_node);
	if (!child)
		next = list_first_entry_or_null(&inherit->children, struct pmudev_set, child_node);
	else if (!*lost && !list_is_last(&child->child_node, &inherit->children))
		next = list_next_entry(child, child_node);
	if (next)
		kref_get(&next->child_ref);
	raw_spin_unlock_irq(&inherit->lock);
	if (child)
		pmudev_child_put(child);
	return next;
}

/* Where one has left the family in the midst of it, it begins anew, so often. */
#define MAKE_ROOM_AGAIN 64

void pmudev_inherit_make_room(struct pmudev_set *parent)
{
	unsigned int left = MAKE_ROOM_AGAIN;
	struct pmudev_set *child = NULL;
	bool lost;

	lockdep_assert_held(&parent->mutex);
	if (!parent->inherit || parent->nr_slots <= PMUDEV_CHUNK)
		return;
	/* Who comes meanwhile has room. Whom this misses says so: his counts are incomplete. */
	do {
		while ((child = next_child(parent->inherit, child, &lost))) {
			if (make_room(child, parent->used)) {
				pmudev_child_put(child);
				return;
			}
			cond_resched();
		}
	} while (lost && left--);
}

static struct pmudev_set *not_reached(struct pmudev_inherit *inherit)
{
	struct pmudev_set *child;

	raw_spin_lock_irq(&inherit->lock);
	child = list_first_entry_or_null(&inherit->children, struct pmudev_set, child_node);
	if (child && child->seq == inherit->seq)
		child = NULL;
	if (child)
		kref_get(&child->child_ref);
	raw_spin_unlock_irq(&inherit->lock);
	return child;
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

static void begin_walk(struct pmudev_inherit *inherit, pmudev_ctx_fn fn,
		       const struct pmudev_change *change)
{
	raw_spin_lock_irq(&inherit->lock);
	inherit->seq++;
	inherit->fn = change->reading ? NULL : fn;
	inherit->change = change;
	inherit->total = change->total;
	if (inherit->total)
		*inherit->total = inherit->ended;
	inherit->reset = change->reset;
	inherit->forget = change->forget;
	forget_sum(&inherit->ended, change->reset, change->forget);
	raw_spin_unlock_irq(&inherit->lock);
}

static void end_walk(struct pmudev_inherit *inherit)
{
	raw_spin_lock_irq(&inherit->lock);
	inherit->total = NULL;
	inherit->fn = NULL;
	inherit->change = NULL;
	inherit->reset = 0;
	inherit->forget = 0;
	raw_spin_unlock_irq(&inherit->lock);
}

/* In a worker, or in a call that nobody waits for. */
static bool walk(void *arg)
{
	struct visit visit = *(struct visit *)arg;
	struct pmudev_change *change = visit.change;
	struct pmudev_set *parent = visit.child;
	struct pmudev_inherit *inherit = parent->inherit;
	pmudev_ctx_fn fn = visit.fn;

	if (parent->mux && !pmudev_in_worker())
		return false;
	begin_walk(inherit, fn, change);
	pmudev_ctx_call(parent->ctx, visit_here, &visit);
	while ((visit.child = not_reached(inherit))) {
		/* Without memory it cannot count what is new, but what it has goes on. */
		if (fn == pmudev_change_enable && !has_room(visit.child, parent->used))
			WRITE_ONCE(inherit->incomplete, true);
		pmudev_ctx_call(visit.child->ctx, visit_here, &visit);
		pmudev_child_put(visit.child);
		cond_resched();
	}
	end_walk(inherit);
	return true;
}

void pmudev_for_each_child(struct pmudev_set *parent, pmudev_ctx_fn fn,
			   struct pmudev_change *change)
{
	struct visit visit = { .child = parent, .fn = fn, .change = change };
	struct pmudev_inherit *inherit = parent->inherit;

	/* Others have it take turns, with pmu->lock held. Else all calls on it hold its mutex. */
	if (parent->mux) {
		pmudev_locked(pmudev_plain, &inherit->mutex, walk, &visit);
		return;
	}
	mutex_lock(&inherit->mutex);
	walk(&visit);
	mutex_unlock(&inherit->mutex);
}

void pmudev_sum_add_child(struct pmudev_sum *total, struct pmudev_set *child)
{
	lockdep_assert_held(&child->ctx->lock);
	/* An child that ends may add itself at the same time. */
	raw_spin_lock(&child->inherit->lock);
	pmudev_sum_add(total, child, ~0ULL, ~0ULL);
	raw_spin_unlock(&child->inherit->lock);
}

static void dismiss(struct pmudev_ctx *ctx, void *arg)
{
	struct visit *visit = arg;
	struct pmudev_set *child = visit->child;
	struct pmudev_change change = { .set = child, .slots = child->used };

	if (list_empty(&child->child_node)) {
		visit->child = NULL;
		return;
	}
	pmudev_change_disable(ctx, &change);
	/* No set less, for now: that keeps the context until the caller drops it. */
	pmudev_child_leave(child);
}

void pmudev_inherit_destroy(struct pmudev_set *parent)
{
	struct pmudev_inherit *inherit = parent->inherit;
	struct visit visit;
	struct pmudev_set *child;

	if (!inherit)
		return;
	/* A tree that grows as fast as it is cut down would not end. */
	WRITE_ONCE(inherit->closing, true);
	for (;;) {
		raw_spin_lock_irq(&inherit->lock);
		child = list_first_entry_or_null(&inherit->children, struct pmudev_set, child_node);
		if (child)
			kref_get(&child->child_ref);
		raw_spin_unlock_irq(&inherit->lock);
		if (!child)
			break;
		visit.child = child;
		pmudev_ctx_call(child->ctx, dismiss, &visit);
		if (visit.child) {
			kref_get(&child->ctx->ref);
			pmudev_detach(child->ctx);
			pmudev_child_put(child);
		}
		pmudev_child_put(child);
		cond_resched();
	}
	mutex_destroy(&inherit->mutex);
	kfree(inherit);
	parent->inherit = NULL;
}
