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

void pmudev_rotate_if_due(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (pmudev_ctx_clocks(ctx).running - ctx->rotated >= ctx->pmu->rotate_ticks)
		pmudev_ctx_rotate(ctx);
}

void pmudev_rotate_timer(struct pmudev_cpu *cpuc, struct pmudev_ctx *ctx)
{
	const struct pmudev_pmu *pmu = ctx->pmu;
	u64 ran, left;

	lockdep_assert_held(&ctx->lock);
	/* It looks at all that is loaded when it comes, and starts again. */
	if (hrtimer_is_queued(&cpuc->rotate_timer))
		return;
	ran = pmudev_ctx_clocks(ctx).running - ctx->rotated;
	left = pmu->rotate_ticks - min(ran, pmu->rotate_ticks);
	hrtimer_start(&cpuc->rotate_timer,
		      ns_to_ktime(pmudev_ticks_to_ns(left, pmu->mult, pmu->shift)),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* The ticks until its next turn, at most @residue_mask. */
static u64 rotation_pos(struct pmudev_ctx *ctx, u64 left)
{
	u64 ran;

	raw_spin_lock(&ctx->lock);
	if (pmudev_ctx_counting(ctx) && !hlist_empty(&ctx->rotating)) {
		pmudev_rotate_if_due(ctx);
		ran = pmudev_ctx_clocks(ctx).running - ctx->rotated;
		left = min(left, ctx->pmu->rotate_ticks - min(ran, ctx->pmu->rotate_ticks));
	}
	raw_spin_unlock(&ctx->lock);
	return left;
}

enum hrtimer_restart pmudev_rotate_tick(struct hrtimer *timer)
{
	struct pmudev_cpu *cpuc = container_of(timer, struct pmudev_cpu, rotate_timer);
	const struct pmudev_pmu *pmu = cpuc->pmu;
	u64 left = rotation_pos(&cpuc->ctx, U64_MAX);

	if (cpuc->task)
		left = rotation_pos(cpuc->task, left);
	if (left == U64_MAX)
		return HRTIMER_NORESTART;
	/* Not more often than that, whoever comes and goes. */
	left = max(left, pmu->rotate_ticks / 8);
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

void pmudev_rotation_prepare(struct pmudev_set *set)
{
	unsigned int nr = count_groups(set, set->used & set->mux);

	lockdep_assert_held(&set->mutex);
	if (nr <= set->rotation_room || nr <= set->prepared_room)
		return;
	kfree(set->prepared_rotation);
	set->prepared_rotation =
		kmalloc(struct_size(set->prepared_rotation, slot_plan, nr), PMUDEV_GFP);
	set->prepared_room = set->prepared_rotation ? nr : 0;
}

int pmudev_rotation_room(struct pmudev_set *set, u64 slots)
{
	unsigned int nr = count_groups(set, slots);

	lockdep_assert_held(&set->pmu->lock);
	if (nr <= set->rotation_room)
		return 0;
	if (nr > set->prepared_room)
		return -ENOMEM;
	kfree(set->new_rotation);
	set->new_rotation = set->prepared_rotation;
	set->rotation_room = set->prepared_room;
	set->prepared_rotation = NULL;
	set->prepared_room = 0;
	return 0;
}

/* ---------------------------------------------------------- the pools -- */

u64 pmudev_mux_free(struct pmudev_set *set)
{
	u64 available = set->pmu->info.counters & ~set->pmu->info.unavailable;

	return available & (~pmudev_alloc_taken(set, false) | set->guaranteed);
}

static u64 wanted(struct pmudev_set *set)
{
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, set->placed & set->mux)
		mask |= pmudev_places_counters(pmudev_slot_event(set, slot)->allowed,
					       pmudev_slot_event(set, slot)->hw.chained);
	return mask;
}

/* What nobody has placed goes to the multiplexing sets, first come, first served. */
static void share_borrowed(struct pmudev_pmu *pmu)
{
	u64 available = pmu->info.counters & ~pmu->info.unavailable;
	struct pmudev_set *set;

	pmu->task_borrowed = 0;
	pmu->cpu_borrowed = 0;
	list_for_each_entry(set, &pmu->sets, node) {
		set->old_borrowed = set->borrowed;
		set->borrowed = 0;
		set->ctx->borrowed = 0;
	}
	list_for_each_entry(set, &pmu->sets, node) {
		pmudev_cond_resched();
		if (!set->guaranteed)
			continue;
		set->borrowed = available & wanted(set) & ~pmudev_alloc_taken(set, true);
		set->ctx->borrowed |= set->borrowed;
		*(set->cpu < 0 ? &pmu->task_borrowed : &pmu->cpu_borrowed) |= set->borrowed;
	}
}

static bool changed(const struct pmudev_set *set)
{
	return set->rotation_changed || (set->guaranteed && set->borrowed != set->old_borrowed);
}

void pmudev_rotation_show(struct pmudev_set *set, const struct pmudev_rotation *rotation)
{
	struct pmudev_change change = { .rotation = rotation };

	pmudev_set_call(set, pmudev_change_rotation, &change);
}

void pmudev_rotation_suspend(struct pmudev_set *asking)
{
	struct pmudev_pmu *pmu = asking->pmu;
	struct pmudev_set *set;

	lockdep_assert_held(&pmu->lock);
	if (!pmu->nr_mux && !pmu->task_borrowed && !pmu->cpu_borrowed)
		return;
	share_borrowed(pmu);
	/* All that change first let go of their counters: then each finds its own free. */
	list_for_each_entry(set, &pmu->sets, node) {
		if (!changed(set))
			continue;
		set->rotation_changed = true;
		if (set != asking && hlist_unhashed(&set->suspended_node))
			hlist_add_head(&set->suspended_node, &asking->suspended);
		if (set->rotation)
			pmudev_rotation_show(set, NULL);
	}
}

void pmudev_rotation_resume(struct pmudev_set *set)
{
	lockdep_assert_held(&set->pmu->lock);
	hlist_del_init(&set->suspended_node);
	if (!set->rotation_changed)
		return;
	set->rotation_changed = false;
	if (!set->guaranteed)
		return;
	/* Paused: nobody looks at the table. */
	if (set->new_rotation) {
		kfree(set->table);
		set->table = set->new_rotation;
		set->new_rotation = NULL;
	}
	pmudev_rotation_plan(set, set->guaranteed | set->borrowed, set->table);
	pmudev_rotation_show(set, set->table);
}

static void resume_all(void *arg)
{
	struct pmudev_set *asking = arg, *set;
	struct pmudev_pmu *pmu = asking->pmu;

	while (!hlist_empty(&asking->suspended)) {
		mutex_lock(&pmu->lock);
		set = hlist_entry_safe(asking->suspended.first, struct pmudev_set, suspended_node);
		if (set)
			pmudev_rotation_resume(set);
		mutex_unlock(&pmu->lock);
		cond_resched();
	}
}

void pmudev_rotation_resume_all(struct pmudev_set *asking)
{
	pmudev_assert_call(asking);
	pmudev_by_worker(pmudev_urgent, resume_all, asking);
}

int pmudev_rotation_counter(const struct pmudev_set *set, unsigned int slot)
{
	unsigned int i;

	for (i = 0; set->rotation && i < set->rotation->nr; i++)
		if (set->rotation->slot_plan[i].slots & BIT_ULL(slot))
			return set->rotation->slot_plan[i].counter[slot];
	return -1;
}

void pmudev_rotation_init(struct pmudev_pmu *pmu)
{
	u64 hz = pmu->info.clock_hz;

	/* A millisecond, as perf's hardware PMUs have it by default. */
	pmu->rotate_ticks = hz ? div_u64(hz, 1000) : NSEC_PER_MSEC;
}
