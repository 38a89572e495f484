/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `pmudev stat` of a loop whose counts are known: the test's own program, with the name of a part
 * to play. For use below kselftest_harness.h.
 */
#ifndef PMUDEV_TEST_STAT_LOOP_H
#define PMUDEV_TEST_STAT_LOOP_H

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "common.h"

/* To be read by number(), which takes as long for as many digits. */
#define FEW  1000000
#define MANY 6000000
#define MORE ((__u64)(MANY - FEW) * LOOP_INSTRUCTIONS)

static struct output output;
static char program[256];
static char event[16];

/* strtol() takes longer for some digits than for others. */
static inline long number(const char *text)
{
	long n = 0;

	while (*text)
		n = 10 * n + (*text++ - '0');
	return n;
}

static inline int play(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "loop"))
		loop(number(argv[2]));
	return 0;
}

FIXTURE(interval)
{
	int server;
};

FIXTURE_SETUP(interval)
{
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	self->server = -1;
	ASSERT_GT(len, 0);
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	snprintf(event, sizeof(event), "r%llx:u", steady_event());
}

FIXTURE_TEARDOWN(interval)
{
	stop_child(self->server);
}

static inline __u64 counted_once(long rounds)
{
	__u64 value = 0;

	run(&output, "pmudev stat -e %s -- %s --play loop %ld", event, program, rounds);
	stat_value(&output, event, &value, NULL);
	return value;
}

#endif /* PMUDEV_TEST_STAT_LOOP_H */
