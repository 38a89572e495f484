/* SPDX-License-Identifier: MIT */
/* As formats_runs.h: what is shown in parts: cores, threads, cgroups, intervals, metrics */
#ifndef FORMATS_PARTS_H
#define FORMATS_PARTS_H

#include "formats_made.h"

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

#endif /* FORMATS_PARTS_H */
