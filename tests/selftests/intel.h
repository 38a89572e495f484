/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the Intel PMU share: its description by CPUID, the modifiers of an event, and
 * what an event counts in the emulated machine, where each instruction takes as many cycles
 * (tests/emulator/README.md).
 */
#ifndef PMUDEV_TEST_INTEL_H
#define PMUDEV_TEST_INTEL_H

#if defined(__x86_64__)

#include "common.h"

/* IA32_PERFEVTSELx */
#define EDGE	 (1ULL << 18)
#define INV	 (1ULL << 23)
#define CMASK(n) ((__u64)(n) << 24)

#define PROGRAMMABLE 0xffffffffULL

/* What /dev/cpu/N/msr needs where it is no part of the kernel, in the test machine. */
#define MSR_KO "/modules/msr.ko"

/* Cycles of an instruction. */
#define CORE 2
#define REF  3

/* What an event counts while I instructions and B branches retire: insn * I + branch * B. */
struct rate {
	int insn;
	int branch;
};

struct intel_event {
	const char *name;
	__u64 config;
	struct rate rate;
};

extern const struct intel_event intel_events[];
extern const unsigned int nr_intel_events;

/* CPUID.0AH, and what it says of this machine. */
struct intel_pmu {
	unsigned int version;
	unsigned int gp; /* programmable counters */
	unsigned int width, width_fixed;
	__u64 counters; /* mask of all, as pmudev numbers them */
	__u32 missing;	/* architectural events, by their number there */
};

void intel_pmu(struct intel_pmu *pmu);

/* A raw event for these counters only. */
static inline struct pmudev_event_attr event_among(__u64 config, __u64 allowed, __u32 flags)
{
	struct pmudev_event_attr attr = raw_event(config, flags);

	attr.allowed = allowed;
	return attr;
}

/* Do events count as intel_events says, to the unit? */
#define NOT_EXACT "events are not counted exactly here (emulated, PMUDEV_EXACT)"

static inline bool exact(void)
{
	return emulated() && exact_instructions();
}

static inline __u64 expected(struct rate rate, __u64 instructions, __u64 branches)
{
	return rate.insn * instructions + rate.branch * branches;
}

#endif
#endif /* PMUDEV_TEST_INTEL_H */
