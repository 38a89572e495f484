// SPDX-License-Identifier: GPL-2.0
/* What an Intel PMU has, by CPUID leaves 0AH and 23H: SDM volume 2A, CPUID. */
#include <pmudev/pure.h>

/* IA32_PERF_CAPABILITIES.FW_WRITE */
#define FW_WRITE BIT_ULL(13)

/* CPUID.23H subleaf 0: EAX says which subleaves there are, EBX what IA32_PERFEVTSELx has. */
#define SUBLEAF_COUNTERS BIT(1)
#define SUBLEAF_EVENTS	 BIT(3)
#define HAS_UMASK2	 BIT(0)
#define HAS_EQ		 BIT(1)
#define HAS_HIDING	 BIT(2)

/* The index space has room for more, IA32_FIXED_CTR_CTRL has not. */
#define FIXED_MAX 16

/* Those that have a bit of IA32_FIXED_CTR_CTRL to hide them: each 33 above its field's first. */
#define FIXED_HIDABLE 8

/* Architectural events of version 1: the declaration of every version covers them. */
#define FIRST_EVENTS 0x7f

/* The mask of @nr things, 0..63 */
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
	/* All that were built have three: the first Core 2 tell of none, the first Atoms of one. */
	if (nr < 3 && !hypervisor)
		nr = 3;
	return first(nr);
}

static u64 existing_counters(const struct intel_cpuid *id, u32 version, bool hypervisor)
{
	unsigned int nr = id->leaf0a[0] >> 8 & 0xff;
	u64 programmable, fixed;

	if (id->leaf23[0][0] & SUBLEAF_COUNTERS) {
		programmable = id->leaf23[1][0];
		fixed = id->leaf23[1][1];
	} else {
		/* More than IA32_PERF_GLOBAL_CTRL can enable: nothing of it is to be believed. */
		if (nr > PMUDEV_FIXED_BASE)
			return 0;
		programmable = first(nr);
		fixed = fixed_counters(id, version, hypervisor);
	}
	return programmable | (fixed & first(FIXED_MAX)) << PMUDEV_FIXED_BASE;
}

/* Leaf 23H has a bit for each that there could be. */
static u32 declared_events(const struct intel_cpuid *id)
{
	u32 nr = id->leaf23[0][0] & SUBLEAF_EVENTS ? 32 : id->leaf0a[0] >> 24;

	return nr < INTEL_NR_EVENTS ? nr : INTEL_NR_EVENTS;
}

static u32 missing_events(const struct intel_cpuid *id)
{
	u32 eax = id->leaf0a[0], ebx = id->leaf0a[1], declared;

	/* Of this core; leaf 0AH may speak for all kinds of cores that the machine has. */
	if (id->leaf23[0][0] & SUBLEAF_EVENTS)
		return ~id->leaf23[3][0];
	declared = eax >> 24 < 32 ? first(eax >> 24) : ~0U;
	return (ebx & declared) | (FIRST_EVENTS & ~declared);
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
	u32 width = id->leaf0a[0] >> 16 & 0xff, width_fixed = id->leaf0a[3] >> 5 & 0xff;

	memset(caps, 0, sizeof(*caps));
	caps->version = id->leaf0a[0] & 0xff;
	if (caps->version < 2)
		return -ENODEV;
	caps->counters = existing_counters(id, caps->version, hypervisor);
	if (!caps->counters)
		return -ENODEV;

	caps->full_width = perf_capabilities & FW_WRITE;
	if (caps->counters & first(PMUDEV_FIXED_BASE)) {
		if (!sane_width(width))
			return -ENODEV;
		caps->width_hw = width;
		caps->width = caps->full_width ? width : 31;
	}
	if (caps->counters >> PMUDEV_FIXED_BASE) {
		/* Those that do not tell of them do not tell their width either. */
		caps->width_fixed = width_fixed ? width_fixed : width;
		if (!sane_width(caps->width_fixed))
			return -ENODEV;
	}
	caps->eq = id->leaf23[0][1] & HAS_EQ;
	caps->umask2 = id->leaf23[0][1] & HAS_UMASK2;
	/* All of them, or what is left visible would not be known. */
	caps->hiding = (id->leaf23[0][1] & HAS_HIDING) &&
		       !(caps->counters >> (PMUDEV_FIXED_BASE + FIXED_HIDABLE));
	caps->declared = declared_events(id);
	caps->missing = missing_events(id);
	return 0;
}
