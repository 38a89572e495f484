// SPDX-License-Identifier: GPL-2.0
/*
 * Reservation against perf: reserve_evntsel_nmi(), which perf calls for its first hardware event.
 * It covers all CPUs. The NMI watchdog is such an event.
 *
 * perf's driver writes IA32_PERF_GLOBAL_CTRL in two cases even without hardware events:
 *   - It stops and starts the PMU when it switches a task with a software event that was opened in
 *     a hardware event's group. On owned CPUs, pmu_disable_count is therefore raised: perf believes
 *     that it stopped the PMU already.
 *   - Its NMI handler, which Intel PT may call, stops the PMU and starts it again only if it was
 *     enabled. Our NMI handler (nmi.c) runs later and starts our counters.
 */
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include <asm/nmi.h>

#include "../compat.h"
#include "intel.h"
#include "regs.h"

/* Protects users and the reservation. Taken by cpu_up, cpu_down and held. */
static DEFINE_MUTEX(users_mutex);
static unsigned int users; /* owned CPUs of all kinds */

/* Programmable counters of all kinds: their event selects have the same numbers. */
static u64 programmable(void)
{
	unsigned int i;
	u64 counters = 0;

	for (i = 0; i < intel_nr_kinds; i++)
		counters |= intel_kinds[i].caps.counters;
	return counters & INTEL_PROGRAMMABLE;
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

/* Create an event of perf, which is never enabled. */
static struct perf_event *try_perf(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

/*
 * Newer kernels drive some PMUs of version 6 by registers that no reservation covers. Ask perf for
 * an event while the event selects are reserved: it must refuse.
 */
static int check_reservation(void)
{
	struct perf_event *event;

	if (reserve()) {
		if (intel_kinds[0].caps.version < 6)
			return 0;
		pr_err("pmudev: the PMU is in use: stop perf, set kernel.nmi_watchdog=0, and load pmudev again\n");
		return -EBUSY;
	}
	event = try_perf(intel_kinds[0].cpu);
	release(programmable());
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOMEM ? -ENOMEM : 0;
	perf_event_release_kernel(event);
	pr_err("pmudev: perf drives this PMU by registers that cannot be reserved\n");
	return -ENODEV;
}

/*
 * After a system sleep, firmware has changed the last CPU's registers. The core registers its
 * callback later and so loads counters after this.
 */
static void resume(PMUDEV_SYSCORE_ARG)
{
	if (this_cpu_read(intel_cpus.owned))
		intel_silence(true);
}

PMUDEV_SYSCORE(sleep, NULL, resume);

/* Find perf's PMU of a kind of CPUs. */
static int find_perf(struct intel_kind *kind)
{
	struct perf_event *event = try_perf(kind->cpu);
	long ret = PTR_ERR_OR_ZERO(event);

	kind->perf = NULL;
	if (!ret) {
		kind->perf = event->pmu;
		perf_event_release_kernel(event);
	} else if (ret != -ENOENT && ret != -ENOMEM) {
		/* The PMU exists, but another module reserved it, or KVM uses it for guests. */
		pr_err("pmudev: perf cannot use the PMU (error %ld): another module or KVM has it\n",
		       ret);
	}
	return ret == -ENOENT ? 0 : ret;
}

int intel_reserve_init(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < intel_nr_kinds && !ret; i++)
		ret = find_perf(&intel_kinds[i]);
	if (!ret && intel_kinds[0].perf)
		ret = check_reservation();
	/* Before the core's, so not later than now. */
	if (!ret)
		pmudev_register_syscore(&sleep);
	return ret;
}

void intel_reserve_exit(void)
{
	pmudev_unregister_syscore(&sleep);
	intel_unhook_nmi();
}

/* Result of take_over() */
struct takeover {
	u64 foreign;	/* foreign counters found on the CPU */
	int error;	/* 0 or a negative errno */
};

static void take_over(void *info)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);
	struct pmu *perf = cpuc->kind->perf;
	struct takeover *take = info;

	if (intel_kind_here() != cpuc->kind) {
		take->error = -EOPNOTSUPP;
		return;
	}
	cpuc->found = read_global_ctrl();
	if (perf && !(*pmudev_perf_disables(perf))++)
		perf->pmu_disable(perf);
	write_global_ctrl(0);
	intel_empty_dirty();
	cpuc->foreign = intel_find_foreign(cpuc->kind->caps.counters & INTEL_PROGRAMMABLE);
	take->foreign = cpuc->foreign;
	intel_silence(true);
	WRITE_ONCE(cpuc->late_until, 0);
	WRITE_ONCE(cpuc->owned, true);
}

static void give_back(void *unused)
{
	struct intel_cpu *cpuc = this_cpu_ptr(&intel_cpus);
	struct pmu *perf = cpuc->kind->perf;

	intel_silence(false);
	/* An NMI may have masked it that nobody will answer any more, or may be on its way. */
	intel_interrupts(true);
	intel_expect_late_nmi(cpuc);
	WRITE_ONCE(cpuc->owned, false);
	write_global_ctrl(cpuc->found);
	if (perf && !--*pmudev_perf_disables(perf))
		perf->pmu_enable(perf);
}

static int refuse_busy(struct pmudev_refusal *why, u32 kind, int cpu)
{
	why->holder.kind = kind;
	why->holder.cpu = cpu;
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_PMU_HELD, 0);
}

static int get_reservation(void)
{
	int ret = 0;

	mutex_lock(&users_mutex);
	if (!users) {
		ret = reserve();
		if (!ret) {
			/* Until unload: removing it waits for RCU. */
			intel_hook_nmi();
			intel_user_reserved(true);
		}
	}
	users += !ret;
	mutex_unlock(&users_mutex);
	return ret;
}

static void put_reservation(void)
{
	mutex_lock(&users_mutex);
	if (!--users) {
		intel_user_reserved(false);
		release(programmable());
	}
	mutex_unlock(&users_mutex);
}

/* Foreign counters can be withheld only while no CPU of the kind is owned: no set has one yet. */
static void add_found(struct intel_kind *kind, u64 foreign)
{
	kind->found |= foreign;
	if (kind->users)
		return;
	WRITE_ONCE(kind->info->foreign, kind->info->foreign | kind->found);
	WRITE_ONCE(kind->info->unavailable, kind->info->unavailable | kind->found);
}

int intel_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why)
{
	struct intel_kind *kind = &intel_kinds[info->index];
	struct takeover take = {};

	if (get_reservation())
		return refuse_busy(why, PMUDEV_HOLDER_PERF, -1);
	add_found(kind, 0);
	smp_call_function_single(cpu, take_over, &take, true);
	if (take.error) {
		put_reservation();
		return pmudev_refuse(why, take.error, PMUDEV_WHY_PERF_REFUSED, 0);
	}
	add_found(kind, take.foreign);
	/* Sets on other CPUs may have these counters: leave this CPU alone until all are back. */
	if (take.foreign & ~info->unavailable) {
		smp_call_function_single(cpu, give_back, NULL, true);
		put_reservation();
		return refuse_busy(why, PMUDEV_HOLDER_HYPERVISOR, cpu);
	}
	kind->users++;
	return 0;
}

int intel_held(struct pmudev_pmu_info *info, struct pmudev_refusal *why)
{
	unsigned int msr = INTEL_MSR_EVTSEL + __ffs64(programmable());
	unsigned long flags;
	bool free;

	mutex_lock(&users_mutex);
	/* perf reserves all or none, so try one. Interrupts are disabled to hold it briefly. */
	local_irq_save(flags);
	free = users || reserve_evntsel_nmi(msr);
	if (free && !users)
		release_evntsel_nmi(msr);
	local_irq_restore(flags);
	mutex_unlock(&users_mutex);
	return free ? 0 : refuse_busy(why, PMUDEV_HOLDER_PERF, -1);
}

void intel_cpu_down(struct pmudev_pmu_info *info, int cpu)
{
	smp_call_function_single(cpu, give_back, NULL, true);
	intel_kinds[info->index].users--;
	put_reservation();
}

/* A question to a kernel thread */
struct question {
	struct work_struct work; /* runs ask_watchdog() */
	bool enabled;		 /* the caller's /proc says that the NMI watchdog is */
	bool watchdog;		 /* the answer: it may have the PMU */
};

/* Is the NMI watchdog enabled? No function tells modules; this file does. */
static bool watchdog_enabled(void)
{
	struct file *file = filp_open("/proc/sys/kernel/nmi_watchdog", O_RDONLY, 0);
	char answer = '0';
	loff_t pos = 0;

	if (IS_ERR(file))
		return false;
	if (kernel_read(file, &answer, 1, &pos) != 1)
		answer = '0';
	fput(file);
	return answer != '0';
}

/* Counters of the programmable and fixed ones in use that count user and kernel mode. Irqs off. */
static u64 both_modes(u64 counters)
{
	const u64 select = INTEL_EVTSEL_EN | INTEL_EVTSEL_OS | INTEL_EVTSEL_USR;
	u64 rest, fixed = read_fixed_ctr_ctrl(), both = 0;

	for (rest = counters & INTEL_PROGRAMMABLE; rest; rest &= rest - 1)
		if ((read_evtsel(__ffs64(rest)) & select) == select)
			both |= rest & -rest;
	for (rest = counters >> PMUDEV_FIXED_BASE; rest; rest &= rest - 1)
		if ((fixed >> (4 * __ffs64(rest)) & 3) == 3)
			both |= (rest & -rest) << PMUDEV_FIXED_BASE;
	return both;
}

/*
 * Is there an event of perf like the watchdog's? It has one on each CPU where work is queued, for
 * user and kernel mode. While this thread runs, events of users' threads are on no counter here. If
 * the watchdog was enabled when pmudev had the PMU, it has no event, although its file says 1.
 */
static bool counts_like_watchdog(void)
{
	struct intel_kind *kind;
	unsigned long flags;
	u64 both = 0;

	local_irq_save(flags);
	kind = intel_kind_here();
	if (kind && !this_cpu_read(intel_cpus.owned))
		both = both_modes(read_global_ctrl() & kind->caps.counters);
	local_irq_restore(flags);
	return both;
}

static void ask_watchdog(struct work_struct *work)
{
	struct question *question = container_of(work, struct question, work);

	question->watchdog = (question->enabled || watchdog_enabled()) && counts_like_watchdog();
}

void intel_explain(struct pmudev_refusal *why)
{
	struct question question = {};

	/* Other hard lockup detectors, as the "buddy", use no counter. */
	if (why->holder.kind != PMUDEV_HOLDER_PERF || !IS_ENABLED(CONFIG_HARDLOCKUP_DETECTOR_PERF))
		return;
	/* The caller may see another /proc, or none; kernel threads see none since 7.0. */
	question.enabled = watchdog_enabled();
	INIT_WORK_ONSTACK(&question.work, ask_watchdog);
	schedule_work(&question.work);
	flush_work(&question.work);
	destroy_work_on_stack(&question.work);
	if (question.watchdog)
		why->holder.kind = PMUDEV_HOLDER_WATCHDOG;
}
