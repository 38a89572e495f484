// SPDX-License-Identifier: GPL-2.0
/* Deadlines of totals, when sets change. */
#include "pause.h"
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
	const u64 *slots = arg;
	struct pmudev_slot_deadline *deadline;
	struct pmudev_pause pause;
	unsigned int slot;
	u64 rest;

	lockdep_assert_held(&ctx->lock);
	if (!deadlines)
		return;
	pmudev_slots_pause(ctx, set, *slots, &pause);
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
	pmudev_slots_resume(&pause);
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

void pmudev_totals_release(struct pmudev_set *set, u64 slots)
{
	struct pmudev_deadline_common *common = set->deadlines->common;
	unsigned long flags;
	unsigned int slot;
	u64 rest;

	raw_spin_lock_irqsave(&common->lock, flags);
	pmudev_for_each_slot(slot, rest, slots) {
		common->slot[slot]->budget.held = false;
		common->slot[slot]->budget.relative = false;
		pmudev_report_total(set->deadlines, slot);
	}
	raw_spin_unlock_irqrestore(&common->lock, flags);
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
	pmudev_for_each_slot(slot, rest, slots) {
		common->slot[slot]->budget.held = true;
		common->slot[slot]->budget.known -= value[slot];
	}
	raw_spin_unlock(&common->lock);
}
