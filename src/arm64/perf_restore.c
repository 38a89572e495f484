// SPDX-License-Identifier: GPL-2.0
/*
 * perf does not know of us. Whenever it tries to schedule, its driver starts the PMU anew, which
 * withdraws user access or, where it grants user access itself, zeroes the counters that are not
 * perf's; and sysctl kernel.perf_user_access withdraws it on all CPUs. Both functions are
 * bracketed: ours are stopped and saved before, put back after. What the CPU does between is
 * not counted; it is in the kernel with irqs off.
 */
#include <linux/kprobes.h>
#include <linux/perf_event.h>

#include "pmuv3.h"
#include "regs.h"

static int before(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 mine = cpuc->active | cpuc->idle, rest;

	/* Called with irqs off. Nothing of ours here: no need to come back. */
	if (!cpuc->owned || cpuc->restoring)
		return 1;
	cpuc->restoring = true;
	cpuc->userenr = read_pmuserenr();
	write_pmcntenclr(pmuv3_enable_bits(cpuc->active));
	isb();
	for (rest = mine; rest; rest &= rest - 1)
		cpuc->saved[__ffs64(rest)] = pmuv3_read_counter(__ffs64(rest));
	return 0;
}

NOKPROBE_SYMBOL(before);

/*
 * An older pinned event of perf's that was not on when we came may push ours out. Then perf writes
 * to what counters it likes: nothing is known of them.
 */
static bool placeholder_active(const struct pmuv3_cpu *cpuc)
{
	return cpuc->placeholder && READ_ONCE(cpuc->placeholder->state) == PERF_EVENT_STATE_ACTIVE;
}

static int after(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 mine = cpuc->active | cpuc->idle, rest;

	for (rest = mine; rest; rest &= rest - 1)
		pmuv3_write_counter(__ffs64(rest), cpuc->saved[__ffs64(rest)]);
	/* Those that are not loaded may have been zeroed, too. */
	pmuv3_forget_shadow(cpuc,
			    cpuc->info->counters & (placeholder_active(cpuc) ? ~mine : ~0ULL));
	/* Not what perf granted to a task of its own, whose events do not run. */
	if (cpuc->hides)
		write_pmuacr(cpuc->shown);
	write_pmuserenr(cpuc->userenr);
	write_pmselr(0);
	isb();
	write_pmcntenset(pmuv3_enable_bits(cpuc->active));
	cpuc->restoring = false;
	/* With a vcpu loaded, perf has changed what KVM will put back, too. */
	if (cpuc->userenr & PMUSERENR_EN)
		pmudev_user_access_lost();
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

static bool watched[ARRAY_SIZE(probes)];

int pmuv3_restore_init(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		ret = register_kretprobe(&probes[i]);
		/* Without sysctls nothing withdraws the right everywhere: no such function. */
		if (ret == -ENOENT && i && !IS_ENABLED(CONFIG_SYSCTL))
			continue;
		if (ret)
			goto undo;
		watched[i] = true;
	}
	return 0;

undo:
	if (ret != -ENOMEM)
		pr_err("pmudev: cannot watch %s (error %d): this needs kprobes and perf's PMUv3 driver\n",
		       probes[i].kp.symbol_name, ret);
	pmuv3_restore_exit();
	return ret == -ENOMEM ? ret : -ENODEV;
}

void pmuv3_restore_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (watched[i])
			unregister_kretprobe(&probes[i]);
}
