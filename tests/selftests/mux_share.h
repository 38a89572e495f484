/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of multiplexed groups (mux.h) on a subject, and their shares of the time. For use below
 * kselftest_harness.h.
 */
#ifndef PMUDEV_TEST_MUX_SHARE_H
#define PMUDEV_TEST_MUX_SHARE_H

#include "mux.h"

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
static inline void check_shares(struct __test_metadata *_metadata, const union record *before,
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
	/*
	 * Each counter was somebody's all the time, but for the turns themselves. Each time is
	 * rounded down to ns, so the difference of two is wrong by less than one.
	 */
	EXPECT_LE(sum.time_running, c.time_enabled * counters + nr + counters);
	EXPECT_TRUE(within_percent(sum.time_running, c.time_enabled * counters, 1));
	EXPECT_EQ(whole * counters, sum.value);
}

#endif /* PMUDEV_TEST_MUX_SHARE_H */
