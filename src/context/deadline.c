// SPDX-License-Identifier: GPL-2.0
/* Deadlines of events: armed, reached, moved. deadline_set.c has what programs change and read. */
#include <linux/math64.h>

#include "deadline.h"
#include "pause.h"

static bool reached(const struct pmudev_event *event)
{
	return (s64)event->hw.value >= 0;
}

static void arm(struct pmudev_set *set, unsigned int slot, u64 target)
{
	struct pmudev_event *event = pmudev_slot_event(set, slot);

	event->hw.value = pmudev_event_count(event) - target;
	event->target = target;
	WRITE_ONCE(event->hw.config, event->hw.config | set->pmu->info.interrupt);
	set->deadlines->armed |= BIT_ULL(slot);
}

void pmudev_deadline_disarm(struct pmudev_set *set, unsigned int slot)
{
	struct pmudev_event *event = pmudev_slot_event(set, slot);

	event->hw.value = pmudev_event_count(event);
	event->target = 0;
	WRITE_ONCE(event->hw.config, event->hw.config & ~set->pmu->info.interrupt);
	set->deadlines->armed &= ~BIT_ULL(slot);
}

/* A step of a total ends: report the total, or begin the next step. */
static void reach_total(struct pmudev_set *set, unsigned int slot, u64 count)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	struct pmudev_budget *budget = &deadlines->common->slot[slot]->budget;
	struct pmudev_budget_part *part = &deadlines->slot[slot]->part;

	raw_spin_lock(&deadlines->common->lock);
	pmudev_budget_add(budget, part, count);
	pmudev_report_total(deadlines, slot);
	if (budget->reached || part->left) {
		pmudev_deadline_disarm(set, slot);
	} else {
		arm(set, slot, count + pmudev_budget_step(budget, part));
		if (pmudev_budget_unclear(budget))
			pmudev_look_later(deadlines);
	}
	raw_spin_unlock(&deadlines->common->lock);
}

static void reach(struct pmudev_ctx *ctx, struct pmudev_set *set, unsigned int slot, u64 target)
{
	struct pmudev_slot_deadline *deadline = set->deadlines->slot[slot];
	u64 count = pmudev_event_count(pmudev_slot_event(set, slot)), more = 0;

	lockdep_assert_held(&ctx->lock);
	this_cpu_inc(pmudev_cpus.overflow.found);
	if (deadline->total) {
		reach_total(set, slot, count);
		return;
	}
	if (deadline->period)
		more = div64_u64(count - target, deadline->period);
	target += more * deadline->period;
	raw_spin_lock(&set->deadlines->common->lock);
	pmudev_report(set->deadlines, slot, target, count, more + 1);
	raw_spin_unlock(&set->deadlines->common->lock);
	if (deadline->period)
		arm(set, slot, target + deadline->period);
	else
		pmudev_deadline_disarm(set, slot);
}

void pmudev_deadline_begin(struct pmudev_ctx *ctx, struct pmudev_set *set, unsigned int slot,
			   u64 target)
{
	u64 count = pmudev_event_count(pmudev_slot_event(set, slot));

	if (set->deadlines->slot[slot]->total)
		reach_total(set, slot, count);
	else if (count >= target)
		reach(ctx, set, slot, target);
	else
		arm(set, slot, target);
}

/* Their counters are stopped. */
static void reach_stopped(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		reach(ctx, set, slot, pmudev_slot_event(set, slot)->target);
	pmudev_deadlines_list(ctx, set);
}

void pmudev_deadlines_reach(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots, bool live)
{
	lockdep_assert_held(&ctx->lock);
	if (live) {
		struct pmudev_pause pause;

		/* What a counter counts until it is stopped belongs to it. */
		pmudev_slots_pause(ctx, set, slots, &pause);
		reach_stopped(ctx, set, slots);
		pmudev_slots_resume(&pause);
	} else {
		reach_stopped(ctx, set, slots);
	}
}

void pmudev_deadlines_check(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots, bool live)
{
	unsigned int slot;
	u64 rest, hit = 0;

	lockdep_assert_held(&ctx->lock);
	pmudev_for_each_slot(slot, rest, slots & set->deadlines->armed)
		if (reached(pmudev_slot_event(set, slot)))
			hit |= BIT_ULL(slot);
	if (hit)
		pmudev_deadlines_reach(ctx, set, hit, live);
}

void pmudev_deadlines_check_all(struct pmudev_ctx *ctx, bool live)
{
	struct pmudev_set_deadlines *deadlines;
	struct hlist_node *next;

	lockdep_assert_held(&ctx->lock);
	/* Only sets with an active event: at most as many as there are counters. */
	hlist_for_each_entry_safe(deadlines, next, &ctx->deadlines, node)
		pmudev_deadlines_check(ctx, deadlines->set, deadlines->set->active, live);
}

/* A set's active slots that are on these counters */
static u64 slots_on(const struct pmudev_set *set, u64 counters)
{
	unsigned int slot;
	u64 rest, found = 0;

	pmudev_for_each_slot(slot, rest, set->active)
		if (pmudev_slots_counters(set, BIT_ULL(slot)) & counters)
			found |= BIT_ULL(slot);
	return found;
}

/*
 * Bring all counts up to date, and report what the counters in @overflowed have reached. These are
 * written next, and stopped for that.
 */
static void look_at_overflowed(struct pmudev_ctx *ctx, u64 overflowed)
{
	struct pmudev_set_deadlines *deadlines;
	struct pmudev_pause pause;
	struct hlist_node *next;

	pmudev_counters_pause(ctx, overflowed, &pause);
	if (!pause.nr)
		return;
	hlist_for_each_entry_safe(deadlines, next, &ctx->deadlines, node)
		pmudev_deadlines_check(ctx, deadlines->set,
				       slots_on(deadlines->set, pause.counters), false);
	pmudev_slots_resume(&pause);
}

static void look(struct pmudev_ctx *ctx, u64 overflowed)
{
	if (!pmudev_ctx_counting(ctx))
		return;
	/* How far the pages' counts lag behind is unknown from now on. */
	if (ctx->reads.maps)
		ctx->reads.stale |= PMUDEV_STALE_COUNTS;
	if (overflowed)
		look_at_overflowed(ctx, overflowed);
	else
		pmudev_backend_read(ctx->active, ctx->nr);
	/* What nobody has told of, too. */
	pmudev_deadlines_check_all(ctx, true);
}

void pmudev_deadlines_look(struct pmudev_ctx *ctx, u64 overflowed)
{
	lockdep_assert_held(&ctx->lock);
	if (!hlist_empty(&ctx->deadlines))
		look(ctx, overflowed);
}

void pmudev_deadlines_pause(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots,
			    struct pmudev_pause *pause)
{
	lockdep_assert_held(&ctx->lock);
	/* A sample of this set has the counts of all events, whether any has a deadline now. */
	if (set->deadlines || !hlist_empty(&ctx->deadlines))
		look(ctx, 0);
	pmudev_slots_pause(ctx, set, slots, pause);
	/* What was reached since. */
	if (set->deadlines)
		pmudev_deadlines_check(ctx, set, slots & set->active, false);
}

u64 pmudev_deadlines_totals(const struct pmudev_set_deadlines *deadlines, u64 slots)
{
	unsigned int slot;
	u64 rest, found = 0;

	pmudev_for_each_slot(slot, rest, slots)
		if (deadlines->slot[slot]->total)
			found |= BIT_ULL(slot);
	return found;
}

void pmudev_deadlines_list(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	bool listed, list;

	lockdep_assert_held(&ctx->lock);
	if (!deadlines)
		return;
	listed = !hlist_unhashed(&deadlines->node);
	list = deadlines->armed & set->active;
	if (list && !listed)
		hlist_add_head(&deadlines->node, &ctx->deadlines);
	else if (!list && listed)
		hlist_del_init(&deadlines->node);
}

/* Totals know of the new count of events that are in no step: their target has ended. */
static void reset_totals(struct pmudev_set_deadlines *deadlines, u64 slots, u64 count)
{
	unsigned int slot;
	u64 rest;

	raw_spin_lock(&deadlines->common->lock);
	pmudev_for_each_slot(slot, rest, slots)
		pmudev_budget_add(&deadlines->common->slot[slot]->budget,
				  &deadlines->slot[slot]->part, count);
	raw_spin_unlock(&deadlines->common->lock);
}

void pmudev_deadlines_reset(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots, u64 count)
{
	struct pmudev_event *event;
	unsigned int slot;
	u64 rest, target;

	lockdep_assert_held(&ctx->lock);
	if (!set->deadlines)
		return;
	reset_totals(set->deadlines,
		     pmudev_deadlines_totals(set->deadlines, slots & set->deadlines->slots &
								     ~set->deadlines->armed),
		     count);
	pmudev_for_each_slot(slot, rest, slots & set->deadlines->armed) {
		event = pmudev_slot_event(set, slot);
		target = event->target;
		if (set->deadlines->slot[slot]->period) {
			/* The distance stays: hw.value does. */
			event->target = count - event->hw.value;
			continue;
		}
		pmudev_deadline_disarm(set, slot);
		event->hw.value = count;
		pmudev_deadline_begin(ctx, set, slot, target);
	}
	pmudev_deadlines_list(ctx, set);
}

/* What was reported of these events, and not told. */
static void forget_reports(struct pmudev_set_deadlines *deadlines, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots & deadlines->pending)
		deadlines->slot[slot]->nr_told = 0;
	deadlines->pending &= ~slots;
	pmudev_clear_reports(deadlines->common, slots);
}

void pmudev_deadlines_forget(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	unsigned int slot;
	u64 rest;

	lockdep_assert_held(&ctx->lock);
	if (!deadlines)
		return;
	pmudev_for_each_slot(slot, rest, slots & deadlines->armed)
		pmudev_deadline_disarm(set, slot);
	deadlines->slots &= ~slots;
	raw_spin_lock(&deadlines->common->lock);
	forget_reports(deadlines, slots);
	raw_spin_unlock(&deadlines->common->lock);
}

/* The total goes on without the set's events, which do not count any more. */
static void leave_totals(struct pmudev_set *set, u64 dropped)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	unsigned int slot;
	u64 rest, count;

	pmudev_for_each_slot(slot, rest, pmudev_deadlines_totals(deadlines, deadlines->slots)) {
		count = pmudev_event_count(pmudev_slot_event(set, slot));
		pmudev_budget_leave(&deadlines->common->slot[slot]->budget,
				    &deadlines->slot[slot]->part,
				    dropped & BIT_ULL(slot) ? 0 : count);
		pmudev_report_total(deadlines, slot);
	}
}

/* The context has ended, or the set leaves it: nothing is reached any more. */
static void end(struct pmudev_set_deadlines *deadlines, u64 dropped)
{
	unsigned int slot;
	u64 rest;

	/* Its counters are stopped: the context is unloaded, or the events are disabled. */
	pmudev_for_each_slot(slot, rest, deadlines->armed)
		pmudev_deadline_disarm(deadlines->set, slot);
	hlist_del_init(&deadlines->node);
	raw_spin_lock(&deadlines->common->lock);
	leave_totals(deadlines->set, dropped);
	deadlines->common->threads -= !deadlines->ended;
	deadlines->ended = true;
	pmudev_tell(deadlines);
	raw_spin_unlock(&deadlines->common->lock);
}

void pmudev_deadlines_ended(struct pmudev_ctx *ctx)
{
	struct pmudev_set_deadlines *deadlines;

	lockdep_assert_held(&ctx->lock);
	/* Children leave next, and know whether their counts stay. */
	hlist_for_each_entry(deadlines, &ctx->with_deadlines, ctx_node)
		if (!pmudev_set_is_child(deadlines->set))
			end(deadlines, 0);
}

void pmudev_deadlines_leave(struct pmudev_set *set, u64 dropped)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;

	if (!deadlines)
		return;
	hlist_del_init(&deadlines->ctx_node);
	end(deadlines, dropped);
}

void pmudev_deadlines_wake(struct pmudev_set *set)
{
	/* Pairs with pmudev_take_deadlines(). */
	struct pmudev_set_deadlines *deadlines = smp_load_acquire(&set->deadlines);

	if (!deadlines)
		return;
	raw_spin_lock(&deadlines->common->lock);
	pmudev_tell(deadlines);
	raw_spin_unlock(&deadlines->common->lock);
}
