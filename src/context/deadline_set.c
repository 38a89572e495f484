// SPDX-License-Identifier: GPL-2.0
/* Deadlines as programs set them, children inherit them, and reports as programs read them. */
#include "change.h"
#include "deadline.h"
#include "events.h"
#include "pause.h"
#include "totals.h"
#include "user_page.h"

/* The entry's deadline as a count, or U64_MAX if that is out of range. */
static u64 target_of(struct pmudev_set *set, const struct pmudev_deadline *entry)
{
	u64 count = pmudev_event_count(pmudev_slot_event(set, entry->slot));

	if (!(entry->flags & PMUDEV_DEADLINE_RELATIVE))
		return entry->value;
	/* Both are far below 2^64 if the sum is in range. */
	if (count > PMUDEV_DEADLINE_MAX || entry->value > PMUDEV_DEADLINE_MAX - count)
		return U64_MAX;
	return count + entry->value;
}

void pmudev_check_deadlines(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_deadlines_arg *change = arg;
	unsigned int i;

	lockdep_assert_held(&ctx->lock);
	if (ctx->dead && !set->inherit) {
		change->error = -ESRCH;
		return;
	}
	pmudev_set_update(ctx, set);
	for (i = 0; i < change->nr; i++) {
		if (target_of(set, &change->entry[i]) <= PMUDEV_DEADLINE_MAX)
			continue;
		change->error = -EINVAL;
		change->culprit = i;
		return;
	}
}

/* What becomes of it, and who is told; not armed yet. Its counter is stopped. */
static void prepare_deadline(struct pmudev_set *set, const struct pmudev_deadlines_arg *change,
			     const struct pmudev_deadline *entry, struct eventfd_ctx *eventfd)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	struct pmudev_slot_deadline *deadline = deadlines->slot[entry->slot];

	if (deadlines->armed & BIT_ULL(entry->slot))
		pmudev_deadline_disarm(set, entry->slot);
	deadline->action.eventfd = eventfd;
	deadline->action.signal = entry->signal;
	deadline->action.id = entry->id;
	deadline->action.uid = change->uid;
	deadline->action.euid = change->euid;
	deadline->action.stop = entry->flags & PMUDEV_DEADLINE_STOP;
	deadline->action.sample = entry->flags & PMUDEV_DEADLINE_SAMPLE;
	deadline->first = entry->value;
	deadline->period = entry->period;
	/* Of one thread it is the same. */
	deadline->total = set->inherit && (entry->flags & PMUDEV_DEADLINE_TOTAL);
	deadline->part = (struct pmudev_budget_part){};
	if (entry->flags & PMUDEV_DEADLINE_REMOVE)
		deadlines->slots &= ~BIT_ULL(entry->slot);
	else
		deadlines->slots |= BIT_ULL(entry->slot);
}

/* What the event has reached was reported. */
static void set_deadline(struct pmudev_ctx *ctx, struct pmudev_set *set,
			 const struct pmudev_deadlines_arg *change, unsigned int i)
{
	const struct pmudev_deadline *entry = &change->entry[i];
	/* The count went on after the check. */
	u64 target = min_t(u64, target_of(set, entry), PMUDEV_DEADLINE_MAX);

	prepare_deadline(set, change, entry, change->eventfd[i]);
	if (set->deadlines->slots & BIT_ULL(entry->slot))
		pmudev_deadline_begin(ctx, set, entry->slot, target);
}

/* Without memory for all of them the child has none of them any more, as when they are removed. */
static void remove_deadlines(struct pmudev_set *child, const struct pmudev_deadlines_arg *change)
{
	struct pmudev_deadline none = { .flags = PMUDEV_DEADLINE_REMOVE };
	unsigned int i;

	for (i = 0; child->deadlines && i < change->nr; i++) {
		none.slot = change->entry[i].slot;
		if (child->deadlines->slot[none.slot])
			prepare_deadline(child, change, &none, NULL);
	}
}

/* Has a child memory for these deadlines, and does it know the events? */
static bool has_room(struct pmudev_set *child, const struct pmudev_deadlines_arg *change, u64 slots)
{
	unsigned int i;

	if (!child->deadlines)
		return false;
	for (i = 0; i < change->nr; i++)
		if (!child->deadlines->slot[change->entry[i].slot] ||
		    (change->entry[i].flags & PMUDEV_DEADLINE_STOP && !child->deadlines->stop))
			return false;
	pmudev_child_learn(child, slots);
	return !(slots & ~child->used);
}

/* It counts no more, and reaches nothing. In totals its counts stay. */
static void change_ended(struct pmudev_set *set, struct pmudev_deadlines_arg *change)
{
	const struct pmudev_deadline *entry;
	unsigned int i;

	if (!set->inherit)
		change->error = -ESRCH;
	for (i = 0; set->inherit && i < change->nr; i++) {
		entry = &change->entry[i];
		if (set->deadlines && set->deadlines->slot[entry->slot])
			prepare_deadline(set, change, entry, change->eventfd[i]);
		if (entry->flags & PMUDEV_DEADLINE_TOTAL)
			pmudev_total_keep(set, change->common, entry->slot);
	}
}

void pmudev_change_deadlines(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_deadlines_arg *change = arg;
	struct pmudev_pause pause;
	unsigned int i;
	u64 slots = 0;

	lockdep_assert_held(&ctx->lock);
	if (ctx->dead) {
		change_ended(set, change);
		return;
	}
	for (i = 0; i < change->nr; i++)
		slots |= BIT_ULL(change->entry[i].slot);
	pmudev_deadlines_pause(ctx, set, slots, &pause);
	if (pmudev_set_is_child(set) && !has_room(set, change, slots)) {
		change->incomplete = true;
		remove_deadlines(set, change);
	} else {
		for (i = 0; i < change->nr; i++)
			set_deadline(ctx, set, change, i);
	}
	pmudev_slots_resume(&pause);
	pmudev_deadlines_list(ctx, set);
	pmudev_page_publish(ctx, set);
}

void pmudev_take_deadlines(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_set_deadlines **fresh = arg, *deadlines = *fresh;

	lockdep_assert_held(&ctx->lock);
	/* A child that has ended is found by nobody any more. */
	if (set->deadlines || (ctx->dead && pmudev_set_is_child(set)))
		return;
	deadlines->set = set;
	deadlines->child = pmudev_set_is_child(set);
	deadlines->ended = ctx->dead;
	if (!ctx->dead) {
		deadlines->task = ctx->link.task;
		hlist_add_head(&deadlines->ctx_node, &ctx->with_deadlines);
		raw_spin_lock(&deadlines->common->lock);
		deadlines->common->threads++;
		raw_spin_unlock(&deadlines->common->lock);
	}
	/* poll() looks without the lock. */
	smp_store_release(&set->deadlines, deadlines);
	*fresh = NULL;
}

/* Let the child's deadlines have the memory that is part of them. */
static bool give_memory(struct pmudev_set_deadlines *deadlines, u64 slots)
{
	struct pmudev_slot_deadline *memory = pmudev_deadlines_memory(deadlines);
	unsigned int slot, nr = 0;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots) {
		if (nr == deadlines->nr_inside)
			return false;
		deadlines->slot[slot] = &memory[nr++];
		deadlines->inside |= BIT_ULL(slot);
	}
	return true;
}

bool pmudev_deadlines_inherit(struct pmudev_ctx *ctx, struct pmudev_set *child,
			      const struct pmudev_set *from, struct pmudev_set_deadlines *deadlines)
{
	struct pmudev_deadline_common *common = from->deadlines->common;
	const struct pmudev_slot_deadline *parent;
	struct pmudev_slot_deadline *deadline;
	unsigned int slot;
	u64 rest;

	lockdep_assert_held(&ctx->lock);
	/* Also for deadlines that are about to be set. */
	if (!deadlines || !give_memory(deadlines, READ_ONCE(common->room)) ||
	    (from->deadlines->stop && !deadlines->stop))
		return false;
	deadlines->common = common;
	pmudev_take_deadlines(ctx, child, &deadlines);
	if (!child->deadlines)
		return false;
	child->deadlines->slots = from->deadlines->slots & child->used;
	pmudev_for_each_slot(slot, rest, child->deadlines->slots) {
		parent = from->deadlines->slot[slot];
		deadline = child->deadlines->slot[slot];
		deadline->action = parent->action;
		deadline->first = parent->first;
		deadline->period = parent->period;
		deadline->total = parent->total;
		pmudev_deadline_begin(ctx, child, slot, deadline->first);
	}
	return true;
}

void pmudev_read_reports(struct pmudev_deadline_common *common, struct pmudev_reports_arg *reading)
{
	const struct pmudev_slot_report *report;
	unsigned long flags;
	unsigned int slot;
	u64 rest, read = 0;

	raw_spin_lock_irqsave(&common->lock, flags);
	pmudev_for_each_slot(slot, rest, common->reported | common->sampled) {
		if (reading->nr == reading->room)
			break;
		report = common->slot[slot];
		reading->report[reading->nr++] = (struct pmudev_report){
			.slot = slot,
			.flags = report->late ? PMUDEV_REPORT_LATE : 0,
			.value = report->value,
			.count = report->count,
			.reached = report->reached,
			.overruns = report->overruns,
			.tid = report->tid,
		};
		read |= BIT_ULL(slot);
	}
	pmudev_clear_reports(common, read);
	raw_spin_unlock_irqrestore(&common->lock, flags);
}
