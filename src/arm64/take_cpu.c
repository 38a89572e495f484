// SPDX-License-Identifier: GPL-2.0
/* What having a CPU's counters means, once nobody else uses them: see claim.c, claim_alone.c. */
#include <linux/cpu_pm.h>
#include <linux/smp.h>

#include "pmuv3.h"
#include "regs.h"

struct takeover {
	u64 counters;
	int error;
};

static void take_over(void *info)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	struct takeover *take = info;
	u64 rest;

	if (pmuv3_kind_here() != cpuc->info->index) {
		take->error = -EOPNOTSUPP;
		return;
	}
	if (!pmuv3_started()) {
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

	/* In the midst of a guest no more: this is an interrupt. */
	pmuv3_guest_leave();
	write_pmcntenclr(pmuv3_enable_bits(*counters));
	/* Wraps of ours would be interrupts of perf's, once it enables them. */
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

/* On the CPU, irqs off: it may have been without power, and perf's driver resets the PMU then. */
static int power_changed(struct notifier_block *nb, unsigned long event, void *unused)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);

	if (!cpuc->info || (event != CPU_PM_EXIT && event != CPU_PM_ENTER_FAILED))
		return NOTIFY_OK;
	/* Refused before the core was asked: all goes on. */
	if (event == CPU_PM_ENTER_FAILED && (cpuc->active | cpuc->idle || cpuc->user))
		return NOTIFY_OK;
	pmuv3_forget_shadow(cpuc, cpuc->info->counters);
	/* Where that is ours to do. */
	if (cpuc->owned)
		pmuv3_started();
	/* The core has withdrawn user access before. */
	pmuv3_hide(cpuc);
	return NOTIFY_OK;
}

/* Before the core, whose priority is lower, loads the counters again. */
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
