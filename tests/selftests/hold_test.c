// SPDX-License-Identifier: GPL-2.0
/*
 * How long one user's calls can keep others waiting: a user with as many sets and counted children
 * as the limit allows, in the arrangements that cost most. An instruction is a nanosecond here.
 * Callers that are stalled in a call are in hold_stalled_test.c.
 */
#include "subject.h"
#include "kselftest_harness.h"
#include "hold.h"

#include <stdio.h>
#include <sys/mman.h>

#define SOMEBODY 65533
/* Sets that take turns, all of which one call concerns. */
#define TAKING_TURNS 400

/* A call's time in ns, the shortest of some: others may have run in the midst of the others. */
#define SHORTEST(call, again)                                \
	({                                                   \
		__u64 __least = ~0ULL, __time;               \
		for (int __i = 0; __i < 3; __i++) {          \
			__time = now_ns();                   \
			CHECK(!(call));                      \
			__time = now_ns() - __time;          \
			if (__time < __least)                \
				__least = __time;            \
			CHECK(!(again));                     \
		}                                            \
		__least;                                     \
	})

static void check_time(const char *what, __u64 time)
{
	printf("# %s: %llu us\n", what, (unsigned long long)time / 1000);
	fflush(stdout);
	CHECK(time < LONGEST);
}

/* ---------------------------------------------------------------- many children -- */

static void many_children(void)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	union record record;
	int fd = pm_open();

	/* The set, this thread's part in it, and theirs. */
	CHECK(!sleepers_start(MOST_PARTS - 2));
	CHECK(!pm_bind(fd, PMUDEV_TARGET_PROCESS, 0, 0));
	CHECK(!pm_add(fd, &event, 1));
	check_time("enable, 4093 children", SHORTEST(pm_enable(fd, 0), pm_disable(fd, 0)));
	CHECK(!pm_enable(fd, 0));
	check_time("disable", SHORTEST(pm_disable(fd, 0), pm_enable(fd, 0)));
	check_time("read", SHORTEST(pm_read(fd, &record), 0));
}

TEST_F(hold, as_many_children_as_can_be)
{
	EXPECT_EQ(0, AS(NOBODY, -1, many_children()));
}

/* -------------------------------------------------------------- who holds the counters -- */

static int all_counters(struct pmudev_event_attr *events)
{
	struct pmudev_query query;
	int i, nr;

	CHECK(!pm_query(&query));
	nr = __builtin_popcountll(cycle_counters(query.available));
	for (i = 0; i < nr; i++)
		events[i] = raw_event(EVENT_CYCLES, USER_ONLY);
	return nr;
}

static long start_sleepers(long nr)
{
	return sleepers_start(nr);
}

static int ask(int fd, struct pmudev_holder *holders, unsigned int *found)
{
	*found = PMUDEV_MAX_EVENTS;
	return pm_enable_holders(fd, 0, holders, found);
}

/*
 * Half of the parts are children of a set that asks, half are sets on all counters that have
 * nothing to do with it; but one, the last, is in its way.
 */
static void ask_in_a_crowd(void)
{
	struct pmudev_holder holders[PMUDEV_MAX_EVENTS];
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	int i, half = MOST_PARTS / 2 - 2, parent = pm_open(), nr = all_counters(events);
	struct subject asking;
	unsigned int found;

	/* Who has changed user is not dumpable until it says so. */
	CHECK(!prctl(PR_SET_DUMPABLE, 1));
	CHECK(!subject_fork(&asking));
	CHECK(!subject_do(&asking, start_sleepers, half));
	CHECK(!pm_bind(parent, PMUDEV_TARGET_PROCESS, asking.pid, 0));
	CHECK(!pm_add(parent, events, 1));
	CHECK(!sleepers_start(half));
	for (i = 0; i < half; i++)
		CHECK(pm_attach(sleeper_tid(i), 0, events, nr, true) >= 0);
	CHECK(pm_attach(asking.pid, 0, events, nr, true) >= 0);
	check_time("refused, and who holds the counters",
		   SHORTEST(ask(parent, holders, &found) != -EBUSY, 0));
	CHECK(why.code == PMUDEV_WHY_HELD && found == (unsigned int)nr);
	for (i = 0; i < nr; i++)
		CHECK(holders[i].pid == getpid());
}

TEST_F(hold, who_has_them)
{
	EXPECT_EQ(0, AS(NOBODY, -1, ask_in_a_crowd()));
}

/* ------------------------------------------------------------------------ taking turns -- */

/*
 * A set on each of many threads, of groups most of which cannot be on together; and one on all the
 * threads, for which all others have to make room. Enabled and disabled it concerns all of them.
 */
static void keep_others_waiting(struct times *times)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS], strict;
	struct pmudev_query query;
	__u64 time;
	int i, fd;

	CHECK(!pm_query(&query));
	strict = raw_event(EVENT_CYCLES, USER_ONLY);
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++) {
		events[i] = in_group(raw_event(EVENT_CYCLES, USER_ONLY | PMUDEV_MULTIPLEX), i);
		if (i)
			events[i].allowed = query.available & -query.available;
	}
	CHECK(!sleepers_start(TAKING_TURNS));
	for (i = 0; i < TAKING_TURNS; i++)
		CHECK(pm_attach(sleeper_tid(i), 0, events, PMUDEV_MAX_EVENTS, true) >= 0);
	fd = pm_open();
	CHECK(!pm_bind(fd, PMUDEV_TARGET_PROCESS, 0, 0));
	CHECK(!pm_add(fd, &strict, 1));
	WRITE_ONCE(times->ready, true);
	for (i = 0; i < 6; i++) {
		time = now_ns();
		CHECK(!(i & 1 ? pm_disable(fd, 0) : pm_enable(fd, 0)));
		time = now_ns() - time;
		if (time > times->call)
			times->call = time;
	}
	WRITE_ONCE(times->done, true);
}

static void wait_for_others(struct times *times)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd = pm_set(&event, 1, false);
	__u64 time;

	CHECK(fd >= 0);
	while (!READ_ONCE(times->ready))
		pause_ns(1000000);
	while (!READ_ONCE(times->done)) {
		time = now_ns();
		CHECK(!pm_enable(fd, 0) && !pm_disable(fd, 0));
		time = now_ns() - time;
		times->waits++;
		if (time > times->wait)
			times->wait = time;
		/* Else it would be this one who keeps the other waiting. */
		pause_ns(1000000);
	}
}

TEST_F(hold, in_between)
{
	struct times *times = mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int waits, keeps;

	ASSERT_NE(MAP_FAILED, times);
	keeps = fork_bound();
	if (!keeps) {
		CHECK(!become(NOBODY, -1));
		keep_others_waiting(times);
		_exit(0);
	}
	waits = fork_bound();
	if (!waits) {
		CHECK(!become(SOMEBODY, -1));
		wait_for_others(times);
		_exit(0);
	}
	EXPECT_EQ(0, line_of(keeps));
	times->ready = true;
	times->done = true;
	EXPECT_EQ(0, line_of(waits));
	TH_LOG("a call of %llu us; %u others meanwhile, the longest %llu us",
	       (unsigned long long)times->call / 1000, times->waits,
	       (unsigned long long)times->wait / 1000);
	EXPECT_GT(times->waits, 10U);
	EXPECT_GT(times->call, 100000000ULL);
	EXPECT_LT(times->wait, times->call / 4);
	munmap(times, sizeof(*times));
}

TEST_HARNESS_MAIN
