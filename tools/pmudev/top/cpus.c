// SPDX-License-Identifier: GPL-2.0
/* The rows of CPUs: a set on each, which counts whatever runs there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

/**
 * struct cpus - the CPUs
 * @array: their sets
 * @before: the last reading of each set
 * @now: room for the next
 * @rows: a row for each
 */
struct cpus {
	struct pmudev_set_array array;
	union pmudev_record_buffer *before;
	union pmudev_record_buffer *now;
	struct row *rows;
};

static void cpus_close(struct top *top)
{
	struct cpus *cpus = top->state;
	unsigned int i;

	for (i = 0; cpus->rows && i < cpus->array.nr; i++)
		row_close(&cpus->rows[i]);
	pmudev_set_array_close(&cpus->array);
	free(cpus->rows);
	free(cpus->before);
	free(cpus->now);
	free(cpus);
	top->state = NULL;
}

static bool no_memory(struct top *top)
{
	snprintf(top->error, sizeof(top->error), "no memory left");
	return false;
}

/* Those that were named, or all that are online now. NULL: they are not known. */
static const struct target *which(const struct top *top)
{
	static struct target online;

	if (top->cpus.kind != TARGET_NONE)
		return &top->cpus;
	memset(&online, 0, sizeof(online));
	return target_all(&online) ? &online : NULL;
}

/* The sets, which count. With fewer events, if those of nobody's choice are too many. */
static bool open_sets(struct top *top, struct cpus *cpus)
{
	const struct target *target = which(top);
	int error;

	if (!target) {
		snprintf(top->error, sizeof(top->error), "the CPUs are not known");
		return false;
	}
	do {
		pmudev_set_array_close(&cpus->array);
		error = target_open(target, &cpus->array, 0);
		if (!error)
			error = counting_start(&top->counting, &cpus->array);
	} while (error && counting_give_up_event(&top->counting, &cpus->array));
	if (error)
		counting_explain(&top->counting, &cpus->array, top->error, sizeof(top->error));
	return !error;
}

static bool make_rows(struct top *top, struct cpus *cpus)
{
	unsigned int i, nr = cpus->array.nr;

	cpus->before = calloc(nr, sizeof(*cpus->before));
	cpus->now = calloc(nr, sizeof(*cpus->now));
	cpus->rows = calloc(nr, sizeof(*cpus->rows));
	top->rows = calloc(nr, sizeof(*top->rows));
	if (!cpus->before || !cpus->now || !cpus->rows || !top->rows)
		return no_memory(top);
	columns_make(&top->columns, &top->counting, false);
	for (i = 0; i < nr; i++) {
		if (!row_open(&cpus->rows[i], cpus->array.cpus[i], &top->columns))
			return no_memory(top);
		top->rows[i] = &cpus->rows[i];
	}
	return true;
}

static bool read_all(struct top *top, struct cpus *cpus, union pmudev_record_buffer *to)
{
	if (!pmudev_set_array_records(&cpus->array, to))
		return true;
	counting_explain(&top->counting, &cpus->array, top->error, sizeof(top->error));
	return false;
}

static bool cpus_open(struct top *top)
{
	struct cpus *cpus = calloc(1, sizeof(*cpus));

	top->state = cpus;
	if (!cpus)
		return no_memory(top);
	if (open_sets(top, cpus) && make_rows(top, cpus) && read_all(top, cpus, cpus->before))
		return true;
	cpus_close(top);
	return false;
}

static bool cpus_sample(struct top *top)
{
	struct cpus *cpus = top->state;
	union pmudev_record_buffer *last = cpus->before;
	struct pmudev_total total;
	unsigned int i;

	if (!read_all(top, cpus, cpus->now))
		return false;
	for (i = 0; i < cpus->array.nr; i++) {
		pmudev_set_array_sum(&cpus->array, i, cpus->before, cpus->now, &total);
		row_update(&cpus->rows[i], &top->columns, &total,
			   cpus->now[i].record.time - cpus->before[i].record.time);
	}
	cpus->before = cpus->now;
	cpus->now = last;
	top->nr = cpus->array.nr;
	return true;
}

const struct source source_cpus = {
	.one = "CPU",
	.noun = "CPUs",
	.open = cpus_open,
	.sample = cpus_sample,
	.close = cpus_close,
};
