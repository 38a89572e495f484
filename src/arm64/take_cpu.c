// SPDX-License-Identifier: GPL-2.0
/* Begin and end to use a CPU's PMU. */
#include <linux/smp.h>

#include "pmuv3.h"
#include "regs.h"

static void begin_here(void *info)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 user = read_pmuserenr(), kvm = user & PMUSERENR_EN;
	int *error = info;

	if (pmuv3_kind_here() != cpuc->info->index) {
		*error = -EOPNOTSUPP;
		return;
	}
	/* Stopped counters may hold anything. */
	pmuv3_forget_shadow(cpuc, cpuc->info->counters);
	cpuc->perf_left = cpuc->info->counters;
	cpuc->active = 0;
	cpuc->idle = 0;
	cpuc->interrupts = 0;
	cpuc->masked = false;
	cpuc->shown = 0;
	cpuc->hides = pmuv3_hides(&pmuv3_kinds[cpuc->info->index].caps);
	/* KVM may have the register, and put back what was ours: that is still to be withdrawn. */
	cpuc->user = cpuc->user && kvm;
	cpuc->perf_shown = cpuc->hides && user && !kvm ? read_pmuacr() : 0;
	cpuc->owned = true;
	pmuv3_start_here(cpuc);
}

static void end_here(void *unused)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 rest, ours = READ_ONCE(cpuc->ours);

	/* This is an interrupt of the host: the guest was left. */
	pmuv3_guest_leave();
	write_pmcntenclr(pmuv3_enable_bits(ours));
	/* Stop counters before overflows are cleared: perf would get an interrupt for each. */
	isb();
	write_pmintenclr(pmuv3_enable_bits(cpuc->interrupts));
	cpuc->interrupts = 0;
	write_pmovsclr(pmuv3_enable_bits(ours));
	for (rest = ours; rest; rest &= rest - 1)
		pmuv3_write_counter(__ffs64(rest), 0);
	pmudev_backend_user_access_disable();
	cpuc->owned = false;
	cpuc->active = 0;
	cpuc->idle = 0;
	cpuc->hides = false;
}

int pmuv3_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why)
{
	int ret = pmuv3_drives(&pmuv3_kinds[info->index], cpu) ? 0 : -EOPNOTSUPP;

	cpumask_set_cpu(cpu, &pmuv3_kinds[info->index].cpus);
	if (!ret)
		smp_call_function_single(cpu, begin_here, &ret, true);
	if (ret)
		return pmudev_refuse(why, ret, PMUDEV_WHY_PERF_REFUSED, 0);
	ret = pmuv3_reserve_again(info, why);
	if (ret)
		smp_call_function_single(cpu, end_here, NULL, true);
	return ret;
}

void pmuv3_cpu_down(struct pmudev_pmu_info *info, int cpu)
{
	smp_call_function_single(cpu, end_here, NULL, true);
}
