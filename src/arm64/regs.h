/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMUv3's system registers, one accessor per register, no policy. Source: Arm ARM (DDI 0487) D24.5
 * "Performance Monitors registers", for AArch32 G8.4. regs_a64.h and regs_a32.h have the names.
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

/* @n: 0..30 */
static __always_inline u64 read_pmevcntr(unsigned int n)
{
	switch (n) {
#define READ_ONE(i) case i: return READ_PMEVCNTR(i);
		PMUV3_FOR_EACH_EVENT_COUNTER(READ_ONE)
#undef READ_ONE
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
#define READ_ONE(i) case i: return READ_PMEVCNTR(i);
		PMUV3_FOR_EACH_EVENT_COUNTER(READ_ONE)
#undef READ_ONE
	case PMUV3_CYCLE_COUNTER:
		return read_sysreg(REG_PMCCNTR);
	case PMUV3_INSTRUCTION_COUNTER ... U8_MAX:
		return read_pmicntr();
	}
	/* The kernel's unreachable() may emit code. */
	__builtin_unreachable();
}

static __always_inline void write_pmevcntr(unsigned int n, u64 value)
{
	switch (n) {
#define WRITE_ONE(i) case i: WRITE_PMEVCNTR(value, i); break;
		PMUV3_FOR_EACH_EVENT_COUNTER(WRITE_ONE)
#undef WRITE_ONE
	}
}

static __always_inline void write_pmevtyper(unsigned int n, u64 value)
{
	switch (n) {
#define WRITE_ONE(i) case i: WRITE_PMEVTYPER(value, i); break;
		PMUV3_FOR_EACH_EVENT_COUNTER(WRITE_ONE)
#undef WRITE_ONE
	}
}

static inline u64 read_pmevtyper(unsigned int n)
{
	switch (n) {
#define READ_ONE(i) case i: return READ_PMEVTYPER(i);
		PMUV3_FOR_EACH_EVENT_COUNTER(READ_ONE)
#undef READ_ONE
	}
	return 0;
}

static inline void write_pmccntr(u64 value)
{
	write_sysreg(value, REG_PMCCNTR);
}

/* As read_any_counter() */
static __always_inline void write_any_counter(unsigned int n, u64 value)
{
	if (n < PMUDEV_FIXED_BASE)
		write_pmevcntr(n, value);
	else if (n == PMUV3_CYCLE_COUNTER)
		write_pmccntr(value);
	else
		write_pmicntr(value);
}

static inline u64 read_pmccfiltr(void)
{
	return read_sysreg(REG_PMCCFILTR);
}

static inline void write_pmccfiltr(u64 value)
{
	write_sysreg(value, REG_PMCCFILTR);
}

static inline u64 read_pmcr(void)
{
	return read_sysreg(REG_PMCR);
}

static inline void write_pmcr(u64 value)
{
	write_sysreg(value, REG_PMCR);
}

static inline void write_pmcntenset(u64 mask)
{
	write_sysreg(mask, REG_PMCNTENSET);
}

static inline void write_pmcntenclr(u64 mask)
{
	write_sysreg(mask, REG_PMCNTENCLR);
}

static inline void write_pmintenclr(u64 mask)
{
	write_sysreg(mask, REG_PMINTENCLR);
}

static inline void write_pmuserenr(u64 value)
{
	write_sysreg(value, REG_PMUSERENR);
}

static inline u64 read_pmuserenr(void)
{
	return read_sysreg(REG_PMUSERENR);
}

static inline void write_pmovsclr(u64 mask)
{
	write_sysreg(mask, REG_PMOVSCLR);
}

static inline void write_pmselr(u64 value)
{
	write_sysreg(value, REG_PMSELR);
}

#endif /* _PMUDEV_ARM64_REGS_H */
