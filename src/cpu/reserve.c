// SPDX-License-Identifier: GPL-2.0
/* Reservation: take the counters of a PMU's CPUs from perf, and give them back. */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "../context/cgroup.h"
#include "../context/overflow.h"
#include "../context/user_access.h"
#include "../worker.h"
#include "counters.h"
#include "reserve.h"

struct pmudev_pmu_reservation pmudev_reservations[PMUDEV_MAX_PMUS];

/* The system goes down: no more CPUs are reserved. Written once. */
static bool closed;

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
	pmudev_cgroups_unload(cpuc);
	reload(cpuc, &cpuc->ctx, ready);
	if (cpuc->task)
		reload(cpuc, cpuc->task, ready);
	pmudev_cgroups_follow(cpuc, current);
	local_irq_restore(flags);
}

/* The CPU's counters were reserved: its contexts count. */
static void load_ready(void *unused)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	/*
	 * Counters were cleared when they were reserved, but what was loaded since then counts. A
	 * CPU that wakes up may have loaded already.
	 */
	if (!cpuc->ready || !cpuc->follows_cgroups) {
		cpuc->residue = 0;
		pmudev_overflow_begin(cpuc);
	}
	cpuc->follows_cgroups = true;
	load_here(cpuc, true);
}

/* They could not be reserved: its contexts' time is lost. */
static void load_lost(void *unused)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	cpuc->follows_cgroups = true;
	load_here(cpuc, false);
}

/* They are about to be released. A thread that runs here is not counted any more. */
static void unload(void *unused)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);
	bool ready = cpuc->ready;
	unsigned long flags;

	cpuc->follows_cgroups = false;
	/* A CPU that wakes up may be ready before load_ready(), which leaves it as it is then. */
	cpuc->overflow.masked = false;
	load_here(cpuc, false);
	raw_spin_lock_irqsave(&cpuc->ctx.lock, flags);
	pmudev_ctx_unload(&cpuc->ctx);
	/* After the release, residue is not cleared for readers any more. */
	if (ready)
		pmudev_backend_clear(cpuc->residue);
	cpuc->residue = 0;
	raw_spin_unlock_irqrestore(&cpuc->ctx.lock, flags);
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

static int cpu_reserve(struct pmudev_pmu *pmu, int cpu, struct pmudev_refusal *why)
{
	struct pmudev_cpu *cpuc = per_cpu_ptr(&pmudev_cpus, cpu);
	int ret;

	/* After the close, sets count nothing: their time is lost. */
	if (cpuc->owned || READ_ONCE(closed))
		return 0;
	ret = pmudev_backend.cpu_up(&pmu->info, cpu, why);
	if (ret)
		return ret;
	WRITE_ONCE(cpuc->owned, true);
	smp_call_function_single(cpu, load_ready, NULL, true);
	return 0;
}

static void cpu_release(struct pmudev_pmu *pmu, int cpu)
{
	struct pmudev_cpu *cpuc = per_cpu_ptr(&pmudev_cpus, cpu);
	bool owned = cpuc->owned;

	/* First: a CPU that wakes up after being unloaded must not load again. */
	WRITE_ONCE(cpuc->owned, false);
	smp_call_function_single(cpu, unload, NULL, true);
	if (owned)
		pmudev_backend.cpu_down(&pmu->info, cpu);
}

static bool cpu_is_of(const struct pmudev_pmu *pmu, int cpu)
{
	return per_cpu(pmudev_cpus, cpu).pmu == pmu;
}

static void release_cpus(struct pmudev_pmu *pmu)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (cpu_is_of(pmu, cpu))
			cpu_release(pmu, cpu);
}

static void release_all(struct pmudev_pmu *pmu)
{
	release_cpus(pmu);
	if (pmudev_beside_perf())
		pmudev_backend.shared->end(&pmu->info);
}

/* Must CPUs be reserved before another set can hold the reservation? */
static bool must_reserve(const struct pmudev_pmu_reservation *reservation)
{
	return !READ_ONCE(reservation->users) || READ_ONCE(reservation->lacks_cpus);
}

int pmudev_reserve_pmu(struct pmudev_pmu *pmu, struct pmudev_refusal *why)
{
	struct pmudev_pmu_reservation *reservation = pmudev_reservation(pmu);
	int cpu, ret = 0;

	lockdep_assert_held(&pmu->lock);
	if (!reservation->users && pmudev_beside_perf())
		ret = pmudev_backend.shared->begin(&pmu->info, why);
	if (ret)
		return ret;
	/* Also CPUs that perf kept when they came online: half a PMU is not counted on. */
	for_each_online_cpu(cpu) {
		if (!cpu_is_of(pmu, cpu))
			continue;
		ret = cpu_reserve(pmu, cpu, why);
		if (ret)
			goto undo;
	}
	if (!reservation->users)
		reservation->nr_taken++;
	WRITE_ONCE(reservation->users, reservation->users + 1);
	WRITE_ONCE(reservation->lacks_cpus, false);
	return 0;

undo:
	if (!reservation->users)
		release_all(pmu);
	return ret;
}

void pmudev_release_pmu(struct pmudev_pmu *pmu)
{
	struct pmudev_pmu_reservation *reservation = pmudev_reservation(pmu);

	lockdep_assert_held(&pmu->lock);
	WRITE_ONCE(reservation->users, reservation->users - 1);
	if (!reservation->users)
		release_all(pmu);
}

bool pmudev_reserve_join(struct pmudev_pmu *pmu)
{
	struct pmudev_pmu_reservation *reservation = pmudev_reservation(pmu);

	lockdep_assert_held(&pmu->lock);
	if (must_reserve(reservation))
		return false;
	WRITE_ONCE(reservation->users, reservation->users + 1);
	return true;
}

bool pmudev_reserve_leave(struct pmudev_pmu *pmu)
{
	struct pmudev_pmu_reservation *reservation = pmudev_reservation(pmu);

	lockdep_assert_held(&pmu->lock);
	if (reservation->users == 1)
		return false;
	WRITE_ONCE(reservation->users, reservation->users - 1);
	return true;
}

void pmudev_hold_look(struct pmudev_pmu *pmu, struct pmudev_hold *hold)
{
	hold->pinned = pmudev_perf_use(pmu).pinned;
}

void pmudev_explain_holder(int error, struct pmudev_refusal *why)
{
	if (error && why->code == PMUDEV_WHY_PMU_HELD && pmudev_backend.explain)
		pmudev_backend.explain(why);
}

/* Release all PMUs before @end but @own. */
static void release_others(const struct pmudev_pmu *own, const struct pmudev_pmu *end)
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

int pmudev_reserve_others(struct pmudev_pmu *own, struct pmudev_hold *hold,
			  struct pmudev_refusal *why)
{
	struct pmudev_pmu *pmu;
	int ret = 0;

	if (hold->held_all || pmudev_nr_pmus == 1)
		return 0;
	pmudev_for_each_pmu(pmu) {
		if (pmu == own)
			continue;
		mutex_lock(&pmu->lock);
		ret = pmudev_reserve_pmu(pmu, why);
		mutex_unlock(&pmu->lock);
		if (ret)
			break;
	}
	if (ret)
		release_others(own, pmu);
	hold->held_all = !ret;
	return ret;
}

void pmudev_release_others(struct pmudev_pmu *own, struct pmudev_hold *hold)
{
	if (hold->held_all)
		release_others(own, pmudev_pmus + pmudev_nr_pmus);
	hold->held_all = false;
}

/* The PMU of this CPU, which never changes. */
static struct pmudev_pmu *identify(struct pmudev_cpu *cpuc, unsigned int cpu)
{
	int index;

	if (cpuc->pmu)
		return cpuc->pmu;
	index = pmudev_backend.identify();
	if (index < 0) {
		pr_warn("pmudev: CPU %u: its kind was absent when pmudev was loaded: nothing is counted there\n",
			cpu);
		return NULL;
	}
	cpuc->ctx.pmu = &pmudev_pmus[index];
	cpuc->pmu = cpuc->ctx.pmu;
	return cpuc->pmu;
}

void pmudev_cpu_online(unsigned int cpu)
{
	struct pmudev_pmu *pmu = identify(per_cpu_ptr(&pmudev_cpus, cpu), cpu);
	struct pmudev_refusal why = {};
	int ret;

	if (!pmu)
		return;
	mutex_lock(&pmu->lock);
	ret = pmudev_reservation(pmu)->users ? cpu_reserve(pmu, cpu, &why) : 0;
	if (ret) {
		WRITE_ONCE(pmudev_reservation(pmu)->lacks_cpus, true);
		pr_warn("pmudev: CPU %u: cannot reserve its counters (error %d): nothing is counted there\n",
			cpu, ret);
		smp_call_function_single(cpu, load_lost, NULL, true);
	}
	mutex_unlock(&pmu->lock);
}

/* By a worker. */
static void close_all(void *unused)
{
	struct pmudev_pmu *pmu;

	WRITE_ONCE(closed, true);
	cpus_read_lock();
	/* CPUs are reserved with their PMU's lock held: who takes it after this sees @closed. */
	pmudev_for_each_pmu(pmu) {
		mutex_lock(&pmu->lock);
		release_cpus(pmu);
		mutex_unlock(&pmu->lock);
	}
	cpus_read_unlock();
}

void pmudev_reserve_close(void)
{
	pmudev_by_worker(pmudev_urgent, close_all, NULL);
}

void pmudev_cpu_offline(unsigned int cpu)
{
	struct pmudev_cpu *cpuc = per_cpu_ptr(&pmudev_cpus, cpu);
	unsigned long flags;

	if (!cpuc->pmu)
		return;
	mutex_lock(&cpuc->pmu->lock);
	cpu_release(cpuc->pmu, cpu);
	mutex_unlock(&cpuc->pmu->lock);

	hrtimer_cancel(&cpuc->fold_timer);
	hrtimer_cancel(&cpuc->rotate_timer);
	local_irq_save(flags);
	cpuc->fold_ns = 0;
	local_irq_restore(flags);
}
