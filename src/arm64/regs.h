/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMUv3's system registers, one accessor per register, no policy. Source: Arm ARM (DDI 0487) D24.5
 * "Performance Monitors registers", for AArch32 G8.4. regs_a64.h and regs_a32.h have those that one
 * instruction accesses.
 */
#ifndef _PMUDEV_ARM64_REGS_H
#define _PMUDEV_ARM64_REGS_H

#include <asm/barrier.h>

#include <pmudev/pmuv3.h>

#ifdef CONFIG_ARM64
#include "regs_a64.h"
#else
#include "regs_a32.h"
#endif

/* PMCR_EL0 */
#define PMCR_E			BIT(0)
#define PMCR_LC			BIT(6)	/* the cycle counter overflows with 64 bits */
#define PMCR_N			GENMASK_ULL(15, 11)
/* MDCR_EL2 */
#define MDCR_HPMN		GENMASK_ULL(4, 0)
/* PMUSERENR_EL0 */
#define PMUSERENR_EN		BIT(0)	/* EL0 has all registers; only KVM sets it, see user.c */
#define PMUSERENR_CR		BIT(2)	/* EL0 reads the cycle counter */
#define PMUSERENR_ER		BIT(3)	/* EL0 reads the event counters */
/* FEAT_PMUv3p9: EL0 reads the counters in PMUACR_EL1, others as 0; CR, ER and IR forbid writes. */
#define PMUSERENR_UEN		BIT(4)
#define PMUSERENR_IR		BIT(5)
/* ID_AA64DFR0_EL1.PMUVer or ID_DFR0.PerfMon: an implementation-defined PMU, not PMUv3 */
#define PMUVER_IMP_DEF		15

/* The instruction encodes the register, so each event counter needs an instruction of its own. */
#define PMUV3_FOR_EACH_EVENT_COUNTER(op)				\
	op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7)			\
	op(8) op(9) op(10) op(11) op(12) op(13) op(14) op(15)		\
	op(16) op(17) op(18) op(19) op(20) op(21) op(22) op(23)		\
	op(24) op(25) op(26) op(27) op(28) op(29) op(30)

#define READ_COUNTER(i) case i: return READ_PMEVCNTR(i);
#define WRITE_COUNTER(i) case i: WRITE_PMEVCNTR(value, i); break;
#define READ_SELECTOR(i) case i: return READ_PMEVTYPER(i);
#define WRITE_SELECTOR(i) case i: WRITE_PMEVTYPER(value, i); break;

/* @n: 0..30 */
static __always_inline u64 read_pmevcntr(unsigned int n)
{
	switch (n) {
		PMUV3_FOR_EACH_EVENT_COUNTER(READ_COUNTER)
	}
	unreachable();
}

/*
 * A counter by index: 0..30, 32 (PMCCNTR_EL0) or 33 (PMICNTR_EL0). The last case covers all other
 * values of u8, so the compiler emits one jump without a range check.
 */
static __always_inline u64 read_any_counter(u8 n)
{
	switch (n) {
		PMUV3_FOR_EACH_EVENT_COUNTER(READ_COUNTER)
	case PMUV3_CYCLE_COUNTER:
		return read_pmccntr();
	case PMUV3_INSTRUCTION_COUNTER ... U8_MAX:
		return read_pmicntr();
	}
	/* The kernel's unreachable() may emit code. */
	__builtin_unreachable();
}

static __always_inline void write_any_counter(u8 n, u64 value)
{
	switch (n) {
		PMUV3_FOR_EACH_EVENT_COUNTER(WRITE_COUNTER)
	case PMUV3_CYCLE_COUNTER:
		write_pmccntr(value);
		break;
	case PMUV3_INSTRUCTION_COUNTER ... U8_MAX:
		write_pmicntr(value);
	}
}

/* @n: 0..30 */
static inline u64 read_pmevtyper(unsigned int n)
{
	switch (n) {
		PMUV3_FOR_EACH_EVENT_COUNTER(READ_SELECTOR)
	}
	return 0;
}

static __always_inline void write_pmevtyper(unsigned int n, u64 value)
{
	switch (n) {
		PMUV3_FOR_EACH_EVENT_COUNTER(WRITE_SELECTOR)
	}
}

#endif /* _PMUDEV_ARM64_REGS_H */
