/* SPDX-License-Identifier: GPL-2.0 */
/* What CPUID says alike on Intel and AMD. */
#ifndef _PMUDEV_CPUID_H
#define _PMUDEV_CPUID_H

#include <pmudev/types.h>

/* The CPU's family, by CPUID.01H:EAX. */
static inline u32 pmudev_cpuid_family(u32 signature)
{
	u32 base = signature >> 8 & 0xf;

	return base == 0xf ? base + (signature >> 20 & 0xff) : base;
}

#endif /* _PMUDEV_CPUID_H */
