// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmudev.h>
#include <pmudev_events.h>

#include "cmd.h"
#include "defaults.h"
#include "detailed.h"

#define NOT_GENERIC PMUDEV_GENERIC_MAX

struct wanted {
	enum pmudev_generic generic;
	const char *name;
};

/*
 * Two events, of which the second is a part of the first. Non-generic ones have names on some PMUs.
 */
static const struct wanted_pair {
	unsigned int level;
	struct wanted events[2];
} pairs[] = {
	{ 1, { { PMUDEV_BRANCHES, "branches" }, { PMUDEV_BRANCH_MISSES, "branch-misses" } } },
	{ 1, { { NOT_GENERIC, "L1-dcache-loads" }, { NOT_GENERIC, "L1-dcache-load-misses" } } },
	{ 1,
	  { { PMUDEV_CACHE_REFERENCES, "cache-references" },
	    { PMUDEV_CACHE_MISSES, "cache-misses" } } },
	{ 2, { { NOT_GENERIC, "L1-icache-loads" }, { NOT_GENERIC, "L1-icache-load-misses" } } },
	{ 2, { { NOT_GENERIC, "dTLB-loads" }, { NOT_GENERIC, "dTLB-load-misses" } } },
	{ 2, { { NOT_GENERIC, "iTLB-loads" }, { NOT_GENERIC, "iTLB-load-misses" } } },
	{ 3,
	  { { NOT_GENERIC, "L1-dcache-prefetches" },
	    { NOT_GENERIC, "L1-dcache-prefetch-misses" } } },
};

/* False: no counter counts it right: the module knows errata. */
static bool has_counter(const struct pmudev_event_attr *attr)
{
	struct pmudev_refusal why = {};
	struct pmudev set;
	int32_t counter;

	if (pmudev_open(&set))
		return true;
	if (!pmudev_bind_self(&set) && pmudev_place(&set, attr, 1, &counter))
		pmudev_why(&set, &why);
	pmudev_close(&set);
	return why.code != PMUDEV_WHY_NO_COUNTER;
}

/* Some PMU knows the name, and all that do agree on its meaning. */
static bool has_name(const struct pmudev_pmus *pmus, const char *name)
{
	struct pmudev_events *events;
	bool has;

	if (pmudev_events_parse(name, pmus, &events, NULL))
		return false;
	has = has_counter(pmudev_events_attrs(events));
	pmudev_events_free(events);
	return has;
}

/* A generic event is counted on all PMUs, so all must have it. */
static bool has_event(const struct pmudev_pmus *pmus, const struct wanted *wanted)
{
	const struct pmudev_pmu_info *info;
	unsigned int i;

	if (wanted->generic == NOT_GENERIC)
		return has_name(pmus, wanted->name);
	for (i = 0; (info = pmudev_pmus_info(pmus, i)); i++)
		if (!info->knows_generic || !(info->generic >> wanted->generic & 1))
			return false;
	return true;
}

void detailed_miss(char *missing, size_t len, const char *name)
{
	size_t used = strlen(missing);

	snprintf(missing + used, len - used, "%s%s", used ? ", " : "", name);
}

/* An event of no PMU's is missing; what there is of both is a group. */
static void add_pair(char **events, const struct pmudev_pmus *pmus, const struct wanted *pair,
		     char *missing, size_t len)
{
	const struct wanted *a = &pair[0], *b = &pair[1];
	const bool has_a = has_event(pmus, a), has_b = has_event(pmus, b);
	char group[80];

	if (!has_a)
		detailed_miss(missing, len, a->name);
	if (!has_b)
		detailed_miss(missing, len, b->name);
	if (has_a && has_b)
		snprintf(group, sizeof(group), "{%s,%s}", a->name, b->name);
	else
		snprintf(group, sizeof(group), "%s", has_a ? a->name : b->name);
	if (has_a || has_b)
		*events = join_events(*events, group);
}

void detailed_events(char **events, const struct pmudev_pmus *pmus, unsigned int level,
		     char *missing, size_t len)
{
	char group[80], *both;
	size_t i;

	if (!*events) {
		both = default_events(pmus);
		snprintf(group, sizeof(group), "{%s}", both);
		*events = join_events(NULL, group);
		free(both);
	}
	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].level <= level)
			add_pair(events, pmus, pairs[i].events, missing, len);
}
