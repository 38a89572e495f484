// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading the module, nothing else. */
#include <linux/clocksource.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/time64.h>

#include "core.h"

struct pmudev_pmu pmudev_pmu;

static void __init set_clock(struct pmudev_pmu *pmu)
{
	u64 hz = pmu->info.clock_hz;

	pmu->mult = 1;
	/* The kernel's function takes 32 bits; clocks faster than that are in kHz exactly. */
	if (hz > U32_MAX)
		clocks_calc_mult_shift(&pmu->mult, &pmu->shift, div_u64(hz, 1000), NSEC_PER_MSEC,
				       1000);
	else if (hz)
		clocks_calc_mult_shift(&pmu->mult, &pmu->shift, hz, NSEC_PER_SEC, 1);
}

static int __init pmu_init(struct pmudev_pmu *pmu)
{
	int ret;

	mutex_init(&pmu->lock);
	raw_spin_lock_init(&pmu->visible_lock);
	INIT_LIST_HEAD(&pmu->sets);
	ret = pmudev_backend.probe(&pmu->info);
	if (ret)
		return ret;
	set_clock(pmu);
	pmudev_turns_init(pmu);
	return 0;
}

static int __init pmudev_init(void)
{
	struct pmudev_pmu *pmu = &pmudev_pmu;
	int ret;

	ret = pmu_init(pmu);
	if (ret)
		return ret;
	ret = pmudev_page_init();
	if (ret)
		goto err_pmu;
	ret = pmudev_cpu_init();
	if (ret)
		goto err_page;
	ret = pmudev_gate_init();
	if (ret)
		goto err_cpu;
	ret = pmudev_chardev_init();
	if (ret)
		goto err_gate;
	pr_info("pmudev: %s, version %u, %u counters of %u bits, %u fixed of %u, CPU id %#llx\n",
		pmu->info.name, pmu->info.arch_version, hweight32((u32)pmu->info.counters),
		pmu->info.width, hweight32(pmu->info.counters >> PMUDEV_FIXED_BASE),
		pmu->info.width_fixed, pmu->info.cpu_id);
	return 0;

err_gate:
	pmudev_gate_exit();
err_cpu:
	pmudev_cpu_exit();
err_page:
	pmudev_page_exit();
err_pmu:
	pmudev_backend.remove(&pmu->info);
	return ret;
}

static void __exit pmudev_exit(void)
{
	/* No set is left, and no thread is followed: both keep the module loaded. */
	pmudev_chardev_exit();
	pmudev_gate_exit();
	pmudev_task_exit();
	/* Heirs are freed by a function of ours. */
	rcu_barrier();
	pmudev_cpu_exit();
	pmudev_page_exit();
	pmudev_backend.remove(&pmudev_pmu.info);
}

module_init(pmudev_init);
module_exit(pmudev_exit);

MODULE_DESCRIPTION("Exact access to the CPU's performance counters");
MODULE_LICENSE("GPL");
