// SPDX-License-Identifier: GPL-2.0
/* Moves: what a placement has planned to move changes its counters, in the allocation and there. */
#include "../context/events.h"
#include "../context/user_page.h"
#include "../cpu/counters.h"
#include "place.h"

/* The counters that an event moves to. */
static u64 moved_to(const struct pmudev_alloc *alloc, unsigned int slot)
{
	bool chained = pmudev_slot_event(alloc->set, slot)->hw.chained;

	return pmudev_place_counters(alloc->new_place[slot], chained);
}

u64 pmudev_place_moved(struct pmudev_set *asking)
{
	struct pmudev_alloc *alloc;
	unsigned int slot;
	u64 rest, moved = 0;

	pmudev_for_each_alloc(alloc, asking->pmu) {
		if (!pmudev_movable(alloc->set, asking->ctx))
			continue;
		moved |= alloc->mux.new_guaranteed;
		pmudev_for_each_slot(slot, rest, alloc->moving)
			moved |= moved_to(alloc, slot);
	}
	return moved;
}

struct pmudev_set *pmudev_place_moves(struct pmudev_set *asking)
{
	struct pmudev_alloc *alloc, *next;
	struct pmudev_set *first = NULL;
	unsigned int slot;
	LIST_HEAD(moved);
	u64 rest;

	lockdep_assert_held(&asking->pmu->lock);
	/* All are unaccounted before the first is accounted again: they may change places. */
	list_for_each_entry_safe(alloc, next, &pmudev_pmu_alloc(asking->pmu)->sets, node) {
		if (!pmudev_movable(alloc->set, asking->ctx) ||
		    (!alloc->moving && alloc->mux.new_guaranteed == alloc->mux.guaranteed))
			continue;
		pmudev_alloc_unaccount(alloc->set);
		list_add_tail(&alloc->node, &moved);
	}
	list_for_each_entry_safe(alloc, next, &moved, node) {
		list_del(&alloc->node);
		alloc->mux.changed |= alloc->mux.new_guaranteed != alloc->mux.guaranteed;
		alloc->mux.guaranteed = alloc->mux.new_guaranteed;
		pmudev_for_each_slot(slot, rest, alloc->moving)
			alloc->place[slot] = alloc->new_place[slot];
		pmudev_alloc_account(alloc->set);
		alloc->next_moving = first;
		first = alloc->set;
	}
	return first;
}

void pmudev_move_events(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_set *set, *first = arg;
	unsigned int slot;
	u64 rest;

	lockdep_assert_held(&ctx->lock);
	/* It ended meanwhile: nothing counts any more, and nothing could be activated again. */
	if (ctx->dead)
		return;
	/* All of them leave before the first comes: they may change places among themselves. */
	for (set = first; set; set = set->alloc->next_moving) {
		set->alloc->moving_active = set->active & set->alloc->moving;
		pmudev_slots_deactivate(ctx, set, set->alloc->moving_active);
	}
	for (set = first; set; set = set->alloc->next_moving) {
		pmudev_for_each_slot(slot, rest, set->alloc->moving)
			pmudev_hw_place(set->pmu, &pmudev_slot_event(set, slot)->hw,
					set->alloc->place[slot]);
		WARN_ON_ONCE(!pmudev_slots_activate(ctx, set, set->alloc->moving_active));
		pmudev_page_publish(ctx, set);
	}
}
