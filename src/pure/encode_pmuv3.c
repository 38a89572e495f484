// SPDX-License-Identifier: GPL-2.0
/*
 * Encoding of events for PMUv3: Arm ARM (DDI 0487) chapter D13, registers PMEVTYPER<n>_EL0,
 * PMCCFILTR_EL0, PMICFILTR_EL0 and PMCEID<n>_EL0.
 */
#include <pmudev/attr.h>
#include <pmudev/pmuv3.h>

/* ID_AA64DFR0_EL1.PMUVer of FEAT_PMUv3p1, FEAT_PMUv3p4, FEAT_PMUv3p5 and FEAT_PMUv3p9 */
#define PMUV3P1 4
#define PMUV3P4 5
#define PMUV3P5 6
#define PMUV3P9 9

/* Fixed counters: each counts one event and has 64 bits on every version. */
#define FIXED	(BIT_ULL(PMUV3_CYCLE_COUNTER) | BIT_ULL(PMUV3_INSTRUCTION_COUNTER))

#define PROGRAMMABLE GENMASK_ULL(PMUDEV_FIXED_BASE - 1, 0)
#define EVEN	     0x5555555555555555ULL

enum {
	EVENT_INST_RETIRED = 0x08,
	EVENT_CPU_CYCLES = 0x11,
};

bool pmuv3_long_counters(const struct pmuv3_caps *caps)
{
	return caps->version >= PMUV3P5 && !caps->narrow;
}

bool pmuv3_can_hide(const struct pmuv3_caps *caps)
{
	return caps->version >= PMUV3P9 && !caps->narrow;
}

bool pmuv3_has_pmmir(const struct pmuv3_caps *caps)
{
	return caps->version >= PMUV3P4;
}

u32 pmuv3_threshold_max(u64 pmmir)
{
	unsigned int width = pmmir >> 20 & 15; /* THWIDTH */

	/* TH has 12 bits; greater widths are reserved. */
	return width > 12 ? PMUDEV_MAX_THRESHOLD : (1U << width) - 1;
}

static bool implemented(const struct pmuv3_caps *caps, unsigned int event)
{
	/* Before FEAT_PMUv3p1 evtCount has 10 bits; the CPU ignores the others. */
	if (caps->version < PMUV3P1 && event > 0x3ff)
		return false;
	if (event < 0x40)
		return caps->pmceid & BIT_ULL(event);
	if (event >= 0x4000 && event < 0x4040)
		return caps->pmceid_ext & BIT_ULL(event - 0x4000);
	/* PMCEID<n>_EL0 does not describe other events; the CPU's manual does. */
	return true;
}

bool pmuv3_chained(const struct pmuv3_caps *caps)
{
	return !pmuv3_long_counters(caps) && implemented(caps, PMUV3_CHAIN);
}

int pmuv3_generic(const struct pmuv3_caps *caps, u64 generic)
{
	/* Candidates in order of preference; 0 (SW_INCR) ends a row. */
	static const u16 candidates[PMUDEV_GENERIC_MAX][2] = {
		[PMUDEV_CYCLES] = { EVENT_CPU_CYCLES },
		[PMUDEV_INSTRUCTIONS] = { EVENT_INST_RETIRED },
		[PMUDEV_REF_CYCLES] = { 0x4004 },	    /* CNT_CYCLES */
		[PMUDEV_CACHE_REFERENCES] = { 0x32, 0x36 }, /* LL_CACHE, LL_CACHE_RD */
		[PMUDEV_CACHE_MISSES] = { 0x33, 0x37 },	    /* LL_CACHE_MISS, .._RD */
		[PMUDEV_BRANCHES] = { 0x21 },		    /* BR_RETIRED */
		[PMUDEV_BRANCH_MISSES] = { 0x22 },	    /* BR_MIS_PRED_RETIRED */
	};
	const u16 *row = candidates[array_index_nospec((u32)generic, PMUDEV_GENERIC_MAX)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(candidates[0]) && row[i]; i++)
		if (implemented(caps, row[i]))
			return row[i];
	return -ENOENT;
}

#define GUEST_FLAGS (PMUDEV_EXCLUDE_HOST | PMUDEV_EXCLUDE_GUEST)

/*
 * Bits that exclude exception levels, while the host runs.
 *
 * VHE: the kernel is at EL2, guest kernels are at EL1, and both user modes share EL0.
 * nVHE: the kernel and guest kernels share EL1. EL2 is the host's hypervisor code, which
 * PMUDEV_EXCLUDE_HV and PMUDEV_EXCLUDE_KERNEL exclude.
 */
static u64 level_bits(const struct pmuv3_caps *caps, u32 flags)
{
	u32 not_el0 = PMUDEV_EXCLUDE_USER, not_el1 = PMUDEV_EXCLUDE_KERNEL;
	u32 not_el2 = PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HOST;
	u64 bits = 0;

	if (caps->shape == PMUV3_VHE) {
		not_el0 |= PMUDEV_EXCLUDE_HOST;
		not_el1 |= PMUDEV_EXCLUDE_GUEST;
	} else {
		not_el2 |= PMUDEV_EXCLUDE_HV;
	}
	if (flags & not_el0)
		bits |= PMUV3_TYPER_U;
	if (flags & not_el1)
		bits |= PMUV3_TYPER_P;
	if (caps->shape != PMUV3_EL1 && !(flags & not_el2))
		bits |= PMUV3_TYPER_NSH;
	return bits;
}

/* KVM needs EL2. */
static bool guestless(const struct pmuv3_caps *caps)
{
	return caps->shape == PMUV3_EL1 || caps->guestless;
}

static enum pmudev_guest_filter guest_filter(const struct pmuv3_caps *caps, u32 flags)
{
	/* On VHE, host and guest share EL0 only; without it the selector is enough. */
	if (caps->shape == PMUV3_VHE && (flags & PMUDEV_EXCLUDE_USER))
		return PMUDEV_FILTER_NONE;
	if (guestless(caps) || !(flags & GUEST_FLAGS))
		return PMUDEV_FILTER_NONE;
	return flags & PMUDEV_EXCLUDE_HOST ? PMUDEV_FILTER_GUEST : PMUDEV_FILTER_HOST;
}

u64 pmuv3_guest_config(const struct pmuv3_caps *caps, u64 config, enum pmudev_guest_filter filter)
{
	if (caps->shape == PMUV3_VHE && filter != PMUDEV_FILTER_NONE)
		config ^= PMUV3_TYPER_U;
	return config;
}

/* Does the event count at some exception level, in the host or in a guest? */
static bool counts_something(const struct pmuv3_caps *caps, u64 config,
			     enum pmudev_guest_filter filter)
{
	u64 not_el0 = config & pmuv3_guest_config(caps, config, filter) & PMUV3_TYPER_U;

	return !not_el0 || !(config & PMUV3_TYPER_P) || (config & PMUV3_TYPER_NSH);
}

static int event_number(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
			struct pmudev_refusal *why)
{
	int event;

	if (attr->type == PMUDEV_TYPE_GENERIC) {
		event = pmuv3_generic(caps, attr->config);
		return event < 0 ? pmudev_refuse(why, -ENOENT, PMUDEV_WHY_EVENT, 0) : event;
	}
	/* Only pmudev itself uses CHAIN, for the high half of a chained event. */
	if (attr->config & ~PMUV3_TYPER_EVENT || attr->config == PMUV3_CHAIN)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_CONFIG, PMUV3_TYPER_EVENT);
	event = attr->config;
	if (!implemented(caps, event))
		return pmudev_refuse(why, -ENOENT, PMUDEV_WHY_EVENT, 0);
	return event;
}

/* Flags that this PMU cannot obey on any counter */
static int check_hardware(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
			  struct pmudev_refusal *why)
{
	u32 filters = attr->flags & GUEST_FLAGS;

	/* Without guests, PMUDEV_EXCLUDE_GUEST has no effect. */
	if (guestless(caps) && (filters & PMUDEV_EXCLUDE_HOST))
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_NO_GUEST, 0);
	if (!guestless(caps) && caps->protected_kvm && filters)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, filters);
	return 0;
}

/* TC[2:1] numbers the comparisons as the ABI does. TC[0]: count 1 per matching cycle. */
static u64 threshold_bits(const struct pmudev_event_attr *attr)
{
	u64 control = attr->threshold_compare << 1;

	if (!attr->threshold)
		return 0;
	if (attr->flags & PMUDEV_THRESHOLD_COUNT)
		control |= 1;
	return control << 61 | (u64)attr->threshold << 32;
}

/*
 * With hardware threads, PMCCNTR_EL0 may count more than CPU_CYCLES. It is then used only if the
 * attributes allow no other counter.
 */
static bool cycle_counter_allowed(const struct pmuv3_caps *caps,
				  const struct pmudev_event_attr *attr)
{
	u64 others = caps->counters & PROGRAMMABLE;

	if (attr->flags & PMUDEV_COUNTER)
		others &= BIT_ULL(attr->counter);
	else if (attr->allowed)
		others &= attr->allowed;
	return !caps->smt || !others;
}

static u64 counters_for(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
			unsigned int event)
{
	u64 fixed = 0;

	if (event == EVENT_CPU_CYCLES && cycle_counter_allowed(caps, attr))
		fixed = BIT_ULL(PMUV3_CYCLE_COUNTER);
	if (event == EVENT_INST_RETIRED)
		fixed = BIT_ULL(PMUV3_INSTRUCTION_COUNTER);
	/* PMCCFILTR_EL0 and PMICFILTR_EL0 have no threshold. */
	if (attr->threshold)
		fixed = 0;
	return caps->counters & (~FIXED | fixed);
}

/* Without FEAT_PMUv3p5, only fixed counters and chained event counters have 64 bits. */
static struct pmudev_candidates find_candidates(const struct pmuv3_caps *caps, u64 any)
{
	struct pmudev_candidates candidates = { .any = any, .wide = any, .width = 32 };

	if (!pmuv3_long_counters(caps))
		candidates.wide &= ~PROGRAMMABLE;
	if (pmuv3_chained(caps))
		candidates.chained = any & (any >> 1) & PROGRAMMABLE & EVEN;
	candidates.direct = candidates.wide;
	return candidates;
}

/* Sets all of @code but its counters. */
static int encode_config(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
			 unsigned int event, struct pmudev_code *code, struct pmudev_refusal *why)
{
	u64 levels;
	int ret;

	ret = pmudev_attr_threshold(attr, caps->threshold_max, why);
	if (ret)
		return ret;
	ret = check_hardware(caps, attr, why);
	if (ret)
		return ret;
	levels = level_bits(caps, attr->flags);
	code->filter = guest_filter(caps, attr->flags);
	if (!counts_something(caps, levels, code->filter))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_ALL_EXCLUDED, 0);
	code->config = event | levels | threshold_bits(attr);
	/* Guest kernels are as private as the host's. */
	code->privileged = !(levels & PMUV3_TYPER_P) || (levels & PMUV3_TYPER_NSH);
	return 0;
}

int pmuv3_encode(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
		 struct pmudev_code *code, struct pmudev_refusal *why)
{
	struct pmudev_candidates candidates;
	int event, ret;

	event = event_number(caps, attr, why);
	if (event < 0)
		return event;
	ret = encode_config(caps, attr, event, code, why);
	if (ret)
		return ret;
	candidates = find_candidates(caps, counters_for(caps, attr, event));
	return pmudev_attr_counters(attr, &candidates, code, why);
}
