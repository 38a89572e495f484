// SPDX-License-Identifier: GPL-2.0
/*
 * What it takes to be told of a count: two processes on one CPU, one that is counted and one that
 * waits for every PERIOD instructions of it. The time of a round, less the PERIOD, is that of an
 * interrupt, a switch to the waiting one, poll(2) with what it reads then, and the switch back.
 */
#include "api.h"
#include "costs.h"
#include "deadline.h"
#include "perf.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>

#define PERIOD	100000
#define ROUNDS	200
#define SAMPLES 5

struct told {
	int fd;
	struct perf_event_mmap_page *ring; /* of perf */
};

static void open_pmudev(struct told *told, pid_t pid)
{
	struct pmudev_event_attr attr = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	int ret;

	if (limit_overflows(false))
		fail(MAX_OVERFLOWS, -EIO);
	told->fd = pm_open();
	ret = pm_bind(told->fd, PMUDEV_TARGET_TASK, pid, 0);
	if (!ret)
		ret = pm_add(told->fd, &attr, 1);
	if (!ret)
		ret = pm_deadline(told->fd, 0, PMUDEV_DEADLINE_RELATIVE, PERIOD, PERIOD);
	if (!ret)
		ret = pm_enable(told->fd, PMUDEV_ALL);
	if (ret)
		fail("the set", ret);
}

static void open_perf(struct told *told, pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = EVENT_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_IP,
		.wakeup_events = 1,
	};

	told->fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (told->fd < 0)
		fail("perf_event_open", -errno);
	told->ring = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, told->fd, 0);
	if (told->ring == MAP_FAILED)
		fail("mmap", -errno);
}

/* One is told: it looks at the count, and waits again. */
static void hear(struct told *told)
{
	struct pollfd wait = { .fd = told->fd, .events = POLLIN };
	struct pmudev_report report;
	__u64 head;

	if (poll(&wait, 1, -1) != 1)
		fail("poll", -errno);
	if (!told->ring) {
		if (pm_reports(told->fd, &report, 1) != 1)
			fail("REPORT", -errno);
		return;
	}
	head = __atomic_load_n(&told->ring->data_head, __ATOMIC_ACQUIRE);
	__atomic_store_n(&told->ring->data_tail, head, __ATOMIC_RELEASE);
}

static double time_rounds(struct told *told)
{
	double samples[SAMPLES];
	unsigned int i, round;
	__u64 start;

	for (i = 0; i < SAMPLES; i++) {
		hear(told);
		costs_begin(now_ns);
		start = now_ns();
		for (round = 0; round < ROUNDS; round++)
			hear(told);
		samples[i] = (double)(now_ns() - start) / ROUNDS - PERIOD;
		costs_end(ROUNDS);
	}
	costs_done();
	return median(samples, SAMPLES);
}

int main(void)
{
	struct told told;
	unsigned int side;
	double cost[2];
	pid_t child;

	settle();
	for (side = 0; side < 2; side++) {
		memset(&told, 0, sizeof(told));
		apis[side]->begin();
		child = fork_bound();
		if (!child)
			for (;;)
				loop(1000);
		if (apis[side] == &pmudev_api)
			open_pmudev(&told, child);
		else
			open_perf(&told, child);
		cost[side] = time_rounds(&told);
		costs_row(apis[side]->name, "deadline-poll", 1);
		stop_child(child);
		if (told.ring)
			munmap(told.ring, 2 * PAGE_BYTES);
		close(told.fd);
	}
	row("deadline-poll", 1, cost[OURS], cost[THEIRS]);
	return 0;
}
