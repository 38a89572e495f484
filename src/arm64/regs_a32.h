/* SPDX-License-Identifier: GPL-2.0 */
/* AArch32: accessors for regs.h; the registers are those of coprocessor 15. */
#ifndef _PMUDEV_ARM64_REGS_A32_H
#define _PMUDEV_ARM64_REGS_A32_H

#include <asm/cp15.h>
#include <asm/cputype.h>

#define read_pmccntr()		read_sysreg(__ACCESS_CP15_64(0, c9))
#define write_pmccntr(value)	write_sysreg(value, __ACCESS_CP15_64(0, c9))
#define read_pmccfiltr()	read_sysreg(__ACCESS_CP15(c14, 0, c15, 7))
#define write_pmccfiltr(value)	write_sysreg(value, __ACCESS_CP15(c14, 0, c15, 7))
#define read_pmcr()		read_sysreg(__ACCESS_CP15(c9, 0, c12, 0))
#define write_pmcr(value)	write_sysreg(value, __ACCESS_CP15(c9, 0, c12, 0))
#define write_pmcntenset(value)	write_sysreg(value, __ACCESS_CP15(c9, 0, c12, 1))
#define write_pmcntenclr(value)	write_sysreg(value, __ACCESS_CP15(c9, 0, c12, 2))
#define write_pmintenset(value)	write_sysreg(value, __ACCESS_CP15(c9, 0, c14, 1))
#define write_pmintenclr(value)	write_sysreg(value, __ACCESS_CP15(c9, 0, c14, 2))
#define read_pmuserenr()	read_sysreg(__ACCESS_CP15(c9, 0, c14, 0))
#define write_pmuserenr(value)	write_sysreg(value, __ACCESS_CP15(c9, 0, c14, 0))
#define read_pmovsclr()		read_sysreg(__ACCESS_CP15(c9, 0, c12, 3))
#define write_pmovsclr(value)	write_sysreg(value, __ACCESS_CP15(c9, 0, c12, 3))
#define write_pmselr(value)	write_sysreg(value, __ACCESS_CP15(c9, 0, c12, 5))

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
	u64 value = read_sysreg(__ACCESS_CP15(c9, 0, c12, 6));

	if (pmuver_version(read_pmuver()) >= PMUVER_V3P1)
		value |= (u64)read_sysreg(__ACCESS_CP15(c9, 0, c14, 4)) << 32;
	return value;
}

static inline u64 read_pmceid1(void)
{
	u64 value = read_sysreg(__ACCESS_CP15(c9, 0, c12, 7));

	if (pmuver_version(read_pmuver()) >= PMUVER_V3P1)
		value |= (u64)read_sysreg(__ACCESS_CP15(c9, 0, c14, 5)) << 32;
	return value;
}

/* 32-bit Linux has no KVM: at EL2 there is at most a stub. It never runs there itself. */
#define read_has_el2()		false
#define read_mdcr()		0ULL
/* PMMIR exists, but a 32-bit selector has no threshold field. */
#define read_pmmir()		0ULL
/* AArch32 cannot access the instruction counter and PMUACR_EL1. */
#define read_has_pmicntr()	false
#define read_pmicntr()		0ULL
#define write_pmicntr(value)	((void)(value))
#define read_pmicfiltr()	0ULL
#define write_pmicfiltr(value)	((void)(value))
#define read_pmuacr()		0ULL
#define write_pmuacr(value)	((void)(value))

#endif /* _PMUDEV_ARM64_REGS_A32_H */
