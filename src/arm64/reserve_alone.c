// SPDX-License-Identifier: GPL-2.0
/*
 * Reservation where perf has no driver for PMUv3: 32-bit kernels without CONFIG_ARM_PMUV3. Nothing
 * else uses the counters, so a reservation costs no counter; but pmudev must start the PMU itself.
 */
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
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

/* After a loss of power, the values of the registers are unknown, and no driver resets them. */
void pmuv3_start_here(struct pmuv3_cpu *cpuc)
{
	WRITE_ONCE(cpuc->ours, cpuc->info->counters);
	write_pmcntenclr(U32_MAX);
	write_pmintenclr(U32_MAX);
	isb();
	write_pmovsclr(U32_MAX);
	write_pmcr(PMCR_E | PMCR_LC);
}

static int power_changed(struct notifier_block *nb, unsigned long event, void *unused)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);

	if (event != CPU_PM_EXIT || !cpuc->owned)
		return NOTIFY_OK;
	pmuv3_forget_shadow(cpuc, cpuc->info->counters);
	pmuv3_start_here(cpuc);
	return NOTIFY_OK;
}

/* The core's notifier, which loads the counters again, has a lower priority and runs later. */
static struct notifier_block power_nb = { .notifier_call = power_changed };

int pmuv3_reserve_init(void)
{
	bool has_it = false;
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		has_it |= perf_has_it(cpu);
	cpus_read_unlock();
	if (!has_it)
		return cpu_pm_register_notifier(&power_nb);
	pr_err("pmudev: perf's driver for older CPUs uses the PMU and cannot share it\n");
	return -ENODEV;
}

void pmuv3_reserve_exit(void)
{
	cpu_pm_unregister_notifier(&power_nb);
}

int pmuv3_reserve_again(struct pmudev_pmu_info *info, struct pmudev_refusal *why)
{
	return 0;
}

bool pmuv3_drives(const struct pmuv3_kind *kind, int cpu)
{
	return true;
}

u64 pmuv3_perf_counters_here(const struct pmuv3_cpu *cpuc)
{
	return 0;
}

int pmuv3_find_perf(unsigned int index, int cpu)
{
	return 0;
}
