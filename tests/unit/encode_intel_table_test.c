// SPDX-License-Identifier: GPL-2.0
/*
 * intel_encode() by a table: events as libpfm4 writes them, as a program would give them to pmudev,
 * and IA32_PERFEVTSELx. libpfm4, where it is installed, is asked whether the table is right.
 */
#include <dlfcn.h>

#include "encode_intel.h"

#define U PMUDEV_EXCLUDE_USER
#define K PMUDEV_EXCLUDE_KERNEL

/* libpfm4 encodes for sampling. */
#define INT 0x00100000ULL

static const struct {
	const char *event;
	u16 select; /* unit mask, event */
	u8 edge, inv, cmask;
	u32 exclude;
	u32 evtsel;
} rows[] = {
	{ "core::UNHALTED_CORE_CYCLES", 0x003c, 0, 0, 0, 0, 0x0043003c },
	{ "core::INSTRUCTION_RETIRED:u", 0x00c0, 0, 0, 0, K, 0x004100c0 },
	{ "core::LLC_MISSES:k", 0x412e, 0, 0, 0, U, 0x0042412e },
	{ "core::UOPS_RETIRED:ANY:c=1:i=1", 0x0fc2, 0, 1, 1, 0, 0x01c30fc2 },
	{ "core::RS_UOPS_DISPATCHED_CYCLES:PORT_0", 0x01a1, 0, 0, 0, 0, 0x004301a1 },
	{ "core::L1D_REPL:u", 0x0f45, 0, 0, 0, K, 0x00410f45 },
	{ "core::RS_UOPS_DISPATCHED:c=1", 0x00a0, 0, 0, 1, 0, 0x014300a0 },
	{ "core::RESOURCE_STALLS:ROB_FULL:c=1:e=1:k", 0x01dc, 1, 0, 1, U, 0x014601dc },
	{ "atom::UOPS_RETIRED:ANY:u", 0x10c2, 0, 0, 0, K, 0x004110c2 },
	{ "atom::BR_INST_RETIRED:MISPRED:u:k", 0x0ac4, 0, 0, 0, 0, 0x00430ac4 },
	{ "atom::BR_INST_RETIRED:PRED_TAKEN:c=2", 0x04c4, 0, 0, 2, 0, 0x024304c4 },
	{ "atom::ITLB:MISSES:k", 0x0282, 0, 0, 0, U, 0x00420282 },
	{ "nhm::INST_RETIRED:ANY_P", 0x00c0, 0, 0, 0, 0, 0x004300c0 },
	{ "nhm::INST_RETIRED:ANY_P:c=16:i=1", 0x00c0, 0, 1, 16, 0, 0x10c300c0 },
	{ "nhm::UOPS_EXECUTED:PORT015:c=1:e=1:u", 0x40b1, 1, 0, 1, K, 0x014540b1 },
	{ "nhm::BR_INST_EXEC:COND:u", 0x0188, 0, 0, 0, K, 0x00410188 },
	{ "nhm::L2_RQSTS:MISS", 0xaa24, 0, 0, 0, 0, 0x0043aa24 },
	{ "nhm::ARITH:CYCLES_DIV_BUSY:c=1:e=1", 0x0114, 1, 0, 1, 0, 0x01470114 },
	{ "nhm::MEM_UNCORE_RETIRED:LOCAL_DRAM:k", 0x200f, 0, 0, 0, U, 0x0042200f },
	{ "wsm::UOPS_ISSUED:ANY:c=1:i=1:u", 0x010e, 0, 1, 1, K, 0x01c1010e },
	{ "wsm::LLC_REFERENCES:u", 0x4f2e, 0, 0, 0, K, 0x00414f2e },
	{ "wsm::DTLB_MISSES:WALK_COMPLETED:k", 0x0249, 0, 0, 0, U, 0x00420249 },
	{ "wsm::RESOURCE_STALLS:ANY:u", 0x01a2, 0, 0, 0, K, 0x004101a2 },
	{ "wsm::SSEX_UOPS_RETIRED:SCALAR_DOUBLE", 0x08c7, 0, 0, 0, 0, 0x004308c7 },
	{ "snb::LD_BLOCKS:STORE_FORWARD", 0x0203, 0, 0, 0, 0, 0x00430203 },
	{ "snb::IDQ:MS_UOPS:c=1:e=1", 0x3079, 1, 0, 1, 0, 0x01473079 },
	{ "snb::L2_RQSTS:ALL_DEMAND_DATA_RD:u", 0x0324, 0, 0, 0, K, 0x00410324 },
	{ "snb::BR_MISP_RETIRED:ALL_BRANCHES", 0x04c5, 0, 0, 0, 0, 0x004304c5 },
	{ "snb::FP_COMP_OPS_EXE:SSE_SCALAR_DOUBLE:u", 0x8010, 0, 0, 0, K, 0x00418010 },
	{ "snb::CPL_CYCLES:RING0:c=1:e=1", 0x015c, 1, 0, 1, 0, 0x0147015c },
	{ "snb::ITLB_MISSES:MISS_CAUSES_A_WALK:k", 0x0185, 0, 0, 0, U, 0x00420185 },
	{ "ivb::UOPS_ISSUED:ANY", 0x010e, 0, 0, 0, 0, 0x0043010e },
	{ "ivb::UOPS_ISSUED:ANY:c=1:i=1", 0x010e, 0, 1, 1, 0, 0x01c3010e },
	{ "ivb::UOPS_EXECUTED:CORE:c=2:u", 0x02b1, 0, 0, 2, K, 0x024102b1 },
	{ "ivb::MOVE_ELIMINATION:INT_ELIMINATED:u", 0x0458, 0, 0, 0, K, 0x00410458 },
	{ "ivb::CYCLE_ACTIVITY:CYCLES_L2_PENDING", 0x01a3, 0, 0, 1, 0, 0x014301a3 },
	{ "ivb::DTLB_LOAD_MISSES:DEMAND_LD_WALK_COMPLETED:k", 0x8208, 0, 0, 0, U, 0x00428208 },
	{ "ivb::LLC_MISSES:u", 0x412e, 0, 0, 0, K, 0x0041412e },
	{ "ivb::ICACHE:MISSES:u:k", 0x0280, 0, 0, 0, 0, 0x00430280 },
	{ "hsw::UOPS_RETIRED:ALL", 0x01c2, 0, 0, 0, 0, 0x004301c2 },
	{ "hsw::UOPS_RETIRED:ALL:c=10:i=1:u", 0x01c2, 0, 1, 10, K, 0x0ac101c2 },
	{ "hsw::LSD:UOPS:c=4", 0x01a8, 0, 0, 4, 0, 0x044301a8 },
	{ "hsw::MACHINE_CLEARS:MEMORY_ORDERING:k", 0x02c3, 0, 0, 0, U, 0x004202c3 },
	{ "hsw::UOPS_EXECUTED_PORT:PORT_6:u", 0x40a1, 0, 0, 0, K, 0x004140a1 },
	{ "hsw::TX_MEM:ABORT_CONFLICT", 0x0154, 0, 0, 0, 0, 0x00430154 },
	{ "hsw::L1D:REPLACEMENT:u", 0x0151, 0, 0, 0, K, 0x00410151 },
	{ "hsw::IDQ_UOPS_NOT_DELIVERED:CORE:c=4:u", 0x019c, 0, 0, 4, K, 0x0441019c },
	{ "hsw::MISALIGN_MEM_REF:STORES", 0x0205, 0, 0, 0, 0, 0x00430205 },
	{ "hsw::BR_INST_RETIRED:NEAR_TAKEN:u", 0x20c4, 0, 0, 0, K, 0x004120c4 },
	{ "bdw::L2_RQSTS:MISS:u", 0x3f24, 0, 0, 0, K, 0x00413f24 },
	{ "bdw::INST_RETIRED:ANY_P:u", 0x00c0, 0, 0, 0, K, 0x004100c0 },
	{ "bdw::INST_RETIRED:ANY_P:c=1:k", 0x00c0, 0, 0, 1, U, 0x014200c0 },
	{ "bdw::UOPS_EXECUTED:THREAD:c=255", 0x01b1, 0, 0, 255, 0, 0xff4301b1 },
	{ "bdw::RESOURCE_STALLS:SB:k", 0x08a2, 0, 0, 0, U, 0x004208a2 },
	{ "bdw::CYCLE_ACTIVITY:STALLS_LDM_PENDING", 0x06a3, 0, 0, 6, 0, 0x064306a3 },
	{ "bdw::BR_MISP_RETIRED:CONDITIONAL:u", 0x01c5, 0, 0, 0, K, 0x004101c5 },
	{ "skl::INST_RETIRED:ANY_P", 0x00c0, 0, 0, 0, 0, 0x004300c0 },
	{ "skl::INST_RETIRED:ANY_P:u", 0x00c0, 0, 0, 0, K, 0x004100c0 },
	{ "skl::INST_RETIRED:ANY_P:k", 0x00c0, 0, 0, 0, U, 0x004200c0 },
	{ "skl::INST_RETIRED:ANY_P:c=1:u", 0x00c0, 0, 0, 1, K, 0x014100c0 },
	{ "skl::INST_RETIRED:ANY_P:c=1:i=1:u", 0x00c0, 0, 1, 1, K, 0x01c100c0 },
	{ "skl::INST_RETIRED:ANY_P:c=1:e=1:u", 0x00c0, 1, 0, 1, K, 0x014500c0 },
	{ "skl::INST_RETIRED:ANY_P:c=1:i=1:e=1:u:k", 0x00c0, 1, 1, 1, 0, 0x01c700c0 },
	{ "skl::INST_RETIRED:ANY_P:i=1", 0x00c0, 0, 1, 0, 0, 0x00c300c0 },
	{ "skl::INST_RETIRED:ANY_P:c=255:u", 0x00c0, 0, 0, 255, K, 0xff4100c0 },
	{ "skl::INST_RETIRED:ANY_P:c=128:k", 0x00c0, 0, 0, 128, U, 0x804200c0 },
	{ "skl::UNHALTED_CORE_CYCLES:u", 0x003c, 0, 0, 0, K, 0x0041003c },
	{ "skl::UNHALTED_CORE_CYCLES:c=2:k", 0x003c, 0, 0, 2, U, 0x0242003c },
	{ "skl::CPU_CLK_UNHALTED:REF_XCLK:u", 0x013c, 0, 0, 0, K, 0x0041013c },
	{ "skl::CPU_CLK_UNHALTED:RING0_TRANS:c=1:e=1:k", 0x003c, 1, 0, 1, U, 0x0146003c },
	{ "skl::UOPS_ISSUED:ANY", 0x010e, 0, 0, 0, 0, 0x0043010e },
	{ "skl::UOPS_ISSUED:STALL_CYCLES", 0x010e, 0, 1, 1, 0, 0x01c3010e },
	{ "skl::UOPS_ISSUED:ANY:c=4:u", 0x010e, 0, 0, 4, K, 0x0441010e },
	{ "skl::UOPS_EXECUTED:THREAD:c=3:i=1", 0x01b1, 0, 1, 3, 0, 0x03c301b1 },
	{ "skl::UOPS_EXECUTED:CORE_CYCLES_GE_2", 0x02b1, 0, 0, 2, 0, 0x024302b1 },
	{ "skl::UOPS_DISPATCHED_PORT:PORT_7:u", 0x80a1, 0, 0, 0, K, 0x004180a1 },
	{ "skl::ARITH:DIVIDER_ACTIVE:c=1:e=1", 0x0114, 1, 0, 1, 0, 0x01470114 },
	{ "skl::BR_INST_RETIRED:FAR_BRANCH:k", 0x40c4, 0, 0, 0, U, 0x004240c4 },
	{ "skl::BR_INST_RETIRED:NEAR_CALL:u", 0x02c4, 0, 0, 0, K, 0x004102c4 },
	{ "skl::BR_MISP_RETIRED:ALL_BRANCHES:u", 0x00c5, 0, 0, 0, K, 0x004100c5 },
	{ "skl::L2_RQSTS:REFERENCES", 0xff24, 0, 0, 0, 0, 0x0043ff24 },
	{ "skl::L2_RQSTS:DEMAND_DATA_RD_MISS:u", 0x2124, 0, 0, 0, K, 0x00412124 },
	{ "skl::MEM_INST_RETIRED:ALL_LOADS:u", 0x81d0, 0, 0, 0, K, 0x004181d0 },
	{ "skl::MEM_INST_RETIRED:ALL_STORES:u:k", 0x82d0, 0, 0, 0, 0, 0x004382d0 },
	{ "skl::MEM_LOAD_RETIRED:L1_MISS", 0x08d1, 0, 0, 0, 0, 0x004308d1 },
	{ "skl::DTLB_LOAD_MISSES:WALK_ACTIVE:k", 0x1008, 0, 0, 1, U, 0x01421008 },
	{ "skl::DTLB_STORE_MISSES:STLB_HIT", 0x2049, 0, 0, 0, 0, 0x00432049 },
	{ "skl::ITLB:ITLB_FLUSH:k", 0x01ae, 0, 0, 0, U, 0x004201ae },
	{ "skl::CYCLE_ACTIVITY:STALLS_L2_MISS", 0x05a3, 0, 0, 5, 0, 0x054305a3 },
	{ "skl::CYCLE_ACTIVITY:STALLS_TOTAL:u", 0x04a3, 0, 0, 4, K, 0x044104a3 },
	{ "skl::EXE_ACTIVITY:BOUND_ON_STORES", 0x40a6, 0, 0, 0, 0, 0x004340a6 },
	{ "skl::IDQ:MS_SWITCHES", 0x3079, 1, 0, 1, 0, 0x01473079 },
	{ "skl::IDQ_UOPS_NOT_DELIVERED:CYCLES_FE_WAS_OK", 0x019c, 0, 1, 1, 0, 0x01c3019c },
	{ "skl::LSD:CYCLES_4_UOPS:u", 0x01a8, 0, 0, 4, K, 0x044101a8 },
	{ "skl::MACHINE_CLEARS:COUNT", 0x01c3, 1, 0, 1, 0, 0x014701c3 },
	{ "skl::MACHINE_CLEARS:SMC:u", 0x04c3, 0, 0, 0, K, 0x004104c3 },
	{ "skl::FP_ARITH_INST_RETIRED:SCALAR_DOUBLE:u", 0x01c7, 0, 0, 0, K, 0x004101c7 },
	{ "skl::HW_INTERRUPTS:RECEIVED:k", 0x01cb, 0, 0, 0, U, 0x004201cb },
	{ "skl::LONGEST_LAT_CACHE:MISS:u", 0x412e, 0, 0, 0, K, 0x0041412e },
	{ "skl::LONGEST_LAT_CACHE:REFERENCE:k", 0x4f2e, 0, 0, 0, U, 0x00424f2e },
	{ "skx::FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE:u", 0x40c7, 0, 0, 0, K, 0x004140c7 },
	{ "skx::IDI_MISC:WB_UPGRADE", 0x02fe, 0, 0, 0, 0, 0x004302fe },
	{ "skx::L2_LINES_OUT:NON_SILENT", 0x02f2, 0, 0, 0, 0, 0x004302f2 },
	{ "skx::CORE_POWER:LVL2_TURBO_LICENSE:k", 0x2028, 0, 0, 0, U, 0x00422028 },
	{ "clx::OFFCORE_REQUESTS_OUTSTANDING:ALL_DATA_RD:c=4", 0x0860, 0, 0, 4, 0, 0x04430860 },
	{ "clx::UOPS_RETIRED:STALL_CYCLES:u", 0x01c2, 0, 1, 1, K, 0x01c101c2 },
	{ "icl::TOPDOWN:SLOTS_P:u", 0x01a4, 0, 0, 0, K, 0x004101a4 },
	{ "icl::TOPDOWN:BACKEND_BOUND_SLOTS", 0x0200, 0, 0, 0, 0, 0x00430200 },
	{ "icl::ASSISTS:ANY:k", 0x07c1, 0, 0, 0, U, 0x004207c1 },
	{ "icl::INST_RETIRED:ANY_P", 0x00c0, 0, 0, 0, 0, 0x004300c0 },
	{ "icl::UOPS_DISPATCHED:PORT_7_8:u", 0x80a1, 0, 0, 0, K, 0x004180a1 },
	{ "icl::L1D_PEND_MISS:FB_FULL_PERIODS:u", 0x0248, 1, 0, 1, K, 0x01450248 },
	{ "icl::TLB_FLUSH:STLB_ANY:k", 0x20bd, 0, 0, 0, U, 0x004220bd },
	{ "icx::SQ_MISC:SQ_FULL", 0x04f4, 0, 0, 0, 0, 0x004304f4 },
	{ "icx::CORE_POWER:LVL1_TURBO_LICENSE", 0x1828, 0, 0, 0, 0, 0x00431828 },
	{ "spr::INST_RETIRED:ANY_P:u", 0x00c0, 0, 0, 0, K, 0x004100c0 },
	{ "spr::TOPDOWN:SLOTS_P", 0x01a4, 0, 0, 0, 0, 0x004301a4 },
	{ "spr::INT_MISC:CLEAR_RESTEER_CYCLES:u", 0x80ad, 0, 0, 0, K, 0x004180ad },
	{ "spr::UOPS_RETIRED:SLOTS", 0x02c2, 0, 0, 0, 0, 0x004302c2 },
	{ "spr::FP_ARITH_DISPATCHED:PORT_5", 0x04b3, 0, 0, 0, 0, 0x004304b3 },
	{ "spr::CPU_CLK_UNHALTED:REF_TSC_P:u", 0x013c, 0, 0, 0, K, 0x0041013c },
	{ "spr::AMX_OPS_RETIRED:INT8:u", 0x01ce, 0, 0, 0, K, 0x004101ce },
	{ "spr::XQ:FULL_CYCLES", 0x012d, 0, 0, 1, 0, 0x0143012d },
	{ "spr::MISC_RETIRED:LBR_INSERTS:u", 0x20cc, 0, 0, 0, K, 0x004120cc },
	{ "slm::UOPS_RETIRED:ANY:u", 0x10c2, 0, 0, 0, K, 0x004110c2 },
	{ "slm::BR_MISP_RETIRED:IND_CALL", 0xfbc5, 0, 0, 0, 0, 0x0043fbc5 },
	{ "slm::NO_ALLOC_CYCLES:ALL:k", 0x3fca, 0, 0, 0, U, 0x00423fca },
	{ "slm::CYCLES_DIV_BUSY:ANY:u", 0x01cd, 0, 0, 0, K, 0x004101cd },
	{ "glm::UOPS_NOT_DELIVERED:ANY", 0x009c, 0, 0, 0, 0, 0x0043009c },
	{ "glm::MEM_UOPS_RETIRED:ALL_LOADS:u", 0x81d0, 0, 0, 0, K, 0x004181d0 },
	{ "glm::ISSUE_SLOTS_NOT_CONSUMED:RESOURCE_FULL:k", 0x01ca, 0, 0, 0, U, 0x004201ca },
	{ "knl::UOPS_RETIRED:PACKED_SIMD:u", 0x40c2, 0, 0, 0, K, 0x004140c2 },
	{ "knl::FETCH_STALL:ICACHE_FILL_PENDING_CYCLES", 0x0486, 0, 0, 0, 0, 0x00430486 },
	{ "tmt::BR_INST_RETIRED:ALL_BRANCHES:u", 0x00c4, 0, 0, 0, K, 0x004100c4 },
};

/* Generic events, by the names that libpfm4 gives them on some CPUs. */
static const struct {
	u64 event;
	const char *name;
	u32 evtsel;
} generics[] = {
	{ PMUDEV_CYCLES, "UNHALTED_CORE_CYCLES", 0x0043003c },
	{ PMUDEV_INSTRUCTIONS, "INSTRUCTION_RETIRED", 0x004300c0 },
	{ PMUDEV_CACHE_REFERENCES, "LLC_REFERENCES", 0x00434f2e },
	{ PMUDEV_CACHE_MISSES, "LLC_MISSES", 0x0043412e },
	{ PMUDEV_BRANCHES, "BRANCH_INSTRUCTIONS_RETIRED", 0x004300c4 },
	{ PMUDEV_BRANCH_MISSES, "MISPREDICTED_BRANCH_RETIRED", 0x004300c5 },
};

/* What other tools can ask for and pmudev refuses: ANY, IN_TX, IN_TXCP. */
static const struct {
	const char *event;
	u64 config;
} refused[] = {
	{ "skl::INST_RETIRED:ANY_P:t=1", 0x2000c0 },
	{ "nhm::INST_RETIRED:ANY_P:t=1", 0x2000c0 },
	{ "hsw::BR_INST_RETIRED:NEAR_TAKEN:intx=1", 0x1000020c4 },
	{ "skl::BR_INST_RETIRED:NEAR_TAKEN:intxcp=1", 0x2000020c4 },
};

/* ----------------------------------------------------------- our answer -- */

static struct intel_caps machine(unsigned int nr)
{
	return nr ? everything() : version4();
}

static void the_fields_as_raw_bits(void)
{
	unsigned int i, nr;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (nr = 0; nr < 2; nr++) {
			struct intel_caps caps = machine(nr);
			struct pmudev_event_attr attr = raw(rows[i].select);
			struct pmudev_refusal why;
			struct pmudev_code code;

			attr.config |= rows[i].edge << 18 | rows[i].inv << 23;
			attr.config |= (u64)rows[i].cmask << 24;
			attr.flags = rows[i].exclude;
			unit_row("%s", rows[i].event);
			EXPECT_EQ(0, -encode(&caps, &attr, &code, &why));
			EXPECT_EQ(rows[i].evtsel, code.config);
		}
	}
}

static void the_counter_mask_as_threshold(void)
{
	unsigned int i, nr, asked = 0;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (nr = 0; nr < 2 && rows[i].cmask; nr++) {
			struct intel_caps caps = machine(nr);
			struct pmudev_event_attr attr =
				threshold(raw(rows[i].select | rows[i].edge << 18), rows[i].cmask,
					  rows[i].inv ? PMUDEV_LESS : PMUDEV_GREATER_EQUAL);

			attr.flags |= rows[i].exclude;
			unit_row("%s", rows[i].event);
			expect_code(&caps, attr, rows[i].evtsel, countable(&caps, rows[i].select));
			asked++;
		}
	}
	unit_row("rows");
	EXPECT_TRUE(asked >= 60);
}

static void generic_events(void)
{
	unsigned int i, nr;

	for (i = 0; i < ARRAY_SIZE(generics); i++) {
		for (nr = 0; nr < 2; nr++) {
			struct intel_caps caps = machine(nr);
			struct pmudev_event_attr attr = generic(generics[i].event);
			struct pmudev_refusal why;
			struct pmudev_code code;

			unit_row("%s", generics[i].name);
			EXPECT_EQ(0, -encode(&caps, &attr, &code, &why));
			EXPECT_EQ(generics[i].evtsel, code.config);
		}
	}
}

static void what_others_have_besides(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		struct intel_caps caps = version4();

		unit_row("%s", refused[i].event);
		expect_refused(&caps, raw(refused[i].config), EINVAL, PMUDEV_WHY_CONFIG, 0xff84ffff,
			       0);
	}
}

/* -------------------------------------------------------------- libpfm4 -- */

#define PFM_ERR_NOTFOUND (-4)
#define PFM_PLM		 (0x1 | 0x8) /* kernel and user, unless the event says otherwise */

static struct {
	int (*initialize)(void);
	void (*terminate)(void);
	int (*encoding)(const char *event, int plm, char **name, int *idx, u64 **codes, int *nr);
} pfm;

static bool pfm_found(void)
{
	void *library = dlopen("libpfm.so.4", RTLD_NOW);

	if (!library)
		return false;
	/* Those of CPUs that this one is not, too. */
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	pfm.initialize = dlsym(library, "pfm_initialize");
	pfm.terminate = dlsym(library, "pfm_terminate");
	pfm.encoding = dlsym(library, "pfm_get_event_encoding");
	return pfm.initialize && pfm.terminate && pfm.encoding && !pfm.initialize();
}

/* Compares, but for @mine; false if this version of libpfm4 knows no such event. */
static bool pfm_agrees(const char *event, u64 evtsel, u64 mine)
{
	u64 *codes = NULL;
	int nr = 0, ret;

	unit_row("%s by libpfm4", event);
	ret = pfm.encoding(event, PFM_PLM, NULL, NULL, &codes, &nr);
	if (ret == PFM_ERR_NOTFOUND)
		return false;
	if (EXPECT_EQ(0, -ret) && EXPECT_EQ(1, nr))
		EXPECT_EQ(evtsel, codes[0] & ~mine);
	free(codes);
	return true;
}

static void libpfm4_agrees(void)
{
	static const char *const pmus[] = { "core", "atom", "wsm", "ivb", "slm", "knl" };
	unsigned int i, pmu, agreed = 0;
	char event[80];

	if (!pfm_found()) {
		unit_skip("libpfm4 (libpfm.so.4) is not installed: the table was not compared");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		agreed += pfm_agrees(rows[i].event, rows[i].evtsel, INT);
	unit_row("rows that libpfm4 knows");
	EXPECT_TRUE(agreed >= 100);
	for (i = 0, agreed = 0; i < ARRAY_SIZE(generics); i++) {
		for (pmu = 0; pmu < ARRAY_SIZE(pmus); pmu++) {
			snprintf(event, sizeof(event), "%s::%s", pmus[pmu], generics[i].name);
			agreed += pfm_agrees(event, generics[i].evtsel, INT);
		}
	}
	unit_row("generic events that libpfm4 knows");
	EXPECT_TRUE(agreed >= 30);
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		EXPECT_TRUE(pfm_agrees(refused[i].event, refused[i].config, ALL | INT));
	pfm.terminate();
}

int main(void)
{
	RUN(the_fields_as_raw_bits);
	RUN(the_counter_mask_as_threshold);
	RUN(generic_events);
	RUN(what_others_have_besides);
	RUN(libpfm4_agrees);
	return unit_end();
}
