/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMUv3 without registers: capabilities, encodings and names. Source: Arm ARM (DDI 0487), chapter
 * D13 "The Performance Monitors Extension" and the registers of D24.5.
 */
#ifndef _PMUDEV_PMUV3_H
#define _PMUDEV_PMUV3_H

#include <pmudev/code.h>
#include <pmudev/names.h>

/* Indices of the fixed counters. */
#define PMUV3_CYCLE_COUNTER		32 /* PMCCNTR_EL0 */
#define PMUV3_INSTRUCTION_COUNTER	33 /* PMICNTR_EL0 */

/* PMEVTYPER<n>_EL0, PMCCFILTR_EL0 and PMICFILTR_EL0. TC and TH are reserved in the last two. */
#define PMUV3_TYPER_TC		GENMASK_ULL(63, 61) /* threshold control */
#define PMUV3_TYPER_TH		GENMASK_ULL(43, 32) /* threshold */
#define PMUV3_TYPER_P		BIT_ULL(31)	/* do not count EL1 */
#define PMUV3_TYPER_U		BIT_ULL(30)	/* do not count EL0 */
#define PMUV3_TYPER_NSH		BIT_ULL(27)	/* count Non-secure EL2 */
/* Software's: PMINTENSET_EL1 has it, and the registers are written without it. */
#define PMUV3_INTERRUPT		BIT_ULL(16)
#define PMUV3_TYPER_EVENT	GENMASK_ULL(15, 0) /* evtCount */

/* Common event CHAIN: the odd counter counts overflows of the even counter below. */
#define PMUV3_CHAIN		0x1e

/* Exception level of the kernel */
enum pmuv3_shape {
	PMUV3_EL1,  /* EL1, without EL2 or with a foreign hypervisor there; EL2 is never counted */
	PMUV3_NVHE, /* EL1, with KVM's hypervisor code at EL2 */
	PMUV3_VHE,  /* EL2 (FEAT_VHE); guests run at EL1 */
};

/*
 * Capabilities of a PMUv3. CPUs of equal capabilities are compared by memcmp(): clear all bytes
 * first.
 */
struct pmuv3_caps {
	u32 version;	    /* ID_AA64DFR0_EL1.PMUVer, or its equivalent in AArch32 */
	u32 threshold_max;  /* highest value of PMEVTYPER<n>_EL0.TH; 0 without FEAT_PMUv3_TH */
	/*
	 * The kernel runs in AArch32: whatever the version, it reaches 32 bits of an event counter
	 * and cannot hide counters.
	 */
	bool narrow;
	enum pmuv3_shape shape;
	bool guestless;	    /* the kernel has no KVM, so no guest ever runs */
	bool protected_kvm; /* KVM's vcpus are out of reach: guest filters do not work */
	/*
	 * Cores have several hardware threads. PMCCNTR_EL0 may then count while any of them runs;
	 * CPU_CYCLES on an event counter counts one thread.
	 */
	bool smt;
	u64 counters;	/* usable counters by index: 0..30, cycle counter, instruction counter */
	u64 pmceid;	/* common events 0x0000..0x003f (PMCEID0/1_EL0 bits 31:0) */
	u64 pmceid_ext; /* common events 0x4000..0x403f (PMCEID0/1_EL0 bits 63:32) */
};

/* Event counters have 64 bits (FEAT_PMUv3p5). PMCR_EL0.LP reads back as 1 even on CPUs without. */
bool pmuv3_long_counters(const struct pmuv3_caps *caps);
/* 64-bit counts take two event counters and CHAIN. */
bool pmuv3_chained(const struct pmuv3_caps *caps);
/* PMUACR_EL1 gives EL0 each counter separately (FEAT_PMUv3p9). */
bool pmuv3_can_hide(const struct pmuv3_caps *caps);
/* PMMIR_EL1 exists (FEAT_PMUv3p4). */
bool pmuv3_has_pmmir(const struct pmuv3_caps *caps);
/* Highest value of PMEVTYPER<n>_EL0.TH, from PMMIR_EL1.THWIDTH. */
u32 pmuv3_threshold_max(u64 pmmir);

/*
 * Translate counters, a mask by index, into the bits of PMCNTENSET_EL0, PMCNTENCLR_EL0,
 * PMINTENSET_EL1, PMINTENCLR_EL1, PMOVSCLR_EL0 and PMUACR_EL1: there the fixed counters are one bit
 * lower, the cycle counter at 31, the instruction counter at 32.
 */
static inline u64 pmuv3_enable_bits(u64 counters)
{
	return (counters & GENMASK_ULL(30, 0)) | (counters & GENMASK_ULL(33, 32)) >> 1;
}

/* The reverse */
static inline u64 pmuv3_counters(u64 enable_bits)
{
	return (enable_bits & GENMASK_ULL(30, 0)) | (enable_bits & GENMASK_ULL(32, 31)) << 1;
}

/* PMEVTYPER<n>_EL0.evtCount of enum pmudev_generic, or -ENOENT if the CPU has no such event */
int pmuv3_generic(const struct pmuv3_caps *caps, u64 generic);

/*
 * Encode an event that is valid by pmudev_attr_check(). Sets @code. Return: 0; -EINVAL, -ENOENT,
 * -ENOSPC or -EOPNOTSUPP and @why.
 */
int pmuv3_encode(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
		 struct pmudev_code *code, struct pmudev_refusal *why);

/*
 * Selector of an event while a guest runs; @config and @filter are those of struct pmudev_code.
 * Host and guest share EL0. On VHE, the selector's bit for EL0 therefore changes at each guest
 * entry and exit. On nVHE, selectors stay; KVM starts and stops counters instead.
 */
u64 pmuv3_guest_config(const struct pmuv3_caps *caps, u64 config, enum pmudev_guest_filter filter);

/* Names: fields of config (ended by one without a name), and the common events without CHAIN. */
extern const struct pmudev_term pmuv3_terms[];
extern const struct pmudev_name pmuv3_events[];
extern const unsigned int pmuv3_nr_events;

#endif /* _PMUDEV_PMUV3_H */
