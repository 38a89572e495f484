// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include <pmudev_events.h>

#include "cmd.h"
#include "defaults.h"

static void tell_left_out(const char *name, const char *lack)
{
	complain("%s: this CPU does not %s: left out of the default list", name, lack);
}

bool default_all_have(const struct pmudev_pmus *pmus, enum pmudev_generic event)
{
	const struct pmudev_pmu_info *info;
	unsigned int i;

	for (i = 0; (info = pmudev_pmus_info(pmus, i)); i++)
		if (info->knows_generic && !(info->generic >> event & 1))
			return false;
	return true;
}

char *default_events(const struct pmudev_pmus *pmus)
{
	const bool instructions = default_all_have(pmus, PMUDEV_INSTRUCTIONS);
	const bool cycles = default_all_have(pmus, PMUDEV_CYCLES);

	if (instructions == cycles)
		return join_events(NULL, "instructions,cycles");
	tell_left_out(instructions ? "cycles" : "instructions", "implement the event");
	return join_events(NULL, instructions ? "instructions" : "cycles");
}

/* ------------------------------------------------------------------------- monitor -- */

#define INTEL_INSTRUCTIONS "cpu/event=0xc0,umask=0,name=instructions/"
#define INTEL_CYCLES	   "cpu/event=0x3c,umask=0,name=cycles/"

struct place {
	enum pmudev_generic event;
	const char *text;
	unsigned int counter;
};

#define NR_PLACES 4

static const struct place intel[NR_PLACES] = {
	{ PMUDEV_INSTRUCTIONS, INTEL_INSTRUCTIONS "@2", 2 },
	{ PMUDEV_INSTRUCTIONS, INTEL_INSTRUCTIONS "@fixed0", PMUDEV_FIXED_BASE },
	{ PMUDEV_CYCLES, INTEL_CYCLES "@3", 3 },
	{ PMUDEV_CYCLES, INTEL_CYCLES "@fixed1", PMUDEV_FIXED_BASE + 1 },
};

/* No fixed ones; some CPUs have four counters, and family 15H counts cycles on the first three. */
static const struct place amd[NR_PLACES] = {
	{ PMUDEV_INSTRUCTIONS, "instructions@2", 2 },
	{ PMUDEV_INSTRUCTIONS, "instructions@3", 3 },
	{ PMUDEV_CYCLES, "cycles@0", 0 },
	{ PMUDEV_CYCLES, "cycles@1", 1 },
};

static const struct place arm64[NR_PLACES] = {
	{ PMUDEV_INSTRUCTIONS, "instructions@2", 2 },
	{ PMUDEV_INSTRUCTIONS, "instructions@4", 4 },
	{ PMUDEV_CYCLES, "cycles@3", 3 },
	{ PMUDEV_CYCLES, "cycles@fixed0", PMUDEV_FIXED_BASE },
};

static bool has_event(const struct pmudev_query *query, enum pmudev_generic event)
{
	return query->generic >> event & 1;
}

static bool has_place(const struct pmudev_query *query, const struct place *place)
{
	return has_event(query, place->event) && query->counters >> place->counter & 1;
}

static void tell_places(const struct pmudev_query *query, const struct place *places)
{
	enum pmudev_generic lacks = PMUDEV_GENERIC_MAX;
	unsigned int i;

	for (i = 0; i < NR_PLACES; i++) {
		if (has_place(query, &places[i]) || places[i].event == lacks)
			continue;
		if (has_event(query, places[i].event)) {
			tell_left_out(places[i].text, "have that counter");
			continue;
		}
		lacks = places[i].event;
		tell_left_out(pmudev_generic_name(lacks), "implement the event");
	}
}

static const struct place *places_of(const struct pmudev_query *query)
{
	switch (query->arch) {
	case PMUDEV_ARCH_INTEL:
		return intel;
	case PMUDEV_ARCH_AMD:
		return amd;
	default:
		return arm64;
	}
}

char *default_double(const struct pmudev_query *query)
{
	const struct place *places = places_of(query);
	char *events = NULL;
	unsigned int i;

	for (i = 0; i < NR_PLACES; i++)
		if (has_place(query, &places[i]))
			events = join_events(events, places[i].text);
	if (events) {
		tell_places(query, places);
		return events;
	}
	for (i = 0; i < NR_PLACES; i++)
		events = join_events(events, places[i].text);
	return events;
}

bool default_has(const struct pmudev_query *query, enum pmudev_generic event)
{
	if (has_event(query, event))
		return true;
	tell_left_out(pmudev_generic_name(event), "implement the event");
	return false;
}
