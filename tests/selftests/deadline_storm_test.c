// SPDX-License-Identifier: GPL-2.0
/*
 * Deadlines that come too fast: the machine goes on, and none is lost. The limit delays them, and
 * they say so.
 */
#include <string.h>
#include <sys/eventfd.h>

#include "deadline.h"
#include "storm.h"
#include "kselftest_harness.h"

FIXTURE(storm)
{
	struct pmudev_event_attr event;
	int fd;
};

FIXTURE_SETUP(storm)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	self->fd = -1;
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	if (!(query.features & PMUDEV_HAS_DEADLINE))
		SKIP(return, "no deadlines on this kernel");
	if (!(__u32)query.available)
		SKIP(return, "no event counters here, only %#llx", query.available);
	ASSERT_EQ(0, limit_overflows(true));
}

FIXTURE_TEARDOWN(storm)
{
	if (self->fd >= 0)
		close(self->fd);
	limit_overflows(true);
}

/* The time of n rounds, in ns. */
static __u64 time_of(__u64 n)
{
	__u64 begin = now_ns();

	loop(n);
	return now_ns() - begin;
}

TEST_F(storm, limit)
{
	struct pmudev_report report;
	__u64 rounds = debug_kernel() ? 20000000 : 50000000, alone, beside, count;

	ASSERT_EQ(0, pin_to(0));
	alone = time_of(rounds);
	self->fd = pm_set(&self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 1000, 1000));
	beside = time_of(rounds);
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	count = pm_value(self->fd, 0);
	EXPECT_EQ(count / 1000, report.reached);
	EXPECT_EQ(report.reached * 1000, report.value);
	if (overflows_interrupt())
		EXPECT_EQ((__u32)PMUDEV_REPORT_LATE, report.flags);
	EXPECT_GT(report.overruns, 0ULL);
	EXPECT_LT(report.overruns, report.reached);
	TH_LOG("%llu ns alone, %llu with %llu deadlines, %llu of them on their own", alone, beside,
	       report.reached, report.reached - report.overruns);
	if (emulated() && !debug_kernel())
		EXPECT_LT(beside, alone + alone / 2);
}

/* One for each instruction; several threads. */
TEST_F(storm, each_instruction)
{
	struct pmudev_report report;
	int fd[4], pid[4], i;
	__u64 count;

	for (i = 0; i < 4; i++) {
		pid[i] = fork_bound();
		if (!pid[i])
			for (;;)
				loop(1000);
		fd[i] = pm_attach(pid[i], 0, &self->event, 1, true);
		ASSERT_GE(fd[i], 0);
		ASSERT_EQ(0, pm_deadline(fd[i], 0, 0, 1, 1));
	}
	pause_ns(200000000);
	for (i = 0; i < 4; i++) {
		stop_child(pid[i]);
		ASSERT_EQ(1, pm_reports(fd[i], &report, 1));
		count = pm_value(fd[i], 0);
		EXPECT_EQ(count, report.reached);
		EXPECT_EQ(count, report.value);
		EXPECT_GT(count, debug_kernel() ? 100ULL : 10000ULL);
		close(fd[i]);
	}
}

/*
 * Each report that is told on its own adds 1 to the eventfd; overruns are all others. x86 takes the
 * overflow's interrupt where the kernel has others disabled, so several are told together.
 */
TEST_F(storm, eventfd_adds_up)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, 0);
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_EVENTFD | PMUDEV_DEADLINE_PERIODIC,
		.value = 1000,
		.period = 1000,
		.eventfd = eventfd(0, EFD_NONBLOCK),
	};
	struct pmudev_report report;
	__u64 told = 0;

	ASSERT_GE(deadline.eventfd, 0);
	ASSERT_EQ(0, pin_to(0));
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadlines(self->fd, &deadline, 1));
	loop(few(50000000));
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	EXPECT_EQ(pm_value(self->fd, 0) / 1000, report.reached);
	EXPECT_EQ((ssize_t)sizeof(told), read(deadline.eventfd, &told, sizeof(told)));
	EXPECT_GT(told, 1ULL);
	EXPECT_EQ(report.reached - report.overruns, told);
	close(deadline.eventfd);
}

/* After a storm a deadline is in time again. */
TEST_F(storm, over)
{
	struct pmudev_report report;

	if (!overflows_interrupt())
		SKIP(return, NO_INTERRUPTS);
	self->fd = pm_set(&self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 500, 500));
	loop(5000000);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_REMOVE, 0, 0));
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	/* The next tick but one. */
	pause_ns(30000000);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_RELATIVE, 100000, 0));
	loop(60000);
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	EXPECT_EQ(0U, report.flags);
	if (interrupts_on_time())
		EXPECT_EQ(report.value, report.count);
}

TEST_HARNESS_MAIN
