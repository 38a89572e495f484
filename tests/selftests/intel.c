// SPDX-License-Identifier: GPL-2.0
#include "intel.h"

#if defined(__x86_64__)

/*
 * SDM volume 3B, "IA32_PERFEVTSELx": with CMASK = n cycles are counted in which the event happens n
 * times or more, with INV those in which it does not, with EDGE how often that begins. Of an
 * instruction's two cycles the second one retires it; the three reference cycles are one in the
 * first, two in the second.
 */
const struct intel_event intel_events[] = {
	{ "instructions", EVENT_INSTRUCTIONS, { 1, 0 } },
	{ "cycles", INTEL_CYCLES, { CORE, 0 } },
	{ "ref-cycles", EVENT_REF_CYCLES, { REF, 0 } },
	{ "branches", INTEL_BRANCHES, { 0, 1 } },
	{ "insn, cmask=1", EVENT_INSTRUCTIONS | CMASK(1), { 1, 0 } },
	{ "insn, cmask=2", EVENT_INSTRUCTIONS | CMASK(2), { 0, 0 } },
	{ "insn, cmask=255", EVENT_INSTRUCTIONS | CMASK(255), { 0, 0 } },
	{ "insn, cmask=1, inv", EVENT_INSTRUCTIONS | CMASK(1) | INV, { CORE - 1, 0 } },
	{ "insn, cmask=2, inv", EVENT_INSTRUCTIONS | CMASK(2) | INV, { CORE, 0 } },
	{ "insn, inv", EVENT_INSTRUCTIONS | INV, { 1, 0 } },
	{ "insn, edge", EVENT_INSTRUCTIONS | EDGE, { 1, 0 } },
	{ "insn, cmask=1, edge", EVENT_INSTRUCTIONS | CMASK(1) | EDGE, { 1, 0 } },
	{ "insn, cmask=1, inv+edge", EVENT_INSTRUCTIONS | CMASK(1) | INV | EDGE, { 1, 0 } },
	{ "ref-cycles, cmask=1", EVENT_REF_CYCLES | CMASK(1), { CORE, 0 } },
	{ "ref-cycles, cmask=2", EVENT_REF_CYCLES | CMASK(2), { 1, 0 } },
	{ "ref-cycles, cmask=2, inv", EVENT_REF_CYCLES | CMASK(2) | INV, { 1, 0 } },
	{ "cycles, cmask=1", INTEL_CYCLES | CMASK(1), { CORE, 0 } },
	{ "cycles, cmask=1, inv", INTEL_CYCLES | CMASK(1) | INV, { 0, 0 } },
	{ "cycles, edge", INTEL_CYCLES | EDGE, { 0, 0 } },
	{ "branches, cmask=1", INTEL_BRANCHES | CMASK(1), { 0, 1 } },
	{ "branches, cmask=2", INTEL_BRANCHES | CMASK(2), { 0, 0 } },
	{ "branches, cmask=1, inv", INTEL_BRANCHES | CMASK(1) | INV, { CORE, -1 } },
	{ "branches, edge", INTEL_BRANCHES | EDGE, { 0, 1 } },
	{ "branches, cmask=1, inv, edge", INTEL_BRANCHES | CMASK(1) | INV | EDGE, { 0, 1 } },
	{ "an event that never happens", 0x00ff, { 0, 0 } },
};

const unsigned int nr_intel_events = ARRAY_SIZE(intel_events);

void intel_pmu(struct intel_pmu *pmu)
{
	__u32 eax = 0, ebx = 0, ecx = 0, edx = 0;
	unsigned int fixed, events;

	__get_cpuid(0x0a, &eax, &ebx, &ecx, &edx);
	pmu->version = eax & 0xff;
	pmu->gp = eax >> 8 & 0xff;
	pmu->width = eax >> 16 & 0xff;
	events = eax >> 24 & 0xff;
	/* EDX[4:0] of them from 0 on; from version 5 also those in the bitmap. */
	fixed = (1U << (edx & 0x1f)) - 1;
	if (pmu->version >= 5)
		fixed |= ecx;
	pmu->width_fixed = edx >> 5 & 0xff;
	pmu->counters = ((1ULL << pmu->gp) - 1) | (__u64)fixed << 32;
	pmu->missing = ebx & ((1U << events) - 1);
}

#endif
