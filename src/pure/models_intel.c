// SPDX-License-Identifier: GPL-2.0
/*
 * Which programmable counters count the events of Intel's models. No register tells: Intel's lists
 * of events do (perfmon-events.intel.com), and perf's tables in arch/x86/events/intel/core.c, which
 * these facts are from.
 */
#include <pmudev/intel.h>

/* All models have events that only these count, and most models say so of most events. */
#define FIRST_FOUR GENMASK_ULL(3, 0)

#define EVENT	   0x00ff /* with every unit mask */
#define EVENT_MASK 0xffff

/*
 * struct limit - events that fewer counters can count than the first four, or others
 * @config: event and unit mask
 * @mask: what of these is compared
 * @counters: the counters; 0: no programmable one
 */
struct limit {
	u16 config;
	u16 mask;
	u16 counters;
};

static const struct limit core2[] = {
	{ 0x10, EVENT, 0x1 },
	{ 0x11, EVENT, 0x2 },
	{ 0x12, EVENT, 0x2 },
	{ 0x13, EVENT, 0x2 },
	{ 0x14, EVENT, 0x1 },
	{ 0x18, EVENT, 0x1 },
	{ 0x19, EVENT, 0x2 },
	{ 0xa1, EVENT, 0x1 },
	{ 0xc9, EVENT, 0x1 },
	{ 0xcb, EVENT, 0x1 },
	{},
};

static const struct limit nehalem[] = {
	{ 0x40, EVENT, 0x3 }, { 0x41, EVENT, 0x3 }, { 0x42, EVENT, 0x3 },
	{ 0x43, EVENT, 0x3 }, { 0x48, EVENT, 0x3 }, { 0x4e, EVENT, 0x3 },
	{ 0x51, EVENT, 0x3 }, { 0x63, EVENT, 0x3 }, {},
};

static const struct limit westmere[] = {
	{ 0x51, EVENT, 0x3 }, { 0x60, EVENT, 0x1 }, { 0x63, EVENT, 0x3 }, { 0xb3, EVENT, 0x1 }, {},
};

static const struct limit sandy_bridge[] = {
	{ 0x48, EVENT, 0x4 },	     { 0xcd, EVENT, 0x8 },	  { 0x01c0, EVENT_MASK, 0x2 },
	{ 0x02a3, EVENT_MASK, 0x4 }, { 0x06a3, EVENT_MASK, 0x4 }, {},
};

static const struct limit ivy_bridge[] = {
	{ 0x0148, EVENT_MASK, 0x4 },
	{ 0x01c0, EVENT_MASK, 0x2 },
	{ 0x08a3, EVENT_MASK, 0x4 },
	{ 0x0ca3, EVENT_MASK, 0x4 },
	{},
};

static const struct limit haswell[] = {
	{ 0x0148, EVENT_MASK, 0x4 }, { 0x01c0, EVENT_MASK, 0x2 }, { 0x08a3, EVENT_MASK, 0x4 },
	{ 0x0ca3, EVENT_MASK, 0x4 }, { 0xcd, EVENT, 0x8 },	  {},
};

static const struct limit broadwell[] = {
	{ 0x0148, EVENT_MASK, 0x4 },
	{ 0x08a3, EVENT | 0x0800, 0x4 },
	{},
};

static const struct limit skylake[] = { { 0x01c0, EVENT_MASK, 0x2 }, {} };

/* Fixed counter 0 counts that, as instructions. */
static const struct limit ice_lake[] = { { 0x01c0, EVENT_MASK, 0 }, {} };

static const struct limit golden_cove[] = {
	{ 0x04a4, EVENT_MASK, 0x1 }, { 0x08a4, EVENT_MASK, 0x1 }, { 0x01cd, EVENT_MASK, 0xfe },
	{ 0x02cd, EVENT_MASK, 0x1 }, { 0xce, EVENT, 0x1 },	  {},
};

static const struct limit lion_cove[] = {
	{ 0x0148, EVENT_MASK, 0x4 },
	{ 0x0175, EVENT_MASK, 0x4 },
	{ 0x08a3, EVENT_MASK, 0x4 },
	{ 0x0ca3, EVENT_MASK, 0x4 },
	{ 0x04a4, EVENT_MASK, 0x1 },
	{ 0x08a4, EVENT_MASK, 0x1 },
	{ 0x10a4, EVENT_MASK, 0x8 },
	{ 0x01b1, EVENT_MASK, 0x8 },
	{ 0x01cd, EVENT_MASK, 0x3fc },
	{ 0x02cd, EVENT_MASK, 0x3 },
	{},
};

static const struct limit panther_cove[] = {
	{ 0x04a4, EVENT_MASK, 0x1 },
	{ 0x08a4, EVENT_MASK, 0x1 },
	{ 0x01b1, EVENT_MASK, 0x8 },
	{ 0x01cd, EVENT_MASK, 0xfc },
	{ 0x02cd, EVENT_MASK, 0x3 },
	{ 0xce, EVENT, 0x1 },
	{},
};

static const struct limit arctic_wolf[] = {
	{ 0x0175, EVENT_MASK, 0x1 }, { 0x0275, EVENT_MASK, 0x2 }, { 0x01b7, EVENT_MASK, 0x1 },
	{ 0x02b7, EVENT_MASK, 0x2 }, { 0x04b7, EVENT_MASK, 0x4 }, { 0x08b7, EVENT_MASK, 0x8 },
	{ 0x21d3, EVENT_MASK, 0x1 }, { 0x22d3, EVENT_MASK, 0x1 }, {},
};

static const struct limit none[] = { {} };

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
	{ { 0x6af, 0x6b6, 0x6be, 0x6dd }, none },
};

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
	const struct limit *limit = find(atoms, ARRAY_SIZE(atoms), caps->model);
	bool any = named;

	/* All counters of an Atom count what some count, but for a few events. */
	if (caps->type == INTEL_TYPE_ATOM || (limit && limit == none)) {
		limit = limit ? limit : none;
		any = true;
	} else {
		limit = find(cores, ARRAY_SIZE(cores), caps->model);
	}
	if (leaks(caps, limit, config))
		return 0;
	for (; limit && limit->mask; limit++)
		if ((config & limit->mask) == limit->config)
			return limit->counters;
	return any ? ~0ULL : FIRST_FOUR;
}
