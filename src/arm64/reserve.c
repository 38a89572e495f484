// SPDX-License-Identifier: GPL-2.0
/*
 * Reservation beside perf's driver, by its bits (perf_bits.c).
 *
 * A counter is reserved on all CPUs of the PMU, also on those that are offline: perf keeps the
 * bits. What no set needs is spare. It stays reserved, so that a set gets it again without a look
 * at each CPU, until perf asks for a counter and finds none; see pmuv3_give_spare().
 */
#include <linux/perf_event.h>
#include <linux/smp.h>

#include "../compat.h"
#include "../setting.h"
#include "perf_bits.h"
#include "regs.h"

/* -------------------------------------------------------- what perf counts -- */

/* A group whose leader is pinned keeps its counters. Under rcu_read_lock(), which keeps events. */
static bool is_pinned(const struct pmuv3_kind *kind, int cpu, unsigned int counter)
{
	const struct pmu_hw_events *hw = pmuv3_hw_of(kind, cpu);
	struct perf_event *event = READ_ONCE(hw->events[pmudev_perf_index(counter)]);

	/* A chained event is at its odd counter; there is none above counter 30. */
	if (!event && counter < 30 && !(counter & 1))
		event = READ_ONCE(hw->events[pmudev_perf_index(counter + 1)]);
	return event && READ_ONCE(event->group_leader)->attr.pinned;
}

static struct pmudev_perf_use pmuv3_perf_use(struct pmudev_pmu_info *info)
{
	struct pmuv3_kind *kind = &pmuv3_kinds[info->index];
	struct pmudev_perf_use use = {};
	int cpu;
	u64 rest;

	if (!READ_ONCE(kind->perf))
		return use;
	rcu_read_lock();
	pmuv3_for_each_cpu(cpu, kind) {
		u64 perf = pmuv3_perf_counters(kind, cpu) & info->counters;

		use.flexible |= perf;
		for (rest = perf & ~use.pinned; rest; rest &= rest - 1)
			if (is_pinned(kind, cpu, __ffs64(rest)))
				use.pinned |= BIT_ULL(__ffs64(rest));
	}
	rcu_read_unlock();
	use.flexible &= ~use.pinned;
	return use;
}

static int pmuv3_perf_cpu(struct pmudev_pmu_info *info, unsigned int counter)
{
	struct pmuv3_kind *kind = &pmuv3_kinds[info->index];
	int cpu;

	if (!READ_ONCE(kind->perf))
		return -1;
	pmuv3_for_each_cpu(cpu, kind)
		if (pmuv3_perf_counters(kind, cpu) & BIT_ULL(counter))
			return cpu;
	return -1;
}

/* ------------------------------------------------------------- reservation -- */

/* An event of perf that counts nothing. */
static struct perf_event *create_event(int cpu, bool disabled)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = 0, /* SW_INCR: only writes to PMSWINC_EL0 increment it */
		.disabled = disabled,
		.exclude_user = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

int pmuv3_find_perf(unsigned int index, int cpu)
{
	struct pmuv3_kind *kind = &pmuv3_kinds[index];
	struct perf_event *event;

	/* Creating and releasing an event makes perf reschedule, so do it once only. */
	if (kind->perf)
		return 0;
	event = create_event(cpu, true);
	if (IS_ERR(event))
		return PTR_ERR(event);
	WRITE_ONCE(kind->perf, to_arm_pmu(event->pmu));
	perf_event_release_kernel(event);
	return 0;
}

static int held_by_perf(struct pmudev_refusal *why, u64 counters, int cpu)
{
	why->holder.kind = PMUDEV_HOLDER_PERF;
	why->holder.counter = __ffs64(counters);
	why->holder.cpu = cpu;
	return pmudev_refuse(why, -EBUSY, PMUDEV_WHY_HELD, 0);
}

/* Those of some counters that pinned events of perf have on a CPU. */
static u64 pinned_on(const struct pmuv3_kind *kind, int cpu, u64 counters)
{
	u64 rest, pinned = 0;

	rcu_read_lock();
	for (rest = counters; rest; rest &= rest - 1)
		if (is_pinned(kind, cpu, __ffs64(rest)))
			pinned |= BIT_ULL(__ffs64(rest));
	rcu_read_unlock();
	return pinned;
}

/*
 * A new flexible event of a CPU makes perf take all flexible events off their counters and choose
 * again, by get_event_idx; see perf_wrap.c. Pinned events stay where they are.
 */
static u64 evict_from(struct pmuv3_kind *kind, int cpu, u64 counters)
{
	struct perf_event *event = create_event(cpu, false);

	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	return pmuv3_take_bits(kind, cpu, counters);
}

/*
 * Look at each CPU once. Returns 0, -EBUSY if perf keeps one on a CPU, with the refusal in @why, or
 * -EAGAIN if it may not the next time, likewise.
 */
static int evict_once(struct pmuv3_kind *kind, u64 counters, struct pmudev_refusal *why)
{
	u64 busy, pinned;
	int cpu;

	pmuv3_for_each_cpu(cpu, kind) {
		busy = pmuv3_take_bits(kind, cpu, counters);
		if (!busy)
			continue;
		pinned = pinned_on(kind, cpu, busy);
		if (pinned)
			return held_by_perf(why, pinned, cpu);
		if (cpu_online(cpu))
			busy = evict_from(kind, cpu, counters);
		if (busy) {
			held_by_perf(why, busy, cpu);
			return -EAGAIN;
		}
	}
	return 0;
}

/*
 * Set the bits of counters on all CPUs. kind->wanted has them: perf's events leave them when they
 * are scheduled. Return: 0, or -EBUSY with the holder in @why.
 */
static int evict_from_all(struct pmuv3_kind *kind, u64 counters, struct pmudev_refusal *why)
{
	int ret, tries = 3;

	/* While it looks at one CPU, perf may schedule on another. */
	do {
		ret = evict_once(kind, counters, why);
	} while (ret == -EAGAIN && --tries);
	return ret == -EAGAIN ? -EBUSY : ret;
}

static void start_here(void *unused)
{
	pmuv3_start_here(this_cpu_ptr(&pmuv3_cpus));
}

/* PMCR_EL0.E: the driver sets it after each change while a bit of used_mask is set. */
void pmuv3_start_here(struct pmuv3_cpu *cpuc)
{
	if (READ_ONCE(cpuc->ours))
		write_pmcr(read_pmcr() | PMCR_E);
}

/* Begin to reserve counters. Returns those that are not reserved yet. */
static u64 begin_reserve(struct pmuv3_kind *kind, u64 counters, u64 *spare)
{
	unsigned long flags;
	u64 need;

	raw_spin_lock_irqsave(&kind->lock, flags);
	*spare = kind->spare & counters;
	WRITE_ONCE(kind->spare, kind->spare & ~counters);
	need = counters & ~kind->reserved;
	/* From now on perf does not get them back, on any CPU. */
	WRITE_ONCE(kind->wanted, need);
	raw_spin_unlock_irqrestore(&kind->lock, flags);
	return need;
}

/* Returns whether nothing was reserved before. What was taken in vain perf gets when it asks. */
static bool end_reserve(struct pmuv3_kind *kind, u64 reserved, u64 spare)
{
	unsigned long flags;
	bool first;

	raw_spin_lock_irqsave(&kind->lock, flags);
	first = !kind->reserved;
	WRITE_ONCE(kind->reserved, kind->reserved | reserved);
	WRITE_ONCE(kind->spare, kind->spare | (spare & kind->reserved));
	WRITE_ONCE(kind->wanted, 0);
	raw_spin_unlock_irqrestore(&kind->lock, flags);
	return first;
}

static int pmuv3_reserve(struct pmudev_pmu_info *info, u64 counters, bool evict,
			 struct pmudev_refusal *why)
{
	struct pmuv3_kind *kind = &pmuv3_kinds[info->index];
	struct pmudev_perf_use use = {};
	u64 need, spare, busy = 0;
	int cpu, ret = 0;

	/*
	 * Not even for a moment is anything taken that is refused then: pinned events would fail.
	 */
	if (counters & ~READ_ONCE(kind->reserved))
		use = pmuv3_perf_use(info);
	busy = (use.pinned | (evict ? 0 : use.flexible)) & counters & ~READ_ONCE(kind->reserved);
	if (busy)
		return held_by_perf(why, busy, pmuv3_perf_cpu(info, __ffs64(busy)));
	need = begin_reserve(kind, counters, &spare);
	if (need && !evict)
		pmuv3_for_each_cpu(cpu, kind)
			busy |= pmuv3_take_bits(kind, cpu, need);
	if (busy)
		ret = held_by_perf(why, busy, pmuv3_perf_cpu(info, __ffs64(busy)));
	else if (need && evict)
		ret = evict_from_all(kind, need, why);
	/*
	 * With no bit set, the driver left the PMU stopped: on all CPUs if nothing was reserved; an
	 * eviction takes long, and then it may have been so on any for a moment.
	 */
	if (end_reserve(kind, ret ? 0 : need, ret ? spare : 0) || evict)
		if (!ret && need)
			on_each_cpu_mask(&kind->cpus, start_here, NULL, true);
	return ret;
}

static void set_wanted(struct pmuv3_kind *kind, u64 counters)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&kind->lock, flags);
	WRITE_ONCE(kind->wanted, counters);
	raw_spin_unlock_irqrestore(&kind->lock, flags);
}

int pmuv3_reserve_again(struct pmudev_pmu_info *info, struct pmudev_refusal *why)
{
	struct pmuv3_kind *kind = &pmuv3_kinds[info->index];
	u64 counters = READ_ONCE(kind->reserved);
	int ret;

	if (!counters)
		return 0;
	/* Some may be given to perf meanwhile: they are kept, until perf asks again. */
	set_wanted(kind, counters);
	ret = evict_from_all(kind, counters, why);
	set_wanted(kind, 0);
	if (!ret)
		on_each_cpu_mask(&kind->cpus, start_here, NULL, true);
	return ret;
}

static void pmuv3_release(struct pmudev_pmu_info *info, u64 counters)
{
	struct pmuv3_kind *kind = &pmuv3_kinds[info->index];
	unsigned long flags;

	raw_spin_lock_irqsave(&kind->lock, flags);
	WRITE_ONCE(kind->spare, kind->spare | (counters & kind->reserved));
	raw_spin_unlock_irqrestore(&kind->lock, flags);
}

static u64 pmuv3_reserved(struct pmudev_pmu_info *info)
{
	return READ_ONCE(pmuv3_kinds[info->index].reserved);
}

bool pmuv3_drives(const struct pmuv3_kind *kind, int cpu)
{
	return cpumask_test_cpu(cpu, &kind->perf->supported_cpus);
}

static void pmuv3_set_exclusive(struct pmudev_pmu_info *info, bool exclusive)
{
	WRITE_ONCE(pmuv3_kinds[info->index].exclusive, exclusive);
}

/* Without the file there is no such right. */
static bool pmuv3_perf_has_readers(void)
{
	return pmudev_setting_is_on("/proc/sys/kernel/perf_user_access");
}

static u64 pmuv3_perf_stops(struct pmudev_pmu_info *info)
{
	u64 stops = 0;
	int cpu;

	pmuv3_for_each_cpu(cpu, &pmuv3_kinds[info->index])
		stops += READ_ONCE(per_cpu(pmuv3_cpus, cpu).stops);
	return stops;
}

static int pmuv3_begin(struct pmudev_pmu_info *info, struct pmudev_refusal *why)
{
	struct pmuv3_kind *kind = &pmuv3_kinds[info->index];
	int cpu, ret = -ENODEV;

	for_each_online_cpu(cpu) {
		if (per_cpu(pmuv3_cpus, cpu).info != info)
			continue;
		ret = pmuv3_find_perf(info->index, cpu);
		break;
	}
	if (ret)
		return pmudev_refuse(why, ret == -ENOMEM ? -ENOMEM : -EOPNOTSUPP,
				     PMUDEV_WHY_PERF_REFUSED, 0);
	ret = pmuv3_wrap(kind->perf);
	return ret ? pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_PERF_REFUSED, 0) : 0;
}

/* The driver stops the PMU only together with its last event. */
static void stop_unused(void *info)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);

	if (cpuc->info == info && !pmuv3_perf_counters_here(cpuc))
		write_pmcr(read_pmcr() & ~PMCR_E);
}

static void pmuv3_end(struct pmudev_pmu_info *info)
{
	struct pmuv3_kind *kind = &pmuv3_kinds[info->index];

	pmuv3_return_bits(kind);
	pmuv3_unwrap(kind->perf);
	on_each_cpu_mask(&kind->cpus, stop_unused, info, true);
}

const struct pmudev_shared_ops pmuv3_shared = {
	.begin = pmuv3_begin,
	.end = pmuv3_end,
	.perf_use = pmuv3_perf_use,
	.perf_cpu = pmuv3_perf_cpu,
	.reserve = pmuv3_reserve,
	.release = pmuv3_release,
	.reserved = pmuv3_reserved,
	.set_exclusive = pmuv3_set_exclusive,
	.perf_has_readers = pmuv3_perf_has_readers,
	.perf_stops = pmuv3_perf_stops,
};

int pmuv3_reserve_init(void)
{
	unsigned int i;

	for (i = 0; i < PMUDEV_MAX_PMUS; i++)
		raw_spin_lock_init(&pmuv3_kinds[i].lock);
	return 0;
}

void pmuv3_reserve_exit(void)
{
	pmuv3_wrap_exit();
}
