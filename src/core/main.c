// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading the module, nothing else. */
#include <linux/clocksource.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/time64.h>

#include "ledger.h"

struct pmudev_pmu pmudev_pmus[PMUDEV_MAX_PMUS];
unsigned int pmudev_nr_pmus;

struct pmudev_readers pmudev_readers = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(pmudev_readers.lock),
	.granted = LIST_HEAD_INIT(pmudev_readers.granted),
	.private = LIST_HEAD_INIT(pmudev_readers.private),
};

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

/*
 * A thread may come to any CPU in the midst of a read: only counters that all CPUs have can be
 * read directly.
 */
static void __init set_user(void)
{
	u64 user = pmudev_switch_lets_read ? ~0ULL : 0;
	struct pmudev_pmu *pmu;

	pmudev_for_each_pmu(pmu)
		user &= pmu->info.user;
	pmudev_for_each_pmu(pmu) {
		pmu->info.user = user;
		if (!pmudev_switch_lets_read)
			pmu->info.features &= ~(PMUDEV_HAS_USER_READ | PMUDEV_HAS_DIRECT);
	}
}

static const struct pmudev_upcalls upcalls = {
	.user_access_lost = pmudev_user_access_lost,
	.clear_residue = pmudev_clear_residue,
	.guest_entered = pmudev_guest_entered,
	.guest_left = pmudev_guest_left,
};

static int __init pmus_init(void)
{
	struct pmudev_pmu_info *info[PMUDEV_MAX_PMUS];
	struct pmudev_pmu *pmu;
	unsigned int i;
	int nr;

	for (i = 0; i < PMUDEV_MAX_PMUS; i++) {
		info[i] = &pmudev_pmus[i].info;
		info[i]->index = i;
	}
	nr = pmudev_backend.probe(info, &upcalls);
	if (nr < 0)
		return nr;
	pmudev_nr_pmus = nr;
	pmudev_for_each_pmu(pmu) {
		mutex_init(&pmu->lock);
		INIT_LIST_HEAD(&pmu->sets);
		INIT_HLIST_HEAD(&pmu->resting);
		set_clock(pmu);
		pmudev_rotation_init(pmu);
	}
	set_user();
	return 0;
}

static void __init tell(const struct pmudev_pmu_info *info)
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
	ret = pmus_init();
	if (ret)
		goto err_worker;
	ret = pmudev_page_init();
	if (ret)
		goto err_pmu;
	ret = pmudev_cpu_init();
	if (ret)
		goto err_page;
	ret = pmudev_kvm_init();
	if (ret)
		goto err_cpu;
	ret = pmudev_user_access_init();
	if (ret)
		goto err_guest;
	ret = pmudev_quota_init();
	if (ret)
		goto err_user_access;
	/* Before the device: who finds that finds the PMUs described. */
	ret = pmudev_sysfs_init();
	if (ret)
		goto err_quota;
	ret = pmudev_chardev_init();
	if (ret)
		goto err_sysfs;
	pmudev_for_each_pmu(pmu)
		tell(&pmu->info);
	return 0;

err_sysfs:
	pmudev_sysfs_exit();
err_quota:
	pmudev_quota_exit();
err_user_access:
	pmudev_user_access_exit();
err_guest:
	pmudev_kvm_exit();
err_cpu:
	pmudev_cpu_exit();
err_page:
	pmudev_page_exit();
err_pmu:
	pmudev_backend.remove();
err_worker:
	pmudev_worker_exit();
	return ret;
}

static void __exit pmudev_exit(void)
{
	/* No set is left, and no thread is followed: both keep the module loaded. */
	pmudev_chardev_exit();
	pmudev_sysfs_exit();
	pmudev_quota_exit();
	pmudev_user_access_exit();
	pmudev_task_exit();
	pmudev_kvm_exit();
	/* Children are freed by a function of ours. */
	rcu_barrier();
	pmudev_cpu_exit();
	pmudev_page_exit();
	pmudev_backend.remove();
	pmudev_worker_exit();
}

module_init(pmudev_init);
module_exit(pmudev_exit);

MODULE_DESCRIPTION("Exact access to the CPU's performance counters");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
