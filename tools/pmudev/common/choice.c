// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "cmd.h"
#include "defaults.h"
#include "detailed.h"
#include "perf_events.h"

#define DEFAULT_SOFTWARE "task-clock,context-switches,cpu-migrations,page-faults"

/* Branches and their misses: which of them all PMUs have. */
static void add_branches(struct choice *c)
{
	static const struct {
		enum pmudev_generic event;
		const char *name;
	} wanted[] = {
		{ PMUDEV_BRANCHES, "branches" },
		{ PMUDEV_BRANCH_MISSES, "branch-misses" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!default_all_have(known_pmus(), wanted[i].event)) {
			detailed_miss(c->missing, c->missing_size, wanted[i].name);
			continue;
		}
		*c->events = join_events(*c->events, wanted[i].name);
		c->optional++;
	}
}

/* What perf counts by default, in its order. */
static void choose_defaults(struct choice *c)
{
	char *hardware = default_events(known_pmus()), group[80];

	c->by_default = true;
	*c->events = join_events(NULL, DEFAULT_SOFTWARE);
	if (c->instructions) {
		*c->events = join_events(*c->events, "instructions:u");
		free(hardware);
		return;
	}
	if (c->detailed) {
		/* A ratio of a group is of the same time. */
		snprintf(group, sizeof(group), "{%s}", hardware);
		*c->events = join_events(*c->events, group);
	} else {
		*c->events = join_events(*c->events, hardware);
		add_branches(c);
	}
	free(hardware);
}

/* --all-user, --all-kernel */
static void restrict_all(struct choice *c)
{
	struct software *software = c->software;
	unsigned int i;

	for (i = 0; i < c->list->nr; i++) {
		if (c->list->events[i].levels)
			continue;
		if (c->all_user)
			event_user_only(c->list, i);
		else
			event_kernel_only(c->list, i);
	}
	for (i = 0; i < software->nr; i++) {
		if (strchr(software->names[i], ':') || software->events[i]->wall)
			continue;
		software->user_only[i] = c->all_user;
		software->kernel_only[i] = c->all_kernel;
		strcat(software->names[i], c->all_user ? ":u" : ":k");
	}
}

/* Their events come before those of -e, so that their rows are known. */
static bool choose_metrics(struct choice *c)
{
	char *events;

	if (!metrics_choose(c->metrics, c->names, known_pmus(), c->multiplex, &events))
		return false;
	if (*c->events)
		events = join_events(events, *c->events);
	free(*c->events);
	*c->events = events;
	return true;
}

/* Apart: what the kernel counts, and what the PMU does. */
static bool parse(struct choice *c)
{
	const char *advice;
	bool good = true;
	char *hardware;

	if (!software_split(*c->events, &hardware, c->software)) {
		free(hardware);
		return false;
	}
	if (*hardware || !c->software->nr)
		good = read_events(hardware, c->list);
	advice = good ? NULL : perf_events_advice(known_pmus(), hardware);
	if (advice)
		complain("%s", advice);
	free(hardware);
	return good;
}

bool choose_events(struct choice *c)
{
	if (c->names && !choose_metrics(c))
		return false;
	if (!*c->events)
		choose_defaults(c);
	if (c->detailed)
		detailed_events(c->events, known_pmus(), c->detailed, c->missing, c->missing_size);
	if (!parse(c))
		return false;
	if (c->all_user || c->all_kernel)
		restrict_all(c);
	software_append(c->software, c->list);
	return true;
}
