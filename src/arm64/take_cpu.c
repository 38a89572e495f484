// SPDX-License-Identifier: GPL-2.0
/* Take over a CPU's registers after reserve.c or reserve_alone.c reserved them; give them back. */
#include <linux/cpu_pm.h>
#include <linux/smp.h>

#include "pmuv3.h"
#include "regs.h"

struct takeover {
	u64 counters;	/* to stop and clear */
	int error;	/* result: 0 or a negative errno */
};

/*
 * PMCR_EL0.E is set. perf sets it when it schedules the placeholder; without perf's driver, this
 * function sets it. On the CPU, irqs disabled.
 */
static bool started(void)
{
	if (IS_ENABLED(CONFIG_ARM64) || IS_ENABLED(CONFIG_ARM_PMUV3))
		return read_pmcr() & PMCR_E;
	/* After a loss of power, their values are unknown, and no driver resets them. */
	write_pmcntenclr(U32_MAX);
	write_pmintenclr(U32_MAX);
	isb();
	write_pmovsclr(U32_MAX);
	write_pmcr(PMCR_E | PMCR_LC);
	return true;
}

static void take_over(void *info)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	struct takeover *take = info;
	u64 rest;

	if (pmuv3_kind_here() != cpuc->info->index) {
		take->error = -EOPNOTSUPP;
		return;
	}
	if (!started()) {
		take->error = -EBUSY;
		return;
	}
	write_pmcntenclr(pmuv3_enable_bits(take->counters));
	write_pmintenclr(pmuv3_enable_bits(take->counters));
	isb();
	write_pmovsclr(pmuv3_enable_bits(take->counters));
	for (rest = take->counters; rest; rest &= rest - 1)
		pmuv3_write_counter(__ffs64(rest), 0);
	pmuv3_forget_shadow(cpuc, take->counters);
	cpuc->owned = true;
	cpuc->active = 0;
	cpuc->idle = 0;
	cpuc->hides = pmuv3_hides(&pmuv3_kinds[cpuc->info->index].caps);
	pmudev_backend_user_access_disable();
}

int pmuv3_take_cpu(int cpu, u64 counters)
{
	struct takeover take = { .counters = counters };

	smp_call_function_single(cpu, take_over, &take, true);
	return take.error;
}

static void give_back(void *info)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 *counters = info;

	/* This is an interrupt of the host: the guest was left. */
	pmuv3_guest_leave();
	write_pmcntenclr(pmuv3_enable_bits(*counters));
	/* Stop counters before overflows are cleared: perf would get an interrupt for each. */
	isb();
	write_pmovsclr(pmuv3_enable_bits(*counters));
	pmudev_backend_user_access_disable();
	cpuc->owned = false;
	cpuc->active = 0;
	cpuc->idle = 0;
	cpuc->hides = false;
}

void pmuv3_return_cpu(int cpu, u64 counters)
{
	smp_call_function_single(cpu, give_back, &counters, true);
}

/* The CPU may have lost power, and perf's driver then resets the PMU. On the CPU, irqs disabled. */
static int power_changed(struct notifier_block *nb, unsigned long event, void *unused)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);

	if (!cpuc->info || (event != CPU_PM_EXIT && event != CPU_PM_ENTER_FAILED))
		return NOTIFY_OK;
	/* The power change failed before the core's notifier was called: counters still run. */
	if (event == CPU_PM_ENTER_FAILED && (cpuc->active | cpuc->idle || cpuc->user))
		return NOTIFY_OK;
	pmuv3_forget_shadow(cpuc, cpuc->info->counters);
	/* Without perf's driver, start the PMU again. */
	if (cpuc->owned)
		started();
	/* The core disabled user access before. */
	pmuv3_hide(cpuc);
	return NOTIFY_OK;
}

/* The core's notifier, which loads the counters again, has a lower priority and runs later. */
static struct notifier_block power_nb = {
	.notifier_call = power_changed,
};

int pmuv3_power_init(void)
{
	return cpu_pm_register_notifier(&power_nb);
}

void pmuv3_power_exit(void)
{
	cpu_pm_unregister_notifier(&power_nb);
}
