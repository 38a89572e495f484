// SPDX-License-Identifier: GPL-2.0
/*
 * A relay: each thread creates the next one and exits, and the next one inherits a set. A caller
 * that looks for counters finds the relay's counter held; a reader's last record misses no thread.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "sleepers.h"

#include <pthread.h>
#include <sys/syscall.h>

#define SLEEPERS 200
#define ROUNDS	 200
#define SHORT	 3
#define STACK	 (256 * 1024)

static bool stop;
/* On the relay's first thread, inherited by the others: it has the counter. */
static int held;
static unsigned int alive, passed;

FIXTURE(relay)
{
	struct pmudev_event_attr event;
	int fd; /* on this thread, inherited by all others; not enabled */
};

/* Nobody waits for its end. */
static bool start(void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	bool started;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	started = !pthread_create(&thread, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	return started;
}

static void *pass_on(void *arg)
{
	(void)arg;
	__atomic_add_fetch(&passed, 1, __ATOMIC_RELAXED);
	if (READ_ONCE(stop) || !start(pass_on, NULL))
		__atomic_sub_fetch(&alive, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* @arg: the event */
static void *first(void *arg)
{
	WRITE_ONCE(held, pm_attach(0, PMUDEV_BIND_INHERIT, arg, 1, true));
	return pass_on(NULL);
}

FIXTURE_SETUP(relay)
{
	struct pmudev_event_attr any = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct pmudev_query query;
	__s32 counter;
	int fd;

	ASSERT_EQ(0, pm_query(&query));
	if (!(query.features & PMUDEV_HAS_INHERIT))
		SKIP(return, "no inheritance on this kernel");
	ASSERT_GE(fd = pm_set(&any, 1, true), 0);
	ASSERT_EQ(0, pm_place(fd, NULL, 0, &counter));
	close(fd);
	self->event = event_on(counter, USER_ONLY);
	self->fd = pm_attach(0, PMUDEV_BIND_INHERIT, &self->event, 1, false);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, sleepers_start(SLEEPERS));
	alive = 1;
	ASSERT_TRUE(start(first, &self->event));
	ASSERT_TRUE(WAIT_FOR(READ_ONCE(held)));
	ASSERT_GE(held, 0);
}

FIXTURE_TEARDOWN(relay)
{
	WRITE_ONCE(stop, true);
	EXPECT_TRUE(WAIT_FOR(!__atomic_load_n(&alive, __ATOMIC_ACQUIRE)));
	close(self->fd);
}

TEST_F(relay, the_counter_is_always_held)
{
	unsigned int before = READ_ONCE(passed);
	int i;

	for (i = 0; i < few(ROUNDS); i++) {
		EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(self->fd, 0));
		EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, why.holder.kind);
		ASSERT_EQ(1U, READ_ONCE(alive));
	}
	ASSERT_TRUE(WAIT_FOR(READ_ONCE(passed) > before + 10));
	EXPECT_EQ(1U, READ_ONCE(alive));
	close(held);
	EXPECT_EQ(0, pm_enable(self->fd, 0));
	EXPECT_EQ(0, pm_disable(self->fd, 0));
}

/* ------------------------------------------------------------ the last record -- */

static void *pass_on_some(void *left)
{
	if (left)
		start(pass_on_some, (char *)left - 1);
	return NULL;
}

/* A process that, once told, leaves everything to its threads: they are a short relay. */
static int fork_relay(int *tell)
{
	int go[2], pid;
	char byte;

	if (pipe(go))
		return -1;
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			start(pass_on_some, (char *)NULL + SHORT);
		syscall(SYS_exit, 0);
	}
	close(go[0]);
	*tell = go[1];
	return pid;
}

/* The record that says so has the counts of all that ever ran, also of what came meanwhile. */
TEST(ended_is_final)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct pmudev_query query;
	union record r, again;
	int i, fd, pid, tell;

	ASSERT_EQ(0, pm_query(&query));
	if (!(query.features & PMUDEV_HAS_INHERIT))
		SKIP(return, "no inheritance on this kernel");
	for (i = 0; i < few(ROUNDS); i++) {
		ASSERT_GT(pid = fork_relay(&tell), 0);
		fd = pm_attach(pid, PMUDEV_BIND_INHERIT, &event, 1, true);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(1, write(tell, "", 1));
		do {
			ASSERT_EQ(0, pm_read(fd, &r));
		} while (!(r.r.flags & PMUDEV_RECORD_ENDED));
		ASSERT_EQ(0, pm_read(fd, &again));
		EXPECT_EQ((__u32)PMUDEV_RECORD_ENDED, again.r.flags);
		EXPECT_EQ(again.r.counts[0].value, r.r.counts[0].value);
		EXPECT_EQ(again.r.time_enabled, r.r.time_enabled);
		close(fd);
		close(tell);
		EXPECT_EQ(0, child_result(pid));
	}
}

TEST_HARNESS_MAIN
