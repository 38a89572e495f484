/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMUv3's system registers, one accessor each and no policy: Arm ARM (DDI 0487)
 * D24.5, "Performance Monitors registers".
 */
#ifndef _PMUDEV_ARM64_REGS_H
#define _PMUDEV_ARM64_REGS_H

#include <asm/barrier.h>
#include <asm/sysreg.h>

#include <pmudev/pure.h>

/* PMCR_EL0 */
#define PMCR_E			BIT(0)
#define PMCR_N			GENMASK_ULL(15, 11)
/* MDCR_EL2 */
#define MDCR_HPMN		GENMASK_ULL(4, 0)
/* PMUSERENR_EL0: reads of the cycle counter and of the event counters, nothing else */
#define PMUSERENR_EN		BIT(0)	/* never set by us or perf: KVM's, while a vcpu is loaded */
#define PMUSERENR_CR		BIT(2)
#define PMUSERENR_ER		BIT(3)
/*
 * FEAT_PMUv3p9: EL0 reads the counters in PMUACR_EL1, others as 0. CR, ER and IR then keep it from
 * writing them.
 */
#define PMUSERENR_UEN		BIT(4)
#define PMUSERENR_IR		BIT(5)
/* ID_AA64DFR0_EL1.PMUVer */
#define PMUVER_SHIFT		8
#define PMUVER_IMP_DEF		15
/* ID_AA64DFR1_EL1.PMICNTR */
#define PMICNTR_SHIFT		36

/* By number: assemblers and older kernels do not know their names. */
#define SYS_PMUV3_PMUACR	sys_reg(3, 0, 9, 14, 4)
#define SYS_PMUV3_PMICNTR	sys_reg(3, 3, 9, 4, 0)
#define SYS_PMUV3_PMICFILTR	sys_reg(3, 3, 9, 6, 0)

/* The event counters, by number: registers are named in the instruction. */
#define PMUV3_FOR_EACH_EVENT_COUNTER(op)				\
	op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7)			\
	op(8) op(9) op(10) op(11) op(12) op(13) op(14) op(15)		\
	op(16) op(17) op(18) op(19) op(20) op(21) op(22) op(23)		\
	op(24) op(25) op(26) op(27) op(28) op(29) op(30)

/* Inlined: their callers are loops. */
static __always_inline u64 read_pmevcntr(unsigned int n)
{
	switch (n) {
#define READ_ONE(i) case i: return read_sysreg_s(SYS_PMEVCNTRn_EL0(i));
	PMUV3_FOR_EACH_EVENT_COUNTER(READ_ONE)
#undef READ_ONE
	}
	return 0;
}

static __always_inline void write_pmevcntr(unsigned int n, u64 value)
{
	switch (n) {
#define WRITE_ONE(i) case i: write_sysreg_s(value, SYS_PMEVCNTRn_EL0(i)); break;
	PMUV3_FOR_EACH_EVENT_COUNTER(WRITE_ONE)
#undef WRITE_ONE
	}
}

static __always_inline void write_pmevtyper(unsigned int n, u64 value)
{
	switch (n) {
#define WRITE_ONE(i) case i: write_sysreg_s(value, SYS_PMEVTYPERn_EL0(i)); break;
	PMUV3_FOR_EACH_EVENT_COUNTER(WRITE_ONE)
#undef WRITE_ONE
	}
}

static inline u64 read_pmevtyper(unsigned int n)
{
	switch (n) {
#define READ_ONE(i) case i: return read_sysreg_s(SYS_PMEVTYPERn_EL0(i));
	PMUV3_FOR_EACH_EVENT_COUNTER(READ_ONE)
#undef READ_ONE
	}
	return 0;
}

static inline u64 read_pmccntr(void)
{
	return read_sysreg(pmccntr_el0);
}

static inline void write_pmccntr(u64 value)
{
	write_sysreg(value, pmccntr_el0);
}

static inline u64 read_pmccfiltr(void)
{
	return read_sysreg(pmccfiltr_el0);
}

static inline void write_pmccfiltr(u64 value)
{
	write_sysreg(value, pmccfiltr_el0);
}

/* FEAT_PMUv3_ICNTR */
static inline u64 read_pmicntr(void)
{
	return read_sysreg_s(SYS_PMUV3_PMICNTR);
}

static inline void write_pmicntr(u64 value)
{
	write_sysreg_s(value, SYS_PMUV3_PMICNTR);
}

static inline u64 read_pmicfiltr(void)
{
	return read_sysreg_s(SYS_PMUV3_PMICFILTR);
}

static inline void write_pmicfiltr(u64 value)
{
	write_sysreg_s(value, SYS_PMUV3_PMICFILTR);
}

static inline u64 read_pmcr(void)
{
	return read_sysreg(pmcr_el0);
}

/* At EL2 only. */
static inline u64 read_mdcr(void)
{
	return read_sysreg(mdcr_el2);
}

static inline void write_pmcntenset(u64 mask)
{
	write_sysreg(mask, pmcntenset_el0);
}

static inline void write_pmcntenclr(u64 mask)
{
	write_sysreg(mask, pmcntenclr_el0);
}

static inline void write_pmintenclr(u64 mask)
{
	write_sysreg(mask, pmintenclr_el1);
}

static inline void write_pmuserenr(u64 value)
{
	write_sysreg(value, pmuserenr_el0);
}

static inline u64 read_pmuserenr(void)
{
	return read_sysreg(pmuserenr_el0);
}

/* FEAT_PMUv3p9 */
static inline u64 read_pmuacr(void)
{
	return read_sysreg_s(SYS_PMUV3_PMUACR);
}

static inline void write_pmuacr(u64 value)
{
	write_sysreg_s(value, SYS_PMUV3_PMUACR);
}

static inline void write_pmovsclr(u64 mask)
{
	write_sysreg(mask, pmovsclr_el0);
}

static inline void write_pmselr(u64 value)
{
	write_sysreg(value, pmselr_el0);
}

static inline u64 read_pmceid0(void)
{
	return read_sysreg(pmceid0_el0);
}

static inline u64 read_pmceid1(void)
{
	return read_sysreg(pmceid1_el0);
}

static inline unsigned int read_pmuver(void)
{
	return (read_sysreg(id_aa64dfr0_el1) >> PMUVER_SHIFT) & 15;
}

/* FEAT_PMUv3_ICNTR: is there an instruction counter? */
static inline bool read_has_pmicntr(void)
{
	return read_sysreg(id_aa64dfr1_el1) >> PMICNTR_SHIFT & 15;
}

#endif /* _PMUDEV_ARM64_REGS_H */
