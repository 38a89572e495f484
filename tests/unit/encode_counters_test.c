// SPDX-License-Identifier: GPL-2.0
/* pmuv3_encode(): which counters an event may be on, and what no counter offers. */
#include "encode_pmuv3.h"

/* ------------------------------------------------------------- counters -- */

/* One that has all but CHAIN. */
static struct pmuv3_caps without_chain(void)
{
	struct pmuv3_caps caps = everything();

	caps.pmceid &= ~BIT_ULL(CHAIN);
	return caps;
}

static void long_events(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		struct pmuv3_caps caps = without_chain();
		struct pmudev_event_attr event = raw(INSTRUCTIONS), cycles = raw(CYCLES);
		bool wide = versions[i] >= 6; /* FEAT_PMUv3p5 */

		caps.version = versions[i];
		unit_row("PMUVer %u", versions[i]);
		EXPECT_EQ(wide, pmuv3_long_counters(&caps));

		/* The cycle counter always has 64 bits. */
		expect_code(&caps, event, INSTRUCTIONS | 0x08000000, PROGRAMMABLE);
		expect_code(&caps, cycles, CYCLES | 0x08000000, PROGRAMMABLE | CYCLE);
		event.flags = PMUDEV_LONG;
		cycles.flags = PMUDEV_LONG;
		expect_code(&caps, cycles, CYCLES | 0x08000000,
			    wide ? PROGRAMMABLE | CYCLE : CYCLE);
		if (wide)
			expect_code(&caps, event, INSTRUCTIONS | 0x08000000, PROGRAMMABLE);
		else
			expect_refused(&caps, event, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 32, 0);
	}
}

/*
 * Where cores have several threads the cycle counter is not every cycle event's: those have it
 * that allow no other, or could have no other.
 */
static void cycles_of_threads(void)
{
	struct pmuv3_caps caps = without_chain();
	struct pmudev_event_attr cycles = raw(CYCLES), named = raw(CYCLES);
	struct pmudev_event_attr event = raw(INSTRUCTIONS);
	struct pmudev_event_attr generic = { .type = PMUDEV_TYPE_GENERIC, .config = PMUDEV_CYCLES };

	caps.smt = true;
	unit_row("SMT");
	expect_code(&caps, cycles, CYCLES | 0x08000000, PROGRAMMABLE);
	expect_code(&caps, generic, CYCLES | 0x08000000, PROGRAMMABLE);
	expect_code(&caps, event, INSTRUCTIONS | 0x08000000, PROGRAMMABLE);
	named.allowed = CYCLE;
	expect_code(&caps, named, CYCLES | 0x08000000, CYCLE);
	/* A mask of all that there is names nothing. */
	named.allowed = CYCLE | 1;
	expect_code(&caps, named, CYCLES | 0x08000000, 1);
	named.allowed = 0;
	named.flags = PMUDEV_COUNTER;
	named.counter = 32;
	expect_code(&caps, named, CYCLES | 0x08000000, CYCLE);
	/* Nothing else has 64 bits before PMUv3p5. */
	caps.version = 4;
	cycles.flags = PMUDEV_LONG;
	expect_refused(&caps, cycles, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 32, 0);
	named.flags |= PMUDEV_LONG;
	expect_code(&caps, named, CYCLES | 0x08000000, CYCLE);
	/* A hypervisor gives the cycle counter only. */
	caps.counters = CYCLE;
	expect_code(&caps, cycles, CYCLES | 0x08000000, CYCLE);
}

/* In AArch32 no version has them: LONG events are chained, or on the cycle counter. */
static void half_of_a_counter(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		struct pmuv3_caps caps = everything();
		struct pmudev_event_attr event = raw(INSTRUCTIONS), cycles = raw(CYCLES);

		caps.version = versions[i];
		caps.narrow = true;
		caps.shape = PMUV3_EL1;
		unit_row("PMUVer %u", versions[i]);
		EXPECT_TRUE(!pmuv3_long_counters(&caps));
		EXPECT_TRUE(!pmuv3_can_hide(&caps));
		EXPECT_TRUE(pmuv3_chained(&caps));
		expect_code(&caps, event, INSTRUCTIONS, PROGRAMMABLE);
		event.flags = PMUDEV_LONG;
		cycles.flags = PMUDEV_LONG;
		expect_code(&caps, cycles, CYCLES, CYCLE);
		caps.pmceid &= ~BIT_ULL(CHAIN);
		EXPECT_TRUE(!pmuv3_chained(&caps));
		expect_refused(&caps, event, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 32, 0);
	}
}

/*
 * Wishes that leave a long event nothing: if they would do for one that need not be long, its width
 * is what this machine cannot; else there is no such counter. What would do is named either way.
 */
static void long_events_on_counters_by_hand(void)
{
	unsigned int i, c;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		struct pmuv3_caps caps = without_chain();
		bool wide = versions[i] >= 6;
		u64 candidates = wide ? PROGRAMMABLE | CYCLE : CYCLE;

		caps.version = versions[i];
		for (c = 0; c < 128; c++) {
			struct pmudev_event_attr attr = raw(CYCLES);
			u64 wish = BIT_ULL(c % 64);

			attr.flags = PMUDEV_LONG;
			if (c < 64) {
				attr.flags |= PMUDEV_COUNTER;
				attr.counter = c;
			} else {
				attr.allowed = wish;
			}
			unit_row("PMUVer %u, %s %u", versions[i], c < 64 ? "counter" : "mask of",
				 c % 64);
			if (candidates & wish)
				expect_code(&caps, attr, CYCLES | 0x08000000, wish);
			else if (PROGRAMMABLE & wish)
				expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 32,
					       candidates);
			else
				expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_COUNTER, 0,
					       candidates);
		}
	}
}

/* Every mask of the seven counters, each alone and with one that does not exist. */
static void allowed_masks(void)
{
	static const u64 events[] = { INSTRUCTIONS, CYCLES };
	struct pmuv3_caps caps = everything();
	unsigned int i, mask, with;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		u64 candidates = events[i] == CYCLES ? PROGRAMMABLE | CYCLE : PROGRAMMABLE;

		for (mask = 0; mask < 0x80; mask++) {
			for (with = 0; with < 2; with++) {
				struct pmudev_event_attr attr = raw(events[i]);
				u64 wish = (mask & 0x3f) | (u64)(mask >> 6) << 32;

				attr.allowed = wish | (with ? BIT_ULL(63) | BIT_ULL(6) : 0);
				unit_row("event %#llx, allowed %#llx",
					 (unsigned long long)events[i],
					 (unsigned long long)attr.allowed);
				if (!attr.allowed)
					expect_code(&caps, attr, events[i] | 0x08000000,
						    candidates);
				else if (wish & candidates)
					expect_code(&caps, attr, events[i] | 0x08000000,
						    wish & candidates);
				else
					expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_COUNTER, 0,
						       candidates);
			}
		}
	}
}

static void counters_by_hand(void)
{
	static const u64 events[] = { INSTRUCTIONS, CYCLES };
	struct pmuv3_caps caps = everything();
	unsigned int i, c;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		u64 candidates = events[i] == CYCLES ? PROGRAMMABLE | CYCLE : PROGRAMMABLE;

		for (c = 0; c < 64; c++) {
			struct pmudev_event_attr attr = raw(events[i]);

			attr.flags = PMUDEV_COUNTER;
			attr.counter = c;
			attr.allowed = c % 2 ? 0 : ~0ULL;
			unit_row("event %#llx, counter %u", (unsigned long long)events[i], c);
			if (candidates & BIT_ULL(c))
				expect_code(&caps, attr, events[i] | 0x08000000, BIT_ULL(c));
			else
				expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_COUNTER, 0,
					       candidates);
		}
	}
}

/* PMCR_EL0.N up to 31. */
static void as_many_counters_as_there_are(void)
{
	unsigned int nr;

	for (nr = 1; nr <= 31; nr++) {
		struct pmuv3_caps caps = everything();
		u64 counters = BIT_ULL(nr) - 1;

		caps.counters = counters | CYCLE;
		unit_row("%u counters", nr);
		expect_code(&caps, raw(INSTRUCTIONS), INSTRUCTIONS | 0x08000000, counters);
		expect_code(&caps, raw(CYCLES), CYCLES | 0x08000000, counters | CYCLE);
	}
}

/* FEAT_PMUv3_ICNTR: one more, for instructions alone. It has 64 bits. */
static void instruction_counter(void)
{
	struct pmudev_event_attr attr = raw(INSTRUCTIONS), generic = {
		.type = PMUDEV_TYPE_GENERIC,
		.config = PMUDEV_INSTRUCTIONS,
	};
	struct pmuv3_caps caps = everything();
	unsigned int i;

	caps.counters |= INSTRUCTION;
	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		bool wide = versions[i] >= 6;

		caps.version = versions[i];
		unit_row("PMUVer %u", versions[i]);
		attr.flags = 0;
		expect_code(&caps, attr, INSTRUCTIONS | 0x08000000, PROGRAMMABLE | INSTRUCTION);
		expect_code(&caps, generic, INSTRUCTIONS | 0x08000000, PROGRAMMABLE | INSTRUCTION);
		expect_code(&caps, raw(CYCLES), CYCLES | 0x08000000, PROGRAMMABLE | CYCLE);
		expect_code(&caps, raw(0x21), 0x21 | 0x08000000, PROGRAMMABLE);
		attr.flags = PMUDEV_LONG;
		expect_code(&caps, attr, INSTRUCTIONS | 0x08000000,
			    INSTRUCTION | (wide ? PROGRAMMABLE : 0));
	}
	attr.flags = PMUDEV_COUNTER;
	attr.counter = 33;
	expect_code(&caps, attr, INSTRUCTIONS | 0x08000000, INSTRUCTION);
	attr.config = CYCLES;
	expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_COUNTER, 0, PROGRAMMABLE | CYCLE);
	attr.counter = 32;
	attr.config = INSTRUCTIONS;
	expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_COUNTER, 0, PROGRAMMABLE | INSTRUCTION);
}

/* Bits of PMCNTENSET_EL0, PMUACR_EL1...: event counter n at n, C at 31, F0 at 32. */
static void bits_in_registers(void)
{
	unsigned int c;

	for (c = 0; c < 64; c++) {
		u64 bit = 0;

		if (c < 31)
			bit = 1ULL << c;
		if (c == 32 || c == 33)
			bit = 1ULL << (c - 1);
		unit_row("counter %u", c);
		EXPECT_EQ(bit, pmuv3_enable_bits(1ULL << c));
	}
	EXPECT_EQ(0x1ffffffffULL, pmuv3_enable_bits(~0ULL));
}

static void hiding_by_version(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		struct pmuv3_caps caps = everything();

		caps.version = versions[i];
		unit_row("PMUVer %u", versions[i]);
		EXPECT_EQ(versions[i] == 9, pmuv3_can_hide(&caps));
	}
}

/* PMCR_EL0.N is 0: a hypervisor gave the cycle counter only. Width is not what is missing. */
static void nothing_but_the_cycle_counter(void)
{
	struct pmudev_event_attr attr = raw(INSTRUCTIONS);
	struct pmuv3_caps caps = everything();
	unsigned int i;

	caps.counters = CYCLE;
	expect_code(&caps, raw(CYCLES), CYCLES | 0x08000000, CYCLE);
	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		caps.version = versions[i];
		unit_row("PMUVer %u", versions[i]);
		attr.flags = 0;
		expect_refused(&caps, attr, ENOSPC, PMUDEV_WHY_NO_COUNTER, 0, 0);
		attr.flags = PMUDEV_LONG;
		expect_refused(&caps, attr, ENOSPC, PMUDEV_WHY_NO_COUNTER, 0, 0);
		attr.flags = PMUDEV_COUNTER;
		expect_refused(&caps, attr, ENOSPC, PMUDEV_WHY_NO_COUNTER, 0, 0);
	}
}

int main(void)
{
	RUN(long_events);
	RUN(half_of_a_counter);
	RUN(long_events_on_counters_by_hand);
	RUN(cycles_of_threads);
	RUN(allowed_masks);
	RUN(counters_by_hand);
	RUN(as_many_counters_as_there_are);
	RUN(instruction_counter);
	RUN(bits_in_registers);
	RUN(hiding_by_version);
	RUN(nothing_but_the_cycle_counter);
	return unit_end();
}
