// SPDX-License-Identifier: GPL-2.0
/*
 * Encoding of events for Intel PMUs: Intel SDM volume 3B, "Architectural Performance Monitoring",
 * registers IA32_PERFEVTSELx and IA32_FIXED_CTR_CTRL.
 */
#include <pmudev/attr.h>
#include <pmudev/intel.h>

#define PROGRAMMABLE GENMASK_ULL(PMUDEV_FIXED_BASE - 1, 0)
#define FIXED(n)     (PMUDEV_FIXED_BASE + (n))

/* Fields that select the event */
#define SELECT (INTEL_EVTSEL_EVENT | INTEL_EVTSEL_UMASK | INTEL_EVTSEL_UMASK2)
/* Fields that compare the increment of a cycle with CMASK */
#define COMPARE (INTEL_EVTSEL_CMASK | INTEL_EVTSEL_INV | INTEL_EVTSEL_EQ)

/*
 * Fixed counter that counts the same as an architectural event, by the event's number; 0 if there
 * is none. Event 2 has none: fixed counter 2 counts at the TSC's rate, event 2 (3CH/01H) at
 * another rate on most CPUs.
 */
static const u8 same_as[INTEL_NR_EVENTS] = {
	[0] = FIXED(1),	 /* core cycles */
	[1] = FIXED(0),	 /* instructions retired */
	[7] = FIXED(3),	 /* topdown slots */
	[9] = FIXED(4),	 /* topdown bad speculation */
	[10] = FIXED(5), /* topdown frontend bound */
	[11] = FIXED(6), /* topdown retiring */
};

static const u16 generic[PMUDEV_GENERIC_MAX] = {
	[PMUDEV_CYCLES] = 0x003c,	    /* UnHalted Core Cycles */
	[PMUDEV_INSTRUCTIONS] = 0x00c0,	    /* Instruction Retired */
	[PMUDEV_REF_CYCLES] = 0x013c,	    /* UnHalted Reference Cycles */
	[PMUDEV_CACHE_REFERENCES] = 0x4f2e, /* LLC Reference */
	[PMUDEV_CACHE_MISSES] = 0x412e,	    /* LLC Misses */
	[PMUDEV_BRANCHES] = 0x00c4,	    /* Branch Instruction Retired */
	[PMUDEV_BRANCH_MISSES] = 0x00c5,    /* Branch Misses Retired */
};

/* Number of the architectural event that @config selects, or -1 */
static int architectural_event(u64 config)
{
	int i;

	for (i = 0; i < INTEL_NR_EVENTS; i++)
		if ((config & SELECT) == intel_events[i].config)
			return i;
	return -1;
}

/*
 * Where fixed counter 2 exists, generic reference cycles are counted on it alone: other counters
 * count at another rate.
 */
static bool on_ref_counter(const struct intel_caps *caps, const struct pmudev_event_attr *attr)
{
	return attr->type == PMUDEV_TYPE_GENERIC && attr->config == PMUDEV_REF_CYCLES &&
	       (caps->counters & BIT_ULL(FIXED(2)));
}

static u64 valid_bits(const struct intel_caps *caps)
{
	u64 valid = INTEL_EVTSEL_EVENT | INTEL_EVTSEL_UMASK | INTEL_EVTSEL_EDGE | INTEL_EVTSEL_INV |
		    INTEL_EVTSEL_CMASK;

	if (caps->umask2)
		valid |= INTEL_EVTSEL_UMASK2;
	if (caps->eq)
		valid |= INTEL_EVTSEL_EQ;
	return valid;
}

/*
 * Sets @event to the number of the architectural event, or to -1. Of a raw event only the bits are
 * checked: INV without CMASK is valid, and the hardware ignores it.
 */
static int select_event(const struct intel_caps *caps, const struct pmudev_event_attr *attr,
			u64 *config, int *event, struct pmudev_refusal *why)
{
	if (attr->type == PMUDEV_TYPE_GENERIC) {
		*config = generic[array_index_nospec((u32)attr->config, PMUDEV_GENERIC_MAX)];
		*event = architectural_event(*config);
		/* CPUID describes events on programmable counters only. */
		if (on_ref_counter(caps, attr))
			return 0;
	} else {
		if (attr->config & ~valid_bits(caps))
			return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_CONFIG, valid_bits(caps));
		*config = attr->config;
		*event = architectural_event(*config);
	}
	/* The fixed counter that counts a missing event is not architectural either. */
	if (*event >= 0 && (caps->missing & BIT(*event)))
		return pmudev_refuse(why, -ENOENT, PMUDEV_WHY_EVENT, 0);
	return 0;
}

static u64 compare_bits(u32 compare)
{
	switch (compare) {
	case PMUDEV_NOT_EQUAL:
		return INTEL_EVTSEL_EQ | INTEL_EVTSEL_INV;
	case PMUDEV_EQUAL:
		return INTEL_EVTSEL_EQ;
	case PMUDEV_LESS:
		return INTEL_EVTSEL_INV;
	default:
		return 0;
	}
}

/* The hardware counts the cycles that match; it cannot add up their increments. */
static int set_threshold(const struct intel_caps *caps, const struct pmudev_event_attr *attr,
			 u64 *config, struct pmudev_refusal *why)
{
	u64 compare = compare_bits(attr->threshold_compare);
	u32 highest = on_ref_counter(caps, attr) ? 0 : INTEL_THRESHOLD_MAX;
	int ret;

	if (!attr->threshold)
		return 0;
	if (*config & COMPARE)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, 0);
	ret = pmudev_attr_threshold(attr, highest, why);
	if (ret)
		return ret;
	if ((compare & INTEL_EVTSEL_EQ) && !caps->eq)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_COMPARE, 0);
	if (!(attr->flags & PMUDEV_THRESHOLD_COUNT))
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, PMUDEV_THRESHOLD_COUNT);
	*config |= compare | (u64)attr->threshold << 24;
	return 0;
}

/* PMUDEV_EXCLUDE_HV has no effect: the hardware knows only rings, in guests as well. */
static u64 level_bits(u32 flags)
{
	return (flags & PMUDEV_EXCLUDE_USER ? 0 : INTEL_EVTSEL_USR) |
	       (flags & PMUDEV_EXCLUDE_KERNEL ? 0 : INTEL_EVTSEL_OS);
}

/* Host and guest share the selector: IA32_PERF_GLOBAL_CTRL changes at guest entry and exit. */
static enum pmudev_guest_filter guest_filter(const struct pmudev_event_attr *attr)
{
	if (attr->flags & PMUDEV_EXCLUDE_GUEST)
		return PMUDEV_FILTER_HOST;
	return attr->flags & PMUDEV_EXCLUDE_HOST ? PMUDEV_FILTER_GUEST : PMUDEV_FILTER_NONE;
}

/*
 * A fixed counter has no EDGE, CMASK, INV or EQ: only its rings can be chosen. Every programmable
 * one counts the architectural events that the CPU describes.
 */
static u64 counters_for(const struct intel_caps *caps, const struct pmudev_event_attr *attr,
			u64 config, int event)
{
	u64 counters = PROGRAMMABLE;

	if (on_ref_counter(caps, attr))
		return BIT_ULL(FIXED(2));
	if (event < 0 || (u32)event >= caps->declared)
		counters &= intel_model_counters(caps, config, attr->flags & PMUDEV_COUNTER);
	if (event >= 0 && same_as[event] && !(config & (COMPARE | INTEL_EVTSEL_EDGE)))
		counters |= BIT_ULL(same_as[event]);
	return counters & caps->counters;
}

/* No counter has 64 bits. A counter is DIRECT if all its bits can be written, as a fixed one's. */
static struct pmudev_candidates find_candidates(const struct intel_caps *caps,
						const struct pmudev_event_attr *attr, u64 config,
						int event)
{
	u64 any = counters_for(caps, attr, config, event);
	struct pmudev_candidates candidates = { .any = any, .width = caps->width_fixed };

	candidates.direct = caps->full_width ? any : any & ~PROGRAMMABLE;
	if (any & PROGRAMMABLE)
		candidates.width = attr->flags & PMUDEV_LONG ? caps->width_hw : caps->width;
	return candidates;
}

int intel_encode(const struct intel_caps *caps, const struct pmudev_event_attr *attr,
		 struct pmudev_code *code, struct pmudev_refusal *why)
{
	struct pmudev_candidates candidates;
	int ret, event;
	u64 config;

	ret = select_event(caps, attr, &config, &event, why);
	if (ret)
		return ret;
	ret = set_threshold(caps, attr, &config, why);
	if (ret)
		return ret;
	config |= level_bits(attr->flags);
	if (!(config & (INTEL_EVTSEL_USR | INTEL_EVTSEL_OS)))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_ALL_EXCLUDED, 0);
	candidates = find_candidates(caps, attr, config, event);
	ret = pmudev_attr_counters(attr, &candidates, code, why);
	if (ret)
		return ret;
	code->config = config | INTEL_EVTSEL_EN;
	if (caps->hiding && !(attr->flags & PMUDEV_USER_READ))
		code->config |= INTEL_EVTSEL_HIDDEN;
	code->filter = guest_filter(attr);
	code->privileged = config & INTEL_EVTSEL_OS;
	return 0;
}

u64 intel_generic_events(const struct intel_caps *caps)
{
	struct pmudev_event_attr attr = { .type = PMUDEV_TYPE_GENERIC };
	struct pmudev_refusal why;
	struct pmudev_code code;
	u64 events = 0;

	for (attr.config = 0; attr.config < PMUDEV_GENERIC_MAX; attr.config++)
		if (!intel_encode(caps, &attr, &code, &why))
			events |= BIT_ULL(attr.config);
	return events;
}

u64 intel_fixed_bits(unsigned int n, u64 config)
{
	u64 bits = 0;

	if (config & INTEL_EVTSEL_OS)
		bits |= BIT_ULL(0);
	if (config & INTEL_EVTSEL_USR)
		bits |= BIT_ULL(1);
	if (config & INTEL_EVTSEL_INT)
		bits |= BIT_ULL(3);
	if (config & INTEL_EVTSEL_HIDDEN)
		bits |= BIT_ULL(33);
	return bits << (4 * n);
}
