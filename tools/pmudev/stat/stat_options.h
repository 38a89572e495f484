/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `pmudev stat` (options.c, option_rules.c, perf_options.c, help.c) */
#ifndef STAT_OPTIONS_H
#define STAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/target.h"
#include "control.h"
#include "grouping.h"

struct stat_format;

/* Counting does not begin by itself (-D -1). */
#define DELAY_FOREVER UINT64_MAX

/**
 * struct stat_options - what was asked for
 * @target: what is counted while the command runs; of no kind: the command itself
 * @events: the list of events, NULL: those by default
 * @metrics: names of metrics, NULL: none
 * @null: no events at all
 * @detailed: and more events, the more the higher
 * @all_user: events that say nothing else are of user mode
 * @all_kernel: the same, of the kernel
 * @inherit: what a thread or the command makes is counted too
 * @multiplex: all groups are multiplexed
 * @unscaled: no estimates
 * @grouping: what is added up and what is shown by itself
 * @big_numbers: with commas
 * @metric_only: metrics alone, in a line
 * @quiet: nothing is shown
 * @interval_clear: on a terminal each interval replaces the one before
 * @table: of several runs the time of each
 * @repeatability: what makes counts differ between runs is looked for
 * @plain_summary: -x does not mark the sums
 * @summary: what was counted in all follows the intervals
 * @append: to what is in @output
 * @verbose: counts and times as they were read, too
 * @format: how it is shown
 * @separator: of columns, NULL: the format's own
 * @output: file of the report, NULL: stderr, "-": stdout
 * @log_fd: the report goes into this descriptor, -1: does not
 * @interval: ns, 0: none
 * @intervals: so many, 0: no end
 * @delay: ns from the command's start to that of counting, or DELAY_FOREVER
 * @timeout: ns after which counting ends, and the command is told to; 0: never
 * @repeat: how many runs, 0: until Ctrl-C
 * @sync: sync(2) before each
 * @pre: a line of the shell before each, NULL: none
 * @post: the same behind each
 * @control: tells when to count
 * @command: NULL: count until the target ends, or Ctrl-C
 */
struct stat_options {
	struct target target;
	char *events;
	char *metrics;
	bool null;
	unsigned int detailed;
	bool all_user;
	bool all_kernel;
	bool inherit;
	bool multiplex;
	bool unscaled;
	enum grouping_kind grouping;
	bool big_numbers;
	bool metric_only;
	bool quiet;
	bool interval_clear;
	bool table;
	bool repeatability;
	bool plain_summary;
	bool summary;
	bool append;
	bool verbose;
	const struct stat_format *format;
	const char *separator;
	const char *output;
	int log_fd;
	uint64_t interval;
	uint64_t intervals;
	uint64_t delay;
	uint64_t timeout;
	unsigned int repeat;
	bool sync;
	const char *pre;
	const char *post;
	struct control control;
	char **command;
};

/* What --help shows. */
extern const char stat_help[];

/* Return: -1 to go on, else the exit status. */
int stat_parse_options(int argc, char **argv, struct stat_options *options);

/* Do they go together? False if not, which was told. */
bool stat_options_fit(const struct stat_options *options);

/*
 * Is it one of perf's options that there are not? Tells what to do instead, then. @name: "--name",
 * "--name=value" or a letter
 */
bool stat_refuse_option(const char *name);

#endif /* STAT_OPTIONS_H */
