// SPDX-License-Identifier: GPL-2.0
/* CPUs: taking their counters and giving them back, coming and going, folding. */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/smp.h>

#include "compat.h"
#include "ledger.h"

DEFINE_PER_CPU(struct pmudev_cpu, pmudev_cpus);

static int hotplug_state;

/* ------------------------------------------------------------- folding -- */

static void fold(struct pmudev_ctx *ctx, u64 *period_ns)
{
	raw_spin_lock(&ctx->lock);
	if (ctx->cpu >= 0 && ctx->ready && ctx->fold_ns) {
		pmudev_ctx_fold(ctx);
		if (!*period_ns || ctx->fold_ns < *period_ns)
			*period_ns = ctx->fold_ns;
	}
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

/* ---------------------------------------------------- what others counted -- */

static void clean_here(void *unused)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);

	if (pc->ready)
		pmudev_backend_clear(pc->dirty);
	pc->dirty = 0;
}

bool pmudev_counters_seen(void)
{
	if (unlikely(this_cpu_read(pmudev_cpus.dirty)))
		clean_here(NULL);
	return true;
}

void pmudev_counters_clean(void)
{
	/* A CPU that has not seen nr_granted yet answers after what it is doing now. */
	on_each_cpu(clean_here, NULL, true);
}

/* ------------------------------------------------- a CPU comes and goes -- */

static void reload(struct pmudev_cpu *pc, struct pmudev_ctx *ctx, bool ready)
{
	raw_spin_lock(&ctx->lock);
	if (ctx->cpu >= 0)
		pmudev_ctx_unload(ctx);
	pc->ready = ready;
	pmudev_ctx_load(ctx);
	raw_spin_unlock(&ctx->lock);
}

void pmudev_cpu_load(struct pmudev_cpu *pc, bool ready)
{
	unsigned long flags;

	local_irq_save(flags);
	reload(pc, &pc->ctx, ready);
	if (pc->task)
		reload(pc, pc->task, ready);
	local_irq_restore(flags);
}

static void cpu_load_ready(void *unused)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);

	/* They were cleared when they were taken, but what has been loaded since then counts. */
	if (!pc->ready)
		pc->dirty = 0;
	pmudev_cpu_load(pc, true);
}

static void cpu_load_lost(void *unused)
{
	pmudev_cpu_load(this_cpu_ptr(&pmudev_cpus), false);
}

/* The CPU's own context runs no more; a task that is here is not counted any more. On the CPU. */
static void cpu_unload(void *unused)
{
	struct pmudev_cpu *pc = this_cpu_ptr(&pmudev_cpus);
	bool ready = pc->ready;
	unsigned long flags;

	pmudev_cpu_load(pc, false);
	raw_spin_lock_irqsave(&pc->ctx.lock, flags);
	pmudev_ctx_unload(&pc->ctx);
	/* Nobody keeps an eye on it from now on. */
	if (ready)
		pmudev_backend_clear(pc->dirty);
	pc->dirty = 0;
	raw_spin_unlock_irqrestore(&pc->ctx.lock, flags);
}

/* --------------------------------------------------------------- claim -- */

static int cpu_claim(struct pmudev_pmu *pmu, int cpu, struct pmudev_refusal *why)
{
	struct pmudev_cpu *pc = per_cpu_ptr(&pmudev_cpus, cpu);
	const u64 reserved = pmu->info.reserved;
	int ret;

	if (pc->claimed)
		return 0;
	ret = pmudev_backend.cpu_up(&pmu->info, cpu, why);
	if (ret)
		return ret;
	/* What is enabled next is not to have a counter that was lost here. */
	if (pmu->info.reserved != reserved)
		pmudev_rest_end_all(pmu);
	WRITE_ONCE(pc->claimed, true);
	smp_call_function_single(cpu, cpu_load_ready, NULL, true);
	return 0;
}

static void cpu_release(struct pmudev_pmu *pmu, int cpu)
{
	struct pmudev_cpu *pc = per_cpu_ptr(&pmudev_cpus, cpu);
	bool claimed = pc->claimed;

	/* First: a CPU that wakes up after being unloaded must not load again. */
	WRITE_ONCE(pc->claimed, false);
	smp_call_function_single(cpu, cpu_unload, NULL, true);
	if (claimed)
		pmudev_backend.cpu_down(&pmu->info, cpu);
}

static bool cpu_is_of(const struct pmudev_pmu *pmu, int cpu)
{
	return per_cpu(pmudev_cpus, cpu).pmu == pmu;
}

static void release_all(struct pmudev_pmu *pmu)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (cpu_is_of(pmu, cpu))
			cpu_release(pmu, cpu);
}

/* Not all CPUs that are there are ours. */
static bool claim_is_due(const struct pmudev_pmu *pmu)
{
	return !READ_ONCE(pmu->claim) || READ_ONCE(pmu->lacks_cpus);
}

int pmudev_claim_get(struct pmudev_set *set, struct pmudev_pmu *pmu, struct pmudev_refusal *why)
{
	int cpu, ret;

	lockdep_assert_held(&pmu->lock);
	if (claim_is_due(pmu) && !(set->looked & BIT(pmu->info.index)))
		return -EAGAIN;
	/* Also those that perf kept when they came online: nothing is counted on half a PMU. */
	for_each_online_cpu(cpu) {
		if (!cpu_is_of(pmu, cpu))
			continue;
		ret = cpu_claim(pmu, cpu, why);
		if (ret)
			goto undo;
	}
	if (!pmu->claim)
		pmu->claims++;
	WRITE_ONCE(pmu->claim, pmu->claim + 1);
	WRITE_ONCE(pmu->lacks_cpus, false);
	return 0;

undo:
	if (!pmu->claim)
		release_all(pmu);
	return ret;
}

bool pmudev_claim_join(struct pmudev_pmu *pmu)
{
	lockdep_assert_held(&pmu->lock);
	if (claim_is_due(pmu))
		return false;
	WRITE_ONCE(pmu->claim, pmu->claim + 1);
	return true;
}

bool pmudev_claim_leave(struct pmudev_pmu *pmu)
{
	lockdep_assert_held(&pmu->lock);
	if (pmu->claim == 1)
		return false;
	WRITE_ONCE(pmu->claim, pmu->claim - 1);
	return true;
}

/* Would enabling the set claim that PMU, too? */
static bool concerns(const struct pmudev_set *set, const struct pmudev_pmu *pmu)
{
	if (pmu == set->pmu)
		return !set->claimed;
	return set->user && !set->claimed_all;
}

int pmudev_claim_look(struct pmudev_set *set, struct pmudev_refusal *why)
{
	struct pmudev_pmu *pmu;

	set->looked = 0;
	pmudev_for_each_pmu(pmu) {
		if (!concerns(set, pmu) || !claim_is_due(pmu))
			continue;
		if (pmudev_backend.used_now && pmudev_backend.used_now(&pmu->info, why))
			return -EBUSY;
		set->looked |= BIT(pmu->info.index);
	}
	return 0;
}

void pmudev_explain_held(int error, struct pmudev_refusal *why)
{
	if (error && why->code == PMUDEV_WHY_PMU_HELD && pmudev_backend.explain)
		pmudev_backend.explain(why);
}

void pmudev_claim_put(struct pmudev_pmu *pmu)
{
	lockdep_assert_held(&pmu->lock);
	WRITE_ONCE(pmu->claim, pmu->claim - 1);
	if (!pmu->claim)
		release_all(pmu);
}

static void put_others(const struct pmudev_pmu *own, const struct pmudev_pmu *end)
{
	struct pmudev_pmu *pmu;

	for (pmu = pmudev_pmus; pmu < end; pmu++) {
		if (pmu == own)
			continue;
		mutex_lock(&pmu->lock);
		pmudev_claim_put(pmu);
		mutex_unlock(&pmu->lock);
	}
}

int pmudev_claim_others(struct pmudev_set *set, struct pmudev_refusal *why)
{
	struct pmudev_pmu *pmu;
	int ret = 0;

	if (set->claimed_all || pmudev_nr_pmus == 1)
		return 0;
	pmudev_for_each_pmu(pmu) {
		if (pmu == set->pmu)
			continue;
		mutex_lock(&pmu->lock);
		ret = pmudev_claim_get(set, pmu, why);
		mutex_unlock(&pmu->lock);
		if (ret)
			break;
	}
	if (ret)
		put_others(set->pmu, pmu);
	set->claimed_all = !ret;
	return ret;
}

void pmudev_claim_put_others(struct pmudev_set *set)
{
	if (set->claimed_all)
		put_others(set->pmu, pmudev_pmus + pmudev_nr_pmus);
	set->claimed_all = false;
}

/* -------------------------------------------------------------- hotplug -- */

/* Which PMU a CPU has never changes. */
static struct pmudev_pmu *identify(struct pmudev_cpu *pc, unsigned int cpu)
{
	int index;

	if (pc->pmu)
		return pc->pmu;
	index = pmudev_backend.identify();
	if (index < 0) {
		pr_warn("pmudev: CPU %u: not of a kind that there was, nothing is counted there\n",
			cpu);
		return NULL;
	}
	pc->ctx.pmu = &pmudev_pmus[index];
	pc->pmu = pc->ctx.pmu;
	return pc->pmu;
}

/* Before user tasks run there; on that CPU. A CPU that perf keeps is left to it. */
static int cpu_online_here(unsigned int cpu)
{
	struct pmudev_pmu *pmu = identify(per_cpu_ptr(&pmudev_cpus, cpu), cpu);
	struct pmudev_refusal why = {};
	int ret;

	if (!pmu)
		return 0;
	mutex_lock(&pmu->lock);
	ret = pmu->claim ? cpu_claim(pmu, cpu, &why) : 0;
	if (ret) {
		WRITE_ONCE(pmu->lacks_cpus, true);
		pr_warn("pmudev: CPU %u: its counters are not to be had (error %d), nothing is counted there\n",
			cpu, ret);
		smp_call_function_single(cpu, cpu_load_lost, NULL, true);
	}
	mutex_unlock(&pmu->lock);
	return 0;
}

/* After user tasks were told to leave; on that CPU. */
static int cpu_offline_here(unsigned int cpu)
{
	struct pmudev_cpu *pc = per_cpu_ptr(&pmudev_cpus, cpu);
	unsigned long flags;

	if (!pc->pmu)
		return 0;
	mutex_lock(&pc->pmu->lock);
	cpu_release(pc->pmu, cpu);
	mutex_unlock(&pc->pmu->lock);

	hrtimer_cancel(&pc->timer);
	hrtimer_cancel(&pc->turn_timer);
	local_irq_save(flags);
	pc->timer_ns = 0;
	local_irq_restore(flags);
	return 0;
}

/* ------------------------------------------------------- init and exit -- */

int pmudev_cpu_init(void)
{
	int cpu, ret;

	for_each_possible_cpu(cpu) {
		struct pmudev_cpu *pc = per_cpu_ptr(&pmudev_cpus, cpu);

		pc->cpu = cpu;
		pmudev_ctx_init(&pc->ctx);
		pmudev_hrtimer_setup(&pc->timer, fold_tick);
		pmudev_hrtimer_setup(&pc->turn_timer, pmudev_turn_tick);
	}
	ret = pmudev_power_init();
	if (ret)
		return ret;
	hotplug_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmudev:online", cpu_online_here,
					  cpu_offline_here);
	if (hotplug_state < 0)
		pmudev_power_exit();
	return min(hotplug_state, 0);
}

void pmudev_cpu_exit(void)
{
	int cpu;

	/* Runs cpu_offline_here on every CPU that is online. */
	cpuhp_remove_state(hotplug_state);
	pmudev_power_exit();
	for_each_possible_cpu(cpu) {
		hrtimer_cancel(&per_cpu_ptr(&pmudev_cpus, cpu)->timer);
		hrtimer_cancel(&per_cpu_ptr(&pmudev_cpus, cpu)->turn_timer);
	}
}
