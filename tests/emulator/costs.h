/* SPDX-License-Identifier: GPL-2.0 */
/* What the emulator counts with pmu-costs=on: classes in the order in which they are read. */
#ifndef EMULATOR_COSTS_H
#define EMULATOR_COSTS_H

/* x86: the CPUID leaf of the first, and EBX of each */
#define COSTS_LEAF	0x4d500000
#define COSTS_SIGNATURE 0x74736f63

enum {
	RDPMC, /* x86 alone */
	COUNTER_READ,
	COUNTER_WRITE,
	CONTROL_READ,
	CONTROL_WRITE,
	OTHER_READ,
	OTHER_WRITE,
	SERIALIZE,
	BARRIER,
	LOCKED,
	TRANSLATION,
	IPI,
	NR_COSTS
};

#endif /* EMULATOR_COSTS_H */
