// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexed groups: each has its share of the time, what is scaled up by it is close to the
 * whole, and nothing is lost at a turn.
 */
#include "mux.h"
#include "kselftest_harness.h"

#include <sys/mman.h>

FIXTURE(mux)
{
	struct pool pool;
	__u64 cost;
	struct subject s;
	int fd; /* on the subject */
};

FIXTURE_SETUP(mux)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	self->fd = -1;
	self->cost = subject_cost();
	ASSERT_NE(0ULL, self->cost);
	ASSERT_EQ(0, pool_find(&self->pool));
	ASSERT_GE(self->pool.nr, 3U);
	ASSERT_EQ(0, subject_fork(&self->s));
}

FIXTURE_TEARDOWN(mux)
{
	struct pmudev_query query;

	close(self->fd);
	EXPECT_EQ(0, subject_end(&self->s));
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

#define WORK(n) (LOOP_INSTRUCTIONS * (__u64)(n) + self->cost)
/* Milliseconds of work: a turn is about one. */
#define ROUNDS(ms) ((ms) * 1000000ULL / LOOP_INSTRUCTIONS)

/* Shares of @nr groups of one event on as many counters as the pool has, or fewer. */
static void check_shares(struct __test_metadata *_metadata, const union record *before,
			 const union record *after, unsigned int nr, unsigned int counters,
			 __u64 whole)
{
	struct pmudev_count c, sum = sum_since(before, after, 0, nr);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		c = since(before, after, i);
		EXPECT_TRUE(has_share(&c, nr, counters, SHARE_PERCENT))
		TH_LOG("group %u ran %llu of %llu ns", i, c.time_running, c.time_enabled);
		EXPECT_TRUE(within_percent(scaled(&c), whole, PERCENT))
		TH_LOG("group %u: %llu of %llu", i, scaled(&c), whole);
		EXPECT_EQ(since(before, after, 0).time_enabled, c.time_enabled);
	}
	/* Each counter was somebody's all the time, but for the turns themselves. */
	EXPECT_LE(sum.time_running, c.time_enabled * counters);
	EXPECT_TRUE(within_percent(sum.time_running, c.time_enabled * counters, 1));
	EXPECT_EQ(whole * counters, sum.value);
}

TEST_F(mux, twelve_groups)
{
	union record before, after;
	int i;

	self->fd = mux_attach(&self->pool, self->s.pid, 0, GROUPS);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	EXPECT_EQ((1ULL << GROUPS) - 1, before.r.multiplexed);
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, before.r.flags);
	/* In one go, and with a sleep after each millisecond and a bit. */
	ASSERT_EQ(0, subject_work(&self->s, ROUNDS(240)));
	ASSERT_EQ(0, pm_read(self->fd, &after));
	check_shares(_metadata, &before, &after, GROUPS, self->pool.nr, WORK(ROUNDS(240)));
	before = after;
	for (i = 0; i < 200; i++)
		ASSERT_EQ(0, subject_work(&self->s, ROUNDS(1) + 12345));
	ASSERT_EQ(0, pm_read(self->fd, &after));
	check_shares(_metadata, &before, &after, GROUPS, self->pool.nr,
		     200 * WORK(ROUNDS(1) + 12345));
}

/* A thread that never runs for as long as a turn takes: its groups take turns none the less. */
TEST_F(mux, short_runs)
{
	union record before, after;
	int i;

	self->fd = mux_attach(&self->pool, self->s.pid, 0, GROUPS);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	for (i = 0; i < 2400; i++)
		ASSERT_EQ(0, subject_work(&self->s, ROUNDS(1) / 10));
	ASSERT_EQ(0, pm_read(self->fd, &after));
	check_shares(_metadata, &before, &after, GROUPS, self->pool.nr,
		     2400 * WORK(ROUNDS(1) / 10));
}

/* Of oneself. */
TEST_F(mux, of_the_caller)
{
	union record before, after;
	struct pmudev_count c;
	unsigned int i;

	self->fd = mux_attach(&self->pool, 0, 0, GROUPS);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	loop(ROUNDS(240));
	ASSERT_EQ(0, pm_read(self->fd, &after));
	for (i = 0; i < GROUPS; i++) {
		c = since(&before, &after, i);
		EXPECT_TRUE(has_share(&c, GROUPS, self->pool.nr, SHARE_PERCENT));
		EXPECT_TRUE(within_percent(scaled(&c), LOOP_INSTRUCTIONS * ROUNDS(240), PERCENT));
	}
}

/* Where all fit together nobody takes turns, and nothing has to be scaled. */
TEST_F(mux, that_fit_together)
{
	union record before, after;
	struct pmudev_count c;
	unsigned int i;

	self->fd = mux_attach(&self->pool, self->s.pid, 0, self->pool.nr);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	ASSERT_EQ(0, subject_work(&self->s, ROUNDS(20)));
	ASSERT_EQ(0, pm_read(self->fd, &after));
	EXPECT_EQ((1ULL << self->pool.nr) - 1, after.r.multiplexed);
	for (i = 0; i < self->pool.nr; i++) {
		c = since(&before, &after, i);
		EXPECT_EQ(WORK(ROUNDS(20)), c.value);
		EXPECT_EQ(c.time_enabled, c.time_running);
	}
	EXPECT_EQ(after.r.time_enabled, after.r.time_running);
}

/* Few turns of each group, one of which may be longer in the kernel than another. */
#define PERCENT_OF_FEW (debug_kernel() ? 20 : 1)

/* As many groups as a set can have. */
TEST_F(mux, sixty_four_groups)
{
	union record before, after;
	struct pmudev_count c;
	unsigned int i;

	self->fd = mux_attach(&self->pool, self->s.pid, 0, PMUDEV_MAX_GROUPS);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	EXPECT_EQ(~0ULL, before.r.multiplexed);
	/* Five times round, and a bit: some have come on once more than others. */
	ASSERT_EQ(0, subject_work(&self->s, ROUNDS(330)));
	ASSERT_EQ(0, pm_read(self->fd, &after));
	EXPECT_EQ(self->pool.nr * WORK(ROUNDS(330)), sum_since(&before, &after, 0, 64).value);
	for (i = 0; i < 64; i++) {
		c = since(&before, &after, i);
		EXPECT_TRUE(has_share(&c, 64, self->pool.nr, 25));
		EXPECT_GE(PERCENT_OF_FEW, percent_off(scaled(&c), WORK(ROUNDS(330))));
	}
}

/* -------------------------------------------------------------------- whole groups -- */

/* Groups of several events are on whole or not at all: their events have counted the same. */
TEST_F(mux, groups_of_several_events)
{
	struct pmudev_event_attr events[4 * 3];
	union record before, after;
	struct pmudev_count c;
	unsigned int i, at_once = self->pool.nr / 3;
	__u64 sum = 0;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = mux_event(&self->pool, i / 3);
	self->fd = pm_attach(self->s.pid, 0, events, ARRAY_SIZE(events), true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, subject_work(&self->s, ROUNDS(2) + 777 * i));
		sum += WORK(ROUNDS(2) + 777 * i);
		ASSERT_EQ(0, pm_read(self->fd, &after));
		for (int slot = 0; slot < 12; slot += 3) {
			c = since(&before, &after, slot);
			ASSERT_EQ(c.value, since(&before, &after, slot + 1).value);
			ASSERT_EQ(c.value, since(&before, &after, slot + 2).value);
			ASSERT_EQ(c.time_running, since(&before, &after, slot + 1).time_running);
			ASSERT_EQ(c.time_running, since(&before, &after, slot + 2).time_running);
		}
	}
	EXPECT_EQ(3 * at_once * sum, sum_since(&before, &after, 0, 12).value);
	for (i = 0; i < 12; i += 3) {
		c = since(&before, &after, i);
		EXPECT_TRUE(has_share(&c, 4, at_once, SHARE_PERCENT));
		EXPECT_TRUE(within_percent(scaled(&c), sum, PERCENT));
	}
}

/* Large and small ones: none is starved, the largest is the whole pool. */
TEST_F(mux, groups_of_all_sizes)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	unsigned int size, i, nr = 0, n = self->pool.nr;
	union record before, after;
	struct pmudev_count c;

	for (size = 1; size <= n; size++)
		for (i = 0; i < size; i++)
			events[nr++] = mux_event(&self->pool, size);
	self->fd = pm_attach(self->s.pid, 0, events, nr, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	ASSERT_EQ(0, subject_work(&self->s, ROUNDS(100)));
	ASSERT_EQ(0, pm_read(self->fd, &after));
	for (size = 1, nr = 0; size <= n; nr += size++) {
		c = since(&before, &after, nr);
		/* Each has one turn of n to itself at least. */
		EXPECT_GE(c.time_running * (n + 1), c.time_enabled);
		EXPECT_TRUE(within_percent(scaled(&c), WORK(ROUNDS(100)), 2 * PERCENT));
		for (i = 1; i < size; i++) {
			EXPECT_EQ(c.value, since(&before, &after, nr + i).value);
			EXPECT_EQ(c.time_running, since(&before, &after, nr + i).time_running);
		}
	}
}

/* ------------------------------------------------------------------------- control -- */

/* One group after the other comes and goes; the others share what there is. */
TEST_F(mux, groups_come_and_go)
{
	unsigned int on = GROUPS, i, round;
	union record before, after;
	__u64 last[GROUPS];

	self->fd = mux_attach(&self->pool, self->s.pid, 0, GROUPS);
	ASSERT_GE(self->fd, 0);
	for (round = 0; round < 2 * GROUPS; round++) {
		if (round < GROUPS) {
			ASSERT_EQ(0, pm_disable(self->fd, round));
			last[round] = pm_value(self->fd, round);
			on--;
		} else {
			ASSERT_EQ(0, pm_enable(self->fd, round - GROUPS));
			on++;
		}
		ASSERT_EQ(0, pm_read(self->fd, &before));
		ASSERT_EQ(0, subject_work(&self->s, ROUNDS(3)));
		ASSERT_EQ(0, pm_read(self->fd, &after));
		EXPECT_EQ((on < self->pool.nr ? on : self->pool.nr) * WORK(ROUNDS(3)),
			  sum_since(&before, &after, 0, GROUPS).value);
		for (i = 0; i < GROUPS; i++)
			if (round < GROUPS ? i <= round : i > round - GROUPS)
				EXPECT_EQ(last[i], after.r.counts[i].value);
	}
}

TEST_F(mux, reset_and_remove)
{
	union record before, after;
	int i;

	self->fd = mux_attach(&self->pool, self->s.pid, 0, GROUPS);
	ASSERT_GE(self->fd, 0);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, pm_reset(self->fd, PMUDEV_ALL, 1000000 * i));
		ASSERT_EQ(0, pm_read(self->fd, &before));
		EXPECT_EQ(1000000ULL * i, before.r.counts[i].value);
		ASSERT_EQ(0, subject_work(&self->s, ROUNDS(5)));
		ASSERT_EQ(0, pm_read(self->fd, &after));
		EXPECT_EQ(self->pool.nr * WORK(ROUNDS(5)),
			  sum_since(&before, &after, 0, GROUPS).value);
	}
	ASSERT_EQ(0, pm_disable(self->fd, PMUDEV_ALL));
	ASSERT_EQ(0, pm_remove(self->fd, PMUDEV_ALL));
	ASSERT_EQ(0, pm_read(self->fd, &after));
	EXPECT_EQ(0ULL, after.r.multiplexed);
	EXPECT_EQ(0U, after.r.flags);
}

/* -------------------------------------------------------------------- elsewhere -- */

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

/* Of a CPU: whoever runs there. */
TEST_F(mux, of_a_cpu)
{
	struct pmudev_event_attr events[GROUPS];
	union record before, after;
	struct pmudev_count c;
	unsigned int i;

	for (i = 0; i < GROUPS; i++)
		events[i] = mux_event(&self->pool, i);
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, pin_task_to(self->s.pid, 0));
	self->fd = pm_cpu_set(0, 0, events, GROUPS);
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

TEST_HARNESS_MAIN
