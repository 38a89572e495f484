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

/* Instructions a stop that may go uncounted, kernel code all of them. */
#define BOUND (debug_kernel() ? 150000ULL : 15000ULL)

struct span {
	__u64 time;
	__u64 count;
	__u64 perf_stops;
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
	s->perf_stops = query.perf_stops;
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
	passed->perf_stops = to.perf_stops - from.perf_stops;
	return ret;
}

static int perf_open(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = EVENT_CYCLES,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

static int count_cpu(__u32 flags)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, 0);
	int fd = pm_open();

	if (fd < 0 || pm_bind(fd, PMUDEV_TARGET_CPU, 0, flags) || pm_add(fd, &event, 1) ||
	    pm_enable(fd, PMUDEV_ALL))
		return -1;
	return fd;
}

FIXTURE(blackout)
{
	int perf[PERF_EVENTS];
};

FIXTURE_SETUP(blackout)
{
	if (PMU_ARCH != PMUDEV_ARCH_ARM64)
		SKIP(return, "perf is kept off the PMU altogether here");
	if (!exact_clock())
		SKIP(return, "the clock does not count instructions here (one CPU, -icount)");
}

FIXTURE_TEARDOWN(blackout)
{
}

static void rotate(struct __test_metadata *_metadata, struct _test_data_blackout *self)
{
	int i;

	for (i = 0; i < PERF_EVENTS; i++) {
		self->perf[i] = perf_open();
		ASSERT_GE(self->perf[i], 0);
	}
}

TEST_F(blackout, bounded_while_perf_rotates)
{
	struct span alone, beside;
	int fd = count_cpu(0), i;
	__u64 missing;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, run_for(fd, INTERVAL, &alone));
	/* The clock ticks in steps of some nanoseconds, and is not read at the very same moment. */
	EXPECT_LE(alone.time, alone.count + 100);
	EXPECT_GE(alone.time + 100, alone.count);

	rotate(_metadata, self);
	ASSERT_EQ(0, run_for(fd, INTERVAL, &beside));
	ASSERT_GT(beside.perf_stops, 0ULL);
	missing = beside.time - beside.count;
	TH_LOG("%llu stops in %llu ms, %llu instructions not counted: %llu a stop",
	       beside.perf_stops, beside.time / 1000000, missing, missing / beside.perf_stops);
	EXPECT_LE(beside.count, beside.time + 100);
	EXPECT_LE(missing, BOUND * beside.perf_stops);
	for (i = 0; i < PERF_EVENTS; i++)
		close(self->perf[i]);
	close(fd);
}

/* With the PMU to itself, a set loses nothing; perf's events wait. */
TEST_F(blackout, none_with_the_pmu_to_itself)
{
	struct {
		__u64 value, enabled, running;
	} count[2];
	struct span beside;
	int fd, i, round;

	rotate(_metadata, self);
	fd = count_cpu(PMUDEV_BIND_EXCLUSIVE);
	ASSERT_GE(fd, 0);
	for (i = 0; i < PERF_EVENTS; i++) {
		ASSERT_EQ(sizeof(*count), read(self->perf[i], count, sizeof(*count)));
		ASSERT_EQ(0, run_for(fd, i ? 100000 : INTERVAL, &beside));
		ASSERT_EQ(sizeof(*count), read(self->perf[i], count + 1, sizeof(*count)));
		EXPECT_EQ(count[0].running, count[1].running) TH_LOG("no. %d", i);
		EXPECT_LT(count[0].enabled, count[1].enabled);
		EXPECT_EQ(0ULL, beside.perf_stops);
		TH_LOG("%llu ns, %llu instructions", beside.time, beside.count);
		/* The clock's steps. */
		EXPECT_LE(beside.time, beside.count + 10 + 100);
	}
	/* As soon as it is disabled perf counts again. */
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, pm_disable(fd, PMUDEV_ALL));
		ASSERT_EQ(sizeof(*count), read(self->perf[0], count, sizeof(*count)));
		EXPECT_TRUE(WAIT_FOR((loop(10000), read(self->perf[0], count + 1, sizeof(*count)),
				      count[1].running > count[0].running)));
		ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	}
	close(fd);
	for (i = 0; i < PERF_EVENTS; i++)
		close(self->perf[i]);
}

TEST_HARNESS_MAIN
