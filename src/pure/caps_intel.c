// SPDX-License-Identifier: GPL-2.0
/* What an Intel PMU has, by CPUID leaves 0AH and 23H: SDM volume 2A, CPUID. */
#include <pmudev/pure.h>

/* IA32_PERF_CAPABILITIES.FW_WRITE */
#define FW_WRITE BIT_ULL(13)

/* CPUID.23H subleaf 0: EAX says which subleaves there are, EBX what IA32_PERFEVTSELx has. */
#define SUBLEAF_COUNTERS 0x2
#define HAS_UMASK2	 0x1
#define HAS_EQ		 0x2

/* The index space has room for more, IA32_FIXED_CTR_CTRL has not. */
#define FIXED_MAX 16

/* Architectural events of version 1: the declaration of every version covers them. */
#define FIRST_EVENTS 0x7f

/* @nr: 0..63 */
static u64 first(unsigned int nr)
{
	return BIT_ULL(nr) - 1;
}

static u64 fixed_counters(const struct intel_cpuid *id, u32 version, bool hypervisor)
{
	u32 ecx = id->leaf0a[2];
	unsigned int nr = id->leaf0a[3] & 0x1f;

	if (version >= 5)
		return ecx | first(nr);
	/* The first CPUs of version 2 have three and do not tell. */
	if (nr < 3 && !hypervisor)
		nr = 3;
	return first(nr);
}

/*
 * Writes without FW_WRITE are of 32 bits, and a count has to be brought forward before it has
 * gone round: nothing shorter than that can be used.
 */
static bool sane_width(u32 width)
{
	return width >= 32 && width <= 64;
}

int intel_enumerate(struct intel_caps *caps, const struct intel_cpuid *id, u64 perf_capabilities,
		    bool hypervisor)
{
	u32 eax = id->leaf0a[0], ebx = id->leaf0a[1], edx = id->leaf0a[3];
	u32 version = eax & 0xff, nr = eax >> 8 & 0xff, nr_declared = eax >> 24;
	u64 programmable, fixed;
	u32 width = 0, width_fixed = 0;
	u32 declared;

	if (version < 2)
		return -ENODEV;

	if (id->leaf23[0][0] & SUBLEAF_COUNTERS) {
		programmable = id->leaf23[1][0];
		fixed = id->leaf23[1][1];
	} else {
		if (nr > PMUDEV_FIXED_BASE)
			return -ENODEV;
		programmable = first(nr);
		fixed = fixed_counters(id, version, hypervisor);
	}
	fixed &= first(FIXED_MAX);
	if (!programmable && !fixed)
		return -ENODEV;

	if (programmable) {
		width = eax >> 16 & 0xff;
		if (!sane_width(width))
			return -ENODEV;
	}
	if (fixed) {
		width_fixed = edx >> 5 & 0xff;
		/* Those that do not tell of them do not tell their width either. */
		if (!width_fixed)
			width_fixed = width;
		if (!sane_width(width_fixed))
			return -ENODEV;
	}

	declared = nr_declared < 32 ? first(nr_declared) : ~0U;
	*caps = (struct intel_caps){
		.version = version,
		.width = width,
		.width_fixed = width_fixed,
		.width_hw = width,
		.full_width = perf_capabilities & FW_WRITE,
		.eq = id->leaf23[0][1] & HAS_EQ,
		.umask2 = id->leaf23[0][1] & HAS_UMASK2,
		.counters = programmable | fixed << PMUDEV_FIXED_BASE,
		.missing = (ebx & declared) | (FIRST_EVENTS & ~declared),
	};
	if (programmable && !caps->full_width)
		caps->width = 31;
	return 0;
}
