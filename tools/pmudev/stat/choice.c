// SPDX-License-Identifier: GPL-2.0
/*
 * The events of `pmudev stat`: those that were named, or perf's by default as far as they can be
 * counted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/defaults.h"
#include "detailed.h"
#include "perf_events.h"
#include "stat.h"

#define DEFAULT_SOFTWARE "task-clock,context-switches,cpu-migrations,page-faults"

/* ------------------------------------------------------------------------ choosing -- */

/* Branches and their misses: which of them all PMUs have. */
static void add_branches(struct measurement *m)
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
			detailed_miss(m->missing, sizeof(m->missing), wanted[i].name);
			continue;
		}
		m->options.events = join_events(m->options.events, wanted[i].name);
		m->optional++;
	}
}

/* What perf counts by default, in its order. */
static void choose_defaults(struct measurement *m)
{
	char *hardware = default_events(known_pmus()), group[80];

	m->by_default = true;
	m->options.events = join_events(NULL, DEFAULT_SOFTWARE);
	if (m->options.repeatability) {
		m->options.events = join_events(m->options.events, "instructions:u");
		free(hardware);
		return;
	}
	if (m->options.detailed) {
		/* A ratio of a group is of the same time. */
		snprintf(group, sizeof(group), "{%s}", hardware);
		m->options.events = join_events(m->options.events, group);
	} else {
		m->options.events = join_events(m->options.events, hardware);
		add_branches(m);
	}
	free(hardware);
}

/* --all-user, --all-kernel */
static void restrict_all(struct measurement *m)
{
	struct software *software = &m->software;
	unsigned int i;

	for (i = 0; i < m->list.nr; i++) {
		if (m->list.events[i].levels)
			continue;
		if (m->options.all_user)
			event_user_only(&m->list, i);
		else
			event_kernel_only(&m->list, i);
	}
	for (i = 0; i < software->nr; i++) {
		if (strchr(software->names[i], ':') || software->events[i]->wall)
			continue;
		software->user_only[i] = m->options.all_user;
		software->kernel_only[i] = m->options.all_kernel;
		strcat(software->names[i], m->options.all_user ? ":u" : ":k");
	}
}

/* Their events come before those of -e, so that their rows are known. */
static bool choose_metrics(struct measurement *m)
{
	struct stat_options *options = &m->options;
	char *events;

	if (!metrics_choose(&m->metrics, options->metrics, known_pmus(), options->multiplex,
			    &events))
		return false;
	if (options->events)
		events = join_events(events, options->events);
	free(options->events);
	options->events = events;
	return true;
}

bool stat_choose_events(struct measurement *m)
{
	struct stat_options *options = &m->options;
	const char *advice;
	bool good = true;
	char *hardware;

	if (options->null)
		return true;
	if (options->metrics && !choose_metrics(m))
		return false;
	if (!options->events)
		choose_defaults(m);
	if (options->detailed)
		detailed_events(&options->events, known_pmus(), options->detailed, m->missing,
				sizeof(m->missing));
	if (!software_split(options->events, &hardware, &m->software)) {
		free(hardware);
		return false;
	}
	if (*hardware || !m->software.nr)
		good = read_events(hardware, &m->list);
	advice = good ? NULL : perf_events_advice(hardware);
	if (advice)
		complain("%s", advice);
	free(hardware);
	if (good && (options->all_user || options->all_kernel))
		restrict_all(m);
	if (good)
		software_append(&m->software, &m->list);
	if (good && options->repeatability && !m->list.nr) {
		complain("--repeatability looks at an event of the CPU: -e has none");
		return false;
	}
	return good;
}

/* --------------------------------------------------------------------- leaving out -- */

/* The default order: the kernel's, then the PMU's. */
static void reorder(struct measurement *m)
{
	struct software *software = &m->software;
	unsigned int i, n = 0;

	software->hardware = m->list.nr;
	for (i = 0; i < software->nr; i++)
		software->order[n++] = m->list.nr + i;
	for (i = 0; i < m->list.nr; i++)
		software->order[n++] = i;
	software_append(software, &m->list);
}

void stat_leave_out_optional(struct measurement *m)
{
	unsigned int i;

	for (i = m->list.nr - m->optional; i < m->list.nr; i++)
		detailed_miss(m->left_out, sizeof(m->left_out), m->list.events[i].name);
	m->list.nr -= m->optional;
	m->optional = 0;
	reorder(m);
}

void stat_leave_out_software(struct measurement *m, unsigned int event, int error)
{
	struct software *software = &m->software;
	const unsigned int behind = software->nr - event - 1;

	if (error == -EACCES || error == -EPERM)
		detailed_miss(m->forbidden, sizeof(m->forbidden), software->names[event]);
	else
		detailed_miss(m->unknown, sizeof(m->unknown), software->names[event]);
	memmove(&software->events[event], &software->events[event + 1],
		behind * sizeof(*software->events));
	memmove(&software->names[event], &software->names[event + 1],
		behind * sizeof(*software->names));
	memmove(&software->user_only[event], &software->user_only[event + 1],
		behind * sizeof(*software->user_only));
	memmove(&software->kernel_only[event], &software->kernel_only[event + 1],
		behind * sizeof(*software->kernel_only));
	software->nr--;
	reorder(m);
}
