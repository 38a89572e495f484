/* SPDX-License-Identifier: GPL-2.0 */
/* The same events by pmudev, as one set, and by perf, as one group. */
#ifndef PMUDEV_BENCH_API_H
#define PMUDEV_BENCH_API_H

#include "bench.h"

/* So many of them are on counters together on every machine of the benchmarks. */
#define MOST 6

/**
 * struct wish - what is to be counted
 * @pid: a thread, 0: the caller; not looked at if @cpu is not negative
 * @cpu: a CPU, -1: a thread
 * @cgroup: a descriptor of its directory: its threads on @cpu, 0: all there
 * @nr: events, instructions and cycles by turns, in user mode
 * @user: readable in user mode, with their pages mapped
 * @off: opened, but not enabled
 * @deadline: of the first event, to be told of each so many counted ones; 0: none
 */
struct wish {
	int pid;
	int cpu;
	int cgroup;
	unsigned int nr;
	bool user;
	bool off;
	__u64 deadline;
};

static inline struct wish of_self(unsigned int nr, bool user)
{
	return (struct wish){ .cpu = -1, .nr = nr, .user = user };
}

/* @nr: files and pages: of pmudev one, of perf one an event */
struct events {
	int fd[MOST];
	void *page[MOST];
	unsigned int nr;
};

/**
 * struct api - one of the two
 * @begin: it has the PMU from now on
 * @open: 0 or -errno, then there is nothing to close
 * @enable, @disable: all events, by one call
 * @read: all events, by one read(2) in a fixed number of instructions
 */
struct api {
	const char *name;
	void (*begin)(void);
	int (*open)(struct events *e, const struct wish *wish);
	void (*close)(struct events *e);
	void (*enable)(struct events *e);
	void (*disable)(struct events *e);
	void (*read)(struct events *e);
};

extern const struct api perf_api, pmudev_api;

/* perf is measured first: so nothing of pmudev's is there yet. */
extern const struct api *const apis[2];
#define OURS   1
#define THEIRS 0

/* @wish by @api */
struct life {
	const struct api *api;
	struct wish wish;
	struct events events;
};

/* Opens what is wished, enables it if that was not done by opening, and closes it. @arg: a life */
void one_life(void *arg);

static inline __u64 config_of(unsigned int i)
{
	return i % 2 ? EVENT_CYCLES : EVENT_INSTRUCTIONS;
}

#endif /* PMUDEV_BENCH_API_H */
