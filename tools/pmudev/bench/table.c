// SPDX-License-Identifier: GPL-2.0
/*
 * The output of `pmudev bench`: a table with the reasons below it, or JSON Lines.
 */
#include <string.h>

#include "../common/cmd.h"
#include "../common/json.h"
#include "../common/table.h"
#include "bench.h"

/* The cells of a cost. */
struct cells {
	char ns[24];
	char spread[24];
	char instructions[24];
	char cycles[24];
};

/* A number, "-" if it was not measured, and nothing where there is none. */
static void write_number(char cell[24], bool known, double number, const char *missing)
{
	if (known)
		snprintf(cell, 24, "%.1f", number);
	else
		snprintf(cell, 24, "%s", missing);
}

static void cells_of(const struct cost *cost, struct cells *cells)
{
	const char *missing = cost->measured || cost->why ? "-" : "";

	write_number(cells->ns, cost->measured, cost->ns, missing);
	write_number(cells->spread, cost->measured, cost->spread, "");
	write_number(cells->instructions, cost->measured && cost->counted, cost->instructions,
		     missing);
	write_number(cells->cycles, cost->measured && cost->cycles >= 0, cost->cycles, missing);
}

static const struct cost *cost_of(const struct bench_row *row, bool perf)
{
	return perf ? &row->perf : &row->pmudev;
}

/* Each reason once, with its rows. */
static void show_reasons(const struct bench_row *rows, unsigned int nr, bool perf)
{
	const struct bench_row *row, *other, *end = rows + nr;
	const char *why, *name;

	for (row = rows; row < end; row++) {
		why = cost_of(row, perf)->why;
		for (other = rows; why && other < row; other++)
			if (cost_of(other, perf)->why && !strcmp(cost_of(other, perf)->why, why))
				why = NULL;
		if (!why)
			continue;
		printf("- %s", perf ? "perf" : "pmudev");
		name = "";
		for (other = row; other < end; other++) {
			if (!cost_of(other, perf)->why || strcmp(cost_of(other, perf)->why, why) ||
			    !strcmp(name, other->name))
				continue;
			name = other->name;
			printf("%s%s", other == row ? ": " : ", ", name);
		}
		printf(": %s\n", why);
	}
}

static void add_row(struct table *table, const struct bench_row *row)
{
	struct cells pmudev, perf;
	char events[16] = "";

	if (row->events)
		snprintf(events, sizeof(events), "%u", row->events);
	cells_of(&row->pmudev, &pmudev);
	cells_of(&row->perf, &perf);
	table_row(table, row->name, events, pmudev.ns, pmudev.spread, pmudev.instructions,
		  pmudev.cycles, perf.ns, perf.spread, perf.instructions);
}

void bench_table(const struct bench *b, const struct bench_row *rows, unsigned int nr)
{
	static const char *const titles[] = { "events", "pmudev: ns", "+-", "instructions",
					      "cycles", "perf: ns",   "+-", "perf: instructions" };
	struct table *table = table_new(stdout, "");
	const struct bench_row *row;
	unsigned int i;

	printf("On CPU %d; instructions and cycles %s.\n\n", b->cpu,
	       b->kernel ? "including the kernel" :
			   "of user mode only (counting the kernel needs CAP_PERFMON)");
	table_column(table, "one of", 0, 0);
	for (i = 0; i < ARRAY_SIZE(titles); i++)
		table_column(table, titles[i], TABLE_RIGHT, 0);
	for (row = rows; row < rows + nr; row++)
		add_row(table, row);
	table_print(table);
	printf("\n");
	show_reasons(rows, nr, false);
	show_reasons(rows, nr, true);
	bench_estimates(b, rows, nr);
}

static void write_cost(struct json *json, const char *key, const struct cost *cost)
{
	if (!cost->measured && !cost->why) {
		json_null(json, key);
		return;
	}
	json_open(json, key, '{');
	if (!cost->measured) {
		json_null(json, "ns");
		json_string(json, "why", cost->why);
		json_close(json, '}');
		return;
	}
	json_double(json, "ns", cost->ns, 2);
	json_double(json, "spread-ns", cost->spread, 2);
	if (cost->counted)
		json_double(json, "instructions", cost->instructions, 2);
	else
		json_null(json, "instructions");
	if (cost->cycles >= 0)
		json_double(json, "cycles", cost->cycles, 2);
	else
		json_null(json, "cycles");
	json_close(json, '}');
}

static void write_interval(struct json *json, const char *key, const struct estimate *estimate,
			   double unit)
{
	json_open(json, key, '[');
	json_double(json, NULL, estimate->low / unit, 2);
	if (estimate->open)
		json_null(json, NULL);
	else
		json_double(json, NULL, estimate->high / unit, 2);
	json_close(json, ']');
}

static void write_estimate(struct json *json, const struct bench *b, const struct bench_row *row,
			   double ghz)
{
	const struct estimate estimate = model_estimate(&b->model, row->path, row->events);

	if (!estimate.known) {
		json_null(json, "estimate");
		return;
	}
	json_open(json, "estimate", '{');
	json_string(json, "kind", "model, not measured");
	json_string(json, "of", b->model.name);
	write_interval(json, "cycles", &estimate, 1);
	if (ghz > 0)
		write_interval(json, "ns", &estimate, ghz);
	else
		json_null(json, "ns");
	json_close(json, '}');
}

void bench_json(const struct bench *b, const struct bench_row *rows, unsigned int nr)
{
	const double ghz = bench_clock(b, rows, nr);
	struct json json = { .out = stdout };
	const struct bench_row *row;

	for (row = rows; row < rows + nr; row++) {
		json_open(&json, NULL, '{');
		json_string(&json, "path", row->name);
		json_unsigned(&json, "events", row->events);
		json_signed(&json, "cpu", b->cpu);
		json_bool(&json, "kernel", b->kernel);
		write_cost(&json, "pmudev", &row->pmudev);
		write_cost(&json, "perf", &row->perf);
		write_estimate(&json, b, row, ghz);
		json_close(&json, '}');
		json_line(&json);
	}
}
