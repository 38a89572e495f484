/* SPDX-License-Identifier: GPL-2.0 */
/* The three steps of `pmudev stat`: the options, the run, the report. */
#ifndef STAT_H
#define STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <pmudev.h>

#include "events.h"

/* What is counted while the command runs: the command itself, a CPU, or a thread. */
enum stat_target {
	STAT_COMMAND,
	STAT_CPU,
	STAT_THREAD,
};

struct stat_options {
	enum stat_target target;
	int id; /* the CPU or the thread */
	const char *output; /* file of the report, NULL: stderr */
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
 * @counts: the record read at the end
 */
struct stat_run {
	bool user_only;
	bool privileged;
	int status;
	struct rusage usage;
	uint64_t start;
	uint64_t end;
	union pmudev_record_buffer counts;
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
