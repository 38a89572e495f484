// SPDX-License-Identifier: GPL-2.0
/* Inheritance: how children end, and how sets leave their context. */
#include <linux/sched.h>
#include <linux/slab.h>

#include "../context/deadline.h"
#include "../context/events.h"
#include "../context/totals.h"
#include "../task/attach.h"
#include "inherit.h"
#include "set.h"

static void remove_inherited(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	WRITE_ONCE(ctx->nr_inherited, ctx->nr_inherited - 1);
	hlist_del_init(&set->ctx_node);
}

void pmudev_ctx_remove_set(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_set *set = arg;

	lockdep_assert_held(&ctx->lock);
	if (ctx->link.task)
		ctx->link.nr_parents--;
	if (!hlist_unhashed(&set->ctx_node))
		remove_inherited(ctx, set);
	hlist_del_init(&set->rotation.node);
	hlist_del_init(&set->mapping.node);
	pmudev_deadlines_leave(set, 0);
}

/* Totals in which the child has no part, for lack of memory: they learn of its counts now. */
static void keep_totals(struct pmudev_set *set, u64 dropped)
{
	const struct pmudev_set_deadlines *deadlines = set->deadlines;
	u64 rest, slots = pmudev_totals_of(set->parent, set->used & ~dropped);
	struct pmudev_deadline_common *common;
	struct pmudev_set_deadlines *parents;
	unsigned int slot;

	if (deadlines)
		slots &= ~pmudev_deadlines_totals(deadlines, slots & deadlines->slots);
	if (!slots)
		return;
	parents = set->parent->deadlines;
	common = parents->common;
	pmudev_for_each_slot(slot, rest, slots) {
		pmudev_total_keep(set, common, slot);
		raw_spin_lock(&common->lock);
		pmudev_report_total(parents, slot);
		/* What is left may lie in a step of a thread that sleeps. */
		if (pmudev_budget_hidden(&common->slot[slot]->budget))
			pmudev_look_later(parents);
		raw_spin_unlock(&common->lock);
	}
}

/* What a child counted stays with its parent, once. ctx->lock held. */
static void child_leave(struct pmudev_child *child)
{
	struct pmudev_set *set = &child->set;
	struct pmudev_inherit *inherit = set->inherit;
	const struct pmudev_walk *walk;
	bool reached;

	lockdep_assert_held(&set->ctx->lock);
	raw_spin_lock(&inherit->lock);
	list_del_init(&child->node);
	list_del(&child->pass_node);
	reached = child->seq == inherit->seq;
	walk = inherit->walk;
	if (walk && walk->leaving && !reached)
		walk->fn(set->ctx, set, walk->arg);
	else
		keep_totals(set, reached ? 0 : inherit->reset);
	pmudev_deadlines_leave(set, reached ? 0 : inherit->reset);
	/* A program may wait for the end of the last child. */
	pmudev_deadlines_wake(set->parent);
	/* What a walk resets it also resets for children that it does not reach. */
	pmudev_sum_add(&inherit->ended, child, reached ? ~0ULL : ~inherit->reset,
		       reached ? ~0ULL : ~inherit->forget);
	if (inherit->total && !reached)
		pmudev_sum_add(inherit->total, child, ~0ULL, ~0ULL);
	raw_spin_unlock(&inherit->lock);
	remove_inherited(set->ctx, set);
	hlist_del_init(&set->rotation.node);
}

struct pmudev_child *pmudev_inherit_exit(struct pmudev_ctx *ctx)
{
	struct pmudev_child *child, *ended = NULL;
	struct hlist_node *next;
	struct pmudev_set *set;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry_safe(set, next, &ctx->inherited, ctx_node) {
		if (!pmudev_set_is_child(set))
			continue;
		child = pmudev_child_of(set);
		child_leave(child);
		/* It goes; the context, and what other sets have on it, stay. */
		pmudev_slots_deactivate(ctx, set, set->active);
		ctx->link.nr_sets--;
		child->next_ended = ended;
		ended = child;
	}
	return ended;
}

void pmudev_inherit_free(struct pmudev_child *ended)
{
	struct pmudev_child *next;

	for (; ended; ended = next) {
		next = ended->next_ended;
		pmudev_child_put(ended);
	}
}

/* pmudev_set_fn: end a child. @arg: bool: out: it had not ended before */
static void dismiss(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_child *child = pmudev_child_of(set);
	bool *dismissed = arg;

	*dismissed = !list_empty(&child->node);
	if (!*dismissed)
		return;
	pmudev_change_disable(ctx, set, &set->used);
	/* nr_sets stays for now: that keeps the context until the caller detaches it. */
	child_leave(child);
}

/* The first child, referenced; or NULL. */
static struct pmudev_child *first_child(struct pmudev_inherit *inherit)
{
	struct pmudev_child *child;

	raw_spin_lock_irq(&inherit->lock);
	child = list_first_entry_or_null(&inherit->children, struct pmudev_child, node);
	if (child)
		kref_get(&child->ref);
	raw_spin_unlock_irq(&inherit->lock);
	return child;
}

void pmudev_inherit_destroy(struct pmudev_set *set)
{
	struct pmudev_inherit *inherit = set->inherit;
	struct pmudev_child *child;
	bool dismissed;

	if (!inherit)
		return;
	/* A tree that grows as fast as it is cut down would not end. */
	WRITE_ONCE(inherit->closing, true);
	while ((child = first_child(inherit))) {
		pmudev_set_call_alone(&child->set, dismiss, &dismissed);
		if (dismissed) {
			kref_get(&child->set.ctx->ref);
			pmudev_detach(child->set.ctx);
			pmudev_child_put(child);
		}
		pmudev_child_put(child);
		cond_resched();
	}
	mutex_destroy(&inherit->mutex);
	kfree(inherit);
	set->inherit = NULL;
}
