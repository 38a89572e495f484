// SPDX-License-Identifier: GPL-2.0
/*
 * Keeping perf away from a CPU's counters: an event of perf's own that is pinned, exclusive
 * and counts nothing. perf schedules no other hardware event beside it. It
 * costs the counter it is on.
 */
#include <linux/cpu_pm.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "../core/compat.h"
#include "pmuv3.h"
#include "regs.h"

/* Take over: stop what is not perf's, forget its values. On the CPU, irqs off. */
struct takeover {
	u64 counters;
	int error;
};

static void take_over(void *info)
{
	struct pmuv3_cpu *pc = this_cpu_ptr(&pmuv3_cpus);
	struct takeover *take = info;
	u64 rest;

	if (pmuv3_kind_here() != pc->info->index) {
		take->error = -EOPNOTSUPP;
		return;
	}
	/* perf's event is on: so is the PMU as a whole. */
	if (!(read_pmcr() & PMCR_E)) {
		take->error = -EBUSY;
		return;
	}
	write_pmcntenclr(pmuv3_enable_bits(take->counters));
	write_pmintenclr(pmuv3_enable_bits(take->counters));
	isb();
	write_pmovsclr(pmuv3_enable_bits(take->counters));
	for (rest = take->counters; rest; rest &= rest - 1)
		pmuv3_write_counter(__ffs64(rest), 0);
	pmuv3_forget(pc, take->counters);
	pc->ours = true;
	pc->on = 0;
	pc->nr_on = 0;
	pc->hides = pmuv3_hides(&pmuv3_kinds[pc->info->index].caps);
	pmuv3_user_access(false, 0);
}

static void give_back(void *info)
{
	struct pmuv3_cpu *pc = this_cpu_ptr(&pmuv3_cpus);
	u64 *counters = info;

	write_pmcntenclr(pmuv3_enable_bits(*counters));
	/* Wraps of ours would be interrupts of perf's, once it enables them. */
	isb();
	write_pmovsclr(pmuv3_enable_bits(*counters));
	pmuv3_user_access(false, 0);
	pc->ours = false;
	pc->on = 0;
	pc->nr_on = 0;
	pc->hides = false;
}

/* On the CPU, irqs off: it may have been without power, and perf's driver resets the PMU then. */
static int power_changed(struct notifier_block *nb, unsigned long event, void *unused)
{
	struct pmuv3_cpu *pc = this_cpu_ptr(&pmuv3_cpus);

	if (!pc->info || (event != CPU_PM_EXIT && event != CPU_PM_ENTER_FAILED))
		return NOTIFY_OK;
	pmuv3_forget(pc, pc->info->counters);
	/* The core has withdrawn user access before. */
	pmuv3_hide(pc);
	return NOTIFY_OK;
}

/* Before the core, whose priority is lower, loads the counters again. */
static struct notifier_block power_nb = {
	.notifier_call = power_changed,
};

static struct workqueue_struct *pmuv3_workqueue;

int pmuv3_claim_init(void)
{
	int ret;

	pmuv3_workqueue = alloc_workqueue("pmudev", WQ_UNBOUND, 0);
	if (!pmuv3_workqueue)
		return -ENOMEM;
	ret = cpu_pm_register_notifier(&power_nb);
	if (ret)
		destroy_workqueue(pmuv3_workqueue);
	return ret;
}

void pmuv3_claim_exit(void)
{
	cpu_pm_unregister_notifier(&power_nb);
	destroy_workqueue(pmuv3_workqueue);
}

struct creation {
	struct work_struct work;
	int cpu;
	struct perf_event *event;
};

static void create(struct work_struct *work)
{
	struct creation *creation = container_of(work, struct creation, work);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = 0, /* SW_INCR: what only software increments */
		.pinned = 1,
		.exclusive = 1,
		.disabled = 1,
		.exclude_user = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	creation->event = perf_event_create_kernel_counter(&attr, creation->cpu, NULL, NULL, NULL);
}

/*
 * perf asks whether the calling task may count a CPU. It is not the task that does: a
 * kernel thread creates the event. (A hotplug callback runs in one.)
 */
static struct perf_event *create_placeholder(int cpu)
{
	struct creation creation = { .cpu = cpu };

	if (current->flags & PF_KTHREAD) {
		create(&creation.work);
		return creation.event;
	}
	INIT_WORK_ONSTACK(&creation.work, create);
	queue_work(pmuv3_workqueue, &creation.work);
	flush_work(&creation.work);
	destroy_work_on_stack(&creation.work);
	return creation.event;
}

/* Is any event of perf's on a counter of that CPU now? Ours is still disabled. */
static bool perf_is_counting(struct arm_pmu *pmu, int cpu)
{
	struct pmu_hw_events *hw = per_cpu_ptr(pmu->hw_events, cpu);

	return !bitmap_empty(hw->used_mask, ARMPMU_MAX_HWEVENTS);
}

static int held_by_perf(struct pmudev_refusal *why, int cpu)
{
	why->holder.kind = PMUDEV_HOLDER_PERF;
	why->holder.cpu = cpu;
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_PMU_HELD, 0);
}

int pmuv3_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why)
{
	struct pmuv3_kind *kind = &pmuv3_kinds[info->index];
	struct takeover take = {};
	struct perf_event *event;
	u64 placeholder;
	int ret;

	event = create_placeholder(cpu);
	if (IS_ERR(event))
		return pmudev_refuse(why, PTR_ERR(event) == -ENOMEM ? -ENOMEM : -EOPNOTSUPP,
				     PMUDEV_WHY_PERF_REFUSED, 0);
	kind->perf = to_arm_pmu(event->pmu);
	/*
	 * What perf counts on a CPU that is not active yet came after the claim on the others. It
	 * gives way, as it would there: user tasks that read are about to come.
	 */
	if (cpu_active(cpu) && perf_is_counting(kind->perf, cpu)) {
		ret = held_by_perf(why, cpu);
		goto err;
	}
	perf_event_enable(event);
	/* An earlier pinned event, if only one for a task that runs there, makes ours fail. */
	if (READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE) {
		ret = held_by_perf(why, cpu);
		goto err;
	}
	/* None of ours if it is one of those that are EL2's alone. */
	placeholder = BIT_ULL(pmudev_perf_counter(event->hw.idx)) & info->counters;
	info->reserved |= placeholder;
	take.counters = info->counters & ~placeholder;
	smp_call_function_single(cpu, take_over, &take, true);
	if (take.error) {
		ret = pmudev_refuse(why, take.error, PMUDEV_WHY_PERF_REFUSED, 0);
		goto err;
	}
	per_cpu(pmuv3_cpus, cpu).claim = event;
	return 0;

err:
	perf_event_release_kernel(event);
	return ret;
}

/* An event that is created and released makes perf schedule: only once. */
static int find_perf(struct pmuv3_kind *kind, int cpu)
{
	struct perf_event *event;

	if (kind->perf)
		return 0;
	event = create_placeholder(cpu);
	if (IS_ERR(event))
		return PTR_ERR(event);
	kind->perf = to_arm_pmu(event->pmu);
	perf_event_release_kernel(event);
	return 0;
}

int pmuv3_held(struct pmudev_pmu_info *info, struct pmudev_refusal *why)
{
	struct pmuv3_kind *kind = &pmuv3_kinds[info->index];
	int cpu, ret;

	for_each_online_cpu(cpu) {
		if (per_cpu(pmuv3_cpus, cpu).info != info)
			continue;
		ret = find_perf(kind, cpu);
		if (ret)
			return pmudev_refuse(why, ret == -ENOMEM ? -ENOMEM : -EOPNOTSUPP,
					     PMUDEV_WHY_PERF_REFUSED, 0);
		if (perf_is_counting(kind->perf, cpu))
			return held_by_perf(why, cpu);
	}
	return 0;
}

void pmuv3_cpu_down(struct pmudev_pmu_info *info, int cpu)
{
	struct pmuv3_cpu *pc = per_cpu_ptr(&pmuv3_cpus, cpu);
	u64 counters = info->counters & ~info->reserved;

	smp_call_function_single(cpu, give_back, &counters, true);
	perf_event_release_kernel(pc->claim);
	pc->claim = NULL;
}
