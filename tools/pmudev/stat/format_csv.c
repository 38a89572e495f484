// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev stat --csv`: always the same columns, with a line of their names. `pmudev stat -x`: those
 * of perf, which depend on the options. Fields are quoted as RFC 4180 has it where they need it.
 */
#include <string.h>

#include "../common/csv.h"
#include "../common/ticks.h"
#include "stat.h"

static double seconds(const struct measurement *m, const struct counted *counted)
{
	return counted == &m->counted ? m->elapsed.mean : (double)counted->time / NS_PER_SECOND;
}

typedef void (*write_row)(const struct measurement *m, const struct row *row, bool interval,
			  double seconds);
typedef void (*write_metric)(const struct measurement *m, const struct metric_row *row,
			     bool interval, double seconds);

static void write_rows(const struct measurement *m, const struct counted *counted, write_row write,
		       write_metric write_metric)
{
	const bool interval = counted != &m->counted;
	struct metric_row metric;
	unsigned int part, n;
	struct row row;

	for (part = 0; part < counted->nr; part++) {
		for (n = 0; stat_row(m, counted, part, n, &row) >= 0; n++)
			write(m, &row, interval, seconds(m, counted));
		for (n = 0; stat_metric(m, counted, part, n, &metric); n++)
			write_metric(m, &metric, interval, seconds(m, counted));
	}
}

/* The cgroup that this group's counts are of. NULL: all that runs is counted. */
static const char *cgroup_of(const struct measurement *m, enum grouping_kind kind,
			     const struct group *group)
{
	if (!m->options.target.nr_cgroups)
		return NULL;
	return kind == GROUP_CGROUP ? group->name : m->options.target.cgroups[0];
}

/* -------------------------------------------------------------------- with a header -- */

static void csv_begin(const struct measurement *m)
{
	fputs("stretch,seconds,cpu,event,pmu,value,why,estimated,running_ns,running_percent,"
	      "variance_percent,metric,metric_unit,unit,group,cgroup\n",
	      m->out);
}

/* Times in milliseconds, as perf has them. */
static void csv_value(FILE *out, const struct row *row, int digits)
{
	if (row->time)
		fprintf(out, "%.*f", digits, row->value / 1e6);
	else
		fprintf(out, "%llu", (unsigned long long)row->value);
}

static void csv_end(const struct measurement *m, const char *unit, enum grouping_kind kind,
		    const struct group *group)
{
	const char *cgroup = cgroup_of(m, kind, group);

	fprintf(m->out, ",%s,", unit);
	csv_text(m->out, ",", group->name);
	fputc(',', m->out);
	csv_text(m->out, ",", cgroup ? cgroup : "");
	fputc('\n', m->out);
}

static const char *unit_of(const struct row *row)
{
	return row->time ? "msec" : "";
}

static void csv_row(const struct measurement *m, const struct row *row, bool interval, double time)
{
	FILE *out = m->out;

	fprintf(out, "%s,%.9f,", interval ? "interval" : "total", time);
	if (row->group->cpu >= 0 && row->kind == GROUP_CPU)
		fprintf(out, "%d", row->group->cpu);
	fputc(',', out);
	csv_text(out, ",", row->event);
	fputc(',', out);
	csv_text(out, ",", row->pmus);
	if (row->why) {
		fprintf(out, ",,%s,0,0,0.00,,,", row->why);
		csv_end(m, unit_of(row), row->kind, row->group);
		return;
	}
	fputc(',', out);
	csv_value(out, row, 6);
	fprintf(out, ",,%d,%llu,%.2f,", row->estimate, (unsigned long long)row->running,
		row->percent);
	if (m->runs > 1)
		fprintf(out, "%.2f", row->deviation);
	fputc(',', out);
	if (row->unit)
		fprintf(out, "%.6f,%s", row->metric, row->unit);
	else
		fputc(',', out);
	csv_end(m, unit_of(row), row->kind, row->group);
}

/* A metric's name stands where an event's does. */
static void csv_metric(const struct measurement *m, const struct metric_row *row, bool interval,
		       double time)
{
	FILE *out = m->out;

	fprintf(out, "%s,%.9f,", interval ? "interval" : "total", time);
	if (row->group->cpu >= 0 && row->kind == GROUP_CPU)
		fprintf(out, "%d", row->group->cpu);
	fputc(',', out);
	csv_text(out, ",", row->metric->name);
	fputs(",metric,,", out);
	csv_text(out, ",", row->why);
	fprintf(out, ",%d,,,,", row->estimate);
	if (!*row->why)
		fprintf(out, "%.9f", row->value);
	fputc(',', out);
	csv_text(out, ",", row->metric->unit ? row->metric->unit : "");
	csv_end(m, "", row->kind, row->group);
}

static void csv_interval(const struct measurement *m, const struct counted *counted)
{
	write_rows(m, counted, csv_row, csv_metric);
}

static void csv_report(const struct measurement *m, bool ended_only)
{
	if (!ended_only)
		write_rows(m, &m->counted, csv_row, csv_metric);
}

const struct stat_format csv_format = {
	.begin = csv_begin,
	.interval = csv_interval,
	.report = csv_report,
};

/* ------------------------------------------------------------------------- as perf -- */

/* "CPU3,", "S0-D0-C1,2," with the number of CPUs, "comm-17,"; a cgroup comes behind the event. */
static void bare_group(FILE *out, const char *separator, enum grouping_kind kind,
		       const struct group *group)
{
	if (kind == GROUP_ALL || kind == GROUP_CGROUP)
		return;
	csv_text(out, separator, group->name);
	fputs(separator, out);
	if (grouping_has_cpus(kind))
		fprintf(out, "%u%s", group->sources, separator);
}

static void bare_cgroup(const struct measurement *m, enum grouping_kind kind,
			const struct group *group)
{
	const char *cgroup = cgroup_of(m, kind, group);

	if (!cgroup)
		return;
	csv_text(m->out, m->options.separator, cgroup);
	fputs(m->options.separator, m->out);
}

static void bare_time(const struct measurement *m, bool interval, double time)
{
	if (interval)
		fprintf(m->out, "%.9f%s", time, m->options.separator);
	else if (m->options.interval && !m->options.plain_summary)
		fprintf(m->out, "summary%s", m->options.separator);
}

/* As perf has what follows from a line: all is empty but the metric, and its unit and name. */
static void bare_metric(const struct measurement *m, const struct metric_row *row, bool interval,
			double time)
{
	const char *separator = m->options.separator;
	const int empty = m->runs > 1 ? 6 : 5;
	FILE *out = m->out;
	char text[128];
	int i;

	bare_time(m, interval, time);
	bare_group(out, separator, row->kind, row->group);
	for (i = 0; i < 3; i++)
		fputs(separator, out);
	bare_cgroup(m, row->kind, row->group);
	for (; i < empty; i++)
		fputs(separator, out);
	if (!*row->why)
		fprintf(out, "%.6f", row->value);
	fputs(separator, out);
	snprintf(text, sizeof(text), "%s%s%s", row->metric->unit ? row->metric->unit : "",
		 row->metric->unit ? "  " : "", row->metric->name);
	csv_text(out, separator, text);
	fputc('\n', out);
}

static void bare_row(const struct measurement *m, const struct row *row, bool interval, double time)
{
	const char *separator = m->options.separator;
	FILE *out = m->out;

	bare_time(m, interval, time);
	bare_group(out, separator, row->kind, row->group);
	if (row->why)
		fprintf(out, "<not counted>");
	else
		csv_value(out, row, 2);
	fprintf(out, "%s%s%s", separator, unit_of(row), separator);
	csv_text(out, separator, row->event);
	fputs(separator, out);
	bare_cgroup(m, row->kind, row->group);
	if (m->runs > 1)
		fprintf(out, "%.2f%%%s", row->deviation, separator);
	fprintf(out, "%llu%s%.2f%s", (unsigned long long)row->running, separator, row->percent,
		separator);
	if (row->unit)
		fprintf(out, "%.*f%s%s\n", stat_metric_digits(row), row->metric, separator,
			row->unit + (strncmp(row->unit, "% ", 2) ? 0 : 2));
	else
		fprintf(out, "%s\n", separator);
}

static void bare_interval(const struct measurement *m, const struct counted *counted)
{
	write_rows(m, counted, bare_row, bare_metric);
}

static void bare_report(const struct measurement *m, bool ended_only)
{
	if (!ended_only)
		write_rows(m, &m->counted, bare_row, bare_metric);
}

const struct stat_format bare_csv_format = {
	.interval = bare_interval,
	.report = bare_report,
};
