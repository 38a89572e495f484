// SPDX-License-Identifier: GPL-2.0
/* What `pmudev stat` reads, and sums of it. */
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/watch.h"
#include "reading.h"

bool reading_open(struct reading *reading, const struct counters *c)
{
	*reading = (struct reading){
		.records = calloc(sets_records(&c->sets) + 1, sizeof(*reading->records)),
		.software = calloc(c->grouping.sources * c->m->software.nr + 1,
				   sizeof(*reading->software)),
	};
	if (reading->records && reading->software)
		return true;
	complain("no memory left");
	return false;
}

void reading_close(struct reading *reading)
{
	free(reading->records);
	free(reading->software);
	*reading = (struct reading){ .time = 0 };
}

int counters_read(struct counters *c, struct reading *reading)
{
	if (sets_read(&c->sets, reading->records))
		return sets_refused(&c->sets, &c->m->list);
	memset(reading->software, 0,
	       c->grouping.sources * c->m->software.nr * sizeof(*reading->software));
	software_count_read(&c->software, reading->software);
	reading->time = watch_now() - c->m->run.start;
	return 0;
}

static void sum_source(const struct counters *c, unsigned int source, const struct reading *before,
		       const struct reading *after, struct pmudev_total *total)
{
	const unsigned int array = c->cpus ? source / c->cpus : source;
	const unsigned int set = c->cpus ? source % c->cpus : PMUDEV_ALL;

	memset(total, 0, sizeof(*total));
	if (c->sets.nr)
		sets_sum(&c->sets, array, set, before ? before->records : NULL, after->records,
			 total);
}

/* The PMU's events of a group. */
static void sum_hardware(const struct counters *c, unsigned int group, const struct reading *before,
			 const struct reading *after, struct pmudev_total *total)
{
	struct adding adding = { .total = total };
	struct pmudev_total one;
	unsigned int i;

	/* The library knows best what an estimate of all CPUs is. */
	if (c->sets.nr == 1 && c->grouping.nr == 1) {
		sets_sum(&c->sets, 0, PMUDEV_ALL, before ? before->records : NULL, after->records,
			 total);
		return;
	}
	memset(total, 0, sizeof(*total));
	for (i = 0; i < c->grouping.sources; i++) {
		if (c->grouping.of[i] != group)
			continue;
		sum_source(c, i, before, after, &one);
		adding_add(&adding, &one);
	}
	adding_end(&adding);
}

static uint64_t software_value(const struct counters *c, unsigned int group, unsigned int event,
			       const struct reading *before, const struct reading *after)
{
	const unsigned int nr = c->m->software.nr;
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < c->grouping.sources; i++)
		if (c->grouping.of[i] == group)
			value += after->software[i * nr + event] -
				 (before ? before->software[i * nr + event] : 0);
	return value;
}

/* The kernel's events follow the PMU's; they count all the time that counting is on. */
static void sum_software(const struct counters *c, unsigned int group, const struct reading *before,
			 const struct reading *after, bool on, struct pmudev_total *total)
{
	const struct software *software = &c->m->software;
	const uint64_t length = after->time - (before ? before->time : 0);
	const uint64_t time = c->sets.nr ? total->time_enabled : length;
	unsigned int i;

	for (i = 0; i < software->nr; i++) {
		struct pmudev_sum *sum = &total->sums[c->m->list.nr + i];

		if (software->events[i]->wall)
			sum->value = length;
		else if (counters_have(c, i))
			sum->value = total->time_enabled;
		else
			sum->value = software_value(c, group, i, before, after);
		sum->estimate = sum->value;
		sum->time_enabled = time ? time : 1;
		sum->time_running = on || software->events[i]->wall ? sum->time_enabled : 0;
		total->present |= 1ULL << (c->m->list.nr + i);
	}
}

/* --no-scale: what was counted is what is shown. */
static void leave_unscaled(struct pmudev_total *total)
{
	unsigned int i;

	total->multiplexed = 0;
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		total->sums[i].estimate = total->sums[i].value;
}

static void sum_group(const struct counters *c, unsigned int group, const struct reading *before,
		      const struct reading *after, bool on, struct pmudev_total *total)
{
	sum_hardware(c, group, before, after, total);
	sum_software(c, group, before, after, on, total);
	if (c->m->options.unscaled)
		leave_unscaled(total);
}

void counters_between(const struct counters *c, const struct reading *before,
		      const struct reading *after, struct counted *counted)
{
	unsigned int i;

	counted->runs = 1;
	counted->time = after->time;
	counted->length = after->time - (before ? before->time : 0);
	for (i = 0; i < counted->nr; i++)
		sum_group(c, i, before, after, !counted->never_began, &counted->parts[i].total);
}

void counters_total(const struct counters *c, const struct reading *reading,
		    struct pmudev_total *total)
{
	struct adding adding = { .total = total };
	struct pmudev_total one;
	unsigned int i;

	memset(total, 0, sizeof(*total));
	for (i = 0; i < c->grouping.sources; i++) {
		sum_source(c, i, NULL, reading, &one);
		adding_add(&adding, &one);
	}
	adding_end(&adding);
}
