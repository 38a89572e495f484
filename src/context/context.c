// SPDX-License-Identifier: GPL-2.0
/* Contexts: load and unload, and work on them. */
#include "../compat.h"
#include "context.h"
#include "fold.h"
#include "load.h"
#include "overflow.h"

void pmudev_cpus_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct pmudev_cpu *cpuc = per_cpu_ptr(&pmudev_cpus, cpu);

		cpuc->cpu = cpu;
		pmudev_ctx_init(&cpuc->ctx);
		pmudev_hrtimer_setup(&cpuc->fold_timer, pmudev_fold_tick);
		pmudev_hrtimer_setup(&cpuc->rotate_timer, pmudev_rotate_tick);
		pmudev_overflow_init(cpuc);
	}
}

void pmudev_cpus_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		/* It may start the fold timer. */
		pmudev_overflow_exit(per_cpu_ptr(&pmudev_cpus, cpu));
		hrtimer_cancel(&per_cpu_ptr(&pmudev_cpus, cpu)->fold_timer);
		hrtimer_cancel(&per_cpu_ptr(&pmudev_cpus, cpu)->rotate_timer);
	}
}

void pmudev_ctx_load(struct pmudev_ctx *ctx)
{
	pmudev_ctx_load_here(ctx, ctx->link.task);
}

void pmudev_ctx_unload(struct pmudev_ctx *ctx)
{
	pmudev_ctx_unload_here(ctx);
}

/* A call of pmudev_ctx_call_remote() */
struct ctx_call {
	struct pmudev_ctx *ctx;
	pmudev_ctx_fn fn;
	void *arg;
	bool done; /* fn has run */
};

static void call_here(void *info)
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

void pmudev_ctx_call_remote(struct pmudev_ctx *ctx, pmudev_ctx_fn fn, void *arg)
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
			smp_call_function_single(cpu, call_here, &call, true);
	}
}

/* A call of pmudev_set_call_alone() */
struct set_call {
	struct pmudev_set *set;
	pmudev_set_fn fn;
	void *arg;
};

static void call_set(struct pmudev_ctx *ctx, void *arg)
{
	struct set_call *call = arg;

	call->fn(ctx, call->set, call->arg);
}

void pmudev_set_call_alone(struct pmudev_set *set, pmudev_set_fn fn, void *arg)
{
	struct set_call call = { .set = set, .fn = fn, .arg = arg };

	pmudev_ctx_call(set->ctx, call_set, &call);
}
