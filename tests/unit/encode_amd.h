/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of amd_encode() share. By the APM (volume 2, "PERF_CTL") a selector has the event
 * in bits 35:32 and 7:0, the unit mask in 15:8, USR in 16, OS in 17, EDGE in 18, INT in 20, EN in
 * 22, INV in 23, CMASK in 31:24, guests only in 40, the host only in 41.
 */
#ifndef UNIT_ENCODE_AMD_H
#define UNIT_ENCODE_AMD_H

#include <pmudev/amd.h>
#include <pmudev/attr.h>

#define ENCODE amd_encode
#define CAPS   amd_caps
#include "encode.h"

#define USR   0x00010000ULL
#define OS    0x00020000ULL
#define EDGE  0x00040000ULL
#define EN    0x00400000ULL
#define INV   0x00800000ULL
#define CMASK 0x7f000000ULL
#define GUEST (1ULL << 40)
#define HOST  (1ULL << 41)
#define ALL   (USR | OS | EN) /* what a plain event has besides */

#define VALID_BITS 0xf7f84ffffULL

#define INSTRUCTIONS 0x00c0
#define OTHER	     0x0141

static inline struct amd_caps zen4(void)
{
	return (struct amd_caps){
		.version = 2,
		.family = 0x19,
		.counters = 0x3f,
		.extended = true,
		.svm = true,
		.filters = true,
	};
}

static inline struct amd_caps family(u32 family)
{
	return (struct amd_caps){
		.version = 1,
		.family = family,
		.counters = family < 0x15 ? 0xf : 0x3f,
		.extended = family >= 0x15,
		.svm = true,
		.filters = family >= 0x10,
	};
}

static inline struct pmudev_event_attr generic(u64 event)
{
	return (struct pmudev_event_attr){ .type = PMUDEV_TYPE_GENERIC, .config = event };
}

#endif /* UNIT_ENCODE_AMD_H */
