/* SPDX-License-Identifier: MIT */
/* Made-up runs of `pmudev stat`, for formats_test.c. */
#ifndef FORMATS_RUNS_H
#define FORMATS_RUNS_H

#include "formats_made.h"

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

/*
 * Three runs, of which the second failed; an event was counted in two of them. The target of
 * another ran in one of them only, and some children of that run were not counted.
 */
static void make_runs(void)
{
	struct counted run = { 0 };
	struct counted_part *part = add_part(&run, "");
	int i;

	begin("instructions,cycles,r11,r12", INTEL);
	for (i = 0; i < 3; i++) {
		count(part, 0, 1000 + i, 1000, 1000);
		count(part, 1, 500, 1000, 1000);
		count(part, 2, 10 * i, 1000, i ? 1000 : 0);
		count(part, 3, i == 1 ? 12 : 0, i == 1 ? 1000 : 0, i == 1 ? 1000 : 0);
		part->total.flags = i == 1 ? PMUDEV_RECORD_INCOMPLETE : 0;
		counted_add(&made.counted, &run, 4);
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

#endif /* FORMATS_RUNS_H */
