// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that bind sets to the same thread at the same moment: whoever was first, each set counts
 * from the return of its ENABLE on.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>

#define BINDERS 4
#define ROUNDS	few(40)
/* Loops of a piece of work: short, that not even a short gap holds less than one. */
#define PIECE 100

/* The thread that is bound to */
struct target {
	pthread_t thread;
	__u64 pieces; /* how many it has done */
	__u32 tid;
	bool stop;
};

struct binder {
	struct target *target;
	pthread_barrier_t *together;
	pthread_t thread;
	int wrong; /* the first errno, or -ERANGE if the set did not count all */
};

static void *work(void *arg)
{
	struct target *target = arg;

	WRITE_ONCE(target->tid, my_tid());
	while (!READ_ONCE(target->stop)) {
		loop(PIECE);
		__atomic_store_n(&target->pieces, target->pieces + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static __u64 pieces(const struct target *target)
{
	return __atomic_load_n(&target->pieces, __ATOMIC_ACQUIRE);
}

/* Bind, wait until the thread has worked on, and read: 0, an errno, or -ERANGE. */
static int bind_and_read(struct target *target)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	__u64 before, after, value;
	int fd = pm_attach(target->tid, 0, &event, 1, true);

	if (fd < 0)
		return fd;
	before = pieces(target);
	while ((after = pieces(target)) < before + 3)
		sched_yield();
	value = pm_value(fd, 0);
	close(fd);
	/* The piece that was being done at first may have begun earlier. */
	return value >= (after - before - 1) * PIECE * LOOP_INSTRUCTIONS ? 0 : -ERANGE;
}

static void *bind_often(void *arg)
{
	struct binder *binder = arg;
	int i, ret;

	for (i = 0; i < ROUNDS; i++) {
		/* The thread's first set, for one of them. */
		pthread_barrier_wait(binder->together);
		ret = bind_and_read(binder->target);
		if (ret && !binder->wrong)
			binder->wrong = ret;
	}
	return NULL;
}

FIXTURE(attach)
{
	struct target target;
	struct binder binders[BINDERS];
	unsigned int nr; /* of them */
	pthread_barrier_t together;
};

FIXTURE_SETUP(attach)
{
	unsigned int i;

	for (i = 0; i < BINDERS; i++) {
		self->binders[i].target = &self->target;
		self->binders[i].together = &self->together;
	}
}

FIXTURE_TEARDOWN(attach)
{
	pthread_barrier_destroy(&self->together);
}

/* Return: 0 or an error of pthreads. */
static int start(struct _test_data_attach *self, unsigned int nr)
{
	int ret = pthread_barrier_init(&self->together, NULL, nr);

	for (self->nr = 0; !ret && self->nr < nr; self->nr++)
		ret = pthread_create(&self->binders[self->nr].thread, NULL, bind_often,
				     &self->binders[self->nr]);
	return ret;
}

TEST_F_TIMEOUT(attach, all_count_from_the_first, 120)
{
	unsigned int i;

	ASSERT_EQ(0, pthread_create(&self->target.thread, NULL, work, &self->target));
	ASSERT_TRUE(WAIT_FOR(READ_ONCE(self->target.tid)));
	ASSERT_EQ(0, start(self, BINDERS));
	for (i = 0; i < self->nr; i++) {
		ASSERT_EQ(0, pthread_join(self->binders[i].thread, NULL));
		EXPECT_EQ(0, self->binders[i].wrong);
	}
	WRITE_ONCE(self->target.stop, true);
	ASSERT_EQ(0, pthread_join(self->target.thread, NULL));
}

/* The thread binds sets to itself while others bind theirs to it. */
TEST_F_TIMEOUT(attach, beside_its_own, 120)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct pmudev_query query;
	__u64 before, done = 0;
	unsigned int i, others;
	int fd;

	/* Each has a counter, and so has the thread itself. */
	ASSERT_EQ(0, pm_query(&query));
	others = __builtin_popcountll(query.counters) - 1;
	self->target.tid = my_tid();
	ASSERT_EQ(0, start(self, others < BINDERS ? others : BINDERS));
	for (i = 0; i < self->nr;) {
		fd = pm_set(&event, 1, true);
		ASSERT_GE(fd, 0);
		before = pm_value(fd, 0);
		loop(PIECE);
		EXPECT_GE(pm_value(fd, 0) - before, PIECE * LOOP_INSTRUCTIONS);
		close(fd);
		__atomic_store_n(&self->target.pieces, ++done, __ATOMIC_RELEASE);
		if (!pthread_tryjoin_np(self->binders[i].thread, NULL))
			i++;
	}
	for (i = 0; i < self->nr; i++)
		EXPECT_EQ(0, self->binders[i].wrong);
}

TEST_HARNESS_MAIN
