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
	INIT_HLIST_HEAD(&ctx->family);
	INIT_HLIST_HEAD(&ctx->turning);
	INIT_HLIST_HEAD(&ctx->pages);
	ctx->cpu = -1;
}

struct pmudev_clocks pmudev_ctx_clocks(const struct pmudev_ctx *ctx)
{
	u64 now = ctx->cpu < 0 ? 0 : pmudev_clock();
	struct pmudev_clocks clocks = { .enabled = ctx->clock + now };

	/* On a CPU that is not ours lost runs as well, and the running clock stands. */
	if (ctx->cpu >= 0 && !ctx->ready)
		clocks.running = ctx->clock - ctx->lost;
	else
		clocks.running = clocks.enabled - ctx->lost;
	return clocks;
}

/* ------------------------------------------------------- load and unload -- */

void pmudev_ctx_load(struct pmudev_ctx *ctx, int cpu)
{
	pmudev_ctx_load_here(ctx, cpu, ctx->task);
}

void pmudev_ctx_unload(struct pmudev_ctx *ctx)
{
	pmudev_ctx_unload_here(ctx);
}

void pmudev_ctx_fold(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	pmudev_backend_read(ctx->on, ctx->nr);
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

bool pmudev_ctx_counting(const struct pmudev_ctx *ctx)
{
	return ctx->cpu >= 0 && ctx->ready;
}

void pmudev_set_bring_forward(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	struct pmudev_hw *hw[PMUDEV_COUNTERS] PMUDEV_UNSET;
	unsigned int nr;

	lockdep_assert_held(&ctx->lock);
	if (!set->on || !pmudev_ctx_counting(ctx))
		return;
	if (ctx->nr_sets == 1) {
		/* What is on is this set's. */
		pmudev_backend_read(ctx->on, ctx->nr);
		return;
	}
	nr = pmudev_slots_hw(set, set->on, hw);
	pmudev_backend_read(hw, nr);
}

/* Their counters; 0: one of them wants a counter of @taken, or what another of them wants. */
static u64 free_counters(struct pmudev_hw *const *hw, unsigned int nr, u64 taken)
{
	unsigned int i;
	u64 counters, mask = 0;

	for (i = 0; i < nr; i++) {
		counters = pmudev_hw_counters(hw + i, 1);
		if ((taken | mask) & counters)
			return 0;
		mask |= counters;
	}
	return mask;
}

/* How often the narrowest of some events has to be folded; @fold_ns: likewise of others. */
static u64 fold_period(struct pmudev_hw *const *hw, unsigned int nr, u64 fold_ns)
{
	unsigned int i, width = 64;
	u64 period;

	for (i = 0; i < nr; i++)
		width = min_t(unsigned int, width, hw[i]->width);
	period = pmudev_fold_ns(width);
	return period && (!fold_ns || period < fold_ns) ? period : fold_ns;
}

bool pmudev_slots_on(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_hw *hw[PMUDEV_COUNTERS] PMUDEV_UNSET;
	struct pmudev_cpu *pc;
	unsigned int i, nr;
	u64 mask;

	BUILD_BUG_ON(PMUDEV_MAX_EVENTS > PMUDEV_COUNTERS);
	lockdep_assert_held(&ctx->lock);
	/* What has ended holds its counters no more: others may have them. */
	if (!slots || ctx->dead)
		return true;
	nr = pmudev_slots_hw(set, slots, hw);
	mask = free_counters(hw, nr, ctx->mask);
	if (!mask)
		return false;
	for (i = 0; i < nr; i++)
		ctx->on[ctx->nr + i] = hw[i];
	ctx->nr += nr;
	ctx->mask |= mask;
	if (slots & set->user)
		ctx->user_mask |= pmudev_slots_counters(set, slots & set->user);
	set->on |= slots;
	ctx->fold_ns = fold_period(hw, nr, ctx->fold_ns);
	if (!pmudev_ctx_counting(ctx))
		return true;
	pc = this_cpu_ptr(&pmudev_cpus);
	pc->dirty &= ~mask;
	pmudev_backend_load(hw, nr);
	pmudev_fold_timer(pc, ctx->fold_ns);
	return true;
}

/* Whoever can read counters here, now, sees 0 at once; others find it so when they can. */
static void leave_counters(const struct pmudev_ctx *ctx, u64 counters)
{
	if (pmudev_backend_seen())
		pmudev_backend.clear(counters);
	else
		pmudev_counters_left(this_cpu_ptr(&pmudev_cpus), counters,
				     ctx->user_mask & counters);
}

/* All that is on a context: there is nothing to look for. */
static void all_off(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	if (pmudev_ctx_counting(ctx)) {
		pmudev_backend_save(ctx->on, ctx->nr);
		leave_counters(ctx, ctx->mask);
	}
	ctx->nr = 0;
	ctx->mask = 0;
	ctx->user_mask = 0;
	ctx->fold_ns = 0;
	set->on = 0;
}

void pmudev_slots_off(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_hw *hw[PMUDEV_COUNTERS] PMUDEV_UNSET;
	unsigned int i, nr, left = 0;
	u64 mask;

	lockdep_assert_held(&ctx->lock);
	if (!slots)
		return;
	if (slots == set->on && hweight64(slots) == ctx->nr) {
		all_off(ctx, set);
		return;
	}
	nr = pmudev_slots_hw(set, slots, hw);
	mask = pmudev_hw_counters(hw, nr);
	if (pmudev_ctx_counting(ctx)) {
		pmudev_backend_save(hw, nr);
		leave_counters(ctx, mask);
	}
	ctx->mask &= ~mask;
	ctx->user_mask &= ~mask;
	for (i = 0; i < ctx->nr; i++)
		if (!(mask & BIT_ULL(ctx->on[i]->counter)))
			ctx->on[left++] = ctx->on[i];
	ctx->nr = left;
	ctx->fold_ns = fold_period(ctx->on, left, 0);
	set->on &= ~slots;
}
