// SPDX-License-Identifier: GPL-2.0
/* Idle and sleep: a CPU's PMU may lose power, and the machine's clock its count. */
#include <linux/cpu_pm.h>

#include "../compat.h"
#include "../cpu/cpu.h"
#include "../task/task_table.h"
#include "entry.h"

/* A system sleep, seen by the last CPU that is online: nobody else looks. */
static bool sleeping;
static u64 sleeping_since;

#ifdef CONFIG_CPU_PM
static int cpu_power(struct notifier_block *nb, unsigned long event, void *unused)
{
	switch (event) {
	case CPU_PM_ENTER:
		pmudev_cpu_power_down();
		break;
	case CPU_PM_ENTER_FAILED:
	case CPU_PM_EXIT:
		/* A system sleep is over a moment later. */
		if (!sleeping)
			pmudev_cpu_power_up();
		break;
	}
	return NOTIFY_OK;
}

/* After perf's driver in both directions: it resets the PMU when the CPU comes back. */
static struct notifier_block cpu_power_nb = {
	.notifier_call = cpu_power,
	.priority = -1,
};

static int watch_idle(void)
{
	return cpu_pm_register_notifier(&cpu_power_nb);
}

static void unwatch_idle(void)
{
	cpu_pm_unregister_notifier(&cpu_power_nb);
}
#else
/* The CPUs keep their PMUs' state in idle. */
static int watch_idle(void)
{
	return 0;
}

static void unwatch_idle(void)
{
}
#endif

/*
 * A system sleep is no time for who is loaded on the last CPU: the clock may have stood still
 * meanwhile, or have begun anew.
 */
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

/*
 * All other CPUs are offline, irqs off: what is loaded is the thread's here, and the CPU's. A Xen
 * guest that is saved has its others online: theirs count that as time.
 */
static int sleep_begins(PMUDEV_SYSCORE_ARG)
{
	pmudev_cpu_power_down();
	sleeping_since = pmudev_clock();
	sleeping = true;
	return 0;
}

static void sleep_ends(PMUDEV_SYSCORE_ARG)
{
	sleeping = false;
	skip_sleep(&this_cpu_ptr(&pmudev_cpus)->ctx);
	pmudev_for_each_ctx(current, skip_sleep);
	pmudev_cpu_power_up();
}

PMUDEV_SYSCORE(sleep, sleep_begins, sleep_ends);

int pmudev_power_init(void)
{
	int ret = watch_idle();

	if (!ret)
		pmudev_register_syscore(&sleep);
	return ret;
}

void pmudev_power_exit(void)
{
	pmudev_unregister_syscore(&sleep);
	unwatch_idle();
}
