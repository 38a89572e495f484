/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the interface to a backend (backend.h) for PMUs that perf shares, counter by counter.
 */
#ifndef _PMUDEV_SHARED_H
#define _PMUDEV_SHARED_H

#include <pmudev/pmu_info.h>

struct pmudev_refusal;

/* Counters that perf uses */
struct pmudev_perf_use {
	u64 pinned;   /* by events that cannot be moved */
	u64 flexible; /* by others only */
};

/* The core serializes the calls for a PMU: pmu->lock. */
struct pmudev_shared_ops {
	/*
	 * Begin to use a PMU: before the first cpu_up. May sleep; called from a kernel thread, with
	 * cpus_read_lock() held. Returns 0, or an error with the reason.
	 */
	int (*begin)(struct pmudev_pmu_info *info, struct pmudev_refusal *why);
	/* Undo it, after the last cpu_down. Also releases all counters. Context as begin. */
	void (*end)(struct pmudev_pmu_info *info);
	/*
	 * Find what perf uses now, on any CPU. Any context. An event of a thread that does not run
	 * now uses nothing.
	 */
	struct pmudev_perf_use (*perf_use)(struct pmudev_pmu_info *info);
	/* A CPU on which perf uses a counter, or -1. Any context. */
	int (*perf_cpu)(struct pmudev_pmu_info *info, unsigned int counter);
	/*
	 * Reserve counters on all CPUs, also those that are offline, after begin. @evict: move
	 * perf's flexible events; may sleep then, in a kernel thread with cpus_read_lock() held.
	 * Without it, irqs must be enabled. Returns 0, or -EBUSY with the holder, and nothing is
	 * reserved.
	 */
	int (*reserve)(struct pmudev_pmu_info *info, u64 counters, bool evict,
		       struct pmudev_refusal *why);
	/* No set needs these counters: perf gets them when it asks. Any context. */
	void (*release)(struct pmudev_pmu_info *info, u64 counters);
	/* What is reserved now, those included that were released. Any context. */
	u64 (*reserved)(struct pmudev_pmu_info *info);
	/*
	 * From now on perf does not stop the PMU, or does again. All counters are reserved
	 * meanwhile, and none is released. Any context.
	 */
	void (*set_exclusive)(struct pmudev_pmu_info *info, bool exclusive);
	/*
	 * May threads read perf's counters by themselves now? Without PMUDEV_HAS_HIDING they then
	 * see all counters of their CPU. Looks at the /proc of who asks, if any. May sleep.
	 */
	bool (*perf_has_readers)(void);
	/* How often perf has stopped the PMU of any CPU between begin and end. Any context. */
	u64 (*perf_stops)(struct pmudev_pmu_info *info);
};

#endif /* _PMUDEV_SHARED_H */
