/* SPDX-License-Identifier: GPL-2.0 */
/* Which counters perf's driver uses, and those that it leaves to us. */
#ifndef _PMUDEV_ARM64_PERF_BITS_H
#define _PMUDEV_ARM64_PERF_BITS_H

#include <linux/perf/arm_pmu.h>

#include "pmuv3.h"

/* The driver's data of a CPU. */
static inline struct pmu_hw_events *pmuv3_hw_of(const struct pmuv3_kind *kind, int cpu)
{
	return per_cpu_ptr(kind->perf->hw_events, cpu);
}

/* The next CPU of a kind. */
static inline int pmuv3_next_cpu(int cpu, const struct pmuv3_kind *kind)
{
	do {
		cpu = cpumask_next(cpu, cpu_possible_mask);
	} while (cpu < nr_cpu_ids && per_cpu(pmuv3_cpus, cpu).info != kind->info);
	return cpu;
}

/* The CPUs of a kind; some may be offline. */
#define pmuv3_for_each_cpu(cpu, kind)                              \
	for ((cpu) = pmuv3_next_cpu(-1, kind); (cpu) < nr_cpu_ids; \
	     (cpu) = pmuv3_next_cpu(cpu, kind))

/* The driver looks at the event of each bit: ours have none, see perf_wrap.c. */
static inline bool pmuv3_looks_at_events(const struct pmuv3_kind *kind)
{
	return pmuv3_hides(&kind->caps);
}

/* Counters whose bits are set, ours included. Any context. */
u64 pmuv3_used_counters(const struct pmu_hw_events *hw);

/* Counters that perf uses on a CPU. Any context. */
u64 pmuv3_perf_counters(const struct pmuv3_kind *kind, int cpu);

/*
 * Set the bits of counters on a CPU. Not with kind->lock; irqs on, or on that CPU. Waits for it
 * where the driver looks at events. Return: those that perf has.
 */
u64 pmuv3_take_bits(struct pmuv3_kind *kind, int cpu, u64 counters);

/* The same on this CPU, irqs disabled. */
u64 pmuv3_take_bits_here(struct pmuv3_kind *kind, u64 counters);

/*
 * perf asks for a counter on this CPU and there is none: give it those that no set needs. Irqs
 * disabled. Return: false if there are none.
 */
bool pmuv3_give_spare(struct pmuv3_kind *kind);

/* Clear all of ours, on all CPUs. No set is left. */
void pmuv3_return_bits(struct pmuv3_kind *kind);

#endif /* _PMUDEV_ARM64_PERF_BITS_H */
