/* SPDX-License-Identifier: GPL-2.0 */
/* The three steps of `pmudev stat`: the options, the run, the report. */
#ifndef STAT_H
#define STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "events.h"
#include "target.h"

/**
 * struct stat_options - what was asked for
 * @target: what is counted while the command runs; of no kind: the command itself
 * @inherit: what a thread or the command makes is counted too
 * @multiplex: each group takes turns with the others
 * @output: file of the report, NULL: stderr
 * @command: NULL: count until the target ends, or Ctrl-C
 */
struct stat_options {
	struct target target;
	bool inherit;
	bool multiplex;
	const char *output;
	char **command;
};

/**
 * struct stat_run - how a run went
 * @user_only: the kernel could not be counted; the list was restricted to user mode
 * @privileged: the command is a set-uid or set-gid program of somebody else
 * @status: of the command, as wait(2) has it
 * @usage: CPU times of the command and of its children
 * @start: CLOCK_MONOTONIC when counting began, ns
 * @end: CLOCK_MONOTONIC when the command had ended, ns
 * @total: what was read at the end
 */
struct stat_run {
	bool user_only;
	bool privileged;
	int status;
	struct rusage usage;
	uint64_t start;
	uint64_t end;
	struct pmudev_total total;
};

/*
 * Runs the command and counts. Return: 0, or the exit status after something went wrong, which has
 * been told on stderr.
 */
int stat_run(const struct stat_options *options, struct event_list *list, struct stat_run *run);

void stat_report(FILE *out, const struct stat_options *options, const struct event_list *list,
		 const struct stat_run *run);

/* 1234567 -> "1,234,567" */
const char *thousands(unsigned long long n, char buf[32]);

#endif /* STAT_H */
