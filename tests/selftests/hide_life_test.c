// SPDX-License-Identifier: GPL-2.0
/*
 * A thread reads its own counters and no others, from when they are its own until they are no more:
 * while its events, its pages and its CPU change, and afterwards.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "hide.h"
#include "perf.h"

/* Off its counter it shows nothing, and it shows again when it is back. */
TEST_F(hide, disabled_reset_removed)
{
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	EXPECT_EQ(0ULL, seen(self));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	EXPECT_EQ(self->own, seen(self));
	ASSERT_EQ(0, pm_reset(self->fd, PMUDEV_ALL, SECRET));
	EXPECT_EQ(self->own, seen(self));
	expect_own(_metadata, self);
	ASSERT_EQ(0, set_user_access(false));
	EXPECT_EQ(0ULL, seen(self));
	ASSERT_EQ(0, set_user_access(true));
	EXPECT_EQ(self->own, seen(self));
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_remove(self->fd, 0));
	EXPECT_EQ(0ULL, seen(self));
	EXPECT_EQ(0, all_fault());
}

/* A group more, beside the others: seen from the return of ENABLE to that of DISABLE. */
TEST_F(hide, one_more_group)
{
	__u64 more = lowest(self->query.user & ~self->own);

	ASSERT_EQ(0, count_on(more, DIRECT_READ, 1, self->fd));
	EXPECT_EQ(self->own | more, seen(self));
	ASSERT_EQ(0, pm_disable(self->fd, 1));
	EXPECT_EQ(self->own, seen(self));
	expect_own(_metadata, self);
}

/* Two sets, each with a page: what each has is there as long as its page is, and its events are. */
TEST_F(hide, two_pages)
{
	__u64 more = lowest(self->query.user & ~self->own);
	struct pmudev_page *page;
	int fd = count_on(more, DIRECT_READ, 0, -1);

	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	EXPECT_EQ(self->own | more, seen(self));
	pm_unmap(page);
	/* On Intel what an event is for says who can read it, not the page. */
	if (self->hiding && !RIGHT_OF_THE_PROCESS)
		EXPECT_EQ(self->own, seen(self));
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	EXPECT_EQ(self->own | more, seen(self));
	pm_unmap(page);
	close(fd);
	EXPECT_EQ(self->own, seen(self));
}

/* What the page shows is what can be read, at every turn. */
TEST_F(hide, taking_turns)
{
	struct pmudev_event_attr events[PMUDEV_MAX_GROUPS] = {};
	unsigned int i, nr = __builtin_popcountll(cycle_counters(self->query.user)) + 2;
	const struct pmudev_page *page;
	__u64 shown, now, all = 0;
	unsigned int turns = 0;
	__u32 seq;
	int fd;

	for (i = 0; i < nr; i++)
		events[i] = in_group(raw_event(EVENT_CYCLES, DIRECT_READ | PMUDEV_MULTIPLEX), i);
	fd = pm_set(events, nr, true);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	/* Each time that the page changes, until all counters and many turns have been seen. */
	for (seq = 0; turns < 50; turns++) {
		ASSERT_TRUE(WAIT_FOR(READ_ONCE(page->seq) != seq));
		do {
			seq = READ_ONCE(page->seq);
			barrier();
			shown = self->own;
			for (i = 0; i < nr; i++)
				if (page->slots[i].index)
					shown |= 1ULL << (page->slots[i].index - 1);
			/* A counter that has just come on may still be 0. */
			loop(100);
			now = seen(self);
			barrier();
		} while (READ_ONCE(page->seq) != seq);
		ASSERT_EQ(shown, now);
		all |= now;
	}
	all ^= cycle_counters(self->query.user) | self->own;
	EXPECT_EQ(LEFT_TO_PERF, __builtin_popcountll(all)) TH_LOG("%#llx", all);
	pm_unmap((struct pmudev_page *)page);
	close(fd);
	EXPECT_EQ(self->own, seen(self));
}

/* perf counts beside the reader, which sees what it reads itself; at most what perf has now. */
TEST_F(hide, perf_beside)
{
	unsigned int most = self->hiding ? 1 : 2;
	__u64 others = 0;
	int fd[2], i;

	if (RIGHT_OF_THE_PROCESS)
		SKIP(return, "perf's hardware events are refused here");
	ASSERT_EQ(0, write_file("/proc/sys/kernel/perf_user_access", "1"));
	/* One that counts the CPU, and one that perf lets its owner read: us. */
	fd[0] = perf_open(EVENT_CYCLES, 0, -1, 0);
	fd[1] = perf_open(EVENT_CYCLES, 2, 0, -1);
	ASSERT_GE(fd[0], 0);
	ASSERT_GE(fd[1], 0);
	for (i = 0; i < 200; i++) {
		others = seen(self) ^ self->own;
		ASSERT_EQ(0ULL, others & self->own);
		ASSERT_GE(most, (unsigned int)__builtin_popcountll(others)) TH_LOG("no. %d", i);
		expect_own(_metadata, self);
		loop(20000);
	}
	close(fd[0]);
	close(fd[1]);
	/* What they left is gone. */
	EXPECT_EQ(self->own, seen(self));
	ASSERT_EQ(0, write_file("/proc/sys/kernel/perf_user_access", "0"));
	pause_ns(100000);
	EXPECT_EQ(self->own, seen(self));
}

/* On the way from CPU to CPU. */
TEST_F(hide, wandering)
{
	int i;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, pin_to(i % cpus_online()));
		ASSERT_EQ(self->own, seen(self)) TH_LOG("no. %d", i);
	}
	expect_own(_metadata, self);
}

/* ------------------------------------------------------------------- afterwards -- */

TEST_F(hide, after_munmap_and_close)
{
	pm_unmap(self->page);
	self->page = NULL;
	EXPECT_EQ(1, all_fault());
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
	EXPECT_EQ(self->own, seen(self));
	close(self->fd);
	self->fd = -1;
	/* The page keeps the set. */
	EXPECT_EQ(self->own, seen(self));
	pm_unmap(self->page);
	self->page = NULL;
	EXPECT_EQ(1, all_fault());
}

TEST_F(hide, in_a_child)
{
	int child = fork_bound();

	if (!child)
		_exit(all_fault() == 1 ? 0 : 1);
	EXPECT_EQ(0, child_result(child));
	EXPECT_EQ(self->own, seen(self));
}

TEST_HARNESS_MAIN
