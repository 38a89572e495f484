/* SPDX-License-Identifier: MIT */
/* What made-up runs of `pmudev stat` are made of, for formats_runs.h and formats_parts.h */
#ifndef FORMATS_MADE_H
#define FORMATS_MADE_H

#include <stdlib.h>

#include "../pmudev/common/cmd.h"
#include "../pmudev/stat/stat.h"
#include "sysfs.h"

static struct pmudev_pmus *pmus[NR_MACHINES];
static struct measurement made;
static struct counted interval;

/* A group's, or of all if it is nameless. */
static struct counted_part *add_part(struct counted *counted, const char *group)
{
	struct counted_part *part;

	counted->runs = 1;
	counted->parts = realloc(counted->parts, (counted->nr + 1) * sizeof(*counted->parts));
	part = &counted->parts[counted->nr++];
	memset(part, 0, sizeof(*part));
	snprintf(part->group.name, GROUP_NAME, "%s", group);
	part->group.cpu = strncmp(group, "CPU", 3) ? -1 : atoi(group + 3);
	part->group.sources = 2;
	part->total.present = -1ULL;
	part->spreads = calloc(PMUDEV_MAX_EVENTS, sizeof(*part->spreads));
	return part;
}

static void count(struct counted_part *part, unsigned int event, uint64_t value, uint64_t enabled,
		  uint64_t running)
{
	struct pmudev_sum *sum = &part->total.sums[event];

	sum->value = value;
	sum->estimate = value;
	if (running)
		pmudev_scale(value, enabled, running, &sum->estimate);
	sum->time_enabled = enabled;
	sum->time_running = running;
}

/* A group of two events that were counted all the time. */
static void add_pair(struct counted *counted, const char *group, uint64_t first, uint64_t second)
{
	struct counted_part *part = add_part(counted, group);

	count(part, 0, first, 1000, 1000);
	count(part, 1, second, 1000, 1000);
}

static void begin(const char *events, enum machine machine)
{
	struct pmudev_events_error error;
	char *hardware;
	static char *command[4];

	counted_close(&made.counted);
	counted_close(&interval);
	memset(&made, 0, sizeof(made));
	command[0] = "sh";
	command[1] = "-c";
	command[2] = "echo \"a\\b\"\t'\xc3\xa9' \xff";
	made.options.command = command;
	made.options.inherit = true;
	made.options.big_numbers = true;
	made.options.repeat = 1;
	made.runs = 1;
	spread_add(&made.elapsed, 1.25);
	spread_add(&made.user, 1.125);
	spread_add(&made.sys, 0.0625);
	made.run.total.time_enabled = 2000000000;
	made.options.log_fd = -1;
	made.options.control.commands = -1;
	if (!software_split(events, &hardware, &made.software) ||
	    !parse_events(hardware, pmus[machine], &made.list, &error)) {
		ok(false, error.text);
		exit(tap_end());
	}
	free(hardware);
	software_append(&made.software, &made.list);
}

static void name(unsigned int event, const char *text)
{
	snprintf(made.list.events[event].name, EVENT_NAME, "%s", text);
}

#endif /* FORMATS_MADE_H */
