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
	struct pmudev_cpu *cpuc = container_of(timer, struct pmudev_cpu, timer);

	cpuc->timer_ns = 0;
	fold(&cpuc->ctx, &cpuc->timer_ns);
	if (cpuc->task)
		fold(cpuc->task, &cpuc->timer_ns);
	if (!cpuc->timer_ns)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(cpuc->timer_ns));
	return HRTIMER_RESTART;
}

void pmudev_fold_timer(struct pmudev_cpu *cpuc, u64 period_ns)
{
	lockdep_assert_irqs_disabled();
	if (!period_ns || (cpuc->timer_ns && cpuc->timer_ns <= period_ns))
		return;
	cpuc->timer_ns = period_ns;
	hrtimer_start(&cpuc->timer, ns_to_ktime(period_ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* ---------------------------------------------------- what others counted -- */

static void clean_here(void *unused)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	if (cpuc->ready)
		pmudev_backend_clear(cpuc->residue);
	cpuc->residue = 0;
}

bool pmudev_clear_residue(void)
{
	if (unlikely(this_cpu_read(pmudev_cpus.residue)))
		clean_here(NULL);
	return true;
}

void pmudev_clear_residue_all(void)
{
	/* A CPU that has not seen nr_granted yet answers after what it is doing now. */
	on_each_cpu(clean_here, NULL, true);
}

/* ------------------------------------------------- a CPU comes and goes -- */

static void reload(struct pmudev_cpu *cpuc, struct pmudev_ctx *ctx, bool ready)
{
	raw_spin_lock(&ctx->lock);
	if (ctx->cpu >= 0)
		pmudev_ctx_unload(ctx);
	cpuc->ready = ready;
	pmudev_ctx_load(ctx);
	raw_spin_unlock(&ctx->lock);
}

void pmudev_cpu_load(struct pmudev_cpu *cpuc, bool ready)
{
	unsigned long flags;

	local_irq_save(flags);
	reload(cpuc, &cpuc->ctx, ready);
	if (cpuc->task)
		reload(cpuc, cpuc->task, ready);
	local_irq_restore(flags);
}

static void cpu_load_ready(void *unused)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	/* They were cleared when they were taken, but what has been loaded since then counts. */
	if (!cpuc->ready)
		cpuc->residue = 0;
	pmudev_cpu_load(cpuc, true);
}

static void cpu_load_lost(void *unused)
{
	pmudev_cpu_load(this_cpu_ptr(&pmudev_cpus), false);
}

/* The CPU's own context runs no more; a task that is here is not counted any more. On the CPU. */
static void cpu_unload(void *unused)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	bool ready = cpuc->ready;
	unsigned long flags;

	pmudev_cpu_load(cpuc, false);
	raw_spin_lock_irqsave(&cpuc->ctx.lock, flags);
	pmudev_ctx_unload(&cpuc->ctx);
	/* Nobody keeps an eye on it from now on. */
	if (ready)
		pmudev_backend_clear(cpuc->residue);
	cpuc->residue = 0;
	raw_spin_unlock_irqrestore(&cpuc->ctx.lock, flags);
}

/* --------------------------------------------------------------- claim -- */

static int cpu_reserve(struct pmudev_pmu *pmu, int cpu, struct pmudev_refusal *why)
{
	struct pmudev_cpu *cpuc = per_cpu_ptr(&pmudev_cpus, cpu);
	const u64 reserved = pmu->info.unavailable;
	int ret;

	if (cpuc->owned)
		return 0;
	ret = pmudev_backend.cpu_up(&pmu->info, cpu, why);
	if (ret)
		return ret;
	/* What is enabled next is not to have a counter that was lost here. */
	if (pmu->info.unavailable != reserved)
		pmudev_rest_end_all(pmu);
	WRITE_ONCE(cpuc->owned, true);
	smp_call_function_single(cpu, cpu_load_ready, NULL, true);
	return 0;
}

static void cpu_release(struct pmudev_pmu *pmu, int cpu)
{
	struct pmudev_cpu *cpuc = per_cpu_ptr(&pmudev_cpus, cpu);
	bool claimed = cpuc->owned;

	/* First: a CPU that wakes up after being unloaded must not load again. */
	WRITE_ONCE(cpuc->owned, false);
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
static bool reserve_is_due(const struct pmudev_pmu *pmu)
{
	return !READ_ONCE(pmu->users) || READ_ONCE(pmu->lacks_cpus);
}

int pmudev_reserve_pmu(struct pmudev_set *set, struct pmudev_pmu *pmu, struct pmudev_refusal *why)
{
	int cpu, ret;

	lockdep_assert_held(&pmu->lock);
	if (reserve_is_due(pmu) && !(set->checked_pmus & BIT(pmu->info.index)))
		return -EAGAIN;
	/* Also those that perf kept when they came online: nothing is counted on half a PMU. */
	for_each_online_cpu(cpu) {
		if (!cpu_is_of(pmu, cpu))
			continue;
		ret = cpu_reserve(pmu, cpu, why);
		if (ret)
			goto undo;
	}
	if (!pmu->users)
		pmu->nr_reservations++;
	WRITE_ONCE(pmu->users, pmu->users + 1);
	WRITE_ONCE(pmu->lacks_cpus, false);
	return 0;

undo:
	if (!pmu->users)
		release_all(pmu);
	return ret;
}

bool pmudev_reserve_join(struct pmudev_pmu *pmu)
{
	lockdep_assert_held(&pmu->lock);
	if (reserve_is_due(pmu))
		return false;
	WRITE_ONCE(pmu->users, pmu->users + 1);
	return true;
}

bool pmudev_reserve_leave(struct pmudev_pmu *pmu)
{
	lockdep_assert_held(&pmu->lock);
	if (pmu->users == 1)
		return false;
	WRITE_ONCE(pmu->users, pmu->users - 1);
	return true;
}

/* Would enabling the set claim that PMU, too? */
static bool concerns(const struct pmudev_set *set, const struct pmudev_pmu *pmu)
{
	if (pmu == set->pmu)
		return !set->reserved;
	return set->user && !set->reserved_all;
}

int pmudev_reserve_check(struct pmudev_set *set, struct pmudev_refusal *why)
{
	struct pmudev_pmu *pmu;

	set->checked_pmus = 0;
	pmudev_for_each_pmu(pmu) {
		if (!concerns(set, pmu) || !reserve_is_due(pmu))
			continue;
		if (pmudev_backend.used_now && pmudev_backend.used_now(&pmu->info, why))
			return -EBUSY;
		set->checked_pmus |= BIT(pmu->info.index);
	}
	return 0;
}

void pmudev_explain_holder(int error, struct pmudev_refusal *why)
{
	if (error && why->code == PMUDEV_WHY_PMU_HELD && pmudev_backend.explain)
		pmudev_backend.explain(why);
}

void pmudev_release_pmu(struct pmudev_pmu *pmu)
{
	lockdep_assert_held(&pmu->lock);
	WRITE_ONCE(pmu->users, pmu->users - 1);
	if (!pmu->users)
		release_all(pmu);
}

static void put_others(const struct pmudev_pmu *own, const struct pmudev_pmu *end)
{
	struct pmudev_pmu *pmu;

	for (pmu = pmudev_pmus; pmu < end; pmu++) {
		if (pmu == own)
			continue;
		mutex_lock(&pmu->lock);
		pmudev_release_pmu(pmu);
		mutex_unlock(&pmu->lock);
	}
}

int pmudev_reserve_others(struct pmudev_set *set, struct pmudev_refusal *why)
{
	struct pmudev_pmu *pmu;
	int ret = 0;

	if (set->reserved_all || pmudev_nr_pmus == 1)
		return 0;
	pmudev_for_each_pmu(pmu) {
		if (pmu == set->pmu)
			continue;
		mutex_lock(&pmu->lock);
		ret = pmudev_reserve_pmu(set, pmu, why);
		mutex_unlock(&pmu->lock);
		if (ret)
			break;
	}
	if (ret)
		put_others(set->pmu, pmu);
	set->reserved_all = !ret;
	return ret;
}

void pmudev_release_others(struct pmudev_set *set)
{
	if (set->reserved_all)
		put_others(set->pmu, pmudev_pmus + pmudev_nr_pmus);
	set->reserved_all = false;
}

/* -------------------------------------------------------------- hotplug -- */

/* Which PMU a CPU has never changes. */
static struct pmudev_pmu *identify(struct pmudev_cpu *cpuc, unsigned int cpu)
{
	int index;

	if (cpuc->pmu)
		return cpuc->pmu;
	index = pmudev_backend.identify();
	if (index < 0) {
		pr_warn("pmudev: CPU %u: of no kind that was online when pmudev was loaded, nothing is counted there\n",
			cpu);
		return NULL;
	}
	cpuc->ctx.pmu = &pmudev_pmus[index];
	cpuc->pmu = cpuc->ctx.pmu;
	return cpuc->pmu;
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
	ret = pmu->users ? cpu_reserve(pmu, cpu, &why) : 0;
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
	struct pmudev_cpu *cpuc = per_cpu_ptr(&pmudev_cpus, cpu);
	unsigned long flags;

	if (!cpuc->pmu)
		return 0;
	mutex_lock(&cpuc->pmu->lock);
	cpu_release(cpuc->pmu, cpu);
	mutex_unlock(&cpuc->pmu->lock);

	hrtimer_cancel(&cpuc->timer);
	hrtimer_cancel(&cpuc->rotate_timer);
	local_irq_save(flags);
	cpuc->timer_ns = 0;
	local_irq_restore(flags);
	return 0;
}

/* ------------------------------------------------------- init and exit -- */

int pmudev_cpu_init(void)
{
	int cpu, ret;

	for_each_possible_cpu(cpu) {
		struct pmudev_cpu *cpuc = per_cpu_ptr(&pmudev_cpus, cpu);

		cpuc->cpu = cpu;
		pmudev_ctx_init(&cpuc->ctx);
		pmudev_hrtimer_setup(&cpuc->timer, fold_tick);
		pmudev_hrtimer_setup(&cpuc->rotate_timer, pmudev_rotate_tick);
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
		hrtimer_cancel(&per_cpu_ptr(&pmudev_cpus, cpu)->rotate_timer);
	}
}
