// SPDX-License-Identifier: GPL-2.0
/* amd_encode(): which event, at which levels, in host or guest, compared with what. */
#include "encode_amd.h"

/* --------------------------------------------------------------- levels -- */

#define U PMUDEV_EXCLUDE_USER
#define K PMUDEV_EXCLUDE_KERNEL
#define H PMUDEV_EXCLUDE_HOST
#define G PMUDEV_EXCLUDE_GUEST

/* Of all 32, EXCLUDE_HV has no effect. */
static u64 bits(u32 exclude)
{
	return (exclude & U ? 0 : USR) | (exclude & K ? 0 : OS) | (exclude & H ? GUEST : 0) |
	       (exclude & G ? HOST : 0);
}

static void levels_by_what_is_excluded(void)
{
	struct amd_caps caps = zen4();
	u32 exclude;

	for (exclude = 0; exclude < 2 * G; exclude++) {
		struct pmudev_event_attr attr = raw(OTHER);
		struct pmudev_refusal why;
		struct pmudev_code code;

		unit_row("exclude %#x", exclude);
		attr.flags = exclude;
		if ((exclude & H) && (exclude & G))
			continue; /* not valid: attr_test */
		if ((exclude & U) && (exclude & K)) {
			expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_ALL_EXCLUDED, 0, 0);
			continue;
		}
		EXPECT_EQ(0, -encode(&caps, &attr, &code, &why));
		EXPECT_EQ(OTHER | bits(exclude) | EN, code.config);
		/* The selector says it all: nothing is to be done at a guest's entry. */
		EXPECT_EQ(PMUDEV_FILTER_NONE, code.filter);
		EXPECT_EQ(!(exclude & K), code.privileged);
		EXPECT_EQ(code.config, amd_ctl(code.config, true));
		EXPECT_EQ(code.config & ~HOST, amd_ctl(code.config, false));
	}
}

/* Without SVM nothing but the host runs, and the two bits do not exist. */
static void no_guests_without_svm(void)
{
	struct amd_caps caps = zen4();
	struct pmudev_event_attr attr = raw(OTHER);

	caps.svm = false;
	caps.filters = false;
	attr.flags = G;
	expect_code(&caps, attr, OTHER | ALL, 0x3f);
	attr.flags = H;
	expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_NO_GUEST, 0, 0);
}

/* With SVM and without the bits, as in a nested virtual machine: host and guest are one. */
static void no_filters_without_the_bits(void)
{
	struct amd_caps caps = zen4();
	struct pmudev_event_attr attr = raw(OTHER);

	caps.filters = false;
	expect_code(&caps, attr, OTHER | ALL, 0x3f);
	attr.flags = G;
	expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_HARDWARE, G, 0);
	attr.flags = H;
	expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_HARDWARE, H, 0);
}

/* --------------------------------------------------------------- events -- */

/* Family 15H counts the others on three counters. */
static bool retired(unsigned int event)
{
	return event == PMUDEV_INSTRUCTIONS || event >= PMUDEV_BRANCHES;
}

static void expect_generic(const struct amd_caps *caps, const u64 *configs)
{
	u64 countable = 0;
	unsigned int event;

	for (event = 0; event < PMUDEV_GENERIC_MAX; event++) {
		unit_row("family %#x, generic event %u", caps->family, event);
		if (configs[event]) {
			expect_code(caps, generic(event), configs[event] | ALL,
				    caps->family == 0x15 && !retired(event) ? 0x07 :
									      caps->counters);
			countable |= BIT_ULL(event);
		} else {
			expect_refused(caps, generic(event), ENOENT, PMUDEV_WHY_EVENT, 0, 0);
		}
	}
	EXPECT_EQ(countable, amd_generic_events(caps));
}

static void generic_events(void)
{
	static const u64 old[] = { 0x76, 0xc0, 0, 0x077d, 0x077e, 0xc2, 0xc3 };
	static const u64 zen[] = { 0x76, 0xc0, 0, 0xff60, 0x0964, 0xc2, 0xc3 };
	static const u64 new[] = { 0x76, 0xc0, 0x100000120, 0xff60, 0x0964, 0xc2, 0xc3 };
	struct amd_caps caps = zen4();
	u32 f;

	for (f = 0x0f; f < 0x1b; f++) {
		struct amd_caps legacy = family(f);

		expect_generic(&legacy, f < 0x17 ? old : zen);
	}
	expect_generic(&caps, new);
}

static void every_event_and_unit_mask(void)
{
	struct amd_caps caps = zen4();
	u64 select;

	for (select = 0; select <= 0xfffff; select++) {
		u64 config = (select & 0xffff) | (select & 0xf0000) << 16;
		struct pmudev_event_attr attr = raw(config);
		struct pmudev_refusal why;
		struct pmudev_code code;

		if ((config & 0xf000000ff) == 0x003 || (config & 0xf000000ff) == 0xf000000ff)
			continue;
		EXPECT_EQ(0, -encode(&caps, &attr, &code, &why));
		EXPECT_EQ(config | ALL, code.config);
	}
}

static void every_bit_of_a_raw_event(void)
{
	struct amd_caps caps = zen4();
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		struct pmudev_event_attr attr = raw(OTHER ^ BIT_ULL(bit));

		unit_row("bit %u", bit);
		if (VALID_BITS & BIT_ULL(bit))
			expect_code(&caps, attr, attr.config | ALL, 0x3f);
		else
			expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_CONFIG, VALID_BITS, 0);
	}
}

/* What one counter of a core does not count right */
static void events_beyond_one_counter(void)
{
	static const u32 families[] = { 0x0f, 0x10, 0x14, 0x15, 0x16 };
	struct amd_caps caps = zen4();
	unsigned int i, event;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		struct amd_caps old = family(families[i]);

		for (event = 0xe0; event < 0x100; event++) {
			unit_row("family %#x, event %#x", families[i], event);
			expect_refused(&old, raw(event | 0x100), EOPNOTSUPP, PMUDEV_WHY_HARDWARE, 0,
				       0);
			expect_code(&caps, raw(event | 0x100), event | 0x100 | ALL, 0x3f);
		}
	}
	unit_row("retired operations");
	expect_refused(&caps, raw(0xff03), EOPNOTSUPP, PMUDEV_WHY_HARDWARE, 0, 0);
	expect_code(&caps, raw(0x10000ff03), 0x10000ff03 | ALL, 0x3f);
	unit_row("Merge");
	expect_refused(&caps, raw(0xf000000ff), EOPNOTSUPP, PMUDEV_WHY_HARDWARE, 0, 0);
	expect_code(&caps, raw(0x7000000ff), 0x7000000ff | ALL, 0x3f);
}

static void events_of_8_bits(void)
{
	struct amd_caps k8 = family(0x0f), k10 = family(0x10);

	expect_code(&k8, raw(0x0141), 0x0141 | ALL, 0xf);
	expect_refused(&k8, raw(0x100000141), EOPNOTSUPP, PMUDEV_WHY_HARDWARE, 0, 0);
	expect_code(&k10, raw(0x100000141), 0x100000141 | ALL, 0xf);
}

/* BKDG of family 15H models 00H-0FH, 42301: "PERF_CTL[...]" of each of these. */
static void counters_of_family_15h(void)
{
	static const struct {
		u64 config;
		u64 counters;
	} rows[] = {
		{ 0x0076, 0x07 }, /* the cycles of the decoder's unit */
		{ 0x00c0, 0x3f },      { 0x00c2, 0x3f },      { 0x0001, 0x38 },
		{ 0xff03, 0x08 },      { 0x0f00, 0x38 },      { 0xf000, 0x38 },
		{ 0x1100, 0x08 },      { 0x0104, 0x38 },      { 0x0304, 0x08 },
		{ 0x000b, 0x08 },      { 0x000d, 0x08 },      { 0x0023, 0x07 },
		{ 0x002d, 0x08 },      { 0x002e, 0x09 },      { 0x0131, 0x07 },
		{ 0x0141, 0x3f },      { 0x0343, 0x07 },      { 0x0045, 0x07 },
		{ 0x0046, 0x07 },      { 0x0054, 0x07 },      { 0x0055, 0x07 },
		{ 0x077d, 0x07 },      { 0x0080, 0x07 },      { 0x008f, 0x01 },
		{ 0x100000087, 0x01 }, { 0x100000088, 0x01 }, { 0x00d0, 0x07 },
		{ 0x00db, 0x3f },      { 0x00dc, 0x3f },      { 0x1000000c0, 0x38 },
		{ 0x1000000d6, 0x3f }, { 0x1000000d8, 0x3f }, { 0x1000000d5, 0x07 },
	};
	struct amd_caps caps = family(0x15);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		unit_row("%#llx", (unsigned long long)rows[i].config);
		expect_code(&caps, raw(rows[i].config), rows[i].config | ALL, rows[i].counters);
	}
	/* Only one unit mask; and no such unit. */
	expect_refused(&caps, raw(0x0331), ENOSPC, PMUDEV_WHY_NO_COUNTER, 0, 0);
	expect_refused(&caps, raw(0x00a0), ENOSPC, PMUDEV_WHY_NO_COUNTER, 0, 0);
}

/* ----------------------------------------------------------- thresholds -- */

static struct pmudev_event_attr threshold(u16 n, u8 compare, u32 flags)
{
	struct pmudev_event_attr attr = raw(OTHER);

	attr.threshold = n;
	attr.threshold_compare = compare;
	attr.flags = flags;
	return attr;
}

static void thresholds(void)
{
	const u32 count = PMUDEV_THRESHOLD_COUNT;
	struct amd_caps caps = zen4();
	struct pmudev_event_attr both = threshold(2, PMUDEV_LESS, count);
	u64 n;

	for (n = 1; n <= 127; n++) {
		unit_row("%llu", (unsigned long long)n);
		expect_code(&caps, threshold(n, PMUDEV_GREATER_EQUAL, count), OTHER | ALL | n << 24,
			    0x3f);
		expect_code(&caps, threshold(n, PMUDEV_LESS, count), OTHER | ALL | INV | n << 24,
			    0x3f);
		expect_refused(&caps, threshold(n, PMUDEV_EQUAL, count), EOPNOTSUPP,
			       PMUDEV_WHY_COMPARE, 0, 0);
		expect_refused(&caps, threshold(n, PMUDEV_NOT_EQUAL, count), EOPNOTSUPP,
			       PMUDEV_WHY_COMPARE, 0, 0);
		expect_refused(&caps, threshold(n, PMUDEV_LESS, 0), EOPNOTSUPP, PMUDEV_WHY_HARDWARE,
			       count, 0);
	}
	expect_refused(&caps, threshold(128, PMUDEV_LESS, count), EINVAL, PMUDEV_WHY_THRESHOLD, 127,
		       0);
	both.config |= INV;
	expect_refused(&caps, both, EINVAL, PMUDEV_WHY_COMBINATION, 0, 0);
	both.config = OTHER | 0x01000000;
	expect_refused(&caps, both, EINVAL, PMUDEV_WHY_COMBINATION, 0, 0);
}

/* --------------------------------------------------------------- widths -- */

static void widths(void)
{
	struct pmudev_event_attr attr = raw(OTHER);
	struct amd_caps caps = zen4();

	/* No counter has 64 bits. */
	attr.flags = PMUDEV_LONG;
	expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_WIDTH, 48, 0);
	/* All their bits can be written. */
	attr.flags = PMUDEV_DIRECT | PMUDEV_USER_READ;
	expect_code(&caps, attr, OTHER | ALL, 0x3f);
	attr.flags = PMUDEV_COUNTER;
	attr.counter = 5;
	expect_code(&caps, attr, OTHER | ALL, 0x20);
	attr.counter = 6;
	expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_COUNTER, 0, 0x3f);
	attr.counter = 32;
	expect_refused(&caps, attr, EINVAL, PMUDEV_WHY_COUNTER, 0, 0x3f);
}

int main(void)
{
	RUN(levels_by_what_is_excluded);
	RUN(no_guests_without_svm);
	RUN(no_filters_without_the_bits);
	RUN(generic_events);
	RUN(every_event_and_unit_mask);
	RUN(every_bit_of_a_raw_event);
	RUN(events_beyond_one_counter);
	RUN(events_of_8_bits);
	RUN(counters_of_family_15h);
	RUN(thresholds);
	RUN(widths);
	return unit_end();
}
