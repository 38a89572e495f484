// SPDX-License-Identifier: GPL-2.0
/*
 * The right to read counters belongs to a process from its first mapping to its last. On arm64 its
 * counted threads alone have it, on x86 all of its threads (and those that are not counted see
 * zeroes). Anybody else is stopped by the CPU: SIGILL, SIGSEGV.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pthread.h>
#include <signal.h>

FIXTURE(right)
{
	struct pmudev_query before;
};

FIXTURE_SETUP(right)
{
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pm_query(&self->before));
	ASSERT_EQ(0ULL, self->before.busy);
}

FIXTURE_TEARDOWN(right)
{
	set_user_access(false);
}

static int reader_set(struct pmudev_page **page)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	int fd = pm_set(&event, 1, true);

	*page = fd < 0 ? NULL : pm_map(fd);
	return *page ? fd : -1;
}

TEST_F(right, none_without_a_set)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	int fd;

	EXPECT_EQ(1, all_fault());
	/* Counting alone gives none: it is the page that does. */
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(1, all_fault());
	close(fd);
}

TEST_F(right, from_mmap_to_munmap)
{
	struct pmudev_page *page;
	int fd = reader_set(&page);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, all_fault());
	pm_unmap(page);
	EXPECT_EQ(1, all_fault());
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	EXPECT_EQ(0, all_fault());
	pm_unmap(page);
	EXPECT_EQ(1, all_fault());
	close(fd);
}

/* The file closed, the mapping is what counts. */
TEST_F(right, stays_while_mapped)
{
	struct pmudev_page *page;
	int fd = reader_set(&page);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_disable(fd, 0));
	EXPECT_EQ(0, all_fault());
	close(fd);
	EXPECT_EQ(0, all_fault());
	pm_unmap(page);
	EXPECT_EQ(1, all_fault());
}

/* Two sets of a process: the right goes with the last of both. */
TEST_F(right, of_two_sets)
{
	struct pmudev_page *one, *two;
	int fd1 = reader_set(&one);
	int fd2 = reader_set(&two);

	ASSERT_GE(fd1, 0);
	ASSERT_GE(fd2, 0);
	pm_unmap(one);
	close(fd1);
	EXPECT_EQ(0, all_fault());
	pm_unmap(two);
	EXPECT_EQ(1, all_fault());
	close(fd2);
}

struct bystander {
	pthread_t thread;
	__u64 available;
	int faults;
	__u64 seen; /* counters that showed something */
};

static void *stand_by(void *arg)
{
	struct bystander *b = arg;
	__u64 left;

	b->faults = all_fault();
	for (left = b->available; left && !b->faults; left &= left - 1)
		if (counter(operand_of(__builtin_ctzll(left))))
			b->seen |= left & -left;
	return NULL;
}

/* A thread of the same process that is not counted has no right, or nothing to see. */
TEST_F(right, of_bystanders)
{
	struct bystander b = { 0 };
	struct pmudev_page *page;
	int fd = reader_set(&page);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_query(&self->before));
	b.available = self->before.user;
	ASSERT_EQ(0, pthread_create(&b.thread, NULL, stand_by, &b));
	ASSERT_EQ(0, pthread_join(b.thread, NULL));
	EXPECT_EQ(!RIGHT_OF_THE_PROCESS, b.faults);
	EXPECT_EQ(0ULL, b.seen);
	EXPECT_EQ(0, all_fault());
	pm_unmap(page);
	close(fd);
}

TEST_F(right, not_of_a_forks_child)
{
	struct pmudev_page *page;
	int fd = reader_set(&page);
	int child;

	ASSERT_GE(fd, 0);
	child = fork();
	if (!child) {
		if (all_fault() != 1)
			_exit(1);
		/* Unmapping what was inherited takes nothing from the parent either. */
		pm_unmap(page);
		_exit(all_fault() == 1 ? 0 : 2);
	}
	EXPECT_EQ(0, child_result(child));
	EXPECT_EQ(0, all_fault());
	pm_unmap(page);
	close(fd);
}

/* Between one who may and one who may not: the right follows the process at each switch. */
TEST_F(right, follows_switches)
{
	struct pmudev_page *page;
	struct turns turns;
	int fd, child, i;

	ASSERT_EQ(0, turns_init(&turns));
	child = fork();
	if (!child) {
		turn_wait(&turns, 1);
		for (i = 0; i < 50; i++) {
			if (all_fault() != 1)
				_exit(1);
			turn_pass(&turns, 1);
		}
		_exit(0);
	}
	fd = reader_set(&page);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 50; i++) {
		EXPECT_EQ(0, all_fault());
		turn_pass(&turns, 0);
	}
	turn_give(&turns, 0);
	EXPECT_EQ(0, child_result(child));
	pm_unmap(page);
	close(fd);
}

/* Any counter's value that is not the caller's: its index + 1, or 0. */
static unsigned int foreign_counter(const struct pmudev_page *page, __u64 mask)
{
	__u64 own = 0;
	unsigned int i;

	for (i = 0; i < page->nr_slots; i++)
		if (page->slots[i].index)
			own |= 1ULL << (page->slots[i].index - 1);
	for (mask &= ~own; mask; mask &= mask - 1) {
		i = __builtin_ctzll(mask);
		if (counter(operand_of(i)))
			return i + 1;
	}
	return 0;
}

/*
 * A process with the right can read all counters there are. What others counted on them is gone
 * before it runs: whoever was on this CPU with all its counters leaves zeroes there. (The counter
 * that perf keeps shows where perf's period starts.)
 */
TEST_F(right, shows_nothing_of_others)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	struct pmudev_page *page;
	struct turns turns;
	int fd, child, i, nr = 0;
	__u64 left;

	fd = reader_set(&page);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_query(&self->before));
	/* The last one is for the counter that the reader has itself. */
	for (left = self->before.user & ~(1ULL << page->slots[0].index >> 1); left;
	     left &= left - 1)
		events[nr++] = event_on(__builtin_ctzll(left), USER_ONLY);
	events[nr++] = event_on(page->slots[0].index - 1, USER_ONLY);
	ASSERT_EQ(0, turns_init(&turns));
	ASSERT_EQ(0, pin_to(0));
	child = fork_bound();
	if (!child) {
		if (pm_set(events, nr, true) < 0)
			_exit(1);
		for (;;) {
			turn_wait(&turns, 1);
			loop(1000);
			turn_give(&turns, 1);
		}
	}
	for (i = 0; i < 50; i++) {
		turn_pass(&turns, 0);
		ASSERT_EQ(0U, foreign_counter(page, self->before.user));
	}
	/* Nor what this process counted itself, on counters that it has given back. */
	fd = pm_set(events, nr - 1, true);
	ASSERT_GE(fd, 0);
	loop(1000);
	close(fd);
	EXPECT_EQ(0U, foreign_counter(page, self->before.user));
	stop_child(child);
}

/* Exit with everything open leaves nothing behind: the next process on this CPU has no right. */
TEST_F(right, ends_with_the_process)
{
	struct pmudev_page *page;
	struct pmudev_query query;
	int i, child;

	for (i = 0; i < 10; i++) {
		child = fork();
		if (!child) {
			int ret = reader_set(&page) < 0 ? 1 : 0;

			if (!ret && all_fault() != 0)
				ret = 2;
			if (i & 1)
				raise(SIGKILL);
			_exit(ret);
		}
		EXPECT_EQ(i & 1 ? 1000 + SIGKILL : 0, child_result(child));
		EXPECT_EQ(1, all_fault());
	}
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

/* The owner's thread ends, the process and its mapping go on: there is nothing left to read. */
static void *map_and_end(void *arg)
{
	struct pmudev_page **page = arg;

	reader_set(page);
	return NULL;
}

TEST_F(right, ends_with_the_thread)
{
	struct pmudev_page *page = NULL;
	struct reader reader;
	pthread_t thread;
	__u64 value;

	ASSERT_EQ(0, pthread_create(&thread, NULL, map_and_end, &page));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_NE(NULL, page);
	EXPECT_TRUE(WAIT_FOR(READ_ONCE(page->owner) == 0));
	EXPECT_EQ(!RIGHT_OF_THE_PROCESS, all_fault());
	reader = reader_of(page);
	EXPECT_EQ(-EAGAIN, direct_read(&reader, 0, &value));
	pm_unmap(page);
	EXPECT_EQ(1, all_fault());
}

TEST_HARNESS_MAIN
