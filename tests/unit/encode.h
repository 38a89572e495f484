/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of pmuv3_encode() share. By the Arm ARM (D24.5) PMEVTYPER<n>_EL0 has P in bit 31
 * (does not count EL1), U in bit 30 (does not count EL0), NSH in bit 27 (counts EL2), and evtCount
 * in bits 15:0.
 */
#ifndef UNIT_ENCODE_H
#define UNIT_ENCODE_H

#include "unit.h"

#define CYCLES	     0x11
#define INSTRUCTIONS 0x08
#define CHAIN	     0x1e
#define PROGRAMMABLE 0x3fULL
#define CYCLE	     (1ULL << 32)

/* ID_AA64DFR0_EL1.PMUVer of all there are: v3, v3p1, p4, p5, p7, p8, p9. */
static const u32 versions[] = { 1, 4, 5, 6, 7, 8, 9 };

static const char *const shapes[] = { "EL1", "nVHE", "VHE" };

/* Six counters and the cycle counter, and every common event. */
static inline struct pmuv3_caps everything(void)
{
	return (struct pmuv3_caps){
		.version = 9,
		.shape = PMUV3_VHE,
		.counters = PROGRAMMABLE | CYCLE,
		.pmceid = ~0ULL,
		.pmceid_ext = ~0ULL,
	};
}

static inline struct pmudev_event_attr raw(u64 config)
{
	return (struct pmudev_event_attr){ .type = PMUDEV_TYPE_RAW, .config = config };
}

/* Only what pmudev_attr_check() lets pass is for pmuv3_encode() to judge. */
static inline int encode(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
			 struct pmudev_code *code, struct pmudev_refusal *why)
{
	*why = unit_refusal();
	EXPECT_EQ(0, pmudev_attr_check(attr, why));
	memset(code, 0xa5, sizeof(*code));
	return pmuv3_encode(caps, attr, code, why);
}

static inline void expect_code(const struct pmuv3_caps *caps, struct pmudev_event_attr attr,
			       u64 config, u64 allowed)
{
	struct pmudev_refusal why;
	struct pmudev_code code;

	if (!EXPECT_EQ(0, encode(caps, &attr, &code, &why)))
		return;
	EXPECT_EQ(config, code.config);
	EXPECT_EQ(allowed, code.allowed);
}

static inline void expect_refused(const struct pmuv3_caps *caps, struct pmudev_event_attr attr,
				  int error, u32 reason, u64 limit, u64 allowed)
{
	struct pmudev_refusal why;
	struct pmudev_code code;
	int ret = encode(caps, &attr, &code, &why);

	EXPECT_REFUSED(ret, &why, error, reason, limit);
	EXPECT_EQ(allowed, why.allowed);
}

#endif /* UNIT_ENCODE_H */
