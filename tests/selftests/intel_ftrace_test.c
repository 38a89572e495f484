// SPDX-License-Identifier: GPL-2.0
/*
 * perf's clearing of counters for readers is kept off by ftrace, where the kernel has it: it has to
 * stay on as long as the module is loaded, and without it there are no user reads.
 */
#include "intel.h"
#include "kselftest_harness.h"

#if defined(__x86_64__)

#define FTRACE "/proc/sys/kernel/ftrace_enabled"

FIXTURE(ftrace)
{
};

FIXTURE_SETUP(ftrace)
{
	if (read_number(FTRACE) != 1)
		SKIP(return, "this kernel has no ftrace");
}

FIXTURE_TEARDOWN(ftrace)
{
	write_file(FTRACE, "1");
}

static bool offers_user_reads(void)
{
	struct pmudev_query query;

	return !pm_query(&query) && (query.features & PMUDEV_HAS_USER_READ);
}

TEST_F(ftrace, stays_on)
{
	ASSERT_TRUE(offers_user_reads());
	EXPECT_EQ(-EBUSY, write_file(FTRACE, "0"));
	EXPECT_EQ(1, read_number(FTRACE));
	ASSERT_EQ(0, unload_module());
	EXPECT_EQ(0, write_file(FTRACE, "0"));
	EXPECT_EQ(0, write_file(FTRACE, "1"));
	ASSERT_EQ(0, load_module());
	EXPECT_EQ(-EBUSY, write_file(FTRACE, "0"));
}

/* All but user reads works, and they are there again with the next loading. */
TEST_F(ftrace, off_beforehand)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	union record record;
	int fd;

	ASSERT_EQ(0, unload_module());
	ASSERT_EQ(0, write_file(FTRACE, "0"));
	ASSERT_EQ(0, load_module());
	EXPECT_FALSE(offers_user_reads());
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	loop(1000);
	EXPECT_EQ(0, pm_read(fd, &record));
	EXPECT_GE(record.r.counts[0].value, 1000ULL * LOOP_INSTRUCTIONS);
	close(fd);
	event.flags = DIRECT_READ;
	EXPECT_EQ(-EOPNOTSUPP, pm_set(&event, 1, true));
	ASSERT_EQ(0, unload_module());
	ASSERT_EQ(0, write_file(FTRACE, "1"));
	ASSERT_EQ(0, load_module());
	EXPECT_TRUE(offers_user_reads());
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
