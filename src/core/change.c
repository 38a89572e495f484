// SPDX-License-Identifier: GPL-2.0
/*
 * Changing what a set has on its context: enabling, disabling, resetting, moving, taking turns.
 * All of it runs with ctx->lock held, where the context is loaded.
 */
#include "ledger.h"

/*
 * Times are kept relative to the context's clocks while they advance. Enabling and disabling
 * make them totals, change the masks, and make them relative again.
 */
static void times_add(struct pmudev_set *set, u64 enabled, u64 running)
{
	bool all = set->active == set->enabled;
	struct pmudev_event *event;
	unsigned int slot;
	u64 rest;

	set->time_enabled += enabled;
	if (all)
		set->time_running += running;
	pmudev_for_each_slot(slot, rest, set->enabled) {
		event = pmudev_slot_event(set, slot);
		event->time_enabled += enabled;
		if (all || (set->active & BIT_ULL(slot)))
			event->time_running += running;
	}
}

static __always_inline void times_stop(struct pmudev_set *set, const struct pmudev_clocks *now)
{
	if (set->enabled)
		times_add(set, now->enabled, now->running);
}

static __always_inline void times_start(struct pmudev_set *set, const struct pmudev_clocks *now)
{
	if (set->enabled)
		times_add(set, -now->enabled, -now->running);
}

/* After a change of what is on alone: @was was. What is enabled stays so. */
static void times_rotate(struct pmudev_set *set, u64 was, const struct pmudev_clocks *now)
{
	bool all_were = was == set->enabled, all_are = set->active == set->enabled;
	unsigned int slot;
	u64 rest;

	if (all_were != all_are)
		set->time_running += all_were ? now->running : -now->running;
	pmudev_for_each_slot(slot, rest, was ^ set->active)
		pmudev_slot_event(set, slot)->time_running +=
			was & BIT_ULL(slot) ? now->running : -now->running;
}

/* Groups with an event that user mode may read: a closed gate stops them whole. */
static u64 user_access_slots(struct pmudev_set *set)
{
	u64 rest, groups = 0, slots = 0;
	unsigned int slot;

	pmudev_for_each_slot(slot, rest, set->user & set->enabled)
		groups |= BIT_ULL(pmudev_slot_event(set, slot)->group);
	pmudev_for_each_slot(slot, rest, set->enabled)
		if (groups & BIT_ULL(pmudev_slot_event(set, slot)->group))
			slots |= BIT_ULL(slot);
	return slots;
}

/* ---------------------------------------------------------- taking turns -- */

void pmudev_rotation_apply(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	const struct pmudev_rotation_slot *slot_plan = NULL;
	unsigned int slot;
	u64 constraint = 0, off, rest;

	lockdep_assert_held(&ctx->lock);
	if (set->rotation && set->rotation->nr) {
		slot_plan = &set->rotation->slot_plan[set->rotation_pos];
		constraint = slot_plan->slots & set->enabled;
	}
	if (set->user & constraint && !pmudev_user_access_enabled())
		constraint &= ~user_access_slots(set);
	off = set->active & set->mux & ~constraint;
	pmudev_for_each_slot(slot, rest, set->active & constraint)
		if (pmudev_slot_event(set, slot)->hw.counter != slot_plan->counter[slot])
			off |= BIT_ULL(slot);
	pmudev_slots_deactivate(ctx, set, off);
	constraint &= ~set->active;
	pmudev_for_each_slot(slot, rest, constraint)
		pmudev_hw_place(set->pmu, &pmudev_slot_event(set, slot)->hw,
				slot_plan->counter[slot]);
	WARN_ON_ONCE(!pmudev_slots_activate(ctx, set, constraint));
}

void pmudev_change_rotation(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 was = set->active;

	if (set->rotation)
		hlist_del_init(&set->rotate_node);
	if (change->rotation)
		hlist_add_head(&set->rotate_node, &ctx->rotating);
	set->rotation = change->rotation;
	if (!set->rotation || set->rotation_pos >= set->rotation->nr)
		set->rotation_pos = 0;
	pmudev_rotation_apply(ctx, set);
	times_rotate(set, was, &now);
	if (pmudev_ctx_counting(ctx) && set->rotation)
		pmudev_rotate_timer(this_cpu_ptr(&pmudev_cpus), ctx);
	pmudev_page_publish(ctx, set);
}

void pmudev_ctx_rotate(struct pmudev_ctx *ctx)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	struct pmudev_set *set;
	u64 was;

	lockdep_assert_held(&ctx->lock);
	ctx->rotated = now.running;
	hlist_for_each_entry(set, &ctx->rotating, rotate_node) {
		if (set->rotation->nr < 2)
			continue;
		was = set->active;
		set->rotation_pos = (set->rotation_pos + 1) % set->rotation->nr;
		pmudev_rotation_apply(ctx, set);
		times_rotate(set, was, &now);
		pmudev_page_publish(ctx, set);
	}
}

/* ----------------------------------------------------- enabling, disabling -- */

/* An child learns of events that came after it was started. Those that it has room for. */
static u64 copy_events(struct pmudev_set *child, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots & ~child->used) {
		struct pmudev_event *from = pmudev_slot_event(child->parent, slot);

		if (!child->chunk[slot / PMUDEV_CHUNK]) {
			slots &= ~BIT_ULL(slot);
			continue;
		}
		*pmudev_slot_event(child, slot) = (struct pmudev_event){
			.hw.config = from->hw.config,
			.hw.chained = from->hw.chained,
			.hw.filter = from->hw.filter,
			.allowed = from->allowed,
			.flags = from->flags,
			.group = from->group,
		};
		child->used |= BIT_ULL(slot);
	}
	child->mux = child->parent->mux & child->used;
	child->nr_slots = fls64(child->used);
	return slots;
}

/* Where strict events were placed. */
static void take_places(struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots & ~set->mux)
		pmudev_hw_place(set->pmu, &pmudev_slot_event(set, slot)->hw,
				set->parent->place[slot]);
}

static __always_inline void enable(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 non_mux = slots & ~set->mux;

	times_stop(set, &now);
	set->enabled |= slots;
	set->alike = PMUDEV_ALIKE_UNKNOWN;
	if ((set->user & non_mux) && !pmudev_user_access_enabled())
		non_mux &= ~user_access_slots(set);
	WARN_ON_ONCE(!pmudev_slots_activate(ctx, set, non_mux));
	if (slots & set->mux)
		pmudev_rotation_apply(ctx, set);
	times_start(set, &now);
	pmudev_page_publish(ctx, set);
}

void pmudev_change_enable(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	u64 slots = change->slots;

	lockdep_assert_held(&ctx->lock);
	/* With children that live it goes on without its target. */
	if (ctx->dead && !set->inherit) {
		change->error = -ESRCH;
		return;
	}
	slots &= ~(set->enabled | set->armed);
	if (set != set->parent)
		slots = copy_events(set, slots);
	if (!change->placed)
		take_places(set, slots);
	if (set->on_exec)
		set->armed |= slots;
	else
		enable(ctx, set, slots);
}

void pmudev_ctx_exec(struct pmudev_ctx *ctx)
{
	struct pmudev_set *set;
	u64 slots;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry(set, &ctx->inherit, ctx_node) {
		if (!set->on_exec)
			continue;
		set->on_exec = false;
		slots = set->armed;
		set->armed = 0;
		if (slots)
			enable(ctx, set, slots);
	}
}

static __always_inline void disable(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);

	lockdep_assert_held(&ctx->lock);
	times_stop(set, &now);
	pmudev_slots_deactivate(ctx, set, slots & set->active);
	set->enabled &= ~slots;
	set->alike = PMUDEV_ALIKE_UNKNOWN;
	set->armed &= ~slots;
	times_start(set, &now);
	set->generation++;
	pmudev_page_publish(ctx, set);
}

void pmudev_change_disable(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;

	disable(ctx, change->set, change->slots);
}

bool pmudev_enable_again(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	u64 slots = set->used & ~set->enabled;

	lockdep_assert_held(&ctx->lock);
	if ((slots & ~set->placed) || ((slots & set->user) && !pmudev_user_access_enabled()))
		return false;
	if (slots)
		enable(ctx, set, slots);
	return true;
}

bool pmudev_disable_again(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	if (set->enabled)
		disable(ctx, set, set->enabled);
	return true;
}

void pmudev_change_reset(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_hw *hw[PMUDEV_COUNTERS] PMUDEV_UNSET;
	bool live = pmudev_ctx_counting(ctx);
	unsigned int slot, nr;
	u64 rest, counters;

	lockdep_assert_held(&ctx->lock);
	nr = pmudev_slots_hw(set, change->slots & set->active, hw);
	counters = pmudev_hw_counters(hw, nr);
	if (live && nr)
		pmudev_backend_save(hw, nr, counters);
	/* The family's count is the root's and its children' together. */
	pmudev_for_each_slot(slot, rest, change->slots & set->used)
		pmudev_slot_event(set, slot)->hw.value = set == set->parent ? change->value : 0;
	if (live && nr)
		pmudev_backend_load(hw, nr, counters);
	set->generation++;
	pmudev_page_publish(ctx, set);
}

void pmudev_change_slots(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	u64 removed = set->used & ~change->slots;

	lockdep_assert_held(&ctx->lock);
	if (removed) {
		set->generation++;
		pmudev_page_forget(set, removed);
	}
	/* An child hears of what is new when it is enabled. */
	set->used = set == set->parent ? change->slots : set->used & change->slots;
	set->mux &= set->used;
	WRITE_ONCE(set->user, set->user & set->used);
	if (set == set->parent) {
		set->mux = change->mux;
		WRITE_ONCE(set->user, change->user);
	}
	set->nr_slots = fls64(set->used);
	set->alike = PMUDEV_ALIKE_UNKNOWN;
	pmudev_page_publish(ctx, set);
}

/* --------------------------------------------------------------- moving -- */

void pmudev_change_places(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_set *set, *first = arg;

	lockdep_assert_held(&ctx->lock);
	/* It ended meanwhile: nothing counts any more, and nothing could be put on again. */
	if (ctx->dead)
		return;
	/* All of them leave before the first comes: they may change places among themselves. */
	for (set = first; set; set = set->next_moving) {
		set->moving_active = set->active & set->moving;
		pmudev_slots_deactivate(ctx, set, set->moving_active);
	}
	for (set = first; set; set = set->next_moving) {
		take_places(set, set->moving);
		WARN_ON_ONCE(!pmudev_slots_activate(ctx, set, set->moving_active));
		pmudev_page_publish(ctx, set);
	}
}

/* ----------------------------------------------------------------- gate -- */

void pmudev_change_user_access_off(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 was = set->active;

	pmudev_slots_deactivate(ctx, set, user_access_slots(set) & was);
	times_rotate(set, was, &now);
	set->generation++;
	pmudev_page_publish(ctx, set);
}

void pmudev_change_user_access_on(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 was = set->active;

	if (ctx->dead)
		return;
	WARN_ON_ONCE(!pmudev_slots_activate(ctx, set, set->enabled & ~was & ~set->mux));
	pmudev_rotation_apply(ctx, set);
	times_rotate(set, was, &now);
	pmudev_page_publish(ctx, set);
}
