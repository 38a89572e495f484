// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev stat --json`: JSON Lines. The keys are described in pmudev-stat(1), and stay.
 */
#include "../common/json.h"
#include "../common/ticks.h"
#include "stat.h"

static void write_counted(struct json *json, const struct measurement *m, const struct row *row)
{
	if (row->time)
		json_double(json, "counter-value", row->value / 1e6, 6);
	else
		json_unsigned(json, "counter-value", row->value);
	json_bool(json, "estimated", row->estimate);
	json_string(json, "unit", row->time ? "msec" : "");
	if (m->runs > 1)
		json_double(json, "variance", row->deviation, 2);
	json_unsigned(json, "event-runtime", row->running);
	json_double(json, "pcnt-running", row->percent, 2);
	if (!row->unit)
		return;
	json_double(json, "metric-value", row->metric, 6);
	json_string(json, "metric-unit", row->unit);
}

static void write_not_counted(struct json *json, const struct row *row)
{
	json_null(json, "counter-value");
	json_string(json, "why", row->why);
	json_bool(json, "estimated", false);
	json_string(json, "unit", "");
	json_unsigned(json, "event-runtime", 0);
	json_double(json, "pcnt-running", 0, 2);
}

static void begin_object(struct json *json, const struct counted *counted, bool interval)
{
	json_open(json, NULL, '{');
	if (interval)
		json_double(json, "interval", (double)counted->time / NS_PER_SECOND, 9);
}

static void write_metrics(const struct measurement *m, const struct counted *counted,
			  unsigned int part, bool interval)
{
	struct json json = { .out = m->out };
	struct metric_row row;
	unsigned int n;

	for (n = 0; stat_metric(m, counted, part, n, &row); n++) {
		begin_object(&json, counted, interval);
		grouping_json(&json, row.kind, row.group);
		json_string(&json, "metric", row.metric->name);
		if (*row.why) {
			json_null(&json, "metric-value");
			json_string(&json, "why", row.why);
		} else {
			json_double(&json, "metric-value", row.value, 9);
		}
		json_string(&json, "metric-unit", row.metric->unit ? row.metric->unit : "");
		json_bool(&json, "estimated", row.estimate);
		json_close(&json, '}');
		json_line(&json);
	}
}

static void write_rows(const struct measurement *m, const struct counted *counted, bool interval)
{
	struct json json = { .out = m->out };
	unsigned int part, n;
	struct row row;

	for (part = 0; part < counted->nr; part++) {
		for (n = 0; stat_row(m, counted, part, n, &row) >= 0; n++) {
			begin_object(&json, counted, interval);
			grouping_json(&json, row.kind, row.group);
			json_string(&json, "event", row.event);
			json_string(&json, "pmu", row.pmus);
			if (row.why)
				write_not_counted(&json, &row);
			else
				write_counted(&json, m, &row);
			json_close(&json, '}');
			json_line(&json);
		}
		write_metrics(m, counted, part, interval);
	}
}

static void json_interval(const struct measurement *m, const struct counted *counted)
{
	write_rows(m, counted, true);
}

static void write_target(struct json *json, const struct stat_options *options)
{
	static const char *const kinds[] = {
		[TARGET_NONE] = "command",
		[TARGET_CPUS] = "cpu",
		[TARGET_THREAD] = "thread",
		[TARGET_PROCESS] = "process",
	};
	char **arg;

	json_string(json, "target", kinds[options->target.kind]);
	if (options->target.kind != TARGET_NONE)
		json_string(json, "target-id", options->target.text);
	if (options->target.nr_cgroups == 1 && options->grouping != GROUP_CGROUP)
		json_string(json, "cgroup", options->target.cgroups[0]);
	if (!options->command)
		return;
	json_open(json, "command", '[');
	for (arg = options->command; *arg; arg++)
		json_string(json, NULL, *arg);
	json_close(json, ']');
}

static void write_seconds(struct json *json, const struct measurement *m)
{
	json_double(json, "elapsed-seconds", m->elapsed.mean, 9);
	if (m->runs > 1)
		json_double(json, "elapsed-variance", spread_percent(&m->elapsed), 2);
	if (m->options.target.kind != TARGET_NONE)
		return;
	json_double(json, "user-seconds", m->user.mean, 6);
	json_double(json, "sys-seconds", m->sys.mean, 6);
}

static void write_note(void *context, const char *note)
{
	json_string(context, NULL, note);
}

static void json_report(const struct measurement *m, bool ended_only)
{
	struct json json = { .out = m->out };

	if (!ended_only)
		write_rows(m, &m->counted, false);
	json_open(&json, NULL, '{');
	write_target(&json, &m->options);
	write_seconds(&json, m);
	json_unsigned(&json, "runs", m->runs);
	if (m->options.command)
		json_signed(&json, "exit-status", m->status);
	if (m->repeatability)
		repeatability_json(m, &json);
	json_open(&json, "notes", '[');
	stat_notes(m, write_note, &json);
	json_close(&json, ']');
	json_close(&json, '}');
	json_line(&json);
}

const struct stat_format json_format = {
	.interval = json_interval,
	.report = json_report,
};
