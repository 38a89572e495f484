// SPDX-License-Identifier: GPL-2.0
/*
 * How long one user's calls can keep others waiting: a user with as many sets and counted children
 * as the limit allows, in the arrangements that cost most. An instruction is a nanosecond here.
 */
#include "as.h"
#include "cgroup.h"
#include "sleepers.h"
#include "subject.h"
#include "kselftest_harness.h"

#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>

#define SOMEBODY 65533
/* What the limit allows, less one. */
#define MOST_PARTS 4095
/* No call that does not let others in between takes longer, in ns. */
#define LONGEST 20000000
/* Sets that take turns, all of which one call concerns. */
#define TAKING_TURNS 400

FIXTURE(hold)
{
	mode_t mode;
};

FIXTURE_SETUP(hold)
{
	if (geteuid())
		SKIP(return, "needs root");
	if (!exact_clock() || debug_kernel())
		SKIP(return, "no instructions to take the time by, or many more than usual");
	ASSERT_EQ(0, open_to_all(&self->mode));
	ASSERT_EQ(0, allow_sleepers());
}

FIXTURE_TEARDOWN(hold)
{
	struct pmudev_query query;

	chmod(PMUDEV_DEVICE, self->mode);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

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

struct times {
	__u64 call; /* the longest of who keeps others waiting */
	__u64 wait; /* and of who waits */
	unsigned int waits;
	bool ready;
	bool spin;
	bool done;
	bool seen;
	int target;
};

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

/* ------------------------------------------------------------------- short of memory -- */

/* Threads whose parts in a set need 7 KiB each when it is enabled. */
#define NEEDY 300

/*
 * A group that is above memory.high: a task that charges it sleeps, for seconds. What is charged
 * here is what each thread's part needs for events that came after it.
 */
static void charge_a_group(struct times *times, const struct cgroup *group)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	__u64 time;
	int i, fd;

	CHECK(!cgroup_enter(group));
	CHECK(!become(NOBODY, -1));
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		events[i] = in_group(raw_event(EVENT_CYCLES, USER_ONLY | PMUDEV_MULTIPLEX), i);
	CHECK(!sleepers_start(NEEDY));
	fd = pm_open();
	CHECK(!pm_bind(fd, PMUDEV_TARGET_PROCESS, 0, 0));
	CHECK(!pm_add(fd, events, PMUDEV_MAX_EVENTS));
	WRITE_ONCE(times->ready, true);
	while (READ_ONCE(times->ready))
		pause_ns(1000000);
	time = now_ns();
	CHECK(!pm_enable(fd, 0));
	times->call = now_ns() - time;
	WRITE_ONCE(times->done, true);
}

TEST_F(hold, short_of_memory)
{
	struct times *times = mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pmudev_query query;
	struct cgroup group;
	__u64 time;
	int child;

	if (cgroup_make(&group, "memory"))
		SKIP(return, "no memory control groups in this kernel (CONFIG_MEMCG)");
	ASSERT_NE(MAP_FAILED, times);
	child = fork_bound();
	if (!child) {
		charge_a_group(times, &group);
		_exit(0);
	}
	EXPECT_TRUE(WAIT_FOR(READ_ONCE(times->ready)));
	/* Below what it has: all that it charges from now on is too much. */
	EXPECT_EQ(0, cgroup_write(&group, "memory.high", "65536"));
	WRITE_ONCE(times->ready, false);
	while (!READ_ONCE(times->done) && task_state(child) != 'Z') {
		time = now_ns();
		ASSERT_EQ(0, pm_query(&query));
		time = now_ns() - time;
		times->waits++;
		if (time > times->wait)
			times->wait = time;
		pause_ns(1000000);
	}
	EXPECT_EQ(0, cgroup_write(&group, "memory.high", "max"));
	EXPECT_EQ(0, line_of(child));
	TH_LOG("a call of %llu ms; %u questions meanwhile, the longest %llu us",
	       (unsigned long long)times->call / 1000000, times->waits,
	       (unsigned long long)times->wait / 1000);
	/* It was slow, and nobody else. */
	EXPECT_GT(times->call, 1000000000ULL);
	EXPECT_LT(times->wait, LONGEST);
	EXPECT_EQ(0, cgroup_end(&group));
	munmap(times, sizeof(*times));
}

/* Threads whose parts are more than may be charged without a look at memory.high. */
#define CROWD 600

static long be_nobodys(long threads)
{
	return become(NOBODY, -1) || prctl(PR_SET_DUMPABLE, 1) ? -errno : sleepers_start(threads);
}

static struct times *told;

static long execute_when_told(long unused)
{
	(void)unused;
	while (!READ_ONCE(told->spin))
		pause_ns(1000000);
	execl("/bin/busybox", "true", NULL);
	return -errno;
}

/*
 * Somebody else's process, of the same user, is bound by a task that is made to wait for memory. An
 * exec of that process waits until it is bound.
 */
static void bind_another(struct times *times, const struct cgroup *group)
{
	struct subject target;
	int fd;

	told = times;
	CHECK(!subject_fork(&target));
	CHECK(!subject_do(&target, be_nobodys, CROWD));
	CHECK(!cgroup_enter(group));
	CHECK(!become(NOBODY, -1));
	fd = pm_open();
	subject_tell(&target, execute_when_told, 0);
	times->target = target.pid;
	WRITE_ONCE(times->ready, true);
	while (READ_ONCE(times->ready))
		pause_ns(1000000);
	CHECK(!pm_bind(fd, PMUDEV_TARGET_PROCESS, target.pid, 0));
	WRITE_ONCE(times->done, true);
	/* The other one is not collected before it was seen to end. */
	while (!READ_ONCE(times->seen))
		pause_ns(1000000);
}

TEST_F(hold, while_another_is_bound)
{
	struct times *times = mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct cgroup group;
	int child;

	if (cgroup_make(&group, "memory"))
		SKIP(return, "no memory control groups in this kernel (CONFIG_MEMCG)");
	ASSERT_NE(MAP_FAILED, times);
	child = fork_bound();
	if (!child) {
		bind_another(times, &group);
		_exit(0);
	}
	EXPECT_TRUE(WAIT_FOR(READ_ONCE(times->ready) || task_state(child) == 'Z'));
	EXPECT_EQ(0, cgroup_write(&group, "memory.high", "65536"));
	WRITE_ONCE(times->ready, false);
	/* It waits for memory, in the call or at its end. */
	EXPECT_TRUE(WAIT_FOR(task_state(child) == 'D' || READ_ONCE(times->done)));
	times->wait = now_ns();
	WRITE_ONCE(times->spin, true);
	EXPECT_TRUE(WAIT_FOR(task_state(times->target) == 'Z'));
	times->wait = now_ns() - times->wait;
	EXPECT_EQ(0, cgroup_write(&group, "memory.high", "max"));
	WRITE_ONCE(times->seen, true);
	EXPECT_EQ(0, line_of(child));
	TH_LOG("an exec took %llu us", (unsigned long long)times->wait / 1000);
	EXPECT_LT(times->wait, 10ULL * LONGEST);
	EXPECT_EQ(0, cgroup_end(&group));
	munmap(times, sizeof(*times));
}

/* ------------------------------------------------------------ kept from its CPU -- */

/* So long others are watched: in ns. */
#define WATCHED 300000000

/* On the attacker's CPU, when it is told to. It ends with its parent. */
static void spin_beside(struct times *times)
{
	if (fork())
		return;
	CHECK(!prctl(PR_SET_PDEATHSIG, SIGKILL));
	while (!READ_ONCE(times->spin))
		pause_ns(1000000);
	while (!READ_ONCE(times->done))
		;
	_exit(0);
}

/*
 * Enables and disables a set of as many threads as can be, on a CPU that it is kept from once
 * others spin there; or with the time that its control group has (@group).
 */
static void be_kept_waiting(struct times *times, const struct cgroup *group)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct sched_param lowest = {};
	int i, fd;

	CHECK(!pin_to(sysconf(_SC_NPROCESSORS_ONLN) - 1));
	for (i = 0; i < 2 && !group; i++)
		spin_beside(times);
	if (group)
		CHECK(!cgroup_enter(group));
	CHECK(!become(NOBODY, -1));
	CHECK(!sleepers_start(MOST_PARTS - 2));
	fd = pm_open();
	CHECK(!pm_bind(fd, PMUDEV_TARGET_PROCESS, 0, 0));
	CHECK(!pm_add(fd, &event, 1));
	if (!group)
		CHECK(!sched_setscheduler(0, SCHED_IDLE, &lowest));
	while (!READ_ONCE(times->done)) {
		CHECK(!pm_enable(fd, 0) && !pm_disable(fd, 0));
		WRITE_ONCE(times->ready, true);
	}
}

/* What somebody else does meanwhile, and how long each takes. */
static int be_others(struct times *times)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd = pm_set(&event, 1, false), ret = 0;
	__u64 begun = now_ns(), time;
	struct pmudev_query query;

	while (!ret && now_ns() - begun < WATCHED) {
		time = now_ns();
		ret = times->waits++ & 1 ? pm_query(&query) : pm_enable(fd, 0) ?: pm_disable(fd, 0);
		time = now_ns() - time;
		if (time > times->wait)
			times->wait = time;
		pause_ns(1000000);
	}
	close(fd);
	return ret;
}

static void wait_for_the_starved(struct __test_metadata *_metadata, const struct cgroup *group)
{
	struct times *times = mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int child;

	ASSERT_NE(MAP_FAILED, times);
	child = fork_bound();
	if (!child) {
		be_kept_waiting(times, group);
		_exit(0);
	}
	EXPECT_TRUE(WAIT_FOR(READ_ONCE(times->ready) || task_state(child) == 'Z'));
	WRITE_ONCE(times->spin, true);
	if (group)
		EXPECT_EQ(0, cgroup_write(group, "cpu.max", "1000 100000"));
	EXPECT_EQ(0, be_others(times));
	WRITE_ONCE(times->done, true);
	if (group)
		EXPECT_EQ(0, cgroup_write(group, "cpu.max", "max"));
	EXPECT_EQ(0, line_of(child));
	TH_LOG("%u calls meanwhile, the longest %llu us", times->waits,
	       (unsigned long long)times->wait / 1000);
	EXPECT_GT(times->waits, 10U);
	EXPECT_LT(times->wait, LONGEST);
	munmap(times, sizeof(*times));
}

TEST_F(hold, by_the_lowest_priority)
{
	wait_for_the_starved(_metadata, NULL);
}

TEST_F(hold, by_a_group_without_time)
{
	struct cgroup group;

	if (cgroup_make(&group, "cpu") || cgroup_write(&group, "cpu.max", "max"))
		SKIP(return, "no cpu.max in this kernel (CONFIG_CFS_BANDWIDTH)");
	wait_for_the_starved(_metadata, &group);
	EXPECT_EQ(0, cgroup_end(&group));
}

TEST_HARNESS_MAIN
