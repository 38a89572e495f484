// SPDX-License-Identifier: GPL-2.0
/*
 * The bits of perf's driver: one for each counter and CPU that is in use (pmu_hw_events.used_mask).
 * A set bit without an event keeps perf off that counter and no other. pmuv3_cpu.ours says which of
 * them we have set.
 *
 * A CPU can have more bits of ours than kind->reserved: what is not reserved any more, or could not
 * be reserved on all CPUs, is given to perf on each CPU when it asks there. So perf never waits for
 * a look at all CPUs.
 */
#include <linux/smp.h>

#include "../compat.h"
#include "perf_bits.h"

u64 pmuv3_used_counters(const struct pmu_hw_events *hw)
{
	u64 used = 0;
	unsigned int i;

	/* On another CPU the driver may change it meanwhile. */
	for (i = 0; i < BITS_TO_LONGS(ARMPMU_MAX_HWEVENTS); i++)
		used |= (u64)READ_ONCE(hw->used_mask[i]) << (i * BITS_PER_LONG);
	return pmudev_perf_counters(used);
}

u64 pmuv3_perf_counters(const struct pmuv3_kind *kind, int cpu)
{
	return pmuv3_used_counters(pmuv3_hw_of(kind, cpu)) &
	       ~READ_ONCE(per_cpu(pmuv3_cpus, cpu).ours);
}

u64 pmuv3_perf_counters_here(const struct pmuv3_cpu *cpuc)
{
	return pmuv3_perf_counters(&pmuv3_kinds[cpuc->info->index], smp_processor_id());
}

/* kind->lock held. */
static u64 take_bits(struct pmuv3_kind *kind, int cpu, u64 counters)
{
	struct pmuv3_cpu *cpuc = per_cpu_ptr(&pmuv3_cpus, cpu);
	u64 rest, busy = 0;

	lockdep_assert_held(&kind->lock);
	for (rest = counters & ~cpuc->ours; rest; rest &= rest - 1) {
		unsigned int c = __ffs64(rest);

		/* An NMI may hide our bits: it must know this one as soon as it is set. */
		WRITE_ONCE(cpuc->taking, BIT_ULL(c));
		if (!test_and_set_bit(pmudev_perf_index(c), pmuv3_hw_of(kind, cpu)->used_mask))
			WRITE_ONCE(cpuc->ours, cpuc->ours | BIT_ULL(c));
		else
			busy |= BIT_ULL(c);
		WRITE_ONCE(cpuc->taking, 0);
	}
	return busy;
}

u64 pmuv3_take_bits_here(struct pmuv3_kind *kind, u64 counters)
{
	u64 busy;

	raw_spin_lock(&kind->lock);
	busy = take_bits(kind, smp_processor_id(), counters);
	raw_spin_unlock(&kind->lock);
	return busy;
}

/* A call of take_here() */
struct take {
	struct pmuv3_kind *kind;
	u64 counters; /* in: to take; out: those that perf has */
};

static void take_here(void *info)
{
	struct take *take = info;

	take->counters = pmuv3_take_bits_here(take->kind, take->counters);
}

u64 pmuv3_take_bits(struct pmuv3_kind *kind, int cpu, u64 counters)
{
	struct take take = { .kind = kind, .counters = counters };
	unsigned long flags;
	u64 busy;

	/* There a bit must not appear while the driver goes through them. */
	if (pmuv3_looks_at_events(kind) && !smp_call_function_single(cpu, take_here, &take, true))
		return take.counters;
	raw_spin_lock_irqsave(&kind->lock, flags);
	busy = take_bits(kind, cpu, counters);
	raw_spin_unlock_irqrestore(&kind->lock, flags);
	return busy;
}

/* kind->lock held, on the CPU, or it is offline. */
static void return_bits(struct pmuv3_kind *kind, int cpu, u64 counters)
{
	struct pmuv3_cpu *cpuc = per_cpu_ptr(&pmuv3_cpus, cpu);
	u64 rest;

	lockdep_assert_held(&kind->lock);
	for (rest = counters; rest; rest &= rest - 1) {
		unsigned int c = __ffs64(rest);

		/* As in take_bits(). */
		WRITE_ONCE(cpuc->taking, BIT_ULL(c));
		WRITE_ONCE(cpuc->ours, cpuc->ours & ~BIT_ULL(c));
		clear_bit(pmudev_perf_index(c), pmuv3_hw_of(kind, cpu)->used_mask);
		WRITE_ONCE(cpuc->taking, 0);
	}
}

bool pmuv3_give_spare(struct pmuv3_kind *kind)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 give;

	lockdep_assert_irqs_disabled();
	if (!(READ_ONCE(kind->spare) | (cpuc->ours & ~READ_ONCE(kind->reserved))))
		return false;
	raw_spin_lock(&kind->lock);
	WRITE_ONCE(kind->reserved, kind->reserved & ~kind->spare);
	WRITE_ONCE(kind->spare, 0);
	give = cpuc->ours & ~(kind->reserved | kind->wanted);
	return_bits(kind, smp_processor_id(), give);
	raw_spin_unlock(&kind->lock);
	return give;
}

static void return_here(void *info)
{
	struct pmuv3_kind *kind = info;

	raw_spin_lock(&kind->lock);
	return_bits(kind, smp_processor_id(), this_cpu_read(pmuv3_cpus.ours));
	raw_spin_unlock(&kind->lock);
}

void pmuv3_return_bits(struct pmuv3_kind *kind)
{
	unsigned long flags;
	int cpu;

	pmuv3_for_each_cpu(cpu, kind) {
		if (!smp_call_function_single(cpu, return_here, kind, true))
			continue;
		/* Offline: nobody looks at its bits. */
		raw_spin_lock_irqsave(&kind->lock, flags);
		return_bits(kind, cpu, per_cpu(pmuv3_cpus, cpu).ours);
		raw_spin_unlock_irqrestore(&kind->lock, flags);
	}
	raw_spin_lock_irqsave(&kind->lock, flags);
	WRITE_ONCE(kind->reserved, 0);
	WRITE_ONCE(kind->spare, 0);
	raw_spin_unlock_irqrestore(&kind->lock, flags);
}
