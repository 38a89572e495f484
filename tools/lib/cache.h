/* SPDX-License-Identifier: MIT */
/*
 * perf's names of cache events, such as L1-dcache-loads: which event of the CPU each is, as the
 * kernel's perf driver has it.
 */
#ifndef CACHE_H
#define CACHE_H

#include "parser.h"

/* In listing order; cache.c has the names. */
enum cache_event {
	L1D_LOADS,
	L1D_LOAD_MISSES,
	L1D_STORES,
	L1D_STORE_MISSES,
	L1D_PREFETCHES,
	L1D_PREFETCH_MISSES,
	L1I_LOADS,
	L1I_LOAD_MISSES,
	L1I_PREFETCHES,
	L1I_PREFETCH_MISSES,
	LLC_LOADS,
	LLC_LOAD_MISSES,
	LLC_STORES,
	LLC_STORE_MISSES,
	LLC_PREFETCHES,
	LLC_PREFETCH_MISSES,
	DTLB_LOADS,
	DTLB_LOAD_MISSES,
	DTLB_STORES,
	DTLB_STORE_MISSES,
	DTLB_PREFETCHES,
	DTLB_PREFETCH_MISSES,
	ITLB_LOADS,
	ITLB_LOAD_MISSES,
	BRANCH_LOADS,
	BRANCH_LOAD_MISSES,
	NODE_LOADS,
	NODE_LOAD_MISSES,
	NODE_STORES,
	NODE_STORE_MISSES,
	NODE_PREFETCHES,
	NODE_PREFETCH_MISSES,
	NR_CACHE_EVENTS,
};

/* Instead of a code: the event needs a second register; the event is unknown. */
#define CACHE_SECOND_REGISTER (~0U)
#define CACHE_UNKNOWN_CPU     (~1U)

/*
 * cache_intel.c: the code of a CPU's event, 0 if it has none, or one of the above. @signature:
 * CPUID.01H:EAX; @atom: of the small cores of a hybrid
 */
HIDDEN unsigned int pmudev_cache_intel(unsigned int signature, bool atom, enum cache_event event);

/* cache_amd.c: the same of AMD's, where 0 is what it is if the CPU has none. */
HIDDEN unsigned int pmudev_cache_amd(unsigned int signature, enum cache_event event);

/* Adds the PMU's cache events to its events. False: no memory. */
HIDDEN bool pmudev_cache_add(struct pmu *pmu);

/* Is it one of these names, ignoring case? */
HIDDEN bool pmudev_is_cache_name(const char *at, size_t len);

/*
 * If it is such a name and none of these PMUs has the event, reports the reason and returns true.
 * False also if one of them has it in another spelling.
 */
HIDDEN bool pmudev_lacks_cache_event(struct parser *p, const char *where, size_t len, __u32 pmus);

#endif /* CACHE_H */
