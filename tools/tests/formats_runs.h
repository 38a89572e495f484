/* SPDX-License-Identifier: MIT */
/* Made-up runs of `pmudev stat`, for formats_test.c. */
#ifndef FORMATS_RUNS_H
#define FORMATS_RUNS_H

#include <stdlib.h>

#include "../pmudev/common/cmd.h"
#include "../pmudev/stat/stat.h"
#include "sysfs.h"

static struct pmudev_pmus *pmus[NR_MACHINES];
static struct measurement made;
static struct counted interval;

/* A group's, or of all if it is nameless. */
static struct counted_part *add_part(struct counted *counted, const char *group)
{
	struct counted_part *part;

	counted->runs = 1;
	counted->parts = realloc(counted->parts, (counted->nr + 1) * sizeof(*counted->parts));
	part = &counted->parts[counted->nr++];
	memset(part, 0, sizeof(*part));
	snprintf(part->group.name, GROUP_NAME, "%s", group);
	part->group.cpu = strncmp(group, "CPU", 3) ? -1 : atoi(group + 3);
	part->group.sources = 2;
	part->total.present = -1ULL;
	part->spreads = calloc(PMUDEV_MAX_EVENTS, sizeof(*part->spreads));
	return part;
}

static void count(struct counted_part *part, unsigned int event, uint64_t value, uint64_t enabled,
		  uint64_t running)
{
	struct pmudev_sum *sum = &part->total.sums[event];

	sum->value = value;
	sum->estimate = value;
	if (running)
		pmudev_scale(value, enabled, running, &sum->estimate);
	sum->time_enabled = enabled;
	sum->time_running = running;
}

/* A group of two events that were counted all the time. */
static void add_pair(struct counted *counted, const char *group, uint64_t first, uint64_t second)
{
	struct counted_part *part = add_part(counted, group);

	count(part, 0, first, 1000, 1000);
	count(part, 1, second, 1000, 1000);
}

static void begin(const char *events, enum machine machine)
{
	struct pmudev_events_error error;
	char *hardware;
	static char *command[4];

	counted_close(&made.counted);
	counted_close(&interval);
	memset(&made, 0, sizeof(made));
	command[0] = "sh";
	command[1] = "-c";
	command[2] = "echo \"a\\b\"\t'\xc3\xa9' \xff";
	made.options.command = command;
	made.options.inherit = true;
	made.options.big_numbers = true;
	made.options.repeat = 1;
	made.runs = 1;
	spread_add(&made.elapsed, 1.25);
	spread_add(&made.user, 1.125);
	spread_add(&made.sys, 0.0625);
	made.run.total.time_enabled = 2000000000;
	made.options.log_fd = -1;
	made.options.control.commands = -1;
	if (!software_split(events, &hardware, &made.software) ||
	    !parse_events(hardware, pmus[machine], &made.list, &error)) {
		ok(false, error.text);
		exit(tap_end());
	}
	free(hardware);
	software_append(&made.software, &made.list);
}

static void name(unsigned int event, const char *text)
{
	snprintf(made.list.events[event].name, EVENT_NAME, "%s", text);
}

/* A command, some of whose events were always counted. */
static void make_plain(void)
{
	struct counted_part *part;

	begin("{instructions,cycles},branches,branch-misses,intel_core/event=0xc0,umask=1/,r1,r1",
	      INTEL);
	part = add_part(&made.counted, "");
	count(part, 0, 1234567890, 1000000000, 1000000000);
	count(part, 1, 2469135780, 1000000000, 1000000000);
	count(part, 2, 1000, 1000000000, 1000000000);
	count(part, 3, 5, 1000000000, 999999000);
	count(part, 4, 0, 1000000000, 1000000000);
	count(part, 5, 18446744073709551615ULL, 1000000000, 500000000);
	count(part, 6, 0, 0, 0);
	made.status = 3;
	made.failed = 1;
}

/* Names that have to be quoted. */
static void make_odd(void)
{
	struct counted_part *part;

	begin("r1,r2,r3,r4,r5", INTEL);
	name(0, "intel/event=1,umask=2/");
	name(1, "\"quoted\" \\ back");
	name(2, "\xc3\xa9t\xc3\xa9 \xf0\x9f\x92\xa1");
	name(3, "not\xff utf\xc3");
	name(4, "two\nlines\t\x01");
	part = add_part(&made.counted, "");
	count(part, 0, 1, 10, 10);
	count(part, 1, 2, 10, 10);
	count(part, 2, 3, 10, 10);
	count(part, 3, 4, 10, 10);
	count(part, 4, 5, 10, 10);
	made.run.user_only = true;
}

/* Each CPU separately, with multiplexed groups; rotation did not reach some of them. */
static void make_cpus(void)
{
	struct counted_part *part;

	begin("instructions:u,cycles:u,r11", INTEL);
	made.options.target = (struct target){ .kind = TARGET_CPUS, .text = "0,2" };
	made.options.grouping = GROUP_CPU;
	made.counted.kind = GROUP_CPU;
	part = add_part(&made.counted, "CPU0");
	part->total.multiplexed = 7;
	count(part, 0, 1000, 1000, 500);
	count(part, 1, 4000, 1000, 1000);
	count(part, 2, 0, 1000, 0);
	part = add_part(&made.counted, "CPU2");
	part->total.flags = PMUDEV_RECORD_OFFLINE;
}

/* The events of one of two PMUs. */
static void make_kinds(void)
{
	struct counted_part *part;

	begin("armv8_pmuv3/event=8/,instructions,armv8_pmuv3_1/odd_one/", BIG_LITTLE);
	made.options.target = (struct target){ .kind = TARGET_PROCESS, .text = "17" };
	made.options.command = NULL;
	part = add_part(&made.counted, "");
	count(part, 0, 5419486, 1000, 717);
	count(part, 1, 7362845, 1000, 1000);
	count(part, 2, 0, 1000, 0);
	part->total.flags = PMUDEV_RECORD_ENDED;
}

/* Three runs, of which the second failed; an event was counted in two of them. */
static void make_runs(void)
{
	struct counted run = { 0 };
	struct counted_part *part = add_part(&run, "");
	int i;

	begin("instructions,cycles,r11", INTEL);
	for (i = 0; i < 3; i++) {
		count(part, 0, 1000 + i, 1000, 1000);
		count(part, 1, 500, 1000, 1000);
		count(part, 2, 10 * i, 1000, i ? 1000 : 0);
		counted_add(&made.counted, &run, 3);
	}
	made.runs = 3;
	made.options.repeat = 3;
	made.failed = 2;
	made.status = 7;
	spread_add(&made.elapsed, 1.5);
	spread_add(&made.elapsed, 1.75);
	spread_add(&made.user, 1.125);
	spread_add(&made.user, 1.125);
	spread_add(&made.sys, 0);
	spread_add(&made.sys, 0.125);
	counted_close(&run);
}

/* perf's default events: the kernel's count, and make rates of the others. */
static void make_default(void)
{
	struct counted_part *part;

	begin("task-clock,context-switches,cpu-migrations,page-faults,instructions,cycles,branches,"
	      "branch-misses",
	      INTEL);
	made.counted.length = 1250000000;
	part = add_part(&made.counted, "");
	count(part, 0, 3000000000, 1187500000, 1187500000);
	count(part, 1, 2375000000, 1187500000, 1187500000);
	count(part, 2, 500000000, 1187500000, 1187500000);
	count(part, 3, 5000000, 1187500000, 1187500000);
	count(part, 4, 1187500000, 1187500000, 1187500000);
	count(part, 5, 12, 1187500000, 1187500000);
	count(part, 6, 0, 1187500000, 1187500000);
	count(part, 7, 4750, 1187500000, 1187500000);
	snprintf(made.forbidden, sizeof(made.forbidden), "cpu-migrations");
	snprintf(made.left_out, sizeof(made.left_out), "branches");
}

/* The cores of a machine, with one more of each kind of event. */
static void make_cores(void)
{
	struct counted_part *part;

	begin("cycles,cpu-clock:u", INTEL);
	made.options.target = (struct target){ .kind = TARGET_CPUS, .text = "0-3" };
	made.options.grouping = GROUP_CORE;
	made.counted.kind = GROUP_CORE;
	made.counted.length = 1250000000;
	part = add_part(&made.counted, "S0-D0-C0");
	count(part, 0, 5000000000, 2500000000, 2500000000);
	count(part, 1, 2500000000, 2500000000, 2500000000);
	part = add_part(&made.counted, "S0-D0-C1");
	count(part, 0, 0, 2500000000, 2500000000);
	count(part, 1, 2500000000, 2500000000, 2500000000);
}

/* Threads of a process. */
static void make_threads(void)
{
	begin("context-switches,cycles", INTEL);
	made.options.target = (struct target){ .kind = TARGET_PROCESS, .text = "17" };
	made.options.grouping = GROUP_THREAD;
	made.counted.kind = GROUP_THREAD;
	add_pair(&made.counted, "a, b-17", 1000, 3);
	add_pair(&made.counted, "worker-18", 2000, 4);
}

/* One cgroup's. */
static void make_cgroup(void)
{
	static char *cgroups[1] = { "a/b \"c\"" };
	struct counted_part *part;

	begin("cycles", INTEL);
	made.options.target = (struct target){
		.kind = TARGET_CPUS, .text = "0-3", .cgroups = cgroups, .nr_cgroups = 1
	};
	part = add_part(&made.counted, "");
	count(part, 0, 2000, 1000, 1000);
}

/* Two, of which one is part of the other. */
static void make_cgroups(void)
{
	static char *cgroups[2] = { "a", "a/b" };

	begin("instructions,cycles", INTEL);
	made.options.target = (struct target){
		.kind = TARGET_CPUS, .text = "0-3", .cgroups = cgroups, .nr_cgroups = 2
	};
	made.options.grouping = GROUP_CGROUP;
	made.counted.kind = GROUP_CGROUP;
	add_pair(&made.counted, "a", 3000, 1500);
	add_pair(&made.counted, "a/b", 2000, 500);
}

/* Two intervals, in the second of which nothing ran. */
static void make_intervals(void)
{
	static char *command[2];

	begin("instructions,cycles", INTEL);
	made.options.interval = 1000000000;
	made.options.summary = true;
	command[0] = "true";
	made.options.command = command;
	add_pair(&made.counted, "", 1000, 1000);
	add_pair(&interval, "", 1000, 1000);
	interval.time = 1000000001;
}

/* Metrics: of CPUs with and without a value. Their events stand first. */
static void make_metrics(void)
{
	static struct metrics metrics;
	struct counted_part *part;
	char *events;

	metrics_free(&metrics);
	if (!ok(metrics_choose(&metrics, "ipc,miss-rate,Small", pmus[INTEL], false, &events),
		"metrics are chosen"))
		exit(tap_end());
	is(events, "{instructions,cycles,branches,branch-misses}", "  their events");
	events = join_events(events, "r11");
	begin(events, INTEL);
	free(events);
	made.metrics = metrics;
	made.options.target = (struct target){ .kind = TARGET_CPUS, .text = "0,2" };
	made.options.grouping = GROUP_CPU;
	made.counted.kind = GROUP_CPU;
	part = add_part(&made.counted, "CPU0");
	part->total.multiplexed = 2;
	count(part, 0, 3000000000, 1000000000, 1000000000);
	count(part, 1, 1000000000, 1000000000, 500000000);
	count(part, 2, 0, 1000000000, 1000000000);
	count(part, 3, 17, 1000000000, 1000000000);
	count(part, 4, 5, 1000000000, 1000000000);
	part = add_part(&made.counted, "CPU2");
	count(part, 0, 3000000000, 1000000000, 1000000000);
	count(part, 1, 0, 1000000000, 0);
	count(part, 2, 1600, 1000000000, 1000000000);
	count(part, 3, 17, 1000000000, 1000000000);
	count(part, 4, 5, 1000000000, 1000000000);
}

#endif /* FORMATS_RUNS_H */
