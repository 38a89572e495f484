// SPDX-License-Identifier: GPL-2.0
/*
 * pmuv3_encode_like(): what is taken over from an event that is as this one is but for its config
 * is what would have been found out; and pmudev_attr_uniform(), which says so.
 */
#include "encode_pmuv3.h"

#include <string.h>

static const u64 events[] = { INSTRUCTIONS, CYCLES, CHAIN, 0xc0, 0x4004, 0x10000 };

static void expect_same(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
			const struct pmudev_code *like)
{
	struct pmudev_refusal why = unit_refusal(), why_like = unit_refusal();
	struct pmudev_code code = { 0 }, code_like = { 0 };
	int ret = pmuv3_encode(caps, attr, &code, &why);

	EXPECT_EQ(ret, pmuv3_encode_like(caps, attr, like, &code_like, &why_like));
	EXPECT_EQ(why.code, why_like.code);
	EXPECT_EQ(why.limit, why_like.limit);
	EXPECT_EQ(why.allowed, why_like.allowed);
	if (ret)
		return;
	EXPECT_EQ(code.config, code_like.config);
	EXPECT_EQ(code.allowed, code_like.allowed);
	EXPECT_EQ(code.filter, code_like.filter);
	EXPECT_EQ(code.chained, code_like.chained);
	EXPECT_EQ(code.privileged, code_like.privileged);
}

/* Whoever does not care for counters gets what he would get who allows them all. */
static void expect_all_allowed(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr)
{
	struct pmudev_refusal why = unit_refusal(), why_all = unit_refusal();
	struct pmudev_code code = { 0 }, code_all = { 0 };
	struct pmudev_event_attr all = *attr;
	int ret;

	all.allowed = ~0ULL;
	ret = pmuv3_encode(caps, attr, &code, &why);
	EXPECT_EQ(ret, pmuv3_encode(caps, &all, &code_all, &why_all));
	EXPECT_EQ(why.code, why_all.code);
	if (ret)
		return;
	EXPECT_EQ(code.config, code_all.config);
	EXPECT_EQ(code.allowed, code_all.allowed);
	EXPECT_EQ(code.chained, code_all.chained);
}

/* Each event after each. How many were compared. */
static unsigned int after_each_other(const struct pmuv3_caps *caps, struct pmudev_event_attr attr)
{
	struct pmudev_refusal why = unit_refusal();
	unsigned int i, j, compared = 0;
	struct pmudev_code like;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		attr.config = events[i];
		if (pmudev_attr_check(&attr, &why) || pmuv3_encode(caps, &attr, &like, &why))
			continue;
		for (j = 0; j < ARRAY_SIZE(events); j++, compared++) {
			attr.config = events[j];
			expect_same(caps, &attr, &like);
			expect_all_allowed(caps, &attr);
		}
	}
	return compared;
}

/* Of every shape and version, with all that may be excluded, thresholds and wishes. */
static void nothing_is_lost(void)
{
	static const u32 wishes[] = {
		0,
		PMUDEV_LONG,
		PMUDEV_COUNTER,
		PMUDEV_USER_READ,
		PMUDEV_USER_READ | PMUDEV_DIRECT,
		PMUDEV_USER_READ | PMUDEV_LONG,
		PMUDEV_USER_READ | PMUDEV_LONG | PMUDEV_CHAIN_READ,
	};
	unsigned int flags, shape, version, wish, compared = 0;
	struct pmudev_event_attr attr;
	struct pmuv3_caps caps;

	for (flags = 0; flags < 32; flags++) {
		for (wish = 0; wish < ARRAY_SIZE(wishes); wish++) {
			attr = raw(0);
			attr.flags = flags | wishes[wish];
			attr.counter = wishes[wish] == PMUDEV_COUNTER ? 2 : 0;
			attr.threshold = flags % 3;
			for (shape = 0; shape < 3; shape++) {
				for (version = 0; version < ARRAY_SIZE(versions); version++) {
					caps = everything();
					caps.shape = shape;
					caps.version = versions[version];
					caps.threshold_max = 15;
					caps.narrow = flags & 1;
					caps.smt = flags & 2;
					compared += after_each_other(&caps, attr);
				}
			}
		}
	}
	EXPECT_EQ(true, compared > 10000);
}

/* Whatever bit is another one, but those of config and tag. */
static void told_apart(void)
{
	struct pmudev_event_attr a = raw(CYCLES), b;
	unsigned int byte;

	for (byte = 0; byte < sizeof(a); byte++) {
		bool free = (byte >= 8 && byte < 16) || (byte >= 24 && byte < 32);

		b = a;
		((unsigned char *)&b)[byte] ^= 0x10;
		EXPECT_EQ(free, pmudev_attr_uniform(&a, &b));
	}
	EXPECT_EQ(true, pmudev_attr_uniform(&a, &a));
	/* Of a generic event the config is part of what is checked. */
	a.type = PMUDEV_TYPE_GENERIC;
	EXPECT_EQ(false, pmudev_attr_uniform(&a, &a));
}

int main(void)
{
	RUN(nothing_is_lost);
	RUN(told_apart);
	return unit_end();
}
