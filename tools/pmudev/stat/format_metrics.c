// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev stat --openmetrics`: text that is right as OpenMetrics and as the older format that
 * node_exporter reads. All are gauges: a counter's name in the one is not right in the other.
 */
#include <string.h>

#include "../common/openmetrics.h"
#include "stat.h"

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The labels of the target, and the CPU or what else a number is of. */
static void write_target(FILE *out, const struct stat_options *options, enum grouping_kind kind_of,
			 const struct group *group)
{
	const bool one_cpu = kind_of == GROUP_CPU;

	static const struct {
		const char *target;
		const char *label;
	} kinds[] = {
		[TARGET_NONE] = { "command", NULL },
		[TARGET_CPUS] = { "cpu", "cpu" },
		[TARGET_THREAD] = { "thread", "tid" },
		[TARGET_PROCESS] = { "process", "pid" },
	};
	const enum target_kind kind = options->target.kind;
	char number[16];

	openmetrics_label(out, "target", kinds[kind].target);
	if (kinds[kind].label) {
		snprintf(number, sizeof(number), "%d", one_cpu ? group->cpu : 0);
		fputc(',', out);
		openmetrics_label(out, kinds[kind].label, one_cpu ? number : options->target.text);
	}
	if (options->target.nr_cgroups == 1 && kind_of != GROUP_CGROUP) {
		fputc(',', out);
		openmetrics_label(out, grouping_word(GROUP_CGROUP), options->target.cgroups[0]);
	}
	if (kind_of != GROUP_ALL && !one_cpu) {
		fputc(',', out);
		openmetrics_label(out, grouping_word(kind_of), group->name);
	}
	if (options->command) {
		fputc(',', out);
		openmetrics_label(out, "comm", last_part(options->command[0]));
	}
}

/* The number of earlier events in the list with the same name. */
static unsigned int times_before(const struct event_list *list, unsigned int event)
{
	unsigned int i, times = 0;

	for (i = 0; i < event; i++)
		times += !strcmp(list->events[i].name, list->events[event].name);
	return times;
}

static void write_help(FILE *out, const char *name, const char *unit, const char *help)
{
	const struct metric_family family = { name, METRIC_GAUGE, unit, help };

	openmetrics_family(out, &family, false);
}

/* The name and labels of an event's sample, and a blank. */
static void write_event(const struct measurement *m, const char *name, const struct row *row,
			unsigned int i)
{
	const unsigned int before = times_before(&m->list, i);
	FILE *out = m->out;

	fprintf(out, "%s{", name);
	openmetrics_label(out, "event", row->event);
	fputc(',', out);
	if (before)
		fprintf(out, "nr=\"%u\",", before + 1);
	openmetrics_label(out, "pmu", row->pmus);
	fputc(',', out);
	write_target(out, &m->options, row->kind, row->group);
	fputs("} ", out);
}

static void write_count(FILE *out, const struct row *row)
{
	fprintf(out, "%llu", (unsigned long long)row->value);
}

static void write_running(FILE *out, const struct row *row)
{
	fprintf(out, "%.4f", row->percent / 100);
}

static void write_deviation(FILE *out, const struct row *row)
{
	fprintf(out, "%.6f", row->deviation / 100);
}

static void write_time(FILE *out, const struct row *row)
{
	fprintf(out, "%.9f", row->value / 1e9);
}

/* Which events: those that were counted, those that count time, all. */
enum which {
	COUNTS,
	TIMES,
	ALL
};

/* A sample per event. */
static void write_events(const struct measurement *m, const char *name, enum which which,
			 void (*value)(FILE *out, const struct row *row))
{
	const struct counted *counted = &m->counted;
	unsigned int part, n;
	const bool times = which == TIMES;
	struct row row;
	int i;

	for (part = 0; part < counted->nr; part++)
		for (n = 0; (i = stat_row(m, counted, part, n, &row)) >= 0; n++) {
			if (which != ALL && (row.why || row.time != times))
				continue;
			write_event(m, name, &row, i);
			value(m->out, &row);
			fputc('\n', m->out);
		}
}

/* Those that have a value. */
static void write_metrics(const struct measurement *m)
{
	const struct counted *counted = &m->counted;
	struct metric_row row;
	unsigned int part, n;

	for (part = 0; part < counted->nr; part++)
		for (n = 0; stat_metric(m, counted, part, n, &row); n++) {
			if (*row.why)
				continue;
			fputs("pmudev_metric{", m->out);
			openmetrics_label(m->out, "metric", row.metric->name);
			fputc(',', m->out);
			openmetrics_label(m->out, "unit", row.metric->unit ? row.metric->unit : "");
			fputc(',', m->out);
			write_target(m->out, &m->options, row.kind, row.group);
			fprintf(m->out, "} %.9g\n", row.value);
		}
}

static bool any_time(const struct measurement *m)
{
	unsigned int i;

	for (i = m->list.nr; i < m->list.nr + m->list.software; i++)
		if (software_is_time(&m->list, i))
			return true;
	return false;
}

static void write_seconds(const struct measurement *m, const char *name, const char *mode,
			  double seconds)
{
	fprintf(m->out, "%s{", name);
	if (mode)
		fprintf(m->out, "mode=\"%s\",", mode);
	write_target(m->out, &m->options, GROUP_ALL, NULL);
	fprintf(m->out, "} %.9f\n", seconds);
}

static void metrics_report(const struct measurement *m, bool ended_only)
{
	FILE *out = m->out;

	/* Each report replaces the one before. */
	(void)ended_only;
	write_help(out, "pmudev_events", NULL,
		   "Events since counting began; of several runs the mean.");
	write_events(m, "pmudev_events", COUNTS, write_count);
	if (any_time(m)) {
		write_help(out, "pmudev_time_seconds", "seconds",
			   "Events that count time, since counting began.");
		write_events(m, "pmudev_time_seconds", TIMES, write_time);
	}
	if (m->metrics.nr) {
		write_help(out, "pmudev_metric", NULL, "Metrics of -M, since counting began.");
		write_metrics(m);
	}
	write_help(out, "pmudev_running_ratio", "ratio",
		   "Part of the time the event was counted. At 0 nothing is known of it.");
	write_events(m, "pmudev_running_ratio", ALL, write_running);
	if (m->runs > 1) {
		write_help(out, "pmudev_deviation_ratio", "ratio",
			   "Standard deviation of the mean of several runs, as a part of it.");
		write_events(m, "pmudev_deviation_ratio", COUNTS, write_deviation);
	}
	write_help(out, "pmudev_elapsed_seconds", "seconds", "Time since counting began.");
	write_seconds(m, "pmudev_elapsed_seconds", NULL, m->elapsed.mean);
	if (m->options.target.kind == TARGET_NONE && m->user.nr) {
		write_help(out, "pmudev_cpu_seconds", "seconds", "CPU time of the command.");
		write_seconds(m, "pmudev_cpu_seconds", "user", m->user.mean);
		write_seconds(m, "pmudev_cpu_seconds", "system", m->sys.mean);
	}
	fputs("# EOF\n", out);
}

const struct stat_format metrics_format = {
	.whole = true,
	.report = metrics_report,
};
