// SPDX-License-Identifier: GPL-2.0
/*
 * Cores with several hardware threads, where PMCCNTR_EL0 may count while any of them is awake: an
 * event of cycles is not put there unbidden. The emulator's CPUs are no such threads: the kernel is
 * only told so, and what the counters count is the same.
 */
#include "common.h"
#include "kselftest_harness.h"

#if defined(__aarch64__)

static struct pmudev_event_attr cycles_on(__u64 allowed)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);

	event.allowed = allowed;
	return event;
}

TEST(cycles_are_on_event_counters)
{
	struct pmudev_event_attr events[] = {
		cycles_on(0),
		{ .type = PMUDEV_TYPE_GENERIC, .config = PMUDEV_CYCLES, .flags = USER_ONLY },
		cycles_on(1ULL << FIXED_COUNTER),
	};
	__s32 counter[3];
	union record r;
	int fd;

	fd = pm_set(events, 3, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_place(fd, NULL, 0, counter));
	EXPECT_LT(counter[0], FIXED_COUNTER);
	EXPECT_LT(counter[1], FIXED_COUNTER);
	EXPECT_EQ(FIXED_COUNTER, counter[2]);
	loop(100000);
	ASSERT_EQ(0, pm_disable(fd, PMUDEV_ALL));
	ASSERT_EQ(0, pm_read(fd, &r));
	EXPECT_GE(r.r.counts[0].value, 100000ULL);
	EXPECT_EQ(r.r.counts[0].value, r.r.counts[1].value);
	EXPECT_EQ(r.r.counts[0].value, r.r.counts[2].value);
	close(fd);
}

#else

TEST(arm64)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
