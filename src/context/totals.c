// SPDX-License-Identifier: GPL-2.0
/* Deadlines of totals, when sets change. */
#include "totals.h"

void pmudev_total_begin(struct pmudev_deadline_common *common, const struct pmudev_deadline *entry,
			u64 known)
{
	struct pmudev_budget *budget = &common->slot[entry->slot]->budget;

	lockdep_assert_held(&common->lock);
	*budget = (struct pmudev_budget){
		.total = entry->flags & PMUDEV_DEADLINE_TOTAL,
		.held = true,
		.relative = entry->flags & PMUDEV_DEADLINE_RELATIVE,
		.target = entry->value,
		.known = known,
	};
	if (budget->relative)
		budget->target += known;
}

void pmudev_total_keep(struct pmudev_set *set, struct pmudev_deadline_common *common,
		       unsigned int slot)
{
	struct pmudev_budget_part none = {}, *part = &none;
	unsigned long flags;

	lockdep_assert_held(&set->ctx->lock);
	if (!(set->used & BIT_ULL(slot)))
		return;
	if (set->deadlines && set->deadlines->slot[slot])
		part = &set->deadlines->slot[slot]->part;
	raw_spin_lock_irqsave(&common->lock, flags);
	pmudev_budget_leave(&common->slot[slot]->budget, part,
			    pmudev_event_count(pmudev_slot_event(set, slot)));
	raw_spin_unlock_irqrestore(&common->lock, flags);
}

void pmudev_totals_end(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	struct pmudev_set_deadlines *deadlines = set->deadlines;
	bool live = pmudev_ctx_counting(ctx);
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
	const u64 *slots = arg;
	struct pmudev_slot_deadline *deadline;
	unsigned int slot, nr;
	u64 rest, counters;

	lockdep_assert_held(&ctx->lock);
	if (!deadlines)
		return;
	counters = pmudev_slots_counters(set, *slots & set->active);
	nr = pmudev_slots_hw(set, *slots & set->active, hw);
	if (live && nr)
		pmudev_backend_save(hw, nr, counters);
	/* What it has reached until now is reported. */
	raw_spin_lock(&deadlines->common->lock);
	pmudev_for_each_slot(slot, rest,
			     pmudev_deadlines_totals(deadlines, *slots & deadlines->armed)) {
		deadline = deadlines->slot[slot];
		pmudev_budget_add(&deadlines->common->slot[slot]->budget, &deadline->part,
				  pmudev_event_count(pmudev_slot_event(set, slot)));
		pmudev_report_total(deadlines, slot);
	}
	raw_spin_unlock(&deadlines->common->lock);
	pmudev_for_each_slot(slot, rest, *slots & deadlines->armed)
		pmudev_deadline_disarm(set, slot);
	deadlines->slots &= ~*slots;
	if (live && nr)
		pmudev_backend_load(hw, nr, counters);
	pmudev_deadlines_list(ctx, set);
}

void pmudev_totals_look(struct pmudev_ctx *ctx, struct pmudev_set *set, void *arg)
{
	u64 slots;

	lockdep_assert_held(&ctx->lock);
	if (!set->deadlines)
		return;
	slots = pmudev_deadlines_totals(set->deadlines, set->deadlines->armed);
	if (slots)
		pmudev_deadlines_reach(ctx, set, slots, true);
}

u64 pmudev_totals_of(const struct pmudev_set *set, u64 slots)
{
	/* Pairs with pmudev_take_deadlines(). */
	const struct pmudev_set_deadlines *deadlines = smp_load_acquire(&set->deadlines);
	unsigned int slot;
	u64 rest, found = 0;

	if (!deadlines)
		return 0;
	pmudev_for_each_slot(slot, rest, slots)
		if (deadlines->common->slot[slot] && deadlines->common->slot[slot]->budget.total)
			found |= BIT_ULL(slot);
	return found;
}

static void set_held(struct pmudev_set *set, u64 slots, bool held)
{
	struct pmudev_deadline_common *common = set->deadlines->common;
	struct pmudev_budget *budget;
	unsigned long flags;
	unsigned int slot;
	u64 rest;

	raw_spin_lock_irqsave(&common->lock, flags);
	pmudev_for_each_slot(slot, rest, slots) {
		budget = &common->slot[slot]->budget;
		budget->held = held;
		budget->relative = false;
		if (!held)
			pmudev_report_total(set->deadlines, slot);
	}
	raw_spin_unlock_irqrestore(&common->lock, flags);
}

void pmudev_totals_hold(struct pmudev_set *set, u64 slots)
{
	if (slots)
		set_held(set, slots, true);
}

void pmudev_totals_release(struct pmudev_set *set, u64 slots)
{
	if (slots)
		set_held(set, slots, false);
}

void pmudev_totals_drop(struct pmudev_set *set, u64 slots, const u64 *value)
{
	struct pmudev_deadline_common *common;
	unsigned int slot;
	u64 rest;

	slots = pmudev_totals_of(set, slots);
	if (!slots)
		return;
	common = set->deadlines->common;
	raw_spin_lock(&common->lock);
	pmudev_for_each_slot(slot, rest, slots)
		common->slot[slot]->budget.known -= value[slot];
	raw_spin_unlock(&common->lock);
}
