// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading contexts, work on them, and putting events on counters. Nothing is decided
 * here: counters were placed when the set was enabled.
 */
#include <linux/smp.h>

#include "load.h"

void pmudev_ctx_init(struct pmudev_ctx *ctx)
{
	raw_spin_lock_init(&ctx->lock);
	kref_init(&ctx->ref);
	INIT_HLIST_HEAD(&ctx->inherit);
	INIT_HLIST_HEAD(&ctx->rotating);
	INIT_HLIST_HEAD(&ctx->pages);
	ctx->cpu = -1;
}

/* ------------------------------------------------------- load and unload -- */

void pmudev_ctx_load(struct pmudev_ctx *ctx)
{
	pmudev_ctx_load_here(ctx, ctx->task);
}

void pmudev_ctx_unload(struct pmudev_ctx *ctx)
{
	pmudev_ctx_unload_here(ctx);
}

void pmudev_ctx_fold(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	pmudev_backend_read(ctx->active, ctx->nr);
	pmudev_pages_refresh(ctx);
}

/* -------------------------------------------------- work on a context -- */

struct ctx_call {
	struct pmudev_ctx *ctx;
	pmudev_ctx_fn fn;
	void *arg;
	bool done;
};

static void ctx_call_remote(void *info)
{
	struct ctx_call *call = info;
	struct pmudev_ctx *ctx = call->ctx;

	raw_spin_lock(&ctx->lock);
	if (ctx->cpu == smp_processor_id()) {
		call->fn(ctx, call->arg);
		call->done = true;
	}
	raw_spin_unlock(&ctx->lock);
}

void pmudev_ctx_call_away(struct pmudev_ctx *ctx, pmudev_ctx_fn fn, void *arg)
{
	struct ctx_call call = { .ctx = ctx, .fn = fn, .arg = arg };
	unsigned long flags;
	int cpu;

	/* The target may move between the look and the call: then look again. */
	while (!call.done) {
		raw_spin_lock_irqsave(&ctx->lock, flags);
		cpu = ctx->cpu;
		if (cpu < 0 || cpu == smp_processor_id()) {
			fn(ctx, arg);
			call.done = true;
		}
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
		if (!call.done)
			smp_call_function_single(cpu, ctx_call_remote, &call, true);
	}
}

/* ------------------------------------------------- events on counters -- */

unsigned int pmudev_slots_hw(struct pmudev_set *set, u64 slots, struct pmudev_hw **hw)
{
	unsigned int slot, nr = 0;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		hw[nr++] = &pmudev_slot_event(set, slot)->hw;
	return nr;
}

u64 pmudev_slots_counters(struct pmudev_set *set, u64 slots)
{
	struct pmudev_hw *hw;
	unsigned int slot;
	u64 rest, mask = 0;

	pmudev_for_each_slot(slot, rest, slots) {
		hw = &pmudev_slot_event(set, slot)->hw;
		mask |= pmudev_hw_counters(&hw, 1);
	}
	return mask;
}

void pmudev_set_update_some(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	struct pmudev_hw *hw[PMUDEV_COUNTERS] PMUDEV_UNSET;

	pmudev_backend_read(hw, pmudev_slots_hw(set, set->active, hw));
}

/* How often a counter of that width has to be folded; @fold_ns: likewise of others. */
static u64 fold_period(unsigned int width, u64 fold_ns)
{
	u64 period = pmudev_fold_ns(width);

	return period && (!fold_ns || period < fold_ns) ? period : fold_ns;
}

/* That of all that is on: of the narrowest. */
static u64 fold_all(const struct pmudev_ctx *ctx)
{
	unsigned int i, width = 64;

	for (i = 0; i < ctx->nr; i++)
		width = min_t(unsigned int, width, ctx->active[i]->width);
	return fold_period(width, 0);
}

/*
 * Which of the counters of these slots somebody could see once they are left: where each can be
 * hidden, those with events for user reads, if others may have the right.
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
	unsigned int slot, nr = 0, width = 64;
	u64 rest, counters, mask = 0;
	struct pmudev_cpu *cpuc;

	lockdep_assert_held(&ctx->lock);
	/* What has ended holds its counters no more: others may have them. */
	if (!slots || ctx->dead)
		return true;
	pmudev_for_each_slot(slot, rest, slots) {
		struct pmudev_hw *event = &pmudev_slot_event(set, slot)->hw;

		counters = pmudev_place_counters(event->counter, event->chained);
		if ((ctx->mask | mask) & counters)
			return false;
		/* Each has another counter, so there is room for all. */
		hw[nr++] = event;
		mask |= counters;
		width = min_t(unsigned int, width, event->width);
	}
	set->alike = PMUDEV_ALIKE_UNKNOWN;
	ctx->nr += nr;
	ctx->mask |= mask;
	ctx->residue_mask |= residue_of(set, slots, mask);
	set->active |= slots;
	if (width < 64)
		ctx->fold_ns = fold_period(width, ctx->fold_ns);
	if (!pmudev_ctx_counting(ctx))
		return true;
	cpuc = this_cpu_ptr(&pmudev_cpus);
	cpuc->residue &= ~mask;
	pmudev_backend_load(hw, nr, mask);
	pmudev_fold_timer(cpuc, ctx->fold_ns);
	return true;
}

/* Whoever can read counters here, now, sees 0 at once; others find it so when they can. */
static __always_inline void leave_counters(const struct pmudev_ctx *ctx, u64 counters)
{
	if (pmudev_backend_user_readable())
		pmudev_backend_clear(counters);
	else
		pmudev_leave_residue(this_cpu_ptr(&pmudev_cpus), ctx->residue_mask & counters);
}

/* All that is on a context: there is nothing to look for. */
static void deactivate_all(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) && hweight64(set->active) != ctx->nr);
	if (pmudev_ctx_counting(ctx)) {
		pmudev_backend_save(ctx->active, ctx->nr, ctx->mask);
		leave_counters(ctx, ctx->mask);
	}
	ctx->nr = 0;
	ctx->mask = 0;
	ctx->residue_mask = 0;
	ctx->fold_ns = 0;
	set->active = 0;
}

void pmudev_slots_deactivate(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_hw *hw[PMUDEV_COUNTERS] PMUDEV_UNSET;
	unsigned int i, nr, left = 0;
	u64 mask;

	BUILD_BUG_ON(PMUDEV_MAX_EVENTS > PMUDEV_COUNTERS);
	lockdep_assert_held(&ctx->lock);
	if (!slots)
		return;
	set->alike = PMUDEV_ALIKE_UNKNOWN;
	/* Of one set, or as many as there are. */
	if (slots == set->active && (ctx->nr_sets == 1 || hweight64(slots) == ctx->nr)) {
		deactivate_all(ctx, set);
		return;
	}
	nr = pmudev_slots_hw(set, slots, hw);
	mask = pmudev_hw_counters(hw, nr);
	if (pmudev_ctx_counting(ctx)) {
		pmudev_backend_save(hw, nr, mask);
		leave_counters(ctx, mask);
	}
	ctx->mask &= ~mask;
	ctx->residue_mask &= ~mask;
	for (i = 0; i < ctx->nr; i++)
		if (!(mask & BIT_ULL(ctx->active[i]->counter)))
			ctx->active[left++] = ctx->active[i];
	ctx->nr = left;
	ctx->fold_ns = fold_all(ctx);
	set->active &= ~slots;
}
