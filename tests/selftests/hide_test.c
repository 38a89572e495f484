// SPDX-License-Identifier: GPL-2.0
/*
 * A thread reads its own counters and no others, where the hardware can hide them: by the bare
 * instruction on every counter that exists, beside everybody who may be on the CPU. Where it cannot,
 * what remains visible is what the README says, and a CPU's counts and readers exclude each other.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "perf.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/utsname.h>

/* In a counter's low and high bits, and no carry for long. */
#define SECRET 0x5a5a5a5aULL

FIXTURE(hide)
{
	struct pmudev_query query;
	bool hiding;
	struct turns turns;
	int child;
	int fd; /* the reader's set: cycles on two counters */
	struct pmudev_page *page;
	__u64 own; /* their counters */
};

static __u64 lowest(__u64 mask)
{
	return mask & -mask;
}

static __u64 highest(__u64 mask)
{
	return 1ULL << (63 - __builtin_clzll(mask));
}

/* One event on each of these counters. */
static int count_on(__u64 counters, __u32 flags, unsigned int group, int fd)
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
	ASSERT_EQ(0, set_gate(true));
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, turns_init(&self->turns));
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
	if (self->child > 0)
		stop_child(self->child);
	if (self->page)
		pm_unmap(self->page);
	close(self->fd);
	turns_end(&self->turns);
	set_gate(false);
}

/* Counters that show anything, by the instruction itself. */
static __u64 seen(const struct _test_data_hide *self)
{
	__u64 left, seen = 0;

	/* A fixed counter may be out of reach for user mode altogether. */
	left = self->query.counters & (0xffffffff | self->query.user);
	/* What perf's placeholder started with stands in its counter. */
	if (!self->hiding)
		left &= self->query.available;
	for (; left; left &= left - 1)
		if (counter(operand_of(__builtin_ctzll(left))))
			seen |= lowest(left);
	return seen;
}

/* The registers of the reader's own counters lie between two checked reads. */
static void expect_own(struct __test_metadata *_metadata, struct _test_data_hide *self)
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

/* Emulated machines have it in their names, and arm64's kernels must know of it. */
static bool can_hide(void)
{
	int major = 0, minor = 0;
	struct utsname name;

	if (RIGHT_OF_THE_PROCESS)
		return strstr(machine_name(), "-hide");
	uname(&name);
	sscanf(name.release, "%d.%d", &major, &minor);
	return strstr(machine_name(), "p9") && major * 100 + minor >= 613;
}

TEST_F(hide, as_the_machine_can)
{
	if (!emulated())
		SKIP(return, "the machine's name says nothing");
	EXPECT_EQ(can_hide(), self->hiding);
}

/* ---------------------------------------------------------------- the others -- */

TEST_F(hide, a_cpu_set_beside_a_reader)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS] = {};
	__u64 left, others = self->query.available & ~self->own;
	unsigned int i, nr = 0;
	union record record;
	int fd;

	for (left = others; left; left &= left - 1)
		events[nr++] = event_on(__builtin_ctzll(left), 0);
	if (!self->hiding) {
		EXPECT_REFUSED(EBUSY, PMUDEV_WHY_VISIBLE, pm_cpu_set(0, 0, events, nr));
		EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, why.holder.kind);
		/* It is what SHARED says: all of it can be seen. */
		fd = pm_cpu_set(0, PMUDEV_BIND_SHARED, events, nr);
		ASSERT_GE(fd, 0);
		EXPECT_EQ(self->own | (others & self->query.user), seen(self));
		close(fd);
		return;
	}
	fd = pm_cpu_set(0, 0, events, nr);
	ASSERT_GE(fd, 0);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(0, pm_reset(fd, i, SECRET));
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(self->own, seen(self)) TH_LOG("no. %u", i);
	expect_own(_metadata, self);
	ASSERT_EQ(0, pm_read(fd, &record));
	for (i = 0; i < nr; i++)
		EXPECT_LT(SECRET, record.r.counts[i].value);
	close(fd);
	EXPECT_EQ(self->own, seen(self));
}

/* The CPU set comes first, and the page is mapped beside it. */
TEST_F(hide, a_reader_beside_a_cpu_set)
{
	struct pmudev_event_attr event;
	int fd;

	pm_unmap(self->page);
	self->page = NULL;
	event = event_on(__builtin_ctzll(self->query.available & ~self->own), 0);
	fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(fd, 0);
	self->page = pm_map(self->fd);
	if (self->hiding) {
		ASSERT_NE(NULL, self->page);
		EXPECT_EQ(self->own, seen(self));
		expect_own(_metadata, self);
	} else {
		EXPECT_EQ(NULL, self->page);
		EXPECT_EQ((__u32)PMUDEV_WHY_VISIBLE, why.code);
	}
	close(fd);
}

/* Counted on every counter of @counters, with a secret in each, whenever it has its turn. */
static void be_counted(struct _test_data_hide *self, __u64 counters, __u32 flags, bool map)
{
	int fd = count_on(counters, flags, 0, -1);

	if (fd < 0 || pm_reset(fd, PMUDEV_ALL, SECRET) || (map && !pm_map(fd)))
		_exit(1);
	for (;;) {
		turn_give(&self->turns, 1);
		turn_wait(&self->turns, 1);
		loop(1000);
	}
}

static void look_between(struct __test_metadata *_metadata, struct _test_data_hide *self,
			 __u64 counters, __u32 flags, bool map)
{
	int i;

	self->child = fork_bound();
	if (!self->child)
		be_counted(self, counters, flags, map);
	turn_wait(&self->turns, 0);
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(self->own, seen(self)) TH_LOG("no. %d", i);
		expect_own(_metadata, self);
		turn_pass(&self->turns, 0);
	}
	EXPECT_EQ(0, waitpid(-1, NULL, WNOHANG));
}

/* These hold on every machine: what is not the reader's is cleared or hidden. */
TEST_F(hide, who_was_counted_before)
{
	look_between(_metadata, self, self->query.available, USER_ONLY, false);
}

TEST_F(hide, another_reader)
{
	look_between(_metadata, self, self->query.user, DIRECT_READ, true);
}

TEST_F(hide, one_who_could_read_and_does_not)
{
	look_between(_metadata, self, self->query.user, DIRECT_READ, false);
}

/* The reader's own events that are not for user reads: a second set of it. */
TEST_F(hide, own_events_that_are_not_for_reading)
{
	__u64 others = self->query.available & ~self->own;
	int fd = count_on(others, USER_ONLY, 0, -1);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_reset(fd, PMUDEV_ALL, SECRET));
	loop(1000);
	EXPECT_EQ(self->hiding ? self->own : self->own | (others & self->query.user), seen(self));
	expect_own(_metadata, self);
	close(fd);
	EXPECT_EQ(self->own, seen(self));
}

struct sibling {
	pthread_t thread;
	struct _test_data_hide *self;
	int faults;
	__u64 seen;
};

static void *look_on(void *arg)
{
	struct sibling *sibling = arg;

	sibling->faults = all_fault();
	if (!sibling->faults)
		sibling->seen = seen(sibling->self);
	return NULL;
}

/* A thread of the same process, on the same CPU, which is not counted. */
TEST_F(hide, a_sibling_sees_nothing)
{
	struct sibling sibling = { .self = self };

	EXPECT_EQ(self->own, seen(self));
	ASSERT_EQ(0, pthread_create(&sibling.thread, NULL, look_on, &sibling));
	pthread_join(sibling.thread, NULL);
	EXPECT_EQ(!RIGHT_OF_THE_PROCESS, sibling.faults);
	EXPECT_EQ(0ULL, sibling.seen);
}

/* ---------------------------------------------------------- what changes meanwhile -- */

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
	ASSERT_EQ(0, set_gate(false));
	EXPECT_EQ(0ULL, seen(self));
	ASSERT_EQ(0, set_gate(true));
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
	EXPECT_EQ(cycle_counters(self->query.user) | self->own, all);
	pm_unmap((struct pmudev_page *)page);
	close(fd);
	EXPECT_EQ(self->own, seen(self));
}

/* perf tries to schedule, beside the reader: what it does to the CPU is undone. */
TEST_F(hide, perf_beside)
{
	struct pmudev_query before, after;
	int fd[2], i;

	if (RIGHT_OF_THE_PROCESS)
		SKIP(return, "perf's hardware events are refused here");
	ASSERT_EQ(0, write_file("/proc/sys/kernel/perf_user_access", "1"));
	ASSERT_EQ(0, pm_query(&before));
	/* One that counts the CPU, and one that perf lets its owner read: us. */
	fd[0] = perf_open(EVENT_CYCLES, 0, -1, 0);
	fd[1] = perf_open(EVENT_CYCLES, 2, 0, -1);
	ASSERT_GE(fd[0], 0);
	ASSERT_GE(fd[1], 0);
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(self->own, seen(self)) TH_LOG("no. %d", i);
		expect_own(_metadata, self);
		loop(20000);
	}
	ASSERT_EQ(0, write_file("/proc/sys/kernel/perf_user_access", "0"));
	EXPECT_EQ(self->own, seen(self));
	close(fd[0]);
	close(fd[1]);
	ASSERT_EQ(0, pm_query(&after));
	EXPECT_LT(before.mends, after.mends);
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
