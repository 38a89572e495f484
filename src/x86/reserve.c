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
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include <asm/nmi.h>

#include "nmi.h"

/* Older kernels' KVM cannot give perf's PMUs to guests. */
#ifndef PERF_PMU_CAP_MEDIATED_VPMU
#define PERF_PMU_CAP_MEDIATED_VPMU 0
#endif

/* Protects users and the reservation. Taken by cpu_up, cpu_down and held. */
static DEFINE_MUTEX(users_mutex);
static unsigned int users; /* owned CPUs of all kinds */

/* Programmable counters of all kinds: their event selects have the same numbers. */
static u64 programmable(void)
{
	unsigned int i;
	u64 counters = 0;

	for (i = 0; i < x86_nr_kinds; i++)
		counters |= x86_kinds[i].counters;
	return counters & X86_PROGRAMMABLE;
}

static void release(u64 counters)
{
	for (; counters; counters &= counters - 1)
		release_evntsel_nmi(x86_vendor->selector(__ffs64(counters)));
}

static int reserve(void)
{
	u64 rest;

	for (rest = programmable(); rest; rest &= rest - 1) {
		unsigned int n = __ffs64(rest);

		if (reserve_evntsel_nmi(x86_vendor->selector(n)))
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
 * Does KVM give the PMU itself to guests (mediated vPMU, from Linux 7.2)? While such a virtual
 * machine exists, perf refuses events of this PMU that count in guests, too. Not for PLACE: while
 * perf has such an event, KVM makes no virtual machine, and a user could ask again and again.
 */
static bool given_to_guests(void)
{
	const struct x86_kind *kind = &x86_kinds[0];
	struct perf_event *event;

	if (!kind->perf || !(kind->perf->capabilities & PERF_PMU_CAP_MEDIATED_VPMU))
		return false;
	event = try_perf(kind->cpu);
	if (IS_ERR(event))
		return PTR_ERR(event) == -EOPNOTSUPP;
	perf_event_release_kernel(event);
	return false;
}

/*
 * Newer kernels drive some PMUs of version 6 by registers that no reservation covers. Ask perf for
 * an event while the event selects are reserved: it must refuse.
 */
static int check_reservation(void)
{
	struct perf_event *event;

	if (reserve()) {
		if (!x86_vendor->may_evade())
			return 0;
		pr_err("pmudev: the PMU is in use: stop perf, set kernel.nmi_watchdog=0, and load pmudev again\n");
		return -EBUSY;
	}
	event = try_perf(x86_kinds[0].cpu);
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
	if (this_cpu_read(x86_cpus.owned))
		x86_vendor->silence(true);
}

PMUDEV_SYSCORE(sleep, NULL, resume);

/* Find perf's PMU of a kind of CPUs. */
static int find_perf(struct x86_kind *kind)
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

static int refuse_alone(void)
{
	pr_err("pmudev: perf found no counters that work: a hypervisor may keep them to itself\n");
	return -ENODEV;
}

int x86_reserve_init(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < x86_nr_kinds && !ret; i++)
		ret = find_perf(&x86_kinds[i]);
	if (!ret && x86_kinds[0].perf)
		ret = check_reservation();
	else if (!ret && x86_vendor->needs_perf)
		ret = refuse_alone();
	if (ret)
		return ret;
	/* Before the core's, so not later than now. */
	pmudev_register_syscore(&sleep);
	if (x86_vendor->hook)
		x86_vendor->hook();
	return 0;
}

void x86_reserve_exit(void)
{
	pmudev_unregister_syscore(&sleep);
	x86_unhook_nmi();
	if (x86_vendor->unhook)
		x86_vendor->unhook();
}

/* Result of take_over() */
struct takeover {
	u64 foreign;	/* foreign counters found on the CPU */
	int error;	/* 0 or a negative errno */
};

static void take_over(void *info)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	struct pmu *perf = cpuc->kind->perf;
	struct takeover *take = info;

	if (x86_kind_here() != cpuc->kind) {
		take->error = -EOPNOTSUPP;
		return;
	}
	cpuc->found = x86_vendor->global_ctrl();
	if (perf && !(*pmudev_perf_disables(perf))++)
		perf->pmu_disable(perf);
	x86_vendor->set_global_ctrl(0);
	x86_empty_dirty();
	cpuc->foreign = x86_vendor->find_foreign(cpuc->kind->counters);
	take->foreign = cpuc->foreign;
	x86_vendor->silence(true);
	WRITE_ONCE(cpuc->owned, true);
}

static void give_back(void *unused)
{
	struct x86_cpu *cpuc = this_cpu_ptr(&x86_cpus);
	struct pmu *perf = cpuc->kind->perf;

	x86_vendor->silence(false);
	/* An NMI may have masked it that nobody will answer any more, or may be on its way. */
	x86_interrupts(true);
	x86_expect_late_nmi(cpuc);
	WRITE_ONCE(cpuc->owned, false);
	x86_vendor->set_global_ctrl(cpuc->found);
	if (perf && !--*pmudev_perf_disables(perf))
		perf->pmu_enable(perf);
}

static int refuse_busy(struct pmudev_refusal *why, u32 kind, int cpu)
{
	why->holder.kind = kind;
	why->holder.cpu = cpu;
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_PMU_HELD, 0);
}

/* Reserve the PMU, unless somebody has it. */
static int reserve_or_refuse(struct pmudev_refusal *why)
{
	if (given_to_guests())
		return refuse_busy(why, PMUDEV_HOLDER_HYPERVISOR, -1);
	return reserve() ? refuse_busy(why, PMUDEV_HOLDER_PERF, -1) : 0;
}

static int get_reservation(struct pmudev_refusal *why)
{
	int ret = 0;

	mutex_lock(&users_mutex);
	if (!users) {
		ret = reserve_or_refuse(why);
		if (!ret) {
			/* Until unload: removing it waits for RCU. */
			x86_hook_nmi();
			x86_user_reserved(true);
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
		x86_user_reserved(false);
		release(programmable());
	}
	mutex_unlock(&users_mutex);
}

/* Foreign counters can be withheld only while no CPU of the kind is owned: no set has one yet. */
static void add_found(struct x86_kind *kind, u64 foreign)
{
	kind->found |= foreign;
	if (kind->users)
		return;
	WRITE_ONCE(kind->info->foreign, kind->info->foreign | kind->found);
	WRITE_ONCE(kind->info->unavailable, kind->info->unavailable | kind->found);
}

int x86_cpu_up(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why)
{
	struct x86_kind *kind = &x86_kinds[info->index];
	struct takeover take = {};

	if (get_reservation(why))
		return -EBUSY;
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

int x86_held(struct pmudev_pmu_info *info, struct pmudev_refusal *why)
{
	unsigned int msr = x86_vendor->selector(__ffs64(programmable()));
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

void x86_cpu_down(struct pmudev_pmu_info *info, int cpu)
{
	smp_call_function_single(cpu, give_back, NULL, true);
	x86_kinds[info->index].users--;
	put_reservation();
}
