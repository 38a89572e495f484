// SPDX-License-Identifier: MIT
/*
 * The sum of several sets' records. Each CPU has its own rate and its own share of counters:
 * estimates are made CPU by CPU, and then added.
 */
#include "lib.h"

static uint64_t add_or_most(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Not the sum: read one after the other, each has a little more. */
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

void pmudev_total_add(struct pmudev_adding *adding, const struct pmudev_record *record)
{
	struct pmudev_total *total = adding->total;
	uint32_t ended = record->flags & PMUDEV_RECORD_ENDED;
	unsigned int i;

	if (adding->any)
		ended &= total->flags;
	adding->any = true;
	total->flags = ((total->flags | record->flags) & ~PMUDEV_RECORD_ENDED) | ended;
	if (record->nr > total->nr)
		total->nr = record->nr;
	total->present |= record->present;
	total->multiplexed |= record->multiplexed;
	total->time_enabled = adding->parts ? longest(total->time_enabled, record->time_enabled) :
					      total->time_enabled + record->time_enabled;
	total->time_running += record->time_running;
	for (i = 0; i < record->nr && i < PMUDEV_MAX_EVENTS; i++)
		if (record->present >> i & 1) {
			if (adding->parts)
				add_part(&total->sums[i], &record->counts[i]);
			else
				add_count(&total->sums[i], &record->counts[i], &adding->known[i]);
		}
}

/* The parts make the whole, if they were on counters in turn all the time. */
static void estimate(struct pmudev_sum *sum)
{
	uint64_t running = sum->time_running;

	if (running > sum->time_enabled)
		running = sum->time_enabled;
	pmudev_scale(sum->value, sum->time_enabled, running, &sum->estimate);
}

void pmudev_total_end(struct pmudev_adding *adding)
{
	struct pmudev_sum *sum = adding->total->sums;
	unsigned int i;

	/* Where nothing is known of all, the estimate stays 0. */
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++) {
		if (adding->parts)
			estimate(&sum[i]);
		else
			pmudev_scale(sum[i].estimate, sum[i].time_enabled, adding->known[i],
				     &sum[i].estimate);
	}
}
