/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pool of counters (mux.h), a subject, and sets on it. For use below kselftest_harness.h.
 */
#ifndef PMUDEV_TEST_MUX_POOL_H
#define PMUDEV_TEST_MUX_POOL_H

#include "mux.h"

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

#endif /* PMUDEV_TEST_MUX_POOL_H */
