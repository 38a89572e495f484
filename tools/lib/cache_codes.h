/* SPDX-License-Identifier: MIT */
/* Which event of the CPU each of perf's cache events is, as the kernel's perf driver has it. */
#ifndef CACHE_CODES_H
#define CACHE_CODES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib.h"

/* In listing order: of each cache accesses, then misses. cache.c has the names. */
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

/*
 * cache_arm64.c: the same of PMUv3's common events, which a CPU may lack, and of those that only
 * CPUs with this MIDR_EL1 have
 */
HIDDEN unsigned int pmudev_cache_common(enum cache_event event);
HIDDEN unsigned int pmudev_cache_arm64(uint64_t midr, enum cache_event event);

#endif /* CACHE_CODES_H */
