// SPDX-License-Identifier: GPL-2.0
/* Rotation of multiplexed groups: apply the next slot of the plan when its time has come. */
#include "cgroup.h"
#include "events.h"
#include "rotate.h"
#include "times.h"
#include "user_page.h"

u64 pmudev_user_slots(const struct pmudev_set *set)
{
	return pmudev_groups_slots(set, set->enabled,
				   pmudev_slots_groups(set, set->user & set->enabled));
}

/*
 * Place events beside others that stay where they are: one at a time, on the counter that the plan
 * has for it, or else the highest that is left to it. Return: false if one finds none.
 */
static bool place_beside(struct pmudev_set *set, const struct pmudev_rotation_slot *now,
			 u64 staying, u64 coming)
{
	u64 free = set->rotation.plan->pool & ~pmudev_slots_counters(set, staying), places, rest;
	unsigned int slot;

	pmudev_for_each_slot(slot, rest, coming) {
		struct pmudev_event *event = pmudev_slot_event(set, slot);

		places = pmudev_places(event->allowed, event->hw.chained, free);
		if (!places)
			return false;
		if (places & BIT_ULL(now->counter[slot]))
			places = BIT_ULL(now->counter[slot]);
		pmudev_hw_place(set->pmu, &event->hw, fls64(places) - 1);
		free &= ~pmudev_event_counters(event);
	}
	return true;
}

/* Those of some active events that are on another counter than the plan has for them. */
static u64 not_as_planned(const struct pmudev_set *set, const struct pmudev_rotation_slot *now,
			  u64 slots)
{
	unsigned int slot;
	u64 found = 0, rest;

	pmudev_for_each_slot(slot, rest, slots)
		if (pmudev_slot_event(set, slot)->hw.counter != now->counter[slot])
			found |= BIT_ULL(slot);
	return found;
}

static void place_as_planned(struct pmudev_set *set, const struct pmudev_rotation_slot *now,
			     u64 slots)
{
	unsigned int slot;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		pmudev_hw_place(set->pmu, &pmudev_slot_event(set, slot)->hw, now->counter[slot]);
}

void pmudev_rotation_apply(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	const struct pmudev_rotation *plan = set->rotation.plan;
	const struct pmudev_rotation_slot *now = NULL;
	u64 wanted = 0, staying, moving;

	lockdep_assert_held(&ctx->lock);
	if (plan && plan->nr) {
		now = &plan->slot[set->rotation.pos % plan->nr];
		wanted = now->slots & set->enabled;
	}
	if ((set->user & wanted) && !pmudev_user_access_enabled())
		wanted &= ~pmudev_user_slots(set);
	pmudev_slots_deactivate(ctx, set, set->active & set->mux & ~wanted);
	staying = set->active & wanted;
	wanted &= ~staying;
	if (wanted && !(staying && place_beside(set, now, staying, wanted))) {
		moving = not_as_planned(set, now, staying);
		pmudev_slots_deactivate(ctx, set, moving);
		wanted |= moving;
		place_as_planned(set, now, wanted);
	}
	WARN_ON_ONCE(!pmudev_slots_activate(ctx, set, wanted));
}

/* Else all groups fit at once, or none does. */
static bool takes_turns(const struct pmudev_rotation *plan)
{
	return plan && plan->nr > 1;
}

void pmudev_change_rotation(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	const struct pmudev_rotation *plan = arg;
	struct pmudev_set_rotation *rotation = &set->rotation;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	u64 was = set->active;

	hlist_del_init(&rotation->node);
	if (takes_turns(plan))
		hlist_add_head(&rotation->node, &ctx->rotating);
	rotation->plan = plan;
	pmudev_rotation_apply(ctx, set);
	pmudev_times_changed(set, was, &now);
	if (takes_turns(plan) && pmudev_ctx_counting(ctx))
		pmudev_rotate_timer(this_cpu_ptr(&pmudev_cpus), ctx);
	pmudev_page_publish(ctx, set);
}

void pmudev_rotation_inherit(struct pmudev_ctx *ctx, struct pmudev_set *child,
			     const struct pmudev_set *from, u32 number)
{
	child->rotation.plan = from->rotation.plan;
	if (!child->rotation.plan)
		return;
	/* Children that live for less than one slot each begin with another one. */
	child->rotation.pos = number;
	if (takes_turns(child->rotation.plan))
		hlist_add_head(&child->rotation.node, &ctx->rotating);
	pmudev_rotation_apply(ctx, child);
}

/* Apply the next slot of every set. */
static void rotate(struct pmudev_ctx *ctx)
{
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);
	struct pmudev_set *set;
	u64 was;

	ctx->rotated = now.running;
	hlist_for_each_entry(set, &ctx->rotating, rotation.node) {
		was = set->active;
		set->rotation.pos++;
		pmudev_rotation_apply(ctx, set);
		pmudev_times_changed(set, was, &now);
		pmudev_page_publish(ctx, set);
	}
}

void pmudev_rotate_if_due(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (pmudev_ctx_clocks(ctx).running - ctx->rotated >= ctx->pmu->rotate_ticks)
		rotate(ctx);
}

/* The ticks until the next rotation is due. */
static u64 ticks_left(const struct pmudev_ctx *ctx)
{
	u64 ran = pmudev_ctx_clocks(ctx).running - ctx->rotated;

	return ctx->pmu->rotate_ticks - min(ran, ctx->pmu->rotate_ticks);
}

static ktime_t ticks_to_ktime(const struct pmudev_pmu *pmu, u64 ticks)
{
	return ns_to_ktime(pmudev_ticks_to_ns(ticks, pmu->mult, pmu->shift));
}

void pmudev_rotate_timer(struct pmudev_cpu *cpuc, struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	/* The timer looks at all that is loaded when it expires, and starts again. */
	if (hrtimer_is_queued(&cpuc->rotate_timer))
		return;
	hrtimer_start(&cpuc->rotate_timer, ticks_to_ktime(ctx->pmu, ticks_left(ctx)),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Rotate a context if it is due. @arg: lowered to the ticks until its next rotation */
static void tick(struct pmudev_ctx *ctx, void *arg)
{
	u64 *left = arg, mine;

	raw_spin_lock(&ctx->lock);
	if (pmudev_ctx_counting(ctx) && !hlist_empty(&ctx->rotating)) {
		/*
		 * What is nearly due is rotated now: the timer comes a period after it should have
		 * come last, so somewhat less than that after the last rotation. Nor does it come
		 * more often than every eighth of it, however often threads are switched.
		 */
		mine = ticks_left(ctx);
		if (mine <= ctx->pmu->rotate_ticks / 8) {
			rotate(ctx);
			/* From when it was due, not from when it was done. */
			mine = ctx->pmu->rotate_ticks;
		}
		*left = min(*left, mine);
	}
	raw_spin_unlock(&ctx->lock);
}

enum hrtimer_restart pmudev_rotate_tick(struct hrtimer *timer)
{
	struct pmudev_cpu *cpuc = container_of(timer, struct pmudev_cpu, rotate_timer);
	const struct pmudev_pmu *pmu = cpuc->pmu;
	u64 left = U64_MAX;

	pmudev_loaded_walk(cpuc, tick, &left);
	if (left == U64_MAX)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ticks_to_ktime(pmu, left));
	return HRTIMER_RESTART;
}
