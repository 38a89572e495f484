// SPDX-License-Identifier: GPL-2.0
/* PMICNTR_EL0, arm64's counter of instructions alone (FEAT_PMUv3_ICNTR). */
#include <linux/perf_event.h>

#include "common.h"
#include "kselftest_harness.h"

#if defined(__aarch64__)

static struct pmudev_event_attr instructions_on(unsigned int counter, __u32 flags)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, flags | PMUDEV_COUNTER);

	event.counter = counter;
	return event;
}

FIXTURE(icntr)
{
	struct pmudev_query query;
	unsigned int other; /* an event counter */
};

FIXTURE_SETUP(icntr)
{
	ASSERT_EQ(0, pm_query(&self->query));
	if (!(self->query.available & 1ULL << INSTRUCTION_COUNTER))
		SKIP(return, "no instruction counter");
	self->other = __builtin_ctzll(self->query.available);
}

FIXTURE_TEARDOWN(icntr)
{
	set_user_access(false);
}

/* It is for instructions, and is what they get first; the next gets another. */
TEST_F(icntr, is_preferred)
{
	struct pmudev_event_attr events[3] = {
		{ .type = PMUDEV_TYPE_GENERIC, .config = PMUDEV_INSTRUCTIONS, .flags = USER_ONLY },
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
		raw_event(EVENT_CYCLES, USER_ONLY),
	};
	__s32 counter[3];
	int fd = pm_set(events, 3, false);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_enable(fd, 0));
	ASSERT_EQ(0, pm_place(fd, NULL, 0, counter));
	EXPECT_TRUE(counter[0] == INSTRUCTION_COUNTER || counter[1] == INSTRUCTION_COUNTER);
	EXPECT_GT(FIXED_COUNTER, counter[counter[0] == INSTRUCTION_COUNTER]);
	EXPECT_EQ(FIXED_COUNTER, counter[2]);
	close(fd);
	events[2].flags |= PMUDEV_COUNTER;
	events[2].counter = INSTRUCTION_COUNTER;
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COUNTER, pm_set(&events[2], 1, false));
}

/* With whatever is excluded it counts what an event counter counts, to the unit. */
TEST_F(icntr, counts_as_an_event_counter)
{
	static const __u32 flags[] = { 0, PMUDEV_EXCLUDE_USER, PMUDEV_EXCLUDE_KERNEL,
				       PMUDEV_EXCLUDE_HV, USER_ONLY };
	struct pmudev_event_attr events[2];
	union record record;
	unsigned int i, n;
	int fd;

	if (!exact_instructions())
		SKIP(return, "instructions are not exact here");
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		events[0] = instructions_on(INSTRUCTION_COUNTER, flags[i]);
		events[1] = instructions_on(self->other, flags[i]);
		fd = pm_set(events, 2, true);
		ASSERT_GE(fd, 0);
		for (n = 0; n < 10; n++) {
			loop(1000);
			pause_ns(1000);
		}
		ASSERT_EQ(0, pm_disable(fd, 0));
		ASSERT_EQ(0, pm_read(fd, &record));
		EXPECT_EQ(record.r.counts[1].value, record.r.counts[0].value)
		TH_LOG("flags %#x", flags[i]);
		EXPECT_LE(flags[i] & PMUDEV_EXCLUDE_USER ? 1 : 10000ULL * LOOP_INSTRUCTIONS,
			  record.r.counts[0].value);
		close(fd);
	}
}

/* By the page where user mode can read it; asked for, it is refused where it cannot. */
TEST_F(icntr, by_the_page)
{
	struct pmudev_event_attr event = instructions_on(INSTRUCTION_COUNTER, DIRECT_READ);
	struct pmudev_page *page;
	struct reader reader;
	__u64 count, again;
	int fd;

	ASSERT_EQ(0, set_user_access(true));
	fd = pm_set(&event, 1, true);
	if (!(self->query.features & PMUDEV_HAS_HIDING)) {
		EXPECT_EQ(0ULL, self->query.user & 1ULL << INSTRUCTION_COUNTER);
		EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_HARDWARE, fd);
		return;
	}
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	EXPECT_EQ(32U, page->slots[0].operand);
	EXPECT_EQ(INSTRUCTION_COUNTER + 1, page->slots[0].index);
	reader = reader_of(page);
	ASSERT_EQ(0, measure_direct(&reader, 0, 1000, &count));
	ASSERT_EQ(0, measure_direct(&reader, 0, 2000, &again));
	if (exact_instructions())
		EXPECT_EQ(1000ULL * LOOP_INSTRUCTIONS, again - count);
	pm_unmap(page);
	close(fd);
}

/* perf's readers do not know this counter, and take it for 0. */
TEST_F(icntr, by_perfs_page)
{
	struct pmudev_event_attr event = instructions_on(INSTRUCTION_COUNTER, DIRECT_READ);
	const struct perf_event_mmap_page *page;
	int fd;

	if (!(self->query.features & PMUDEV_HAS_HIDING))
		SKIP(return, "user mode cannot read this counter here");
	ASSERT_EQ(0, set_user_access(true));
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	page = pm_map_perf(fd, 0);
	ASSERT_NE(NULL, page);
	EXPECT_EQ(0U, (__u32)page->cap_user_rdpmc);
	EXPECT_EQ(0U, page->index);
	ASSERT_EQ(0, pm_disable(fd, 0));
	EXPECT_EQ(1U, (__u32)page->cap_user_rdpmc);
	EXPECT_EQ(pm_value(fd, 0), (__u64)page->offset);
	close(fd);
}

#else

TEST(arm64)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
