// SPDX-License-Identifier: GPL-2.0
/* Idle and system sleep: a CPU's PMU may lose its state, and the clock may stop or restart. */
#include <linux/cpu_pm.h>
#include <linux/irq_work.h>

#include "../compat.h"
#include "../context/cgroup.h"
#include "../context/overflow.h"
#include "../cpu/reserve.h"
#include "../task/task_table.h"
#include "entry.h"

/* The system is going to sleep, or waking up. Only the last online CPU uses both. */
static bool sleeping;
static u64 sleeping_since; /* pmudev_clock() */

/* Only where a PMU loses its state while its CPU is idle: CONFIG_CPU_PM. */
static int cpu_power(struct notifier_block *nb, unsigned long event, void *unused)
{
	switch (event) {
	case CPU_PM_ENTER:
		pmudev_cpu_power_down();
		break;
	case CPU_PM_ENTER_FAILED:
	case CPU_PM_EXIT:
		/* During a system sleep, sleep_ends() does it, a moment later. */
		if (!sleeping)
			pmudev_cpu_power_up();
		break;
	}
	return NOTIFY_OK;
}

/* Called after perf's driver in both directions: that resets the PMU when the CPU wakes up. */
static struct notifier_block cpu_power_nb = { .notifier_call = cpu_power, .priority = -1 };

/* A sleep does not add to a loaded context's times: the clock may have stopped or restarted. */
static void skip_sleep(struct pmudev_ctx *ctx)
{
	u64 slept = pmudev_clock() - sleeping_since;

	raw_spin_lock(&ctx->lock);
	if (ctx->cpu >= 0) {
		ctx->clock -= slept;
		ctx->lost -= slept;
	}
	raw_spin_unlock(&ctx->lock);
}

static void skip_sleep_of_cgroup(struct pmudev_ctx *ctx, void *unused)
{
	skip_sleep(ctx);
}

/*
 * All other CPUs are offline, and irqs are off. The contexts of this CPU, of the current thread and
 * of its cgroups are loaded, and no others. Exception: while a Xen guest is saved its other CPUs
 * stay online, and their contexts count the sleep as time.
 */
static int sleep_begins(PMUDEV_SYSCORE_ARG)
{
	pmudev_cpu_power_down();
	/* What is queued has its interrupt pending, which may be lost: nothing would run it. */
	irq_work_run();
	sleeping_since = pmudev_clock();
	sleeping = true;
	return 0;
}

static void sleep_ends(PMUDEV_SYSCORE_ARG)
{
	struct pmudev_cpu *cpuc = this_cpu_ptr(&pmudev_cpus);

	sleeping = false;
	skip_sleep(&cpuc->ctx);
	pmudev_walk_ctxs(current, skip_sleep);
	pmudev_cgroups_walk(cpuc, skip_sleep_of_cgroup, NULL);
	/* What an NMI masked, whose work found the CPU asleep */
	if (READ_ONCE(cpuc->owned))
		pmudev_overflow_begin(cpuc);
	pmudev_cpu_power_up();
}

PMUDEV_SYSCORE(sleep, sleep_begins, sleep_ends);

int pmudev_power_init(void)
{
	int ret = cpu_pm_register_notifier(&cpu_power_nb);

	if (!ret)
		pmudev_register_syscore(&sleep);
	return ret;
}

void pmudev_power_exit(void)
{
	pmudev_unregister_syscore(&sleep);
	cpu_pm_unregister_notifier(&cpu_power_nb);
}
