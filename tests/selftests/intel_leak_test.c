// SPDX-License-Identifier: GPL-2.0
/*
 * A thread that may execute RDPMC and is not counted itself sees zeroes: nothing of what anybody
 * counts or has counted on the CPU, however he left it. What perf counts, and what perf's readers
 * leave, is in intel_leak_perf_test.c.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "intel_leak.h"

#include <sys/resource.h>

#if defined(__x86_64__)

/* ------------------------------------------------------------------ who just left */

TEST_F(leak, in_turns)
{
	int i;

	ASSERT_EQ(0, get_the_right(self));
	self->child[0] = counted_child(self, 0, NULL);
	EXPECT_EQ(0ULL, seen(self));
	self->child[1] = counted_child(self, 1, NULL);
	for (i = 0; i < 50; i++) {
		EXPECT_EQ(0ULL, seen(self));
		turn_pass(&self->turns[0], 0);
		EXPECT_EQ(0ULL, seen(self));
		turn_pass(&self->owner.turns, 0);
		EXPECT_EQ(0ULL, seen(self));
		turn_pass(&self->turns[1], 0);
	}
	EXPECT_EQ(0, waitpid(-1, NULL, WNOHANG));
}

/* They were here before anybody had the right; now somebody gets it. */
TEST_F(leak, from_before)
{
	self->child[0] = counted_child(self, 0, NULL);
	self->child[1] = counted_child(self, 1, NULL);
	ASSERT_EQ(0, get_the_right(self));
	EXPECT_EQ(0ULL, seen(self));
}

static void disable(int fd)
{
	pm_disable(fd, PMUDEV_ALL);
}

static void close_it(int fd)
{
	close(fd);
}

static void end(int fd)
{
	(void)fd;
	_exit(0);
}

TEST_F(leak, of_a_set_that_ended)
{
	ASSERT_EQ(0, get_the_right(self));
	self->child[0] = counted_child(self, 0, disable);
	EXPECT_EQ(0ULL, seen(self));
	stop_child(self->child[0]);
	self->child[0] = counted_child(self, 0, close_it);
	EXPECT_EQ(0ULL, seen(self));
	stop_child(self->child[0]);
	self->child[0] = 0;
	EXPECT_EQ(0ULL, seen(self));
}

/* Counted or not, whoever ends leaves nothing. */
TEST_F(leak, of_a_process_that_ended)
{
	int i, child;

	ASSERT_EQ(0, get_the_right(self));
	for (i = 0; i < 10; i++) {
		child = fork_bound();
		if (!child) {
			if (count_everything(&self->pmu) < 0)
				_exit(1);
			loop(1000);
			end(0);
		}
		ASSERT_EQ(0, child_result(child));
		EXPECT_EQ(0ULL, seen(self));
	}
}

/* What the looker's own set counted, it gave back. Not for user reads, it may be hidden anyway. */
TEST_F(leak, of_ones_own)
{
	struct pmudev_query query;
	__u64 own;
	int fd;

	ASSERT_EQ(0, pm_query(&query));
	own = query.features & PMUDEV_HAS_HIDING ? 0 : self->pmu.counters;
	ASSERT_EQ(0, get_the_right(self));
	fd = count_everything(&self->pmu);
	ASSERT_GE(fd, 0);
	loop(1000);
	EXPECT_EQ(own, seen(self));
	ASSERT_EQ(0, pm_disable(fd, PMUDEV_ALL));
	EXPECT_EQ(0ULL, seen(self));
	ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	EXPECT_EQ(own, seen(self));
	close(fd);
	EXPECT_EQ(0ULL, seen(self));
}

/* ------------------------------------------------------------- who runs beside -- */

/* Pushed off and put back at any instruction, as long as it takes. */
static void spin_counted(struct _test_data_leak *self, int which, bool wander)
{
	unsigned int i;

	if (count_everything(&self->pmu) < 0)
		_exit(1);
	turn_give(&self->turns[which], 1);
	for (i = 0;; i++) {
		if (wander && pin_to(i % cpus_online()))
			_exit(2);
		loop(2000);
		/* Of changing length, to come back to a different place each time. */
		pause_ns(20000 + i % 11 * 3001);
	}
}

static void look(struct __test_metadata *_metadata, struct _test_data_leak *self, bool wander)
{
	struct rusage before, after;
	__u64 i, next = 0;
	long switches;
	int n;

	ASSERT_EQ(0, get_the_right(self));
	for (n = 0; n < 2; n++) {
		self->child[n] = fork_bound();
		if (!self->child[n])
			spin_counted(self, n, wander);
		turn_wait(&self->turns[n], 0);
	}
	getrusage(RUSAGE_THREAD, &before);
	for (i = 0; i < 100000; i++) {
		give_way(i, &next);
		if (wander && i % 1000 == 0)
			ASSERT_EQ(0, pin_to(i / 1000 % cpus_online()));
		ASSERT_EQ(0ULL, seen(self)) TH_LOG("no. %llu", i);
	}
	getrusage(RUSAGE_THREAD, &after);
	switches = after.ru_nivcsw - before.ru_nivcsw;
	TH_LOG("pushed off %ld times", switches);
	EXPECT_GT(switches, 10);
	EXPECT_EQ(0, waitpid(-1, NULL, WNOHANG));
}

TEST_F(leak, under_preemption)
{
	look(_metadata, self, false);
}

TEST_F(leak, on_the_way_from_cpu_to_cpu)
{
	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	look(_metadata, self, true);
}

/* User access disabled: stopped counters are not readable either. */
TEST_F(leak, user_access_disabled)
{
	int i;

	ASSERT_EQ(0, get_the_right(self));
	self->child[0] = counted_child(self, 0, NULL);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, set_user_access(i & 1));
		EXPECT_EQ(0ULL, seen(self));
		turn_pass(&self->owner.turns, 0);
		EXPECT_EQ(0ULL, seen(self));
		turn_pass(&self->turns[0], 0);
		EXPECT_EQ(0ULL, seen(self));
	}
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
