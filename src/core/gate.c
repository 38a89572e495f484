// SPDX-License-Identifier: GPL-2.0
/*
 * The gate for user reads: sysctl dev.pmudev.user_access. Closing it takes
 * readable events off their counters, which show 0 then. The right to execute the read
 * instruction stays until the page is unmapped, so no reader faults.
 */
#include <linux/sysctl.h>

#include "compat.h"
#include "core.h"

static int gate;

/* One change of it at a time; taken before pmu->lock. */
static DEFINE_MUTEX(user_access_mutex);
static struct ctl_table_header *header;

bool pmudev_user_access_enabled(void)
{
	return READ_ONCE(gate);
}

/* By a worker, pmu->lock held. */
static bool user_access_changed(void *arg)
{
	struct pmudev_change change = {};
	struct pmudev_pmu *pmu = arg;
	bool open = gate;
	struct pmudev_set *set;

	if (!pmudev_in_worker())
		return false;
	list_for_each_entry(set, &pmu->sets, node) {
		if (!READ_ONCE(set->user))
			continue;
		change.set = set;
		pmudev_ctx_call(set->ctx,
				open ? pmudev_change_user_access_on : pmudev_change_user_access_off,
				&change);
		cond_resched();
	}
	return true;
}

static int user_access_handler(pmudev_ctl_table *table, int write, void *buffer, size_t *lenp,
			       loff_t *ppos)
{
	int value = READ_ONCE(gate), ret;
	struct ctl_table one = *table;
	struct pmudev_pmu *pmu;

	one.data = &value;
	ret = proc_dointvec_minmax(&one, write, buffer, lenp, ppos);
	if (ret || !write)
		return ret;
	/*
	 * Enabling looks at the gate under the PMU's lock: either it sees what is written here, or
	 * its set is found.
	 */
	mutex_lock(&user_access_mutex);
	if (value != gate) {
		WRITE_ONCE(gate, value);
		pmudev_for_each_pmu(pmu)
			pmudev_locked(pmudev_urgent, &pmu->lock, user_access_changed, pmu);
	}
	mutex_unlock(&user_access_mutex);
	return 0;
}

static struct ctl_table user_access_table[1 + PMUDEV_CTL_TABLE_END] = { {
	.procname = "user_access",
	.maxlen = sizeof(int),
	.mode = 0644,
	.proc_handler = user_access_handler,
	.extra1 = SYSCTL_ZERO,
	.extra2 = SYSCTL_ONE,
} };

int pmudev_user_access_init(void)
{
	header = register_sysctl("dev/pmudev", user_access_table);
	return header ? 0 : -ENOMEM;
}

void pmudev_user_access_exit(void)
{
	unregister_sysctl_table(header);
}
