// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev stat` for people: the look of perf's, within 80 columns.
 */
#include <string.h>

#include "../common/cmd.h"
#include "../common/colour.h"
#include "../common/ticks.h"
#include "stat.h"

#define LEAST_NAME 12
#define MOST_NAME  24

/* ----------------------------------------------------------------- one event -- */

static int name_width(const struct event_list *list)
{
	size_t longest = LEAST_NAME, len;
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		len = strlen(list->events[i].name);
		if (len > longest)
			longest = len;
	}
	return longest < MOST_NAME ? longest : MOST_NAME;
}

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
	if (row->unit)
		snprintf(buf, len, "  # %6.2f%s%s", row->metric, *row->unit == '%' ? "" : " ",
			 row->unit);
}

static void deviation_text(const struct measurement *m, const struct row *row, char *buf,
			   size_t len)
{
	*buf = '\0';
	if (m->runs > 1)
		snprintf(buf, len, "  ( +- %5.2f%% )", row->deviation);
}

static void print_row(const struct measurement *m, const struct row *row, int width)
{
	char number[32], metric[64], part[192], deviation[32], remark[288];
	const int name = name_width(&m->list);
	FILE *out = m->out;

	if (row->why) {
		fprintf(out, "%s%*s%s  %-*s  (%s)\n", colour(out, COLOUR_WARN), width,
			"<not counted>", colour(out, COLOUR_END), name, row->event, row->why_text);
		return;
	}
	metric_text(row, metric, sizeof(metric));
	part_text(row, part, sizeof(part));
	deviation_text(m, row, deviation, sizeof(deviation));
	snprintf(remark, sizeof(remark), "%s%s%s", metric, part, deviation);
	if (m->options.big_numbers)
		fprintf(out, "%*s", width, thousands(row->value, number));
	else
		fprintf(out, "%*llu", width, (unsigned long long)row->value);
	if (*remark)
		fprintf(out, "  %-*s%s%s%s\n", name, row->event, colour(out, COLOUR_DIM), remark,
			colour(out, COLOUR_END));
	else
		fprintf(out, "  %s\n", row->event);
}

static void print_rows(const struct measurement *m, const struct counted *counted, bool interval)
{
	unsigned int part, i;
	struct row row;

	for (part = 0; part < counted->nr; part++)
		for (i = 0; i < m->list.nr; i++) {
			row_make(&row, &m->list, counted, part, i);
			if (interval)
				fprintf(m->out, "%12.6f ", (double)counted->time / NS_PER_SECOND);
			if (row.cpu >= 0)
				fprintf(m->out, "CPU%-4d", row.cpu);
			print_row(m, &row, interval || row.cpu >= 0 ? 15 : 17);
		}
}

/* ------------------------------------------------------------------ intervals -- */

static void human_begin(const struct measurement *m)
{
	const char *cpu = m->options.each_cpu ? "CPU    " : "";

	if (m->options.interval)
		fprintf(m->out, "%s#    seconds %s%15s  events%s\n", colour(m->out, COLOUR_HEAD),
			cpu, "counts", colour(m->out, COLOUR_END));
}

static void human_interval(const struct measurement *m, const struct counted *counted)
{
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
		fprintf(out, "%s %s%s", target_noun(&options->target), options->target.text,
			options->command ? "' during '" : "");
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

/* A note in lines of at most 79 characters, each behind a blank. */
static void print_note(void *context, const char *note)
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
		fprintf(out, "\n");
		print_seconds(out, &m->elapsed, "time elapsed");
		if (m->options.target.kind == TARGET_NONE) {
			fprintf(out, "\n");
			print_seconds(out, &m->user, "user");
			print_seconds(out, &m->sys, "sys");
		}
		fprintf(out, "\n");
	}
	stat_notes(m, print_note, out);
}

const struct stat_format human_format = {
	.begin = human_begin,
	.interval = human_interval,
	.report = human_report,
};
