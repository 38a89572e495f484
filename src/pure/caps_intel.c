// SPDX-License-Identifier: GPL-2.0
/* Enumeration of an Intel PMU by CPUID leaves 0AH and 23H: Intel SDM volume 2A, CPUID. */
#include <pmudev/cpuid.h>
#include <pmudev/intel.h>

/* IA32_PERF_CAPABILITIES.FW_WRITE */
#define FW_WRITE BIT_ULL(13)

/* CPUID.23H, subleaf 0: EAX lists the existing subleaves, EBX the features of IA32_PERFEVTSELx. */
#define SUBLEAF_COUNTERS BIT(1)
#define SUBLEAF_EVENTS	 BIT(3)
#define HAS_UMASK2	 BIT(0)
#define HAS_EQ		 BIT(1)
#define HAS_HIDING	 BIT(2)

/* IA32_FIXED_CTR_CTRL has fields for 16 fixed counters. */
#define FIXED_MAX 16
/* It has a bit to hide each of the first eight, 33 above the lowest of its field. */
#define FIXED_HIDABLE 8

/* Architectural events of version 1. Every version describes them. */
#define FIRST_EVENTS 0x7f

/* Mask of the lowest @nr bits, 0..63 */
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
	/* Every such CPU has three, but the first Core 2 report none and the first Atoms one. */
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
		/* More than IA32_PERF_GLOBAL_CTRL can enable: the description is wrong. */
		if (nr > PMUDEV_FIXED_BASE)
			return 0;
		programmable = first(nr);
		fixed = fixed_counters(id, version, hypervisor);
	}
	return programmable | (fixed & first(FIXED_MAX)) << PMUDEV_FIXED_BASE;
}

/* Leaf 23H, subleaf 3, describes every event. */
static u32 declared_events(const struct intel_cpuid *id)
{
	u32 nr = id->leaf23[0][0] & SUBLEAF_EVENTS ? 32 : id->leaf0a[0] >> 24;

	return nr < INTEL_NR_EVENTS ? nr : INTEL_NR_EVENTS;
}

static u32 missing_events(const struct intel_cpuid *id)
{
	u32 eax = id->leaf0a[0], ebx = id->leaf0a[1], declared;

	/* Subleaf 3 describes this core; leaf 0AH may describe all cores of a hybrid machine. */
	if (id->leaf23[0][0] & SUBLEAF_EVENTS)
		return ~id->leaf23[3][0];
	declared = eax >> 24 < 32 ? first(eax >> 24) : ~0U;
	return (ebx & declared) | (FIRST_EVENTS & ~declared);
}

/* Family and model: CPUID.01H:EAX, as the SDM's "Version Information" puts them together. */
static u16 model_of(u32 signature)
{
	u32 family = pmudev_cpuid_family(signature), model = signature >> 4 & 0xf;

	if (family == 6 || family >= 15)
		model |= signature >> 12 & 0xf0;
	return family > 0xff ? 0 : family << 8 | model;
}

/* Without FW_WRITE, writes have 32 bits, so no counter is narrower. */
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
	caps->model = model_of(id->signature);
	caps->counters = existing_counters(id, caps->version, hypervisor);
	if (!hypervisor && intel_fixed_only(caps->model))
		caps->counters &= ~first(PMUDEV_FIXED_BASE);
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
		/* CPUs that do not report fixed counters do not report their width. */
		caps->width_fixed = width_fixed ? width_fixed : width;
		if (!sane_width(caps->width_fixed))
			return -ENODEV;
	}
	caps->eq = id->leaf23[0][1] & HAS_EQ;
	caps->umask2 = id->leaf23[0][1] & HAS_UMASK2;
	/* Only if every counter can be hidden: PMUDEV_HAS_HIDING promises that. */
	caps->hiding = (id->leaf23[0][1] & HAS_HIDING) &&
		       !(caps->counters >> (PMUDEV_FIXED_BASE + FIXED_HIDABLE));
	caps->type = id->type;
	caps->smt = id->smt;
	caps->declared = declared_events(id);
	caps->missing = missing_events(id);
	return 0;
}
