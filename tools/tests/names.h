/* SPDX-License-Identifier: MIT */
/*
 * Names of libpfm4 and the codes that the CPUs' manuals give them: Intel's SDM, the tables of
 * Skylake's events (event, umask; cmask, inv and edge where the event has them), and the TRMs of
 * Neoverse N1 and V1 (what these call L1I_CACHE and L2D_CACHE has _ACCESS in libpfm4).
 */
#ifndef NAMES_H
#define NAMES_H

struct known_name {
	const char *name;
	unsigned int config;
};

#if !defined(__aarch64__) && !defined(__arm__)

#define NAMES_ARCH "intel"

/* What these tables are called; all names are in each. */
static const char *const name_tables[] = { "skl", "skx" };

#define EVENT(code, umask)	  ((umask) << 8 | (code))
#define CMASK(n)		  ((n) << 24)
#define INV			  (1 << 23)
#define EDGE			  (1 << 18)

static const struct known_name known_names[] = {
	{ "INST_RETIRED:ANY_P", EVENT(0xc0, 0x00) },
	{ "CPU_CLK_UNHALTED:THREAD_P", EVENT(0x3c, 0x00) },
	{ "UOPS_ISSUED:ANY", EVENT(0x0e, 0x01) },
	{ "UOPS_ISSUED:STALL_CYCLES", EVENT(0x0e, 0x01) | CMASK(1) | INV },
	{ "UOPS_RETIRED:RETIRE_SLOTS", EVENT(0xc2, 0x02) },
	{ "UOPS_EXECUTED:THREAD", EVENT(0xb1, 0x01) },
	{ "UOPS_DISPATCHED_PORT:PORT_0", EVENT(0xa1, 0x01) },
	{ "UOPS_DISPATCHED_PORT:PORT_5", EVENT(0xa1, 0x20) },
	{ "BR_INST_RETIRED:ALL_BRANCHES", EVENT(0xc4, 0x00) },
	{ "BR_INST_RETIRED:CONDITIONAL", EVENT(0xc4, 0x01) },
	{ "BR_INST_RETIRED:NEAR_CALL", EVENT(0xc4, 0x02) },
	{ "BR_INST_RETIRED:NEAR_RETURN", EVENT(0xc4, 0x08) },
	{ "BR_INST_RETIRED:NOT_TAKEN", EVENT(0xc4, 0x10) },
	{ "BR_INST_RETIRED:NEAR_TAKEN", EVENT(0xc4, 0x20) },
	{ "BR_INST_RETIRED:FAR_BRANCH", EVENT(0xc4, 0x40) },
	{ "BR_MISP_RETIRED:ALL_BRANCHES", EVENT(0xc5, 0x00) },
	{ "BR_MISP_RETIRED:CONDITIONAL", EVENT(0xc5, 0x01) },
	{ "BR_MISP_RETIRED:NEAR_TAKEN", EVENT(0xc5, 0x20) },
	{ "MEM_LOAD_RETIRED:L1_HIT", EVENT(0xd1, 0x01) },
	{ "MEM_LOAD_RETIRED:L2_HIT", EVENT(0xd1, 0x02) },
	{ "MEM_LOAD_RETIRED:L3_HIT", EVENT(0xd1, 0x04) },
	{ "MEM_LOAD_RETIRED:L1_MISS", EVENT(0xd1, 0x08) },
	{ "MEM_LOAD_RETIRED:L2_MISS", EVENT(0xd1, 0x10) },
	{ "MEM_LOAD_RETIRED:L3_MISS", EVENT(0xd1, 0x20) },
	{ "MEM_LOAD_RETIRED:FB_HIT", EVENT(0xd1, 0x40) },
	{ "MEM_INST_RETIRED:ALL_LOADS", EVENT(0xd0, 0x81) },
	{ "MEM_INST_RETIRED:ALL_STORES", EVENT(0xd0, 0x82) },
	{ "MEM_INST_RETIRED:LOCK_LOADS", EVENT(0xd0, 0x21) },
	{ "MEM_INST_RETIRED:SPLIT_LOADS", EVENT(0xd0, 0x41) },
	{ "MEM_INST_RETIRED:STLB_MISS_LOADS", EVENT(0xd0, 0x11) },
	{ "L2_RQSTS:MISS", EVENT(0x24, 0x3f) },
	{ "L2_RQSTS:REFERENCES", EVENT(0x24, 0xff) },
	{ "L2_RQSTS:DEMAND_DATA_RD_MISS", EVENT(0x24, 0x21) },
	{ "L2_RQSTS:ALL_DEMAND_DATA_RD", EVENT(0x24, 0xe1) },
	{ "L2_RQSTS:ALL_CODE_RD", EVENT(0x24, 0xe4) },
	{ "L2_LINES_IN:ALL", EVENT(0xf1, 0x1f) },
	{ "LONGEST_LAT_CACHE:MISS", EVENT(0x2e, 0x41) },
	{ "LONGEST_LAT_CACHE:REFERENCE", EVENT(0x2e, 0x4f) },
	{ "L1D:REPLACEMENT", EVENT(0x51, 0x01) },
	{ "L1D_PEND_MISS:PENDING", EVENT(0x48, 0x01) },
	{ "DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", EVENT(0x08, 0x01) },
	{ "DTLB_LOAD_MISSES:STLB_HIT", EVENT(0x08, 0x20) },
	{ "DTLB_STORE_MISSES:MISS_CAUSES_A_WALK", EVENT(0x49, 0x01) },
	{ "ITLB_MISSES:MISS_CAUSES_A_WALK", EVENT(0x85, 0x01) },
	{ "IDQ_UOPS_NOT_DELIVERED:CORE", EVENT(0x9c, 0x01) },
	{ "IDQ:DSB_UOPS", EVENT(0x79, 0x08) },
	{ "IDQ:MITE_UOPS", EVENT(0x79, 0x04) },
	{ "CYCLE_ACTIVITY:STALLS_TOTAL", EVENT(0xa3, 0x04) | CMASK(4) },
	{ "CYCLE_ACTIVITY:STALLS_L2_MISS", EVENT(0xa3, 0x05) | CMASK(5) },
	{ "CYCLE_ACTIVITY:STALLS_MEM_ANY", EVENT(0xa3, 0x14) | CMASK(20) },
	{ "RESOURCE_STALLS:ANY", EVENT(0xa2, 0x01) },
	{ "RESOURCE_STALLS:SB", EVENT(0xa2, 0x08) },
	{ "MACHINE_CLEARS:COUNT", EVENT(0xc3, 0x01) | CMASK(1) | EDGE },
	{ "MACHINE_CLEARS:MEMORY_ORDERING", EVENT(0xc3, 0x02) },
	{ "LD_BLOCKS:STORE_FORWARD", EVENT(0x03, 0x02) },
	{ "LD_BLOCKS_PARTIAL:ADDRESS_ALIAS", EVENT(0x07, 0x01) },
	{ "ILD_STALL:LCP", EVENT(0x87, 0x01) },
	{ "BACLEARS:ANY", EVENT(0xe6, 0x01) },
	{ "OFFCORE_REQUESTS:DEMAND_DATA_RD", EVENT(0xb0, 0x01) },
	{ "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE", EVENT(0xc7, 0x01) },
	{ "FP_ARITH_INST_RETIRED:SCALAR_SINGLE", EVENT(0xc7, 0x02) },
	{ "HW_INTERRUPTS:RECEIVED", EVENT(0xcb, 0x01) },
};

#else

#define NAMES_ARCH "arm64"

static const char *const name_tables[] = { "arm_n1", "arm_v1" };

static const struct known_name known_names[] = {
	{ "SW_INCR", 0x00 },
	{ "L1I_CACHE_REFILL", 0x01 },
	{ "L1I_TLB_REFILL", 0x02 },
	{ "L1D_CACHE_REFILL", 0x03 },
	{ "L1D_CACHE", 0x04 },
	{ "L1D_TLB_REFILL", 0x05 },
	{ "INST_RETIRED", 0x08 },
	{ "EXC_TAKEN", 0x09 },
	{ "EXC_RETURN", 0x0a },
	{ "BR_MIS_PRED", 0x10 },
	{ "CPU_CYCLES", 0x11 },
	{ "BR_PRED", 0x12 },
	{ "MEM_ACCESS", 0x13 },
	{ "L1I_CACHE_ACCESS", 0x14 },
	{ "L1D_CACHE_WB", 0x15 },
	{ "L2D_CACHE_ACCESS", 0x16 },
	{ "L2D_CACHE_REFILL", 0x17 },
	{ "L2D_CACHE_WB", 0x18 },
	{ "BUS_ACCESS", 0x19 },
	{ "MEMORY_ERROR", 0x1a },
	{ "INST_SPEC", 0x1b },
	{ "TTBR_WRITE_RETIRED", 0x1c },
	{ "L2D_CACHE_ALLOCATE", 0x20 },
	{ "BR_RETIRED", 0x21 },
	{ "BR_MIS_PRED_RETIRED", 0x22 },
	{ "STALL_FRONTEND", 0x23 },
	{ "STALL_BACKEND", 0x24 },
	{ "L1D_TLB", 0x25 },
	{ "L1I_TLB", 0x26 },
	{ "L2D_TLB_REFILL", 0x2d },
	{ "L2D_TLB", 0x2f },
	{ "REMOTE_ACCESS", 0x31 },
	{ "DTLB_WALK", 0x34 },
	{ "ITLB_WALK", 0x35 },
	{ "LL_CACHE_RD", 0x36 },
	{ "LL_CACHE_MISS_RD", 0x37 },
	{ "L1D_CACHE_RD", 0x40 },
	{ "L1D_CACHE_WR", 0x41 },
	{ "L1D_CACHE_REFILL_RD", 0x42 },
	{ "L1D_CACHE_REFILL_WR", 0x43 },
	{ "L1D_TLB_REFILL_RD", 0x4c },
	{ "L2D_CACHE_RD", 0x50 },
	{ "L2D_CACHE_WR", 0x51 },
	{ "BUS_ACCESS_RD", 0x60 },
	{ "BUS_ACCESS_WR", 0x61 },
	{ "MEM_ACCESS_RD", 0x66 },
	{ "MEM_ACCESS_WR", 0x67 },
	{ "UNALIGNED_LD_SPEC", 0x68 },
	{ "LDREX_SPEC", 0x6c },
	{ "LD_SPEC", 0x70 },
	{ "ST_SPEC", 0x71 },
	{ "DP_SPEC", 0x73 },
	{ "ASE_SPEC", 0x74 },
	{ "VFP_SPEC", 0x75 },
	{ "CRYPTO_SPEC", 0x77 },
	{ "BR_IMMED_SPEC", 0x78 },
	{ "BR_RETURN_SPEC", 0x79 },
	{ "BR_INDIRECT_SPEC", 0x7a },
	{ "DMB_SPEC", 0x7e },
};

#endif

#define NR_NAMES  (sizeof(known_names) / sizeof(*known_names))
#define NR_TABLES (sizeof(name_tables) / sizeof(*name_tables))

/* libpfm4 itself, if the program is linked with it: perf's config. */
#if __has_include("perfmon/pfmlib_perf_event.h")
#include <perfmon/pfmlib_perf_event.h>
#include <string.h>

#pragma weak pfm_get_os_event_encoding

static inline bool asked_of_libpfm(const char *name, uint64_t *config)
{
	struct perf_event_attr attr;
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	if (!pfm_get_os_event_encoding ||
	    pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg))
		return false;
	*config = attr.config;
	return true;
}
#else
static inline bool asked_of_libpfm(const char *name, uint64_t *config)
{
	(void)name;
	(void)config;
	return false;
}
#endif

#endif /* NAMES_H */
