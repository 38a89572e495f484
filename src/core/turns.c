// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexed groups: when what is on changes, and who has how many counters for them. All is
 * worked out when the ledger changes (images.c); a turn only shows the next image.
 */
#include <linux/math64.h>
#include <linux/slab.h>

#include "compat.h"
#include "ledger.h"

/* ----------------------------------------------------------- the timer -- */

void pmudev_turn_if_due(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (pmudev_ctx_clocks(ctx).running - ctx->turned >= ctx->pmu->turn_ticks)
		pmudev_ctx_turn(ctx);
}

void pmudev_turn_timer(struct pmudev_cpu *pc, struct pmudev_ctx *ctx)
{
	const struct pmudev_pmu *pmu = ctx->pmu;
	u64 ran, left;

	lockdep_assert_held(&ctx->lock);
	/* It looks at all that is loaded when it comes, and starts again. */
	if (hrtimer_is_queued(&pc->turn_timer))
		return;
	ran = pmudev_ctx_clocks(ctx).running - ctx->turned;
	left = pmu->turn_ticks - min(ran, pmu->turn_ticks);
	hrtimer_start(&pc->turn_timer, ns_to_ktime(pmudev_ticks_to_ns(left, pmu->mult, pmu->shift)),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* The ticks until its next turn, at most @left. */
static u64 turn(struct pmudev_ctx *ctx, u64 left)
{
	u64 ran;

	raw_spin_lock(&ctx->lock);
	if (pmudev_ctx_counting(ctx) && !hlist_empty(&ctx->turning)) {
		pmudev_turn_if_due(ctx);
		ran = pmudev_ctx_clocks(ctx).running - ctx->turned;
		left = min(left, ctx->pmu->turn_ticks - min(ran, ctx->pmu->turn_ticks));
	}
	raw_spin_unlock(&ctx->lock);
	return left;
}

enum hrtimer_restart pmudev_turn_tick(struct hrtimer *timer)
{
	struct pmudev_cpu *pc = container_of(timer, struct pmudev_cpu, turn_timer);
	const struct pmudev_pmu *pmu = pc->pmu;
	u64 left = turn(&pc->ctx, U64_MAX);

	if (pc->task)
		left = turn(pc->task, left);
	if (left == U64_MAX)
		return HRTIMER_NORESTART;
	/* Not more often than that, whoever comes and goes. */
	left = max(left, pmu->turn_ticks / 8);
	left = pmudev_ticks_to_ns(left, pmu->mult, pmu->shift);
	hrtimer_forward_now(timer, ns_to_ktime(left));
	return HRTIMER_RESTART;
}

static unsigned int count_groups(struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest, groups = 0;

	pmudev_for_each_slot(slot, rest, slots)
		groups |= BIT_ULL(pmudev_slot_event(set, slot)->group);
	return hweight64(groups);
}

void pmudev_turns_prepare(struct pmudev_set *set)
{
	unsigned int nr = count_groups(set, set->used & set->mux);

	lockdep_assert_held(&set->mutex);
	if (nr <= set->table_room || nr <= set->spare_room)
		return;
	kfree(set->spare_table);
	set->spare_table = kmalloc(struct_size(set->spare_table, image, nr), PMUDEV_GFP);
	set->spare_room = set->spare_table ? nr : 0;
}

int pmudev_turns_room(struct pmudev_set *set, u64 slots)
{
	unsigned int nr = count_groups(set, slots);

	lockdep_assert_held(&set->pmu->lock);
	if (nr <= set->table_room)
		return 0;
	if (nr > set->spare_room)
		return -ENOMEM;
	kfree(set->new_table);
	set->new_table = set->spare_table;
	set->table_room = set->spare_room;
	set->spare_table = NULL;
	set->spare_room = 0;
	return 0;
}

/* ---------------------------------------------------------- the pools -- */

u64 pmudev_mux_free(struct pmudev_set *set)
{
	u64 available = set->pmu->info.counters & ~set->pmu->info.reserved;

	return available & (~pmudev_ledger_taken(set, false) | set->base);
}

static u64 wanted(struct pmudev_set *set)
{
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, set->placed & set->mux)
		mask |= pmudev_places_counters(pmudev_slot_event(set, slot)->allowed,
					       pmudev_slot_event(set, slot)->hw.pair);
	return mask;
}

/* What nobody has placed goes to the multiplexing sets, first come, first served. */
static void share_spare(struct pmudev_pmu *pmu)
{
	u64 available = pmu->info.counters & ~pmu->info.reserved;
	struct pmudev_set *set;

	pmu->task_spare = 0;
	pmu->cpu_spare = 0;
	list_for_each_entry(set, &pmu->sets, node) {
		set->old_spare = set->spare;
		set->spare = 0;
		set->ctx->spare = 0;
	}
	list_for_each_entry(set, &pmu->sets, node) {
		pmudev_breathe();
		if (!set->base)
			continue;
		set->spare = available & wanted(set) & ~pmudev_ledger_taken(set, true);
		set->ctx->spare |= set->spare;
		*(set->cpu < 0 ? &pmu->task_spare : &pmu->cpu_spare) |= set->spare;
	}
}

static bool changed(const struct pmudev_set *set)
{
	return set->turns_changed || (set->base && set->spare != set->old_spare);
}

void pmudev_turns_show(struct pmudev_set *set, const struct pmudev_turns *turns)
{
	struct pmudev_change change = { .turns = turns };

	pmudev_family_call(set, pmudev_change_turns, &change);
}

void pmudev_turns_pause(struct pmudev_set *asking)
{
	struct pmudev_pmu *pmu = asking->pmu;
	struct pmudev_set *set;

	lockdep_assert_held(&pmu->lock);
	if (!pmu->nr_mux && !pmu->task_spare && !pmu->cpu_spare)
		return;
	share_spare(pmu);
	/* All that change first let go of their counters: then each finds its own free. */
	list_for_each_entry(set, &pmu->sets, node) {
		if (!changed(set))
			continue;
		set->turns_changed = true;
		if (set != asking && hlist_unhashed(&set->paused_node))
			hlist_add_head(&set->paused_node, &asking->paused);
		if (set->turns)
			pmudev_turns_show(set, NULL);
	}
}

void pmudev_turns_go_on(struct pmudev_set *set)
{
	lockdep_assert_held(&set->pmu->lock);
	hlist_del_init(&set->paused_node);
	if (!set->turns_changed)
		return;
	set->turns_changed = false;
	if (!set->base)
		return;
	/* Paused: nobody looks at the table. */
	if (set->new_table) {
		kfree(set->table);
		set->table = set->new_table;
		set->new_table = NULL;
	}
	pmudev_make_images(set, set->base | set->spare, set->table);
	pmudev_turns_show(set, set->table);
}

static void wake_all(void *arg)
{
	struct pmudev_set *asking = arg, *set;
	struct pmudev_pmu *pmu = asking->pmu;

	while (!hlist_empty(&asking->paused)) {
		mutex_lock(&pmu->lock);
		set = hlist_entry_safe(asking->paused.first, struct pmudev_set, paused_node);
		if (set)
			pmudev_turns_go_on(set);
		mutex_unlock(&pmu->lock);
		cond_resched();
	}
}

void pmudev_turns_wake_all(struct pmudev_set *asking)
{
	pmudev_assert_call(asking);
	pmudev_by_worker(pmudev_urgent, wake_all, asking);
}

int pmudev_turns_counter(const struct pmudev_set *set, unsigned int slot)
{
	unsigned int i;

	for (i = 0; set->turns && i < set->turns->nr; i++)
		if (set->turns->image[i].slots & BIT_ULL(slot))
			return set->turns->image[i].counter[slot];
	return -1;
}

void pmudev_turns_init(struct pmudev_pmu *pmu)
{
	u64 hz = pmu->info.clock_hz;

	/* A millisecond, as perf's hardware PMUs have it by default. */
	pmu->turn_ticks = hz ? div_u64(hz, 1000) : NSEC_PER_MSEC;
}
