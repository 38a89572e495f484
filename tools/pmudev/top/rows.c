// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

bool row_open(struct row *row, int id, const struct columns *columns)
{
	memset(row, 0, sizeof(*row));
	row->id = id;
	row->columns = columns->nr;
	row->history = calloc(HISTORY * columns->nr, sizeof(*row->history));
	return row->history;
}

void row_close(struct row *row)
{
	free(row->history);
	row->history = NULL;
}

void row_update(struct row *row, const struct columns *columns, const struct pmudev_total *total,
		uint64_t elapsed)
{
	unsigned int i;

	row->flags = total->flags;
	row->elapsed = elapsed;
	row->enabled = total->time_enabled;
	row->running = total->time_running;
	row->counted = 0;
	for (i = 0; i < total->nr; i++) {
		const struct pmudev_sum *sum = &total->sums[i];

		row->counts[i] = sum->value;
		/* What did not run has counted nothing, and that is known. */
		if (total->present >> i & 1 && (sum->time_running || !sum->time_enabled))
			row->counted |= 1ULL << i;
	}
	for (i = 0; i < columns->nr; i++) {
		row->values[i] = column_value(&columns->columns[i], row);
		row->history[i * HISTORY + row->filled % HISTORY] = row->values[i];
	}
	row->filled++;
}

double row_value_ago(const struct row *row, unsigned int column, unsigned int ago)
{
	if (column >= row->columns || ago >= HISTORY || ago >= row->filled)
		return NAN;
	return row->history[column * HISTORY + (row->filled - 1 - ago) % HISTORY];
}

const char *row_remark(const struct row *row, char text[ROW_REMARK])
{
	if (row->flags & PMUDEV_RECORD_OFFLINE)
		return "offline";
	if (row->flags & PMUDEV_RECORD_INCOMPLETE)
		return "some of its threads are not counted";
	if (row->running + row->running / 1000 >= row->enabled)
		return row->flags & PMUDEV_RECORD_ENDED ? "has ended" : NULL;
	snprintf(text, ROW_REMARK, "counted %.1f%% of the time",
		 100.0 * row->running / row->enabled);
	return text;
}

const char *rows_count(char text[ROW_REMARK], unsigned int nr, bool waiting, const char *one,
		       const char *noun)
{
	if (waiting)
		snprintf(text, ROW_REMARK, "waiting for %s", noun);
	else
		snprintf(text, ROW_REMARK, "%u %s", nr, nr == 1 ? one : noun);
	return text;
}

static int compare(const void *a, const void *b, void *context)
{
	const struct row *one = *(struct row *const *)a, *other = *(struct row *const *)b;
	const struct columns *columns = context;
	const double x = one->values[columns->sort], y = other->values[columns->sort];

	if (isnan(x) != isnan(y))
		return isnan(x) - isnan(y);
	if (!isnan(x) && x != y)
		return (x < y) != columns->reverse ? 1 : -1;
	return one->id < other->id ? -1 : one->id > other->id;
}

void rows_sort(struct row **rows, unsigned int nr, const struct columns *columns)
{
	qsort_r(rows, nr, sizeof(*rows), compare, (void *)columns);
}
