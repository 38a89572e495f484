// SPDX-License-Identifier: GPL-2.0
/*
 * The output of `pmudev monitor` without a live table: lines for people and gnuplot, CSV (RFC
 * 4180), and JSON Lines with the keys of `pmudev stat -I --json`.
 */
#include <string.h>

#include "../common/cmd.h"
#include "../common/json.h"
#include "../common/ticks.h"
#include "columns.h"
#include "monitor.h"

/* ------------------------------------------------------------------------- lines -- */

/* With several CPUs each line says which. */
static void lines_cpu(const struct monitor *m, const char *text)
{
	if (m->nr > 1)
		printf(" %5s", text);
}

static void lines_begin(const struct monitor *m)
{
	/* Line by line, also into a pipe. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# CPU%s %s: events since the line before, every %g s\n", m->nr > 1 ? "s" : "",
	       m->cpus_text, (double)m->interval / NS_PER_SECOND);
	printf("#%10s", "seconds");
	lines_cpu(m, "CPU");
	columns_header(stdout, m->list);
	printf("%s\n", columns_have_per_cycle(m->list) ? "  insn per cycle" : "");
}

static void lines_per_cycle(const struct monitor *m, const struct watched *w,
			    const struct pmudev_record *before)
{
	double ratio;

	if (columns_per_cycle(m->list, before, &w->now.record, &ratio))
		printf("  %14.2f", ratio);
	else
		printf("  %14s", "-");
}

static void lines_row(const struct monitor *m, const struct watched *w,
		      const struct pmudev_record *before, const char *remark, uint64_t missed)
{
	char cpu[16];

	snprintf(cpu, sizeof(cpu), "%u", w->cpu);
	printf(" %10.3f", seconds_since_start(w));
	lines_cpu(m, cpu);
	columns_line(stdout, m->list, before, &w->now.record, false);
	if (columns_have_per_cycle(m->list))
		lines_per_cycle(m, w, before);
	printf("%s", remark);
	columns_remark(stdout, before, &w->now.record, missed);
	printf("\n");
}

static void lines_show(const struct monitor *m)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		lines_row(m, &m->cpus[i], &m->cpus[i].before.record, "", m->missed);
}

/* The sums include the time after the last line. */
static void lines_end(const struct monitor *m)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		lines_row(m, &m->cpus[i], &m->cpus[i].start.record, "  # sum", 0);
}

const struct view view_lines = {
	.begin = lines_begin,
	.show = lines_show,
	.end = lines_end,
};

/* --------------------------------------------------------------------------- CSV -- */

static void csv_string(const char *text)
{
	putchar('"');
	for (; *text; text++)
		printf("%s%c", *text == '"' ? "\"" : "", *text);
	putchar('"');
}

static void csv_begin(const struct monitor *m)
{
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seconds,cpu,percent-running");
	for (i = 0; i < m->list->nr; i++) {
		putchar(',');
		csv_string(m->list->events[i].name);
	}
	printf("\n");
}

/* Relative to the time enabled; the CPU may have been offline. */
static double percent(uint64_t running, uint64_t enabled)
{
	return enabled ? 100.0 * running / enabled : 0;
}

/* An event that was never on a counter is an empty field. */
static void csv_show(const struct monitor *m)
{
	const struct pmudev_record *before, *now;
	const struct watched *w;
	uint64_t running;
	unsigned int i;

	for (w = m->cpus; w < m->cpus + m->nr; w++) {
		before = &w->before.record;
		now = &w->now.record;
		running = now->time_running - before->time_running;
		printf("%.3f,%u,%.2f", seconds_since_start(w), w->cpu,
		       percent(running, now->time_enabled - before->time_enabled));
		for (i = 0; i < m->list->nr; i++) {
			putchar(',');
			if (running)
				printf("%llu", (unsigned long long)(now->counts[i].value -
								    before->counts[i].value));
		}
		printf("\n");
	}
}

static void no_end(const struct monitor *m)
{
	(void)m;
}

const struct view view_csv = {
	.begin = csv_begin,
	.show = csv_show,
	.end = no_end,
};

/* -------------------------------------------------------------------------- JSON -- */

static void json_begin(const struct monitor *m)
{
	(void)m;
	setvbuf(stdout, NULL, _IOLBF, 0);
}

static void json_event(struct json *json, const struct watched *w, unsigned int i, const char *name)
{
	const struct pmudev_count *before = &w->before.record.counts[i];
	const struct pmudev_count *now = &w->now.record.counts[i];
	uint64_t running = now->time_running - before->time_running;

	json_open(json, NULL, '{');
	json_double(json, "interval", seconds_since_start(w), 9);
	json_unsigned(json, "cpu", w->cpu);
	json_string(json, "event", name);
	if (running)
		json_unsigned(json, "counter-value", now->value - before->value);
	else
		json_null(json, "counter-value");
	json_unsigned(json, "event-runtime", running);
	json_double(json, "pcnt-running",
		    percent(running, now->time_enabled - before->time_enabled), 2);
	json_close(json, '}');
	json_line(json);
}

static void json_show(const struct monitor *m)
{
	struct json json = { .out = stdout };
	unsigned int i, e;

	for (i = 0; i < m->nr; i++)
		for (e = 0; e < m->list->nr; e++)
			json_event(&json, &m->cpus[i], e, m->list->events[e].name);
}

const struct view view_json = {
	.begin = json_begin,
	.show = json_show,
	.end = no_end,
};
