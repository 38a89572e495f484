// SPDX-License-Identifier: GPL-2.0
/*
 * Keeping perf away from a CPU's counters: an event of perf's own that is pinned, exclusive
 * and counts nothing. perf schedules no other hardware event beside it. It
 * costs the counter it is on.
 */
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>

#include "../compat.h"
#include "pmuv3.h"
#include "regs.h"

int pmuv3_reserve_init(void)
{
	return pmuv3_restore_init();
}

void pmuv3_reserve_exit(void)
{
	pmuv3_restore_exit();
}

/* perf's event is on: so is the PMU as a whole. */
bool pmuv3_started(void)
{
	return read_pmcr() & PMCR_E;
}

/* Its placeholder will take its lowest. Confirmed when it does. */
u64 pmuv3_reserve_cost(u64 counters)
{
	return counters & BIT_ULL(0);
}

/*
 * perf asks whether the calling task may count a CPU. It is not the user's task that does, but a
 * kernel thread: claims are made in such.
 */
static struct perf_event *create_placeholder(int cpu)
{
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

	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
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
	 * What perf counts on a CPU that is not active yet came after the claim on the others. It
	 * gives way, as it would there: user tasks that read are about to come.
	 */
	if (cpu_active(cpu) && perf_is_counting(kind->perf, cpu)) {
		ret = held_by_perf(why, cpu);
		goto err;
	}
	/* Known before it is on its counter: whoever looks meanwhile finds that it is ours. */
	WRITE_ONCE(cpuc->placeholder, event);
	perf_event_enable(event);
	/* An earlier pinned event, if only one for a task that runs there, makes ours fail. */
	if (READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE) {
		ret = held_by_perf(why, cpu);
		goto err;
	}
	/* None of ours if it is one of those that are EL2's alone. */
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

/* Of a CPU that is not ours: is any event of perf's on its counters? */
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
		/* Our own: known before it is on its counter, until it is off it. */
		smp_rmb();
		if (READ_ONCE(cpuc->placeholder))
			return false;
		/* And it was ours no more: then it is not there any more either. */
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

/* An event that is created and released makes perf schedule: only once. */
static int find_perf(struct pmuv3_kind *kind, int cpu)
{
	struct perf_event *event;

	if (kind->perf)
		return 0;
	event = create_placeholder(cpu);
	if (IS_ERR(event))
		return PTR_ERR(event);
	WRITE_ONCE(kind->perf, to_arm_pmu(event->pmu));
	perf_event_release_kernel(event);
	return 0;
}

void pmuv3_find_perf(unsigned int index)
{
	/* If there is no memory for it now it is found by the first claim. */
	find_perf(&pmuv3_kinds[index], raw_smp_processor_id());
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
	struct pmuv3_cpu *cpuc = per_cpu_ptr(&pmuv3_cpus, cpu);

	pmuv3_return_cpu(cpu, info->counters & ~info->unavailable);
	perf_event_release_kernel(cpuc->placeholder);
	WRITE_ONCE(cpuc->placeholder, NULL);
}
