/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set on a process that executes a program: the test's own, with the name of a part to play.
 */
#ifndef PMUDEV_TEST_EXEC_H
#define PMUDEV_TEST_EXEC_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define SELF "/proc/self/exe"
#define N    1000000

/* Argument numbers of descriptors; the parts' exit codes are tested by those who start them. */
static inline int play(int argc, char **argv)
{
	union record record;
	int fd = argc > 2 ? atoi(argv[2]) : -1;

	if (!strcmp(argv[1], "loop")) {
		loop(N);
		return 0;
	}
	if (!strcmp(argv[1], "halt"))
		return raise(SIGSTOP);
	if (!strcmp(argv[1], "faults")) /* is there no right to read directly? */
		return all_fault() == 1 ? 0 : 1;
	if (!strcmp(argv[1], "read")) {
		loop(N);
		return !pm_read(fd, &record) && record.r.counts[0].value >= N ? 0 : 1;
	}
	if (!strcmp(argv[1], "euid"))
		return geteuid() == 0 && getuid() != 0 ? 0 : 1;
	return 2;
}

static inline void exec_self(const char *path, const char *part, int fd)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	execl(path, program_invocation_short_name, "--play", part, number, NULL);
	_exit(126);
}

/* A set on this process, which outlives exec and can be read by a parent that had opened it. */
static inline int start(int fd, __u32 flags)
{
	struct pmudev_event_attr event = raw_event(steady_event(), flags);
	int ret;

	ret = pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0);
	if (!ret)
		ret = pm_add(fd, &event, 1);
	if (!ret)
		ret = pm_enable(fd, 0);
	return ret;
}

#endif /* PMUDEV_TEST_EXEC_H */
