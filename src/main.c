// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading the module, in layer order. */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "alloc/allocation.h"
#include "context/context.h"
#include "entry/entry.h"
#include "task/switch.h"
#include "worker.h"

static void __init say_loaded(const struct pmudev_pmu_info *info)
{
	pr_info("pmudev: %s, version %u, %u counters of %u bits, %u fixed of %u, CPU id %#llx\n",
		info->name, info->arch_version, hweight32((u32)info->counters), info->width,
		hweight32(info->counters >> PMUDEV_FIXED_BASE), info->width_fixed, info->cpu_id);
}

static int __init pmudev_init(void)
{
	struct pmudev_pmu *pmu;
	int ret;

	ret = pmudev_worker_init();
	if (ret)
		return ret;
	ret = pmudev_pmus_init(pmudev_switch_lets_read);
	if (ret)
		goto err_worker;
	pmudev_cpus_init();
	pmudev_allocs_init();
	ret = pmudev_mmap_init();
	if (ret)
		goto err_pmus;
	ret = pmudev_power_init();
	if (ret)
		goto err_mmap;
	ret = pmudev_hotplug_init();
	if (ret)
		goto err_power;
	pmudev_task_hooks_init();
	ret = pmudev_kvm_init();
	if (ret)
		goto err_hotplug;
	ret = pmudev_sysctl_init();
	if (ret)
		goto err_kvm;
	/* Before the device: a program that finds it finds the PMUs described. */
	ret = pmudev_sysfs_init();
	if (ret)
		goto err_sysctl;
	ret = pmudev_chardev_init();
	if (ret)
		goto err_sysfs;
	pmudev_for_each_pmu(pmu)
		say_loaded(&pmu->info);
	return 0;

err_sysfs:
	pmudev_sysfs_exit();
err_sysctl:
	pmudev_sysctl_exit();
err_kvm:
	pmudev_kvm_exit();
err_hotplug:
	pmudev_hotplug_exit();
err_power:
	pmudev_power_exit();
	pmudev_cpus_exit();
err_mmap:
	pmudev_mmap_exit();
err_pmus:
	pmudev_pmus_exit();
err_worker:
	pmudev_worker_exit();
	return ret;
}

static void __exit pmudev_exit(void)
{
	/* No set is left, and no thread is attached: both keep the module loaded. */
	pmudev_chardev_exit();
	pmudev_sysfs_exit();
	pmudev_sysctl_exit();
	pmudev_task_hooks_exit();
	pmudev_kvm_exit();
	/* Children are freed by a function of the module. */
	rcu_barrier();
	pmudev_hotplug_exit();
	pmudev_power_exit();
	pmudev_cpus_exit();
	pmudev_mmap_exit();
	pmudev_pmus_exit();
	pmudev_worker_exit();
}

module_init(pmudev_init);
module_exit(pmudev_exit);

MODULE_DESCRIPTION("Exact access to the CPU's performance counters");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
