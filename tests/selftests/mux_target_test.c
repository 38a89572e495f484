// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexed groups, as in mux_test.c, of a thread that is moved between CPUs, of children, and of
 * a CPU.
 */
#include "mux.h"
#include "kselftest_harness.h"
#include "mux_share.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

TEST_F(mux, moved_between_cpus)
{
	union record before, after;
	__u64 sum = 0;
	int i;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	self->fd = mux_attach(&self->pool, self->s.pid, 0, GROUPS);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	for (i = 0; i < 240; i++) {
		ASSERT_EQ(0, pin_task_to(self->s.pid, i % cpus_online()));
		ASSERT_EQ(0, subject_work(&self->s, ROUNDS(1) + i * 101));
		sum += WORK(ROUNDS(1) + i * 101);
	}
	ASSERT_EQ(0, pm_read(self->fd, &after));
	check_shares(_metadata, &before, &after, GROUPS, self->pool.nr, sum);
}

/* Children inherit the groups, and their turns. */
TEST_F(mux, inherited)
{
	struct subject child[4];
	union record before, after;
	__u64 others, sum = 0;
	struct pmudev_count c;
	unsigned int i, j;

	self->fd = mux_attach(&self->pool, 0, PMUDEV_BIND_INHERIT, GROUPS);
	ASSERT_GE(self->fd, 0);
	for (i = 0; i < ARRAY_SIZE(child); i++)
		ASSERT_EQ(0, subject_fork(&child[i]));
	ASSERT_EQ(0, pm_read(self->fd, &before));
	for (j = 0; j < 30; j++) {
		for (i = 0; i < ARRAY_SIZE(child); i++) {
			ASSERT_EQ(0, subject_work(&child[i], ROUNDS(4)));
			sum += WORK(ROUNDS(4));
		}
	}
	ASSERT_EQ(0, pm_read(self->fd, &after));
	/* The caller is counted, too: what it does to have others work. */
	c = sum_since(&before, &after, 0, GROUPS);
	others = c.value - self->pool.nr * sum;
	EXPECT_GT(others, 0ULL);
	EXPECT_LT(others, self->pool.nr * sum / 20);
	EXPECT_EQ(0ULL, c.value % self->pool.nr);
	for (i = 0; i < GROUPS; i++) {
		c = since(&before, &after, i);
		/* Whatever children the first turns are, and the last. */
		EXPECT_TRUE(has_share(&c, GROUPS, self->pool.nr, 2 * SHARE_PERCENT))
		TH_LOG("group %u ran %llu of %llu", i, c.time_running, c.time_enabled);
	}
	/* And when they have ended, all is there. */
	before = after;
	for (i = 0; i < ARRAY_SIZE(child); i++) {
		ASSERT_EQ(0, subject_work(&child[i], ROUNDS(1)));
		ASSERT_EQ(0, subject_end(&child[i]));
	}
	ASSERT_EQ(0, pm_read(self->fd, &after));
	c = sum_since(&before, &after, 0, GROUPS);
	EXPECT_GT(c.value, self->pool.nr * ARRAY_SIZE(child) * WORK(ROUNDS(1)));
	EXPECT_EQ(0ULL, c.value % self->pool.nr);
}

/* Children that live for less than a turn: each begins with another one. */
TEST_F(mux, of_short_children)
{
	union record before, after;
	struct pmudev_count c;
	int i, child;

	self->fd = mux_attach(&self->pool, 0, PMUDEV_BIND_INHERIT, GROUPS);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	for (i = 0; i < 10 * GROUPS; i++) {
		child = fork_bound();
		if (!child) {
			loop(ROUNDS(1) / 2);
			_exit(0);
		}
		ASSERT_EQ(0, child_result(child));
	}
	ASSERT_EQ(0, pm_read(self->fd, &after));
	c = sum_since(&before, &after, 0, GROUPS);
	EXPECT_EQ(0ULL, c.value % self->pool.nr);
	EXPECT_GT(c.value, self->pool.nr * LOOP_INSTRUCTIONS * 5 * GROUPS * ROUNDS(1));
	for (i = 0; i < GROUPS; i++) {
		c = since(&before, &after, i);
		EXPECT_TRUE(has_share(&c, GROUPS, self->pool.nr, 2 * SHARE_PERCENT))
		TH_LOG("group %u ran %llu of %llu", i, c.time_running, c.time_enabled);
	}
}

static int cpu_groups(const struct pool *pool, unsigned int nr)
{
	struct pmudev_event_attr events[GROUPS];
	unsigned int i;

	for (i = 0; i < nr; i++)
		events[i] = mux_event(pool, i);
	return pm_cpu_set(0, 0, events, nr);
}

/* Of a CPU: whoever runs there. */
TEST_F(mux, of_a_cpu)
{
	union record before, after;
	struct pmudev_count c;
	unsigned int i;

	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, pin_task_to(self->s.pid, 0));
	self->fd = cpu_groups(&self->pool, GROUPS);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	for (i = 0; i < 10; i++) {
		loop(ROUNDS(12));
		ASSERT_EQ(0, subject_work(&self->s, ROUNDS(12)));
	}
	ASSERT_EQ(0, pm_read(self->fd, &after));
	c = sum_since(&before, &after, 0, GROUPS);
	EXPECT_EQ(0ULL, c.value % self->pool.nr);
	EXPECT_GT(c.value, self->pool.nr * 10 * (WORK(ROUNDS(12)) + WORK(ROUNDS(12))));
	for (i = 0; i < GROUPS; i++) {
		c = since(&before, &after, i);
		EXPECT_TRUE(has_share(&c, GROUPS, self->pool.nr, SHARE_PERCENT));
		EXPECT_TRUE(within_percent(scaled(&c), 240 * 1000000ULL, PERCENT));
	}
}

static bool timer_runs(void)
{
	FILE *file = fopen("/proc/timer_list", "r");
	char line[256];
	bool runs = false;

	while (file && fgets(line, sizeof(line), file))
		runs |= !!strstr(line, "pmudev_rotate_tick");
	if (file)
		fclose(file);
	return runs;
}

/* What has nothing to take turns with does not wake its CPU. */
TEST_F(mux, that_fit_have_no_timer)
{
	unsigned int i;

	if (access("/proc/timer_list", R_OK))
		SKIP(return, "this kernel has no /proc/timer_list");
	ASSERT_TRUE(WAIT_FOR(!timer_runs()));
	self->fd = cpu_groups(&self->pool, self->pool.nr);
	ASSERT_GE(self->fd, 0);
	EXPECT_FALSE(timer_runs());
	close(self->fd);
	self->fd = cpu_groups(&self->pool, GROUPS);
	ASSERT_GE(self->fd, 0);
	EXPECT_TRUE(WAIT_FOR(timer_runs()));
	/* Until one is left: the others are disabled, and the timer ends. */
	for (i = 1; i < GROUPS; i++)
		EXPECT_EQ(0, pm_disable(self->fd, i));
	EXPECT_TRUE(WAIT_FOR(!timer_runs()));
}

TEST_HARNESS_MAIN
