// SPDX-License-Identifier: GPL-2.0
/*
 * A process that makes threads while a set is bound to it: each thread is counted, and none twice,
 * whether it was made before, meanwhile or later.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pthread.h>

#define ROUNDS	50000
#define THREADS 40
#define TIMES	3

struct growth {
	int go[2];
	int done[2];
	int end[2];
	pthread_t maker;
	pthread_t thread[THREADS];
	int error;
};

static void *looping(void *arg)
{
	struct growth *growth = arg;
	char byte;

	if (read(growth->go[0], &byte, 1) == 1)
		loop(ROUNDS);
	if (write(growth->done[1], "x", 1) != 1)
		growth->error = 1;
	if (read(growth->end[0], &byte, 1) != 1)
		growth->error = 1;
	return NULL;
}

static void *make_threads(void *arg)
{
	struct growth *growth = arg;
	int i;

	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&growth->thread[i], NULL, looping, growth))
			growth->error = 1;
		/* Some before, some during, some after the binding, whatever CPUs there are. */
		if (i % 4 == 3)
			pause_ns(i * 5000);
	}
	return NULL;
}

/* Each thread gets a byte. */
static void tell_all(struct growth *growth, int fd)
{
	char bytes[THREADS] = { 0 };

	if (write(fd, bytes, THREADS) != THREADS)
		growth->error = 1;
}

static void let_all_loop(struct growth *growth)
{
	char byte;
	int i;

	tell_all(growth, growth->go[1]);
	for (i = 0; i < THREADS; i++)
		if (read(growth->done[0], &byte, 1) != 1)
			growth->error = 1;
}

/* Bound while threads are made, and enabled meanwhile or (@late) when all are there. */
static int count_me(struct growth *growth, __u32 flags, bool late)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	int fd = pm_open(), ret;

	ret = pm_bind(fd, PMUDEV_TARGET_PROCESS, getpid(), flags);
	if (!ret)
		ret = pm_add(fd, &event, 1);
	if (!ret && !late)
		ret = pm_enable(fd, PMUDEV_ALL);
	pthread_join(growth->maker, NULL);
	if (!ret && late)
		ret = pm_enable(fd, PMUDEV_ALL);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/*
 * Each thread's loop is in the sum once. Beside it a thread executes a few hundred instructions:
 * the sum divided by a loop tells how many there were.
 */
static void grow(struct __test_metadata *_metadata, __u32 flags, bool late)
{
	struct growth growth = { .error = 0 };
	union record before, after;
	int fd, i;

	ASSERT_EQ(0, pipe(growth.go));
	ASSERT_EQ(0, pipe(growth.done));
	ASSERT_EQ(0, pipe(growth.end));
	ASSERT_EQ(0, pthread_create(&growth.maker, NULL, make_threads, &growth));
	fd = count_me(&growth, flags, late);
	ASSERT_GE(fd, 0) TH_LOG("reason %u", why.code);
	ASSERT_EQ(0, pm_read(fd, &before));
	let_all_loop(&growth);
	ASSERT_EQ(0, pm_read(fd, &after));
	EXPECT_EQ((__u64)THREADS, (after.r.counts[0].value - before.r.counts[0].value) /
					  (ROUNDS * LOOP_INSTRUCTIONS));
	EXPECT_EQ(0U, after.r.flags & (PMUDEV_RECORD_INCOMPLETE | PMUDEV_RECORD_ENDED));
	tell_all(&growth, growth.end[1]);
	for (i = 0; i < THREADS; i++)
		pthread_join(growth.thread[i], NULL);
	EXPECT_EQ(0, growth.error);
	close(fd);
	for (i = 0; i < 2; i++) {
		close(growth.go[i]);
		close(growth.done[i]);
		close(growth.end[i]);
	}
}

FIXTURE(growth)
{
	int nothing;
};

FIXTURE_VARIANT(growth)
{
	__u32 flags;
	bool late;
};

FIXTURE_VARIANT_ADD(growth, threads_only)
{
	.flags = 0,
};

FIXTURE_VARIANT_ADD(growth, inherit)
{
	.flags = PMUDEV_BIND_INHERIT,
};

FIXTURE_VARIANT_ADD(growth, threads_only_enabled_late)
{
	.flags = 0,
	.late = true,
};

FIXTURE_VARIANT_ADD(growth, inherit_enabled_late)
{
	.flags = PMUDEV_BIND_INHERIT,
	.late = true,
};

FIXTURE_SETUP(growth)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
}

FIXTURE_TEARDOWN(growth)
{
}

TEST_F(growth, no_thread_is_missed_or_counted_twice)
{
	int i;

	for (i = 0; i < TIMES; i++)
		grow(_metadata, variant->flags, variant->late);
}

TEST_HARNESS_MAIN
