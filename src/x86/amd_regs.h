/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AMD's performance monitoring registers: one accessor per register, no policy. Source: AMD64
 * Architecture Programmer's Manual volume 2, "Performance Monitoring Counters".
 */
#ifndef _PMUDEV_X86_AMD_REGS_H
#define _PMUDEV_X86_AMD_REGS_H

#include "regs.h"

#define AMD_MSR_EFER		0xc0000080
#define AMD_MSR_GLOBAL_STATUS	0xc0000300 /* PerfCntrGlobalStatus */
#define AMD_MSR_GLOBAL_CTL	0xc0000301 /* PerfCntrGlobalCtl */
#define AMD_MSR_STATUS_CLR	0xc0000302 /* PerfCntrGlobalStatusClr */
#define AMD_MSR_LEGACY_CTL	0xc0010000 /* PERF_LEGACY_CTLx, 4 of them */
#define AMD_MSR_LEGACY_CTR	0xc0010004 /* PERF_LEGACY_CTRx */
#define AMD_MSR_CTL		0xc0010200 /* PERF_CTLx, each followed by PERF_CTRx */

#define AMD_EFER_SVME		BIT(12)

static inline u32 amd_msr_ctl(bool extended, unsigned int n)
{
	return extended ? AMD_MSR_CTL + 2 * n : AMD_MSR_LEGACY_CTL + n;
}

static inline u32 amd_msr_ctr(bool extended, unsigned int n)
{
	return extended ? AMD_MSR_CTL + 2 * n + 1 : AMD_MSR_LEGACY_CTR + n;
}

#define amd_read_svme()			(!!(x86_rdmsr(AMD_MSR_EFER) & AMD_EFER_SVME))
#define amd_read_global_status()	x86_rdmsr(AMD_MSR_GLOBAL_STATUS)
#define amd_read_global_ctl()		x86_rdmsr(AMD_MSR_GLOBAL_CTL)
#define amd_write_global_ctl(value)	x86_wrmsr(AMD_MSR_GLOBAL_CTL, value)
#define amd_write_status_clr(value)	x86_wrmsr(AMD_MSR_STATUS_CLR, value)

#endif /* _PMUDEV_X86_AMD_REGS_H */
