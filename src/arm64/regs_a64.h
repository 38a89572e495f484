/* SPDX-License-Identifier: GPL-2.0 */
/* AArch64: accessors for regs.h. */
#ifndef _PMUDEV_ARM64_REGS_A64_H
#define _PMUDEV_ARM64_REGS_A64_H

#include <linux/arch_topology.h>

#include <asm/sysreg.h>

#define read_pmccntr()		read_sysreg(pmccntr_el0)
#define write_pmccntr(value)	write_sysreg(value, pmccntr_el0)
#define read_pmccfiltr()	read_sysreg(pmccfiltr_el0)
#define write_pmccfiltr(value)	write_sysreg(value, pmccfiltr_el0)
#define read_pmcr()		read_sysreg(pmcr_el0)
#define write_pmcr(value)	write_sysreg(value, pmcr_el0)
#define write_pmcntenset(value)	write_sysreg(value, pmcntenset_el0)
#define write_pmcntenclr(value)	write_sysreg(value, pmcntenclr_el0)
#define write_pmintenset(value)	write_sysreg(value, pmintenset_el1)
#define write_pmintenclr(value)	write_sysreg(value, pmintenclr_el1)
#define read_pmuserenr()	read_sysreg(pmuserenr_el0)
#define write_pmuserenr(value)	write_sysreg(value, pmuserenr_el0)
#define read_pmovsclr()		read_sysreg(pmovsclr_el0)
#define write_pmovsclr(value)	write_sysreg(value, pmovsclr_el0)
#define write_pmselr(value)	write_sysreg(value, pmselr_el0)

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
#define read_pmicntr()		read_sysreg_s(SYS_PMUV3_PMICNTR)
#define write_pmicntr(value)	write_sysreg_s(value, SYS_PMUV3_PMICNTR)
#define read_pmicfiltr()	read_sysreg_s(SYS_PMUV3_PMICFILTR)
#define write_pmicfiltr(value)	write_sysreg_s(value, SYS_PMUV3_PMICFILTR)
/* FEAT_PMUv3p9 */
#define read_pmuacr()		read_sysreg_s(SYS_PMUV3_PMUACR)
#define write_pmuacr(value)	write_sysreg_s(value, SYS_PMUV3_PMUACR)
#define read_mdcr()		read_sysreg(mdcr_el2) /* only at EL2 */
#define read_pmceid0()		read_sysreg(pmceid0_el0)
#define read_pmceid1()		read_sysreg(pmceid1_el0)
#define read_pmmir()		read_sysreg_s(SYS_PMMIR_EL1) /* FEAT_PMUv3p4 */

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
