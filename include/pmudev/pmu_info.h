/* SPDX-License-Identifier: GPL-2.0 */
/* What a backend reports about a PMU. */
#ifndef _PMUDEV_PMU_INFO_H
#define _PMUDEV_PMU_INFO_H

#include <pmudev/names.h>

/* PMUs of one machine. CPUs that count differently have different PMUs. */
#define PMUDEV_MAX_PMUS	8

/*
 * Description of a PMU. The core sets index. The backend's probe sets all other fields; they are
 * constant once the PMU is registered, except unavailable, foreign, what is counted, and that AMD's
 * backend takes PMUDEV_HAS_GUEST back when KVM cannot be followed.
 */
struct pmudev_pmu_info {
	u32 index;		/* number of the PMU, 0..PMUDEV_MAX_PMUS - 1 */
	char name[32];		/* in sysfs and QUERY */
	u32 arch;		/* enum pmudev_arch */
	const char *arch_name;
	u32 arch_version;	/* version of the PMU architecture */
	u64 cpu_id;		/* see struct pmudev_query */
	u64 features;		/* PMUDEV_HAS_* of the hardware */
	u64 counters;		/* existing counters: 0..31 programmable, from 32 on fixed */
	/*
	 * Counters that no set can have, and those of them that firmware or a hypervisor uses.
	 * cpu_up may add to both; write by WRITE_ONCE(), read by READ_ONCE().
	 */
	u64 unavailable;
	u64 foreign;
	u64 user;		/* counters that user mode can be allowed to read */
	u64 generic;		/* generic events that can be counted, by enum pmudev_generic */
	u32 width;		/* writable bits of a programmable counter, 31..64; 0: none */
	u32 width_fixed;	/* bits of a fixed counter, 32..64; 0 if there is none */
	u32 threshold_max;	/* highest threshold, 0 if there is none */
	bool compat_reads;	/* 32-bit programs can read all bits of a counter */
	u64 interrupt;		/* bit of a config: overflows interrupt; 0 if they cannot */
	u64 clock_hz;		/* of pmudev_clock(); 0 if user mode cannot read that clock */
	/*
	 * Named fields of a raw event's config, ended by one without a name, and named raw events.
	 * Those that encode refuses do not exist on this PMU.
	 */
	const struct pmudev_term *terms;
	const struct pmudev_name *events;
	unsigned int nr_events;
	/* See struct pmudev_query; the core counts, of user_access_lost the backend, too. */
	atomic64_t user_access_lost;
	atomic64_t overflows;
	atomic64_t unexpected;
	atomic64_t late; /* the backend counts */
};

#endif /* _PMUDEV_PMU_INFO_H */
