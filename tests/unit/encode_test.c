// SPDX-License-Identifier: GPL-2.0
/* pmuv3_encode(): which event. */
#include "encode_pmuv3.h"

/* --------------------------------------------------------------- events -- */

static const u16 generic[PMUDEV_GENERIC_MAX][2] = {
	[PMUDEV_CYCLES] = { 0x0011 },
	[PMUDEV_INSTRUCTIONS] = { 0x0008 },
	[PMUDEV_REF_CYCLES] = { 0x4004 },
	[PMUDEV_CACHE_REFERENCES] = { 0x0032, 0x0036 },
	[PMUDEV_CACHE_MISSES] = { 0x0033, 0x0037 },
	[PMUDEV_BRANCHES] = { 0x0021 },
	[PMUDEV_BRANCH_MISSES] = { 0x0022 },
};

static void forget(struct pmuv3_caps *caps, u16 event)
{
	if (event >= 0x4000)
		caps->pmceid_ext &= ~BIT_ULL(event - 0x4000);
	else
		caps->pmceid &= ~BIT_ULL(event);
}

static void expect_generic(const struct pmuv3_caps *caps, u64 event, u16 wanted)
{
	struct pmudev_event_attr attr = { .type = PMUDEV_TYPE_GENERIC, .config = event };
	u64 allowed = wanted == CYCLES ? PROGRAMMABLE | CYCLE : PROGRAMMABLE;

	attr.flags = PMUDEV_EXCLUDE_KERNEL;
	if (wanted) {
		EXPECT_EQ(wanted, pmuv3_generic(caps, event));
		expect_code(caps, attr, wanted | 0x80000000, allowed);
	} else {
		EXPECT_EQ(ENOENT, -pmuv3_generic(caps, event));
		expect_refused(caps, attr, ENOENT, PMUDEV_WHY_EVENT, 0, 0);
	}
}

static void generic_events(void)
{
	unsigned int i;

	for (i = 0; i < PMUDEV_GENERIC_MAX; i++) {
		struct pmuv3_caps caps = everything();

		unit_row("generic event %u, first choice", i);
		expect_generic(&caps, i, generic[i][0]);
		forget(&caps, generic[i][0]);
		unit_row("generic event %u, second choice", i);
		expect_generic(&caps, i, generic[i][1]);
		if (generic[i][1])
			forget(&caps, generic[i][1]);
		unit_row("generic event %u, none", i);
		expect_generic(&caps, i, 0);

		/* With nothing but the second. */
		caps.pmceid = generic[i][1] ? BIT_ULL(generic[i][1]) : 0;
		caps.pmceid_ext = 0;
		unit_row("generic event %u, only second choice", i);
		expect_generic(&caps, i, generic[i][1]);
	}
}

/* One PMCEID bit is one event: 31:0 of PMCEID0 and 1 are 0..0x3f, 63:32 are 0x4000..0x403f. */
static void common_events_by_pmceid(void)
{
	unsigned int range, bit, event;

	for (range = 0; range < 2; range++) {
		for (bit = 0; bit < 64; bit++) {
			struct pmuv3_caps caps = everything();

			caps.pmceid = range ? 0 : BIT_ULL(bit);
			caps.pmceid_ext = range ? BIT_ULL(bit) : 0;
			for (event = 0; event < 0x80; event++) {
				u64 config = event < 0x40 ? event : 0x4000 + event - 0x40;

				if (config == CHAIN)
					continue;
				unit_row("event %#llx with PMCEID for %#x",
					 (unsigned long long)config, range * 0x4000 + bit);
				if (event == range * 0x40 + bit)
					expect_code(&caps, raw(config), config | 0x08000000,
						    config == CYCLES ? PROGRAMMABLE | CYCLE :
								       PROGRAMMABLE);
				else
					expect_refused(&caps, raw(config), ENOENT, PMUDEV_WHY_EVENT,
						       0, 0);
			}
		}
	}
}

/* PMCEID does not tell of the others: taken as they are. */
static void other_events(void)
{
	struct pmuv3_caps caps = everything();
	u32 event;

	caps.pmceid = 0;
	caps.pmceid_ext = 0;
	for (event = 0x40; event <= 0xffff; event++) {
		if (event >= 0x4000 && event < 0x4040)
			continue;
		unit_row("event %#x", event);
		expect_code(&caps, raw(event), event | 0x08000000, PROGRAMMABLE);
	}
}

/* Before FEAT_PMUv3p1 evtCount has 10 bits: 0x411 would count 0x11. */
static void event_numbers_had_10_bits(void)
{
	struct pmuv3_caps caps = everything();
	u32 event;

	caps.version = 1;
	for (event = 0x40; event <= 0xffff; event++) {
		unit_row("event %#x", event);
		if (event < 0x400)
			expect_code(&caps, raw(event), event | 0x08000000, PROGRAMMABLE);
		else
			expect_refused(&caps, raw(event), ENOENT, PMUDEV_WHY_EVENT, 0, 0);
	}
	unit_row("generic event");
	expect_generic(&caps, PMUDEV_REF_CYCLES, 0);
}

static void event_numbers_have_16_bits(void)
{
	struct pmuv3_caps caps = everything();
	unsigned int bit;

	for (bit = 16; bit < 64; bit++) {
		unit_row("bit %u", bit);
		expect_refused(&caps, raw(BIT_ULL(bit) | CYCLES), EINVAL, PMUDEV_WHY_CONFIG, 0xffff,
			       0);
	}
	unit_row("all bits");
	expect_refused(&caps, raw(~0ULL), EINVAL, PMUDEV_WHY_CONFIG, 0xffff, 0);
}

static void half_a_pair_is_no_event(void)
{
	struct pmuv3_caps caps = everything();

	expect_refused(&caps, raw(CHAIN), EINVAL, PMUDEV_WHY_CONFIG, 0xffff, 0);
	caps.pmceid = 0;
	expect_refused(&caps, raw(CHAIN), EINVAL, PMUDEV_WHY_CONFIG, 0xffff, 0);
}

int main(void)
{
	RUN(generic_events);
	RUN(common_events_by_pmceid);
	RUN(other_events);
	RUN(event_numbers_had_10_bits);
	RUN(event_numbers_have_16_bits);
	RUN(half_a_pair_is_no_event);
	return unit_end();
}
