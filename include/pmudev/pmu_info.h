/* SPDX-License-Identifier: GPL-2.0 */
/* What a backend reports about a PMU. */
#ifndef _PMUDEV_PMU_INFO_H
#define _PMUDEV_PMU_INFO_H

#include <linux/atomic.h>

#include <pmudev/names.h>

/* PMUs of one machine. CPUs that count differently have different PMUs. */
#define PMUDEV_MAX_PMUS	8

/**
 * struct pmudev_pmu_info - description of a PMU
 *
 * The core sets @index. The backend's probe sets all other fields; they are constant afterwards,
 * except @unavailable, @foreign and @perf_restores.
 */
struct pmudev_pmu_info {
	/** @index: number of the PMU, 0..PMUDEV_MAX_PMUS - 1 */
	u32 index;
	/** @name: name of the PMU in sysfs and QUERY */
	char name[32];
	/** @arch: enum pmudev_arch */
	u32 arch;
	/** @arch_name: name of @arch */
	const char *arch_name;
	/** @arch_version: version of the PMU architecture */
	u32 arch_version;
	/** @cpu_id: see struct pmudev_query */
	u64 cpu_id;
	/** @features: PMUDEV_HAS_* of the hardware */
	u64 features;
	/** @counters: existing counters: 0..31 programmable, from 32 on fixed */
	u64 counters;
	/**
	 * @unavailable: counters that no set can have. cpu_up may add to it; write by WRITE_ONCE(),
	 * read by READ_ONCE().
	 */
	u64 unavailable;
	/** @foreign: those of @unavailable that firmware or a hypervisor uses; likewise */
	u64 foreign;
	/** @user: counters that user mode can be allowed to read */
	u64 user;
	/** @generic: generic events that can be counted, a mask by enum pmudev_generic */
	u64 generic;
	/**
	 * @width: bits of a programmable counter that can be written, 31..64; 0 if there is none
	 */
	u32 width;
	/** @width_fixed: bits of a fixed counter, 32..64; 0 if there is none */
	u32 width_fixed;
	/** @threshold_max: highest threshold, 0 if there is none */
	u32 threshold_max;
	/** @compat_reads: 32-bit programs can read all bits of a counter */
	bool compat_reads;
	/** @clock_hz: ticks per second of pmudev_clock(); 0 if user mode cannot read that clock */
	u64 clock_hz;
	/**
	 * @terms: named fields of a raw event's config, ended by one without a name. A field that
	 * encode refuses does not exist on this PMU.
	 */
	const struct pmudev_term *terms;
	/** @events: named raw events. One that encode refuses does not exist on this PMU. */
	const struct pmudev_name *events;
	/** @nr_events: number of @events */
	unsigned int nr_events;
	/** @perf_restores: see struct pmudev_query */
	atomic64_t perf_restores;
};

#endif /* _PMUDEV_PMU_INFO_H */
