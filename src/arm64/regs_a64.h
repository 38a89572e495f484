/* SPDX-License-Identifier: GPL-2.0 */
/* AArch64: register names for regs.h, and registers that AArch32 has in another form. */
#ifndef _PMUDEV_ARM64_REGS_A64_H
#define _PMUDEV_ARM64_REGS_A64_H

#include <linux/arch_topology.h>

#include <asm/sysreg.h>

#define REG_PMCCNTR	pmccntr_el0
#define REG_PMCCFILTR	pmccfiltr_el0
#define REG_PMCR	pmcr_el0
#define REG_PMCNTENSET	pmcntenset_el0
#define REG_PMCNTENCLR	pmcntenclr_el0
#define REG_PMINTENCLR	pmintenclr_el1
#define REG_PMUSERENR	pmuserenr_el0
#define REG_PMOVSCLR	pmovsclr_el0
#define REG_PMSELR	pmselr_el0

/* @n is a literal. */
#define READ_PMEVCNTR(n)		read_sysreg_s(SYS_PMEVCNTRn_EL0(n))
#define WRITE_PMEVCNTR(value, n)	write_sysreg_s(value, SYS_PMEVCNTRn_EL0(n))
#define READ_PMEVTYPER(n)		read_sysreg_s(SYS_PMEVTYPERn_EL0(n))
#define WRITE_PMEVTYPER(value, n)	write_sysreg_s(value, SYS_PMEVTYPERn_EL0(n))

/* struct pmuv3_caps.narrow */
#define PMUV3_NARROW		false

/*
 * Two CPUs are hardware threads of one core. MPIDR_EL1.MT does not say so, and where firmware
 * copies MPIDR_EL1, single-threaded cores have a thread number, too.
 */
static inline bool pmuv3_share_core(int one, int other)
{
	const struct cpu_topology *a = &cpu_topology[one], *b = &cpu_topology[other];

	return a->thread_id >= 0 && b->thread_id >= 0 && a->thread_id != b->thread_id &&
	       a->core_id == b->core_id && a->cluster_id == b->cluster_id &&
	       a->package_id == b->package_id;
}

/* ID_AA64DFR0_EL1.PMUVer */
#define PMUVER_NAME		"ID_AA64DFR0_EL1.PMUVer"
#define PMUVER_SHIFT		8
/* ID_AA64PFR0_EL1.EL2 */
#define PFR0_EL2_SHIFT		8
/* ID_AA64DFR1_EL1.PMICNTR */
#define PMICNTR_SHIFT		36

/* Assemblers and older kernels lack these names. */
#define SYS_PMUV3_PMUACR	sys_reg(3, 0, 9, 14, 4)
#define SYS_PMUV3_PMICNTR	sys_reg(3, 3, 9, 4, 0)
#define SYS_PMUV3_PMICFILTR	sys_reg(3, 3, 9, 6, 0)

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

/* MDCR_EL2; only at EL2 */
static inline u64 read_mdcr(void)
{
	return read_sysreg(mdcr_el2);
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

static inline u64 read_pmceid0(void)
{
	return read_sysreg(pmceid0_el0);
}

static inline u64 read_pmceid1(void)
{
	return read_sysreg(pmceid1_el0);
}

/* FEAT_PMUv3p4 */
static inline u64 read_pmmir(void)
{
	return read_sysreg_s(SYS_PMMIR_EL1);
}

static inline unsigned int read_pmuver(void)
{
	return (read_sysreg(id_aa64dfr0_el1) >> PMUVER_SHIFT) & 15;
}

/* Version of PMUv3, 0 if there is none */
static inline unsigned int pmuver_version(unsigned int pmuver)
{
	return pmuver;
}

/* EL2 exists and is visible. Hypervisors hide EL2 from guests. */
static inline bool read_has_el2(void)
{
	return read_sysreg(id_aa64pfr0_el1) >> PFR0_EL2_SHIFT & 15;
}

/* The instruction counter exists (FEAT_PMUv3_ICNTR). */
static inline bool read_has_pmicntr(void)
{
	return read_sysreg(id_aa64dfr1_el1) >> PMICNTR_SHIFT & 15;
}

#endif /* _PMUDEV_ARM64_REGS_A64_H */
