// SPDX-License-Identifier: GPL-2.0
/*
 * Counts across the PMU's loss of power: the kernel's own suspend test, which takes all but one CPU
 * offline and the last one through what precedes a power-down, and comes back.
 */
#include <fcntl.h>
#include <string.h>
#include <pthread.h>
#include <time.h>

#include "direct.h"
#include "kselftest_harness.h"

#define PM_TEST	 "/sys/power/pm_test"
#define PM_STATE "/sys/power/state"
/* Without it the test waits for 5 s, which are minutes of emulation. */
#define PM_DELAY "/sys/module/hibernate/parameters/pm_test_delay"

/* Why there is no suspend test, or NULL. */
static const char *cannot_suspend(void)
{
	if (!has_word(PM_TEST, "core") || !has_word(PM_STATE, "disk"))
		return "the kernel has no suspend test (PM_DEBUG, HIBERNATION)";
	if (write_file(PM_DELAY, "0"))
		return "the kernel's suspend test takes too long (hibernate.pm_test_delay)";
	return NULL;
}

struct expectation {
	struct pmudev_count before, after;
	__u32 flags;
};

static int count_loop(int fd, __u64 n, struct pmudev_count *count, __u32 *flags)
{
	union record record;
	int ret;

	loop(n);
	ret = pm_read(fd, &record);
	*count = record.r.counts[0];
	*flags = record.r.flags;
	return ret;
}

TEST(counts_survive)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct expectation thread, cpu;
	int own, zero, round;

	if (cannot_suspend())
		SKIP(return, "%s", cannot_suspend());
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, write_file(PM_TEST, "core"));
	own = pm_set(&event, 1, true);
	ASSERT_GE(own, 0);
	zero = pm_cpu_set(0, PMUDEV_BIND_SHARED, &event, 1);
	ASSERT_GE(zero, 0);
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, count_loop(own, 10000, &thread.before, &thread.flags));
		ASSERT_EQ(0, count_loop(zero, 10000, &cpu.before, &cpu.flags));
		ASSERT_EQ(0, write_file(PM_STATE, "disk"));
		ASSERT_EQ(0, count_loop(own, 10000, &thread.after, &thread.flags));
		ASSERT_EQ(0, count_loop(zero, 10000, &cpu.after, &cpu.flags));
		/* Both go on where they were: two loops more, no start from 0 and no jump. */
		EXPECT_GE(thread.after.value, thread.before.value + 20000);
		EXPECT_LT(thread.after.value, thread.before.value + 100000000);
		EXPECT_GE(cpu.after.value, cpu.before.value + 20000);
		EXPECT_LT(cpu.after.value, cpu.before.value + 1000000000);
		EXPECT_FALSE(cpu.flags & PMUDEV_RECORD_OFFLINE);
		/* The CPU was away for a while, and says so. */
		EXPECT_LE(cpu.after.time_running, cpu.after.time_enabled);
	}
	ASSERT_EQ(0, write_file(PM_TEST, "none"));
	close(own);
	close(zero);
}

/* Of what was counted on the CPU that stayed: the sleep is no time, as for CLOCK_MONOTONIC. */
TEST(sleep_is_no_time)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	union record before[2], after[2];
	struct timespec begin, end;
	__u64 awake;
	int fd[2], i;

	if (cannot_suspend())
		SKIP(return, "%s", cannot_suspend());
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, write_file(PM_TEST, "core"));
	ASSERT_EQ(0, write_file(PM_DELAY, "1"));
	fd[0] = pm_set(&event, 1, true);
	ASSERT_GE(fd[0], 0);
	fd[1] = pm_cpu_set(0, PMUDEV_BIND_SHARED, &event, 1);
	ASSERT_GE(fd[1], 0);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pm_read(fd[i], &before[i]));
	ASSERT_EQ(0, write_file(PM_STATE, "disk"));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pm_read(fd[i], &after[i]));
	clock_gettime(CLOCK_MONOTONIC, &end);
	awake = (end.tv_sec - begin.tv_sec) * 1000000000ULL + end.tv_nsec - begin.tv_nsec;
	for (i = 0; i < 2; i++) {
		EXPECT_GT(after[i].r.time_enabled, before[i].r.time_enabled);
		EXPECT_LE(after[i].r.time_enabled - before[i].r.time_enabled, awake);
		EXPECT_LE(after[i].r.time_running - before[i].r.time_running,
			  after[i].r.time_enabled - before[i].r.time_enabled);
		close(fd[i]);
	}
	ASSERT_EQ(0, write_file(PM_TEST, "none"));
}

/* A bare read meanwhile is invalid: the generation has changed. Later ones are valid again. */
TEST(bare_reads_are_told)
{
	struct pmudev_event_attr event = bare_event(true, DIRECT_FLAGS);
	struct pmudev_page *page;
	struct pmudev_query query;
	__u32 generation;
	__u64 raw;
	int fd, round;

	if (cannot_suspend())
		SKIP(return, "%s", cannot_suspend());
	ASSERT_EQ(0, pm_query(&query));
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, write_file(PM_TEST, "core"));
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	for (round = 0; round < 2; round++) {
		generation = READ_ONCE(page->generation);
		loop(10000);
		ASSERT_EQ(generation, READ_ONCE(page->generation));
		ASSERT_EQ(0, write_file(PM_STATE, "disk"));
		EXPECT_NE(generation, READ_ONCE(page->generation));
		EXPECT_EQ(my_tid(), READ_ONCE(page->owner));
		EXPECT_EQ(FIXED_COUNTER + 1, READ_ONCE(page->slots[0].index));
		raw = bare(true);
		EXPECT_LT((pm_value(fd, 0) - raw) & bare_mask(&query, true), 1000000ULL);
	}
	ASSERT_EQ(0, write_file(PM_TEST, "none"));
	pm_unmap(page);
	close(fd);
	EXPECT_EQ(0, set_user_access(false));
}

TEST_HARNESS_MAIN
