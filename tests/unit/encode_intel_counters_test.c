// SPDX-License-Identifier: GPL-2.0
/* intel_encode(): which counters an event may be on. */
#include "encode_intel.h"

/* ---------------------------------------------------------------- fixed -- */

/* Events that a fixed counter counts too, and its number. */
static const struct {
	u16 event;
	u8 fixed;
} fixed[] = {
	{ 0x00c0, 0 }, { 0x003c, 1 }, { 0x01a4, 3 }, { 0x0073, 4 }, { 0x019c, 5 }, { 0x02c2, 6 },
};

static u64 fixed_counter(u32 event)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fixed); i++)
		if (fixed[i].event == event)
			return FIXED(fixed[i].fixed);
	return 0;
}

/* Among all events with all unit masks, those six; with all fixed counters there could be. */
static void fixed_counters_by_event(void)
{
	struct intel_caps caps = everything();
	u32 event;

	caps.counters |= 0xffff00000000;
	for (event = 0; event <= 0xffff; event++) {
		unit_row("event %#x", event);
		expect_code(&caps, raw(event), event | ALL,
			    countable(&caps, event) | fixed_counter(event));
	}
}

static void fixed_counters_that_exist(void)
{
	unsigned int i, exists;

	for (i = 0; i < ARRAY_SIZE(fixed); i++) {
		for (exists = 0; exists < 0x80; exists++) {
			struct intel_caps caps = everything();

			caps.counters = PROGRAMMABLE | (u64)exists << 32;
			unit_row("event %#x, fixed counters %#x", fixed[i].event, exists);
			expect_code(&caps, raw(fixed[i].event), fixed[i].event | ALL,
				    PROGRAMMABLE | (caps.counters & FIXED(fixed[i].fixed)));
		}
	}
}

static void fixed_counters_take_no_modifiers(void)
{
	struct intel_caps caps = everything();
	unsigned int i, bit;

	for (i = 0; i < ARRAY_SIZE(fixed); i++) {
		for (bit = 16; bit < 48; bit++) {
			u64 config = fixed[i].event | BIT_ULL(bit);

			if (!(BIT_ULL(bit) & (EDGE | INV | CMASK | EQ | 0xff0000000000)))
				continue;
			unit_row("event %#llx", (unsigned long long)config);
			expect_code(&caps, raw(config), config | ALL, countable(&caps, config));
		}
	}
}

/* Generic events prefer what raw ones do; but reference cycles are fixed counter 2's alone. */
static void generic_events(void)
{
	struct intel_caps caps = version4();
	u64 event;

	for (event = PMUDEV_CACHE_REFERENCES; event < PMUDEV_GENERIC_MAX; event++) {
		struct pmudev_event_attr attr = generic(event);
		struct pmudev_refusal why;
		struct pmudev_code code;

		unit_row("generic event %llu", (unsigned long long)event);
		EXPECT_EQ(0, -encode(&caps, &attr, &code, &why));
		EXPECT_EQ(PROGRAMMABLE, code.allowed);
	}
	unit_row("instructions");
	expect_code(&caps, generic(PMUDEV_INSTRUCTIONS), 0xc0 | ALL, PROGRAMMABLE | FIXED(0));
	unit_row("cycles");
	expect_code(&caps, generic(PMUDEV_CYCLES), 0x3c | ALL, PROGRAMMABLE | FIXED(1));
	unit_row("reference cycles");
	expect_code(&caps, generic(PMUDEV_REF_CYCLES), 0x13c | ALL, FIXED(2));
	unit_row("raw reference cycles");
	expect_code(&caps, raw(0x13c), 0x13c | ALL, PROGRAMMABLE);
	unit_row("reference cycles without their counter");
	caps.counters &= ~FIXED(2);
	expect_code(&caps, generic(PMUDEV_REF_CYCLES), 0x13c | ALL, PROGRAMMABLE);
}

/* -------------------------------------------------------------- wishes -- */

static void counters_by_hand(void)
{
	static const struct {
		u64 config, candidates;
	} events[] = {
		{ OTHER, PROGRAMMABLE },
		{ INSTRUCTIONS, PROGRAMMABLE | FIXED(0) },
		{ CYCLES, PROGRAMMABLE | FIXED(1) },
	};
	struct intel_caps caps = version4();
	unsigned int i, c;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		for (c = 0; c < 128; c++) {
			struct pmudev_event_attr attr = raw(events[i].config);
			u64 wish = BIT_ULL(c % 64), candidates = events[i].candidates;

			if (c < 64) {
				attr.flags = PMUDEV_COUNTER;
				attr.counter = c;
			} else {
				attr.allowed = wish;
			}
			unit_row("event %#llx, %s %u", (unsigned long long)attr.config,
				 c < 64 ? "counter" : "mask of", c % 64);
			/* Only a name is more than what is known. */
			if (c >= 64 && events[i].config == OTHER)
				candidates = FIRST;
			if (candidates & wish)
				expect_code(&caps, attr, attr.config | ALL, wish);
			else
				expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_COUNTER, 0,
					       candidates);
		}
	}
}

/* The rate of fixed counter 2 is not to be had anywhere else. */
static void reference_cycles_by_hand(void)
{
	struct intel_caps caps = version4();
	unsigned int c;

	for (c = 0; c < 64; c++) {
		struct pmudev_event_attr attr = generic(PMUDEV_REF_CYCLES);

		attr.flags = PMUDEV_COUNTER;
		attr.counter = c;
		unit_row("counter %u", c);
		if (c == 34)
			expect_code(&caps, attr, 0x13c | ALL, FIXED(2));
		else
			expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_COUNTER, 0, FIXED(2));
	}
}

static void no_counter_is_long(void)
{
	static const u32 widths[] = { 32, 40, 48 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		struct pmudev_event_attr attr = raw(INSTRUCTIONS);
		struct intel_caps caps = version4();

		/* The limit is what the hardware has, also where writes reach less. */
		caps.width_hw = widths[i];
		caps.width = 31;
		attr.flags = PMUDEV_LONG;
		unit_row("%u bits", widths[i]);
		expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_WIDTH, widths[i], 0);
		attr.flags |= PMUDEV_COUNTER;
		attr.counter = 32;
		expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_WIDTH, widths[i], 0);
		/* Of a fixed counter where no other will do. */
		attr = generic(PMUDEV_REF_CYCLES);
		attr.flags = PMUDEV_LONG;
		caps.width_fixed = 47;
		expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 47, 0);
	}
}

/*
 * A bare read is good where the counter can be written whole: fixed ones always, others with
 * full-width writes.
 */
static void direct_events(void)
{
	unsigned int full, c;

	for (full = 0; full < 2; full++) {
		struct intel_caps caps = everything();
		u64 candidates = full ? PROGRAMMABLE | FIXED(0) : FIXED(0);
		struct pmudev_event_attr attr = raw(OTHER);

		caps.full_width = full;
		caps.width = full ? 48 : 31;
		unit_row("%s full-width writes", full ? "with" : "without");
		attr.flags = PMUDEV_USER_READ | PMUDEV_DIRECT;
		if (full)
			expect_code(&caps, attr, OTHER | ALL, FIRST);
		else
			expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 31, 0);
		attr.config = INSTRUCTIONS;
		expect_code(&caps, attr, INSTRUCTIONS | ALL, candidates);
		attr.flags |= PMUDEV_LONG;
		expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 48, 0);
		attr.flags ^= PMUDEV_LONG | PMUDEV_COUNTER;
		for (c = 0; c < 64; c++) {
			attr.counter = c;
			if (candidates & BIT_ULL(c))
				expect_code(&caps, attr, INSTRUCTIONS | ALL, BIT_ULL(c));
			else if (PROGRAMMABLE & BIT_ULL(c))
				expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 31,
					       candidates);
			else
				expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_COUNTER, 0,
					       candidates);
		}
	}
}

static void no_programmable_counters(void)
{
	struct intel_caps caps = version4();
	struct pmudev_event_attr attr = raw(OTHER);

	caps.counters = 0x700000000;
	expect_code(&caps, raw(INSTRUCTIONS), INSTRUCTIONS | ALL, FIXED(0));
	expect_refused(&caps, raw(OTHER), ENOSPC, PMUDEV_WHY_NO_COUNTER, 0, 0);
	expect_refused(&caps, threshold(raw(INSTRUCTIONS), 1, PMUDEV_LESS), ENOSPC,
		       PMUDEV_WHY_NO_COUNTER, 0, 0);
	attr.flags = PMUDEV_LONG;
	expect_refused(&caps, attr, ENOSPC, PMUDEV_WHY_NO_COUNTER, 0, 0);
}

/* ------------------------------------------------------------- whatever -- */

static struct intel_caps random_caps(void)
{
	struct intel_caps caps = everything();

	caps.eq = unit_below(2);
	caps.umask2 = unit_below(2);
	caps.counters = unit_random() & 0xffffffffffff;
	if (unit_below(2))
		caps.counters &= PROGRAMMABLE | 0xf00000000;
	caps.missing = unit_below(2) ? 0 : unit_random();
	return caps;
}

static struct pmudev_event_attr random_attr(void)
{
	static const u64 fields[] = { 0, EDGE, INV, EQ, 0x01000000, CMASK, BIT_ULL(47) };
	struct pmudev_event_attr attr = raw(unit_random() & 0xffff);

	if (unit_below(2))
		attr.config = fixed[unit_below(ARRAY_SIZE(fixed))].event;
	attr.config |= fields[unit_below(ARRAY_SIZE(fields))];
	attr.config |= unit_below(8) ? 0 : unit_random_length();
	if (!unit_below(3))
		attr = generic(unit_below(PMUDEV_GENERIC_MAX));
	attr.flags = unit_random() & (PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_KERNEL |
				      PMUDEV_EXCLUDE_HV | PMUDEV_USER_READ);
	if (unit_below(2))
		attr.allowed = unit_random();
	if (!unit_below(4))
		attr = threshold(attr, unit_below(300), unit_below(4));
	return attr;
}

/* What the backend and the core rely on, whatever was asked for. */
static void any_event(void)
{
	unsigned int i, passed = 0;

	for (i = 0; i < 200000; i++) {
		struct pmudev_event_attr attr = random_attr();
		struct intel_caps caps = random_caps();
		struct pmudev_refusal why;
		struct pmudev_code code;
		u64 on_fixed, fields = EDGE | INV | CMASK | EQ | 0xff0000000000;
		u64 reserved =
			~(0xffc7ffff | (caps.eq ? EQ : 0) | (caps.umask2 ? 0xff0000000000 : 0));

		unit_row("type %u, event %#llx, flags %#x, counters %#llx", attr.type,
			 (unsigned long long)attr.config, attr.flags,
			 (unsigned long long)caps.counters);
		if (encode(&caps, &attr, &code, &why)) {
			EXPECT_TRUE(why.code && !(why.allowed & ~caps.counters));
			continue;
		}
		passed++;
		EXPECT_TRUE(code.allowed && !(code.allowed & ~caps.counters));
		EXPECT_TRUE(!attr.allowed || !(code.allowed & ~attr.allowed));
		EXPECT_EQ(0, code.config & reserved);
		EXPECT_TRUE(code.config & EN);
		EXPECT_TRUE(code.config & (USR | OS));
		EXPECT_EQ(!!(code.config & OS), code.privileged);
		EXPECT_EQ(code.config >> 17 & 1, intel_fixed_bits(0, code.config) & 1);
		EXPECT_EQ(code.config >> 16 & 1, intel_fixed_bits(0, code.config) >> 1);
		/* One fixed counter at most; what it counts has no fields. */
		on_fixed = code.allowed >> 32;
		EXPECT_EQ(0, on_fixed & (on_fixed - 1));
		EXPECT_TRUE(!on_fixed || !(code.config & fields));
		EXPECT_TRUE(on_fixed != 4 || attr.type == PMUDEV_TYPE_GENERIC);
	}
	unit_row("all");
	EXPECT_TRUE(passed > 20000 && passed < 180000);
}

int main(void)
{
	unit_seed(0x38d);
	RUN(fixed_counters_by_event);
	RUN(fixed_counters_that_exist);
	RUN(fixed_counters_take_no_modifiers);
	RUN(generic_events);
	RUN(counters_by_hand);
	RUN(reference_cycles_by_hand);
	RUN(no_counter_is_long);
	RUN(direct_events);
	RUN(no_programmable_counters);
	RUN(any_event);
	return unit_end();
}
