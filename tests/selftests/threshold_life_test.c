// SPDX-License-Identifier: GPL-2.0
/*
 * A threshold stays an event's wherever it is counted: when it is moved, when another thread has
 * had the counter, on another CPU, and when groups take turns. And it stays nobody else's.
 */
#include "mux.h"
#include "threshold.h"
#include "kselftest_harness.h"

#include <sys/mman.h>

/* What is counted of a subject's instructions, k cycles each: 1, k, k, 0. */
#define KINDS 4

static struct threshold threshold_of(unsigned int kind)
{
	const struct threshold kinds[KINDS] = {
		{ EVENT_INSTRUCTIONS, 0, PMUDEV_NOT_EQUAL, false },
		{ EVENT_NEVER, 1, PMUDEV_LESS, true },
		{ EVENT_CYCLES, 1, PMUDEV_GREATER_EQUAL, true },
		{ EVENT_CYCLES, 1, PMUDEV_LESS, true },
	};

	return kinds[kind];
}

FIXTURE(life)
{
	struct pmudev_query query;
	struct pool pool;
	__u64 k, cost;
	struct subject s[KINDS];
	unsigned int nr; /* of them */
};

FIXTURE_SETUP(life)
{
	ASSERT_EQ(0, pm_query(&self->query));
	if (!self->query.threshold_max)
		SKIP(return, "no thresholds");
	if (!exact_cycles())
		SKIP(return, "cycles are not counted exactly here (PMUDEV_EXACT)");
	if (self->query.nr_pmus > 1)
		SKIP(return, "CPUs of several kinds");
	ASSERT_EQ(0, threshold_cycles(&self->query, &self->k));
	self->cost = subject_cost();
	ASSERT_NE(0ULL, self->cost);
	ASSERT_EQ(0, pool_find(&self->pool));
	ASSERT_GE(self->pool.nr, 3U);
	for (; self->nr < KINDS; self->nr++)
		ASSERT_EQ(0, subject_fork(&self->s[self->nr]));
}

FIXTURE_TEARDOWN(life)
{
	while (self->nr)
		EXPECT_EQ(0, subject_end(&self->s[--self->nr]));
}

#define WORK(n) (LOOP_INSTRUCTIONS * (__u64)(n) + self->cost)

/* What an event of a kind counts of so many instructions. */
static __u64 of(struct _test_data_life *self, unsigned int kind, __u64 instructions)
{
	struct threshold t = threshold_of(kind);

	return instructions * threshold_counts(&t, self->k);
}

static struct pmudev_event_attr event_of(struct _test_data_life *self, unsigned int kind)
{
	struct threshold t = threshold_of(kind);
	struct pmudev_event_attr event = threshold_event(&t);

	event.allowed = self->pool.mask;
	return event;
}

/* Threads with unlike thresholds, and one without, take turns on one counter of one CPU. */
TEST_F(life, one_counter_for_all)
{
	unsigned int kind, i, counter = __builtin_ctzll(self->pool.mask);
	__u64 sum[KINDS] = { 0 };
	int fd[KINDS];

	for (kind = 0; kind < KINDS; kind++) {
		struct pmudev_event_attr event = event_of(self, kind);

		event.flags |= PMUDEV_COUNTER;
		event.counter = counter;
		ASSERT_EQ(0, pin_task_to(self->s[kind].pid, 0));
		fd[kind] = pm_attach(self->s[kind].pid, 0, &event, 1, true);
		ASSERT_GE(fd[kind], 0);
	}
	for (i = 0; i < 50 * KINDS; i++) {
		kind = i * 7 / 3 % KINDS;
		ASSERT_EQ(0, subject_work(&self->s[kind], 100 + i));
		sum[kind] += WORK(100 + i);
		EXPECT_EQ(of(self, kind, sum[kind]), pm_value(fd[kind], 0)) TH_LOG("turn %u", i);
	}
	for (kind = 0; kind < KINDS; kind++) {
		EXPECT_NE(0ULL, sum[kind]);
		close(fd[kind]);
	}
}

/* One that is in a newcomer's way, which has no threshold. */
TEST_F(life, moved)
{
	struct pmudev_event_attr event = event_of(self, 1), other = event_of(self, 0);
	__u64 sum = 0, value, others;
	__s32 counter, where;
	unsigned int i;
	int fd, fd2;

	fd = pm_attach(self->s[0].pid, 0, &event, 1, true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pm_place(fd, NULL, 0, &where));
		other.flags |= PMUDEV_COUNTER;
		other.counter = where;
		fd2 = pm_attach(self->s[0].pid, 0, &other, 1, true);
		ASSERT_GE(fd2, 0);
		ASSERT_EQ(0, pm_place(fd, NULL, 0, &counter));
		EXPECT_NE(where, counter);
		others = pm_value(fd2, 0);
		value = pm_value(fd, 0);
		EXPECT_EQ(of(self, 1, sum), value);
		ASSERT_EQ(0, subject_work(&self->s[0], 1000));
		sum += WORK(1000);
		EXPECT_EQ(of(self, 1, sum), pm_value(fd, 0));
		EXPECT_EQ(WORK(1000), pm_value(fd2, 0) - others);
		close(fd2);
	}
	close(fd);
}

/* From CPU to CPU, asleep and at work. */
TEST_F(life, migrated)
{
	struct pmudev_event_attr events[KINDS];
	unsigned int kind, i;
	union record r;
	__u64 sum = 0;
	int fd;

	if (cpus_online() < 2)
		SKIP(return, "one CPU");
	for (kind = 1; kind < KINDS; kind++)
		events[kind - 1] = event_of(self, kind);
	fd = pm_attach(self->s[0].pid, 0, events, KINDS - 1, true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, pin_task_to(self->s[0].pid, i % cpus_online()));
		ASSERT_EQ(0, subject_work(&self->s[0], 1000 + i));
		sum += WORK(1000 + i);
		ASSERT_EQ(0, pm_read(fd, &r));
		for (kind = 1; kind < KINDS; kind++)
			EXPECT_EQ(of(self, kind, sum), r.r.counts[kind - 1].value)
		TH_LOG("after %u CPUs, kind %u", i + 1, kind);
	}
	close(fd);
}

/*
 * Groups that take turns: one event counts instructions, and what the other one counts follows from
 * that, as long as both are on together.
 */
TEST_F(life, multiplexed)
{
	struct pmudev_event_attr events[2 * GROUPS];
	unsigned int i, kind;
	union record r;
	int fd;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		events[i] = event_of(self, i & 1 ? i / 2 % KINDS : 0);
		events[i].group = i / 2;
		events[i].flags |= PMUDEV_MULTIPLEX;
	}
	fd = pm_attach(self->s[0].pid, 0, events, ARRAY_SIZE(events), true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, subject_work(&self->s[0], 1000000 / LOOP_INSTRUCTIONS + 777));
	ASSERT_EQ(0, pm_read(fd, &r));
	for (i = 0; i < GROUPS; i++) {
		kind = i % KINDS;
		EXPECT_LT(0ULL, r.r.counts[2 * i].value);
		EXPECT_LT(r.r.counts[2 * i].time_running, r.r.counts[2 * i].time_enabled);
		EXPECT_EQ(of(self, kind, r.r.counts[2 * i].value), r.r.counts[2 * i + 1].value)
		TH_LOG("group %u", i);
	}
	close(fd);
}

/* Children have it, too. */
TEST_F(life, inherited)
{
	struct pmudev_event_attr events[2] = { event_of(self, 0), event_of(self, 1) };
	unsigned int i;
	union record r;
	int fd;

	fd = pm_attach(0, PMUDEV_BIND_INHERIT, events, 2, true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 20; i++) {
		int child = fork_bound();

		if (!child) {
			loop(1000);
			_exit(0);
		}
		EXPECT_EQ(0, child_result(child));
	}
	ASSERT_EQ(0, pm_disable(fd, 0));
	ASSERT_EQ(0, pm_read(fd, &r));
	EXPECT_LT(20 * 1000ULL * LOOP_INSTRUCTIONS, r.r.counts[0].value);
	EXPECT_EQ(of(self, 1, r.r.counts[0].value), r.r.counts[1].value);
	close(fd);
}

TEST_HARNESS_MAIN
