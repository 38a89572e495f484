// SPDX-License-Identifier: GPL-2.0
/* pmudev_refuse(), pmudev_attr_check(), pmudev_group_check(). An event of zeroes is a good one. */
#include <pmudev/attr.h>

#include "unit.h"

static int check(const struct pmudev_event_attr *attr, struct pmudev_refusal *why)
{
	struct pmudev_event_attr before = *attr;
	int ret;

	*why = unit_refusal();
	ret = pmudev_attr_check(attr, why);
	EXPECT_TRUE(!memcmp(attr, &before, sizeof(before)));
	return ret;
}

static void expect_good(struct pmudev_event_attr attr)
{
	struct pmudev_refusal why;

	EXPECT_EQ(0, check(&attr, &why));
}

static void expect_bad(struct pmudev_event_attr attr, u32 code, u64 limit)
{
	struct pmudev_refusal why;
	int ret = check(&attr, &why);

	EXPECT_REFUSED(ret, &why, EINVAL, code, limit);
}

/* ----------------------------------------------------------- a refusal -- */

static void a_refusal_changes_reason_and_limit_only(void)
{
	struct pmudev_refusal why, wanted;

	memset(&why, 0xa5, sizeof(why));
	memset(&wanted, 0xa5, sizeof(wanted));
	wanted.code = PMUDEV_WHY_HELD;
	wanted.limit = 1ULL << 63;
	EXPECT_EQ(EBUSY, -pmudev_refuse(&why, -EBUSY, PMUDEV_WHY_HELD, 1ULL << 63));
	EXPECT_TRUE(!memcmp(&why, &wanted, sizeof(why)));
	EXPECT_EQ(0xa5a5a5a5, why.nr_holders);
	EXPECT_EQ(0xa5a5a5a5a5a5a5a5, why.holders);

	wanted.code = PMUDEV_WHY_MEMORY;
	wanted.limit = 0;
	EXPECT_EQ(ENOMEM, -pmudev_refuse(&why, -ENOMEM, PMUDEV_WHY_MEMORY, 0));
	EXPECT_TRUE(!memcmp(&why, &wanted, sizeof(why)));
}

/* ----------------------------------------------------------- one event -- */

static void good_events(void)
{
	static const struct {
		const char *what;
		struct pmudev_event_attr attr;
	} rows[] = {
		{ "zeroes", { .type = 0 } },
		{ "last generic event", { .type = 0, .config = 6 } },
		{ "raw event 0", { .type = 1 } },
		{ "raw event, all bits", { .type = 1, .config = ~0ULL } },
		{ "group 63", { .group = 63 } },
		{ "counter 0", { .flags = PMUDEV_COUNTER } },
		{ "counter 63", { .flags = PMUDEV_COUNTER, .counter = 63 } },
		{ "counter 63 of mask",
		  { .flags = PMUDEV_COUNTER, .counter = 63, .allowed = 1ULL << 63 } },
		{ "counter 32 of all",
		  { .flags = PMUDEV_COUNTER, .counter = 32, .allowed = ~0ULL } },
		{ "any mask", { .allowed = 0x8000000100000001 } },
		{ "any tag", { .tag = ~0ULL } },
		{ "threshold 1", { .threshold = 1 } },
		{ "threshold 4095", { .threshold = 4095 } },
		{ "compare 3", { .threshold = 1, .threshold_compare = 3 } },
		{ "count of cycles", { .threshold = 1, .flags = PMUDEV_THRESHOLD_COUNT } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		unit_row("%s", rows[i].what);
		expect_good(rows[i].attr);
	}
}

static void bad_events(void)
{
	static const struct {
		const char *what;
		struct pmudev_event_attr attr;
		u32 code;
		u64 limit;
	} rows[] = {
		{ "type 2", { .type = 2 }, PMUDEV_WHY_TYPE, 1 },
		{ "type max", { .type = ~0U }, PMUDEV_WHY_TYPE, 1 },
		{ "generic event 7", { .config = 7 }, PMUDEV_WHY_CONFIG, 6 },
		{ "generic event 2^32", { .config = 1ULL << 32 }, PMUDEV_WHY_CONFIG, 6 },
		{ "generic event max", { .config = ~0ULL }, PMUDEV_WHY_CONFIG, 6 },
		{ "group 64", { .group = 64 }, PMUDEV_WHY_GROUP, 63 },
		{ "group max", { .group = ~0U }, PMUDEV_WHY_GROUP, 63 },
		{ "threshold 4096", { .threshold = 4096 }, PMUDEV_WHY_THRESHOLD, 4095 },
		{ "threshold max", { .threshold = 65535 }, PMUDEV_WHY_THRESHOLD, 4095 },
		{ "compare 4", { .threshold_compare = 4 }, PMUDEV_WHY_COMPARE, 3 },
		{ "compare max", { .threshold_compare = 255 }, PMUDEV_WHY_COMPARE, 3 },
		{ "counter without flag", { .counter = 1 }, PMUDEV_WHY_COUNTER, 0 },
		{ "no 64", { .flags = PMUDEV_COUNTER, .counter = 64 }, PMUDEV_WHY_COUNTER, 63 },
		{ "no max", { .flags = PMUDEV_COUNTER, .counter = ~0U }, PMUDEV_WHY_COUNTER, 63 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		unit_row("%s", rows[i].what);
		expect_bad(rows[i].attr, rows[i].code, rows[i].limit);
	}
}

static void every_reserved_bit_is_refused(void)
{
	unsigned int i, bit;

	EXPECT_EQ(5, sizeof(((struct pmudev_event_attr *)0)->reserved));
	for (i = 0; i < 5; i++) {
		for (bit = 0; bit < 8; bit++) {
			struct pmudev_event_attr attr = {};

			attr.reserved[i] = 1 << bit;
			unit_row("byte %u, bit %u", i, bit);
			expect_bad(attr, PMUDEV_WHY_RESERVED, 0);
		}
	}
}

static void every_unknown_flag_is_refused(void)
{
	unsigned int bit;

	for (bit = 12; bit < 32; bit++) {
		struct pmudev_event_attr attr = { .flags = 1U << bit };

		unit_row("bit %u", bit);
		expect_bad(attr, PMUDEV_WHY_FLAGS, 0xfff);
		/* Also beside known ones. */
		attr.flags |= PMUDEV_EXCLUDE_KERNEL | PMUDEV_USER_READ | PMUDEV_LONG;
		expect_bad(attr, PMUDEV_WHY_FLAGS, 0xfff);
	}
}

static void a_counter_is_one_of_those_allowed(void)
{
	unsigned int c;

	for (c = 0; c < 64; c++) {
		struct pmudev_event_attr attr = { .flags = PMUDEV_COUNTER, .counter = c };

		unit_row("counter %u", c);
		attr.allowed = 1ULL << c;
		expect_good(attr);
		attr.allowed = ~(1ULL << c);
		expect_bad(attr, PMUDEV_WHY_COUNTER, 0);
		attr.allowed = 1ULL << (c ^ 32);
		expect_bad(attr, PMUDEV_WHY_COUNTER, 0);
	}
}

/* Rules of the known flags: with all of @if_all, all of @then and none of @but must be there. */
static const struct rule {
	u32 if_all, then, but, code;
	u64 limit;
} rules[] = {
	{ .if_all = PMUDEV_DIRECT,
	  .but = PMUDEV_MULTIPLEX,
	  .code = PMUDEV_WHY_COMBINATION,
	  .limit = PMUDEV_DIRECT | PMUDEV_MULTIPLEX },
	{ .if_all = PMUDEV_DIRECT,
	  .then = PMUDEV_USER_READ,
	  .code = PMUDEV_WHY_COMBINATION,
	  .limit = PMUDEV_DIRECT | PMUDEV_USER_READ },
	{ .if_all = PMUDEV_CHAIN_READ,
	  .then = PMUDEV_LONG | PMUDEV_USER_READ,
	  .code = PMUDEV_WHY_COMBINATION,
	  .limit = PMUDEV_CHAIN_READ | PMUDEV_LONG | PMUDEV_USER_READ },
	{ .if_all = PMUDEV_EXCLUDE_HOST,
	  .but = PMUDEV_EXCLUDE_GUEST,
	  .code = PMUDEV_WHY_ALL_EXCLUDED },
};

static bool broken(const struct rule *rule, u32 flags)
{
	if (~flags & rule->if_all)
		return false;
	return (~flags & rule->then) || (flags & rule->but);
}

/* Where several rules are broken, any of them may be named. */
static void every_combination_of_flags(void)
{
	unsigned int i, refused = 0;
	u32 flags;

	for (flags = 0; flags < 1U << 12; flags++) {
		struct pmudev_event_attr attr = { .flags = flags };
		struct pmudev_refusal why;
		bool bad = false, named = false;
		int ret;

		unit_row("flags %#x", flags);
		ret = check(&attr, &why);
		for (i = 0; i < ARRAY_SIZE(rules); i++) {
			if (!broken(&rules[i], flags))
				continue;
			bad = true;
			if (rules[i].code == why.code && rules[i].limit == why.limit)
				named = true;
		}
		EXPECT_EQ(bad ? EINVAL : 0, -ret);
		EXPECT_EQ(bad, named);
		refused += bad;
	}
	/*
	 * By hand: 3 ways to exclude host and guest, 13 for LONG, USER_READ, DIRECT, CHAIN_READ and
	 * MULTIPLEX (4 without USER_READ, 3 * 3 with it), 5 flags free.
	 */
	unit_row("good ones");
	EXPECT_EQ(3 * 13 * 32, 4096 - refused);
}

/* ------------------------------------------------------------- a group -- */

/* The first event that some event before it, in the same group, disagrees with. */
static int first_bad(const struct pmudev_event_attr *attr, unsigned int nr)
{
	unsigned int i, j;

	for (i = 0; i < nr; i++)
		for (j = 0; j < i; j++)
			if (attr[i].group == attr[j].group &&
			    ((attr[i].flags ^ attr[j].flags) & PMUDEV_MULTIPLEX))
				return i;
	return -1;
}

static void expect_group(const struct pmudev_event_attr *attr, unsigned int nr)
{
	struct pmudev_refusal why = unit_refusal();
	int ret, wanted = first_bad(attr, nr);
	unsigned int bad = 1000;

	ret = pmudev_group_check(attr, nr, &bad, &why);
	if (wanted < 0) {
		EXPECT_EQ(0, ret);
		return;
	}
	EXPECT_REFUSED(ret, &why, EINVAL, PMUDEV_WHY_GROUP_FLAGS, 0);
	EXPECT_EQ(wanted, bad);
}

/* Five events, each in one of three groups, each with and without MULTIPLEX. */
static void groups_of_five_events(void)
{
	static const u8 groups[] = { 0, 32, 63 };
	unsigned int instance, nr, i;

	for (instance = 0; instance < 6 * 6 * 6 * 6 * 6; instance++) {
		struct pmudev_event_attr attr[5] = {};
		unsigned int rest = instance;

		unit_row("instance %u", instance);
		for (i = 0; i < 5; i++, rest /= 6) {
			attr[i].group = groups[rest % 3];
			attr[i].flags = rest % 6 < 3 ? 0 : PMUDEV_MULTIPLEX;
		}
		for (nr = 0; nr <= 5; nr++)
			expect_group(attr, nr);
	}
}

static void groups_of_many_events(void)
{
	struct pmudev_event_attr attr[64] = {};
	unsigned int i;

	/* All groups there are, every other one with MULTIPLEX. */
	for (i = 0; i < 64; i++) {
		attr[i].group = i;
		attr[i].flags = i % 2 ? PMUDEV_MULTIPLEX : 0;
	}
	unit_row("64 groups");
	EXPECT_EQ(-1ULL, first_bad(attr, 64));
	expect_group(attr, 64);

	/* One group, one event that disagrees; other flags are the event's own business. */
	for (i = 0; i < 64; i++) {
		unsigned int j;

		unit_row("one group, event %u", i);
		for (j = 0; j < 64; j++)
			attr[j] = (struct pmudev_event_attr){ .group = 63, .flags = j & 0x3f };
		attr[i].flags |= PMUDEV_MULTIPLEX;
		EXPECT_EQ(i ?: 1, first_bad(attr, 64));
		expect_group(attr, 64);
	}
}

int main(void)
{
	RUN(a_refusal_changes_reason_and_limit_only);
	RUN(good_events);
	RUN(bad_events);
	RUN(every_reserved_bit_is_refused);
	RUN(every_unknown_flag_is_refused);
	RUN(a_counter_is_one_of_those_allowed);
	RUN(every_combination_of_flags);
	RUN(groups_of_five_events);
	RUN(groups_of_many_events);
	return unit_end();
}
