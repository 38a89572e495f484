// SPDX-License-Identifier: MIT
/*
 * The codes of Intel's cache events, umask 15:8 and event 7:0, as in the event tables of each
 * CPU. What differs between CPUs is here as the kernel's perf driver chose it. The events of the
 * last level cache and of memory are offcore responses, which have a register of their own.
 */
#include "cache_codes.h"

/* Events of one CPU or of several; the last one has no code. */
struct code {
	enum cache_event event;
	unsigned int code;
};

#define OFFCORE CACHE_SECOND_REGISTER
static const struct code offcore[] = {
	{ LLC_LOADS, OFFCORE },
	{ LLC_LOAD_MISSES, OFFCORE },
	{ LLC_STORES, OFFCORE },
	{ LLC_STORE_MISSES, OFFCORE },
	{},
};

static const struct code offcore_more[] = {
	{ LLC_PREFETCHES, OFFCORE },
	{ LLC_PREFETCH_MISSES, OFFCORE },
	{},
};

static const struct code offcore_node[] = {
	{ NODE_LOADS, OFFCORE },
	{ NODE_LOAD_MISSES, OFFCORE },
	{ NODE_STORES, OFFCORE },
	{ NODE_STORE_MISSES, OFFCORE },
	{},
};

static const struct code nehalem[] = {
	{ L1D_LOADS, 0x010b },		 /* MEM_INST_RETIRED.LOADS */
	{ L1D_LOAD_MISSES, 0x0151 },	 /* L1D.REPL */
	{ L1D_STORES, 0x020b },		 /* MEM_INST_RETIRED.STORES */
	{ L1D_STORE_MISSES, 0x0251 },	 /* L1D.M_REPL */
	{ L1D_PREFETCHES, 0x014e },	 /* L1D_PREFETCH.REQUESTS */
	{ L1D_PREFETCH_MISSES, 0x024e }, /* L1D_PREFETCH.MISS */
	{ L1I_LOADS, 0x0380 },		 /* L1I.READS */
	{ L1I_LOAD_MISSES, 0x0280 },	 /* L1I.MISSES */
	{ DTLB_LOADS, 0x0f40 },		 /* L1D_CACHE_LD.MESI */
	{ DTLB_LOAD_MISSES, 0x0108 },	 /* DTLB_LOAD_MISSES.ANY */
	{ DTLB_STORES, 0x0f41 },	 /* L1D_CACHE_ST.MESI */
	{ DTLB_STORE_MISSES, 0x010c },	 /* MEM_STORE_RETIRED.DTLB_MISS */
	{ ITLB_LOADS, 0x01c0 },		 /* INST_RETIRED.ANY_P */
	{ ITLB_LOAD_MISSES, 0x20c8 },	 /* ITLB_MISS_RETIRED */
	{ BRANCH_LOADS, 0x00c4 },	 /* BR_INST_RETIRED.ALL_BRANCHES */
	{ BRANCH_LOAD_MISSES, 0x03e8 },	 /* BPU_CLEARS.ANY */
	{},
};

static const struct code westmere[] = {
	{ L1D_LOADS, 0x010b },
	{ L1D_LOAD_MISSES, 0x0151 },
	{ L1D_STORES, 0x020b },
	{ L1D_STORE_MISSES, 0x0251 },
	{ L1D_PREFETCHES, 0x014e },
	{ L1D_PREFETCH_MISSES, 0x024e },
	{ L1I_LOADS, 0x0380 },
	{ L1I_LOAD_MISSES, 0x0280 },
	{ DTLB_LOADS, 0x010b }, /* MEM_INST_RETIRED.LOADS */
	{ DTLB_LOAD_MISSES, 0x0108 },
	{ DTLB_STORES, 0x020b }, /* MEM_INST_RETIRED.STORES */
	{ DTLB_STORE_MISSES, 0x010c },
	{ ITLB_LOADS, 0x01c0 },
	{ ITLB_LOAD_MISSES, 0x0185 }, /* ITLB_MISSES.ANY */
	{ BRANCH_LOADS, 0x00c4 },
	{ BRANCH_LOAD_MISSES, 0x03e8 },
	{},
};

/* Sandy Bridge and Ivy Bridge, except for one event each. */
static const struct code bridge[] = {
	{ L1D_LOADS, 0xf1d0 },		 /* MEM_UOPS_RETIRED, any load */
	{ L1D_LOAD_MISSES, 0x0151 },	 /* L1D.REPLACEMENT */
	{ L1D_STORES, 0xf2d0 },		 /* MEM_UOPS_RETIRED, any store */
	{ L1D_STORE_MISSES, 0x0851 },	 /* L1D.ALL_M_REPLACEMENT */
	{ L1D_PREFETCH_MISSES, 0x024e }, /* HW_PRE_REQ.DL1_MISS */
	{ L1I_LOAD_MISSES, 0x0280 },	 /* ICACHE.MISSES */
	{ DTLB_LOADS, 0x81d0 },		 /* MEM_UOPS_RETIRED.ALL_LOADS */
	{ DTLB_STORES, 0x82d0 },	 /* MEM_UOPS_RETIRED.ALL_STORES */
	{ DTLB_STORE_MISSES, 0x0149 },	 /* DTLB_STORE_MISSES.MISS_CAUSES_A_WALK */
	{ ITLB_LOADS, 0x1085 },		 /* ITLB_MISSES.STLB_HIT */
	{ ITLB_LOAD_MISSES, 0x0185 },	 /* ITLB_MISSES.MISS_CAUSES_A_WALK */
	{ BRANCH_LOADS, 0x00c4 },	 /* BR_INST_RETIRED.ALL_BRANCHES */
	{ BRANCH_LOAD_MISSES, 0x00c5 },	 /* BR_MISP_RETIRED.ALL_BRANCHES */
	{},
};

static const struct code sandy_bridge[] = {
	{ DTLB_LOAD_MISSES, 0x0108 }, /* DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK */
	{},
};

static const struct code ivy_bridge[] = {
	{ DTLB_LOAD_MISSES, 0x8108 }, /* DTLB_LOAD_MISSES.DEMAND_LD_MISS_CAUSES_A_WALK */
	{},
};

static const struct code haswell[] = {
	{ L1D_LOADS, 0x81d0 },	     /* MEM_UOPS_RETIRED.ALL_LOADS */
	{ L1D_LOAD_MISSES, 0x0151 }, /* L1D.REPLACEMENT */
	{ L1D_STORES, 0x82d0 },	     /* MEM_UOPS_RETIRED.ALL_STORES */
	{ L1I_LOAD_MISSES, 0x0280 }, /* ICACHE.MISSES */
	{ DTLB_LOADS, 0x81d0 },
	{ DTLB_LOAD_MISSES, 0x0108 }, /* DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK */
	{ DTLB_STORES, 0x82d0 },
	{ DTLB_STORE_MISSES, 0x0149 },	/* DTLB_STORE_MISSES.MISS_CAUSES_A_WALK */
	{ ITLB_LOADS, 0x6085 },		/* ITLB_MISSES.STLB_HIT */
	{ ITLB_LOAD_MISSES, 0x0185 },	/* ITLB_MISSES.MISS_CAUSES_A_WALK */
	{ BRANCH_LOADS, 0x00c4 },	/* BR_INST_RETIRED.ALL_BRANCHES */
	{ BRANCH_LOAD_MISSES, 0x00c5 }, /* BR_MISP_RETIRED.ALL_BRANCHES */
	{},
};

static const struct code skylake_more[] = {
	{ ITLB_LOADS, 0x2085 }, /* ITLB_MISSES.STLB_HIT */
	{},
};

/* Skylake, and Ice Lake except for iTLB-loads. */
static const struct code skylake[] = {
	{ L1D_LOADS, 0x81d0 },	     /* MEM_INST_RETIRED.ALL_LOADS */
	{ L1D_LOAD_MISSES, 0x0151 }, /* L1D.REPLACEMENT */
	{ L1D_STORES, 0x82d0 },	     /* MEM_INST_RETIRED.ALL_STORES */
	{ L1I_LOAD_MISSES, 0x0283 }, /* ICACHE_64B.IFTAG_MISS */
	{ DTLB_LOADS, 0x81d0 },
	{ DTLB_LOAD_MISSES, 0x0e08 }, /* DTLB_LOAD_MISSES.WALK_COMPLETED */
	{ DTLB_STORES, 0x82d0 },
	{ DTLB_STORE_MISSES, 0x0e49 },	/* DTLB_STORE_MISSES.WALK_COMPLETED */
	{ ITLB_LOAD_MISSES, 0x0e85 },	/* ITLB_MISSES.WALK_COMPLETED */
	{ BRANCH_LOADS, 0x00c4 },	/* BR_INST_RETIRED.ALL_BRANCHES */
	{ BRANCH_LOAD_MISSES, 0x00c5 }, /* BR_MISP_RETIRED.ALL_BRANCHES */
	{},
};

/* And all later big cores. */
static const struct code golden_cove[] = {
	{ L1D_LOADS, 0x81d0 },	     /* MEM_INST_RETIRED.ALL_LOADS */
	{ L1D_LOAD_MISSES, 0xe124 }, /* L2_RQSTS.ALL_DEMAND_DATA_RD */
	{ L1D_STORES, 0x82d0 },	     /* MEM_INST_RETIRED.ALL_STORES */
	{ L1I_LOAD_MISSES, 0xe424 }, /* L2_RQSTS.ALL_CODE_RD */
	{ DTLB_LOADS, 0x81d0 },
	{ DTLB_LOAD_MISSES, 0x0e12 }, /* DTLB_LOAD_MISSES.WALK_COMPLETED */
	{ DTLB_STORES, 0x82d0 },
	{ BRANCH_LOADS, 0x04c4 },
	{ BRANCH_LOAD_MISSES, 0x04c5 },
	{ DTLB_STORE_MISSES, 0x0e13 }, /* DTLB_STORE_MISSES.WALK_COMPLETED */
	{ ITLB_LOAD_MISSES, 0x0e11 },  /* ITLB_MISSES.WALK_COMPLETED */
	{},
};

static const struct code silvermont[] = {
	{ L1D_LOAD_MISSES, 0x0104 },	/* MEM_UOPS_RETIRED.L1_MISS_LOADS */
	{ L1I_LOADS, 0x0380 },		/* ICACHE.ACCESSES */
	{ L1I_LOAD_MISSES, 0x0280 },	/* ICACHE.MISSES */
	{ DTLB_LOAD_MISSES, 0x0804 },	/* MEM_UOPS_RETIRED.DTLB_MISS_LOADS */
	{ ITLB_LOADS, 0x00c0 },		/* INST_RETIRED.ANY_P */
	{ ITLB_LOAD_MISSES, 0x40205 },	/* PAGE_WALKS.I_SIDE_WALKS: starts of walks */
	{ BRANCH_LOADS, 0x00c4 },	/* BR_INST_RETIRED.ALL_BRANCHES */
	{ BRANCH_LOAD_MISSES, 0x00c5 }, /* BR_MISP_RETIRED.ALL_BRANCHES */
	{ LLC_LOADS, OFFCORE },		{ LLC_STORES, OFFCORE }, { LLC_STORE_MISSES, OFFCORE }, {},
};

static const struct code goldmont[] = {
	{ L1D_LOADS, 0x81d0 },	     /* MEM_UOPS_RETIRED.ALL_LOADS */
	{ L1D_STORES, 0x82d0 },	     /* MEM_UOPS_RETIRED.ALL_STORES */
	{ L1I_LOADS, 0x0380 },	     /* ICACHE.ACCESSES */
	{ L1I_LOAD_MISSES, 0x0280 }, /* ICACHE.MISSES */
	{ DTLB_LOADS, 0x81d0 },
	{ DTLB_STORES, 0x82d0 },
	{ ITLB_LOADS, 0x00c0 },		/* INST_RETIRED.ANY_P */
	{ ITLB_LOAD_MISSES, 0x0481 },	/* ITLB.MISS */
	{ BRANCH_LOADS, 0x00c4 },	/* BR_INST_RETIRED.ALL_BRANCHES */
	{ BRANCH_LOAD_MISSES, 0x00c5 }, /* BR_MISP_RETIRED.ALL_BRANCHES */
	{},
};

static const struct code goldmont_plus_more[] = {
	{ ITLB_LOADS, 0x00c0 },
	{},
};

/* Goldmont Plus, and all later small cores except for iTLB-loads. */
static const struct code tremont[] = {
	{ L1D_LOADS, 0x81d0 },
	{ L1D_STORES, 0x82d0 },
	{ L1I_LOADS, 0x0380 },
	{ L1I_LOAD_MISSES, 0x0280 },
	{ DTLB_LOADS, 0x81d0 },
	{ DTLB_LOAD_MISSES, 0x0e08 }, /* DTLB_LOAD_MISSES.WALK_COMPLETED */
	{ DTLB_STORES, 0x82d0 },
	{ DTLB_STORE_MISSES, 0x0e49 }, /* DTLB_STORE_MISSES.WALK_COMPLETED */
	{ ITLB_LOAD_MISSES, 0x0481 },
	{ BRANCH_LOADS, 0x00c4 },	/* BR_INST_RETIRED.ALL_BRANCHES */
	{ BRANCH_LOAD_MISSES, 0x00c5 }, /* BR_MISP_RETIRED.ALL_BRANCHES */
	{},
};

/* Family and model. */
#define CPU(family, model) ((family) << 8 | (model))
#define MOST_MODELS	   16
#define MOST_LISTS	   5

/* @cpu: the models; @lists: their events */
static const struct cpu {
	unsigned int cpu[MOST_MODELS];
	const struct code *lists[MOST_LISTS];
} cpus[] = {
	{ { CPU(6, 0x1a), CPU(6, 0x1e), CPU(6, 0x2e) },
	  { nehalem, offcore, offcore_more, offcore_node } },
	{ { CPU(6, 0x25), CPU(6, 0x2c), CPU(6, 0x2f) },
	  { westmere, offcore, offcore_more, offcore_node } },
	{ { CPU(6, 0x2a), CPU(6, 0x2d) },
	  { bridge, sandy_bridge, offcore, offcore_more, offcore_node } },
	{ { CPU(6, 0x3a), CPU(6, 0x3e) },
	  { bridge, ivy_bridge, offcore, offcore_more, offcore_node } },
	/* Haswell, Broadwell */
	{ { CPU(6, 0x3c), CPU(6, 0x3f), CPU(6, 0x45), CPU(6, 0x46), CPU(6, 0x3d), CPU(6, 0x47),
	    CPU(6, 0x4f), CPU(6, 0x56) },
	  { haswell, offcore, offcore_node } },
	/* Skylake, Kaby Lake, Comet Lake */
	{ { CPU(6, 0x4e), CPU(6, 0x5e), CPU(6, 0x55), CPU(6, 0x8e), CPU(6, 0x9e), CPU(6, 0xa5),
	    CPU(6, 0xa6) },
	  { skylake, skylake_more, offcore, offcore_node } },
	/* Ice Lake, Tiger Lake, Rocket Lake */
	{ { CPU(6, 0x6a), CPU(6, 0x6c), CPU(6, 0x7d), CPU(6, 0x7e), CPU(6, 0x8c), CPU(6, 0x8d),
	    CPU(6, 0xa7) },
	  { skylake, offcore, offcore_node } },
	/* Sapphire, Emerald, Granite and Diamond Rapids */
	{ { CPU(6, 0x8f), CPU(6, 0xcf), CPU(6, 0xad), CPU(6, 0xae), CPU(19, 0x01) },
	  { golden_cove, offcore } },
	/* Big cores of Alder, Raptor, Meteor, Arrow, Lunar, Panther, Wildcat and Nova Lake */
	{ { CPU(6, 0x97), CPU(6, 0x9a), CPU(6, 0xb7), CPU(6, 0xba), CPU(6, 0xbf), CPU(6, 0xac),
	    CPU(6, 0xaa), CPU(6, 0xb5), CPU(6, 0xc5), CPU(6, 0xc6), CPU(6, 0xbd), CPU(6, 0xcc),
	    CPU(6, 0xd5), CPU(18, 0x01), CPU(18, 0x03) },
	  { golden_cove, offcore } },
	/* Silvermont, Airmont, Knights Landing and Mill */
	{ { CPU(6, 0x37), CPU(6, 0x4d), CPU(6, 0x4a), CPU(6, 0x5a), CPU(6, 0x4c), CPU(6, 0x75),
	    CPU(6, 0x57), CPU(6, 0x85) },
	  { silvermont, offcore_more } },
	{ { CPU(6, 0x5c), CPU(6, 0x5f) }, { goldmont, offcore, offcore_more } },
	{ { CPU(6, 0x7a) }, { tremont, goldmont_plus_more, offcore } },
	/* Tremont, Gracemont, Crestmont, Darkmont */
	{ { CPU(6, 0x86), CPU(6, 0x96), CPU(6, 0x9c), CPU(6, 0xbe), CPU(6, 0xaf), CPU(6, 0xb6),
	    CPU(6, 0xdd) },
	  { tremont, offcore } },
};

/* SDM volume 2A, CPUID.01H:EAX: the extended model and family count in some families only. */
static unsigned int cpu_of(unsigned int signature)
{
	unsigned int family = signature >> 8 & 0xf, model = signature >> 4 & 0xf;

	if (family == 0x6 || family == 0xf)
		model |= (signature >> 16 & 0xf) << 4;
	if (family == 0xf)
		family += signature >> 20 & 0xff;
	return CPU(family, model);
}

static bool has_model(const struct cpu *cpu, unsigned int model)
{
	unsigned int i;

	for (i = 0; i < MOST_MODELS && cpu->cpu[i]; i++)
		if (cpu->cpu[i] == model)
			return true;
	return false;
}

static unsigned int code_in(const struct code *code, enum cache_event event)
{
	while (code->code && code->event != event)
		code++;
	return code->code;
}

unsigned int pmudev_cache_intel(unsigned int signature, bool atom, enum cache_event event)
{
	const struct cpu *cpu = cpus, *end = cpus + ARRAY_SIZE(cpus);
	const unsigned int model = cpu_of(signature);
	unsigned int i, code = 0;

	while (cpu < end && !has_model(cpu, model))
		cpu++;
	if (cpu == end)
		return CACHE_UNKNOWN_CPU;
	for (i = 0; i < MOST_LISTS && cpu->lists[i] && !code; i++) {
		const bool small = atom && cpu->lists[i] == golden_cove;

		code = code_in(small ? tremont : cpu->lists[i], event);
	}
	return code;
}
