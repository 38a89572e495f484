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
	bool all = set->on == set->enabled;
	struct pmudev_event *event;
	unsigned int slot;
	u64 rest;

	set->time_enabled += enabled;
	if (all)
		set->time_running += running;
	pmudev_for_each_slot(slot, rest, set->enabled) {
		event = pmudev_slot_event(set, slot);
		event->time_enabled += enabled;
		if (all || (set->on & BIT_ULL(slot)))
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
static void times_turn(struct pmudev_set *set, u64 was, const struct pmudev_clocks *now)
{
	bool all_were = was == set->enabled, all_are = set->on == set->enabled;
	unsigned int slot;
	u64 rest;

	if (all_were != all_are)
		set->time_running += all_were ? now->running : -now->running;
	pmudev_for_each_slot(slot, rest, was ^ set->on)
		pmudev_slot_event(set, slot)->time_running +=
			was & BIT_ULL(slot) ? now->running : -now->running;
}

/* Groups with an event that user mode may read: a closed gate stops them whole. */
static u64 gated_slots(struct pmudev_set *set)
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

void pmudev_show_image(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	const struct pmudev_image *image = NULL;
	unsigned int slot;
	u64 want = 0, off, rest;

	lockdep_assert_held(&ctx->lock);
	if (set->turns && set->turns->nr) {
		image = &set->turns->image[set->turn];
		want = image->slots & set->enabled;
	}
	if (set->user & want && !pmudev_gate_open())
		want &= ~gated_slots(set);
	off = set->on & set->mux & ~want;
	pmudev_for_each_slot(slot, rest, set->on & want)
		if (pmudev_slot_event(set, slot)->hw.counter != image->counter[slot])
			off |= BIT_ULL(slot);
	pmudev_slots_off(ctx, set, off);
	want &= ~set->on;
	pmudev_for_each_slot(slot, rest, want)
		pmudev_hw_place(set->pmu, &pmudev_slot_event(set, slot)->hw, image->counter[slot]);
	WARN_ON_ONCE(!pmudev_slots_on(ctx, set, want));
}

void pmudev_change_turns(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 was = set->on;

	if (set->turns)
		hlist_del_init(&set->turn_node);
	if (change->turns)
		hlist_add_head(&set->turn_node, &ctx->turning);
	set->turns = change->turns;
	if (!set->turns || set->turn >= set->turns->nr)
		set->turn = 0;
	pmudev_show_image(ctx, set);
	times_turn(set, was, &now);
	if (pmudev_ctx_counting(ctx) && set->turns)
		pmudev_turn_timer(this_cpu_ptr(&pmudev_cpus), ctx);
	pmudev_page_publish(ctx, set);
}

void pmudev_ctx_turn(struct pmudev_ctx *ctx)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	struct pmudev_set *set;
	u64 was;

	lockdep_assert_held(&ctx->lock);
	ctx->turned = now.running;
	hlist_for_each_entry(set, &ctx->turning, turn_node) {
		if (set->turns->nr < 2)
			continue;
		was = set->on;
		set->turn = (set->turn + 1) % set->turns->nr;
		pmudev_show_image(ctx, set);
		times_turn(set, was, &now);
		pmudev_page_publish(ctx, set);
	}
}

/* ----------------------------------------------------- enabling, disabling -- */

/* An heir learns of events that came after it was born. Those that it has room for. */
static u64 copy_events(struct pmudev_set *heir, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots & ~heir->used) {
		struct pmudev_event *from = pmudev_slot_event(heir->root, slot);

		if (!heir->chunk[slot / PMUDEV_CHUNK]) {
			slots &= ~BIT_ULL(slot);
			continue;
		}
		*pmudev_slot_event(heir, slot) = (struct pmudev_event){
			.hw.config = from->hw.config,
			.hw.pair = from->hw.pair,
			.hw.side = from->hw.side,
			.allowed = from->allowed,
			.flags = from->flags,
			.group = from->group,
		};
		heir->used |= BIT_ULL(slot);
	}
	heir->mux = heir->root->mux & heir->used;
	heir->nr_slots = fls64(heir->used);
	return slots;
}

/* Where strict events were placed. */
static void take_places(struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots & ~set->mux)
		pmudev_hw_place(set->pmu, &pmudev_slot_event(set, slot)->hw,
				set->root->place[slot]);
}

static __always_inline void enable(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 strict = slots & ~set->mux;

	times_stop(set, &now);
	set->enabled |= slots;
	set->alike = PMUDEV_ALIKE_UNKNOWN;
	if ((set->user & strict) && !pmudev_gate_open())
		strict &= ~gated_slots(set);
	WARN_ON_ONCE(!pmudev_slots_on(ctx, set, strict));
	if (slots & set->mux)
		pmudev_show_image(ctx, set);
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
	if (ctx->dead && !set->family) {
		change->error = -ESRCH;
		return;
	}
	slots &= ~(set->enabled | set->armed);
	if (set != set->root)
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
	hlist_for_each_entry(set, &ctx->family, ctx_node) {
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
	pmudev_slots_off(ctx, set, slots & set->on);
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
	if ((slots & ~set->placed) || ((slots & set->user) && !pmudev_gate_open()))
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
	nr = pmudev_slots_hw(set, change->slots & set->on, hw);
	counters = pmudev_hw_counters(hw, nr);
	if (live && nr)
		pmudev_backend_save(hw, nr, counters);
	/* The family's count is the root's and its heirs' together. */
	pmudev_for_each_slot(slot, rest, change->slots & set->used)
		pmudev_slot_event(set, slot)->hw.value = set == set->root ? change->value : 0;
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
	/* An heir hears of what is new when it is enabled. */
	set->used = set == set->root ? change->slots : set->used & change->slots;
	set->mux &= set->used;
	WRITE_ONCE(set->user, set->user & set->used);
	if (set == set->root) {
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
		set->moving_on = set->on & set->moving;
		pmudev_slots_off(ctx, set, set->moving_on);
	}
	for (set = first; set; set = set->next_moving) {
		take_places(set, set->moving);
		WARN_ON_ONCE(!pmudev_slots_on(ctx, set, set->moving_on));
		pmudev_page_publish(ctx, set);
	}
}

/* ----------------------------------------------------------------- gate -- */

void pmudev_change_gate(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 was = set->on;

	pmudev_slots_off(ctx, set, gated_slots(set) & was);
	times_turn(set, was, &now);
	set->generation++;
	pmudev_page_publish(ctx, set);
}

void pmudev_change_ungate(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 was = set->on;

	if (ctx->dead)
		return;
	WARN_ON_ONCE(!pmudev_slots_on(ctx, set, set->enabled & ~was & ~set->mux));
	pmudev_show_image(ctx, set);
	times_turn(set, was, &now);
	pmudev_page_publish(ctx, set);
}
