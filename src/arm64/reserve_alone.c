// SPDX-License-Identifier: GPL-2.0
/*
 * Reservation where perf has no driver for PMUv3: 32-bit kernels without CONFIG_ARM_PMUV3. Nothing
 * else uses the counters, so a reservation costs no counter; but pmudev must start the PMU itself.
 */
#include <linux/cpu.h>
#include <linux/perf_event.h>

#include "pmuv3.h"
#include "regs.h"

/* The device tree may describe the PMU as that of an older CPU, for which perf has a driver. */
static bool perf_has_it(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.disabled = 1,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);

	if (IS_ERR(event))
		return PTR_ERR(event) != -ENOENT;
	perf_event_release_kernel(event);
	return true;
}

int pmuv3_reserve_init(void)
{
	bool has_it = false;
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		has_it |= perf_has_it(cpu);
	cpus_read_unlock();
	if (!has_it)
		return 0;
	pr_err("pmudev: perf's driver for older CPUs uses the PMU and cannot share it\n");
	return -ENODEV;
}

void pmuv3_reserve_exit(void)
{
}

u64 pmuv3_reserve_cost(u64 counters)
{
	return 0;
}

int pmuv3_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why)
{
	int ret = pmuv3_take_cpu(cpu, info->counters);

	return ret ? pmudev_refuse(why, ret, PMUDEV_WHY_PERF_REFUSED, 0) : 0;
}

bool pmuv3_used_now(struct pmudev_pmu_info *info, struct pmudev_refusal *why)
{
	return false;
}

int pmuv3_find_perf(unsigned int index, int cpu)
{
	return 0;
}

int pmuv3_held(struct pmudev_pmu_info *info, struct pmudev_refusal *why)
{
	return 0;
}

void pmuv3_cpu_down(struct pmudev_pmu_info *info, int cpu)
{
	pmuv3_return_cpu(cpu, info->counters);
}
