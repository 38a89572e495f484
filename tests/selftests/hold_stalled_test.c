// SPDX-License-Identifier: GPL-2.0
/*
 * How long one user's calls can keep others waiting, as in hold_test.c, when the caller is stalled
 * in the midst of a call: it waits for memory, or is kept from its CPU.
 */
#include "cgroup.h"
#include "subject.h"
#include "kselftest_harness.h"
#include "hold.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

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

typedef void attack(struct times *times, const struct cgroup *group);

static void wait_for_the_starved(struct __test_metadata *_metadata, attack *attack,
				 const struct cgroup *group)
{
	struct times *times = mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int child;

	ASSERT_NE(MAP_FAILED, times);
	child = fork_bound();
	if (!child) {
		attack(times, group);
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
	wait_for_the_starved(_metadata, be_kept_waiting, NULL);
}

TEST_F(hold, by_a_group_without_time)
{
	struct cgroup group;

	if (cgroup_make(&group, "cpu") || cgroup_write(&group, "cpu.max", "max"))
		SKIP(return, "no cpu.max in this kernel (CONFIG_CFS_BANDWIDTH)");
	wait_for_the_starved(_metadata, be_kept_waiting, &group);
	EXPECT_EQ(0, cgroup_end(&group));
}

/* Children of a set that is read. */
#define READ_CHILDREN 2000

struct starved_reader {
	struct times *times;
	int fd;
};

/* Asks who holds the counter that the set was refused. */
static void *ask_for_holders(void *arg)
{
	const struct starved_reader *reader = arg;
	struct pmudev_why answer;

	/* Until then the other one reads, and is nearly always in the midst of it. */
	while (!READ_ONCE(reader->times->spin))
		pause_ns(1000000);
	while (!READ_ONCE(reader->times->done))
		CHECK(!pm_why(reader->fd, &answer) && answer.refusal.nr_holders);
	return NULL;
}

/*
 * Reads an inherited set on a CPU that it is kept from, while its other thread asks for holders:
 * what the set's children have matters to the answer.
 */
static void read_slowly(struct times *times, const struct cgroup *group)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	struct starved_reader reader = { .times = times };
	struct sched_param lowest = {};
	struct pmudev_query query;
	unsigned int i, nr = 0;
	union record record;
	pthread_t asking;
	__u64 rest;

	(void)group;
	CHECK(!pin_to(sysconf(_SC_NPROCESSORS_ONLN) - 1));
	for (i = 0; i < 2; i++)
		spin_beside(times);
	CHECK(!become(NOBODY, -1) && !pm_query(&query));
	for (rest = query.available & 0xffffffff; rest; rest &= rest - 1)
		events[nr++] = event_on(__builtin_ctzll(rest), USER_ONLY);
	reader.fd = pm_attach(my_tid(), PMUDEV_BIND_INHERIT, events, 1, true);
	CHECK(reader.fd >= 0 && !sleepers_start(READ_CHILDREN));
	CHECK(pm_set(events + 1, nr - 1, true) >= 0);
	/* A second event of it wants one of the others. */
	events[1].group = 1;
	CHECK(!pm_add(reader.fd, events + 1, 1));
	CHECK(pm_enable(reader.fd, 1) == -EBUSY && why.code == PMUDEV_WHY_HELD);
	CHECK(!pthread_create(&asking, NULL, ask_for_holders, &reader));
	CHECK(!sched_setscheduler(0, SCHED_IDLE, &lowest));
	while (!READ_ONCE(times->done)) {
		CHECK(!pm_read(reader.fd, &record));
		WRITE_ONCE(times->ready, true);
	}
	CHECK(!pthread_join(asking, NULL));
}

TEST_F(hold, by_a_reader_of_the_lowest_priority)
{
	wait_for_the_starved(_metadata, read_slowly, NULL);
}

TEST_HARNESS_MAIN
