// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexed groups beside strict ones, which have precedence and are never displaced; who is
 * refused for whose sake; and what a dry run says.
 */
#include "mux.h"
#include "kselftest_harness.h"
#include "mux_pool.h"

/* Work, during which so many of the multiplexed groups are on at every moment. */
static void work_with(struct __test_metadata *_metadata, struct _test_data_pool *self,
		      unsigned int counters)
{
	__u64 strict = self->strict < 0 ? 0 : pm_value(self->strict, 0);
	union record before, after;

	ASSERT_EQ(0, pm_read(self->mux, &before));
	ASSERT_EQ(0, subject_work(&self->s, ROUNDS(15)));
	ASSERT_EQ(0, pm_read(self->mux, &after));
	EXPECT_EQ(counters * WORK(ROUNDS(15)), sum_since(&before, &after, 0, after.r.nr).value);
	if (self->strict >= 0)
		EXPECT_EQ(strict + WORK(ROUNDS(15)), pm_value(self->strict, 0));
}

/* A strict set of n events of the subject. */
static int strict_set(struct _test_data_pool *self, unsigned int n)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	unsigned int i;

	for (i = 0; i < n; i++)
		events[i] = strict_event(&self->pool, 0);
	return pm_attach(self->s.pid, 0, events, n, true);
}

/* ----------------------------------------------------------------- strict and multiplexed -- */

/* Who comes later takes counters out of the pool, and gives them back. */
TEST_F(pool, shrinks_and_grows)
{
	unsigned int n;

	self->mux = mux_attach(&self->pool, self->s.pid, 0, GROUPS);
	ASSERT_GE(self->mux, 0);
	work_with(_metadata, self, self->pool.nr);
	/* All but one, which lets each group of one event fit. */
	for (n = 1; n < self->pool.nr; n++) {
		self->strict = strict_set(self, n);
		ASSERT_GE(self->strict, 0);
		work_with(_metadata, self, self->pool.nr - n);
		close(self->strict);
		self->strict = -1;
		work_with(_metadata, self, self->pool.nr);
	}
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, strict_set(self, self->pool.nr));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, why.holder.kind);
	EXPECT_EQ(getpid(), why.holder.pid);
	work_with(_metadata, self, self->pool.nr);
}

/* Who was there first stays where he is. */
TEST_F(pool, beside_strict_ones)
{
	union record r;
	__s32 counter[PMUDEV_MAX_EVENTS], now[PMUDEV_MAX_EVENTS];
	unsigned int n = self->pool.nr - 1, i;

	self->strict = strict_set(self, n);
	ASSERT_GE(self->strict, 0);
	ASSERT_EQ(0, pm_place(self->strict, NULL, 0, counter));
	self->mux = mux_attach(&self->pool, self->s.pid, 0, GROUPS);
	ASSERT_GE(self->mux, 0);
	work_with(_metadata, self, 1);
	ASSERT_EQ(0, pm_place(self->strict, NULL, 0, now));
	for (i = 0; i < n; i++)
		EXPECT_EQ(counter[i], now[i]);
	ASSERT_EQ(0, pm_read(self->strict, &r));
	EXPECT_EQ(0ULL, r.r.multiplexed);
	EXPECT_EQ(r.r.time_enabled, r.r.time_running);
	close(self->strict);
	self->strict = -1;
	work_with(_metadata, self, self->pool.nr);
}

/* In one and the same set. */
TEST_F(pool, strict_groups_of_the_same_set)
{
	struct pmudev_event_attr events[GROUPS + 1];
	union record before, after;
	unsigned int i;

	for (i = 0; i < GROUPS; i++)
		events[i] = mux_event(&self->pool, i);
	events[GROUPS] = strict_event(&self->pool, GROUPS);
	self->mux = pm_attach(self->s.pid, 0, events, GROUPS + 1, false);
	ASSERT_GE(self->mux, 0);
	/* All at once, or the strict one later: it is all the same. */
	for (i = 0; i < 2; i++) {
		if (i)
			ASSERT_EQ(0, pm_disable(self->mux, GROUPS));
		ASSERT_EQ(0, pm_enable(self->mux, i ? GROUPS : PMUDEV_ALL));
		ASSERT_EQ(0, pm_read(self->mux, &before));
		EXPECT_EQ((1ULL << GROUPS) - 1, before.r.multiplexed);
		ASSERT_EQ(0, subject_work(&self->s, ROUNDS(60)));
		ASSERT_EQ(0, pm_read(self->mux, &after));
		EXPECT_EQ((self->pool.nr - 1) * WORK(ROUNDS(60)),
			  sum_since(&before, &after, 0, GROUPS).value);
		EXPECT_EQ(WORK(ROUNDS(60)), since(&before, &after, GROUPS).value);
		EXPECT_EQ(since(&before, &after, GROUPS).time_enabled,
			  since(&before, &after, GROUPS).time_running);
	}
}

/* A group that needs all counters but one leaves room for one strict event, and no more. */
TEST_F(pool, never_too_small_for_a_group)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	struct pmudev_holder holders[64];
	unsigned int i, nr = 64, big = self->pool.nr - 1;
	union record before, after;
	int second;

	for (i = 0; i < big; i++)
		events[i] = mux_event(&self->pool, 0);
	for (; i < big + 3; i++)
		events[i] = mux_event(&self->pool, 1 + i - big);
	self->mux = pm_attach(self->s.pid, 0, events, big + 3, true);
	ASSERT_GE(self->mux, 0);
	self->strict = strict_set(self, 1);
	ASSERT_GE(self->strict, 0);
	second = pm_attach(self->s.pid, 0,
			   (struct pmudev_event_attr[]){ strict_event(&self->pool, 0) }, 1, false);
	ASSERT_GE(second, 0);
	EXPECT_EQ(-EBUSY, pm_enable_holders(second, 0, holders, &nr));
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, why.code);
	EXPECT_EQ(self->pool.mask, why.busy);
	EXPECT_EQ(self->pool.nr, nr);
	for (i = 0; i < nr; i++) {
		EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, holders[i].kind);
		EXPECT_EQ(getpid(), holders[i].pid);
	}
	/* All of them go on: the big group has its turns, too. */
	ASSERT_EQ(0, pm_read(self->mux, &before));
	ASSERT_EQ(0, subject_work(&self->s, ROUNDS(60)));
	ASSERT_EQ(0, pm_read(self->mux, &after));
	for (i = 0; i < big + 3; i++) {
		EXPECT_GT(since(&before, &after, i).time_running, 0ULL);
		EXPECT_EQ(since(&before, &after, i < big ? 0 : i).value,
			  since(&before, &after, i).value);
	}
	/* Without the big one there is room. */
	ASSERT_EQ(0, pm_disable(self->mux, 0));
	EXPECT_EQ(0, pm_enable(second, 0));
	/* And then none for it. */
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(self->mux, 0));
	close(second);
	EXPECT_EQ(0, pm_enable(self->mux, 0));
}

/* A group that could never be on is refused like any other. */
TEST_F(pool, too_large_a_group)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	unsigned int i;

	for (i = 0; i <= self->pool.nr; i++)
		events[i] = mux_event(&self->pool, 0);
	self->mux = pm_attach(self->s.pid, 0, events, self->pool.nr, false);
	ASSERT_GE(self->mux, 0);
	for (i = 0; i <= self->pool.nr; i++)
		events[i].group = 1;
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_add(self->mux, events, self->pool.nr + 1));
}

/* Two sets of one task: each group has its turns. */
TEST_F(pool, two_multiplexing_sets)
{
	union record before[2], after[2];
	unsigned int i;
	__u64 sum;

	self->mux = mux_attach(&self->pool, self->s.pid, 0, GROUPS);
	self->strict = mux_attach(&self->pool, self->s.pid, 0, GROUPS);
	ASSERT_GE(self->mux, 0);
	ASSERT_GE(self->strict, 0);
	ASSERT_EQ(0, pm_read(self->mux, &before[0]));
	ASSERT_EQ(0, pm_read(self->strict, &before[1]));
	ASSERT_EQ(0, subject_work(&self->s, ROUNDS(120)));
	ASSERT_EQ(0, pm_read(self->mux, &after[0]));
	ASSERT_EQ(0, pm_read(self->strict, &after[1]));
	sum = sum_since(&before[0], &after[0], 0, GROUPS).value +
	      sum_since(&before[1], &after[1], 0, GROUPS).value;
	EXPECT_EQ(self->pool.nr * WORK(ROUNDS(120)), sum);
	for (i = 0; i < GROUPS; i++) {
		EXPECT_GT(since(&before[0], &after[0], i).time_running, 0ULL);
		EXPECT_GT(since(&before[1], &after[1], i).time_running, 0ULL);
	}
}

/* CPU sets take counters out of tasks' pools, and tasks' sets out of CPUs'. */
TEST_F(pool, across_kinds)
{
	struct pmudev_event_attr strict = strict_event(&self->pool, 0), events[GROUPS];
	union record before, after;
	unsigned int i;
	int cpu, fd;

	self->mux = mux_attach(&self->pool, self->s.pid, 0, GROUPS);
	ASSERT_GE(self->mux, 0);
	cpu = pm_cpu_set(0, 0, &strict, 1);
	ASSERT_GE(cpu, 0);
	work_with(_metadata, self, self->pool.nr - 1);
	close(cpu);
	work_with(_metadata, self, self->pool.nr);
	close(self->mux);
	self->mux = -1;

	for (i = 0; i < GROUPS; i++)
		events[i] = mux_event(&self->pool, i);
	ASSERT_EQ(0, pin_to(0));
	cpu = pm_cpu_set(0, 0, events, GROUPS);
	ASSERT_GE(cpu, 0);
	fd = pm_set(&strict, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_read(cpu, &before));
	loop(ROUNDS(30));
	ASSERT_EQ(0, pm_read(cpu, &after));
	EXPECT_EQ(0ULL, sum_since(&before, &after, 0, GROUPS).value % (self->pool.nr - 1));
	EXPECT_GE(sum_since(&before, &after, 0, GROUPS).value,
		  (self->pool.nr - 1) * LOOP_INSTRUCTIONS * ROUNDS(30));
	close(fd);
	close(cpu);
}

/* ------------------------------------------------------------------------------ dry runs -- */

TEST_F(pool, dry_run)
{
	struct pmudev_event_attr events[GROUPS];
	__s32 counter[PMUDEV_MAX_EVENTS];
	struct pmudev_query query;
	unsigned int i;

	for (i = 0; i < GROUPS; i++)
		events[i] = mux_event(&self->pool, i);
	self->mux = pm_attach(self->s.pid, 0, events, 1, false);
	ASSERT_GE(self->mux, 0);
	/* Not yet in the set. */
	memset(counter, 0xff, sizeof(counter));
	ASSERT_EQ(0, pm_place(self->mux, events + 1, GROUPS - 1, counter));
	for (i = 0; i < GROUPS - 1; i++) {
		ASSERT_GE(counter[i], 0);
		EXPECT_NE(0ULL, self->pool.mask & 1ULL << counter[i]);
	}
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(0ULL, query.busy);
	/* In it, and then enabled. */
	ASSERT_EQ(0, pm_add(self->mux, events + 1, GROUPS - 1));
	for (i = 0; i < 2; i++) {
		memset(counter, 0xff, sizeof(counter));
		ASSERT_EQ(0, pm_place(self->mux, NULL, 0, counter));
		for (unsigned int j = 0; j < GROUPS; j++) {
			ASSERT_GE(counter[j], 0);
			EXPECT_NE(0ULL, self->pool.mask & 1ULL << counter[j]);
		}
		ASSERT_EQ(0, pm_enable(self->mux, PMUDEV_ALL));
	}
	work_with(_metadata, self, self->pool.nr);
}

TEST_HARNESS_MAIN
