// SPDX-License-Identifier: MIT
/*
 * The sum of several sets' records. Each CPU has its own rate and its own share of the counters, so
 * estimates are computed per CPU and then added.
 */
#include "lib.h"

static uint64_t add_or_most(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Not the sum: the parts are read one after the other, so each has a little more. */
static uint64_t longest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add_part(struct pmudev_sum *sum, const struct pmudev_count *count)
{
	sum->value += count->value;
	sum->time_enabled = longest(sum->time_enabled, count->time_enabled);
	sum->time_running += count->time_running;
}

static void add_count(struct pmudev_sum *sum, const struct pmudev_count *count, uint64_t *known)
{
	uint64_t whole;

	sum->value += count->value;
	sum->time_enabled += count->time_enabled;
	sum->time_running += count->time_running;
	if (!pmudev_scale(count->value, count->time_enabled, count->time_running, &whole))
		return;
	sum->estimate = add_or_most(sum->estimate, whole);
	*known += count->time_enabled;
}

static void add_slot(struct pmudev_adding *adding, const struct pmudev_record *record,
		     unsigned int from, unsigned int to)
{
	struct pmudev_total *total = adding->total;

	if (to >= total->nr)
		total->nr = to + 1;
	total->present |= 1ULL << to;
	total->multiplexed |= (record->multiplexed >> from & 1) << to;
	adding->with[to]++;
	if (adding->parts)
		add_part(&total->sums[to], &record->counts[from]);
	else
		add_count(&total->sums[to], &record->counts[from], &adding->known[to]);
}

void pmudev_record_since(struct pmudev_record *record, const struct pmudev_record *before)
{
	unsigned int i;

	record->time_enabled -= before->time_enabled;
	record->time_running -= before->time_running;
	for (i = 0; i < record->nr && i < before->nr && i < PMUDEV_MAX_EVENTS; i++) {
		record->counts[i].value -= before->counts[i].value;
		record->counts[i].time_enabled -= before->counts[i].time_enabled;
		record->counts[i].time_running -= before->counts[i].time_running;
	}
}

void pmudev_total_add(struct pmudev_adding *adding, const struct pmudev_record *record,
		      const uint8_t *slots)
{
	struct pmudev_total *total = adding->total;
	uint32_t ended = record->flags & PMUDEV_RECORD_ENDED;
	unsigned int i;

	if (adding->any)
		ended &= total->flags;
	adding->any = true;
	total->flags = ((total->flags | record->flags) & ~PMUDEV_RECORD_ENDED) | ended;
	total->time_enabled = adding->parts ? longest(total->time_enabled, record->time_enabled) :
					      total->time_enabled + record->time_enabled;
	total->time_running += record->time_running;
	for (i = 0; i < record->nr && i < PMUDEV_MAX_EVENTS; i++)
		if (record->present >> i & 1)
			add_slot(adding, record, i, slots ? slots[i] : i);
}

/*
 * The parts add up to the total if one of them was on a counter at any time. An event that not all
 * parts have cannot be estimated: its waiting time and the time on other PMUs cannot be told apart.
 */
static void estimate(struct pmudev_sum *sum, bool whole)
{
	uint64_t running = sum->time_running;

	if (running > sum->time_enabled)
		running = sum->time_enabled;
	sum->estimate = sum->value;
	if (whole)
		pmudev_scale(sum->value, sum->time_enabled, running, &sum->estimate);
}

void pmudev_total_end(struct pmudev_adding *adding)
{
	struct pmudev_sum *sum = adding->total->sums;
	unsigned int i;

	/* If nothing is known about any CPU, the estimate stays 0. */
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++) {
		if (adding->parts)
			estimate(&sum[i], adding->with[i] == adding->sets);
		else
			pmudev_scale(sum[i].estimate, sum[i].time_enabled, adding->known[i],
				     &sum[i].estimate);
	}
}
