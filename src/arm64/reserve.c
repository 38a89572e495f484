// SPDX-License-Identifier: GPL-2.0
/*
 * Reservation of a CPU's counters: a placeholder event of perf that is pinned, exclusive and counts
 * nothing. perf then schedules no other hardware event on that CPU. It costs the placeholder's
 * counter.
 */
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>

#include "../compat.h"
#include "pmuv3.h"
#include "regs.h"

/* The placeholder takes the lowest event counter; pmuv3_cpu_up() checks that. */
u64 pmuv3_reserve_cost(u64 counters)
{
	return counters & BIT_ULL(0);
}

/* perf checks the rights of the calling thread. A reservation's is a kernel thread: it has them. */
static struct perf_event *create_placeholder(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = 0, /* SW_INCR: only writes to PMSWINC_EL0 increment it */
		.pinned = 1,
		.exclusive = 1,
		.disabled = 1,
		.exclude_user = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

/* An event of perf is on a counter of that CPU now. The placeholder is still disabled. */
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
	struct pmuv3_cpu *cpuc = per_cpu_ptr(&pmuv3_cpus, cpu);
	struct perf_event *event;
	u64 placeholder;
	int ret;

	event = create_placeholder(cpu);
	if (IS_ERR(event))
		return pmudev_refuse(why, PTR_ERR(event) == -ENOMEM ? -ENOMEM : -EOPNOTSUPP,
				     PMUDEV_WHY_PERF_REFUSED, 0);
	WRITE_ONCE(kind->perf, to_arm_pmu(event->pmu));
	/*
	 * On a CPU that is not active yet, perf's events are newer than the reservation of the
	 * other CPUs. They give way, as they would there.
	 */
	if (cpu_active(cpu) && perf_is_counting(kind->perf, cpu)) {
		ret = held_by_perf(why, cpu);
		goto err;
	}
	/* Publish it before perf puts it on a counter: perf_uses() compares. */
	WRITE_ONCE(cpuc->placeholder, event);
	perf_event_enable(event);
	/* It fails if an older pinned event is active, even if only for the running thread. */
	if (READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE) {
		ret = held_by_perf(why, cpu);
		goto err;
	}
	/* perf may have put it on a counter that only EL2 can use. */
	placeholder = BIT_ULL(pmudev_perf_counter(event->hw.idx)) & info->counters;
	WRITE_ONCE(info->unavailable, info->unavailable | placeholder);
	ret = pmuv3_take_cpu(cpu, info->counters & ~placeholder);
	if (ret) {
		pmudev_refuse(why, ret, PMUDEV_WHY_PERF_REFUSED, 0);
		goto err;
	}
	return 0;

err:
	perf_event_release_kernel(event);
	WRITE_ONCE(cpuc->placeholder, NULL);
	return ret;
}

/* An event of perf is on a counter of a CPU that is not owned. */
static bool perf_uses(struct arm_pmu *pmu, int cpu)
{
	const struct pmuv3_cpu *cpuc = per_cpu_ptr(&pmuv3_cpus, cpu);
	struct pmu_hw_events *hw = per_cpu_ptr(pmu->hw_events, cpu);
	const struct perf_event *event;
	unsigned int i;

	for_each_set_bit(i, hw->used_mask, ARMPMU_MAX_HWEVENTS) {
		event = READ_ONCE(hw->events[i]);
		if (!event)
			continue;
		/*
		 * Pairs with the order in pmuv3_cpu_up() and pmuv3_cpu_down(): cpuc->placeholder is
		 * set as long as the placeholder is in hw->events.
		 */
		smp_rmb();
		if (READ_ONCE(cpuc->placeholder))
			return false;
		/* If the event was the placeholder, it is gone from hw->events now. */
		smp_rmb();
		if (READ_ONCE(hw->events[i]) == event)
			return true;
	}
	return false;
}

bool pmuv3_used_now(struct pmudev_pmu_info *info, struct pmudev_refusal *why)
{
	struct arm_pmu *pmu = READ_ONCE(pmuv3_kinds[info->index].perf);
	int cpu;

	for_each_online_cpu(cpu) {
		if (!pmu || per_cpu(pmuv3_cpus, cpu).info != info || !perf_uses(pmu, cpu))
			continue;
		held_by_perf(why, cpu);
		return true;
	}
	return false;
}

int pmuv3_find_perf(unsigned int index, int cpu)
{
	struct pmuv3_kind *kind = &pmuv3_kinds[index];
	struct perf_event *event;

	/* Creating and releasing an event makes perf reschedule, so do it once only. */
	if (kind->perf)
		return 0;
	event = create_placeholder(cpu);
	if (IS_ERR(event))
		return PTR_ERR(event);
	WRITE_ONCE(kind->perf, to_arm_pmu(event->pmu));
	perf_event_release_kernel(event);
	return 0;
}

int pmuv3_held(struct pmudev_pmu_info *info, struct pmudev_refusal *why)
{
	int cpu, ret;

	for_each_online_cpu(cpu) {
		if (per_cpu(pmuv3_cpus, cpu).info != info)
			continue;
		ret = pmuv3_find_perf(info->index, cpu);
		if (ret)
			return pmudev_refuse(why, ret == -ENOMEM ? -ENOMEM : -EOPNOTSUPP,
					     PMUDEV_WHY_PERF_REFUSED, 0);
		if (perf_is_counting(pmuv3_kinds[info->index].perf, cpu))
			return held_by_perf(why, cpu);
	}
	return 0;
}

void pmuv3_cpu_down(struct pmudev_pmu_info *info, int cpu)
{
	struct pmuv3_cpu *cpuc = per_cpu_ptr(&pmuv3_cpus, cpu);

	pmuv3_return_cpu(cpu, info->counters & ~info->unavailable);
	perf_event_release_kernel(cpuc->placeholder);
	WRITE_ONCE(cpuc->placeholder, NULL);
}
