// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that use one set all at once, and close it under each other. What each call answers is
 * luck; that it answers with an errno of the contract, that nobody hangs and that nothing stays
 * held is not. The kernel's log, searched after every program, tells the rest.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>

#define ROUNDS few(300)

FIXTURE(race)
{
	struct pmudev_query before;
};

/* Of events that this kernel offers. */
static __u32 any_flags;

FIXTURE_SETUP(race)
{
	any_flags = user_reads() ? DIRECT_READ : USER_ONLY;
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pm_query(&self->before));
	ASSERT_EQ(0ULL, self->before.busy);
}

FIXTURE_TEARDOWN(race)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct pmudev_query after;
	union record record;
	int fd;

	EXPECT_TRUE(WAIT_FOR(!pm_query(&after) && !(after.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, after.busy);
	fd = pm_set(&event, 1, true);
	EXPECT_GE(fd, 0);
	loop(1000);
	EXPECT_EQ(0, pm_read(fd, &record));
	EXPECT_GE(record.r.counts[0].value, 1000ULL);
	close(fd);
	set_user_access(false);
}

/* One for each call, and what it may answer whatever the others do at the same time. */
static int any_call(int fd, unsigned int which)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, any_flags);
	struct pmudev_page *page;
	struct pmudev_query query;
	struct pmudev_why answer;
	union record record;
	__s32 counter;

	event.group = which % 3;
	switch (which % 12) {
	case 0:
		return pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0);
	case 1:
	case 2:
		return pm_add(fd, &event, 1);
	case 3:
		return pm_place(fd, &event, 1, &counter);
	case 4:
		return pm_enable(fd, event.group);
	case 5:
		return pm_enable(fd, PMUDEV_ALL);
	case 6:
		return pm_disable(fd, event.group);
	case 7:
		return pm_reset(fd, PMUDEV_ALL, which);
	case 8:
		return pm_remove(fd, event.group);
	case 9:
		return pm_read(fd, &record);
	case 10:
		page = pm_map(fd);
		if (!page)
			return -errno;
		READ_ONCE(page->seq);
		pm_unmap(page);
		return 0;
	default:
		query.size = sizeof(query);
		query.flags = 0;
		query.pmu = 0;
		return pm_why(fd, &answer);
	}
}

static bool in_the_contract(int ret)
{
	switch (-ret) {
	case 0:
	case EBADF:  /* closed */
	case ENOTTY: /* another file has the number by now */
	case EINVAL: /* unbound, no such group */
	case EBUSY:  /* bound, enabled, held */
	case ENOSPC:
	case ESRCH:  /* its thread has ended */
	case EACCES: /* user access */
	case EPERM:  /* mapped by another thread than the owner's process */
	case ENODEV:
		return true;
	}
	return false;
}

struct racer {
	pthread_t thread;
	unsigned int seed;
	int *fd;
	bool *stop;
	int wrong; /* the first answer that is not in the contract */
	unsigned int calls;
};

static void *race_calls(void *arg)
{
	struct racer *racer = arg;
	int ret;

	while (!READ_ONCE(*racer->stop)) {
		racer->seed = racer->seed * 1103515245 + 12345;
		ret = any_call(READ_ONCE(*racer->fd), racer->seed >> 16);
		if (!in_the_contract(ret) && !racer->wrong)
			racer->wrong = ret;
		racer->calls++;
		/* To be woken in the midst of the others' calls. An emulator's CPUs take turns. */
		if (racer->seed >> 20 & 1)
			pause_ns(racer->seed >> 8 & 0x7fff);
	}
	return NULL;
}

#define RACERS 3

/*
 * The file is opened, bound, filled and closed over and over, while others call whatever there is
 * through the same number.
 */
TEST_F(race, every_call_against_close)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, any_flags);
	struct racer racers[RACERS];
	bool stop = false;
	int fd = -1, i, own, spare;

	/* A number that nobody else gets when it is free. */
	spare = fcntl(0, F_DUPFD_CLOEXEC, 100);
	ASSERT_GE(spare, 100);
	close(spare);
	WRITE_ONCE(fd, spare);
	for (i = 0; i < RACERS; i++) {
		racers[i] = (struct racer){ .seed = i + 1, .fd = &fd, .stop = &stop };
		ASSERT_EQ(0, pthread_create(&racers[i].thread, NULL, race_calls, &racers[i]));
	}
	for (i = 0; i < ROUNDS; i++) {
		own = pm_open();
		ASSERT_GE(own, 0);
		dup3(own, spare, O_CLOEXEC);
		close(own);
		pause_ns(i * 997 % 40000);
		pm_bind(spare, PMUDEV_TARGET_TASK, 0, 0);
		pm_add(spare, &event, 1);
		pm_enable(spare, PMUDEV_ALL);
		loop(500);
		pause_ns(i * 1999 % 40000);
		close(spare);
		/* Each third time the number stays empty for a while. */
		if (i % 3 == 0)
			pause_ns(10000);
	}
	WRITE_ONCE(stop, true);
	for (i = 0; i < RACERS; i++) {
		ASSERT_EQ(0, pthread_join(racers[i].thread, NULL));
		EXPECT_EQ(0, racers[i].wrong);
		EXPECT_GT(racers[i].calls, (unsigned int)ROUNDS / 10);
	}
}

/* The same without closing: all calls against each other on one set of this thread. */
TEST_F(race, every_call_against_every_other)
{
	struct racer racers[RACERS];
	bool stop = false;
	int fd, i;

	fd = pm_open();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	for (i = 0; i < RACERS; i++) {
		racers[i] = (struct racer){ .seed = 100 + i, .fd = &fd, .stop = &stop };
		ASSERT_EQ(0, pthread_create(&racers[i].thread, NULL, race_calls, &racers[i]));
	}
	for (i = 0; i < 4 * ROUNDS; i++) {
		int ret = any_call(fd, i);

		EXPECT_TRUE(in_the_contract(ret)) TH_LOG("call %d: %d", i % 12, ret);
		loop(200);
		if (i & 1)
			pause_ns(i * 997 % 20000);
	}
	WRITE_ONCE(stop, true);
	for (i = 0; i < RACERS; i++) {
		ASSERT_EQ(0, pthread_join(racers[i].thread, NULL));
		EXPECT_EQ(0, racers[i].wrong);
	}
	close(fd);
}

struct owner {
	pthread_t thread;
	int fd;
	bool ready, go_on, sleeps;
	struct turns turns;
	bool done;
};

static void *own_a_set(void *arg)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct owner *owner = arg;

	owner->fd = pm_set(&event, 1, true);
	__atomic_store_n(&owner->ready, true, __ATOMIC_RELEASE);
	if (owner->sleeps) {
		turn_wait(&owner->turns, 1);
	} else {
		while (!READ_ONCE(owner->go_on)) {
			loop(5000);
			pause_ns(2000);
		}
	}
	/* Counted no more, and none the worse. */
	loop(1000);
	owner->done = true;
	return NULL;
}

/* The only descriptor is closed by another thread while the owner sleeps, or runs. */
TEST_F(race, closed_by_another_thread)
{
	struct pmudev_query query;
	struct owner owner;
	int i;

	for (i = 0; i < 40; i++) {
		owner = (struct owner){ .sleeps = i & 1 };
		ASSERT_EQ(0, turns_init(&owner.turns));
		ASSERT_EQ(0, pthread_create(&owner.thread, NULL, own_a_set, &owner));
		ASSERT_TRUE(WAIT_FOR(__atomic_load_n(&owner.ready, __ATOMIC_ACQUIRE)));
		ASSERT_GE(owner.fd, 0);
		ASSERT_EQ(0, close(owner.fd));
		/* Counters are free at once, the owner still being there. */
		EXPECT_EQ(0, pm_query(&query));
		EXPECT_EQ(0ULL, query.busy);
		WRITE_ONCE(owner.go_on, true);
		turn_give(&owner.turns, 0);
		ASSERT_EQ(0, pthread_join(owner.thread, NULL));
		EXPECT_TRUE(owner.done);
		turns_end(&owner.turns);
	}
}

/* Read, over and over, by somebody who does not stop when the owner ends. */
static void *read_on(void *arg)
{
	struct racer *racer = arg;
	union record record;
	__u64 last = 0;
	int ret;

	while (!READ_ONCE(*racer->stop)) {
		ret = pm_read(*racer->fd, &record);
		if (ret && !racer->wrong)
			racer->wrong = ret;
		if (!ret && record.r.counts[0].value < last && !racer->wrong)
			racer->wrong = -ERANGE;
		if (!ret)
			last = record.r.counts[0].value;
		racer->calls++;
		pause_ns(racer->calls * 997 % 20000);
	}
	return NULL;
}

TEST_F(race, read_while_the_owner_ends)
{
	struct racer racer;
	struct owner owner;
	bool stop;
	int i;

	for (i = 0; i < 40; i++) {
		owner = (struct owner){ .sleeps = i & 1 };
		stop = false;
		ASSERT_EQ(0, turns_init(&owner.turns));
		ASSERT_EQ(0, pthread_create(&owner.thread, NULL, own_a_set, &owner));
		ASSERT_TRUE(WAIT_FOR(__atomic_load_n(&owner.ready, __ATOMIC_ACQUIRE)));
		ASSERT_GE(owner.fd, 0);
		racer = (struct racer){ .fd = &owner.fd, .stop = &stop };
		ASSERT_EQ(0, pthread_create(&racer.thread, NULL, read_on, &racer));
		ASSERT_TRUE(WAIT_FOR(READ_ONCE(racer.calls) > 5));
		WRITE_ONCE(owner.go_on, true);
		turn_give(&owner.turns, 0);
		ASSERT_EQ(0, pthread_join(owner.thread, NULL));
		ASSERT_TRUE(WAIT_FOR(READ_ONCE(racer.calls) > 20));
		WRITE_ONCE(stop, true);
		ASSERT_EQ(0, pthread_join(racer.thread, NULL));
		EXPECT_EQ(0, racer.wrong);
		close(owner.fd);
		turns_end(&owner.turns);
	}
}

/* The file outlives its owner, which was the last of its process; nothing is lost or kept. */
TEST_F(race, opened_and_closed_in_a_row)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, any_flags);
	struct pmudev_page *page;
	int i, fd;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	for (i = 0; i < ROUNDS; i++) {
		fd = pm_set(&event, 1, true);
		ASSERT_GE(fd, 0);
		page = pm_map(fd);
		ASSERT_NE(NULL, page);
		if (i & 1)
			close(fd);
		pm_unmap(page);
		if (!(i & 1))
			close(fd);
	}
}

TEST_HARNESS_MAIN
