/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The steps of `pmudev stat`: the options (options.c, option_rules.c, perf_options.c), the events
 * (choice.c), the runs (run.c, counters.c, sets.c, candidates.c), what was counted in them
 * (counted.c, rows.c, relation.c), and the formats that show it.
 */
#ifndef STAT_H
#define STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "../common/errata.h"
#include "../common/events.h"
#include "../common/software.h"
#include "counted.h"
#include "metrics.h"
#include "repeatability.h"
#include "stat_options.h"

struct stat_format;

/**
 * struct stat_run - how a run went, and those before it
 * @user_only: the kernel could not be counted; the list was restricted to user mode
 * @cycles: a threshold's events could not be counted; its cycles were
 * @shared: there were not enough counters for -d: the groups were multiplexed
 * @privileged: the command is a set-uid or set-gid program of somebody else
 * @gap: software events of a CPU that was offline were not counted for a part of the time
 * @interrupted: by Ctrl-C: no more runs
 * @stopped: counting ended before the command did
 * @skipped: interrupted before it began
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
	bool gap;
	bool interrupted;
	bool stopped;
	bool skipped;
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
 * @software: the kernel's among them, and the order of all
 * @metrics: those of -M
 * @by_default: nobody named events
 * @optional: how many of the PMU's events at the end of the list can be left out
 * @missing: names of those that it would have and this CPU has not, "" if none
 * @left_out: the same for want of counters
 * @forbidden: the same of software events for want of a capability
 * @unknown: the same of those that the kernel does not count here
 * @run: the last run
 * @runs: how many there were
 * @failed: the first one that failed, from 1 on; 0: none
 * @status: the exit status of that one, or 0
 * @first_status: likewise; with -r 0 also of runs that were reported
 * @counted: by all runs
 * @elapsed: seconds of each run
 * @times: the same, one by one
 * @repeatability: what --repeatability notes, NULL without
 * @user: seconds of CPU time
 * @sys: seconds of CPU time
 * @begun: has the format begun?
 * @out: where the report goes
 */
struct measurement {
	struct stat_options options;
	struct event_list list;
	struct software software;
	struct metrics metrics;
	bool by_default;
	unsigned int optional;
	char missing[512];
	char left_out[128];
	char forbidden[128];
	char unknown[128];
	struct stat_run run;
	unsigned int runs;
	unsigned int failed;
	int status;
	int first_status;
	struct counted counted;
	struct spread elapsed;
	double *times;
	struct repeatability *repeatability;
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

/* The same with --metric-only: of @format. NULL if it has none. */
const struct stat_format *metric_only_format(const struct stat_format *format);

/* Which events are counted, those of metrics too. False: they are wrong, which was told. */
bool stat_choose_events(struct measurement *m);

/* Events that nobody asked for, and that cannot be counted now. */
void stat_leave_out_optional(struct measurement *m);
void stat_leave_out_software(struct measurement *m, unsigned int event, int error);

/*
 * The nth row of a group, in the order in which events were named. Return: the event's place in the
 * list, or -1 behind the last one.
 */
int stat_row(const struct measurement *m, const struct counted *counted, unsigned int part,
	     unsigned int n, struct row *row);

/* How many digits behind the point its metric has, as perf stat's */
int stat_metric_digits(const struct row *row);

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

/* The next erratum of the event after @last (NULL: the first) on this CPU, or NULL. */
const struct erratum *stat_erratum(const struct pmudev_event_attr *attr,
				   const struct erratum *last);

/* A note for people, in lines. @out: a FILE */
void stat_print_note(void *out, const char *note);

#endif /* STAT_H */
