/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long calls keep others waiting: the bounds, and what both sides share. For use below
 * kselftest_harness.h.
 */
#ifndef PMUDEV_TEST_HOLD_H
#define PMUDEV_TEST_HOLD_H

#include "as.h"
#include "sleepers.h"

/* What the limit allows, less one. */
#define MOST_PARTS 4095
/* No call that does not let others in between takes longer, in ns. */
#define LONGEST 20000000

FIXTURE(hold)
{
	mode_t mode;
};

FIXTURE_SETUP(hold)
{
	if (geteuid())
		SKIP(return, "needs root");
	if (!exact_clock() || debug_kernel())
		SKIP(return, "no instructions to take the time by, or many more than usual");
	ASSERT_EQ(0, open_to_all(&self->mode));
	ASSERT_EQ(0, allow_sleepers());
}

FIXTURE_TEARDOWN(hold)
{
	struct pmudev_query query;

	chmod(PMUDEV_DEVICE, self->mode);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

/* In memory that both sides share. */
struct times {
	__u64 call; /* the longest of who keeps others waiting */
	__u64 wait; /* and of who waits */
	unsigned int waits;
	bool ready;
	bool spin;
	bool done;
	bool seen;
	int target;
};

#endif /* PMUDEV_TEST_HOLD_H */
