/* SPDX-License-Identifier: GPL-2.0 */
/* perf's events, for tests of how it and pmudev share the PMU. */
#ifndef PMUDEV_TEST_PERF_H
#define PMUDEV_TEST_PERF_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <sys/types.h>

/* perf counts on what pmudev leaves; elsewhere one of them has the whole PMU. */
#define BESIDE_PERF (PMU_ARCH == PMUDEV_ARCH_ARM64)

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
/* A pinned one of a CPU. */
int perf_open_pinned(__u64 config, int cpu);
/* The task clock, which is a software event. */
int perf_open_clock(void);
struct perf_count perf_count(int fd);
/*
 * An event of the calling thread that it reads itself, as perf's documentation says, and by
 * read(2).
 */
struct perf_reader {
	int fd;
	struct perf_event_mmap_page *page;
	__u64 direct, calls; /* reads so far */
};

#if defined(__aarch64__)
#define PERF_RIGHT_FILE "/proc/sys/kernel/perf_user_access"
#else
#define PERF_RIGHT_FILE "/sys/bus/event_source/devices/cpu/rdpmc"
#endif

/* 0 or -errno. PERF_RIGHT_FILE must allow it. */
int perf_reader_open(struct perf_reader *reader, __u64 config);
int perf_reader_read(struct perf_reader *reader, __u64 *count);
void perf_reader_close(struct perf_reader *reader);

/* Samples of a CPU or thread, so many a second. */
struct perf_samples {
	int fd;
	struct perf_event_mmap_page *page;
	__u64 lost; /* how many, as perf says */
};

int perf_samples_open(struct perf_samples *samples, __u64 config, int cpu, unsigned int hz);
/* One after so many events of user mode. */
int perf_samples_open_every(struct perf_samples *samples, __u64 config, int cpu, __u64 period);
int perf_samples_open_thread(struct perf_samples *samples, __u64 config, pid_t pid, __u64 period);
/* How many there are; they are dropped. */
unsigned int perf_samples_take(struct perf_samples *samples);
void perf_samples_close(struct perf_samples *samples);

/* How long the turns of perf's events are that share counters. 0 or -errno. */
int perf_set_turns(unsigned int ms);

#endif /* PMUDEV_TEST_PERF_H */
