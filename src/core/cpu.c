// SPDX-License-Identifier: GPL-2.0
/* CPUs: taking their counters and giving them back, coming and going, folding. */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/smp.h>

#include "compat.h"
#include "core.h"

DEFINE_PER_CPU(struct pmudev_cpu, pmudev_cpus);

static int hotplug_state;

/* ------------------------------------------------------------- folding -- */

static void fold(struct pmudev_ctx *ctx, u64 *period_ns)
{
	raw_spin_lock(&ctx->lock);
	pmudev_ctx_fold(ctx);
	if (ctx->fold_ns && (!*period_ns || ctx->fold_ns < *period_ns))
		*period_ns = ctx->fold_ns;
	raw_spin_unlock(&ctx->lock);
}

static enum hrtimer_restart fold_tick(struct hrtimer *timer)
{
	struct pmudev_cpu *pc = container_of(timer, struct pmudev_cpu, timer);

	pc->timer_ns = 0;
	fold(&pc->ctx, &pc->timer_ns);
	if (pc->task)
		fold(pc->task, &pc->timer_ns);
	if (!pc->timer_ns)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(pc->timer_ns));
	return HRTIMER_RESTART;
}

void pmudev_fold_timer(struct pmudev_cpu *pc, u64 period_ns)
{
	lockdep_assert_irqs_disabled();
	if (!period_ns || (pc->timer_ns && pc->timer_ns <= period_ns))
		return;
	pc->timer_ns = period_ns;
	hrtimer_start(&pc->timer, ns_to_ktime(period_ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* --------------------------------------------------------------- claim -- */

/* Let the CPU's own context come and go with the CPU's counters. On that CPU. */
static void cpu_ready(void *unused)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);
	unsigned long flags;

	raw_spin_lock_irqsave(&pc->ctx.lock, flags);
	pc->ready = true;
	pc->dirty = 0;
	if (pc->ctx.cpu >= 0)
		pmudev_ctx_unload(&pc->ctx);
	pmudev_ctx_load(&pc->ctx, smp_processor_id());
	raw_spin_unlock_irqrestore(&pc->ctx.lock, flags);
}

/* The same for what is loaded of a task: it was loaded when the CPU was not ours. */
static void cpu_reload_task(void *unused)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);
	struct pmudev_ctx *ctx;
	unsigned long flags;

	local_irq_save(flags);
	ctx = pc->task;
	if (ctx) {
		raw_spin_lock(&ctx->lock);
		if (ctx->ready != pc->ready) {
			pmudev_ctx_unload(ctx);
			pmudev_ctx_load(ctx, smp_processor_id());
		}
		raw_spin_unlock(&ctx->lock);
	}
	local_irq_restore(flags);
}

static void cpu_not_ready(void *unused)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);
	struct pmudev_ctx *ctx;
	unsigned long flags;

	local_irq_save(flags);
	raw_spin_lock(&pc->ctx.lock);
	if (pc->ctx.cpu >= 0)
		pmudev_ctx_unload(&pc->ctx);
	raw_spin_unlock(&pc->ctx.lock);

	ctx = pc->task;
	if (ctx) {
		raw_spin_lock(&ctx->lock);
		pmudev_ctx_unload(ctx);
		pc->ready = false;
		pmudev_ctx_load(ctx, smp_processor_id());
		raw_spin_unlock(&ctx->lock);
	}
	pc->ready = false;
	local_irq_restore(flags);
}

static int cpu_claim(struct pmudev_pmu *pmu, int cpu, struct pmudev_refusal *why)
{
	int ret = pmudev_backend.cpu_up(&pmu->info, cpu, why);

	if (ret)
		return ret;
	smp_call_function_single(cpu, cpu_ready, NULL, true);
	smp_call_function_single(cpu, cpu_reload_task, NULL, true);
	return 0;
}

static void cpu_release(struct pmudev_pmu *pmu, int cpu)
{
	if (!per_cpu(pmudev_cpus, cpu).ready)
		return;
	smp_call_function_single(cpu, cpu_not_ready, NULL, true);
	pmudev_backend.cpu_down(&pmu->info, cpu);
}

int pmudev_claim_get(struct pmudev_pmu *pmu, struct pmudev_refusal *why)
{
	int cpu, ret;

	lockdep_assert_held(&pmu->lock);
	if (pmu->claim++)
		return 0;
	for_each_online_cpu(cpu) {
		ret = cpu_claim(pmu, cpu, why);
		if (ret)
			goto undo;
	}
	pmu->claims++;
	return 0;

undo:
	for_each_online_cpu(cpu)
		cpu_release(pmu, cpu);
	pmu->claim--;
	return ret;
}

void pmudev_claim_put(struct pmudev_pmu *pmu)
{
	int cpu;

	lockdep_assert_held(&pmu->lock);
	if (--pmu->claim)
		return;
	for_each_online_cpu(cpu)
		cpu_release(pmu, cpu);
}

/* -------------------------------------------------------------- hotplug -- */

/* Before user tasks run there; on that CPU. A CPU that perf keeps is left to it. */
static int cpu_online_here(unsigned int cpu)
{
	struct pmudev_refusal why = {};

	mutex_lock(&pmudev_pmu.lock);
	if (pmudev_pmu.claim && cpu_claim(&pmudev_pmu, cpu, &why))
		pr_warn("pmudev: CPU %u: perf holds its counters, nothing is counted there\n", cpu);
	mutex_unlock(&pmudev_pmu.lock);
	return 0;
}

/* After user tasks were told to leave; on that CPU. */
static int cpu_offline_here(unsigned int cpu)
{
	struct pmudev_cpu *pc = per_cpu_ptr(&pmudev_cpus, cpu);
	unsigned long flags;

	mutex_lock(&pmudev_pmu.lock);
	cpu_release(&pmudev_pmu, cpu);
	mutex_unlock(&pmudev_pmu.lock);

	hrtimer_cancel(&pc->timer);
	local_irq_save(flags);
	pc->timer_ns = 0;
	local_irq_restore(flags);
	return 0;
}

int pmudev_cpu_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct pmudev_cpu *pc = per_cpu_ptr(&pmudev_cpus, cpu);

		pmudev_ctx_init(&pc->ctx);
		pmudev_hrtimer_setup(&pc->timer, fold_tick);
	}
	hotplug_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmudev:online", cpu_online_here,
					  cpu_offline_here);
	return hotplug_state < 0 ? hotplug_state : 0;
}

void pmudev_cpu_exit(void)
{
	int cpu;

	/* Runs cpu_offline_here on every CPU that is online. */
	cpuhp_remove_state(hotplug_state);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(&pmudev_cpus, cpu)->timer);
}
