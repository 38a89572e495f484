// SPDX-License-Identifier: GPL-2.0
/* A set's events on their counters. Nothing is decided here: counters were allocated at enable. */
#include "events.h"
#include "fold.h"

u64 pmudev_set_update_some(struct pmudev_set *set)
{
	struct pmudev_hw *hw[PMUDEV_COUNTERS];

	return pmudev_backend_read(hw, pmudev_slots_hw(set, set->active, hw));
}

/* How often the narrowest of some events must be folded, in ns; 0: never. */
static u64 fold_period(struct pmudev_hw *const *hw, unsigned int nr)
{
	unsigned int i, width = 64;

	for (i = 0; i < nr; i++)
		width = min_t(unsigned int, width, hw[i]->width);
	return pmudev_fold_ns(width);
}

/*
 * Counters of some slots' events that user mode could read after they were left. Where each counter
 * can be hidden these are the counters with events for user reads, if another thread may have
 * access.
 */
static u64 residue_of(struct pmudev_set *set, u64 slots, u64 counters)
{
	if (!(set->pmu->info.features & PMUDEV_HAS_HIDING))
		return counters;
	return pmudev_backend.grant ? pmudev_slots_counters(set, slots & set->user) : 0;
}

bool pmudev_slots_activate(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_hw **hw = ctx->active + ctx->nr;
	struct pmudev_cpu *cpuc;
	unsigned int nr;
	u64 mask, period;

	lockdep_assert_held(&ctx->lock);
	/* A dead target holds no counters any more: others may have them. */
	if (!slots || ctx->dead)
		return true;
	mask = pmudev_slots_counters(set, slots);
	if (ctx->mask & mask)
		return false;
	/* Each event has counters of its own, so there is room for all. */
	nr = pmudev_slots_hw(set, slots, hw);
	ctx->nr += nr;
	ctx->mask |= mask;
	ctx->residue_mask |= residue_of(set, slots, mask);
	set->active |= slots;
	pmudev_deadlines_list(ctx, set);
	period = fold_period(hw, nr);
	if (period && (!ctx->fold_ns || period < ctx->fold_ns))
		ctx->fold_ns = period;
	if (!pmudev_ctx_counting(ctx))
		return true;
	cpuc = this_cpu_ptr(&pmudev_cpus);
	cpuc->residue &= ~mask;
	pmudev_backend_load(hw, nr, mask);
	pmudev_fold_timer(cpuc, ctx->fold_ns);
	return true;
}

/* If user mode can read here now the counters show 0 at once, else when it can. */
static void leave_counters(const struct pmudev_ctx *ctx, u64 counters)
{
	if (pmudev_backend_user_readable())
		pmudev_backend_clear(counters);
	else
		pmudev_leave_residue(this_cpu_ptr(&pmudev_cpus), ctx->residue_mask & counters);
}

/*
 * Move the events on these counters to the end of ctx->active. Return: how many others there are.
 */
static unsigned int sort_out(struct pmudev_ctx *ctx, u64 counters)
{
	unsigned int i, kept = 0;

	for (i = 0; i < ctx->nr; i++) {
		if (counters & BIT_ULL(ctx->active[i]->counter))
			continue;
		swap(ctx->active[kept], ctx->active[i]);
		kept++;
	}
	return kept;
}

void pmudev_slots_deactivate(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	unsigned int kept;
	u64 mask, changed;

	lockdep_assert_held(&ctx->lock);
	if (!slots)
		return;
	/* A sample has all counts of one moment, also of events that go on. */
	pmudev_deadlines_look(ctx, 0);
	mask = pmudev_slots_counters(set, slots);
	kept = sort_out(ctx, mask);
	if (pmudev_ctx_counting(ctx)) {
		changed = pmudev_backend_save(ctx->active + kept, ctx->nr - kept, mask);
		leave_counters(ctx, mask);
		if (changed >> 63 && set->deadlines)
			pmudev_deadlines_check(ctx, set, slots, false);
	}
	ctx->nr = kept;
	ctx->mask &= ~mask;
	ctx->residue_mask &= ~mask;
	ctx->fold_ns = fold_period(ctx->active, kept);
	set->active &= ~slots;
	pmudev_deadlines_list(ctx, set);
}
