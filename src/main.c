// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading the module, in layer order. */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "alloc/allocation.h"
#include "context/context.h"
#include "context/stop.h"
#include "entry/entry.h"
#include "task/cgroup.h"
#include "task/switch.h"
#include "worker.h"

static int pmus_init(void)
{
	return pmudev_pmus_init(pmudev_switch_lets_read);
}

static int cpus_init(void)
{
	pmudev_cpus_init();
	pmudev_allocs_init();
	pmudev_lend_init();
	return 0;
}

static void cpus_exit(void)
{
	pmudev_lend_exit();
	pmudev_cpus_exit();
}

static const struct {
	int (*init)(void); /* NULL: nothing */
	void (*exit)(void);
} steps[] = {
	{ pmudev_worker_init, pmudev_worker_exit },
	{ pmus_init, pmudev_pmus_exit },
	{ cpus_init, cpus_exit },
	{ pmudev_mmap_init, pmudev_mmap_exit },
	{ pmudev_power_init, pmudev_power_exit },
	{ pmudev_hotplug_init, pmudev_hotplug_exit },
	/* Children are freed by a function of the module. */
	{ NULL, rcu_barrier },
	{ NULL, pmudev_stop_exit },
	{ NULL, pmudev_cgroup_exit },
	{ pmudev_kvm_init, pmudev_kvm_exit },
	{ pmudev_task_hooks_init, pmudev_task_hooks_exit },
	{ pmudev_sysctl_init, pmudev_sysctl_exit },
	/* Before the device: a program that finds it finds the PMUs described. */
	{ pmudev_sysfs_init, pmudev_sysfs_exit },
	{ pmudev_chardev_init, pmudev_chardev_exit },
};

/* Undo the first @nr steps. */
static void undo(unsigned int nr)
{
	while (nr--)
		steps[nr].exit();
}

static int __init pmudev_init(void)
{
	const struct pmudev_pmu_info *info;
	struct pmudev_pmu *pmu;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		ret = steps[i].init ? steps[i].init() : 0;
		if (ret) {
			undo(i);
			return ret;
		}
	}
	pmudev_for_each_pmu(pmu) {
		info = &pmu->info;
		pr_info("pmudev: %s, version %u, %u counters of %u bits, %u fixed of %u, CPU id %#llx\n",
			info->name, info->arch_version, hweight32((u32)info->counters), info->width,
			hweight32(info->counters >> PMUDEV_FIXED_BASE), info->width_fixed,
			info->cpu_id);
	}
	return 0;
}

static void __exit pmudev_exit(void)
{
	/* No set is left, and no thread is attached: both keep the module loaded. */
	undo(ARRAY_SIZE(steps));
}

module_init(pmudev_init);
module_exit(pmudev_exit);

MODULE_DESCRIPTION("Exact access to the CPU's performance counters");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
