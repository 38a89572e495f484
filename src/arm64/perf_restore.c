// SPDX-License-Identifier: GPL-2.0
/*
 * Restore what perf's driver changes on owned CPUs.
 *
 * Whenever perf schedules, its driver restarts the PMU (armv8pmu_start). That disables user access
 * or, if perf enables user access itself, clears all counters that are not perf's. The sysctl
 * kernel.perf_user_access disables user access on all CPUs (armv8pmu_disable_user_access_ipi).
 *
 * A kretprobe on each function saves and stops our counters before it and restores them after it.
 * What the CPU executes in between, in the kernel with interrupts disabled, is not counted.
 */
#include <linux/kprobes.h>
#include <linux/perf_event.h>

#include "../hooks.h"
#include "pmuv3.h"
#include "regs.h"

/* Interrupts are disabled in both. */
static int before(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 rest;

	/* 1: do not call after(). */
	if (!cpuc->owned || cpuc->restoring)
		return 1;
	cpuc->restoring = true;
	cpuc->userenr = read_pmuserenr();
	write_pmcntenclr(pmuv3_enable_bits(cpuc->active));
	isb();
	for (rest = cpuc->active | cpuc->idle; rest; rest &= rest - 1)
		cpuc->saved[__ffs64(rest)] = pmuv3_read_counter(__ffs64(rest));
	return 0;
}

NOKPROBE_SYMBOL(before);

/*
 * A pinned event of perf that is older than the placeholder, but was inactive at the reservation,
 * may push the placeholder out. perf may then write any counter.
 */
static bool placeholder_active(const struct pmuv3_cpu *cpuc)
{
	return cpuc->placeholder && READ_ONCE(cpuc->placeholder->state) == PERF_EVENT_STATE_ACTIVE;
}

static int after(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 loaded = cpuc->active | cpuc->idle, rest;

	for (rest = loaded; rest; rest &= rest - 1)
		pmuv3_write_counter(__ffs64(rest), cpuc->saved[__ffs64(rest)]);
	/* perf may have cleared counters that are not loaded, too. */
	pmuv3_forget_shadow(cpuc,
			    cpuc->info->counters & (placeholder_active(cpuc) ? ~loaded : ~0ULL));
	/* Undo user access that perf enabled for its own task: the task's events do not run. */
	if (cpuc->hides)
		write_pmuacr(cpuc->shown);
	write_pmuserenr(cpuc->userenr);
	write_pmselr(0);
	isb();
	write_pmcntenset(pmuv3_enable_bits(cpuc->active));
	cpuc->restoring = false;
	/* With a vcpu loaded, perf also changed the value that KVM restores. */
	if (cpuc->userenr & PMUSERENR_EN)
		pmuv3_upcalls->user_access_lost();
	atomic64_inc(&cpuc->info->perf_restores);
	return 0;
}

NOKPROBE_SYMBOL(after);

static struct kretprobe probes[] = {
	{
		.kp.symbol_name = "armv8pmu_start",
		.entry_handler = before,
		.handler = after,
	},
	{
		.kp.symbol_name = "armv8pmu_disable_user_access_ipi",
		.entry_handler = before,
		.handler = after,
	},
};

static struct pmudev_hook hooks[ARRAY_SIZE(probes)];

int pmuv3_reserve_init(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		ret = register_kretprobe(&probes[i]);
		/* Without CONFIG_SYSCTL, the second function does not exist. */
		if (ret == -ENOENT && i && !IS_ENABLED(CONFIG_SYSCTL))
			continue;
		if (ret)
			goto undo;
		hooks[i].name = probes[i].kp.symbol_name;
		pmudev_hook_note(&hooks[i], true);
	}
	return 0;

undo:
	if (ret != -ENOMEM)
		pr_err("pmudev: cannot probe %s (error %d): this needs kprobes and perf's PMUv3 driver\n",
		       probes[i].kp.symbol_name, ret);
	pmuv3_reserve_exit();
	return ret == -ENOMEM ? ret : -ENODEV;
}

void pmuv3_reserve_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!hooks[i].installed)
			continue;
		unregister_kretprobe(&probes[i]);
		pmudev_hook_note(&hooks[i], false);
	}
}
