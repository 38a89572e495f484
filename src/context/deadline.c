// SPDX-License-Identifier: GPL-2.0
/* Deadlines of events: armed, reached, moved. deadline_set.c has what programs change and read. */
#include <linux/math64.h>

#include "deadline.h"
#include "stop.h"

static bool reached(const struct pmudev_event *event)
{
	return (s64)event->hw.value >= 0;
}

static void arm(struct pmudev_set *set, unsigned int slot, u64 target)
{
	struct pmudev_event *event = pmudev_slot_event(set, slot);

	event->hw.value = pmudev_event_count(event) - target;
	event->target = target;
	event->hw.config |= set->pmu->info.interrupt;
	set->deadlines->armed |= BIT_ULL(slot);
}

void pmudev_deadline_disarm(struct pmudev_set *set, unsigned int slot)
{
	struct pmudev_event *event = pmudev_slot_event(set, slot);

	event->hw.value = pmudev_event_count(event);
	event->target = 0;
	event->hw.config &= ~set->pmu->info.interrupt;
	set->deadlines->armed &= ~BIT_ULL(slot);
}

/* Have the notifier look. */
static void tell(struct pmudev_set_deadlines *deadlines)
{
	/* The run that it is queued for comes after this lock is free. */
	if (irq_work_queue(&deadlines->notify))
		deadlines->runs++;
}

static bool same_action(const struct pmudev_deadline_action *a,
			const struct pmudev_deadline_action *b)
{
	return a->eventfd == b->eventfd && a->signal == b->signal && a->id == b->id &&
	       a->stop == b->stop;
}

/* Remember what is to be told: the deadline may change before it is. */
static void remember(struct pmudev_set_deadlines *deadlines, struct pmudev_slot_deadline *deadline)
{
	struct pmudev_deadline_told *told = deadline->told;

	if (deadline->nr_told)
		told += deadline->nr_told - 1;
	if (!deadline->nr_told)
		deadline->nr_told = 1;
	else if (deadline->nr_told < ARRAY_SIZE(deadline->told) &&
		 !same_action(&told->action, &deadline->action))
		told = &deadline->told[deadline->nr_told++];
	told->action = deadline->action;
	told->count = deadline->count;
	/* Before the report can be read: CONTINUE may follow at once. */
	if (deadline->action.stop)
		WRITE_ONCE(deadlines->stop->held, true);
}

/* Have the notifier tell of it. */
static void report(struct pmudev_ctx *ctx, struct pmudev_set_deadlines *deadlines,
		   unsigned int slot, u64 value, u64 count, u64 passed)
{
	struct pmudev_slot_deadline *deadline = deadlines->slot[slot];

	deadline->value = value;
	deadline->count = count;
	deadline->reached += passed;
	deadline->overruns += passed - 1;
	this_cpu_inc(pmudev_cpus.overflow.found);
	if (ctx->cpu >= 0 && count != value && this_cpu_read(pmudev_cpus.overflow.masked))
		deadline->late = true;
	remember(deadlines, deadline);
	/* poll() looks without the lock. */
	WRITE_ONCE(deadlines->reported, deadlines->reported | BIT_ULL(slot));
	deadlines->pending |= BIT_ULL(slot);
	tell(deadlines);
}

static void reach(struct pmudev_ctx *ctx, struct pmudev_set *set, unsigned int slot, u64 target)
{
	struct pmudev_slot_deadline *deadline = set->deadlines->slot[slot];
	u64 count = pmudev_event_count(pmudev_slot_event(set, slot)), more = 0;

	lockdep_assert_held(&ctx->lock);
	if (deadline->period)
		more = div64_u64(count - target, deadline->period);
	target += more * deadline->period;
	report(ctx, set->deadlines, slot, target, count, more + 1);
	if (deadline->period)
		arm(set, slot, target + deadline->period);
	else
		pmudev_deadline_disarm(set, slot);
}

void pmudev_deadline_begin(struct pmudev_ctx *ctx, struct pmudev_set *set, unsigned int slot,
			   u64 target)
{
	if (pmudev_event_count(pmudev_slot_event(set, slot)) >= target)
		reach(ctx, set, slot, target);
	else
		arm(set, slot, target);
}

void pmudev_deadlines_check(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots, bool live)
{
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
	u64 rest, hit = 0, counters;
	unsigned int slot, nr;

	lockdep_assert_held(&ctx->lock);
	pmudev_for_each_slot(slot, rest, slots & set->deadlines->armed)
		if (reached(pmudev_slot_event(set, slot)))
			hit |= BIT_ULL(slot);
	if (!hit)
		return;
	/* A counter is written while it is stopped. What it counts until then belongs to it. */
	live = live && pmudev_ctx_counting(ctx);
	counters = pmudev_slots_counters(set, hit & set->active);
	nr = pmudev_slots_hw(set, hit & set->active, hw);
	if (live && nr)
		pmudev_backend_save(hw, nr, counters);
	pmudev_for_each_slot(slot, rest, hit)
		reach(ctx, set, slot, pmudev_slot_event(set, slot)->target);
	if (live && nr)
		pmudev_backend_load(hw, nr, counters);
	pmudev_deadlines_list(ctx, set);
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

void pmudev_deadlines_look(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (hlist_empty(&ctx->deadlines) || !pmudev_ctx_counting(ctx))
		return;
	/* How far the pages' counts lag behind is unknown from now on. */
	if (ctx->reads.maps)
		ctx->reads.stale |= PMUDEV_STALE_COUNTS;
	pmudev_backend_read(ctx->active, ctx->nr);
	pmudev_deadlines_check_all(ctx, true);
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

void pmudev_deadlines_reset(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots, u64 count)
{
	struct pmudev_event *event;
	unsigned int slot;
	u64 rest, target;

	lockdep_assert_held(&ctx->lock);
	if (!set->deadlines)
		return;
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

void pmudev_deadlines_forget(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	struct pmudev_slot_deadline *deadline;
	unsigned int slot;
	u64 rest;

	lockdep_assert_held(&ctx->lock);
	if (!deadlines)
		return;
	pmudev_for_each_slot(slot, rest, slots & deadlines->armed)
		pmudev_deadline_disarm(set, slot);
	pmudev_for_each_slot(slot, rest, slots & (deadlines->reported | deadlines->pending)) {
		deadline = deadlines->slot[slot];
		deadline->nr_told = 0;
		deadline->reached = 0;
		deadline->overruns = 0;
		deadline->late = false;
	}
	deadlines->slots &= ~slots;
	deadlines->pending &= ~slots;
	WRITE_ONCE(deadlines->reported, deadlines->reported & ~slots);
}

void pmudev_deadlines_ended(struct pmudev_ctx *ctx)
{
	struct pmudev_set_deadlines *deadlines;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry(deadlines, &ctx->with_deadlines, ctx_node)
		tell(deadlines);
}
