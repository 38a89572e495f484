// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../common/cmd.h"
#include "columns.h"
#include "rows.h"

/* The narrowest: "123.4M" and a blank before it. */
#define LEAST_WIDTH 6

/* ---------------------------------------------------------------------- the columns -- */

static struct column *add(struct columns *columns, const char *name, enum column_kind kind)
{
	static struct column none;
	struct column *column = &none;

	if (columns->nr < MAX_COLUMNS)
		column = &columns->columns[columns->nr];
	columns->nr++;
	*column = (struct column){ .kind = kind };
	snprintf(column->name, sizeof(column->name), "%.*s", EVENT_NAME, name);
	return column;
}

static void add_ratio(struct columns *columns, const struct counting *c, const char *name,
		      enum pmudev_generic event, enum pmudev_generic by, double scale)
{
	const int e = counting_find(c, event), b = counting_find(c, by);
	struct column *column;

	if (e < 0 || b < 0)
		return;
	column = add(columns, name, COLUMN_RATIO);
	column->event = e;
	column->by = b;
	column->scale = scale;
}

static void add_rate(struct columns *columns, const char *name, unsigned int event)
{
	add(columns, name, COLUMN_RATE)->event = event;
}

/* Short names: these fit on a terminal of 80 columns. */
static void add_defaults(struct columns *columns, const struct counting *c)
{
	static const struct {
		enum pmudev_generic event;
		const char *rate, *ratio;
	} known[] = {
		{ PMUDEV_INSTRUCTIONS, "insn/s", NULL },
		{ PMUDEV_CYCLES, "cycles/s", NULL },
		{ PMUDEV_BRANCH_MISSES, "br-miss/s", "br-miss/k" },
		{ PMUDEV_CACHE_MISSES, "c-miss/s", "c-miss/k" },
	};
	unsigned int i, before;
	int event;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		event = counting_find(c, known[i].event);
		if (event < 0)
			continue;
		before = columns->nr;
		if (known[i].ratio)
			add_ratio(columns, c, known[i].ratio, known[i].event, PMUDEV_INSTRUCTIONS,
				  1000);
		if (columns->nr == before)
			add_rate(columns, known[i].rate, event);
		if (known[i].event == PMUDEV_CYCLES)
			add_ratio(columns, c, "IPC", PMUDEV_INSTRUCTIONS, PMUDEV_CYCLES, 1);
	}
}

/* Metrics, and the rates of events that -e named. */
static void add_named(struct columns *columns, const struct counting *c)
{
	const struct metrics *metrics = &c->metrics;
	char name[EVENT_NAME + 2];
	uint64_t of_metrics = 0;
	unsigned int n, i;

	for (n = 0; n < metrics->nr; n++) {
		const struct metric *metric = metrics->chosen[n];
		struct column *column = add(columns, metric->name, COLUMN_METRIC);

		column->metric = metric;
		column->rows = metrics->rows[n];
		for (i = 0; i < FORMULA_NAMES; i++)
			if (metric->formula.names >> i & 1)
				of_metrics |= 1ULL << metrics->rows[n][i];
	}
	for (i = 0; i < c->list.nr; i++) {
		if (of_metrics >> i & 1)
			continue;
		snprintf(name, sizeof(name), "%s/s", c->list.events[i].name);
		add_rate(columns, name, i);
	}
	if (!metrics->nr)
		add_ratio(columns, c, "IPC", PMUDEV_INSTRUCTIONS, PMUDEV_CYCLES, 1);
}

void columns_make(struct columns *columns, struct counting *c, bool cpu_time)
{
	columns->nr = 0;
	if (cpu_time)
		add(columns, "%CPU", COLUMN_CPU);
	if (c->by_default)
		add_defaults(columns, c);
	else
		add_named(columns, c);
	if (columns->nr > MAX_COLUMNS) {
		snprintf(c->note, sizeof(c->note), "left out: %u columns, there is room for %d",
			 columns->nr - MAX_COLUMNS, MAX_COLUMNS);
		columns->nr = MAX_COLUMNS;
	}
	columns->sort = cpu_time && columns->nr > 1;
}

bool columns_sort_by(struct columns *columns, const char *name)
{
	unsigned int i;

	for (i = 0; i < columns->nr; i++) {
		if (strcasecmp(columns->columns[i].name, name))
			continue;
		columns->sort = i;
		return true;
	}
	return false;
}

void columns_names(const struct columns *columns, char *text, size_t len)
{
	unsigned int i;

	*text = '\0';
	for (i = 0; i < columns->nr; i++)
		snprintf(text + strlen(text), len - strlen(text), "%s%s", i ? ", " : "",
			 columns->columns[i].name);
}

/* --------------------------------------------------------------------------- values -- */

static double metric_value(const struct column *column, const struct row *row)
{
	const struct formula *formula = &column->metric->formula;
	double values[FORMULA_NAMES] = { 0 }, value;
	unsigned int i;

	for (i = 0; i < FORMULA_NAMES; i++) {
		if (!(formula->names >> i & 1))
			continue;
		if (!row_counted(row, column->rows[i]))
			return NAN;
		values[i] = row->counts[column->rows[i]];
	}
	return formula_value(formula, values, &value) ? value : NAN;
}

double column_value(const struct column *column, const struct row *row)
{
	const double seconds = row->elapsed / 1e9;

	if (!row->elapsed)
		return NAN;
	switch (column->kind) {
	case COLUMN_CPU:
		return 100 * (row->enabled / 1e9) / seconds;
	case COLUMN_RATE:
		return row_counted(row, column->event) ? row->counts[column->event] / seconds : NAN;
	case COLUMN_RATIO:
		if (!row_counted(row, column->event) || !row_counted(row, column->by) ||
		    !row->counts[column->by])
			return NAN;
		return column->scale * row->counts[column->event] / row->counts[column->by];
	case COLUMN_METRIC:
		return metric_value(column, row);
	}
	return NAN;
}

/* Four digits and a letter: 1.234k, 12.34k, 123.4k. */
static void shorten(double value, char text[COLUMN_TEXT])
{
	static const char letters[] = " kMGTPE";
	unsigned int letter = 0;
	int decimals;

	while (fabs(value) >= 999.95 && letters[letter + 1]) {
		value /= 1000;
		letter++;
	}
	decimals = fabs(value) < 9.9995 ? 3 : fabs(value) < 99.995 ? 2 : 1;
	if (letter)
		snprintf(text, COLUMN_TEXT, "%.*f%c", decimals, value, letters[letter]);
	else
		snprintf(text, COLUMN_TEXT, "%.*f", value == floor(value) ? 0 : 1, value);
}

const char *column_text(const struct column *column, double value, char text[COLUMN_TEXT])
{
	if (isnan(value))
		return "-";
	if (column->kind == COLUMN_CPU)
		snprintf(text, COLUMN_TEXT, "%.1f", value);
	else if (column->kind == COLUMN_RATE || fabs(value) >= 9999.995)
		shorten(value, text);
	else
		snprintf(text, COLUMN_TEXT, "%.2f", value);
	return text;
}

int column_width(const struct column *column)
{
	const int len = strlen(column->name);

	return len < LEAST_WIDTH ? LEAST_WIDTH : len;
}
