// SPDX-License-Identifier: GPL-2.0
/*
 * Encoding of events for AMD PMUs: AMD64 Architecture Programmer's Manual volume 2, register
 * PERF_CTLx; for what differs between families, their BKDG or PPR.
 */
#include <pmudev/amd.h>
#include <pmudev/attr.h>

/* Fields that compare the increment of a cycle with CMASK */
#define COMPARE (AMD_CTL_CMASK | AMD_CTL_INV)

#define VALID (AMD_CTL_EVENT | AMD_CTL_UMASK | AMD_CTL_EDGE | AMD_CTL_INV | AMD_CTL_CMASK)

#define EVENT_HIGH (AMD_CTL_EVENT & ~0xffULL)

#define FILTERS (PMUDEV_EXCLUDE_HOST | PMUDEV_EXCLUDE_GUEST)

/* No such event */
#define NONE 0

static const u64 before_zen[PMUDEV_GENERIC_MAX] = {
	[PMUDEV_CYCLES] = 0x0076,	    /* CPU Clocks not Halted */
	[PMUDEV_INSTRUCTIONS] = 0x00c0,	    /* Retired Instructions */
	[PMUDEV_REF_CYCLES] = NONE,
	[PMUDEV_CACHE_REFERENCES] = 0x077d, /* Requests to L2: code, data, page tables */
	[PMUDEV_CACHE_MISSES] = 0x077e,	    /* L2 Cache Misses, of the same */
	[PMUDEV_BRANCHES] = 0x00c2,	    /* Retired Branch Instructions */
	[PMUDEV_BRANCH_MISSES] = 0x00c3,    /* Retired Mispredicted Branch Instructions */
};

static const u64 zen[PMUDEV_GENERIC_MAX] = {
	[PMUDEV_CYCLES] = 0x0076,
	[PMUDEV_INSTRUCTIONS] = 0x00c0,
	[PMUDEV_REF_CYCLES] = NONE,
	[PMUDEV_CACHE_REFERENCES] = 0xff60, /* Requests to L2, all */
	[PMUDEV_CACHE_MISSES] = 0x0964,	    /* Core to L2: misses of code and data */
	[PMUDEV_BRANCHES] = 0x00c2,
	[PMUDEV_BRANCH_MISSES] = 0x00c3,
};

/* Zen 4 and later, which have PerfMonV2: PMCx120, cycles not halted at the P0 frequency */
#define P0_CYCLES 0x100000120ULL

/* The number of the event, 12 bits */
static unsigned int number(u64 config)
{
	return (config & 0xff) | (config >> 24 & 0xf00);
}

static u64 generic(const struct amd_caps *caps, u64 event)
{
	const u64 *table = caps->family >= AMD_FAMILY_ZEN ? zen : before_zen;

	if (event == PMUDEV_REF_CYCLES && caps->version == 2)
		return P0_CYCLES;
	return table[array_index_nospec((u32)event, PMUDEV_GENERIC_MAX)];
}

/*
 * Family 15H: counters that can count an event, from its BKDG (42301, "PERF_CTL[...]" in the
 * description of each event). The first row with the event's number counts.
 */
static const struct {
	u16 first, last;
	u8 counters;
} f15h_numbers[] = {
	{ 0x003, 0x003, 0x08 }, { 0x00b, 0x00b, 0x08 }, { 0x00d, 0x00d, 0x08 },
	{ 0x023, 0x023, 0x07 }, { 0x02d, 0x02d, 0x08 }, { 0x02e, 0x02e, 0x09 },
	{ 0x031, 0x031, 0x07 }, { 0x043, 0x043, 0x07 }, { 0x045, 0x046, 0x07 },
	{ 0x054, 0x055, 0x07 }, { 0x08f, 0x08f, 0x01 }, { 0x187, 0x188, 0x01 },
	{ 0x0db, 0x0df, 0x3f }, { 0x1d6, 0x1d6, 0x3f }, { 0x1d8, 0x1d8, 0x3f },
	{ 0x1c0, 0x1c0, 0x38 },
};

/* The other events, by the unit that they belong to: bits 7:0. None is northbridge's. */
static const struct {
	u8 first, last;
	u8 counters;
} f15h_units[] = {
	{ 0x00, 0x1f, 0x38 }, /* floating point */
	{ 0x20, 0x5f, 0x3f }, /* load and store, data cache */
	{ 0x60, 0x9f, 0x07 }, /* level 2 cache, instruction cache and decoder */
	{ 0xc0, 0xcf, 0x3f }, /* execution */
	{ 0xd0, 0xdf, 0x07 }, /* decoder */
};

static u64 f15h_counters(u64 config)
{
	const unsigned int umask = config >> 8 & 0xff, event = number(config);
	unsigned int i;

	/* Of these, which counters depends on how many unit masks there are. */
	if (event == 0x000 && (umask & 0xf0) && (umask & 0x0f))
		return 0x08;
	if (event == 0x004 && (umask & (umask - 1)))
		return 0x08;
	if (event == 0x031 && (umask & (umask - 1)))
		return 0;
	for (i = 0; i < ARRAY_SIZE(f15h_numbers); i++)
		if (event >= f15h_numbers[i].first && event <= f15h_numbers[i].last)
			return f15h_numbers[i].counters;
	for (i = 0; i < ARRAY_SIZE(f15h_units); i++)
		if ((event & 0xff) >= f15h_units[i].first && (event & 0xff) <= f15h_units[i].last)
			return f15h_units[i].counters;
	return 0;
}

static u64 counters_for(const struct amd_caps *caps, u64 config)
{
	return caps->family == 0x15 ? caps->counters & f15h_counters(config) : caps->counters;
}

/*
 * Events that a core's counter alone does not count right. Before family 17H, E0H to FFH count the
 * northbridge, which cores share. Since, 003H (retired floating point operations) happens more
 * often in a cycle than a counter adds, 15 times: it needs a second counter, on which FFFH (Merge)
 * takes the first one's carry. Before K10, events have 8 bits.
 */
static bool is_beyond_one_counter(const struct amd_caps *caps, u64 config)
{
	if (caps->family < AMD_FAMILY_K10 && config & EVENT_HIGH)
		return true;
	if (caps->family < AMD_FAMILY_ZEN)
		return (config & 0xe0) == 0xe0;
	return number(config) == 0x003 || number(config) == 0xfff;
}

static int select_event(const struct amd_caps *caps, const struct pmudev_event_attr *attr,
			u64 *config, struct pmudev_refusal *why)
{
	if (attr->type == PMUDEV_TYPE_GENERIC) {
		*config = generic(caps, attr->config);
		return *config ? 0 : pmudev_refuse(why, -ENOENT, PMUDEV_WHY_EVENT, 0);
	}
	if (attr->config & ~VALID)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_CONFIG, VALID);
	*config = attr->config;
	if (is_beyond_one_counter(caps, *config))
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, 0);
	return 0;
}

/* The hardware counts the cycles that match; it cannot add up their increments. */
static int set_threshold(const struct pmudev_event_attr *attr, u64 *config,
			 struct pmudev_refusal *why)
{
	int ret;

	if (!attr->threshold)
		return 0;
	if (*config & COMPARE)
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_COMBINATION, 0);
	ret = pmudev_attr_threshold(attr, AMD_THRESHOLD_MAX, why);
	if (ret)
		return ret;
	if (attr->threshold_compare <= PMUDEV_EQUAL)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_COMPARE, 0);
	if (!(attr->flags & PMUDEV_THRESHOLD_COUNT))
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, PMUDEV_THRESHOLD_COUNT);
	*config |= (u64)attr->threshold << 24;
	if (attr->threshold_compare == PMUDEV_LESS)
		*config |= AMD_CTL_INV;
	return 0;
}

/*
 * PMUDEV_EXCLUDE_HV has no effect: the hardware knows only rings, in guests as well. The selector
 * says host or guest: nothing changes at a guest's entry. Where guests can run and it cannot say
 * so, a count of one of the two would be of both.
 */
static int set_levels(const struct amd_caps *caps, u32 flags, u64 *config,
		      struct pmudev_refusal *why)
{
	if (!(flags & PMUDEV_EXCLUDE_USER))
		*config |= AMD_CTL_USR;
	if (!(flags & PMUDEV_EXCLUDE_KERNEL))
		*config |= AMD_CTL_OS;
	if (!(*config & (AMD_CTL_USR | AMD_CTL_OS)))
		return pmudev_refuse(why, -EINVAL, PMUDEV_WHY_ALL_EXCLUDED, 0);
	if ((flags & PMUDEV_EXCLUDE_HOST) && !caps->svm)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_NO_GUEST, 0);
	if ((flags & FILTERS) && caps->svm && !caps->filters)
		return pmudev_refuse(why, -EOPNOTSUPP, PMUDEV_WHY_HARDWARE, flags & FILTERS);
	if (flags & PMUDEV_EXCLUDE_HOST)
		*config |= AMD_CTL_GUEST;
	if ((flags & PMUDEV_EXCLUDE_GUEST) && caps->filters)
		*config |= AMD_CTL_HOST;
	return 0;
}

int amd_encode(const struct amd_caps *caps, const struct pmudev_event_attr *attr,
	       struct pmudev_code *code, struct pmudev_refusal *why)
{
	struct pmudev_candidates candidates = { .width = AMD_WIDTH };
	u64 config;
	int ret;

	ret = select_event(caps, attr, &config, why);
	if (ret)
		return ret;
	candidates.any = counters_for(caps, config);
	candidates.direct = candidates.any;
	ret = set_threshold(attr, &config, why);
	if (ret)
		return ret;
	ret = set_levels(caps, attr->flags, &config, why);
	if (ret)
		return ret;
	ret = pmudev_attr_counters(attr, &candidates, code, why);
	if (ret)
		return ret;
	code->config = config | AMD_CTL_EN;
	code->filter = PMUDEV_FILTER_NONE;
	code->privileged = config & AMD_CTL_OS;
	return 0;
}

u64 amd_generic_events(const struct amd_caps *caps)
{
	u64 events = 0;
	unsigned int i;

	for (i = 0; i < PMUDEV_GENERIC_MAX; i++)
		if (generic(caps, i))
			events |= BIT_ULL(i);
	return events;
}
