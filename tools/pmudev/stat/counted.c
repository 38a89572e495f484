// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/cmd.h"
#include "counted.h"

/* ------------------------------------------------------------------------- spreads -- */

/* Welford's algorithm: no loss of small differences between large numbers. */
void spread_add(struct spread *spread, double number)
{
	double difference = number - spread->mean;

	spread->nr++;
	spread->mean += difference / spread->nr;
	spread->squares += difference * (number - spread->mean);
}

double spread_error(const struct spread *spread)
{
	if (spread->nr < 2)
		return 0;
	return sqrt(spread->squares / (spread->nr - 1) / spread->nr);
}

double spread_percent(const struct spread *spread)
{
	return spread->mean ? 100 * spread_error(spread) / spread->mean : 0;
}

/* ------------------------------------------------------------------ what was counted -- */

static void *room(size_t nr, size_t size)
{
	void *memory = calloc(nr, size);

	if (memory)
		return memory;
	complain("no memory left");
	exit(EXIT_USAGE);
}

static void make_parts(struct counted *counted, enum grouping_kind kind, unsigned int nr)
{
	unsigned int i;

	*counted = (struct counted){
		.kind = kind,
		.nr = nr,
		.parts = room(nr, sizeof(*counted->parts)),
	};
	for (i = 0; i < nr; i++)
		counted->parts[i].spreads = room(PMUDEV_MAX_EVENTS, sizeof(struct spread));
}

void counted_open(struct counted *counted, const struct grouping *grouping)
{
	unsigned int i;

	make_parts(counted, grouping->kind, grouping->nr);
	for (i = 0; i < counted->nr; i++)
		counted->parts[i].group = grouping->groups[i];
}

void counted_close(struct counted *counted)
{
	unsigned int i;

	for (i = 0; i < counted->nr; i++)
		free(counted->parts[i].spreads);
	free(counted->parts);
	*counted = (struct counted){ .nr = 0 };
}

static void add_sum(struct pmudev_sum *sum, const struct pmudev_sum *more)
{
	sum->value += more->value;
	sum->estimate += more->estimate;
	sum->time_enabled += more->time_enabled;
	sum->time_running += more->time_running;
}

void adding_add(struct adding *adding, const struct pmudev_total *more)
{
	struct pmudev_total *total = adding->total;
	uint32_t ended = more->flags & PMUDEV_RECORD_ENDED;
	unsigned int i;

	if (adding->any)
		ended &= total->flags;
	adding->any = true;
	total->flags = ((total->flags | more->flags) & ~PMUDEV_RECORD_ENDED) | ended;
	total->present |= more->present;
	total->multiplexed |= more->multiplexed;
	total->time_enabled += more->time_enabled;
	total->time_running += more->time_running;
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++) {
		add_sum(&total->sums[i], &more->sums[i]);
		if (more->sums[i].time_running)
			adding->known[i] += more->sums[i].time_enabled;
	}
}

void adding_end(struct adding *adding)
{
	struct pmudev_sum *sum = adding->total->sums;
	unsigned int i;

	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		if (adding->known[i] && adding->known[i] < sum[i].time_enabled)
			pmudev_scale(sum[i].estimate, sum[i].time_enabled, adding->known[i],
				     &sum[i].estimate);
}

bool counted_zero(const struct counted *counted, const struct pmudev_total *total,
		  unsigned int event)
{
	return !counted->never_began && total->present >> event & 1 &&
	       !total->sums[event].time_enabled &&
	       !(total->flags & (PMUDEV_RECORD_OFFLINE | PMUDEV_RECORD_NO_USER_ACCESS));
}

static void add_part(struct counted_part *part, const struct counted *run, unsigned int nr,
		     unsigned int events)
{
	const struct pmudev_total *more = &run->parts[nr].total;
	unsigned int i;

	part->group = run->parts[nr].group;
	part->total.flags |= more->flags;
	part->total.present |= more->present;
	part->total.multiplexed |= more->multiplexed;
	part->total.time_enabled += more->time_enabled;
	part->total.time_running += more->time_running;
	for (i = 0; i < events; i++) {
		const struct pmudev_sum *sum = &more->sums[i];

		add_sum(&part->total.sums[i], sum);
		if (sum->time_running)
			spread_add(&part->spreads[i],
				   more->multiplexed >> i & 1 ? sum->estimate : sum->value);
		else if (counted_zero(run, more, i))
			spread_add(&part->spreads[i], 0);
	}
}

void counted_add(struct counted *sum, const struct counted *run, unsigned int events)
{
	unsigned int i;

	if (!sum->nr)
		make_parts(sum, run->kind, run->nr);
	sum->runs++;
	sum->length += run->length;
	sum->never_began |= run->never_began;
	for (i = 0; i < sum->nr && i < run->nr; i++)
		add_part(&sum->parts[i], run, i, events);
}
