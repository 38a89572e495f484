// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexed groups: each has its share of the time, what is scaled up by it is close to the
 * whole, and nothing is lost at a turn. Groups of other targets are in mux_target_test.c.
 */
#include "mux.h"
#include "kselftest_harness.h"
#include "mux_share.h"

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
		EXPECT_GE(PERCENT, percent_off(scaled(&c), WORK(ROUNDS(330))));
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

/*
 * One event accepts a single counter. When its turn comes, the event that is on that counter moves
 * to another one and goes on counting. No counter stands still.
 */
TEST_F(mux, one_that_accepts_a_single_counter)
{
	unsigned int i, nr = self->pool.nr + 3;
	struct pmudev_event_attr events[MOST_COUNTERS + 3];
	union record before, after;
	__u64 sum = 0;

	for (i = 0; i < nr; i++)
		events[i] = mux_event(&self->pool, i);
	events[nr / 2].allowed = self->pool.mask & -self->pool.mask;
	self->fd = pm_attach(self->s.pid, 0, events, nr, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, subject_work(&self->s, ROUNDS(2) + 777 * i));
		sum += WORK(ROUNDS(2) + 777 * i);
		ASSERT_EQ(0, pm_read(self->fd, &after));
		ASSERT_EQ(self->pool.nr * sum, sum_since(&before, &after, 0, nr).value);
	}
	for (i = 0; i < nr; i++)
		EXPECT_GT(since(&before, &after, i).value, 0ULL);
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

/*
 * Plans that change before a turn is over: the turns go on where they were, and do not begin with
 * the first groups again.
 */
TEST_F(mux, turns_go_on)
{
	union record before, after;
	struct pmudev_count c;
	unsigned int i;

	self->fd = mux_attach(&self->pool, self->s.pid, 0, GROUPS);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &before));
	for (i = 0; i < 480; i++) {
		ASSERT_EQ(0, subject_work(&self->s, ROUNDS(1) / 2));
		ASSERT_EQ(0, pm_disable(self->fd, i % 2 ? i / 2 % GROUPS : PMUDEV_ALL));
		ASSERT_EQ(0, pm_enable(self->fd, PMUDEV_ALL));
	}
	ASSERT_EQ(0, pm_read(self->fd, &after));
	EXPECT_EQ(self->pool.nr * 480 * WORK(ROUNDS(1) / 2),
		  sum_since(&before, &after, 0, GROUPS).value);
	for (i = 0; i < GROUPS; i++) {
		c = since(&before, &after, i);
		EXPECT_TRUE(has_share(&c, GROUPS, self->pool.nr, 2 * SHARE_PERCENT))
		TH_LOG("group %u ran %llu of %llu ns", i, c.time_running, c.time_enabled);
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

TEST_HARNESS_MAIN
