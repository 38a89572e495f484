// SPDX-License-Identifier: GPL-2.0
/*
 * pmuv3_encode(): thresholds. By the Arm ARM PMEVTYPER<n>_EL0 has TH in bits 43:32, and TC in bits
 * 63:61: the comparison in the upper two, and in bit 61 whether 1 is counted for a cycle that
 * passes. PMCCFILTR_EL0 and PMICFILTR_EL0 have neither.
 */
#include "encode_pmuv3.h"

#define NSH 0x08000000ULL

static const char *const compares[] = { "!=", "==", ">=", "<" };
/* By comparison, without and with THRESHOLD_COUNT. */
static const u64 controls[4][2] = {
	{ 0x0000000000000000, 0x2000000000000000 },
	{ 0x4000000000000000, 0x6000000000000000 },
	{ 0x8000000000000000, 0xa000000000000000 },
	{ 0xc000000000000000, 0xe000000000000000 },
};

/* One that a fixed counter has, two of them, and others. */
static const u64 events[] = { INSTRUCTIONS, CYCLES, 0x23, 0x3f, 0x4004, 0xffff };
static const u16 maxima[] = { 0, 1, 15, 4095 };

static struct pmudev_event_attr threshold(struct pmudev_event_attr attr, u16 n,
					  unsigned int compare, bool count)
{
	attr.threshold = n;
	attr.threshold_compare = compare;
	if (count)
		attr.flags |= PMUDEV_THRESHOLD_COUNT;
	return attr;
}

static struct pmuv3_caps up_to(u64 max)
{
	struct pmuv3_caps caps = everything();

	caps.counters |= INSTRUCTION;
	caps.threshold_max = max;
	return caps;
}

/* The counters of an event without a threshold. */
static u64 counters_of(u64 event)
{
	switch (event) {
	case INSTRUCTIONS:
		return PROGRAMMABLE | INSTRUCTION;
	case CYCLES:
		return PROGRAMMABLE | CYCLE;
	}
	return PROGRAMMABLE;
}

/* Calls @test with every PMU, event, comparison, and with counting cycles and without. */
static void each(void (*test)(const struct pmuv3_caps *caps, u64 event, unsigned int compare,
			      bool count))
{
	unsigned int m, e, compare, count;

	for (m = 0; m < ARRAY_SIZE(maxima); m++) {
		struct pmuv3_caps caps = up_to(maxima[m]);

		for (e = 0; e < ARRAY_SIZE(events); e++)
			for (compare = 0; compare < 4; compare++)
				for (count = 0; count < 2; count++)
					test(&caps, events[e], compare, count);
	}
}

static void row(const struct pmuv3_caps *caps, u64 event, unsigned int compare, bool count, u16 n)
{
	unit_row("up to %llu, event %#llx %s %u%s", (unsigned long long)caps->threshold_max,
		 (unsigned long long)event, compares[compare], n, count ? ", cycles" : "");
}

/* ------------------------------------------------------------- register values -- */

static void every_threshold_of(const struct pmuv3_caps *caps, u64 event, unsigned int compare,
			       bool count)
{
	unsigned int n;

	for (n = 1; n <= caps->threshold_max; n++) {
		row(caps, event, compare, count, n);
		expect_code(caps, threshold(raw(event), n, compare, count),
			    event | NSH | (u64)n << 32 | controls[compare][count], PROGRAMMABLE);
	}
}

static void every_threshold(void)
{
	each(every_threshold_of);
}

static void none_of(const struct pmuv3_caps *caps, u64 event, unsigned int compare, bool count)
{
	row(caps, event, compare, count, 0);
	expect_code(caps, threshold(raw(event), 0, compare, count), event | NSH,
		    counters_of(event));
}

/* Without a threshold neither comparison nor cycles mean anything, wherever it is. */
static void no_threshold(void)
{
	each(none_of);
}

static void beside_levels(void)
{
	static const struct {
		u32 flags;
		u64 levels;
	} rows[] = {
		{ PMUDEV_EXCLUDE_USER, 0x48000000 },
		{ PMUDEV_EXCLUDE_KERNEL, 0x80000000 },
		{ PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV, 0x80000000 },
	};
	struct pmuv3_caps caps = up_to(15);
	struct pmudev_refusal why;
	struct pmudev_code code;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmudev_event_attr attr = threshold(raw(CYCLES), 9, PMUDEV_LESS, true);

		attr.flags |= rows[i].flags;
		unit_row("flags %#x", attr.flags);
		expect_code(&caps, attr, CYCLES | rows[i].levels | 0xe000000900000000,
			    PROGRAMMABLE);
		EXPECT_EQ(0, encode(&caps, &attr, &code, &why));
		/* It needs no other rights than the same without. */
		EXPECT_EQ(!(rows[i].flags & PMUDEV_EXCLUDE_KERNEL), code.privileged);
	}
}

static void generic_events(void)
{
	struct pmudev_event_attr attr = { .type = PMUDEV_TYPE_GENERIC };
	struct pmuv3_caps caps = up_to(15);

	attr.config = PMUDEV_CYCLES;
	expect_code(&caps, threshold(attr, 1, PMUDEV_EQUAL, false),
		    CYCLES | NSH | 0x4000000100000000, PROGRAMMABLE);
	attr.config = PMUDEV_INSTRUCTIONS;
	expect_code(&caps, threshold(attr, 15, PMUDEV_GREATER_EQUAL, true),
		    INSTRUCTIONS | NSH | 0xa000000f00000000, PROGRAMMABLE);
}

/* -------------------------------------------------------------------- refusals -- */

static void too_high_of(const struct pmuv3_caps *caps, u64 event, unsigned int compare, bool count)
{
	unsigned int n;

	for (n = caps->threshold_max + 1; n <= PMUDEV_MAX_THRESHOLD; n += 1 + n / 8) {
		row(caps, event, compare, count, n);
		expect_refused(caps, threshold(raw(event), n, compare, count),
			       caps->threshold_max ? EINVAL : EOPNOTSUPP, PMUDEV_WHY_THRESHOLD,
			       caps->threshold_max, 0);
	}
	n = PMUDEV_MAX_THRESHOLD;
	if (caps->threshold_max < n)
		expect_refused(caps, threshold(raw(event), n, compare, count),
			       caps->threshold_max ? EINVAL : EOPNOTSUPP, PMUDEV_WHY_THRESHOLD,
			       caps->threshold_max, 0);
}

static void too_high(void)
{
	each(too_high_of);
}

/* An event that does not exist is refused for that. */
static void of_no_event(void)
{
	struct pmuv3_caps caps = up_to(15);

	caps.pmceid &= ~BIT_ULL(0x23);
	expect_refused(&caps, threshold(raw(0x23), 1, 0, false), ENOENT, PMUDEV_WHY_EVENT, 0, 0);
	/* No event may select CHAIN. */
	expect_refused(&caps, threshold(raw(CHAIN), 1, 0, false), EINVAL, PMUDEV_WHY_CONFIG, 0xffff,
		       0);
}

/* -------------------------------------------------------------------- counters -- */

static void fixed_counters_by_hand(void)
{
	static const struct {
		u64 event;
		u32 counter;
	} rows[] = { { CYCLES, 32 }, { INSTRUCTIONS, 33 } };
	struct pmuv3_caps caps = up_to(15);
	struct pmudev_event_attr attr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		attr = raw(rows[i].event);
		attr.flags = PMUDEV_COUNTER;
		attr.counter = rows[i].counter;
		unit_row("counter %u", attr.counter);
		expect_code(&caps, threshold(attr, 0, 0, false), rows[i].event | NSH,
			    BIT_ULL(attr.counter));
		expect_refused(&caps, threshold(attr, 1, 0, false), EINVAL, PMUDEV_WHY_COUNTER, 0,
			       PROGRAMMABLE);
		attr.flags |= PMUDEV_LONG;
		expect_refused(&caps, threshold(attr, 1, 0, false), EINVAL, PMUDEV_WHY_COUNTER, 0,
			       PROGRAMMABLE);
		/* By a mask; with others in it, on those. */
		attr = raw(rows[i].event);
		attr.allowed = BIT_ULL(rows[i].counter);
		expect_refused(&caps, threshold(attr, 1, 0, false), EINVAL, PMUDEV_WHY_COUNTER, 0,
			       PROGRAMMABLE);
		attr.allowed |= 0x5;
		expect_code(&caps, threshold(attr, 1, 0, false), rows[i].event | NSH | 0x100000000,
			    0x5);
	}
}

/* Where there is nothing but the cycle counter. */
static void no_other_counter(void)
{
	struct pmuv3_caps caps = up_to(15);

	caps.counters = CYCLE;
	expect_code(&caps, raw(CYCLES), CYCLES | NSH, CYCLE);
	expect_refused(&caps, threshold(raw(CYCLES), 1, 0, false), ENOSPC, PMUDEV_WHY_NO_COUNTER, 0,
		       0);
}

/*
 * Where only the cycle counter has 64 bits, a LONG event with a threshold is chained. The even
 * counter compares; CHAIN has no threshold.
 */
static void of_64_bits(void)
{
	struct pmudev_event_attr attr = raw(CYCLES), direct = raw(CYCLES);
	const u64 config = CYCLES | NSH | 0xa000000200000000;
	struct pmuv3_caps caps = up_to(15);

	attr = threshold(attr, 2, PMUDEV_GREATER_EQUAL, true);
	attr.flags |= PMUDEV_LONG;
	direct = threshold(direct, 2, PMUDEV_GREATER_EQUAL, true);
	direct.flags |= PMUDEV_DIRECT | PMUDEV_USER_READ;
	expect_code(&caps, attr, config, PROGRAMMABLE);
	expect_code(&caps, direct, config, PROGRAMMABLE);
	caps.version = 5;
	expect_chained(&caps, attr, config, 0x15);
	expect_refused(&caps, direct, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 32, 0);
	caps.pmceid &= ~BIT_ULL(CHAIN);
	expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 32, 0);
	expect_code(&caps, threshold(attr, 0, 0, false), CYCLES | NSH, CYCLE);
}

/* ------------------------------------------------------------------- PMMIR_EL1 -- */

static void the_maximum(void)
{
	static const u32 max[16] = { 0,	  1,   3,    7,	   15,	 31,   63,   127,
				     255, 511, 1023, 2047, 4095, 4095, 4095, 4095 };
	u64 width;

	for (width = 0; width < 16; width++) {
		unit_row("THWIDTH %u", (unsigned int)width);
		EXPECT_EQ(max[width], pmuv3_threshold_max(width << 20));
		/* Whatever stands beside it. */
		EXPECT_EQ(max[width], pmuv3_threshold_max(~0xf00000ULL | width << 20));
	}
}

static void the_register_by_version(void)
{
	struct pmuv3_caps caps = everything();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		caps.version = versions[i];
		unit_row("PMUVer %u", versions[i]);
		EXPECT_EQ(versions[i] >= 5, pmuv3_has_pmmir(&caps));
	}
}

int main(void)
{
	RUN(every_threshold);
	RUN(no_threshold);
	RUN(beside_levels);
	RUN(generic_events);
	RUN(too_high);
	RUN(of_no_event);
	RUN(fixed_counters_by_hand);
	RUN(no_other_counter);
	RUN(of_64_bits);
	RUN(the_maximum);
	RUN(the_register_by_version);
	return unit_end();
}
