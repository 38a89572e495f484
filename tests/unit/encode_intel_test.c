// SPDX-License-Identifier: GPL-2.0
/* intel_encode(): which event, at which levels, compared with what. */
#include "encode_intel.h"

/* --------------------------------------------------------------- levels -- */

#define U PMUDEV_EXCLUDE_USER
#define K PMUDEV_EXCLUDE_KERNEL
#define V PMUDEV_EXCLUDE_HV
#define H PMUDEV_EXCLUDE_HOST
#define G PMUDEV_EXCLUDE_GUEST

/* All 32: V has no effect, and what H and G do is no bit of the selector. */
static u64 rings(u32 exclude)
{
	return (exclude & U ? 0 : USR) | (exclude & K ? 0 : OS);
}

/* Of a fixed counter's four bits, 0: ring 0, 1: the others. */
static u64 field(u32 exclude)
{
	return (exclude & K ? 0 : 1) | (exclude & U ? 0 : 2);
}

static const u8 filters[] = { PMUDEV_FILTER_NONE, PMUDEV_FILTER_GUEST, PMUDEV_FILTER_HOST };

static void expect_levels(const struct intel_caps *caps, u64 event, u32 exclude)
{
	struct pmudev_event_attr attr = raw(event);
	struct pmudev_refusal why = unit_refusal();
	struct pmudev_code code;

	unit_row("event %#llx, exclude %#x", (unsigned long long)event, exclude);
	attr.flags = exclude;
	if ((exclude & H) && (exclude & G)) {
		EXPECT_EQ(EINVAL, -pmudev_attr_check(&attr, &why));
		EXPECT_EQ(PMUDEV_WHY_ALL_EXCLUDED, why.code);
	} else if ((exclude & U) && (exclude & K)) {
		expect_refused(caps, attr, EINVAL, PMUDEV_WHY_ALL_EXCLUDED, 0, 0);
	} else if (EXPECT_EQ(0, -encode(caps, &attr, &code, &why))) {
		EXPECT_EQ(event | rings(exclude) | EN, code.config);
		EXPECT_EQ(filters[exclude / H], code.filter);
		EXPECT_EQ(field(exclude), intel_fixed_bits(0, code.config));
		EXPECT_EQ(!(exclude & K), code.privileged);
	}
}

static void levels_by_what_is_excluded(void)
{
	static const u64 events[] = { CYCLES, INSTRUCTIONS, OTHER, OTHER | EDGE | 0x01000000 };
	struct intel_caps caps = everything();
	unsigned int i, exclude;

	EXPECT_EQ(32, 2 * G);
	for (i = 0; i < ARRAY_SIZE(events); i++)
		for (exclude = 0; exclude < 32; exclude++)
			expect_levels(&caps, events[i], exclude);
}

/* --------------------------------------------------------------- events -- */

/* Architectural events by their numbers: event, unit mask. */
static const u8 architectural[][2] = {
	{ 0x3c, 0x00 }, { 0xc0, 0x00 }, { 0x3c, 0x01 }, { 0x2e, 0x4f }, { 0x2e, 0x41 },
	{ 0xc4, 0x00 }, { 0xc5, 0x00 }, { 0xa4, 0x01 }, { 0xa4, 0x02 }, { 0x73, 0x00 },
	{ 0x9c, 0x01 }, { 0xc2, 0x02 }, { 0xe4, 0x01 },
};

static u64 select_of(unsigned int number)
{
	return architectural[number][0] | (u64)architectural[number][1] << 8;
}

/* The number of the architectural event that each generic event is. */
static const u8 generics[PMUDEV_GENERIC_MAX] = { 0, 1, 2, 3, 4, 5, 6 };

static int config_of(const struct intel_caps *caps, struct pmudev_event_attr attr, u64 *config)
{
	struct pmudev_refusal why;
	struct pmudev_code code;
	int ret = encode(caps, &attr, &code, &why);

	*config = code.config;
	if (ret)
		EXPECT_REFUSED(ret, &why, ENOENT, PMUDEV_WHY_EVENT, 0);
	return ret;
}

/* What CPUID declares missing is refused, generic or raw and with whatever modifiers. */
static void missing_events_are_refused(void)
{
	static const u64 modifiers[] = { 0, EDGE, INV, EQ, 0x01000000, CMASK | INV | EDGE };
	unsigned int missing, event, i;
	u64 config;

	for (missing = 0; missing < ARRAY_SIZE(architectural); missing++) {
		struct intel_caps caps = everything();

		caps.missing = BIT(missing);
		for (event = 0; event < ARRAY_SIZE(architectural); event++) {
			for (i = 0; i < ARRAY_SIZE(modifiers); i++) {
				struct pmudev_event_attr attr =
					raw(select_of(event) | modifiers[i]);

				unit_row("event %u with %#llx, %u missing", event,
					 (unsigned long long)modifiers[i], missing);
				EXPECT_EQ(event == missing ? ENOENT : 0,
					  -config_of(&caps, attr, &config));
				if (event != missing)
					EXPECT_EQ(attr.config | ALL, config);
			}
			/* Another event of the same number; UMASK2 makes it another, too. */
			unit_row("no architectural event, %u missing", missing);
			EXPECT_EQ(0, -config_of(&caps, raw(select_of(event) ^ 0x8000), &config));
			EXPECT_EQ(0,
				  -config_of(&caps, raw(select_of(event) | BIT_ULL(40)), &config));
		}
	}
}

static void generic_events(void)
{
	unsigned int missing, event;
	u64 config;

	for (missing = 0; missing < ARRAY_SIZE(architectural); missing++) {
		struct intel_caps caps = everything();
		u64 countable = 0;

		/* Without fixed counter 2, else reference cycles are the only event. */
		caps.counters &= ~FIXED(2);
		caps.missing = BIT(missing);
		for (event = 0; event < PMUDEV_GENERIC_MAX; event++) {
			unit_row("generic event %u, %u missing", event, missing);
			if (generics[event] == missing) {
				EXPECT_EQ(ENOENT, -config_of(&caps, generic(event), &config));
				continue;
			}
			countable |= BIT_ULL(event);
			if (EXPECT_EQ(0, -config_of(&caps, generic(event), &config)))
				EXPECT_EQ(select_of(generics[event]) | ALL, config);
		}
		EXPECT_EQ(countable, intel_generic_events(&caps));
	}
}

static void generic_events_as_the_counters_allow(void)
{
	struct intel_caps caps = everything();

	EXPECT_EQ(0x7f, intel_generic_events(&caps));
	/* Declarations are not about fixed counter 2. */
	caps.missing = ~0U;
	EXPECT_EQ(BIT_ULL(PMUDEV_REF_CYCLES), intel_generic_events(&caps));
	caps.missing = 0;
	caps.counters = FIXED(0) | FIXED(3);
	EXPECT_EQ(BIT_ULL(PMUDEV_INSTRUCTIONS), intel_generic_events(&caps));
	caps.counters = FIXED(1) | FIXED(2);
	EXPECT_EQ(BIT_ULL(PMUDEV_CYCLES) | BIT_ULL(PMUDEV_REF_CYCLES), intel_generic_events(&caps));
	caps.counters = 1;
	EXPECT_EQ(0x7f, intel_generic_events(&caps));
}

/* ------------------------------------------------------------------ raw -- */

/* Each event with each unit mask, where they belong. */
static void every_event_and_unit_mask(void)
{
	struct intel_caps caps = version4();
	u32 select;

	for (select = 0; select <= 0xffff; select++) {
		struct pmudev_event_attr attr = raw(select);
		struct pmudev_refusal why;
		struct pmudev_code code;

		unit_row("event %#x, unit mask %#x", select & 0xff, select >> 8);
		EXPECT_EQ(0, -encode(&caps, &attr, &code, &why));
		EXPECT_EQ(select | ALL, code.config);
	}
}

/* Bit by bit: the event's own pass, what is the module's or another's does not. */
static void every_bit_of_a_raw_event(void)
{
	unsigned int machine, bit;

	for (machine = 0; machine < 4; machine++) {
		struct intel_caps caps = everything();
		u64 valid = 0xff84ffff;

		caps.eq = machine & 1;
		caps.umask2 = machine & 2;
		valid |= (caps.eq ? 0x1000000000 : 0) | (caps.umask2 ? 0xff0000000000 : 0);
		for (bit = 0; bit < 64; bit++) {
			struct pmudev_event_attr attr = raw(OTHER ^ BIT_ULL(bit));

			unit_row("EQ %u, UMASK2 %u, bit %u", caps.eq, caps.umask2, bit);
			if (valid & BIT_ULL(bit))
				expect_code(&caps, attr, attr.config | ALL, FIRST);
			else
				expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_CONFIG, valid, 0);
		}
		unit_row("EQ %u, UMASK2 %u", caps.eq, caps.umask2);
		expect_code(&caps, raw(valid), valid | ALL, FIRST);
		expect_refused(&caps, raw(~0ULL), EINVAL, PMUDEV_WHY_CONFIG, valid, 0);
	}
}

/* Bit 37 is set if the CPU has it and the event lacks USER_READ; raw events may not set it. */
static void hidden_unless_for_user_reads(void)
{
	static const u64 events[] = { CYCLES, INSTRUCTIONS, OTHER, OTHER | EDGE | 0x01000000 };
	unsigned int i, hiding, read;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		for (hiding = 0; hiding < 2; hiding++) {
			struct intel_caps caps = everything();
			struct pmudev_event_attr attr = raw(events[i]);
			struct pmudev_refusal why;
			struct pmudev_code code;

			caps.hiding = hiding;
			for (read = 0; read < 2; read++) {
				unit_row("event %#llx, hiding %u, user reads %u",
					 (unsigned long long)events[i], hiding, read);
				attr.flags = read ? PMUDEV_USER_READ : 0;
				EXPECT_EQ(0, -encode(&caps, &attr, &code, &why));
				EXPECT_EQ(events[i] | ALL | (hiding && !read ? HIDDEN : 0),
					  code.config);
			}
			attr = raw(events[i] | HIDDEN);
			EXPECT_EQ(EINVAL, -encode(&caps, &attr, &code, &why));
			EXPECT_EQ(PMUDEV_WHY_CONFIG, why.code);
			EXPECT_EQ(0, why.limit & HIDDEN);
		}
	}
}

/* IA32_FIXED_CTR_CTRL: enabled by bits 4n and 4n + 1, hidden by 33 + 4n. */
static void bits_of_fixed_counters(void)
{
	unsigned int n;

	for (n = 0; n < 16; n++) {
		unit_row("fixed counter %u", n);
		EXPECT_EQ(0, intel_fixed_bits(n, 0));
		EXPECT_EQ(0, intel_fixed_bits(n, CYCLES | EN));
		EXPECT_EQ(1ULL << (4 * n), intel_fixed_bits(n, OS | EN));
		EXPECT_EQ(2ULL << (4 * n), intel_fixed_bits(n, USR | EN));
		EXPECT_EQ(3ULL << (4 * n), intel_fixed_bits(n, ALL));
		EXPECT_EQ(0xaULL << (4 * n), intel_fixed_bits(n, USR | EN | INTEL_EVTSEL_INT));
		/* The others have no such bit: intel_enumerate() knows. */
		if (n >= 8)
			continue;
		EXPECT_EQ(1ULL << (33 + 4 * n), intel_fixed_bits(n, HIDDEN));
		EXPECT_EQ(3ULL << (4 * n) | 1ULL << (33 + 4 * n),
			  intel_fixed_bits(n, ALL | HIDDEN));
	}
}

int main(void)
{
	RUN(levels_by_what_is_excluded);
	RUN(missing_events_are_refused);
	RUN(generic_events);
	RUN(generic_events_as_the_counters_allow);
	RUN(every_event_and_unit_mask);
	RUN(every_bit_of_a_raw_event);
	RUN(hidden_unless_for_user_reads);
	RUN(bits_of_fixed_counters);
	return unit_end();
}
