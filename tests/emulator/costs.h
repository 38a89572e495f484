/* SPDX-License-Identifier: GPL-2.0 */
/* What the emulator counts with pmu-costs=on: classes in the order in which they are read. */
#ifndef COSTS_H
#define COSTS_H

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

#endif /* COSTS_H */
