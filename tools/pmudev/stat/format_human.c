// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev stat` for people: the look of perf's, within 80 columns.
 */
#include <math.h>
#include <string.h>

#include "../common/cmd.h"
#include "../common/colour.h"
#include "../common/ticks.h"
#include "stat.h"

/* perf's columns. */
#define NUMBER_WIDTH 18
#define UNIT_WIDTH   4
#define NAME_WIDTH   25

/* ----------------------------------------------------------------- one event -- */

/* When and where an event was counted, if not always. */
static void part_text(const struct row *row, char *buf, size_t len)
{
	*buf = '\0';
	if (row->some_cpus && row->always)
		snprintf(buf, len, "  (on %s)", row->pmus);
	else if (row->some_cpus)
		snprintf(buf, len, "  (on %s: %.2f%% of the time)", row->pmus, row->percent);
	else if (!row->always)
		snprintf(buf, len, row->estimate ? "  (%.2f%%)" : "  (counted %.2f%% of the time)",
			 row->percent);
}

static void metric_text(const struct row *row, char *buf, size_t len)
{
	*buf = '\0';
	if (row->unit && stat_metric_digits(row) == 3)
		snprintf(buf, len, " # %8.3f %s", row->metric, row->unit);
	else if (row->unit)
		snprintf(buf, len, " # %7.2f%s%s", row->metric, *row->unit == '%' ? "" : "  ",
			 row->unit);
}

static void deviation_text(const struct measurement *m, const struct row *row, char *buf,
			   size_t len)
{
	*buf = '\0';
	if (m->runs > 1)
		snprintf(buf, len, "  ( +- %5.2f%% )", row->deviation);
}

/* Times in milliseconds with two digits behind the point. */
static void number_text(const struct measurement *m, const struct row *row, char *buf, size_t len)
{
	const uint64_t hundredths = (row->value + 5000) / 10000;
	const uint64_t whole = row->time ? hundredths / 100 : row->value;
	char number[32];

	if (m->options.big_numbers)
		snprintf(buf, len, "%s", thousands(whole, number));
	else
		snprintf(buf, len, "%llu", (unsigned long long)whole);
	if (row->time)
		snprintf(buf + strlen(buf), len - strlen(buf), ".%02u",
			 (unsigned int)(hundredths % 100));
}

static void print_row(const struct measurement *m, const struct row *row)
{
	char number[48], metric[64], part[192], deviation[32], remark[288];
	FILE *out = m->out;

	if (row->why) {
		fprintf(out, "%s%*s%s %-*s %-*s  (%s)\n", colour(out, COLOUR_WARN), NUMBER_WIDTH,
			"<not counted>", colour(out, COLOUR_END), UNIT_WIDTH, "", NAME_WIDTH,
			row->event, row->why_text);
		return;
	}
	number_text(m, row, number, sizeof(number));
	metric_text(row, metric, sizeof(metric));
	part_text(row, part, sizeof(part));
	deviation_text(m, row, deviation, sizeof(deviation));
	snprintf(remark, sizeof(remark), "%s%s%s", metric, part, deviation);
	fprintf(out, "%*s %-*s ", NUMBER_WIDTH, number, UNIT_WIDTH, row->time ? "msec" : "");
	if (*remark)
		fprintf(out, "%-*s%s%s%s\n", NAME_WIDTH, row->event, colour(out, COLOUR_DIM),
			remark, colour(out, COLOUR_END));
	else
		fprintf(out, "%s\n", row->event);
}

/* "CPU0", "S0-D0-C1  2", "comm-17" */
static void print_group(FILE *out, enum grouping_kind kind, const struct group *group)
{
	if (kind == GROUP_CPU)
		fprintf(out, "%-7s", group->name);
	else if (kind == GROUP_THREAD || kind == GROUP_CGROUP)
		fprintf(out, "%-22s ", group->name);
	else if (kind != GROUP_ALL)
		fprintf(out, "%-12s %4u ", group->name, group->sources);
}

/* ------------------------------------------------------------------- metrics -- */

/* Of small ones the digits that count. */
static void value_text(double value, char *buf, size_t len)
{
	const bool tiny = value && fabs(value) < 0.001;

	snprintf(buf, len, tiny ? "%.2e" : "%.3f", value);
}

/* A unit that does not fit into its column stands behind. */
static void print_metric(const struct measurement *m, const struct metric_row *row)
{
	const char *unit = row->metric->unit ? row->metric->unit : "";
	const bool fits = strlen(unit) <= UNIT_WIDTH;
	FILE *out = m->out;
	char value[48];

	if (*row->why) {
		fprintf(out, "%s%*s%s %-*s %-*s  (%s)\n", colour(out, COLOUR_WARN), NUMBER_WIDTH,
			"<no value>", colour(out, COLOUR_END), UNIT_WIDTH, "", NAME_WIDTH,
			row->metric->name, row->why);
		return;
	}
	value_text(row->value, value, sizeof(value));
	fprintf(out, "%*s %-*s ", NUMBER_WIDTH, value, UNIT_WIDTH, fits ? unit : "");
	if (fits && !row->estimate)
		fprintf(out, "%s\n", row->metric->name);
	else
		fprintf(out, "%-*s%s%s%s%s%s\n", NAME_WIDTH, row->metric->name,
			colour(out, COLOUR_DIM), fits ? "" : " # ", fits ? "" : unit,
			row->estimate ? "  (estimate)" : "", colour(out, COLOUR_END));
}

/* Of one group of CPUs or threads. */
static void print_metrics(const struct measurement *m, const struct counted *counted,
			  unsigned int part, bool interval)
{
	struct metric_row row;
	unsigned int n;

	for (n = 0; stat_metric(m, counted, part, n, &row); n++) {
		if (interval)
			fprintf(m->out, "%16.9f ", (double)counted->time / NS_PER_SECOND);
		print_group(m->out, row.kind, row.group);
		print_metric(m, &row);
	}
}

static void print_rows(const struct measurement *m, const struct counted *counted, bool interval)
{
	unsigned int part, n;
	struct row row;

	for (part = 0; part < counted->nr; part++) {
		for (n = 0; stat_row(m, counted, part, n, &row) >= 0; n++) {
			if (interval)
				fprintf(m->out, "%16.9f ", (double)counted->time / NS_PER_SECOND);
			print_group(m->out, row.kind, row.group);
			print_row(m, &row);
		}
		if (m->metrics.nr && !interval && counted->kind == GROUP_ALL)
			fputc('\n', m->out);
		print_metrics(m, counted, part, interval);
	}
}

/* ------------------------------------------------------------------ intervals -- */

static const char *group_title(enum grouping_kind kind)
{
	static const char *const titles[] = {
		[GROUP_ALL] = "",
		[GROUP_CPU] = "CPU    ",
		[GROUP_CORE] = "core         cpus ",
		[GROUP_CLUSTER] = "cluster      cpus ",
		[GROUP_DIE] = "die          cpus ",
		[GROUP_SOCKET] = "socket       cpus ",
		[GROUP_NODE] = "node         cpus ",
		[GROUP_THREAD] = "thread                 ",
		[GROUP_CGROUP] = "cgroup                 ",
	};

	return titles[kind];
}

static void human_begin(const struct measurement *m)
{
	if (m->options.interval)
		fprintf(m->out, "%s#           time %s%*s unit events%s\n",
			colour(m->out, COLOUR_HEAD), group_title(m->options.grouping), NUMBER_WIDTH,
			"counts", colour(m->out, COLOUR_END));
}

static void human_interval(const struct measurement *m, const struct counted *counted)
{
	if (m->options.interval_clear) {
		fputs("\033[H\033[2J", m->out);
		human_begin(m);
	}
	print_rows(m, counted, true);
}

/* -------------------------------------------------------------------- report -- */

static void print_title(const struct measurement *m)
{
	const struct stat_options *options = &m->options;
	FILE *out = m->out;
	char **arg;

	fprintf(out, "\n%s Performance counter stats for '", colour(out, COLOUR_HEAD));
	if (options->target.kind != TARGET_NONE)
		fprintf(out, "%s %s", target_noun(&options->target), options->target.text);
	if (options->target.nr_cgroups == 1)
		fprintf(out, ", cgroup %s", options->target.cgroups[0]);
	if (options->target.kind != TARGET_NONE && options->command)
		fprintf(out, "' during '");
	for (arg = options->command; arg && *arg; arg++)
		fprintf(out, "%s%s", arg == options->command ? "" : " ", *arg);
	fprintf(out, "'");
	if (m->runs > 1)
		fprintf(out, " (%u runs)", m->runs);
	fprintf(out, ":%s\n\n", colour(out, COLOUR_END));
}

static void print_seconds(FILE *out, const struct spread *spread, const char *what)
{
	if (spread->nr > 1)
		fprintf(out, "%17.5f +- %.5f seconds %s  ( +- %5.2f%% )\n", spread->mean,
			spread_error(spread), what, spread_percent(spread));
	else
		fprintf(out, "%17.9f seconds %s\n", spread->mean, what);
}

/* --table: of each run how much it differs from the mean, a # for each ten percent. */
static void print_table(const struct measurement *m)
{
	FILE *out = m->out;
	unsigned int i, mark;
	double off;

	if (!m->times)
		return;
	fprintf(out, "%10s# Table of individual measurements:\n", "");
	for (i = 0; i < m->runs; i++) {
		off = m->times[i] - m->elapsed.mean;
		fprintf(out, "%17.5f (%+.5f) #", m->times[i], off);
		for (mark = 1; mark < 40 && mark <= 10 * fabs(off) / m->elapsed.mean; mark++)
			fputc('#', out);
		fputc('\n', out);
	}
	fprintf(out, "\n%10s# Final result:\n", "");
}

/* In lines of at most 79 characters, each behind a blank. */
void stat_print_note(void *context, const char *note)
{
	const size_t most = 78;
	FILE *out = context;
	size_t len;

	for (;;) {
		len = strlen(note);
		if (len > most)
			for (len = most; len && note[len] != ' '; len--)
				;
		if (!len)
			len = strcspn(note, " ");
		fprintf(out, " %.*s\n", (int)len, note);
		if (!note[len])
			return;
		note += len + 1;
	}
}

static void human_report(const struct measurement *m, bool ended_only)
{
	FILE *out = m->out;

	if (!ended_only) {
		print_title(m);
		print_rows(m, &m->counted, false);
		if (m->list.nr + m->list.software)
			fprintf(out, "\n");
		if (m->options.table)
			print_table(m);
		print_seconds(out, &m->elapsed, "time elapsed");
		if (m->options.target.kind == TARGET_NONE) {
			fprintf(out, "\n");
			print_seconds(out, &m->user, "user");
			print_seconds(out, &m->sys, "sys");
		}
		fprintf(out, "\n");
		if (m->repeatability)
			repeatability_print(m);
	}
	stat_notes(m, stat_print_note, out);
}

const struct stat_format human_format = {
	.begin = human_begin,
	.interval = human_interval,
	.report = human_report,
};
