/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread that reads two of its counters, and which counters show it anything, by the bare
 * instruction on every one that exists. For use below kselftest_harness.h.
 */
#ifndef PMUDEV_TEST_HIDE_H
#define PMUDEV_TEST_HIDE_H

#include "common.h"

/* In a counter's low and high bits, and no carry for long. */
#define SECRET 0x5a5a5a5aULL

FIXTURE(hide)
{
	struct pmudev_query query;
	bool hiding;
	int fd; /* the reader's set: cycles on two counters */
	struct pmudev_page *page;
	__u64 own; /* their counters */
};

static inline __u64 lowest(__u64 mask)
{
	return mask & -mask;
}

static inline __u64 highest(__u64 mask)
{
	return 1ULL << (63 - __builtin_clzll(mask));
}

/* One event on each of these counters. */
static inline int count_on(__u64 counters, __u32 flags, unsigned int group, int fd)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS] = {};
	unsigned int nr = 0;
	int ret;

	for (; counters; counters &= counters - 1)
		events[nr++] = in_group(event_on(__builtin_ctzll(counters), flags), group);
	if (fd < 0)
		return pm_set(events, nr, true);
	ret = pm_add(fd, events, nr);
	return ret ? ret : pm_enable(fd, group);
}

FIXTURE_SETUP(hide)
{
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, pm_query(&self->query));
	if (!(__u32)self->query.available)
		SKIP(return, "no event counters here, only %#llx", self->query.available);
	self->hiding = self->query.features & PMUDEV_HAS_HIDING;
	self->own = lowest(self->query.user) | highest(self->query.user);
	self->fd = count_on(self->own, DIRECT_READ, 0, -1);
	ASSERT_GE(self->fd, 0);
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
}

FIXTURE_TEARDOWN(hide)
{
	if (self->page)
		pm_unmap(self->page);
	close(self->fd);
	set_user_access(false);
}

/* Counters that show anything, by the instruction itself. */
static inline __u64 seen(const struct _test_data_hide *self)
{
	__u64 left, seen = 0;

	/* A fixed counter may be out of reach for user mode altogether. */
	left = self->query.counters & (0xffffffff | self->query.user);
	for (; left; left &= left - 1)
		if (counter(operand_of(__builtin_ctzll(left))))
			seen |= lowest(left);
	return seen;
}

/* The registers of the reader's own counters lie between two checked reads. */
static inline void expect_own(struct __test_metadata *_metadata, struct _test_data_hide *self)
{
	struct reader reader = reader_of(self->page);
	__u64 before, after, raw;
	unsigned int i, nr;

	nr = __builtin_popcountll(self->own);
	for (i = 0; i < nr; i++) {
		do {
			reader.retries = 0;
			ASSERT_EQ(0, direct_read(&reader, i, &before));
			raw = counter(self->page->slots[i].operand);
			ASSERT_EQ(0, direct_read(&reader, i, &after));
		} while (reader.retries);
		raw = raw << self->page->slots[i].shift >> self->page->slots[i].shift;
		EXPECT_LE(before, raw);
		EXPECT_LE(raw, after);
		EXPECT_LT(0ULL, before);
	}
}

#endif /* PMUDEV_TEST_HIDE_H */
