// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/perf_state: what perf's PMUv3 driver has on each CPU, a line each: its functions, the
 * counters in use, and the registers that say what runs and who may read. To compare before and
 * after.
 */
#include <linux/module.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/smp.h>

#include <asm/sysreg.h>

struct registers {
	u64 pmcr, enabled, interrupts, overflows, user;
};

static void read_here(void *info)
{
	struct registers *r = info;

	r->pmcr = read_sysreg(pmcr_el0);
	r->enabled = read_sysreg(pmcntenset_el0);
	r->interrupts = read_sysreg(pmintenset_el1);
	r->overflows = read_sysreg(pmovsclr_el0);
	r->user = read_sysreg(pmuserenr_el0);
}

static struct arm_pmu *find(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.disabled = 1,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	struct arm_pmu *pmu;

	if (IS_ERR(event))
		return NULL;
	pmu = to_arm_pmu(event->pmu);
	perf_event_release_kernel(event);
	return pmu;
}

static int show(struct seq_file *seq, void *unused)
{
	struct arm_pmu *pmu;
	struct registers r;
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		pmu = find(cpu);
		if (!pmu)
			continue;
		smp_call_function_single(cpu, read_here, &r, true);
		seq_printf(seq, "cpu %d start %ps stop %ps reset %ps irq %ps index %ps used %*pb ",
			   cpu, pmu->start, pmu->stop, pmu->reset, pmu->handle_irq,
			   pmu->get_event_idx, ARMPMU_MAX_HWEVENTS,
			   per_cpu_ptr(pmu->hw_events, cpu)->used_mask);
		seq_printf(seq, "pmcr %llx enabled %llx interrupts %llx overflows %llx user %llx\n",
			   r.pmcr, r.enabled, r.interrupts, r.overflows, r.user);
	}
	cpus_read_unlock();
	return 0;
}

static int __init state_init(void)
{
	return proc_create_single("perf_state", 0400, NULL, show) ? 0 : -ENOMEM;
}

static void __exit state_exit(void)
{
	remove_proc_entry("perf_state", NULL);
}

module_init(state_init);
module_exit(state_exit);

MODULE_DESCRIPTION("The state of perf's driver, for tests of pmudev");
MODULE_LICENSE("GPL");
