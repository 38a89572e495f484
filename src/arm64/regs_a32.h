/* SPDX-License-Identifier: GPL-2.0 */
/* AArch32: register names for regs.h; they are registers of coprocessor 15. */
#ifndef _PMUDEV_ARM64_REGS_A32_H
#define _PMUDEV_ARM64_REGS_A32_H

#include <asm/cp15.h>
#include <asm/cputype.h>

#define REG_PMCCNTR	__ACCESS_CP15_64(0, c9)
#define REG_PMCCFILTR	__ACCESS_CP15(c14, 0, c15, 7)
#define REG_PMCR	__ACCESS_CP15(c9, 0, c12, 0)
#define REG_PMCNTENSET	__ACCESS_CP15(c9, 0, c12, 1)
#define REG_PMCNTENCLR	__ACCESS_CP15(c9, 0, c12, 2)
#define REG_PMOVSCLR	__ACCESS_CP15(c9, 0, c12, 3)
#define REG_PMSELR	__ACCESS_CP15(c9, 0, c12, 5)
#define REG_PMCEID0	__ACCESS_CP15(c9, 0, c12, 6)
#define REG_PMCEID1	__ACCESS_CP15(c9, 0, c12, 7)
#define REG_PMUSERENR	__ACCESS_CP15(c9, 0, c14, 0)
#define REG_PMINTENCLR	__ACCESS_CP15(c9, 0, c14, 2)
#define REG_PMCEID2	__ACCESS_CP15(c9, 0, c14, 4)
#define REG_PMCEID3	__ACCESS_CP15(c9, 0, c14, 5)

/* Eight registers of c14 share each CRm. @n is a literal. */
#define READ_C14(crm, n)							\
({										\
	u32 value_;								\
										\
	asm volatile("mrc p15, 0, %0, c14, c%c1, %c2"				\
		     : "=r"(value_) : "i"((crm) + (n) / 8), "i"((n) % 8));	\
	value_;									\
})

#define WRITE_C14(value, crm, n)						\
	asm volatile("mcr p15, 0, %0, c14, c%c1, %c2"				\
		     : : "r"((u32)(value)), "i"((crm) + (n) / 8), "i"((n) % 8))

#define READ_PMEVCNTR(n)		READ_C14(8, n)
#define WRITE_PMEVCNTR(value, n)	WRITE_C14(value, 8, n)
#define READ_PMEVTYPER(n)		READ_C14(12, n)
#define WRITE_PMEVTYPER(value, n)	WRITE_C14(value, 12, n)

/* struct pmuv3_caps.narrow */
#define PMUV3_NARROW		true

/* 32-bit kernels rely on MPIDR.MT, which newer single-threaded cores set, too. */
static inline bool pmuv3_share_core(int one, int other)
{
	return false;
}

/* ID_DFR0.PerfMon */
#define PMUVER_NAME		"ID_DFR0.PerfMon"
#define PERFMON_SHIFT		24
#define PERFMON_V3		3
/* PMUVer of PERFMON_V3, and the first version with equal values in both fields */
#define PMUVER_V3		1
#define PMUVER_V3P1		4

static inline unsigned int read_pmuver(void)
{
	return (read_cpuid_ext(CPUID_EXT_DFR0) >> PERFMON_SHIFT) & 15;
}

/* Version of PMUv3 as PMUVer encodes it, 0 if there is none */
static inline unsigned int pmuver_version(unsigned int perfmon)
{
	if (perfmon < PERFMON_V3)
		return 0;
	return perfmon == PERFMON_V3 ? PMUVER_V3 : perfmon;
}

/* As PMCEID0_EL0: bits 63:32 describe events from 0x4000 on. */
static inline u64 read_pmceid0(void)
{
	u64 value = read_sysreg(REG_PMCEID0);

	if (pmuver_version(read_pmuver()) >= PMUVER_V3P1)
		value |= (u64)read_sysreg(REG_PMCEID2) << 32;
	return value;
}

static inline u64 read_pmceid1(void)
{
	u64 value = read_sysreg(REG_PMCEID1);

	if (pmuver_version(read_pmuver()) >= PMUVER_V3P1)
		value |= (u64)read_sysreg(REG_PMCEID3) << 32;
	return value;
}

/* 32-bit Linux has no KVM: at EL2 there is at most a stub. */
static inline bool read_has_el2(void)
{
	return false;
}

/* 32-bit Linux never runs at EL2. */
static inline u64 read_mdcr(void)
{
	return 0;
}

/* PMMIR exists, but a 32-bit selector has no threshold field. */
static inline u64 read_pmmir(void)
{
	return 0;
}

/* AArch32 cannot access the instruction counter and PMUACR_EL1. */
static inline bool read_has_pmicntr(void)
{
	return false;
}

static inline u64 read_pmicntr(void)
{
	return 0;
}

static inline void write_pmicntr(u64 value)
{
}

static inline u64 read_pmicfiltr(void)
{
	return 0;
}

static inline void write_pmicfiltr(u64 value)
{
}

static inline u64 read_pmuacr(void)
{
	return 0;
}

static inline void write_pmuacr(u64 value)
{
}

#endif /* _PMUDEV_ARM64_REGS_A32_H */
