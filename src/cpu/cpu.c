// SPDX-License-Identifier: GPL-2.0
/* Loading what belongs on a CPU. */
#include <linux/smp.h>

#include "../context/context.h"
#include "../context/user_access.h"
#include "cpu.h"

static void reload(struct pmudev_cpu *cpuc, struct pmudev_ctx *ctx, bool ready)
{
	raw_spin_lock(&ctx->lock);
	if (ctx->cpu >= 0)
		pmudev_ctx_unload(ctx);
	cpuc->ready = ready;
	pmudev_ctx_load(ctx);
	raw_spin_unlock(&ctx->lock);
}

/* Load what belongs on this CPU: to count, or if it is not @ready for its lost time. */
static void load_here(struct pmudev_cpu *cpuc, bool ready)
{
	unsigned long flags;

	local_irq_save(flags);
	reload(cpuc, &cpuc->ctx, ready);
	if (cpuc->task)
		reload(cpuc, cpuc->task, ready);
	local_irq_restore(flags);
}

static void load_ready(void *unused)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	/* Counters were cleared when they were reserved, but what was loaded since then counts. */
	if (!cpuc->ready)
		cpuc->residue = 0;
	load_here(cpuc, true);
}

void pmudev_cpu_load_on(int cpu)
{
	smp_call_function_single(cpu, load_ready, NULL, true);
}

static void load_lost(void *unused)
{
	load_here(this_cpu_ptr(&pmudev_cpus), false);
}

void pmudev_cpu_load_lost_on(int cpu)
{
	smp_call_function_single(cpu, load_lost, NULL, true);
}

static void unload(void *unused)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	bool ready = cpuc->ready;
	unsigned long flags;

	load_here(cpuc, false);
	raw_spin_lock_irqsave(&cpuc->ctx.lock, flags);
	pmudev_ctx_unload(&cpuc->ctx);
	/* After the release, residue is not cleared for readers any more. */
	if (ready)
		pmudev_backend_clear(cpuc->residue);
	cpuc->residue = 0;
	raw_spin_unlock_irqrestore(&cpuc->ctx.lock, flags);
}

void pmudev_cpu_unload_on(int cpu)
{
	smp_call_function_single(cpu, unload, NULL, true);
}

/* A fold timer that is needed runs already, and goes on: timekeeping may be suspended now. */
void pmudev_cpu_power_down(void)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	if (cpuc->ready)
		load_here(cpuc, false);
}

void pmudev_cpu_power_up(void)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	if (READ_ONCE(cpuc->owned))
		load_here(cpuc, true);
}
