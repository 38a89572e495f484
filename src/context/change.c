// SPDX-License-Identifier: GPL-2.0
/* Changes of a set on its context. */
#include "change.h"
#include "deadline.h"
#include "events.h"
#include "pause.h"
#include "rotate.h"
#include "times.h"
#include "user_page.h"

/*
 * What counts of @from changes meanwhile, and so does the counter of a multiplexed event, which the
 * child's own rotation sets. The rest of an enabled event is constant.
 */
void pmudev_events_copy(struct pmudev_set *child, const struct pmudev_set *from, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots) {
		const struct pmudev_event *event = pmudev_slot_event(from, slot);

		*pmudev_slot_event(child, slot) = (struct pmudev_event){
			.hw = {
				/* It may have deadlines of its own. */
				.config = READ_ONCE(event->hw.config) & ~child->pmu->info.interrupt,
				.counter = event->hw.counter,
				.width = event->hw.width,
				.chained = event->hw.chained,
				.filter = event->hw.filter,
			},
			.allowed = event->allowed,
			.tag = event->tag,
			.flags = event->flags,
			.group = event->group,
		};
	}
}

u64 pmudev_slots_room(const struct pmudev_set *set, u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		if (!set->chunk[slot / PMUDEV_CHUNK])
			slots &= ~BIT_ULL(slot);
	return slots;
}

u64 pmudev_child_learn(struct pmudev_set *child, u64 slots)
{
	slots = pmudev_slots_room(child, slots);
	pmudev_events_copy(child, child->parent, slots & ~child->used);
	child->used |= slots;
	child->mux = READ_ONCE(child->parent->mux) & child->used;
	child->nr_slots = fls64(child->used);
	return slots;
}

static void enable(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 non_mux = slots & ~set->mux;

	pmudev_times_stop(set, &now);
	WRITE_ONCE(set->enabled, set->enabled | slots);
	if ((set->user & non_mux) && !pmudev_user_access_enabled())
		non_mux &= ~pmudev_user_slots(set);
	WARN_ON_ONCE(!pmudev_slots_activate(ctx, set, non_mux));
	if (slots & set->mux)
		pmudev_rotation_apply(ctx, set);
	pmudev_times_start(set, &now);
	pmudev_page_publish(ctx, set);
}

void pmudev_change_enable(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_enable_arg *change = arg;
	u64 slots = change->slots, rest;
	unsigned int slot;

	lockdep_assert_held(&ctx->lock);
	/* An inherited set goes on in its children when its target has ended. */
	if (ctx->dead && !set->inherit) {
		change->error = -ESRCH;
		return;
	}
	slots &= ~(set->enabled | set->armed);
	if (pmudev_set_is_child(set))
		slots = pmudev_child_learn(set, slots);
	pmudev_for_each_slot(slot, rest, slots & ~set->mux)
		pmudev_hw_place(set->pmu, &pmudev_slot_event(set, slot)->hw, change->place[slot]);
	if (set->on_exec)
		WRITE_ONCE(set->armed, set->armed | slots);
	else
		enable(ctx, set, slots);
}

void pmudev_ctx_exec(struct pmudev_ctx *ctx)
{
	struct pmudev_set *set;
	u64 slots;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry(set, &ctx->inherited, ctx_node) {
		if (!set->on_exec)
			continue;
		set->on_exec = false;
		slots = set->armed;
		WRITE_ONCE(set->armed, 0);
		if (slots)
			enable(ctx, set, slots);
	}
}

void pmudev_change_disable(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 slots = *(const u64 *)arg;

	lockdep_assert_held(&ctx->lock);
	pmudev_times_stop(set, &now);
	pmudev_slots_deactivate(ctx, set, slots & set->active);
	WRITE_ONCE(set->enabled, set->enabled & ~slots);
	WRITE_ONCE(set->armed, set->armed & ~slots);
	pmudev_times_start(set, &now);
	set->generation++;
	pmudev_page_publish(ctx, set);
}

void pmudev_change_reset(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	const struct pmudev_reset_arg *change = arg;
	u64 value = pmudev_set_is_child(set) ? 0 : change->value;
	u64 rest, active = change->slots & set->active, armed;
	struct pmudev_pause pause;
	unsigned int slot;

	lockdep_assert_held(&ctx->lock);
	pmudev_deadlines_pause(ctx, set, active, &pause);
	/* What is reached and not armed again is reset like the others. */
	armed = set->deadlines ? set->deadlines->armed : 0;
	pmudev_deadlines_reset(ctx, set, change->slots, value);
	pmudev_for_each_slot(slot, rest, change->slots & set->used & ~armed)
		pmudev_slot_event(set, slot)->hw.value = value;
	pmudev_slots_resume(&pause);
	set->generation++;
	pmudev_page_publish(ctx, set);
}

void pmudev_change_slots(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	const struct pmudev_slots_arg *change = arg;
	u64 removed = set->used & ~change->used;

	lockdep_assert_held(&ctx->lock);
	if (removed) {
		set->generation++;
		pmudev_page_forget(set, removed);
		pmudev_deadlines_forget(ctx, set, removed);
	}
	if (pmudev_set_is_child(set)) {
		/* A child hears of new events when they are enabled. */
		WRITE_ONCE(set->used, set->used & change->used);
		WRITE_ONCE(set->mux, set->mux & set->used);
	} else {
		WRITE_ONCE(set->used, change->used);
		WRITE_ONCE(set->mux, change->mux);
		/* Also read by mmap(), without the lock. */
		WRITE_ONCE(set->user, change->user);
	}
	WRITE_ONCE(set->nr_slots, fls64(set->used));
	pmudev_page_publish(ctx, set);
}

void pmudev_change_user_access_off(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 was = set->active;

	pmudev_slots_deactivate(ctx, set, pmudev_user_slots(set) & was);
	pmudev_times_changed(set, was, &now);
	set->generation++;
	pmudev_page_publish(ctx, set);
}

void pmudev_change_user_access_on(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 was = set->active;

	if (ctx->dead)
		return;
	WARN_ON_ONCE(!pmudev_slots_activate(ctx, set, set->enabled & ~was & ~set->mux));
	pmudev_rotation_apply(ctx, set);
	pmudev_times_changed(set, was, &now);
	pmudev_page_publish(ctx, set);
}
