// SPDX-License-Identifier: GPL-2.0
/*
 * The sysctls dev.pmudev.*. Disabling user access deactivates readable groups, whose counters show
 * 0 then. User mode may execute the read instruction until it unmaps the page: no reader faults.
 */
#include <linux/sysctl.h>

#include "../alloc/allocation.h"
#include "../compat.h"
#include "../context/overflow.h"
#include "../context/user_access.h"
#include "../set/quota.h"
#include "../set/set.h"
#include "../worker.h"
#include "entry.h"

/* One change of user access at a time; taken before pmu->lock. */
static DEFINE_MUTEX(user_access_mutex);

/* By a worker, pmu->lock held. */
static bool user_access_changed(void *arg)
{
	pmudev_set_fn change =
		pmudev_user_access ? pmudev_change_user_access_on : pmudev_change_user_access_off;
	struct pmudev_pmu *pmu = arg;
	struct pmudev_alloc *alloc;

	if (!pmudev_in_worker())
		return false;
	pmudev_for_each_alloc(alloc, pmu) {
		/* Inherited sets have no user reads: there are no children to tell. */
		if (READ_ONCE(alloc->set->user))
			pmudev_set_call_alone(alloc->set, change, NULL);
		cond_resched();
	}
	return true;
}

static int user_access_handler(pmudev_ctl_table *table, int write, void *buffer, size_t *lenp,
			       loff_t *ppos)
{
	int value = READ_ONCE(pmudev_user_access), ret;
	struct ctl_table one = *table;
	struct pmudev_pmu *pmu;

	one.data = &value;
	ret = proc_dointvec_minmax(&one, write, buffer, lenp, ppos);
	if (ret || !write)
		return ret;
	/* ENABLE looks at the value under pmu->lock: it sees the new one, or its set is found. */
	mutex_lock(&user_access_mutex);
	if (value != pmudev_user_access) {
		WRITE_ONCE(pmudev_user_access, value);
		pmudev_for_each_pmu(pmu)
			pmudev_locked(pmudev_urgent, &pmu->lock, user_access_changed, pmu);
	}
	mutex_unlock(&user_access_mutex);
	return 0;
}

static struct ctl_table table[4 + PMUDEV_CTL_TABLE_END] = {
	{
		.procname = "user_access",
		.maxlen = sizeof(int),
		.mode = 0644,
		.proc_handler = user_access_handler,
		.extra1 = SYSCTL_ZERO,
		.extra2 = SYSCTL_ONE,
	},
	{
		.procname = "attach",
		.data = &pmudev_attach_allowed,
		.maxlen = sizeof(pmudev_attach_allowed),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = SYSCTL_ZERO,
		.extra2 = SYSCTL_ONE,
	},
	{
		.procname = "max_sets_per_user",
		.data = &pmudev_quota_limit,
		.maxlen = sizeof(pmudev_quota_limit),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = SYSCTL_ZERO,
		.extra2 = SYSCTL_INT_MAX,
	},
	{
		.procname = "max_overflows",
		.data = &pmudev_max_overflows,
		.maxlen = sizeof(pmudev_max_overflows),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = SYSCTL_ONE,
		.extra2 = SYSCTL_INT_MAX,
	},
};

static struct ctl_table_header *header;

int pmudev_sysctl_init(void)
{
	header = register_sysctl("dev/pmudev", table);
	return header ? 0 : -ENOMEM;
}

void pmudev_sysctl_exit(void)
{
	unregister_sysctl_table(header);
}
