/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of pmuv3_encode() share. By the Arm ARM (D24.5) PMEVTYPER<n>_EL0 has P in bit 31
 * (does not count EL1), U in bit 30 (does not count EL0), NSH in bit 27 (counts EL2), and evtCount
 * in bits 15:0.
 */
#ifndef UNIT_ENCODE_PMUV3_H
#define UNIT_ENCODE_PMUV3_H

#include <pmudev/attr.h>
#include <pmudev/pmuv3.h>

#define ENCODE pmuv3_encode
#define CAPS   pmuv3_caps
#include "encode.h"

#define CYCLES	     0x11
#define INSTRUCTIONS 0x08
#define CHAIN	     0x1e
#define PROGRAMMABLE 0x3fULL
#define CYCLE	     (1ULL << 32)
#define INSTRUCTION  (1ULL << 33)

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

#endif /* UNIT_ENCODE_PMUV3_H */
