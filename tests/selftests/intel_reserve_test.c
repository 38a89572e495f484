// SPDX-License-Identifier: GPL-2.0
/*
 * What a reservation of Intel's PMU keeps out: perf's hardware events are refused while it lasts.
 * The NMI watchdog is one of them, and has the PMU for itself as long as it is on. (What perf does
 * all the same: intel_perf_test.c.)
 */
#include "intel.h"
#include "kselftest_harness.h"
#include "perf.h"

#include <sys/ioctl.h>

#if defined(__x86_64__)

#define WATCHDOG "/proc/sys/kernel/nmi_watchdog"

static int count_instructions(void)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);

	return pm_set(&event, 1, true);
}

static bool unreserved(void)
{
	struct pmudev_query query;

	return WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED));
}

/* n rounds: what is counted besides them. */
static __u64 around(struct __test_metadata *_metadata, int fd, __u64 n)
{
	__u64 count = 0;

	EXPECT_EQ(0, measure_read(fd, 0, n, &count));
	return count - LOOP_INSTRUCTIONS * n;
}

/* ------------------------------------------------------------------ perf's events */

TEST(perf_is_refused)
{
	struct perf_count count;
	int fd, perf, child, i;

	for (i = 0; i < 5; i++) {
		fd = count_instructions();
		ASSERT_GE(fd, 0);
		EXPECT_EQ(-EBUSY, perf_open(EVENT_INSTRUCTIONS, 0, 0, -1));
		EXPECT_EQ(-EBUSY, perf_open(EVENT_BRANCHES, 0, 0, -1));
		EXPECT_EQ(-EBUSY, perf_open(EVENT_CYCLES, 0, -1, cpus_online() - 1));
		/* Whoever asks. */
		child = fork();
		if (!child)
			_exit(perf_open(EVENT_CYCLES, 0, 0, -1) == -EBUSY ? 0 : 1);
		EXPECT_EQ(0, child_result(child));
		close(fd);
		ASSERT_TRUE(unreserved());
		perf = perf_open(EVENT_INSTRUCTIONS, 0, 0, -1);
		ASSERT_GE(perf, 0);
		loop(10000);
		count = perf_count(perf);
		EXPECT_GE(count.value, 10000ULL * LOOP_INSTRUCTIONS);
		EXPECT_EQ(count.enabled, count.running);
		close(perf);
	}
}

/* It tries all the time, and our counts are none the worse. */
TEST(perf_tries)
{
	struct turns turns;
	int fd, child, i;
	__u64 c, n;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, turns_init(&turns));
	fd = count_instructions();
	ASSERT_GE(fd, 0);
	around(_metadata, fd, 1000);
	c = around(_metadata, fd, 1000);
	child = fork_bound();
	if (!child) {
		for (i = 0;; i++) {
			if (perf_open(EVENT_CYCLES, 0, i & 1 ? -1 : 0, i & 1 ? 0 : -1) != -EBUSY)
				_exit(1);
			if (i == 2)
				turn_give(&turns, 1);
			pause_ns(20000 + i % 11 * 9001);
		}
	}
	turn_wait(&turns, 0);
	for (n = 10; n <= 10000000; n *= 10)
		EXPECT_EQ(c, around(_metadata, fd, n));
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	stop_child(child);
	close(fd);
}

/* ----------------------------------------------------------------- NMI watchdog -- */

FIXTURE(watchdog)
{
	int fd;
};

FIXTURE_SETUP(watchdog)
{
	self->fd = -1;
	if (read_number(WATCHDOG) != 0)
		SKIP(return, "kernel.nmi_watchdog is not 0");
	if (write_file(WATCHDOG, "1") || read_number(WATCHDOG) != 1)
		SKIP(return, "the kernel has no NMI watchdog");
}

FIXTURE_TEARDOWN(watchdog)
{
	if (self->fd >= 0)
		close(self->fd);
	write_file(WATCHDOG, "0");
}

TEST_F(watchdog, is_in_the_way)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct pmudev_query query;
	__s32 counter[1];
	int i;

	for (i = 0; i < 3; i++) {
		EXPECT_REFUSED(EBUSY, PMUDEV_WHY_PMU_HELD, count_instructions());
		EXPECT_EQ((__u32)PMUDEV_HOLDER_WATCHDOG, why.holder.kind);
		EXPECT_EQ(0, pm_query(&query));
		EXPECT_FALSE(query.state & PMUDEV_STATE_RESERVED);
		/* A dry run says the same, until it is off. */
		self->fd = pm_set(&event, 1, false);
		ASSERT_GE(self->fd, 0);
		EXPECT_REFUSED(EBUSY, PMUDEV_WHY_PMU_HELD, pm_place(self->fd, NULL, 0, counter));
		EXPECT_EQ((__u32)PMUDEV_HOLDER_WATCHDOG, why.holder.kind);
		ASSERT_EQ(0, write_file(WATCHDOG, "0"));
		EXPECT_EQ(0, pm_place(self->fd, NULL, 0, counter));
		close(self->fd);
		self->fd = count_instructions();
		ASSERT_GE(self->fd, 0);
		close(self->fd);
		self->fd = -1;
		ASSERT_TRUE(unreserved());
		ASSERT_EQ(0, write_file(WATCHDOG, "1"));
	}
}

/* With it off, what is in the way is perf. */
TEST_F(watchdog, is_not_perf)
{
	int perf;

	ASSERT_EQ(0, write_file(WATCHDOG, "0"));
	perf = perf_open(EVENT_CYCLES, 0, 0, -1);
	ASSERT_GE(perf, 0);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_PMU_HELD, count_instructions());
	EXPECT_EQ((__u32)PMUDEV_HOLDER_PERF, why.holder.kind);
	close(perf);
}

/* Switched on while pmudev has the PMU, it gets none, and takes none. */
TEST_F(watchdog, switched_while_reserved)
{
	__u64 c, n;
	int i, perf;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, write_file(WATCHDOG, "0"));
	self->fd = count_instructions();
	ASSERT_GE(self->fd, 0);
	around(_metadata, self->fd, 1000);
	c = around(_metadata, self->fd, 1000);
	for (i = 0; i < 5; i++) {
		/* Whether the kernel tells that it could not is the kernel's affair. */
		write_file(WATCHDOG, i & 1 ? "0" : "1");
		for (n = 10; n <= 100000; n *= 10)
			EXPECT_EQ(c, around(_metadata, self->fd, n));
	}
	write_file(WATCHDOG, "0");
	write_file(WATCHDOG, "1");
	close(self->fd);
	self->fd = -1;
	ASSERT_TRUE(unreserved());
	/* It is on by name, and in nobody's way; perf is, whatever it counts. */
	ASSERT_EQ(1, read_number(WATCHDOG));
	self->fd = count_instructions();
	ASSERT_GE(self->fd, 0);
	close(self->fd);
	self->fd = -1;
	ASSERT_TRUE(unreserved());
	for (i = 0; i < 2; i++) {
		perf = perf_open_excluding(EVENT_CYCLES, i ? PMUDEV_EXCLUDE_KERNEL : 0, -1, -1);
		ASSERT_GE(perf, 0);
		ASSERT_EQ(0, ioctl(perf, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_REFUSED(EBUSY, PMUDEV_WHY_PMU_HELD, count_instructions());
		EXPECT_EQ((__u32)PMUDEV_HOLDER_PERF, why.holder.kind);
		close(perf);
	}
	/* Switched anew, it works again. */
	ASSERT_EQ(0, write_file(WATCHDOG, "0"));
	ASSERT_EQ(0, write_file(WATCHDOG, "1"));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_PMU_HELD, count_instructions());
	EXPECT_EQ((__u32)PMUDEV_HOLDER_WATCHDOG, why.holder.kind);
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
