// SPDX-License-Identifier: GPL-2.0
/*
 * Names of Intel's architectural events and of the fields of IA32_PERFEVTSELx: Intel SDM volume 3B,
 * "Architectural Performance Monitoring". perf's names where perf has one.
 */
#include <pmudev/intel.h>

const struct pmudev_term intel_terms[] = {
	{ "event", INTEL_EVTSEL_EVENT, true },
	{ "umask", INTEL_EVTSEL_UMASK | INTEL_EVTSEL_UMASK2, true },
	{ "edge", INTEL_EVTSEL_EDGE, false },
	{ "inv", INTEL_EVTSEL_INV, false },
	{ "cmask", INTEL_EVTSEL_CMASK, false },
	{ "eq", INTEL_EVTSEL_EQ, false },
	{},
};

const struct pmudev_name intel_events[INTEL_NR_EVENTS] = {
	{ "cpu-cycles", 0x003c },
	{ "instructions", 0x00c0 },
	/* Counts at another rate than the generic event ref-cycles, which is fixed counter 2. */
	{ "bus-cycles", 0x013c },
	{ "cache-references", 0x4f2e },
	{ "cache-misses", 0x412e },
	{ "branch-instructions", 0x00c4 },
	{ "branch-misses", 0x00c5 },
	{ "slots", 0x01a4 },
	{ "topdown-be-bound", 0x02a4 },
	{ "topdown-bad-spec", 0x0073 },
	{ "topdown-fe-bound", 0x019c },
	{ "topdown-retiring", 0x02c2 },
	{ "lbr-inserts", 0x01e4 },
};
