/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel's performance monitoring registers: one accessor per register, no policy. Source: Intel SDM
 * volume 3B, "Performance Monitoring"; volume 4 has the numbers.
 */
#ifndef _PMUDEV_X86_REGS_H
#define _PMUDEV_X86_REGS_H

#include <linux/bits.h>
#include <linux/types.h>

#include <asm/asm.h>
#include <asm/extable_fixup_types.h>
#include <asm/msr.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>

#define INTEL_MSR_PMC			0x0c1	/* IA32_PMCx: writes sign-extend bit 31 */
#define INTEL_MSR_EVTSEL		0x186	/* IA32_PERFEVTSELx */
#define INTEL_MSR_FIXED_CTR		0x309	/* IA32_FIXED_CTRx */
#define INTEL_MSR_CAPABILITIES		0x345	/* IA32_PERF_CAPABILITIES */
#define INTEL_MSR_FIXED_CTR_CTRL	0x38d	/* IA32_FIXED_CTR_CTRL */
#define INTEL_MSR_GLOBAL_STATUS		0x38e	/* IA32_PERF_GLOBAL_STATUS */
#define INTEL_MSR_GLOBAL_CTRL		0x38f	/* IA32_PERF_GLOBAL_CTRL */
#define INTEL_MSR_GLOBAL_OVF_CTRL	0x390	/* IA32_PERF_GLOBAL_OVF_CTRL, later _STATUS_RESET */
#define INTEL_MSR_A_PMC			0x4c1	/* IA32_A_PMCx: full-width writes */

/* RDPMC, ECX[30]: a fixed counter */
#define INTEL_RDPMC_FIXED		BIT(30)

static inline u64 intel_rdmsr(u32 msr)
{
	u32 low, high;

	rdmsr(msr, low, high);
	return low | (u64)high << 32;
}

/* The kernel's wrmsr() is a call where it supports Xen. A fault is reported, as there. */
static __always_inline void intel_wrmsr(u32 msr, u64 value)
{
	asm volatile("1: wrmsr\n2:\n" _ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_WRMSR)
		     :
		     : "c"(msr), "a"((u32)value), "d"((u32)(value >> 32))
		     : "memory");
}

/* The kernel's rdpmc macros differ between versions. */
static inline u64 intel_rdpmc(u32 operand)
{
	u32 low, high;

	asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(operand));
	return low | (u64)high << 32;
}

/* The header of the kernel's cpuid functions differs between versions. @r: EAX, EBX, ECX, EDX */
static inline void intel_cpuid(u32 leaf, u32 subleaf, u32 *r)
{
	asm volatile("cpuid"
		     : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3])
		     : "a"(leaf), "c"(subleaf)
		     : "memory");
}

#define read_capabilities()		intel_rdmsr(INTEL_MSR_CAPABILITIES)
#define read_evtsel(n)			intel_rdmsr(INTEL_MSR_EVTSEL + (n))
#define write_evtsel(n, value)		intel_wrmsr(INTEL_MSR_EVTSEL + (n), value)
#define write_fixed_ctr(n, value)	intel_wrmsr(INTEL_MSR_FIXED_CTR + (n), value)
#define read_fixed_ctr_ctrl()		intel_rdmsr(INTEL_MSR_FIXED_CTR_CTRL)
#define write_fixed_ctr_ctrl(value)	intel_wrmsr(INTEL_MSR_FIXED_CTR_CTRL, value)
#define read_global_ctrl()		intel_rdmsr(INTEL_MSR_GLOBAL_CTRL)
#define write_global_ctrl(value)	intel_wrmsr(INTEL_MSR_GLOBAL_CTRL, value)
#define read_global_status()		intel_rdmsr(INTEL_MSR_GLOBAL_STATUS)
#define write_global_ovf_ctrl(value)	intel_wrmsr(INTEL_MSR_GLOBAL_OVF_CTRL, value)

/* CR4.PCE: RDPMC at any privilege level */
static inline bool read_pce(void)
{
	return __read_cr4() & X86_CR4_PCE;
}

#endif /* _PMUDEV_X86_REGS_H */
