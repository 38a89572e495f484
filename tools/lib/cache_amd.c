// SPDX-License-Identifier: MIT
/*
 * The codes of AMD's cache events, umask 15:8 and event 7:0, by family: BKDG of families 10H to
 * 16H, PPR of 17H and later. Which event is meant, as the kernel's perf driver chose it.
 */
#include "cache_codes.h"

static const unsigned int before_zen[NR_CACHE_EVENTS] = {
	[L1D_LOADS] = 0x0040,		/* Data Cache Accesses */
	[L1D_LOAD_MISSES] = 0x0141,	/* Data Cache Misses */
	[L1D_PREFETCHES] = 0x0267,	/* Data Prefetcher: attempted */
	[L1D_PREFETCH_MISSES] = 0x0167, /* Data Prefetcher: cancelled */
	[L1I_LOADS] = 0x0080,		/* Instruction Cache Fetches */
	[L1I_LOAD_MISSES] = 0x0081,	/* Instruction Cache Misses */
	[L1I_PREFETCHES] = 0x014b,	/* Prefetch Instructions Dispatched: load */
	[LLC_LOADS] = 0x037d,		/* Requests to L2: code and data */
	[LLC_LOAD_MISSES] = 0x037e,	/* L2 Cache Misses: code and data */
	[LLC_STORES] = 0x017f,		/* L2 Fill: of the level 1 caches */
	[DTLB_LOADS] = 0x0040,		[DTLB_LOAD_MISSES] = 0x0746, /* L1 and L2 DTLB Miss */
	[ITLB_LOADS] = 0x0080,		[ITLB_LOAD_MISSES] = 0x0385, /* L1 and L2 ITLB Miss */
	[BRANCH_LOADS] = 0x00c2,	[BRANCH_LOAD_MISSES] = 0x00c3,
};

static const unsigned int zen[NR_CACHE_EVENTS] = {
	[L1D_LOADS] = 0x0040,	     /* Data Cache Accesses */
	[L1D_LOAD_MISSES] = 0xc860,  /* L2 Cache Access from DC Miss */
	[L1D_PREFETCHES] = 0xff5a,   /* Hardware Prefetch Data Cache Fills */
	[L1I_LOADS] = 0x0080,	     /* Instruction Cache Fetches */
	[L1I_LOAD_MISSES] = 0x0081,  /* Instruction Cache Misses */
	[DTLB_LOADS] = 0xff45,	     /* L1 DTLB Misses */
	[DTLB_LOAD_MISSES] = 0xf045, /* L1 DTLB Misses, L2 DTLB Misses */
	[ITLB_LOADS] = 0x0084,	     /* L1 ITLB Miss, L2 ITLB Hit */
	[ITLB_LOAD_MISSES] = 0xff85, /* L1 ITLB Miss, L2 ITLB Miss */
	[BRANCH_LOADS] = 0x00c2,     [BRANCH_LOAD_MISSES] = 0x00c3,
};

unsigned int pmudev_cache_amd(unsigned int signature, enum cache_event event)
{
	unsigned int family = signature >> 8 & 0xf;

	if (family == 0xf)
		family += signature >> 20 & 0xff;
	return family >= 0x17 ? zen[event] : before_zen[event];
}
