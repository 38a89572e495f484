/* SPDX-License-Identifier: GPL-2.0 */
/* The fixture of deadline_test.c and deadline_tell_test.c: a set on this thread, and one report. */
#ifndef PMUDEV_TEST_DEADLINE_FIXTURE_H
#define PMUDEV_TEST_DEADLINE_FIXTURE_H

#include <string.h>

#include "deadline.h"
#include "kselftest_harness.h"

FIXTURE(deadline)
{
	int fd;
};

FIXTURE_SETUP(deadline)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	self->fd = -1;
	if (!(query.features & PMUDEV_HAS_DEADLINE))
		SKIP(return, "no deadlines on this kernel");
	if (!(__u32)query.available)
		SKIP(return, "no event counters here, only %#llx", query.available);
	if (!overflows_interrupt() && strcmp(_metadata->name, "late_but_not_lost"))
		SKIP(return, NO_INTERRUPTS);
	ASSERT_EQ(0, limit_overflows(false));
}

FIXTURE_TEARDOWN(deadline)
{
	if (self->fd >= 0)
		close(self->fd);
	limit_overflows(true);
}

static inline struct pmudev_event_attr instructions(void)
{
	return raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
}

static inline int start(struct _test_data_deadline *self)
{
	struct pmudev_event_attr event = instructions();

	self->fd = pm_set(&event, 1, true);
	return self->fd < 0 ? self->fd : 0;
}

/*
 * Another set, whose overflows are more than are allowed: until the next tick none interrupts, and
 * what is reached meanwhile waits to be found. A descriptor or -errno.
 */
static inline int overflow_too_often(void)
{
	struct pmudev_event_attr event = instructions();
	int fd = pm_set(&event, 1, true);
	int ret = fd < 0 ? fd : write_file(MAX_OVERFLOWS, "1");

	if (!ret)
		ret = pm_deadline(fd, 0, PMUDEV_DEADLINE_RELATIVE, 1000, 1000);
	loop(5000);
	return ret ? ret : fd;
}

/* A report of one deadline, and no other. Is its count the deadline, where counts are exact? */
static inline void expect_one(struct __test_metadata *_metadata, int fd, __u64 value)
{
	struct pmudev_report report[2] = { 0 };

	EXPECT_EQ(POLLIN, poll_now(fd));
	ASSERT_EQ(1, pm_reports(fd, report, 2));
	EXPECT_EQ(0U, report[0].slot);
	EXPECT_EQ(0U, report[0].flags);
	EXPECT_EQ(value, report[0].value);
	EXPECT_EQ(1ULL, report[0].reached);
	EXPECT_EQ(0ULL, report[0].overruns);
	EXPECT_GE(report[0].count, value);
	if (exact_instructions())
		EXPECT_EQ(value, report[0].count);
	EXPECT_EQ(0, poll_now(fd));
	EXPECT_EQ(0, pm_reports(fd, report, 2));
}

#endif /* PMUDEV_TEST_DEADLINE_FIXTURE_H */
