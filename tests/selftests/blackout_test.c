// SPDX-License-Identifier: GPL-2.0
/*
 * What is not counted while perf stops the PMU: measured, and bounded.
 *
 * With one CPU and icount shift 0 every instruction takes a nanosecond of CLOCK_MONOTONIC, and a
 * set on that CPU, nothing excluded, counts every instruction. What time has passed beyond the
 * count is what was not counted.
 */
#include <fcntl.h>
#include <string.h>
#include <linux/perf_event.h>
#include "common.h"
#include "kselftest_harness.h"

#define PERF_EVENTS 10 /* more than there are counters: perf rotates them */
#define INTERVAL    50000000ULL

/* Instructions a restore that may go uncounted, kernel code all of them. */
#define BOUND (debug_kernel() ? 60000ULL : 5000ULL)

struct span {
	__u64 time;
	__u64 count;
	__u64 perf_restores;
};

static int span(int fd, struct span *s)
{
	struct pmudev_query query;
	union record record;
	int ret;

	ret = pm_query(&query);
	if (!ret)
		ret = pm_read(fd, &record);
	s->time = record.r.time;
	s->count = record.r.counts[0].value;
	s->perf_restores = query.perf_restores;
	return ret;
}

/* Run for a while and say what time went by, what was counted and how often perf was in the way. */
static int run_for(int fd, __u64 ns, struct span *passed)
{
	struct span from, to = { 0 };
	int ret;

	ret = span(fd, &from);
	do {
		loop(100000);
		if (!ret)
			ret = span(fd, &to);
	} while (!ret && to.time - from.time < ns);
	passed->time = to.time - from.time;
	passed->count = to.count - from.count;
	passed->perf_restores = to.perf_restores - from.perf_restores;
	return ret;
}

static int perf_open(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = EVENT_CYCLES,
	};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

TEST(bounded_while_perf_rotates)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, 0);
	int fd, perf[PERF_EVENTS], i;
	struct span alone, beside;
	__u64 missing;

	if (PMU_ARCH != PMUDEV_ARCH_ARM64)
		SKIP(return, "perf is kept off the PMU altogether here");
	if (!exact_clock())
		SKIP(return, "the clock does not count instructions here (one CPU, -icount)");
	fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, run_for(fd, INTERVAL, &alone));
	/* The clock ticks in steps of some nanoseconds, and is not read at the very same moment. */
	EXPECT_LE(alone.time, alone.count + 100);
	EXPECT_GE(alone.time + 100, alone.count);

	for (i = 0; i < PERF_EVENTS; i++) {
		perf[i] = perf_open();
		ASSERT_GE(perf[i], 0);
	}
	ASSERT_EQ(0, run_for(fd, INTERVAL, &beside));
	ASSERT_GT(beside.perf_restores, 0ULL);
	missing = beside.time - beside.count;
	TH_LOG("%llu restores in %llu ms, %llu instructions not counted: %llu a restore",
	       beside.perf_restores, beside.time / 1000000, missing,
	       missing / beside.perf_restores);
	EXPECT_LE(beside.count, beside.time + 100);
	EXPECT_LE(missing, BOUND * beside.perf_restores);
	for (i = 0; i < PERF_EVENTS; i++)
		close(perf[i]);
	close(fd);
}

TEST_HARNESS_MAIN
