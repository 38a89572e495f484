// SPDX-License-Identifier: GPL-2.0
/*
 * Keeping perf away from the counters: by reserving the event selects, which perf does with its
 * first hardware event and the NMI watchdog by being one. The reservation is of all CPUs.
 *
 * perf's driver still stops and starts a PMU without hardware events at the switches of some
 * tasks (those with a software event that was opened in a hardware event's group), writing
 * IA32_PERF_GLOBAL_CTRL. So on our CPUs the PMU is disabled in perf's own books: it waits to be
 * enabled again. And its NMI handler, where somebody (Intel PT) has it run, stops the PMU and
 * starts it only if it was enabled: ours, which runs after it, starts what is ours.
 */
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include <asm/nmi.h>

#include "../core/compat.h"
#include "intel.h"
#include "regs.h"

/* perf's, NULL if it has none. */
static struct pmu *perf;

/* ------------------------------------------------------ the reservation -- */

/* CPUs that hold it; serialized by the callers of cpu_up and cpu_down. */
static unsigned int users;

/* Counters that firmware or a hypervisor was ever found to use, on any CPU; likewise. */
static u64 found;

static u64 programmable(void)
{
	return intel_caps.counters & INTEL_PROGRAMMABLE;
}

static void release(u64 counters)
{
	for (; counters; counters &= counters - 1)
		release_evntsel_nmi(INTEL_MSR_EVTSEL + __ffs64(counters));
}

static int reserve(void)
{
	u64 rest;

	for (rest = programmable(); rest; rest &= rest - 1) {
		unsigned int n = __ffs64(rest);

		if (reserve_evntsel_nmi(INTEL_MSR_EVTSEL + n))
			continue;
		release(programmable() & (BIT_ULL(n) - 1));
		return -EBUSY;
	}
	return 0;
}

/* An event that only shows whether perf would take one. */
static struct perf_event *try_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpumask_first(cpu_online_mask), NULL, NULL,
						NULL);
}

/*
 * Newer kernels drive some PMUs of version 6 by registers that no reservation covers: asked is
 * not the version, but perf.
 */
static int check_reservation(void)
{
	struct perf_event *event;

	if (reserve()) {
		if (intel_caps.version < 6)
			return 0;
		pr_err("pmudev: the PMU is in use (perf, or the NMI watchdog): load pmudev before\n");
		return -EBUSY;
	}
	event = try_perf();
	release(programmable());
	if (IS_ERR(event))
		return 0;
	perf_event_release_kernel(event);
	pr_err("pmudev: perf uses this PMU by registers that cannot be reserved\n");
	return -ENODEV;
}

/* On the CPU, in an NMI. Between the lines of load and save it does no more than they do. */
static int go_on(unsigned int type, struct pt_regs *regs)
{
	struct intel_cpu *pc = this_cpu_ptr(&intel_cpus);

	if (pc->ours)
		write_global_ctrl(pc->on);
	return NMI_DONE;
}

static const char nmi_name[] = "pmudev";

/*
 * After a system sleep the last CPU's registers are what firmware left. Before the core, which
 * registers later, loads them again.
 */
static void woken(PMUDEV_SYSCORE_ARG)
{
	if (this_cpu_read(intel_cpus.ours))
		intel_silence();
}

PMUDEV_SYSCORE(sleep, NULL, woken);

int intel_claim_init(struct pmu **pmu)
{
	struct perf_event *event = try_perf();
	int ret = 0;

	perf = NULL;
	if (!IS_ERR(event)) {
		perf = event->pmu;
		perf_event_release_kernel(event);
		ret = check_reservation();
	} else if (PTR_ERR(event) != -ENOENT) {
		/* Not "no such PMU": another module has reserved it, or KVM has it for guests. */
		ret = PTR_ERR(event);
		pr_err("pmudev: perf cannot use the PMU now (error %d): another does\n", ret);
	}
	if (!ret)
		ret = register_nmi_handler(NMI_LOCAL, go_on, 0, nmi_name);
	if (!ret)
		pmudev_register_syscore(&sleep);
	*pmu = perf;
	return ret;
}

void intel_claim_exit(void)
{
	pmudev_unregister_syscore(&sleep);
	unregister_nmi_handler(NMI_LOCAL, nmi_name);
}

/* ----------------------------------------------------- taking, returning -- */

struct takeover {
	u64 foreign;
	int error;
};

static void take_over(void *info)
{
	struct intel_cpu *pc = this_cpu_ptr(&intel_cpus);
	struct takeover *take = info;
	struct intel_caps caps;

	if (intel_probe_here(&caps) || memcmp(&caps, &intel_caps, sizeof(caps))) {
		take->error = -EOPNOTSUPP;
		return;
	}
	pc->found = read_global_ctrl();
	if (perf && !(*pmudev_perf_disables(perf))++)
		perf->pmu_disable(perf);
	write_global_ctrl(0);
	pc->foreign = intel_find_foreign(programmable());
	take->foreign = pc->foreign;
	intel_silence();
	pc->ours = true;
}

static void give_back(void *unused)
{
	struct intel_cpu *pc = this_cpu_ptr(&intel_cpus);

	intel_silence();
	pc->ours = false;
	write_global_ctrl(pc->found);
	if (perf && !--*pmudev_perf_disables(perf))
		perf->pmu_enable(perf);
}

static int refuse_busy(struct pmudev_refusal *why, u32 kind, int cpu)
{
	why->holder.kind = kind;
	why->holder.cpu = cpu;
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_PMU_HELD, 0);
}

int intel_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why)
{
	struct takeover take = {};

	if (!users && reserve())
		return refuse_busy(why, PMUDEV_HOLDER_PERF, -1);
	/* While no CPU is ours no set has anything yet. */
	if (!users) {
		info->foreign |= found;
		info->reserved |= found;
	}
	smp_call_function_single(cpu, take_over, &take, true);
	if (take.error) {
		if (!users)
			release(programmable());
		return pmudev_refuse(why, take.error, PMUDEV_WHY_PERF_REFUSED, 0);
	}
	found |= take.foreign;
	if (!users) {
		info->foreign |= found;
		info->reserved |= found;
	}
	/* What sets may have is not taken from them: the CPU is left alone until all are gone. */
	if (take.foreign & ~info->reserved) {
		smp_call_function_single(cpu, give_back, NULL, true);
		return refuse_busy(why, PMUDEV_HOLDER_HYPERVISOR, cpu);
	}
	users++;
	return 0;
}

int intel_held(struct pmudev_pmu_info *info, struct pmudev_refusal *why)
{
	unsigned int msr = INTEL_MSR_EVTSEL + __ffs64(programmable());
	unsigned long flags;
	bool free;

	/* perf has all or none. One is looked at so shortly that hardly anybody finds it taken. */
	local_irq_save(flags);
	free = reserve_evntsel_nmi(msr);
	if (free)
		release_evntsel_nmi(msr);
	local_irq_restore(flags);
	return free ? 0 : refuse_busy(why, PMUDEV_HOLDER_PERF, -1);
}

void intel_cpu_down(struct pmudev_pmu_info *info, int cpu)
{
	smp_call_function_single(cpu, give_back, NULL, true);
	if (!--users)
		release(programmable());
}

/* ------------------------------------------------------ who else it was -- */

struct question {
	struct work_struct work;
	bool watchdog;
};

/* The kernel tells modules nothing of the NMI watchdog, but everybody by this file. */
static void ask_watchdog(struct work_struct *work)
{
	struct question *question = container_of(work, struct question, work);
	struct file *file = filp_open("/proc/sys/kernel/nmi_watchdog", O_RDONLY, 0);
	char answer = '0';
	loff_t pos = 0;

	if (IS_ERR(file))
		return;
	if (kernel_read(file, &answer, 1, &pos) == 1)
		question->watchdog = answer != '0';
	fput(file);
}

void intel_explain(struct pmudev_refusal *why)
{
	struct question question = {};

	if (why->holder.kind != PMUDEV_HOLDER_PERF)
		return;
	/* By a kernel thread: the caller may see another /proc, or none. */
	INIT_WORK_ONSTACK(&question.work, ask_watchdog);
	schedule_work(&question.work);
	flush_work(&question.work);
	destroy_work_on_stack(&question.work);
	if (question.watchdog)
		why->holder.kind = PMUDEV_HOLDER_WATCHDOG;
}
