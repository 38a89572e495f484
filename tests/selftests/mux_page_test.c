// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexed groups in the user page: what a reader gets of groups that take turns, the times in
 * the page, and what user access stops.
 */
#include "mux.h"
#include "kselftest_harness.h"
#include "mux_pool.h"

#include <pmudev_read.h>

/* The caller's set of groups whose events can be read by users, enabled. */
static int readable_set(const struct pool *pool)
{
	struct pmudev_event_attr events[GROUPS];
	unsigned int i;

	for (i = 0; i < GROUPS; i++) {
		events[i] = mux_event(pool, i);
		events[i].flags |= PMUDEV_USER_READ;
	}
	return pm_set(events, GROUPS, true);
}

/* In the page a group that is off has no index; what a reader gets never steps back. */
TEST_F(pool, user_reads)
{
	unsigned int i, direct = 0, fallbacks = 0, round;
	__u64 value, last[GROUPS] = { 0 }, n = 1000, sum[2];
	struct pmudev_page *page;
	struct reader reader;
	union record r;
	bool is_direct;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	self->mux = readable_set(&self->pool);
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

#define TURN_NS 1116034ULL

/* What a program that looks often enough sees of the turns in the page. */
struct seen_turns {
	unsigned int begun; /* by events that had no counter */
	unsigned int moved; /* events that have another counter than before */
};

static struct seen_turns watch_turns(const struct pmudev_page *page, unsigned int ms)
{
	struct seen_turns turns = { 0 };
	unsigned int i, looks;
	__u32 index, was[GROUPS] = { 0 };

	for (looks = 0; looks < 4 * ms; looks++) {
		loop(ROUNDS(1) / 4);
		for (i = 0; i < GROUPS; i++) {
			index = READ_ONCE(page->slots[i].index);
			turns.begun += looks && index && !was[i];
			turns.moved += looks && index && was[i] && index != was[i];
			was[i] = index;
		}
	}
	return turns;
}

/*
 * A turn is as long as it should be (TURN_NS), and one event goes and another comes: those that go
 * on stay on their counters.
 */
TEST_F(pool, who_goes_on_stays)
{
	union record before, after;
	struct pmudev_page *page;
	struct seen_turns turns;
	__u64 ns;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	self->mux = readable_set(&self->pool);
	ASSERT_GE(self->mux, 0);
	page = pm_map(self->mux);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, pm_read(self->mux, &before));
	turns = watch_turns(page, 600);
	ASSERT_EQ(0, pm_read(self->mux, &after));
	ns = after.r.time_enabled - before.r.time_enabled;
	TH_LOG("%llu ns, %u turns, %u moves", ns, turns.begun, turns.moved);
	if (debug_kernel() || !exact_clock()) {
		EXPECT_TRUE(within_percent(turns.begun * TURN_NS, ns, PERCENT));
	} else {
		EXPECT_GE(turns.begun + 1, ns / TURN_NS);
		EXPECT_LE(turns.begun, ns / TURN_NS + 1);
	}
	EXPECT_EQ(0U, turns.moved);
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
