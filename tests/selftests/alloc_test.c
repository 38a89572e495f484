// SPDX-License-Identifier: GPL-2.0
/* Allocation in hard cases: inheritance, ended targets, and the plans of multiplexed sets. */
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "kselftest_harness.h"

/* Programmable counters that sets can get; known after the first reservation. */
static unsigned int available[PMUDEV_FIXED_BASE];
static unsigned int nr_available;

/* The mask of one of them. */
#define C(n) (1ULL << available[n])

static struct pmudev_event_attr on(__u64 allowed)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);

	event.allowed = allowed;
	return event;
}

static int set_on(__u64 allowed)
{
	struct pmudev_event_attr event = on(allowed);

	return pm_set(&event, 1, true);
}

/* The counter of a set's first event. */
static int counter_of(int fd)
{
	__s32 counter[PMUDEV_MAX_EVENTS];

	return pm_place(fd, NULL, 0, counter) ? -1 : counter[0];
}

static int inherited_set(void)
{
	int fd = pm_open();

	return pm_bind(fd, PMUDEV_TARGET_TASK, 0, PMUDEV_BIND_INHERIT) ? -1 : fd;
}

static int add_on(int fd, __u64 allowed)
{
	struct pmudev_event_attr event = on(allowed);

	return pm_add(fd, &event, 1);
}

static void find_available(void)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct pmudev_query query = {};
	unsigned int c;
	int fd;

	fd = pm_set(&event, 1, true);
	pm_query(&query);
	close(fd);
	nr_available = 0;
	for (c = 0; c < PMUDEV_FIXED_BASE; c++)
		if (query.available >> c & 1)
			available[nr_available++] = c;
}

/* A child with a set of its own on @counter, which counts there when it is its turn. */
static int child_with_set(struct turns *turns, int counter)
{
	union record record;
	int child = fork(), fd;

	if (child)
		return child;
	fd = set_on(1ULL << counter);
	turn_give(turns, 1);
	turn_wait(turns, 1);
	loop(1000);
	_exit(fd < 0 || pm_read(fd, &record) || record.r.counts[0].value < 1000 ||
	      (record.r.flags & PMUDEV_RECORD_NO_USER_ACCESS));
}

FIXTURE(alloc)
{
	int unused;
};

FIXTURE_SETUP(alloc)
{
	self->unused = 0;
	find_available();
	ASSERT_GE(nr_available, 3U);
}

FIXTURE_TEARDOWN(alloc)
{
}

/* A counter that a child's own set has is nothing that an inherited set can get by moving. */
TEST_F(alloc, a_child_has_the_counter)
{
	struct turns turns;
	int parent, fd, child, counter;

	ASSERT_EQ(0, turns_init(&turns));
	parent = inherited_set();
	ASSERT_GE(parent, 0);
	fd = set_on(C(0) | C(1));
	ASSERT_GE(fd, 0);
	counter = counter_of(fd);
	child = child_with_set(&turns, counter);
	turn_wait(&turns, 0);
	ASSERT_EQ(0, add_on(parent, 1ULL << counter));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(parent, PMUDEV_ALL));
	EXPECT_EQ(counter, counter_of(fd));
	turn_give(&turns, 0);
	EXPECT_EQ(0, child_result(child));
	/* The child gone, it is. */
	EXPECT_EQ(0, pm_enable(parent, PMUDEV_ALL));
	EXPECT_EQ(counter, counter_of(parent));
	EXPECT_NE(counter, counter_of(fd));
	close(fd);
	close(parent);
}

/* But what moves out of the way may pass by what stays. */
TEST_F(alloc, others_stay)
{
	int parent, stays, moves, child, counter;
	struct turns turns;

	ASSERT_EQ(0, turns_init(&turns));
	parent = inherited_set();
	ASSERT_GE(parent, 0);
	stays = set_on(C(0));
	moves = set_on(C(1) | C(2));
	ASSERT_TRUE(stays >= 0 && moves >= 0);
	counter = counter_of(moves);
	child = child_with_set(&turns, available[0]);
	turn_wait(&turns, 0);
	ASSERT_EQ(0, add_on(parent, 1ULL << counter));
	EXPECT_EQ(0, pm_enable(parent, PMUDEV_ALL));
	EXPECT_EQ((int)available[0], counter_of(stays));
	EXPECT_EQ((int)(available[1] + available[2]) - counter, counter_of(moves));
	turn_give(&turns, 0);
	EXPECT_EQ(0, child_result(child));
	close(moves);
	close(stays);
	close(parent);
}

/* A target that ended holds nothing, not even beside an inherited set of its that goes on. */
TEST_F(alloc, ended_target)
{
	int parent, fd, target, hold[2];
	union record record;
	struct turns turns;
	char c;

	ASSERT_EQ(0, turns_init(&turns));
	ASSERT_EQ(0, pipe(hold));
	target = fork();
	if (!target) {
		close(hold[1]);
		turn_wait(&turns, 1);
		/* The child lives until the test closes the pipe. */
		if (!fork())
			_exit(read(hold[0], &c, 1) != 0);
		_exit(0);
	}
	close(hold[0]);
	parent = pm_open();
	ASSERT_EQ(0, pm_bind(parent, PMUDEV_TARGET_TASK, target, PMUDEV_BIND_INHERIT));
	fd = pm_open();
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, target, 0));
	ASSERT_EQ(0, add_on(fd, C(0)));
	ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	turn_give(&turns, 0);
	EXPECT_EQ(0, child_result(target));
	ASSERT_EQ(0, add_on(parent, C(0)));
	EXPECT_EQ(0, pm_enable(parent, PMUDEV_ALL));
	EXPECT_EQ(0, pm_read(parent, &record));
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, record.r.flags);
	close(hold[1]);
	close(fd);
	close(parent);
}

/* A set that has all counters of a thread, which has ended when it returns. */
static int ended_set(struct __test_metadata *_metadata)
{
	int fd = pm_open(), target;
	struct turns turns;
	unsigned int i;

	EXPECT_EQ(0, turns_init(&turns));
	target = fork();
	if (!target) {
		turn_wait(&turns, 1);
		_exit(0);
	}
	EXPECT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, target, 0));
	for (i = 0; i < nr_available; i++)
		EXPECT_EQ(0, add_on(fd, C(i)));
	EXPECT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	turn_give(&turns, 0);
	EXPECT_EQ(0, child_result(target));
	return fd;
}

/* Its counters are there for groups in turns, too, without a QUERY in between. */
TEST_F(alloc, ended_target_before_turns)
{
	struct pmudev_event_attr event = on(C(0));
	__s32 counter[PMUDEV_MAX_EVENTS];
	int fd, cpu = pm_open();

	event.flags |= PMUDEV_MULTIPLEX;
	ASSERT_EQ(0, pm_bind(cpu, PMUDEV_TARGET_CPU, 0, 0));
	fd = ended_set(_metadata);
	EXPECT_EQ(0, pm_place(cpu, &event, 1, counter));
	close(fd);
	ASSERT_EQ(0, pm_add(cpu, &event, 1));
	fd = ended_set(_metadata);
	EXPECT_EQ(0, pm_enable(cpu, PMUDEV_ALL));
	close(fd);
	close(cpu);
}

/* What a plan had in mind for a set that has changed since is not carried out by the next plan. */
TEST_F(alloc, plans_are_forgotten)
{
	struct pmudev_event_attr events[2] = {};
	int first, fd, asking, mux, last, again;
	__s32 counter[PMUDEV_MAX_EVENTS];

	if (nr_available < 4)
		SKIP(return, "needs four programmable counters");
	events[0] = on(C(0));
	events[1] = in_group(on(C(1)), 1);
	events[1].flags |= PMUDEV_MULTIPLEX;
	first = pm_set(events, 2, true);
	ASSERT_GE(first, 0);
	fd = set_on(C(2) | C(3));
	ASSERT_GE(fd, 0);
	asking = pm_set(events, 1, false);
	ASSERT_GE(asking, 0);
	events[0] = on(1ULL << counter_of(fd));
	ASSERT_EQ(0, pm_place(asking, events, 1, counter));
	ASSERT_EQ(0, pm_disable(first, 1));
	close(fd);
	events[0] = on(C(2) | C(3));
	events[0].flags |= PMUDEV_MULTIPLEX;
	mux = pm_set(events, 1, true);
	ASSERT_GE(mux, 0);
	/* Where the multiplexed group's base is, and where the first set's was. */
	events[0] = on(1ULL << counter_of(mux));
	events[1] = on(C(1));
	last = pm_set(events, 2, true);
	ASSERT_GE(last, 0);
	close(first);
	again = set_on(C(1));
	EXPECT_EQ(-EBUSY, again);
	close(last);
	close(mux);
	close(asking);
}

/* Enabled, an event counts where a dry run had said. Returns the counter. */
static int enable_as_said(struct __test_metadata *_metadata, int fd, unsigned int slot)
{
	__s32 said[PMUDEV_MAX_EVENTS], is[PMUDEV_MAX_EVENTS];
	__u64 before = pm_value(fd, slot);

	EXPECT_EQ(0, pm_place(fd, NULL, 0, said));
	EXPECT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	loop(1000);
	EXPECT_EQ(0, pm_place(fd, NULL, 0, is));
	EXPECT_EQ(said[slot], is[slot]);
	EXPECT_GE(pm_value(fd, slot) - before, 1000U);
	EXPECT_EQ(0, pm_disable(fd, PMUDEV_ALL));
	return is[slot];
}

/* The same place as the last time, as long as it is there. */
TEST_F(alloc, enabled_again)
{
	struct pmudev_event_attr event = on(C(0) | C(1));
	int fd = pm_set(&event, 1, false), first, other, moving;

	ASSERT_GE(fd, 0);
	first = enable_as_said(_metadata, fd, 0);
	EXPECT_EQ(first, enable_as_said(_metadata, fd, 0));

	other = set_on(1ULL << first);
	ASSERT_GE(other, 0);
	EXPECT_NE(first, enable_as_said(_metadata, fd, 0));
	close(other);
	EXPECT_EQ(first, enable_as_said(_metadata, fd, 0));

	/* Moved away from there while it is enabled. */
	ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	moving = set_on(1ULL << first);
	ASSERT_GE(moving, 0);
	EXPECT_NE(first, counter_of(fd));
	ASSERT_EQ(0, pm_disable(fd, PMUDEV_ALL));
	EXPECT_NE(first, enable_as_said(_metadata, fd, 0));
	close(moving);
	EXPECT_EQ(first, enable_as_said(_metadata, fd, 0));
	close(fd);
}

/* What was moved and then disabled is nobody's, whatever else of its set goes on. */
TEST_F(alloc, moved_and_disabled)
{
	struct pmudev_event_attr events[2] = { on(C(0) | C(1)), in_group(on(C(2)), 1) };
	int fd, first, other, third;

	events[1].flags |= PMUDEV_MULTIPLEX;
	fd = pm_set(events, 2, true);
	ASSERT_GE(fd, 0);
	first = counter_of(fd);
	other = set_on(1ULL << first);
	ASSERT_GE(other, 0);
	EXPECT_NE(first, counter_of(fd));
	close(other);
	ASSERT_EQ(0, pm_disable(fd, 0));
	events[0] = on(C(0));
	events[1] = on(C(1));
	third = pm_set(events, 2, true);
	EXPECT_GE(third, 0);
	close(third);
	close(fd);
}

/* Another event in the slot of one that was removed has a place of its own. */
TEST_F(alloc, another_event_in_a_slot)
{
	struct pmudev_event_attr events[2] = { on(C(0)), in_group(on(C(1)), 1) };
	int fd = pm_set(events, 2, false);

	ASSERT_GE(fd, 0);
	EXPECT_EQ((int)available[1], enable_as_said(_metadata, fd, 1));
	ASSERT_EQ(0, pm_remove(fd, 1));
	events[1].allowed = C(2);
	ASSERT_EQ(0, pm_add(fd, &events[1], 1));
	EXPECT_EQ((int)available[2], enable_as_said(_metadata, fd, 1));
	EXPECT_EQ((int)available[0], enable_as_said(_metadata, fd, 0));
	close(fd);
}

TEST_HARNESS_MAIN
