// SPDX-License-Identifier: MIT
/* The numbers of arm64's cache events (Arm ARM, "Common event numbers"; manuals of the CPUs). */
#include "cache_codes.h"

static const unsigned int common[NR_CACHE_EVENTS] = {
	[L1D_LOADS] = 0x04,    [L1D_LOAD_MISSES] = 0x03,    /* L1D_CACHE, L1D_CACHE_REFILL */
	[L1I_LOADS] = 0x14,    [L1I_LOAD_MISSES] = 0x01,    /* L1I_CACHE, L1I_CACHE_REFILL */
	[LLC_LOADS] = 0x36,    [LLC_LOAD_MISSES] = 0x37,    /* LL_CACHE_RD, LL_CACHE_MISS_RD */
	[DTLB_LOADS] = 0x25,   [DTLB_LOAD_MISSES] = 0x05,   /* L1D_TLB, L1D_TLB_REFILL */
	[ITLB_LOADS] = 0x26,   [ITLB_LOAD_MISSES] = 0x02,   /* L1I_TLB, L1I_TLB_REFILL */
	[BRANCH_LOADS] = 0x12, [BRANCH_LOAD_MISSES] = 0x10, /* BR_PRED, BR_MIS_PRED */
};

unsigned int pmudev_cache_common(enum cache_event event)
{
	return common[event];
}

/* Additional events of some CPUs. */
static const struct {
	unsigned int midr; /* Implementer and PartNum */
	enum cache_event event;
	unsigned int code;
} special[] = {
	/* Cortex-A35, A53 */
	{ 0x4100d040, L1D_PREFETCH_MISSES, 0xc2 },
	{ 0x4100d040, NODE_LOADS, 0x60 },
	{ 0x4100d040, NODE_STORES, 0x61 },
	{ 0x4100d030, L1D_PREFETCH_MISSES, 0xc2 },
	{ 0x4100d030, NODE_LOADS, 0x60 },
	{ 0x4100d030, NODE_STORES, 0x61 },
	/* Cortex-A57, A72 */
	{ 0x4100d070, L1D_STORES, 0x41 },
	{ 0x4100d070, L1D_STORE_MISSES, 0x43 },
	{ 0x4100d070, DTLB_STORE_MISSES, 0x4d },
	{ 0x4100d070, NODE_LOADS, 0x60 },
	{ 0x4100d070, NODE_STORES, 0x61 },
	{ 0x4100d080, L1D_STORES, 0x41 },
	{ 0x4100d080, L1D_STORE_MISSES, 0x43 },
	{ 0x4100d080, DTLB_STORE_MISSES, 0x4d },
	{ 0x4100d080, NODE_LOADS, 0x60 },
	{ 0x4100d080, NODE_STORES, 0x61 },
	/* Cortex-A73 */
	{ 0x4100d090, L1D_STORES, 0x41 },
	/* ThunderX2 */
	{ 0x43000af0, L1D_STORES, 0x41 },
	{ 0x43000af0, L1D_STORE_MISSES, 0x43 },
	{ 0x43000af0, DTLB_STORES, 0x4f },
	{ 0x43000af0, DTLB_STORE_MISSES, 0x4d },
	{ 0x43000af0, NODE_LOADS, 0x60 },
	{ 0x43000af0, NODE_STORES, 0x61 },
};

/* MIDR_EL1.Implementer and PartNum: not the revision. */
#define MIDR_KIND 0xff00fff0

unsigned int pmudev_cache_arm64(uint64_t midr, enum cache_event event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(special); i++)
		if (special[i].event == event && special[i].midr == (midr & MIDR_KIND))
			return special[i].code;
	return 0;
}
