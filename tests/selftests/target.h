/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A subject (subject.h) to be the target of sets, which all count the same. For use below
 * kselftest_harness.h.
 */
#ifndef PMUDEV_TEST_TARGET_H
#define PMUDEV_TEST_TARGET_H

#include "subject.h"

FIXTURE(target)
{
	__u64 cost;
	struct pmudev_event_attr event;
	struct subject s;
};

FIXTURE_SETUP(target)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	self->cost = subject_cost();
	ASSERT_NE(0ULL, self->cost);
	ASSERT_EQ(0, subject_fork(&self->s));
}

/* Whoever was counted is none the worse, and nothing stays held. */
FIXTURE_TEARDOWN(target)
{
	struct pmudev_query query;

	EXPECT_EQ(0, subject_work(&self->s, 1));
	EXPECT_EQ(0, subject_end(&self->s));
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

#define WORK(n) (LOOP_INSTRUCTIONS * (__u64)(n) + self->cost)

#endif /* PMUDEV_TEST_TARGET_H */
