/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Single counters of a PMU that perf shares. Where the backend reserves whole CPUs, all are
 * reserved as soon as the PMU is, and perf uses none. pmu->lock held, and a set holds the PMU's
 * reservation.
 */
#ifndef _PMUDEV_CPU_COUNTERS_H
#define _PMUDEV_CPU_COUNTERS_H

#include "../context/pmu.h"

/* Does perf share the PMUs? */
static inline bool pmudev_beside_perf(void)
{
	return pmudev_backend.shared;
}

/* What perf uses now, on any CPU. Also without a reservation. */
static inline struct pmudev_perf_use pmudev_perf_use(struct pmudev_pmu *pmu)
{
	struct pmudev_perf_use none = {};

	return pmudev_beside_perf() ? pmudev_backend.shared->perf_use(&pmu->info) : none;
}

/* The counters that sets can have without a look at perf. */
static inline u64 pmudev_counters_reserved(struct pmudev_pmu *pmu)
{
	return pmudev_beside_perf() ? pmudev_backend.shared->reserved(&pmu->info) : ~0ULL;
}

/*
 * Reserve counters on all CPUs. @evict: in a kernel thread, the CPUs stay; perf's flexible events
 * are moved. Return: 0, -EBUSY with the holder in @why; nothing was reserved then.
 */
static inline int pmudev_counters_reserve(struct pmudev_pmu *pmu, u64 counters, bool evict,
					  struct pmudev_refusal *why)
{
	lockdep_assert_held(&pmu->lock);
	return pmudev_beside_perf() ?
		       pmudev_backend.shared->reserve(&pmu->info, counters, evict, why) :
		       0;
}

/* No set needs these: perf gets them when it asks. */
static inline void pmudev_counters_release(struct pmudev_pmu *pmu, u64 counters)
{
	lockdep_assert_held(&pmu->lock);
	if (pmudev_beside_perf())
		pmudev_backend.shared->release(&pmu->info, counters);
}

/* All are reserved, and perf does not even stop the PMU; or it may again. */
static inline void pmudev_counters_exclusive(struct pmudev_pmu *pmu, bool exclusive)
{
	lockdep_assert_held(&pmu->lock);
	if (pmudev_beside_perf())
		pmudev_backend.shared->set_exclusive(&pmu->info, exclusive);
}

#endif /* _PMUDEV_CPU_COUNTERS_H */
