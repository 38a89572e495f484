/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disturbances: each is a process that does one thing again and again beside a test, until it is
 * told to stop, and counts how often. It has precedence over what it disturbs.
 */
#ifndef PMUDEV_TEST_DISTURB_H
#define PMUDEV_TEST_DISTURB_H

#include "common.h"

struct disturbance {
	const char *name;
	/* 0; -EAGAIN: not this time; else -errno, which ends it */
	int (*once)(void *arg, unsigned int i);
	void *arg;
	__u64 pause; /* ns, about */
	/* since it was started */
	int pid;
	bool begin, stop;
	unsigned int times;
	int wrong;
};

#define DISTURB(name_, once_, arg_, pause_)                                 \
	{                                                                   \
		.name = name_, .once = once_, .arg = arg_, .pause = pause_, \
	}

/* A process that waits for its beginning; @d lies in shared memory. 0 or -errno. */
int disturb_prepare(struct disturbance *d);
void disturb_begin(struct disturbance *d);
/* Both. */
int disturb_start(struct disturbance *d);
/* What the process does; for a thread instead. */
void disturb_go_on(struct disturbance *d);
/* Told to stop, and collected: 0, what went wrong, or as child_result(). */
int disturb_end(struct disturbance *d);

/* What a test waits for, however soon it has done all else */
#define DISTURBED_LEAST 3U

/* Has each of them that there is happened so often? Or gone wrong. */
bool disturbed(const struct disturbance *d, unsigned int nr, unsigned int least);

/* A CPU other than 0 goes and comes back. @arg: the number of CPUs, as a pointer. */
int hotplug_once(void *arg, unsigned int i);
/* User access is allowed and forbidden in turn. @arg: unused */
int access_once(void *arg, unsigned int i);

#endif /* PMUDEV_TEST_DISTURB_H */
