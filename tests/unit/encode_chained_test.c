// SPDX-License-Identifier: GPL-2.0
/*
 * pmuv3_encode(): chained events, and the counters of DIRECT events. Without CHAIN, or with 64-bit
 * counters, no event is chained.
 */
#include "encode_pmuv3.h"

#define EVEN 0x15ULL /* of PROGRAMMABLE */
#define NSH  0x08000000ULL

#define USER	   PMUDEV_USER_READ
#define CHAIN_USER (PMUDEV_LONG | USER | PMUDEV_CHAIN_READ)

static struct pmudev_event_attr flagged(u64 config, u32 flags)
{
	struct pmudev_event_attr attr = raw(config);

	attr.flags = flags;
	return attr;
}

/* A PMU of every version, with and without CHAIN. */
static void each_pmu(void (*test)(const struct pmuv3_caps *caps, bool wide))
{
	struct pmuv3_caps caps;
	unsigned int i, with;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		for (with = 0; with < 2; with++) {
			caps = everything();
			caps.version = versions[i];
			if (!with)
				caps.pmceid &= ~BIT_ULL(CHAIN);
			unit_row("PMUVer %u, %s CHAIN", versions[i], with ? "with" : "without");
			test(&caps, versions[i] >= 6);
		}
	}
}

static bool chain(const struct pmuv3_caps *caps)
{
	return caps->pmceid & BIT_ULL(CHAIN);
}

static void expect_no_width(const struct pmuv3_caps *caps, struct pmudev_event_attr attr,
			    u64 allowed)
{
	expect_refused(caps, attr, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 32, allowed);
}

static void long_pmu(const struct pmuv3_caps *caps, bool wide)
{
	struct pmudev_event_attr event = flagged(INSTRUCTIONS, PMUDEV_LONG);

	EXPECT_EQ(!wide && chain(caps), pmuv3_chained(caps));
	if (wide)
		expect_code(caps, event, INSTRUCTIONS | NSH, PROGRAMMABLE);
	else if (chain(caps))
		expect_chained(caps, event, INSTRUCTIONS | NSH, EVEN);
	else
		expect_no_width(caps, event, 0);
	/* Chained user reads need PMUDEV_CHAIN_READ. */
	event.flags |= USER;
	if (wide)
		expect_code(caps, event, INSTRUCTIONS | NSH, PROGRAMMABLE);
	else
		expect_no_width(caps, event, 0);
	event.flags |= PMUDEV_CHAIN_READ;
	if (wide)
		expect_code(caps, event, INSTRUCTIONS | NSH, PROGRAMMABLE);
	else if (chain(caps))
		expect_chained(caps, event, INSTRUCTIONS | NSH, EVEN);
	else
		expect_no_width(caps, event, 0);
	/* A bare read has no two counters. */
	event.flags |= PMUDEV_DIRECT;
	if (wide)
		expect_code(caps, event, INSTRUCTIONS | NSH, PROGRAMMABLE);
	else
		expect_no_width(caps, event, 0);
}

static void long_events(void)
{
	each_pmu(long_pmu);
}

/* The cycle counter has 64 bits: an event that may use it is not chained. */
static void cycles_pmu(const struct pmuv3_caps *caps, bool wide)
{
	static const u32 flags[] = { PMUDEV_LONG, PMUDEV_LONG | USER, CHAIN_USER,
				     PMUDEV_LONG | USER | PMUDEV_DIRECT,
				     CHAIN_USER | PMUDEV_DIRECT };
	struct pmudev_event_attr event = raw(CYCLES);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		bool chained = chain(caps) && (flags[i] == PMUDEV_LONG || flags[i] == CHAIN_USER);

		event.flags = flags[i];
		event.allowed = 0;
		expect_code(caps, event, CYCLES | NSH, wide ? PROGRAMMABLE | CYCLE : CYCLE);
		event.allowed = 0x3 | CYCLE;
		expect_code(caps, event, CYCLES | NSH, wide ? 0x3 | CYCLE : CYCLE);
		event.allowed = PROGRAMMABLE;
		if (wide)
			expect_code(caps, event, CYCLES | NSH, PROGRAMMABLE);
		else if (chained)
			expect_chained(caps, event, CYCLES | NSH, EVEN);
		else
			expect_no_width(caps, event, CYCLE);
	}
}

static void long_cycles(void)
{
	each_pmu(cycles_pmu);
}

/* Both counters of a chained event must be in the mask. */
static void chained_by_mask(void)
{
	struct pmudev_event_attr event = flagged(INSTRUCTIONS, PMUDEV_LONG);
	struct pmuv3_caps caps = everything();
	u64 mask, even;

	caps.version = 1;
	for (mask = 1; mask < 0x80; mask++) {
		unit_row("allowed %#llx", (unsigned long long)mask);
		event.allowed = mask;
		even = (mask & 3) == 3;
		even |= (mask & 0xc) == 0xc ? 0x4 : 0;
		even |= (mask & 0x30) == 0x30 ? 0x10 : 0;
		if (even)
			expect_chained(&caps, event, INSTRUCTIONS | NSH, even);
		else if (mask & PROGRAMMABLE)
			expect_no_width(&caps, event, PROGRAMMABLE);
		else
			expect_refused(&caps, event, EINVAL, PMUDEV_WHY_COUNTER, 0, PROGRAMMABLE);
	}
}

/* COUNTER names the even one; the mask, if there is one, has both. */
static void chained_by_counter(void)
{
	struct pmuv3_caps caps = everything();
	unsigned int c;

	caps.version = 4;
	for (c = 0; c < 64; c++) {
		struct pmudev_event_attr event =
			flagged(INSTRUCTIONS, PMUDEV_LONG | PMUDEV_COUNTER);

		unit_row("counter %u", c);
		event.counter = c;
		if (!(PROGRAMMABLE & BIT_ULL(c)) || c % 2) {
			expect_refused(&caps, event, EINVAL, PMUDEV_WHY_COUNTER, 0, PROGRAMMABLE);
			continue;
		}
		expect_chained(&caps, event, INSTRUCTIONS | NSH, BIT_ULL(c));
		event.allowed = 3ULL << c;
		expect_chained(&caps, event, INSTRUCTIONS | NSH, BIT_ULL(c));
		event.allowed = ~(2ULL << c);
		expect_no_width(&caps, event, PROGRAMMABLE);
	}
}

/* The last counter of an odd number of them has no partner. */
static void chained_on_all_counters(void)
{
	struct pmudev_event_attr event = flagged(INSTRUCTIONS, PMUDEV_LONG);
	unsigned int nr;

	for (nr = 1; nr <= 31; nr++) {
		struct pmuv3_caps caps = everything();
		u64 even = 0x55555555 & (BIT_ULL(nr / 2 * 2) - 1);

		caps.version = 5;
		caps.counters = (BIT_ULL(nr) - 1) | CYCLE;
		unit_row("%u counters", nr);
		if (even)
			expect_chained(&caps, event, INSTRUCTIONS | NSH, even);
		else
			expect_no_width(&caps, event, 0);
	}
}

/* ---------------------------------------------------------------- DIRECT -- */

static void direct_pmu(const struct pmuv3_caps *caps, bool wide)
{
	struct pmudev_event_attr event = flagged(INSTRUCTIONS, USER | PMUDEV_DIRECT);
	struct pmudev_event_attr cycles = flagged(CYCLES, USER | PMUDEV_DIRECT);
	u64 candidates = wide ? PROGRAMMABLE | CYCLE : CYCLE;
	unsigned int c;

	if (wide)
		expect_code(caps, event, INSTRUCTIONS | NSH, PROGRAMMABLE);
	else
		expect_no_width(caps, event, 0);
	expect_code(caps, cycles, CYCLES | NSH, candidates);
	cycles.flags |= PMUDEV_COUNTER;
	for (c = 0; c < 64; c++) {
		cycles.counter = c;
		if (candidates & BIT_ULL(c))
			expect_code(caps, cycles, CYCLES | NSH, BIT_ULL(c));
		else if (PROGRAMMABLE & BIT_ULL(c))
			expect_no_width(caps, cycles, candidates);
		else
			expect_refused(caps, cycles, EINVAL, PMUDEV_WHY_COUNTER, 0, candidates);
	}
}

static void direct_events(void)
{
	each_pmu(direct_pmu);
}

int main(void)
{
	RUN(long_events);
	RUN(long_cycles);
	RUN(chained_by_mask);
	RUN(chained_by_counter);
	RUN(chained_on_all_counters);
	RUN(direct_events);
	return unit_end();
}
