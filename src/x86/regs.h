/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions that access registers, and what PMUs of all vendors share: no policy. */
#ifndef _PMUDEV_X86_REGS_H
#define _PMUDEV_X86_REGS_H

#include <linux/types.h>

#include <asm/asm.h>
#include <asm/extable_fixup_types.h>
#include <asm/msr.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>

static inline u64 x86_rdmsr(u32 msr)
{
	u32 low, high;

	rdmsr(msr, low, high);
	return low | (u64)high << 32;
}

/* The kernel's wrmsr() is a call where it supports Xen. A fault is reported, as there. */
static __always_inline void x86_wrmsr(u32 msr, u64 value)
{
	asm volatile("1: wrmsr\n2:\n" _ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_WRMSR)
		     :
		     : "c"(msr), "a"((u32)value), "d"((u32)(value >> 32))
		     : "memory");
}

/* The kernel's rdpmc macros differ between versions. */
static inline u64 x86_rdpmc(u32 operand)
{
	u32 low, high;

	asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(operand));
	return low | (u64)high << 32;
}

/* EAX: family, model and stepping */
#define X86_LEAF_MODEL	0x01

/* The header of the kernel's cpuid functions differs between versions. @r: EAX, EBX, ECX, EDX */
static inline void x86_cpuid(u32 leaf, u32 subleaf, u32 *r)
{
	asm volatile("cpuid"
		     : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3])
		     : "a"(leaf), "c"(subleaf)
		     : "memory");
}

/* CR4.PCE: RDPMC at any privilege level */
static inline bool read_pce(void)
{
	return __read_cr4() & X86_CR4_PCE;
}

#endif /* _PMUDEV_X86_REGS_H */
