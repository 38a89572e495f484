// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading contexts, and changing what is loaded. Nothing is decided here: counters
 * were placed when the set was enabled.
 */
#include <linux/smp.h>
#include <linux/timex.h>

#include "core.h"

void pmudev_ctx_init(struct pmudev_ctx *ctx)
{
	raw_spin_lock_init(&ctx->lock);
	kref_init(&ctx->ref);
	INIT_HLIST_HEAD(&ctx->pages);
	ctx->cpu = -1;
}

struct pmudev_clocks pmudev_ctx_clocks(const struct pmudev_ctx *ctx)
{
	u64 now = ctx->cpu < 0 ? 0 : get_cycles();
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
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);
	u64 now = get_cycles();

	lockdep_assert_held(&ctx->lock);
	ctx->cpu = cpu;
	if (ctx->task)
		pc->task = ctx;
	ctx->ready = pc->ready;
	ctx->clock -= now;
	if (!ctx->ready) {
		ctx->lost -= now;
		ctx->stale = true;
		return;
	}
	if (ctx->nr) {
		pmudev_backend.load(ctx->on, ctx->nr);
		pc->dirty &= ~ctx->mask;
		pmudev_fold_timer(pc, ctx->fold_ns);
	}
	if (ctx->maps)
		pmudev_pages_in(ctx);
}

void pmudev_ctx_unload(struct pmudev_ctx *ctx)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);
	u64 now;

	lockdep_assert_held(&ctx->lock);
	if (ctx->user || ctx->owed)
		pmudev_pages_out(ctx);
	if (ctx->ready) {
		if (ctx->nr) {
			pmudev_backend.save(ctx->on, ctx->nr);
			pmudev_counters_left(pc, ctx->mask);
		}
	}
	now = get_cycles();
	ctx->clock += now;
	if (!ctx->ready)
		ctx->lost += now;
	if (ctx->task)
		pc->task = NULL;
	ctx->cpu = -1;
}

void pmudev_ctx_fold(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	pmudev_backend.read(ctx->on, ctx->nr);
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

void pmudev_ctx_call(struct pmudev_ctx *ctx, pmudev_ctx_fn fn, void *arg)
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

/* --------------------------------------------- changing what is loaded -- */

/*
 * Times are kept relative to the context's clocks while they advance. A change makes
 * them totals, changes the masks, and makes them relative again.
 */
static void times_add(struct pmudev_set *set, u64 enabled, u64 running)
{
	struct pmudev_event *event;
	unsigned int slot;
	u64 rest;

	if (set->enabled) {
		set->time_enabled += enabled;
		if (set->on == set->enabled)
			set->time_running += running;
	}
	pmudev_for_each_slot(slot, rest, set->enabled) {
		event = pmudev_slot_event(set, slot);
		event->time_enabled += enabled;
		if (set->on & BIT_ULL(slot))
			event->time_running += running;
	}
}

static void times_stop(struct pmudev_set *set, const struct pmudev_clocks *now)
{
	times_add(set, now->enabled, now->running);
}

static void times_start(struct pmudev_set *set, const struct pmudev_clocks *now)
{
	times_add(set, -now->enabled, -now->running);
}

static unsigned int slots_hw(struct pmudev_set *set, u64 slots, struct pmudev_hw **hw)
{
	unsigned int slot, nr = 0;
	u64 rest;

	pmudev_for_each_slot(slot, rest, slots)
		hw[nr++] = &pmudev_slot_event(set, slot)->hw;
	return nr;
}

static bool counting(const struct pmudev_ctx *ctx)
{
	return ctx->cpu >= 0 && ctx->ready;
}

void pmudev_set_bring_forward(struct pmudev_ctx *ctx, struct pmudev_set *set)
{
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
	unsigned int nr;

	lockdep_assert_held(&ctx->lock);
	nr = slots_hw(set, set->on, hw);
	if (nr && counting(ctx))
		pmudev_backend.read(hw, nr);
}

static void set_fold_period(struct pmudev_ctx *ctx)
{
	unsigned int i, width = 64;

	for (i = 0; i < ctx->nr; i++)
		width = min_t(unsigned int, width, ctx->on[i]->width);
	ctx->fold_ns = pmudev_fold_ns(width);
}

/* Put events on their counters. */
static void slots_on(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
	struct pmudev_cpu *pc;
	unsigned int nr;
	u64 mask;

	nr = slots_hw(set, slots, hw);
	mask = pmudev_hw_counters(hw, nr);
	if (!nr || WARN_ON_ONCE((mask & ctx->mask) || ctx->nr + nr > PMUDEV_COUNTERS))
		return;
	memcpy(ctx->on + ctx->nr, hw, nr * sizeof(*hw));
	ctx->nr += nr;
	ctx->mask |= mask;
	set->on |= slots;
	set_fold_period(ctx);
	if (!counting(ctx))
		return;
	pc = this_cpu_ptr(&pmudev_cpus);
	pc->dirty &= ~mask;
	pmudev_backend.load(hw, nr);
	pmudev_fold_timer(pc, ctx->fold_ns);
}

/* Take events off their counters, which show 0 then. */
static void slots_off(struct pmudev_ctx *ctx, struct pmudev_set *set, u64 slots)
{
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
	unsigned int i, nr, left = 0;
	u64 mask;

	nr = slots_hw(set, slots, hw);
	mask = pmudev_hw_counters(hw, nr);
	if (!nr)
		return;
	if (counting(ctx)) {
		pmudev_backend.save(hw, nr);
		pmudev_backend.clear(mask);
	}
	for (i = 0; i < ctx->nr; i++)
		if (!(mask & BIT_ULL(ctx->on[i]->counter)))
			ctx->on[left++] = ctx->on[i];
	ctx->nr = left;
	ctx->mask &= ~mask;
	set->on &= ~slots;
	set_fold_period(ctx);
}

void pmudev_change_enable(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);

	change->error = ctx->dead ? -ESRCH : 0;
	if (change->error)
		return;
	times_stop(set, &now);
	set->enabled |= change->slots;
	slots_on(ctx, set, change->slots);
	times_start(set, &now);
	pmudev_page_publish(ctx, set);
}

void pmudev_change_disable(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);

	times_stop(set, &now);
	slots_off(ctx, set, change->slots & set->on);
	set->enabled &= ~change->slots;
	times_start(set, &now);
	set->generation++;
	pmudev_page_publish(ctx, set);
}

void pmudev_change_reset(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_hw *hw[PMUDEV_COUNTERS];
	bool live = counting(ctx);
	unsigned int slot, nr;
	u64 rest;

	nr = slots_hw(set, change->slots & set->on, hw);
	if (live && nr)
		pmudev_backend.save(hw, nr);
	pmudev_for_each_slot(slot, rest, change->slots)
		pmudev_slot_event(set, slot)->hw.value = change->value;
	if (live && nr)
		pmudev_backend.load(hw, nr);
	set->generation++;
	pmudev_page_publish(ctx, set);
}

/* Groups with an event that user mode may read: the gate stops them whole. */
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

void pmudev_change_gate(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);

	times_stop(set, &now);
	slots_off(ctx, set, gated_slots(set) & set->on);
	times_start(set, &now);
	set->generation++;
	pmudev_page_publish(ctx, set);
}

void pmudev_change_ungate(struct pmudev_ctx *ctx, void *arg)
{
	struct pmudev_change *change = arg;
	struct pmudev_set *set = change->set;
	struct pmudev_clocks now = pmudev_ctx_clocks(ctx);

	if (ctx->dead)
		return;
	times_stop(set, &now);
	slots_on(ctx, set, set->enabled & ~set->on);
	times_start(set, &now);
	pmudev_page_publish(ctx, set);
}
