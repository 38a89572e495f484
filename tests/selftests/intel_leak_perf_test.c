// SPDX-License-Identifier: GPL-2.0
/*
 * What a thread sees that may execute RDPMC, as in intel_leak_test.c, after perf: zeroes of what
 * perf's events counted; and nothing where perf's reader left its child the right.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "intel_leak.h"
#include "perf.h"

#include <sys/mman.h>

#if defined(__x86_64__)

TEST_F(leak, of_perfs)
{
	int fd[3], i;

	for (i = 0; i < 3; i++) {
		fd[i] = perf_open(i ? EVENT_BRANCHES : EVENT_INSTRUCTIONS, 0, -1, 0);
		ASSERT_GE(fd[i], 0);
	}
	loop(100000);
	for (i = 0; i < 3; i++)
		close(fd[i]);
	ASSERT_EQ(0, get_the_right(self));
	EXPECT_EQ(0ULL, seen(self));
}

#define COULD(turn) (1 << (turn))
#define SAW	    100

/*
 * A child of perf's reader: perf leaves it the right to read, and only pmudev takes it. It exits
 * with the turns in which it could read, or with SAW if it saw in the second what others counted.
 */
static int child_of_perfs_reader(const struct _test_data_leak *self, struct turns *turns)
{
	int fd, child, i, result = 0;
	void *page;

	/* Once pmudev has counted a thread it takes the right at each fork. */
	if (unload_module() || load_module() || set_user_access(true))
		return -EIO;
	fd = perf_open(EVENT_INSTRUCTIONS, 0, 0, -1);
	page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED)
		return -EIO;
	child = fork_bound();
	if (!child) {
		close(fd);
		for (i = 0; i < 2; i++) {
			turn_wait(turns, 1);
			if (!all_fault())
				result |= i && seen(self) ? SAW : COULD(i);
			turn_give(turns, 1);
		}
		_exit(result);
	}
	munmap(page, PAGE_BYTES);
	close(fd);
	return child;
}

TEST_F(leak, to_a_child_of_perfs_reader)
{
	struct turns turns;
	int child;

	ASSERT_EQ(0, turns_init(&turns));
	child = child_of_perfs_reader(self, &turns);
	ASSERT_GT(child, 0);
	turn_pass(&turns, 0);
	self->child[0] = counted_child(self, 0, NULL);
	turn_pass(&turns, 0);
	EXPECT_EQ(COULD(0), child_result(child));
}

/* A reader's page is there before the PMU is reserved: only when it is gone can others be found. */
TEST_F(leak, to_a_child_of_perfs_reader_beside_ours)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	struct pmudev_page *page;
	struct turns turns;
	__u64 value;
	int child, fd;

	ASSERT_EQ(0, turns_init(&turns));
	child = child_of_perfs_reader(self, &turns);
	ASSERT_GT(child, 0);
	turn_pass(&turns, 0);
	fd = pm_set(&event, 1, false);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, pm_enable(fd, 0));
	self->child[0] = counted_child(self, 0, NULL);
	/* Its own right is not touched. */
	EXPECT_EQ(0, all_fault());
	EXPECT_EQ(0, direct_read(&(struct reader){ .page = page, .tid = my_tid() }, 0, &value));
	pm_unmap(page);
	EXPECT_EQ(1, all_fault());
	turn_pass(&self->turns[0], 0);
	turn_pass(&turns, 0);
	EXPECT_EQ(COULD(0), child_result(child));
	close(fd);
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
