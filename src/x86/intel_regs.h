/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel's performance monitoring registers: one accessor per register, no policy. Source: Intel SDM
 * volume 3B, "Performance Monitoring"; volume 4 has the numbers.
 */
#ifndef _PMUDEV_X86_INTEL_REGS_H
#define _PMUDEV_X86_INTEL_REGS_H

#include <linux/bits.h>

#include "regs.h"

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

#define read_capabilities()		x86_rdmsr(INTEL_MSR_CAPABILITIES)
#define read_evtsel(n)			x86_rdmsr(INTEL_MSR_EVTSEL + (n))
#define write_evtsel(n, value)		x86_wrmsr(INTEL_MSR_EVTSEL + (n), value)
#define write_fixed_ctr(n, value)	x86_wrmsr(INTEL_MSR_FIXED_CTR + (n), value)
#define read_fixed_ctr_ctrl()		x86_rdmsr(INTEL_MSR_FIXED_CTR_CTRL)
#define write_fixed_ctr_ctrl(value)	x86_wrmsr(INTEL_MSR_FIXED_CTR_CTRL, value)
#define read_global_ctrl()		x86_rdmsr(INTEL_MSR_GLOBAL_CTRL)
#define write_global_ctrl(value)	x86_wrmsr(INTEL_MSR_GLOBAL_CTRL, value)
#define read_global_status()		x86_rdmsr(INTEL_MSR_GLOBAL_STATUS)
#define write_global_ovf_ctrl(value)	x86_wrmsr(INTEL_MSR_GLOBAL_OVF_CTRL, value)

#endif /* _PMUDEV_X86_INTEL_REGS_H */
