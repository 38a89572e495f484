// SPDX-License-Identifier: GPL-2.0
/*
 * Events as PMUv3 takes them: Arm ARM (DDI 0487) chapter D13 and the registers
 * PMEVTYPER<n>_EL0, PMCCFILTR_EL0, PMICFILTR_EL0, PMCEID<n>_EL0.
 */
#include <pmudev/pure.h>

/* PMUVer of FEAT_PMUv3p1, FEAT_PMUv3p5 and FEAT_PMUv3p9 */
#define PMUV3P1 4
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
	return caps->version >= PMUV3P5;
}

bool pmuv3_can_hide(const struct pmuv3_caps *caps)
{
	return caps->version >= PMUV3P9;
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

bool pmuv3_pairs(const struct pmuv3_caps *caps)
{
	return !pmuv3_long_counters(caps) && implemented(caps, PMUV3_CHAIN);
}

int pmuv3_generic(const struct pmuv3_caps *caps, u64 generic)
{
	/* Candidates in order of preference; 0 (SW_INCR) ends a row. */
	static const u16 candidates[PMUDEV_GENERIC_MAX][2] = {
		[PMUDEV_CYCLES] = { EVENT_CPU_CYCLES },
		[PMUDEV_INSTRUCTIONS] = { EVENT_INST_RETIRED },
		[PMUDEV_REF_CYCLES] = { 0x4004 },		/* CNT_CYCLES */
		[PMUDEV_CACHE_REFERENCES] = { 0x32, 0x36 },	/* LL_CACHE, LL_CACHE_RD */
		[PMUDEV_CACHE_MISSES] = { 0x33, 0x37 },		/* LL_CACHE_MISS, .._RD */
		[PMUDEV_BRANCHES] = { 0x21 },			/* BR_RETIRED */
		[PMUDEV_BRANCH_MISSES] = { 0x22 },		/* BR_MIS_PRED_RETIRED */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(candidates[0]) && candidates[generic][i]; i++)
		if (implemented(caps, candidates[generic][i]))
			return candidates[generic][i];
	return -ENOENT;
}

/*
 * The EL bits. EL2 is counted where the kernel runs there, or where the hypervisor at
 * EL2 is one that the caller did not exclude.
 */
static u64 filter(const struct pmuv3_caps *caps, u32 flags)
{
	u64 bits = 0;

	if (flags & PMUDEV_EXCLUDE_USER)
		bits |= PMUV3_TYPER_U;
	if (flags & PMUDEV_EXCLUDE_KERNEL)
		bits |= PMUV3_TYPER_P;
	if (caps->shape == PMUV3_VHE && !(flags & PMUDEV_EXCLUDE_KERNEL))
		bits |= PMUV3_TYPER_NSH;
	if (caps->shape == PMUV3_NVHE && !(flags & PMUDEV_EXCLUDE_HV))
		bits |= PMUV3_TYPER_NSH;
	return bits;
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
	u32 guest = attr->flags & (PMUDEV_EXCLUDE_HOST | PMUDEV_EXCLUDE_GUEST);

	if (attr->threshold)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_THRESHOLD, 0);
	/* Not to be passed over in silence: counts of events would come for counts of cycles. */
	if (attr->flags & PMUDEV_THRESHOLD_COUNT)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_MODULE, PMUDEV_THRESHOLD_COUNT);
	/* Without EL2 there are no guests: excluding them is no work. */
	if (caps->shape == PMUV3_EL1)
		guest &= ~PMUDEV_EXCLUDE_GUEST;
	if (guest)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_MODULE, guest);
	return 0;
}

static u64 counters_for(const struct pmuv3_caps *caps, unsigned int event)
{
	u64 fixed = 0;

	if (event == EVENT_CPU_CYCLES)
		fixed = BIT_ULL(PMUV3_CYCLE_COUNTER);
	if (event == EVENT_INST_RETIRED)
		fixed = BIT_ULL(PMUV3_INSTRUCTION_COUNTER);
	return caps->counters & (~FIXED | fixed);
}

/* With 64 bits all are alike; without, the cycle counter has them, and two together. */
static struct pmudev_able able_to(const struct pmuv3_caps *caps, unsigned int event)
{
	struct pmudev_able able = { .any = counters_for(caps, event), .width = 32 };

	able.wide = able.any;
	if (!pmuv3_long_counters(caps))
		able.wide &= ~PROGRAMMABLE;
	if (pmuv3_pairs(caps))
		able.pairs = able.any & (able.any >> 1) & PROGRAMMABLE & EVEN;
	able.direct = able.wide;
	return able;
}

int pmuv3_encode(const struct pmuv3_caps *caps, const struct pmudev_event_attr *attr,
		 struct pmudev_code *code, struct pmudev_refusal *why)
{
	struct pmudev_able able;
	u64 levels;
	int event, ret;

	event = event_number(caps, attr, why);
	if (event < 0)
		return event;
	ret = check_hardware(caps, attr, why);
	if (ret)
		return ret;

	levels = filter(caps, attr->flags);
	if ((levels & (PMUV3_TYPER_U | PMUV3_TYPER_P | PMUV3_TYPER_NSH)) ==
	    (PMUV3_TYPER_U | PMUV3_TYPER_P))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_ALL_EXCLUDED, 0);

	/* PMCR_EL0.N may be 0, under a hypervisor that gives the cycle counter only. */
	able = able_to(caps, event);
	ret = pmudev_attr_counters(attr, &able, code, why);
	if (ret)
		return ret;

	code->config = event | levels;
	code->privileged = !(levels & PMUV3_TYPER_P) || (levels & PMUV3_TYPER_NSH);
	return 0;
}
