// SPDX-License-Identifier: GPL-2.0
/*
 * User access: sysctl dev.pmudev.user_access. While it is disabled, nobody starts to read directly.
 * Disabled under those who do, they fall back to read(2), are stopped, and find nothing in the
 * counters; none of them ever faults.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <fcntl.h>

FIXTURE(user_access)
{
	int fd;
	struct pmudev_page *page;
	struct reader reader;
};

static int start(struct _test_data_user_access *self, __u64 event)
{
	struct pmudev_event_attr events[] = {
		raw_event(event, DIRECT_READ),
		in_group(raw_event(EVENT_CYCLES, USER_ONLY), 1),
	};

	set_user_access(true);
	self->fd = pm_set(events, 2, true);
	if (self->fd < 0)
		return self->fd;
	self->page = pm_map(self->fd);
	if (!self->page)
		return -errno;
	self->reader = reader_of(self->page);
	return 0;
}

FIXTURE_SETUP(user_access)
{
	ASSERT_EQ(0, set_user_access(false));
	self->fd = -1;
}

FIXTURE_TEARDOWN(user_access)
{
	if (self->page)
		pm_unmap(self->page);
	if (self->fd >= 0)
		close(self->fd);
	EXPECT_EQ(0, set_user_access(false));
}

TEST_F(user_access, is_a_switch)
{
	struct pmudev_query query;

	EXPECT_EQ(0, read_number(USER_ACCESS));
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_FALSE(query.state & PMUDEV_STATE_USER_ACCESS);
	EXPECT_EQ(0, set_user_access(true));
	EXPECT_EQ(1, read_number(USER_ACCESS));
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_TRUE(query.state & PMUDEV_STATE_USER_ACCESS);
	EXPECT_EQ(-EINVAL, write_file(USER_ACCESS, "2"));
	EXPECT_EQ(-EINVAL, write_file(USER_ACCESS, "-1"));
	EXPECT_EQ(-EINVAL, write_file(USER_ACCESS, "yes"));
	EXPECT_EQ(1, read_number(USER_ACCESS));
}

TEST_F(user_access, closed_refuses_user_reads)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	struct pmudev_event_attr other = raw_event(EVENT_CYCLES, USER_ONLY);
	__s32 counter;

	EXPECT_REFUSED(EACCES, PMUDEV_WHY_USER_ACCESS, pm_set(&event, 1, true));
	/* Events without user reads are not affected. */
	self->fd = pm_set(&other, 1, true);
	ASSERT_GE(self->fd, 0);
	event.group = 1;
	EXPECT_REFUSED(EACCES, PMUDEV_WHY_USER_ACCESS, pm_add(self->fd, &event, 1));
	EXPECT_EQ(0, why.event);
	EXPECT_REFUSED(EACCES, PMUDEV_WHY_USER_ACCESS, pm_place(self->fd, &event, 1, &counter));
	EXPECT_EQ(0, set_user_access(true));
	EXPECT_EQ(0, pm_add(self->fd, &event, 1));
	EXPECT_EQ(0, set_user_access(false));
	EXPECT_REFUSED(EACCES, PMUDEV_WHY_USER_ACCESS, pm_enable(self->fd, 1));
	EXPECT_EQ(NULL, pm_map(self->fd));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ((__u32)PMUDEV_WHY_USER_ACCESS, why.code);
	EXPECT_TRUE(counter_faults(FIXED_OPERAND));
}

TEST_F(user_access, open_lets_read)
{
	__u64 before, after;
	union record record;
	int i;

	ASSERT_EQ(0, start(self, EVENT_CYCLES));
	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(0, direct_read(&self->reader, 0, &before));
		ASSERT_EQ(0, pm_read(self->fd, &record));
		ASSERT_EQ(0, direct_read(&self->reader, 0, &after));
		ASSERT_GT(record.r.counts[0].value, before);
		ASSERT_LT(record.r.counts[0].value, after);
	}
}

/*
 * Closed under a reader: it falls back, its count stands still, its counter shows nothing, and the
 * instruction does not fault (the page is mapped still). Open again, it goes on from there.
 */
TEST_F(user_access, closing_stops_a_reader)
{
	union record before, closed, later, after;
	struct pmudev_slot slot;
	__u32 generation;
	__u64 value;
	int i;

	ASSERT_EQ(0, start(self, EVENT_CYCLES));
	loop(10000);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, pm_read(self->fd, &before));
		slot = self->page->slots[0];
		ASSERT_NE(0, slot.index);
		generation = READ_ONCE(self->page->generation);
		ASSERT_EQ(0, set_user_access(false));
		EXPECT_EQ(0ULL, counter(slot.operand));
		EXPECT_EQ(0ULL, counter(slot.operand));
		EXPECT_EQ(0U, READ_ONCE(self->page->owner));
		EXPECT_NE(generation, READ_ONCE(self->page->generation));
		EXPECT_EQ(-EAGAIN, direct_read(&self->reader, 0, &value));
		ASSERT_EQ(0, pm_read(self->fd, &closed));
		EXPECT_TRUE(closed.r.flags & PMUDEV_RECORD_NO_USER_ACCESS);
		EXPECT_TRUE(closed.r.flags & PMUDEV_RECORD_ENABLED);
		EXPECT_GT(closed.r.counts[0].value, before.r.counts[0].value);
		loop(10000);
		ASSERT_EQ(0, pm_read(self->fd, &later));
		EXPECT_EQ(closed.r.counts[0].value, later.r.counts[0].value);
		EXPECT_EQ(closed.r.counts[0].time_running, later.r.counts[0].time_running);
		EXPECT_GT(later.r.counts[0].time_enabled, closed.r.counts[0].time_enabled);
		/* The group that nobody reads directly has not noticed. */
		EXPECT_GE(later.r.counts[1].value, closed.r.counts[1].value + 10000);
		EXPECT_EQ(later.r.counts[1].time_enabled, later.r.counts[1].time_running);
		ASSERT_EQ(0, set_user_access(true));
		loop(10000);
		ASSERT_EQ(0, direct_read(&self->reader, 0, &value));
		EXPECT_GE(value, later.r.counts[0].value + 10000);
		ASSERT_EQ(0, pm_read(self->fd, &after));
		EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, after.r.flags);
		EXPECT_GE(after.r.counts[0].value, value);
	}
}

/* Enabling, disabling and mapping while it is closed: what is refused and what is not. */
TEST_F(user_access, while_closed)
{
	union record record;

	ASSERT_EQ(0, start(self, EVENT_CYCLES));
	ASSERT_EQ(0, set_user_access(false));
	EXPECT_EQ(0, pm_disable(self->fd, 0));
	EXPECT_REFUSED(EACCES, PMUDEV_WHY_USER_ACCESS, pm_enable(self->fd, 0));
	EXPECT_REFUSED(EACCES, PMUDEV_WHY_USER_ACCESS, pm_enable(self->fd, PMUDEV_ALL));
	EXPECT_EQ(0, pm_enable(self->fd, 1));
	EXPECT_EQ(0, pm_reset(self->fd, 0, 4711));
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(4711ULL, record.r.counts[0].value);
	/* No set waits for user access any more: nothing is stopped by it. */
	EXPECT_FALSE(record.r.flags & PMUDEV_RECORD_NO_USER_ACCESS);
	ASSERT_EQ(0, set_user_access(true));
	loop(1000);
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(4711ULL, record.r.counts[0].value);
	EXPECT_EQ(0, pm_enable(self->fd, 0));
	loop(1000);
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_GE(record.r.counts[0].value, 4711 + 1000ULL);
}

TEST_F(user_access, reset_while_stopped)
{
	__u64 value;

	ASSERT_EQ(0, start(self, EVENT_CYCLES));
	ASSERT_EQ(0, set_user_access(false));
	EXPECT_EQ(0, pm_reset(self->fd, 0, 1ULL << 40));
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, direct_read(&self->reader, 0, &value));
	EXPECT_GE(value, 1ULL << 40);
	EXPECT_LT(value, (1ULL << 40) + 10000000);
}

/* --------------------------------------------------- a reader that never stops -- */

/* Up to the end, so that it can be seen to have been there all the time. */
static unsigned int *toggles;

/* @open_ns: the longer it is open, the more is done then. */
static void toggle(struct turns *turns, __u64 open_ns)
{
	unsigned int i;
	int fd = open(USER_ACCESS, O_WRONLY | O_CLOEXEC);

	turn_give(turns, 1);
	for (i = 0;; i++) {
		if (pwrite(fd, i & 1 ? "1" : "0", 1, 0) != 1)
			_exit(errno);
		*toggles = i;
		/* Of changing length, so that the reader is at a different place each time. */
		pause_ns(30000 + i % 13 * (i & 1 ? open_ns : 7001));
	}
}

/*
 * A million reads while another process toggles user access: never a fault, never a step
 * back, and what was counted between two reads that saw the same generation is exactly what ran.
 */
TEST_F(user_access, toggled_under_a_reader)
{
	__u64 value, last = 0, next = 0, n, directs = 0, calls = 0;
	struct turns turns;
	bool direct;
	int child;

	ASSERT_EQ(0, start(self, EVENT_CYCLES));
	ASSERT_EQ(0, turns_init(&turns));
	toggles = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, toggles);
	child = fork_bound();
	if (!child)
		toggle(&turns, 7001);
	turn_wait(&turns, 0);
	/*
	 * A million, and more until user access was toggled often enough; a slow kernel needs more.
	 */
	for (n = 0; n < (__u64)few(1000000) || (READ_ONCE(*toggles) <= 20 && n < 10000000); n++) {
		give_way(n, &next);
		ASSERT_EQ(0, read_either(self->fd, &self->reader, 0, &value, &direct));
		ASSERT_GE(value, last) TH_LOG("read %llu, direct %d", n, direct);
		last = value;
		directs += direct;
		calls += !direct;
		/* Reads by call cost twenty times as much: the reader's million is of reads. */
		n += direct ? 0 : 20;
	}
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	stop_child(child);
	TH_LOG("%llu direct, %llu by call, %u toggles", directs, calls, READ_ONCE(*toggles));
	EXPECT_GT(directs, 1000ULL);
	EXPECT_GT(calls, 100ULL);
	EXPECT_GT(READ_ONCE(*toggles), 20U);
	ASSERT_EQ(0, set_user_access(true));
	EXPECT_EQ(0, direct_read(&self->reader, 0, &value));
	EXPECT_GE(value, last);
}

/* Everything a process can do with a set, while user access is toggled. */
TEST_F(user_access, toggled_under_everything)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	struct pmudev_page *page;
	struct turns turns;
	struct reader reader;
	unsigned int i, made = 0;
	int child, fd, ret;
	__u64 value;

	ASSERT_EQ(0, turns_init(&turns));
	toggles = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, toggles);
	child = fork_bound();
	if (!child)
		toggle(&turns, 200003);
	turn_wait(&turns, 0);
	for (i = 0; i < (unsigned int)few(2000); i++) {
		pause_ns(i * 997 % 20000);
		fd = pm_set(&event, 1, true);
		if (fd < 0) {
			EXPECT_EQ(-EACCES, fd);
			continue;
		}
		page = pm_map(fd);
		if (page) {
			made++;
			reader = reader_of(page);
			ret = read_either(fd, &reader, 0, &value, NULL);
			EXPECT_EQ(0, ret);
			ret = pm_disable(fd, 0);
			EXPECT_EQ(0, ret);
			ret = pm_enable(fd, 0);
			EXPECT_TRUE(ret == 0 || ret == -EACCES);
			pm_unmap(page);
		} else {
			EXPECT_EQ(EACCES, errno);
		}
		close(fd);
	}
	EXPECT_EQ(0, waitpid(child, NULL, WNOHANG));
	stop_child(child);
	EXPECT_GT(made, 10U);
	EXPECT_LT(made, (unsigned int)few(2000));
}

TEST_HARNESS_MAIN
