// SPDX-License-Identifier: GPL-2.0
/*
 * A hundred threads in fifty pairs that pass a ball, each pushed from CPU to CPU before each pass,
 * each with a set of four events. All of them execute the same code, and only the lengths of their
 * loops differ: each thread's count is that of its loops, and what is the same for all.
 */
#include "subject.h"
#include "kselftest_harness.h"

#include <fcntl.h>

#define THREADS 100
#define ROUNDS	40

struct player {
	pthread_t thread;
	pthread_barrier_t *start;
	struct turns *turns;
	int me;
	int fd;
	bool counts_itself;
	__u64 n;
	cpu_set_t masks[ROUNDS];
	__u32 tid;
	/* results */
	int error;
	__u64 count[4];
	__u64 enabled[2], running[2];
};

static void set_events(struct pmudev_event_attr *events)
{
	events[0] = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	events[1] = raw_event(EVENT_CYCLES, USER_ONLY);
	events[2] = events[0];
	events[3] = in_group(events[0], 1);
}

/* To another CPU, a loop, and the ball to the other one. */
static __attribute__((noinline)) long play(struct player *p)
{
	union record before, after;
	long error;
	int i;

	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	error = raw_read(p->fd, &before) < 0;
	for (i = 0; i < ROUNDS; i++) {
		error |=
			raw_call(SYS_sched_setaffinity, 0, sizeof(p->masks[i]), (long)&p->masks[i]);
		loop(p->n);
		turn_pass(p->turns, p->me);
	}
	error |= raw_read(p->fd, &after) < 0;
	for (i = 0; i < 4; i++)
		p->count[i] = after.r.counts[i].value - before.r.counts[i].value;
	for (i = 0; i < 2; i++) {
		p->enabled[i] = after.r.counts[3 * i].time_enabled;
		p->running[i] = after.r.counts[3 * i].time_running;
	}
	return error;
}

static void *player(void *arg)
{
	struct pmudev_event_attr events[4];
	struct player *p = arg;

	set_events(events);
	WRITE_ONCE(p->tid, my_tid());
	if (p->counts_itself)
		p->fd = pm_set(events, 4, true);
	pthread_barrier_wait(p->start);
	/* Attached, it waits here until it is. */
	pthread_barrier_wait(p->start);
	if (p->me)
		turn_wait(p->turns, 1);
	p->error = p->fd < 0 ? p->fd : play(p);
	if (!p->me)
		turn_give(p->turns, 0);
	return NULL;
}

FIXTURE(pingpong)
{
	struct player p[THREADS];
	struct turns turns[THREADS / 2];
	pthread_barrier_t start;
};

FIXTURE_SETUP(pingpong)
{
	unsigned int i, j, seed = 1;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	pthread_barrier_init(&self->start, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++) {
		struct player *p = &self->p[i];

		if (i % 2 == 0)
			ASSERT_EQ(0, turns_init(&self->turns[i / 2]));
		p->start = &self->start;
		p->turns = &self->turns[i / 2];
		p->me = i % 2;
		p->n = 100 * (i + 1);
		for (j = 0; j < ROUNDS; j++) {
			seed = seed * 1103515245 + 12345;
			CPU_ZERO(&p->masks[j]);
			CPU_SET((seed >> 16) % cpus_online(), &p->masks[j]);
		}
	}
}

FIXTURE_TEARDOWN(pingpong)
{
	struct pmudev_query query;

	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

/* Each @step'th was counted. */
static void check(struct __test_metadata *_metadata, struct _test_data_pingpong *self, int step)
{
	__u64 rest = self->p[0].count[0] - LOOP_INSTRUCTIONS * ROUNDS * self->p[0].n;
	unsigned int i;

	/* The code around the loops. */
	EXPECT_LE(rest, 100ULL * ROUNDS);
	for (i = 0; i < THREADS; i += step) {
		struct player *p = &self->p[i];

		ASSERT_EQ(0, p->error);
		EXPECT_EQ(LOOP_INSTRUCTIONS * ROUNDS * p->n + rest, p->count[0]);
		EXPECT_EQ(p->count[0], p->count[2]);
		EXPECT_EQ(p->count[0], p->count[3]);
		if (exact_cycles())
			EXPECT_EQ(EMULATED_CYCLES * p->count[0], p->count[1]);
		EXPECT_EQ(p->enabled[0], p->running[0]);
		EXPECT_EQ(p->enabled[1], p->running[1]);
		close(p->fd);
	}
}

TEST_F(pingpong, each_counts_itself)
{
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		self->p[i].counts_itself = true;
		ASSERT_EQ(0, pthread_create(&self->p[i].thread, NULL, player, &self->p[i]));
	}
	pthread_barrier_wait(&self->start);
	pthread_barrier_wait(&self->start);
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_join(self->p[i].thread, NULL));
	check(_metadata, self, 1);
}

/* One thread has bound them all, while they slept. */
TEST_F(pingpong, all_are_counted_by_one)
{
	struct pmudev_event_attr events[4];
	unsigned int i;

	set_events(events);
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&self->p[i].thread, NULL, player, &self->p[i]));
	pthread_barrier_wait(&self->start);
	for (i = 0; i < THREADS; i++) {
		self->p[i].fd = pm_attach(self->p[i].tid, 0, events, 4, true);
		ASSERT_GE(self->p[i].fd, 0);
	}
	pthread_barrier_wait(&self->start);
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_join(self->p[i].thread, NULL));
	check(_metadata, self, 1);
}

/* A third of them count themselves, the others nobody: what those do in between is not counted. */
TEST_F(pingpong, every_third)
{
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		self->p[i].counts_itself = i % 3 == 0;
		self->p[i].fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
		ASSERT_EQ(0, pthread_create(&self->p[i].thread, NULL, player, &self->p[i]));
	}
	pthread_barrier_wait(&self->start);
	pthread_barrier_wait(&self->start);
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_join(self->p[i].thread, NULL));
	check(_metadata, self, 3);
}

TEST_HARNESS_MAIN
