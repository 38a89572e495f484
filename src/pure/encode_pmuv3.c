// SPDX-License-Identifier: GPL-2.0
/*
 * Events as PMUv3 takes them: Arm ARM (DDI 0487) chapter D13 and the registers
 * PMEVTYPER<n>_EL0, PMCCFILTR_EL0, PMICFILTR_EL0, PMCEID<n>_EL0.
 */
#include <pmudev/pure.h>

/* PMUVer of FEAT_PMUv3p1, FEAT_PMUv3p4, FEAT_PMUv3p5 and FEAT_PMUv3p9 */
#define PMUV3P1 4
#define PMUV3P4 5
#define PMUV3P5 6
#define PMUV3P9 9

/* Counters of one event each, and of 64 bits on every version. */
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

	/* TH has no more bits than that; greater widths are reserved. */
	return width > 12 ? PMUDEV_MAX_THRESHOLD : (1U << width) - 1;
}

static bool implemented(const struct pmuv3_caps *caps, unsigned int event)
{
	/* Before FEAT_PMUv3p1 evtCount has 10 bits: the others would be ignored. */
	if (caps->version < PMUV3P1 && event > 0x3ff)
		return false;
	if (event < 0x40)
		return caps->pmceid & BIT_ULL(event);
	if (event >= 0x4000 && event < 0x4040)
		return caps->pmceid_ext & BIT_ULL(event - 0x4000);
	/* PMCEID says nothing of the others: the CPU's manual does. */
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

#define SIDES (PMUDEV_EXCLUDE_HOST | PMUDEV_EXCLUDE_GUEST)

/*
 * The EL bits, in the host. VHE: the kernel is at EL2, EL1 is guests' alone, and EL0 is whose turn
 * it is. nVHE: the kernel and guests' kernels are both at EL1; EL2 is the host's, and a
 * hypervisor's: a level below the kernel, not counted without it.
 */
static u64 filter(const struct pmuv3_caps *caps, u32 flags)
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

/* KVM is what makes guests, and it needs EL2. */
static bool guestless(const struct pmuv3_caps *caps)
{
	return caps->shape == PMUV3_EL1 || caps->guestless;
}

static enum pmudev_guest_filter side_of(const struct pmuv3_caps *caps, u32 flags)
{
	/* EL0 is all that has to be told apart there. */
	if (caps->shape == PMUV3_VHE && (flags & PMUDEV_EXCLUDE_USER))
		return PMUDEV_FILTER_NONE;
	if (guestless(caps) || !(flags & SIDES))
		return PMUDEV_FILTER_NONE;
	return flags & PMUDEV_EXCLUDE_HOST ? PMUDEV_FILTER_GUEST : PMUDEV_FILTER_HOST;
}

u64 pmuv3_guest_config(const struct pmuv3_caps *caps, u64 config, enum pmudev_guest_filter filter)
{
	if (caps->shape == PMUV3_VHE && filter != PMUDEV_FILTER_NONE)
		config ^= PMUV3_TYPER_U;
	return config;
}

/* Is there an exception level left, in the host or in a guest? */
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
		if (event < 0)
			return pmudev_refuse(why, -ENOENT, PMUDEV_WHY_EVENT, 0);
		return event;
	}
	if (attr->config & ~PMUV3_TYPER_EVENT)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_CONFIG, PMUV3_TYPER_EVENT);
	event = attr->config;
	/* Counts another counter's overflows: only as half of a pair, never by itself. */
	if (event == PMUV3_CHAIN)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_CONFIG, PMUV3_TYPER_EVENT);
	if (!implemented(caps, event))
		return pmudev_refuse(why, -ENOENT, PMUDEV_WHY_EVENT, 0);
	return event;
}

/* What the flags ask of the hardware that no choice of counter can give. */
static int check_hardware(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
			  struct pmudev_refusal *why)
{
	u32 filters = attr->flags & SIDES;

	/* Excluding guests is no work then. */
	if (guestless(caps) && (filters & PMUDEV_EXCLUDE_HOST))
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_NO_GUEST, 0);
	if (!guestless(caps) && caps->protected_kvm && filters)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, filters);
	return 0;
}

/* TC[2:1] numbers the comparisons as the ABI does; TC[0] counts cycles, not what they had. */
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
 * Does the cycle counter count what the event does? If it may not, it is for who allows no other,
 * and where there is no other.
 */
static bool cycle_counter_does(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr)
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

	if (event == EVENT_CPU_CYCLES && cycle_counter_does(caps, attr))
		fixed = BIT_ULL(PMUV3_CYCLE_COUNTER);
	if (event == EVENT_INST_RETIRED)
		fixed = BIT_ULL(PMUV3_INSTRUCTION_COUNTER);
	/* Their filter registers have no threshold. */
	if (attr->threshold)
		fixed = 0;
	return caps->counters & (~FIXED | fixed);
}

/* With 64 bits all are alike; without, the cycle counter has them, and two together. */
static struct pmudev_able able_to(const struct pmuv3_caps *caps, u64 any)
{
	struct pmudev_able able = { .any = any, .wide = any, .width = 32 };

	if (!pmuv3_long_counters(caps))
		able.wide &= ~PROGRAMMABLE;
	if (pmuv3_chained(caps))
		able.pairs = able.any & (able.any >> 1) & PROGRAMMABLE & EVEN;
	able.direct = able.wide;
	return able;
}

/* Those that an event gets that cares which. */
static PMUDEV_NOINLINE int choose_counters(const struct pmuv3_caps *caps,
					   const struct pmudev_event_attr *attr, u64 any,
					   struct pmudev_code *code, struct pmudev_refusal *why)
{
	struct pmudev_able able = able_to(caps, any);

	return pmudev_attr_counters(attr, &able, code, why);
}

/*
 * As most do not, and then it is all that count it: who cares for the width, or for a counter that
 * is read at once, cares where these are not alike.
 */
static int find_counters(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
			 unsigned int event, struct pmudev_code *code, struct pmudev_refusal *why)
{
	u64 any = counters_for(caps, attr, event);
	u32 caring = PMUDEV_COUNTER;

	if (!pmuv3_long_counters(caps))
		caring |= PMUDEV_LONG | PMUDEV_DIRECT;
	/* PMCR_EL0.N may be 0, under a hypervisor that gives the cycle counter only. */
	if (!any || attr->allowed || (attr->flags & caring))
		return choose_counters(caps, attr, any, code, why);
	code->chained = false;
	code->allowed = any;
	return 0;
}

/* All of it but the event's number and its counters. */
static int encode_rest(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
		       struct pmudev_code *code, struct pmudev_refusal *why)
{
	u64 levels;
	int ret;

	ret = pmudev_attr_threshold(attr, caps->threshold_max, why);
	if (ret)
		return ret;
	ret = check_hardware(caps, attr, why);
	if (ret)
		return ret;
	levels = filter(caps, attr->flags);
	code->filter = side_of(caps, attr->flags);
	if (!counts_something(caps, levels, code->filter))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_ALL_EXCLUDED, 0);
	code->config = levels | threshold_bits(attr);
	/* Guests' kernels are as private as the host's. */
	code->privileged = !(levels & PMUV3_TYPER_P) || (levels & PMUV3_TYPER_NSH);
	return 0;
}

int pmuv3_encode(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
		 struct pmudev_code *code, struct pmudev_refusal *why)
{
	int event, ret;

	event = event_number(caps, attr, why);
	if (event < 0)
		return event;
	ret = encode_rest(caps, attr, code, why);
	if (ret)
		return ret;
	code->config |= event;
	return find_counters(caps, attr, event, code, why);
}
