// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev stat --metric-only`: no counts, but what follows from two of them, in a line with a
 * column for each; with -x and --json as well. Rates per second are left out. With -M, the metrics
 * that it names.
 */
#include <stdio.h>
#include <string.h>

#include "../common/csv.h"
#include "../common/json.h"
#include "../common/ticks.h"
#include "stat.h"

#define COLUMN 20

static bool is_metric(const struct row *row)
{
	return row->unit && !strstr(row->unit, "/sec");
}

/* Mask of the rows that have a metric in any group. */
static uint64_t find_columns(const struct measurement *m, const struct counted *counted)
{
	uint64_t columns = 0;
	unsigned int part, n;
	struct row row;

	if (m->metrics.nr)
		return ~0ULL >> (64 - m->metrics.nr);
	for (part = 0; part < counted->nr; part++)
		for (n = 0; stat_row(m, counted, part, n, &row) >= 0; n++)
			if (is_metric(&row))
				columns |= 1ULL << n;
	return columns;
}

/* False: there is none. */
static bool find_value(const struct measurement *m, const struct counted *counted,
		       unsigned int part, unsigned int n, double *value)
{
	struct metric_row metric;
	struct row row;

	if (m->metrics.nr) {
		stat_metric(m, counted, part, n, &metric);
		*value = metric.value;
		return !*metric.why;
	}
	stat_row(m, counted, part, n, &row);
	*value = row.metric;
	return is_metric(&row);
}

/* "insn per cycle"; of a second one of the same unit, or @again, with the event's name. */
static void title(const struct measurement *m, const struct counted *counted, uint64_t columns,
		  unsigned int wanted, bool again, char *buf, size_t len)
{
	unsigned int part, n;
	const char *unit = "";
	const char *event = "";
	const struct metric *metric;
	struct row row;

	if (m->metrics.nr) {
		metric = m->metrics.chosen[wanted];
		snprintf(buf, len, "%s%s%s", metric->unit ? metric->unit : "",
			 metric->unit ? "  " : "", metric->name);
		return;
	}
	for (part = 0; part < counted->nr; part++) {
		stat_row(m, counted, part, wanted, &row);
		if (is_metric(&row)) {
			unit = row.unit;
			event = row.event;
		}
	}
	for (n = 0; n < wanted; n++)
		for (part = 0; part < counted->nr && columns >> n & 1; part++) {
			stat_row(m, counted, part, n, &row);
			again |= row.unit && !strcmp(row.unit, unit);
		}
	snprintf(buf, len, "%s%s%s", again ? event : "", again ? " " : "", unit);
}

/* ---------------------------------------------------------------------- for people -- */

static const char *separator(const struct measurement *m)
{
	return m->options.separator;
}

static void print_cell(const struct measurement *m, const char *text)
{
	if (separator(m)) {
		csv_text(m->out, separator(m), text);
		fputs(separator(m), m->out);
	} else {
		fprintf(m->out, "%*s", COLUMN, text);
	}
}

/* A column's title, as it was when it first had a value: it may have none now. */
struct titles {
	uint64_t columns;
	char text[64][EVENT_NAME + 40];
};

/* Has another column this one's title? */
static bool is_title(const struct titles *titles, unsigned int column)
{
	unsigned int n;

	for (n = 0; n < 64; n++)
		if (titles->columns >> n & 1 && n != column &&
		    !strcmp(titles->text[n], titles->text[column]))
			return true;
	return false;
}

static void add_titles(struct titles *titles, const struct measurement *m,
		       const struct counted *counted, uint64_t columns)
{
	const uint64_t more = columns & ~titles->columns;
	unsigned int n;

	for (n = 0; n < 64; n++) {
		if (!(more >> n & 1))
			continue;
		title(m, counted, columns, n, false, titles->text[n], sizeof(titles->text[n]));
		if (is_title(titles, n))
			title(m, counted, columns, n, true, titles->text[n],
			      sizeof(titles->text[n]));
		titles->columns |= 1ULL << n;
	}
}

static void print_titles(const struct measurement *m, const struct counted *counted,
			 const struct titles *titles, bool interval)
{
	unsigned int n;

	if (interval)
		print_cell(m, "time");
	if (counted->kind != GROUP_ALL)
		print_cell(m, grouping_word(counted->kind));
	for (n = 0; n < 64; n++)
		if (titles->columns >> n & 1)
			print_cell(m, titles->text[n]);
	fputc('\n', m->out);
}

static void print_values(const struct measurement *m, const struct counted *counted,
			 uint64_t columns, unsigned int part, bool interval)
{
	char text[32];
	unsigned int n;
	double value;
	bool known;

	snprintf(text, sizeof(text), "%.9f", (double)counted->time / NS_PER_SECOND);
	if (interval)
		print_cell(m, text);
	if (counted->kind != GROUP_ALL)
		print_cell(m, counted->parts[part].group.name);
	for (n = 0; n < 64; n++) {
		if (!(columns >> n & 1))
			continue;
		known = find_value(m, counted, part, n, &value);
		snprintf(text, sizeof(text), "%.3f", value);
		print_cell(m, known ? text : separator(m) ? "" : "-");
	}
	fputc('\n', m->out);
}

static void print_lines(const struct measurement *m, const struct counted *counted, bool interval)
{
	static struct titles of_intervals, of_all;
	struct titles *titles = interval ? &of_intervals : &of_all;
	uint64_t before;
	unsigned int part;

	of_all.columns = 0;
	before = titles->columns;
	add_titles(titles, m, counted, find_columns(m, counted));
	/* Titles come again when there are more. */
	if (!interval || titles->columns != before)
		print_titles(m, counted, titles, interval);
	for (part = 0; part < counted->nr; part++)
		print_values(m, counted, titles->columns, part, interval);
}

static void line_interval(const struct measurement *m, const struct counted *counted)
{
	print_lines(m, counted, true);
}

static void print_note(void *context, const char *note)
{
	fprintf(context, " %s\n", note);
}

static void line_report(const struct measurement *m, bool ended_only)
{
	if (!ended_only) {
		if (!separator(m))
			fputc('\n', m->out);
		print_lines(m, &m->counted, false);
	}
	if (separator(m))
		return;
	if (!ended_only)
		fprintf(m->out, "\n%17.9f seconds time elapsed\n\n", m->elapsed.mean);
	stat_notes(m, print_note, m->out);
}

static const struct stat_format line_format = {
	.interval = line_interval,
	.report = line_report,
};

/* ---------------------------------------------------------------------------- JSON -- */

static void json_lines(const struct measurement *m, const struct counted *counted, bool interval)
{
	const uint64_t columns = find_columns(m, counted);
	struct json json = { .out = m->out };
	char text[EVENT_NAME + 40];
	unsigned int part, n;
	double value;

	for (part = 0; part < counted->nr; part++) {
		json_open(&json, NULL, '{');
		if (interval)
			json_double(&json, "interval", (double)counted->time / NS_PER_SECOND, 9);
		grouping_json(&json, counted->kind, &counted->parts[part].group);
		for (n = 0; n < 64; n++) {
			if (!(columns >> n & 1))
				continue;
			title(m, counted, columns, n, false, text, sizeof(text));
			if (find_value(m, counted, part, n, &value))
				json_double(&json, text, value, 6);
			else
				json_null(&json, text);
		}
		json_close(&json, '}');
		json_line(&json);
	}
}

static void json_interval(const struct measurement *m, const struct counted *counted)
{
	json_lines(m, counted, true);
}

static void json_report(const struct measurement *m, bool ended_only)
{
	if (!ended_only)
		json_lines(m, &m->counted, false);
}

static const struct stat_format object_format = {
	.interval = json_interval,
	.report = json_report,
};

const struct stat_format *metric_only_format(const struct stat_format *format)
{
	if (format == &json_format)
		return &object_format;
	if (format == &human_format || format == &bare_csv_format)
		return &line_format;
	return NULL;
}
