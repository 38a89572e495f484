// SPDX-License-Identifier: GPL-2.0
/*
 * intel_model_counters(): which counters count what, by Intel's lists of events for each model
 * (their field "Counter"). A wrong counter counts nothing, or something else.
 */
#include "encode_intel.h"

#define ANY 0xffULL

static const struct {
	const char *event;
	u16 model;
	u16 config;
	u64 counters;
} rows[] = {
	{ "Merom: FP_ASSIST", 0x60f, 0x0011, 0x2 },
	{ "Merom: MEM_LOAD_RETIRED.L2_MISS", 0x60f, 0x08cb, 0x1 },
	{ "Nehalem: L1D.REPL", 0x61a, 0x0151, 0x3 },
	{ "Westmere: L1D.REPL", 0x62c, 0x0151, 0x3 },
	{ "Westmere: OFFCORE_REQUESTS_OUTSTANDING", 0x62c, 0x0160, 0x1 },
	{ "Westmere: what Nehalem restricts", 0x62c, 0x0140, FIRST },
	{ "Sandy Bridge: L1D_PEND_MISS.PENDING", 0x62a, 0x0148, 0x4 },
	{ "Sandy Bridge: L1D_PEND_MISS.FB_FULL", 0x62d, 0x0248, 0x4 },
	{ "Sandy Bridge: MEM_TRANS_RETIRED", 0x62d, 0x01cd, 0x8 },
	{ "Ivy Bridge: L1D_PEND_MISS.PENDING", 0x63a, 0x0148, 0x4 },
	{ "Ivy Bridge: L1D_PEND_MISS.FB_FULL", 0x63e, 0x0248, FIRST },
	{ "Haswell: STALLS_L1D_PENDING", 0x63f, 0x0ca3, 0x4 },
	{ "Haswell: CYCLES_NO_EXECUTE", 0x63c, 0x04a3, FIRST },
	{ "Broadwell: CYCLES_L1D_MISS", 0x64f, 0x08a3, 0x4 },
	{ "Broadwell: STALLS_L1D_MISS", 0x64f, 0x0ca3, 0x4 },
	{ "Broadwell: STALLS_L2_MISS", 0x64f, 0x05a3, FIRST },
	{ "Skylake: INST_RETIRED.PREC_DIST", 0x655, 0x01c0, 0x2 },
	{ "Skylake: MEM_INST_RETIRED.ALL_LOADS", 0x655, 0x81d0, FIRST },
	{ "Ice Lake: MEM_INST_RETIRED.ALL_LOADS", 0x66a, 0x81d0, FIRST },
	{ "Ice Lake: L1D.REPLACEMENT", 0x66a, 0x0151, FIRST },
	{ "Ice Lake: INST_RETIRED.PREC_DIST", 0x66a, 0x01c0, 0 },
	{ "Sapphire Rapids: TOPDOWN.BAD_SPEC_SLOTS", 0x68f, 0x04a4, 0x1 },
	{ "Sapphire Rapids: TOPDOWN.BR_MISPREDICT_SLOTS", 0x68f, 0x08a4, 0x1 },
	{ "Sapphire Rapids: MEM_TRANS_RETIRED.STORE_SAMPLE", 0x68f, 0x02cd, 0x1 },
	{ "Emerald Rapids: MEM_INST_RETIRED.ALL_STORES", 0x6cf, 0x82d0, FIRST },
	{ "Lunar Lake: L1D_PENDING.LOAD", 0x6bd, 0x0148, 0x4 },
	{ "Sapphire Rapids: MEM_TRANS_RETIRED.LOAD_LATENCY", 0x68f, 0x01cd, 0xfe },
	{ "Lunar Lake: TOPDOWN.MEMORY_BOUND_SLOTS", 0x6bd, 0x10a4, 0x8 },
	{ "Lunar Lake: UOPS_EXECUTED", 0x6bd, 0x01b1, 0x8 },
	{ "Lunar Lake: MEM_TRANS_RETIRED", 0x6bd, 0x01cd, 0x3fc },
	{ "Diamond Rapids: MEM_TRANS_RETIRED", 0x1301, 0x01cd, 0xfc },
	{ "Diamond Rapids: UOPS_EXECUTED", 0x1301, 0x01b1, 0x8 },
	{ "Sierra Forest: anything", 0x6af, 0x81d0, ~0ULL },
	{ "Goldmont: anything", 0x65c, 0x81d0, ~0ULL },
	/* What has a second register, which nobody sets. */
	{ "Nehalem: OFFCORE_RESPONSE_0", 0x61a, 0x01b7, 0 },
	{ "Haswell: OFFCORE_RESPONSE_1", 0x63f, 0x01bb, 0 },
	{ "Skylake: FRONTEND_RETIRED", 0x655, 0x01c6, 0 },
	{ "Sapphire Rapids: OCR", 0x68f, 0x012a, 0 },
	{ "Diamond Rapids: OMR", 0x1301, 0x082a, 0 },
	{ "Gracemont: OCR", 0x6be, 0x02b7, 0 },
	/* HSW11, BDM11 */
	{ "Haswell: INST_RETIRED.ALL", 0x63c, 0x01c0, 0 },
	{ "Broadwell: INST_RETIRED.ALL", 0x64f, 0x01c0, 0 },
	{ "a model that is not known", 0x6ff, 0x0148, FIRST },
	{ "no model", 0, 0x0148, FIRST },
};

static void by_model(void)
{
	struct intel_caps caps = everything();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		unit_row("%s", rows[i].event);
		caps.model = rows[i].model;
		EXPECT_EQ(rows[i].counters, intel_model_counters(&caps, rows[i].config, false));
		/* Fields that change how it is counted do not change where. */
		EXPECT_EQ(rows[i].counters,
			  intel_model_counters(&caps, rows[i].config | EDGE | 0x01000000, false));
	}
}

/* A caller may name a counter that the table does not know, but none that it excludes. */
static void by_hand(void)
{
	struct intel_caps caps = version4();
	static const struct {
		u16 config;
		u64 allowed, named;
	} events[] = {
		{ 0x81d0, FIRST, FIRST }, /* MEM_INST_RETIRED.ALL_LOADS */
		{ 0x04a4, 0x1, 0x1 },	  /* TOPDOWN.BAD_SPEC_SLOTS */
		{ 0x01cd, 0xfe, 0xfe },	  /* MEM_TRANS_RETIRED.LOAD_LATENCY */
		{ 0x01b1, FIRST, ANY },	  /* UOPS_EXECUTED */
	};
	struct pmudev_event_attr attr;
	unsigned int i, c, named;

	caps.model = 0x68f;
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		expect_code(&caps, raw(events[i].config), events[i].config | ALL,
			    events[i].allowed);
		for (c = 0; c < 8; c++) {
			for (named = 0; named < 2; named++) {
				u64 can = named ? events[i].named : events[i].allowed;

				unit_row("event %#x, counter %u", events[i].config, c);
				attr = raw(events[i].config);
				if (named) {
					attr.flags = PMUDEV_COUNTER;
					attr.counter = c;
				} else {
					attr.allowed = BIT_ULL(c);
				}
				if (can & BIT_ULL(c))
					expect_code(&caps, attr, attr.config | ALL, BIT_ULL(c));
				else
					expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_COUNTER, 0,
						       can);
			}
		}
	}
}

/* On a hybrid machine both kinds of cores have the same model. */
static void cores_of_a_hybrid(void)
{
	struct intel_caps caps = version4();

	caps.model = 0x697;
	caps.type = INTEL_TYPE_CORE;
	EXPECT_EQ(0x1, intel_model_counters(&caps, 0x04a4, false));
	EXPECT_EQ(FIRST, intel_model_counters(&caps, 0x81d0, false));
	caps.type = INTEL_TYPE_ATOM;
	EXPECT_EQ(ANY, ANY & intel_model_counters(&caps, 0x04a4, false));
	caps.model = 0x1201;
	EXPECT_EQ(0x1, intel_model_counters(&caps, 0x0175, false));
	EXPECT_EQ(0, intel_model_counters(&caps, 0x04b7, false));
	EXPECT_EQ(ANY, ANY & intel_model_counters(&caps, 0x01b1, false));
	caps.type = INTEL_TYPE_CORE;
	EXPECT_EQ(FIRST, intel_model_counters(&caps, 0x0175, false));
	EXPECT_EQ(0x8, intel_model_counters(&caps, 0x01b1, false));
	caps.model = 0x697;
	caps.type = INTEL_TYPE_ATOM;
	expect_code(&caps, raw(0x81d0), 0x81d0 | ALL, PROGRAMMABLE);
}

/* No counter can count it: that is refused, not counted wrongly. */
static void on_no_counter(void)
{
	struct intel_caps caps = version4();

	caps.model = 0x66a;
	expect_refused(&caps, raw(0x01c0), ENOSPC, PMUDEV_WHY_NO_COUNTER, 0, 0);
	expect_code(&caps, raw(INSTRUCTIONS), INSTRUCTIONS | ALL, PROGRAMMABLE | FIXED(0));
}

/* Sandy Bridge to Haswell: what would go to the other thread's counter is not counted at all. */
static void leaks_between_threads(void)
{
	static const struct {
		u16 model;
		bool leaks;
	} models[] = {
		{ 0x62a, true },  { 0x62d, true },  { 0x63a, true },  { 0x63e, true },
		{ 0x63c, true },  { 0x63f, true },  { 0x645, true },  { 0x646, true },
		{ 0x62c, false }, { 0x63d, false }, { 0x64f, false }, { 0x655, false },
	};
	struct intel_caps caps = version4();
	unsigned int i, event, smt;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		for (event = 0xce; event < 0xd6; event++) {
			for (smt = 0; smt < 2; smt++) {
				bool leaks =
					models[i].leaks && smt && event >= 0xd0 && event <= 0xd3;

				unit_row("model %#x, event %#x, threads %u", models[i].model, event,
					 smt + 1);
				caps.model = models[i].model;
				caps.smt = smt;
				EXPECT_EQ(leaks ? 0 : FIRST,
					  intel_model_counters(&caps, 0x8100 | event, false));
				EXPECT_EQ(leaks,
					  !intel_model_counters(&caps, 0x8100 | event, true));
			}
		}
	}
}

/* Architectural events are on all counters of every model, unless CPUID does not describe them. */
static void architectural_events(void)
{
	struct intel_caps caps = version4();
	unsigned int model;

	for (model = 0; model < 0x2000; model++) {
		unit_row("model %#x", model);
		caps.model = model;
		expect_code(&caps, raw(INSTRUCTIONS), INSTRUCTIONS | ALL, PROGRAMMABLE | FIXED(0));
		expect_code(&caps, raw(0x00c5), 0x00c5 | ALL, PROGRAMMABLE);
		expect_code(&caps, raw(0x01a4), 0x01a4 | ALL, PROGRAMMABLE);
	}
	caps.model = 0x68f;
	expect_code(&caps, raw(0x0073), 0x0073 | ALL, FIRST);
	caps.declared = 13;
	expect_code(&caps, raw(0x0073), 0x0073 | ALL, PROGRAMMABLE);
}

int main(void)
{
	RUN(by_model);
	RUN(by_hand);
	RUN(cores_of_a_hybrid);
	RUN(on_no_counter);
	RUN(leaks_between_threads);
	RUN(architectural_events);
	return unit_end();
}
