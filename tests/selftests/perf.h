/* SPDX-License-Identifier: GPL-2.0 */
/* perf's events, for tests of how it and pmudev share the PMU. */
#ifndef PMUDEV_TEST_PERF_H
#define PMUDEV_TEST_PERF_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <sys/types.h>

struct perf_count {
	__u64 value;
	__u64 enabled;
	__u64 running;
};

/* A raw event that counts in user mode: a descriptor or -errno. */
int perf_open(__u64 config, __u64 config1, pid_t pid, int cpu);
/*
 * One with pmudev's PMUDEV_EXCLUDE_* flags, of the calling thread or of a CPU if that is not
 * negative. Without a leader (-1) it is disabled.
 */
int perf_open_excluding(__u64 config, __u32 flags, int cpu, int leader);
/* The task clock, which is a software event. */
int perf_open_clock(void);
struct perf_count perf_count(int fd);
/* How long the turns of perf's events are that share counters. 0 or -errno. */
int perf_set_turns(unsigned int ms);

#endif /* PMUDEV_TEST_PERF_H */
