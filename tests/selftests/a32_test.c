// SPDX-License-Identifier: GPL-2.0
/* A kernel of 32 bits, whose perf has no driver of the PMU: what is otherwise there. */
#include "common.h"
#include "kselftest_harness.h"

#if defined(__arm__)

#include <sched.h>

#include "subject.h"

FIXTURE(a32)
{
	struct pmudev_query query;
};

FIXTURE_SETUP(a32)
{
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pm_query(&self->query));
}

FIXTURE_TEARDOWN(a32)
{
	set_user_access(false);
}

/* Half of each counter, all of the cycle counter; perf takes none; nothing of AArch64's alone. */
TEST_F(a32, query)
{
	const struct pmudev_query *q = &self->query;

	EXPECT_EQ(PMUDEV_ARCH_ARM64, q->arch);
	EXPECT_GE(q->arch_version, 6U) TH_LOG("AArch64 would have counters of 64 bits");
	EXPECT_EQ(0x10000003fULL, q->counters);
	EXPECT_EQ(q->counters, q->available);
	EXPECT_EQ(32U, q->width);
	EXPECT_EQ(64U, q->width_fixed);
	EXPECT_EQ(0U, q->threshold_max);
	EXPECT_EQ(0ULL, q->user);
	EXPECT_EQ(PMUDEV_HAS_CHAIN, q->features & (PMUDEV_HAS_LONG | PMUDEV_HAS_CHAIN));
	EXPECT_EQ(0ULL, q->features & (PMUDEV_HAS_THRESHOLD | PMUDEV_HAS_USER_READ |
				       PMUDEV_HAS_DIRECT | PMUDEV_HAS_HIDING));
}

/* The page comes with an event for user reads, and these are refused: no instruction reads. */
TEST_F(a32, user_mode_reads_nothing)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
		raw_event(EVENT_CYCLES, DIRECT_READ),
	};
	int fd = pm_set(events, 1, true);

	ASSERT_GE(fd, 0);
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_HARDWARE, pm_add(fd, &events[1], 1));
	EXPECT_EQ(NULL, pm_map(fd));
	EXPECT_EQ(1, all_fault());
	/* Switched in again, too. */
	pause_ns(1000000);
	EXPECT_EQ(1, all_fault());
	close(fd);
}

/* The timer goes round 32 bits in less than that. */
TEST_F(a32, a_long_time)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	__u64 seconds = (1ULL << 32) / self->query.clock_hz * 3 + 1;
	struct timespec time = { .tv_sec = seconds };
	union record before, after;
	__u64 from, to;
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	/* A CPU's time is all of it. */
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_CPU, 0, 0));
	ASSERT_EQ(0, pm_add(fd, &event, 1));
	ASSERT_EQ(0, pm_enable(fd, 0));
	ASSERT_EQ(0, pm_read(fd, &before));
	from = now_ns();
	ASSERT_EQ(0, nanosleep(&time, NULL));
	to = now_ns();
	ASSERT_EQ(0, pm_read(fd, &after));
	EXPECT_GE(after.r.time_enabled - before.r.time_enabled + 1000, to - from);
	EXPECT_LE(after.r.time_enabled - before.r.time_enabled, to - from + 1000000);
	EXPECT_EQ(after.r.time_enabled, after.r.time_running);
	close(fd);
}

/* Two counters as one of 64 bits count what a single one does, over its edge, too. */
TEST_F(a32, chained)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_LONG),
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
	};
	__u64 start = (1ULL << 32) - 100000;
	union record record;
	int fd = pm_set(events, 2, true);
	int i;

	ASSERT_GE(fd, 0);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pm_reset(fd, PMUDEV_ALL, i & 1 ? start << (i / 2) : 0));
		loop(1000000);
		ASSERT_EQ(0, pm_read(fd, &record));
		EXPECT_GE(record.r.counts[0].value - (i & 1 ? start << (i / 2) : 0), 2000000ULL);
		EXPECT_EQ(record.r.counts[0].value, record.r.counts[1].value);
	}
	close(fd);
}

/* Two threads of one CPU, each with a set of its own: a switch takes nothing from either. */
TEST_F(a32, each_its_own)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	__u64 count[2] = { 0, 0 }, rounds = 300000;
	union record record;
	struct turns turns;
	int fd[2], child, i;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, turns_init(&turns));
	child = fork_bound();
	if (!child) {
		for (;;) {
			turn_wait(&turns, 1);
			loop(3 * rounds);
			turn_give(&turns, 1);
		}
	}
	fd[0] = pm_set(&event, 1, true);
	ASSERT_GE(fd[0], 0);
	fd[1] = pm_open();
	ASSERT_EQ(0, pm_bind(fd[1], PMUDEV_TARGET_TASK, child, 0));
	ASSERT_EQ(0, pm_add(fd[1], &event, 1));
	ASSERT_EQ(0, pm_enable(fd[1], 0));
	for (i = 0; i < 8; i++) {
		__u64 last[2] = { count[0], count[1] };
		int k;

		loop(rounds);
		turn_pass(&turns, 0);
		for (k = 0; k < 2; k++) {
			ASSERT_EQ(0, pm_read(fd[k], &record));
			count[k] = record.r.counts[0].value;
			EXPECT_GE(count[k] - last[k], (k ? 3 : 1) * rounds * LOOP_INSTRUCTIONS);
			EXPECT_LE(count[k] - last[k],
				  (k ? 3 : 1) * rounds * LOOP_INSTRUCTIONS + 2000);
		}
	}
	stop_child(child);
	close(fd[0]);
	close(fd[1]);
}

#else

TEST(a32)
{
	SKIP(return, "32-bit arm only");
}

#endif

TEST_HARNESS_MAIN
