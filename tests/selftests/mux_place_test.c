// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexed groups beside strict ones, which have precedence and are never displaced; who is
 * refused for whose sake; what a dry run says; and multiplexed groups in the user page.
 */
#include "mux.h"
#include "kselftest_harness.h"

#include <pmudev_read.h>

#include <sys/mman.h>

FIXTURE(pool)
{
	struct pool pool;
	__u64 cost;
	struct subject s;
	int mux, strict; /* sets on the subject */
};

FIXTURE_SETUP(pool)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	self->mux = -1;
	self->strict = -1;
	self->cost = subject_cost();
	ASSERT_NE(0ULL, self->cost);
	ASSERT_EQ(0, pool_find(&self->pool));
	ASSERT_GE(self->pool.nr, 3U);
	ASSERT_EQ(0, subject_fork(&self->s));
}

FIXTURE_TEARDOWN(pool)
{
	struct pmudev_query query;

	close(self->mux);
	close(self->strict);
	EXPECT_EQ(0, subject_end(&self->s));
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

#define WORK(n) (LOOP_INSTRUCTIONS * (__u64)(n) + self->cost)
#define ROUNDS(ms) ((ms) * 1000000ULL / LOOP_INSTRUCTIONS)

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

/* ---------------------------------------------------------------------------- user reads -- */

/* In the page a group that is off has no index; what a reader gets never steps back. */
TEST_F(pool, user_reads)
{
	struct pmudev_event_attr events[GROUPS];
	unsigned int i, direct = 0, fallbacks = 0, round;
	__u64 value, last[GROUPS] = { 0 }, n = 1000, sum[2];
	struct pmudev_page *page;
	struct reader reader;
	union record r;
	bool is_direct;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	for (i = 0; i < GROUPS; i++) {
		events[i] = mux_event(&self->pool, i);
		events[i].flags |= PMUDEV_USER_READ;
	}
	self->mux = pm_set(events, GROUPS, true);
	ASSERT_GE(self->mux, 0);
	page = pm_map(self->mux);
	ASSERT_NE(NULL, page);
	reader = reader_of(page);
	ASSERT_EQ(0, pm_read(self->mux, &r));
	sum[0] = sum_since(&(union record){ 0 }, &r, 0, GROUPS).value;
	for (round = 0; round < 300; round++) {
		loop(n * (1 + round % 100));
		for (i = 0; i < GROUPS; i++) {
			EXPECT_TRUE(READ_ONCE(page->slots[i].flags) & PMUDEV_SLOT_MULTIPLEX);
			ASSERT_EQ(0, read_either(self->mux, &reader, i, &value, &is_direct));
			ASSERT_GE(value, last[i]);
			last[i] = value;
			direct += is_direct;
			fallbacks += !is_direct;
		}
	}
	ASSERT_EQ(0, pm_read(self->mux, &r));
	for (i = 0; i < GROUPS; i++)
		EXPECT_GE(r.r.counts[i].value, last[i]);
	/* The counters are the groups' all the time, who ever looks. */
	sum[1] = sum_since(&(union record){ 0 }, &r, 0, GROUPS).value;
	EXPECT_EQ(0ULL, (sum[1] - sum[0]) % self->pool.nr);
	EXPECT_GE(sum[1] - sum[0], self->pool.nr * LOOP_INSTRUCTIONS * n * 101 * 100 / 2 * 3);
	TH_LOG("%u direct, %u by call", direct, fallbacks);
	EXPECT_GT(direct, 300U);
	EXPECT_GT(fallbacks, 300U);
	/* At most as many as there are counters have an index. */
	for (i = 0, direct = 0; i < GROUPS; i++)
		direct += !!READ_ONCE(page->slots[i].index);
	EXPECT_LE(direct, self->pool.nr);
	pm_unmap(page);
	EXPECT_EQ(0, set_user_access(false));
}

/* While a group is off, the page does not have the set's times: its running clock stands. */
TEST_F(pool, times_in_the_page)
{
	struct pmudev_event_attr events[GROUPS];
	union record before, after;
	struct pmudev_times times;
	struct pmudev_page *page;
	unsigned int i, round;
	uint64_t value;
	__u32 flags;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	events[0] = strict_event(&self->pool, 0);
	events[0].flags |= PMUDEV_USER_READ;
	for (i = 1; i < GROUPS; i++)
		events[i] = mux_event(&self->pool, i);
	self->mux = pm_set(events, GROUPS, true);
	ASSERT_GE(self->mux, 0);
	page = pm_map(self->mux);
	ASSERT_NE(NULL, page);
	if (!READ_ONCE(page->flags))
		SKIP(return, "no PMUDEV_PAGE_TIMES");
	pmudev_cached_tid = my_tid();
	for (round = 0; round < 20; round++) {
		loop(ROUNDS(1));
		flags = READ_ONCE(page->flags);
		EXPECT_EQ((__u32)PMUDEV_PAGE_GROUP_TIMES, flags);
		EXPECT_TRUE(pmudev_page_counts(page, &value, 1, NULL));
		EXPECT_FALSE(pmudev_page_counts(page, &value, 1, &times));
	}
	ASSERT_EQ(0, pm_read(self->mux, &before));
	EXPECT_EQ(0ULL, before.r.time_running);
	/* Two are left, which have counters beside the strict one. */
	for (i = 3; i < GROUPS; i++)
		ASSERT_EQ(0, pm_disable(self->mux, i));
	ASSERT_EQ(0, pm_read(self->mux, &before));
	loop(ROUNDS(5));
	EXPECT_TRUE(pmudev_page_counts(page, &value, 1, &times));
	ASSERT_EQ(0, pm_read(self->mux, &after));
	EXPECT_GT(times.running, before.r.time_running);
	EXPECT_LT(times.running, after.r.time_running);
	EXPECT_GT(times.enabled, before.r.time_enabled);
	EXPECT_LT(times.enabled, after.r.time_enabled);
	EXPECT_LT(after.r.time_running, after.r.time_enabled);
	pm_unmap(page);
	EXPECT_EQ(0, set_user_access(false));
}

/* Stopped and restarted by user access; non-multiplexed groups next to it are not affected. */
TEST_F(pool, user_access)
{
	struct pmudev_event_attr events[GROUPS];
	union record before, after;
	unsigned int i;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	for (i = 0; i < GROUPS; i++) {
		events[i] = mux_event(&self->pool, i);
		if (i < 6)
			events[i].flags |= PMUDEV_USER_READ;
	}
	self->mux = pm_set(events, GROUPS, true);
	ASSERT_GE(self->mux, 0);
	for (i = 0; i < 3; i++) {
		loop(ROUNDS(20));
		ASSERT_EQ(0, set_user_access(false));
		ASSERT_EQ(0, pm_read(self->mux, &before));
		EXPECT_TRUE(before.r.flags & PMUDEV_RECORD_NO_USER_ACCESS);
		loop(ROUNDS(30));
		ASSERT_EQ(0, pm_read(self->mux, &after));
		EXPECT_EQ(0ULL, sum_since(&before, &after, 0, 6).value);
		EXPECT_EQ(0ULL, sum_since(&before, &after, 0, 6).time_running);
		EXPECT_GT(sum_since(&before, &after, 6, 6).value, 1000000ULL);
		ASSERT_EQ(0, set_user_access(true));
		ASSERT_EQ(0, pm_read(self->mux, &before));
		loop(ROUNDS(30));
		ASSERT_EQ(0, pm_read(self->mux, &after));
		EXPECT_EQ(0ULL, sum_since(&before, &after, 0, GROUPS).value % self->pool.nr);
		EXPECT_GE(sum_since(&before, &after, 0, GROUPS).value,
			  self->pool.nr * LOOP_INSTRUCTIONS * ROUNDS(30));
	}
	EXPECT_EQ(0, set_user_access(false));
}

TEST_HARNESS_MAIN
