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
static struct ctl_table_header *header;

bool pmudev_gate_open(void)
{
	return READ_ONCE(gate);
}

static void gate_changed(struct pmudev_pmu *pmu, bool open)
{
	struct pmudev_change change = {};
	struct pmudev_set *set;

	lockdep_assert_held(&pmu->lock);
	list_for_each_entry(set, &pmu->sets, node) {
		if (!READ_ONCE(set->user))
			continue;
		change.set = set;
		pmudev_ctx_call(set->ctx, open ? pmudev_change_ungate : pmudev_change_gate,
				&change);
	}
}

static int gate_handler(pmudev_ctl_table *table, int write, void *buffer, size_t *lenp,
			loff_t *ppos)
{
	int value = READ_ONCE(gate), ret;
	struct ctl_table one = *table;

	one.data = &value;
	ret = proc_dointvec_minmax(&one, write, buffer, lenp, ppos);
	if (ret || !write)
		return ret;
	/* Under the lock enabling takes too: nothing is enabled past a closed gate. */
	mutex_lock(&pmudev_pmu.lock);
	if (value != gate) {
		WRITE_ONCE(gate, value);
		gate_changed(&pmudev_pmu, value);
	}
	mutex_unlock(&pmudev_pmu.lock);
	return 0;
}

static struct ctl_table gate_table[1 + PMUDEV_CTL_TABLE_END] = { {
	.procname = "user_access",
	.maxlen = sizeof(int),
	.mode = 0644,
	.proc_handler = gate_handler,
	.extra1 = SYSCTL_ZERO,
	.extra2 = SYSCTL_ONE,
} };

int pmudev_gate_init(void)
{
	header = register_sysctl("dev/pmudev", gate_table);
	return header ? 0 : -ENOMEM;
}

void pmudev_gate_exit(void)
{
	unregister_sysctl_table(header);
}
