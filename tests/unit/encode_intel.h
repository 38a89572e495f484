/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of intel_encode() share. By the SDM (volume 3B) IA32_PERFEVTSELx has the event in
 * bits 7:0, the unit mask in 15:8, USR in 16, OS in 17, EDGE in 18, EN in 22, INV in 23, CMASK in
 * 31:24, EQ in 36, what hides the counter in 37, UMASK2 in 47:40.
 */
#ifndef UNIT_ENCODE_INTEL_H
#define UNIT_ENCODE_INTEL_H

#include <pmudev/attr.h>
#include <pmudev/intel.h>

#define ENCODE intel_encode
#define CAPS   intel_caps
#include "encode.h"

#define USR    0x00010000ULL
#define OS     0x00020000ULL
#define EDGE   0x00040000ULL
#define EN     0x00400000ULL
#define INV    0x00800000ULL
#define EQ     (1ULL << 36)
#define HIDDEN (1ULL << 37)
#define ALL    (USR | OS | EN) /* what a plain event has besides */
#define CMASK  0xff000000ULL

#define CYCLES	     0x003c
#define INSTRUCTIONS 0x00c0
#define OTHER	     0x010e /* no architectural event */

#define PROGRAMMABLE 0xffULL
#define FIXED(n)     (1ULL << (32 + (n)))
#define FIRST	     0xfULL /* these count what CPUID does not describe, on an unknown model */

/* A CPU of version 6 with all there is. */
static inline struct intel_caps everything(void)
{
	return (struct intel_caps){
		.version = 6,
		.width = 48,
		.width_fixed = 48,
		.width_hw = 48,
		.full_width = true,
		.eq = true,
		.umask2 = true,
		.declared = 13,
		.counters = PROGRAMMABLE | 0x7f00000000,
	};
}

/* One of version 4: eight counters and three, neither EQ nor UMASK2. */
static inline struct intel_caps version4(void)
{
	struct intel_caps caps = everything();

	caps.version = 4;
	caps.eq = false;
	caps.umask2 = false;
	caps.declared = 8;
	caps.counters = PROGRAMMABLE | 0x700000000;
	return caps;
}

/* The programmable counters that count a raw event on an unknown model. */
static inline u64 countable(const struct intel_caps *caps, u64 config)
{
	static const u16 described[] = { CYCLES, INSTRUCTIONS, 0x013c, 0x4f2e, 0x412e,
					 0x00c4, 0x00c5,       0x01a4, 0x02a4, 0x0073,
					 0x019c, 0x02c2,       0x01e4 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(described) && i < caps->declared; i++)
		if ((config & 0xff000000ffff) == described[i])
			return PROGRAMMABLE;
	return FIRST;
}

static inline struct pmudev_event_attr generic(u64 event)
{
	return (struct pmudev_event_attr){ .type = PMUDEV_TYPE_GENERIC, .config = event };
}

static inline struct pmudev_event_attr threshold(struct pmudev_event_attr attr, u16 n, u8 compare)
{
	attr.threshold = n;
	attr.threshold_compare = compare;
	attr.flags |= PMUDEV_THRESHOLD_COUNT;
	return attr;
}

#endif /* UNIT_ENCODE_INTEL_H */
