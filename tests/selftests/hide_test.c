// SPDX-License-Identifier: GPL-2.0
/*
 * A thread reads its own counters and no others, where the hardware can hide them: beside everybody
 * who may be on the CPU. Where it cannot, what remains visible is what docs/security.md says, and a
 * CPU's counts and readers exclude each other.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "hide.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/utsname.h>

/* Emulated machines have it in their names, and arm64's kernels must know of it. */
static bool can_hide(void)
{
	int major = 0, minor = 0;
	struct utsname name;

	if (RIGHT_OF_THE_PROCESS)
		return strstr(machine_name(), "-hide");
	uname(&name);
	if (sscanf(name.release, "%d.%d", &major, &minor) != 2)
		return false;
	return strstr(machine_name(), "p9") && major * 100 + minor >= 613;
}

TEST_F(hide, as_the_machine_can)
{
	if (!emulated())
		SKIP(return, "the machine's name says nothing");
	EXPECT_EQ(can_hide(), self->hiding);
}

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
		EXPECT_REFUSED(EBUSY, PMUDEV_WHY_USER_READABLE, pm_cpu_set(0, 0, events, nr));
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
		EXPECT_EQ((__u32)PMUDEV_WHY_USER_READABLE, why.code);
	}
	close(fd);
}

/* Counted on every counter of @counters, with a secret in each, whenever it has its turn. */
static void be_counted(struct turns *turns, __u64 counters, __u32 flags, bool map)
{
	int fd = count_on(counters, flags, 0, -1);

	if (fd < 0 || pm_reset(fd, PMUDEV_ALL, SECRET) || (map && !pm_map(fd)))
		_exit(1);
	for (;;) {
		turn_give(turns, 1);
		turn_wait(turns, 1);
		loop(1000);
	}
}

static void look_between(struct __test_metadata *_metadata, struct _test_data_hide *self,
			 __u64 counters, __u32 flags, bool map)
{
	struct turns turns;
	int i, child;

	ASSERT_EQ(0, turns_init(&turns));
	child = fork_bound();
	if (!child)
		be_counted(&turns, counters, flags, map);
	ASSERT_GT(child, 0);
	turn_wait(&turns, 0);
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(self->own, seen(self)) TH_LOG("no. %d", i);
		expect_own(_metadata, self);
		turn_pass(&turns, 0);
	}
	EXPECT_EQ(0, waitpid(-1, NULL, WNOHANG));
	stop_child(child);
	turns_end(&turns);
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

TEST_HARNESS_MAIN
