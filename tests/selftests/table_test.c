// SPDX-License-Identifier: GPL-2.0
/*
 * Slot n reads counter n, for every counter there is: the library by its table of instructions,
 * the test by each register's own name, the kernel by read(2). A mistake in one of the three shows:
 * each counter holds a number of its own.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pmudev.h>

/* More than any counter counts while the test looks. */
#define SHIFT 24

static unsigned int nth_counter(__u64 counters, unsigned int nth)
{
	while (nth--)
		counters &= counters - 1;
	return __builtin_ctzll(counters);
}

/* On every counter of a mask, each with its number. */
static int number_them(__u64 counters, __u32 flags)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS] = {};
	unsigned int i, nr = __builtin_popcountll(counters);
	int fd;

	for (i = 0; i < nr; i++)
		events[i] = event_on(nth_counter(counters, i), flags);
	fd = pm_set(events, nr, true);
	for (i = 0; fd >= 0 && i < nr; i++)
		if (pm_reset(fd, i, (nth_counter(counters, i) + 1ULL) << SHIFT))
			return -EIO;
	return fd;
}

TEST(by_the_system_call)
{
	struct pmudev_query query;
	union record record;
	unsigned int i, nr;
	int fd;

	ASSERT_EQ(0, pm_query(&query));
	nr = __builtin_popcountll(query.available);
	fd = number_them(query.available, USER_ONLY);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_read(fd, &record));
	ASSERT_EQ(nr, record.r.nr);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(nth_counter(query.available, i) + 1, record.r.counts[i].value >> SHIFT);
	close(fd);
}

TEST(by_page_and_register)
{
	unsigned int i, nr, n, last = 0;
	struct pmudev_query query;
	struct pmudev_page *page;
	struct reader reader;
	__u64 value, mask;
	uint64_t count;
	int fd;

	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pm_query(&query));
	if (!(query.features & PMUDEV_HAS_USER_READ))
		SKIP(return, "no user reads");
	nr = __builtin_popcountll(query.user);
	fd = number_them(query.user, DIRECT_READ);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	reader = reader_of(page);
	pmudev_cached_tid = my_tid();
	for (i = 0; i < nr; i++) {
		n = nth_counter(query.user, i);
		mask = ~0ULL >> page->slots[i].shift;
		EXPECT_EQ(n + 1, page->slots[i].index);
		EXPECT_EQ(operand_of(n), page->slots[i].operand);
		/* The library's instructions. */
		ASSERT_TRUE(pmudev_page_count(page, i, &count)) TH_LOG("counter %u", n);
		EXPECT_EQ(n + 1, count >> SHIFT);
		EXPECT_EQ(n + 1, (pmudev_counter(operand_of(n)) & mask) >> SHIFT);
		/* The test's. */
		ASSERT_EQ(0, direct_read(&reader, i, &value)) TH_LOG("counter %u", n);
		EXPECT_EQ(n + 1, value >> SHIFT);
		EXPECT_EQ(n + 1, (counter(operand_of(n)) & mask) >> SHIFT);
		last = n;
	}
	TH_LOG("%u counters, up to %u", nr, last);
	pm_unmap(page);
	close(fd);
	EXPECT_EQ(0, set_user_access(false));
}

TEST_HARNESS_MAIN
