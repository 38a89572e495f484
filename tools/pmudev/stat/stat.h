/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The steps of `pmudev stat`: the options (options.c), the runs (run.c), what was counted in
 * them (counted.c), and the formats that show it.
 */
#ifndef STAT_H
#define STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "../common/events.h"
#include "../common/target.h"
#include "counted.h"

struct stat_format;

/**
 * struct stat_options - what was asked for
 * @target: what is counted while the command runs; of no kind: the command itself
 * @events: the list of events, NULL: those by default
 * @detailed: and more events
 * @inherit: what a thread or the command makes is counted too
 * @multiplex: all groups are multiplexed
 * @each_cpu: CPUs are not added up
 * @big_numbers: with commas
 * @summary: what was counted in all follows the intervals
 * @append: to what is in @output
 * @verbose: counts and times as they were read, too
 * @format: how it is shown
 * @separator: of columns, NULL: the format's own
 * @output: file of the report, NULL: stderr, "-": stdout
 * @interval: ns, 0: none
 * @intervals: so many, 0: no end
 * @delay: ns from the command's start to that of counting
 * @timeout: ns after which counting ends, and the command is told to; 0: never
 * @repeat: how many runs
 * @command: NULL: count until the target ends, or Ctrl-C
 */
struct stat_options {
	struct target target;
	char *events;
	bool detailed;
	bool inherit;
	bool multiplex;
	bool each_cpu;
	bool big_numbers;
	bool summary;
	bool append;
	bool verbose;
	const struct stat_format *format;
	const char *separator;
	const char *output;
	uint64_t interval;
	uint64_t intervals;
	uint64_t delay;
	uint64_t timeout;
	unsigned int repeat;
	char **command;
};

/**
 * struct stat_run - how a run went, and those before it
 * @user_only: the kernel could not be counted; the list was restricted to user mode
 * @cycles: a threshold's events could not be counted; its cycles were
 * @shared: there were not enough counters for -d: the groups were multiplexed
 * @privileged: the command is a set-uid or set-gid program of somebody else
 * @interrupted: by Ctrl-C: no more runs
 * @stopped: counting ended before the command did
 * @status: of the command, as wait(2) has it
 * @usage: CPU times of the command and of its children
 * @start: CLOCK_MONOTONIC when counting began, ns
 * @end: CLOCK_MONOTONIC when the command had ended, ns
 * @total: what was counted
 */
struct stat_run {
	bool user_only;
	bool cycles;
	bool shared;
	bool privileged;
	bool interrupted;
	bool stopped;
	int status;
	struct rusage usage;
	uint64_t start;
	uint64_t end;
	struct pmudev_total total;
};

/**
 * struct measurement - all of it, as formats see it
 * @options: what was asked for
 * @list: the events
 * @missing: names of those that -d would have and this CPU has not, "" if none
 * @run: the last run
 * @runs: how many there were
 * @failed: the first one that failed, from 1 on; 0: none
 * @status: the exit status of that one, or 0
 * @counted: by all runs
 * @elapsed: seconds of each run
 * @user: seconds of CPU time
 * @sys: seconds of CPU time
 * @begun: has the format begun?
 * @out: where the report goes
 */
struct measurement {
	struct stat_options options;
	struct event_list list;
	char missing[256];
	struct stat_run run;
	unsigned int runs;
	unsigned int failed;
	int status;
	struct counted counted;
	struct spread elapsed;
	struct spread user;
	struct spread sys;
	bool begun;
	FILE *out;
};

/**
 * struct stat_format - how it is shown
 * @whole: each report replaces the one before, and has what was counted since the beginning
 * @begin: before the first interval, or the report; may be NULL
 * @interval: an interval; NULL if @whole
 * @report: what was counted in all, and how it ended; after intervals (@ended_only) the latter
 */
struct stat_format {
	bool whole;
	void (*begin)(const struct measurement *m);
	void (*interval)(const struct measurement *m, const struct counted *counted);
	void (*report)(const struct measurement *m, bool ended_only);
};

extern const struct stat_format human_format, json_format, csv_format, bare_csv_format,
	metrics_format;

/* Return: -1 to go on, else the exit status. */
int stat_parse_options(int argc, char **argv, struct stat_options *options);

/*
 * Runs the command and counts. Return: 0, or the exit status after something went wrong, which has
 * been told on stderr.
 */
int stat_run(struct measurement *m);

/* Shows what was counted in an interval. False if it cannot be written, which has been told. */
bool stat_interval(struct measurement *m, const struct counted *since, const struct counted *all);

/* What is to be said about the runs, a sentence at a time. */
void stat_notes(const struct measurement *m, void (*say)(void *context, const char *note),
		void *context);

#endif /* STAT_H */
