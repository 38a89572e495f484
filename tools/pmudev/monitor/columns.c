// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "../common/cmd.h"
#include "columns.h"

/* Fits the counts of a minute, and most event names. */
#define LEAST_WIDTH 14
#define DIFFERENCE  "difference"

static bool same_event(const struct pmudev_event_attr *a, const struct pmudev_event_attr *b)
{
	return a->type == b->type && a->config == b->config && a->threshold == b->threshold &&
	       a->threshold_compare == b->threshold_compare &&
	       !((a->flags ^ b->flags) & ~PMUDEV_COUNTER);
}

static int width(const struct event_list *list, unsigned int i)
{
	size_t len = strlen(list->events[i].name);

	return 1 + (len < LEAST_WIDTH ? LEAST_WIDTH : len);
}

unsigned int columns_first(const struct event_list *list, unsigned int i)
{
	unsigned int j;

	for (j = 0; j < i; j++)
		if (same_event(&list->attrs[j], &list->attrs[i]))
			break;
	return j;
}

/* The next reading of the same event after @i; list->nr if there is none. */
static unsigned int next_reading(const struct event_list *list, unsigned int i)
{
	unsigned int j;

	for (j = i + 1; j < list->nr; j++)
		if (same_event(&list->attrs[j], &list->attrs[i]))
			break;
	return j;
}

void columns_header(FILE *out, const struct event_list *list)
{
	unsigned int i, j;

	for (i = 0; i < list->nr; i++) {
		if (columns_first(list, i) != i)
			continue;
		fprintf(out, " %*s", width(list, i), list->events[i].name);
		for (j = next_reading(list, i); j < list->nr; j = next_reading(list, j))
			fprintf(out, " %*s  %s", width(list, j), list->events[j].name, DIFFERENCE);
	}
}

static unsigned long long gained(const struct pmudev_record *before,
				 const struct pmudev_record *after, unsigned int i)
{
	return after->counts[i].value - before->counts[i].value;
}

static void print_count(FILE *out, int width, unsigned long long count, bool commas)
{
	char text[32];

	if (commas)
		fprintf(out, " %*s", width, thousands(count, text));
	else
		fprintf(out, " %*llu", width, count);
}

void columns_line(FILE *out, const struct event_list *list, const struct pmudev_record *before,
		  const struct pmudev_record *after, bool commas)
{
	unsigned long long first, other;
	unsigned int i, j;

	for (i = 0; i < list->nr; i++) {
		if (columns_first(list, i) != i)
			continue;
		first = gained(before, after, i);
		print_count(out, width(list, i), first, commas);
		for (j = next_reading(list, i); j < list->nr; j = next_reading(list, j)) {
			other = gained(before, after, j);
			print_count(out, width(list, j), other, commas);
			fprintf(out, "  %*lld", (int)strlen(DIFFERENCE),
				(long long)(other - first));
		}
	}
}

void columns_remark(FILE *out, const struct pmudev_record *before,
		    const struct pmudev_record *after, uint64_t missed)
{
	uint64_t enabled = after->time_enabled - before->time_enabled;
	uint64_t running = after->time_running - before->time_running;

	if (after->flags & PMUDEV_RECORD_OFFLINE)
		fprintf(out, "  # the CPU is offline");
	else if (running + running / 1000 < enabled)
		fprintf(out, "  # counted %.1f%% of the time", 100.0 * running / enabled);
	if (missed)
		fprintf(out, "  # %llu interval%s missed", (unsigned long long)missed,
			missed > 1 ? "s" : "");
}

/* A generic event on all levels; -1 if it is not in the list. */
static int find_generic(const struct event_list *list, enum pmudev_generic config)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (list->attrs[i].type == PMUDEV_TYPE_GENERIC && list->attrs[i].config == config &&
		    !list->attrs[i].threshold && !(list->attrs[i].flags & ~PMUDEV_COUNTER))
			return i;
	return -1;
}

bool columns_per_cycle(const struct event_list *list, const struct pmudev_record *before,
		       const struct pmudev_record *now, double *ratio)
{
	int i = find_generic(list, PMUDEV_INSTRUCTIONS), c = find_generic(list, PMUDEV_CYCLES);
	double cycles;

	if (i < 0 || c < 0)
		return false;
	cycles = now->counts[c].value - before->counts[c].value;
	if (!cycles)
		return false;
	*ratio = (now->counts[i].value - before->counts[i].value) / cycles;
	return true;
}

bool columns_have_per_cycle(const struct event_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (columns_first(list, i) != i)
			return false;
	return find_generic(list, PMUDEV_INSTRUCTIONS) >= 0 &&
	       find_generic(list, PMUDEV_CYCLES) >= 0;
}
