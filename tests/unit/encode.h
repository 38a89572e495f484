/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of both encode functions. Before including this, define
 *	ENCODE	the function
 *	CAPS	its struct of capabilities
 */
#ifndef UNIT_ENCODE_H
#define UNIT_ENCODE_H

#include "unit.h"

static inline struct pmudev_event_attr raw(u64 config)
{
	return (struct pmudev_event_attr){ .type = PMUDEV_TYPE_RAW, .config = config };
}

/* Only what pmudev_attr_check() lets pass is for the function to judge. */
static inline int encode(const struct CAPS *caps, const struct pmudev_event_attr *attr,
			 struct pmudev_code *code, struct pmudev_refusal *why)
{
	*why = unit_refusal();
	EXPECT_EQ(0, pmudev_attr_check(attr, why));
	memset(code, 0xa5, sizeof(*code));
	return ENCODE(caps, attr, code, why);
}

static inline void expect_code(const struct CAPS *caps, struct pmudev_event_attr attr, u64 config,
			       u64 allowed)
{
	struct pmudev_refusal why;
	struct pmudev_code code;

	if (!EXPECT_EQ(0, encode(caps, &attr, &code, &why)))
		return;
	EXPECT_EQ(config, code.config);
	EXPECT_EQ(allowed, code.allowed);
	EXPECT_EQ(false, code.chained);
}

/* The same for a chained event: @even are its even counters. */
static inline void expect_chained(const struct CAPS *caps, struct pmudev_event_attr attr,
				  u64 config, u64 even)
{
	struct pmudev_refusal why;
	struct pmudev_code code;

	if (!EXPECT_EQ(0, encode(caps, &attr, &code, &why)))
		return;
	EXPECT_EQ(config, code.config);
	EXPECT_EQ(even, code.allowed);
	EXPECT_EQ(true, code.chained);
}

static inline void expect_refused(const struct CAPS *caps, struct pmudev_event_attr attr, int error,
				  u32 reason, u64 limit, u64 allowed)
{
	struct pmudev_refusal why;
	struct pmudev_code code;
	int ret = encode(caps, &attr, &code, &why);

	EXPECT_REFUSED(ret, &why, error, reason, limit);
	EXPECT_EQ(allowed, why.allowed);
}

#endif /* UNIT_ENCODE_H */
