// SPDX-License-Identifier: GPL-2.0
/*
 * Which programmable counters count the events of Intel's models. No register tells: Intel's lists
 * of events do (perfmon-events.intel.com), and perf's tables in arch/x86/events/intel/core.c, which
 * these facts are from.
 */
#include <pmudev/intel.h>

/* All models have events that only these count, and most models say so of most events. */
#define FIRST_FOUR GENMASK_ULL(3, 0)

/*
 * struct limit - which counters count some events; the first that has an event counts
 * @config: event and unit mask
 * @mask: what of these is compared; 0 ends a table
 * @counters: the counters; 0: none counts it right, such as what needs a second register, which
 *	chooses what is counted (offcore responses, what the front end retired)
 * @last: 0; or @config to this are events, with every unit mask
 */
struct limit {
	u16 config;
	u16 mask;
	u16 counters;
	u8 last;
};

#define EVENT		 INTEL_EVTSEL_EVENT
#define ALL_UMASKS(e, c) RANGE(e, e, c)
#define UMASK(e, c)                                     \
	{                                               \
		(e), EVENT | INTEL_EVTSEL_UMASK, (c), 0 \
	}
#define RANGE(e, last, c)               \
	{                               \
		(e), EVENT, (c), (last) \
	}

static const struct limit core2[] = {
	ALL_UMASKS(0x10, 0x1), RANGE(0x11, 0x13, 0x2), ALL_UMASKS(0x14, 0x1),
	ALL_UMASKS(0x18, 0x1), ALL_UMASKS(0x19, 0x2),  ALL_UMASKS(0xa1, 0x1),
	ALL_UMASKS(0xc9, 0x1), ALL_UMASKS(0xcb, 0x1),  {},
};

static const struct limit nehalem[] = {
	UMASK(0x01b7, 0),
	RANGE(0x40, 0x43, 0x3),
	ALL_UMASKS(0x48, 0x3),
	ALL_UMASKS(0x4e, 0x3),
	ALL_UMASKS(0x51, 0x3),
	ALL_UMASKS(0x63, 0x3),
	{},
};

static const struct limit westmere[] = {
	UMASK(0x01b7, 0),
	UMASK(0x01bb, 0),
	ALL_UMASKS(0x51, 0x3),
	ALL_UMASKS(0x60, 0x1),
	ALL_UMASKS(0x63, 0x3),
	ALL_UMASKS(0xb3, 0x1),
	{},
};

static const struct limit sandy_bridge[] = {
	UMASK(0x01b7, 0),
	UMASK(0x01bb, 0),
	ALL_UMASKS(0x48, 0x4),
	UMASK(0x02a3, 0x4),
	UMASK(0x04a3, 0xf),
	UMASK(0x05a3, 0xf),
	UMASK(0x06a3, 0x4),
	UMASK(0x01c0, 0x2),
	ALL_UMASKS(0xcd, 0x8),
	RANGE(0xd0, 0xd3, 0xf),
	{},
};

static const struct limit ivy_bridge[] = {
	UMASK(0x01b7, 0),	UMASK(0x01bb, 0),
	UMASK(0x0148, 0x4),	UMASK(0x0279, 0xf),
	UMASK(0x019c, 0xf),	UMASK(0x02a3, 0xf),
	UMASK(0x04a3, 0xf),	UMASK(0x05a3, 0xf),
	UMASK(0x06a3, 0xf),	UMASK(0x08a3, 0x4),
	UMASK(0x0ca3, 0x4),	UMASK(0x01c0, 0x2),
	RANGE(0xd0, 0xd3, 0xf), {},
};

/*
 * Here and on Broadwell 01c0 (INST_RETIRED.ALL) is wrong when it overflows soon after its counter
 * was written (HSW11, BDM11). 00c0 counts the same.
 */
static const struct limit haswell[] = {
	UMASK(0x01b7, 0),	UMASK(0x01bb, 0),
	UMASK(0x0148, 0x4),	UMASK(0x04a3, 0xf),
	UMASK(0x08a3, 0x4),	UMASK(0x0ca3, 0x4),
	UMASK(0x01c0, 0),	ALL_UMASKS(0xcd, 0x8),
	RANGE(0xd0, 0xd3, 0xf), {},
};

static const struct limit broadwell[] = {
	UMASK(0x01b7, 0),
	UMASK(0x01bb, 0),
	UMASK(0x0148, 0x4),
	UMASK(0x01c0, 0),
	/* Every unit mask with this bit. */
	{ 0x08a3, EVENT | 0x0800, 0x4, 0 },
	ALL_UMASKS(0xcd, 0xf),
	RANGE(0xd0, 0xd2, 0xf),
	{},
};

static const struct limit skylake[] = {
	UMASK(0x01b7, 0),      UMASK(0x01bb, 0),      UMASK(0x01c6, 0),	      UMASK(0x01c0, 0x2),
	ALL_UMASKS(0xc6, 0xf), ALL_UMASKS(0xcd, 0xf), RANGE(0xd0, 0xd2, 0xf), {},
};

static const struct limit ice_lake[] = {
	UMASK(0x01b7, 0),
	UMASK(0x01bb, 0),
	UMASK(0x01c6, 0),
	RANGE(0x03, 0x0a, 0xf),
	RANGE(0x1f, 0x28, 0xf),
	ALL_UMASKS(0x32, 0xf),
	RANGE(0x48, 0x56, 0xf),
	RANGE(0x60, 0x8b, 0xf),
	UMASK(0x04a3, 0xff),
	UMASK(0x10a3, 0xff),
	UMASK(0x14a3, 0xff),
	ALL_UMASKS(0xa3, 0xf),
	RANGE(0xa8, 0xb0, 0xf),
	RANGE(0xb7, 0xbd, 0xf),
	/* Fixed counter 0 counts that, as instructions. */
	UMASK(0x01c0, 0),
	RANGE(0xd0, 0xe6, 0xf),
	ALL_UMASKS(0xef, 0xf),
	RANGE(0xf0, 0xf4, 0xf),
	{},
};

static const struct limit golden_cove[] = {
	UMASK(0x012a, 0),
	UMASK(0x012b, 0),
	UMASK(0x01c6, 0),
	UMASK(0x02c6, 0),
	UMASK(0x03c6, 0),
	UMASK(0x40ad, 0),
	UMASK(0x04c2, 0),
	ALL_UMASKS(0x2e, 0xff),
	ALL_UMASKS(0x3c, 0xff),
	RANGE(0x01, 0x8f, 0xf),
	UMASK(0x01a3, 0xf),
	UMASK(0x02a3, 0xf),
	UMASK(0x05a3, 0xf),
	UMASK(0x06a3, 0xf),
	UMASK(0x08a3, 0xf),
	UMASK(0x0ca3, 0xf),
	UMASK(0x04a4, 0x1),
	UMASK(0x08a4, 0x1),
	UMASK(0x01cd, 0xfe),
	UMASK(0x02cd, 0x1),
	ALL_UMASKS(0xce, 0x1),
	RANGE(0xd0, 0xdf, 0xf),
	{},
};

static const struct limit lion_cove[] = {
	UMASK(0x012a, 0),	 UMASK(0x012b, 0),
	UMASK(0x02c6, 0),	 UMASK(0x03c6, 0),
	UMASK(0x40ad, 0),	 UMASK(0x04c2, 0),
	ALL_UMASKS(0x20, 0xf),	 ALL_UMASKS(0x2e, 0x3ff),
	ALL_UMASKS(0x3c, 0x3ff), UMASK(0x0148, 0x4),
	UMASK(0x0175, 0x4),	 UMASK(0x08a3, 0x4),
	UMASK(0x0ca3, 0x4),	 UMASK(0x04a4, 0x1),
	UMASK(0x08a4, 0x1),	 UMASK(0x10a4, 0x8),
	UMASK(0x01b1, 0x8),	 UMASK(0x01cd, 0x3fc),
	UMASK(0x02cd, 0x3),	 UMASK(0x87d0, 0x3ff),
	RANGE(0xd0, 0xdf, 0xf),	 {},
};

static const struct limit panther_cove[] = {
	UMASK(0x012a, 0),
	UMASK(0x022a, 0),
	UMASK(0x042a, 0),
	UMASK(0x082a, 0),
	UMASK(0x014f, 0),
	UMASK(0x024f, 0),
	UMASK(0x044f, 0),
	UMASK(0x084f, 0),
	UMASK(0x01d6, 0),
	UMASK(0x02d6, 0),
	UMASK(0x04d6, 0),
	UMASK(0x08d6, 0),
	UMASK(0x02c6, 0),
	UMASK(0x03c6, 0),
	UMASK(0x40ad, 0),
	UMASK(0x04c2, 0),
	ALL_UMASKS(0x20, 0xf),
	UMASK(0x0446, 0xf),
	UMASK(0x0846, 0xf),
	UMASK(0x0847, 0xf),
	UMASK(0x0148, 0xf),
	UMASK(0x0275, 0xf),
	UMASK(0x0176, 0xf),
	ALL_UMASKS(0x79, 0xf),
	UMASK(0x04a4, 0x1),
	UMASK(0x08a4, 0x1),
	UMASK(0x01b1, 0x8),
	UMASK(0x01b2, 0xf),
	UMASK(0x02b2, 0xf),
	UMASK(0x01cd, 0xfc),
	UMASK(0x02cd, 0x3),
	ALL_UMASKS(0xce, 0x1),
	RANGE(0xd0, 0xd1, 0xf),
	ALL_UMASKS(0xd4, 0xf),
	ALL_UMASKS(0xd6, 0xf),
	ALL_UMASKS(0xdf, 0xf),
	{},
};

static const struct limit arctic_wolf[] = {
	UMASK(0x0127, 0),
	UMASK(0x0227, 0),
	UMASK(0x01b7, 0),
	UMASK(0x02b7, 0),
	UMASK(0x04b7, 0),
	UMASK(0x08b7, 0),
	UMASK(0x0175, 0x1),
	UMASK(0x0275, 0x2),
	UMASK(0x21d3, 0x1),
	UMASK(0x22d3, 0x1),
	{},
};

static const struct limit other_atoms[] = {
	UMASK(0x0127, 0), UMASK(0x0227, 0), UMASK(0x01b7, 0), UMASK(0x02b7, 0), {},
};

/* Family in the upper byte, model in the lower one; 0 ends a list. */
struct models {
	u16 list[16];
	const struct limit *limits;
};

static const struct models cores[] = {
	{ { 0x60f, 0x616, 0x617, 0x61d }, core2 },
	{ { 0x61a, 0x61e, 0x61f, 0x62e }, nehalem },
	{ { 0x625, 0x62c, 0x62f }, westmere },
	{ { 0x62a, 0x62d }, sandy_bridge },
	{ { 0x63a, 0x63e }, ivy_bridge },
	{ { 0x63c, 0x63f, 0x645, 0x646 }, haswell },
	{ { 0x63d, 0x647, 0x64f, 0x656 }, broadwell },
	{ { 0x64e, 0x655, 0x65e, 0x666, 0x68e, 0x69e, 0x6a5, 0x6a6 }, skylake },
	{ { 0x66a, 0x66c, 0x67d, 0x67e, 0x68c, 0x68d, 0x69d, 0x6a7 }, ice_lake },
	{ { 0x68f, 0x697, 0x69a, 0x6aa, 0x6ac, 0x6ad, 0x6ae, 0x6b5, 0x6b7, 0x6ba, 0x6bf, 0x6cf,
	    0x6d7 },
	  golden_cove },
	{ { 0x6bd, 0x6c5, 0x6c6, 0x6cc, 0x6d5, 0x6e5 }, lion_cove },
	{ { 0x1201, 0x1203, 0x1301 }, panther_cove },
};

/*
 * Errata BJ122, BV98 and HSD29 (Sandy Bridge, Ivy Bridge, Haswell): what a counter counts of these
 * events can go to the same counter of the core's other thread, whatever that counts.
 */
static bool leaks(const struct intel_caps *caps, const struct limit *limits, u64 config)
{
	u32 event = config & EVENT;

	return caps->smt && event >= 0xd0 && event <= 0xd3 &&
	       (limits == sandy_bridge || limits == ivy_bridge || limits == haswell);
}

/* Of hybrid machines the same models; and those that have no other cores. */
static const struct models atoms[] = {
	{ { 0x1201, 0x1203 }, arctic_wolf },
	{ { 0x637, 0x64a, 0x64c, 0x64d, 0x657, 0x65a, 0x65c, 0x65d, 0x65f, 0x675, 0x67a, 0x685,
	    0x686, 0x696, 0x69c },
	  other_atoms },
	{ { 0x6af, 0x6b6, 0x6be, 0x6dd }, other_atoms },
};

static bool has(const struct limit *limit, u64 config)
{
	const u32 event = config & EVENT;

	if (limit->last)
		return event >= limit->config && event <= limit->last;
	return (config & limit->mask) == limit->config;
}

static const struct limit *find(const struct models *models, unsigned int nr, u16 model)
{
	unsigned int i, m;

	for (i = 0; model && i < nr; i++)
		for (m = 0; m < ARRAY_SIZE(models[i].list); m++)
			if (models[i].list[m] == model)
				return models[i].limits;
	return NULL;
}

u64 intel_model_counters(const struct intel_caps *caps, u64 config, bool named)
{
	const struct limit *core = find(cores, ARRAY_SIZE(cores), caps->model);
	const struct limit *atom = find(atoms, ARRAY_SIZE(atoms), caps->model), *limit = core;
	bool any = named;

	/* All counters of an Atom count what some count, but for a few events. */
	if (caps->type == INTEL_TYPE_ATOM || (atom && !core)) {
		limit = atom ? atom : other_atoms;
		any = true;
	}
	if (leaks(caps, limit, config))
		return 0;
	for (; limit && limit->mask; limit++)
		if (has(limit, config))
			return limit->counters;
	return any ? ~0ULL : FIRST_FOUR;
}

bool intel_fixed_only(u16 model)
{
	const struct limit *core = find(cores, ARRAY_SIZE(cores), model);

	return core == nehalem || core == westmere;
}
