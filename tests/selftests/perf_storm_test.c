// SPDX-License-Identifier: GPL-2.0
/*
 * perf and pmudev start and stop counting on the same CPUs and threads, again and again and all at
 * once. Each attempt counts to the instruction; where one has the whole PMU the other may be
 * refused.
 */
#include "disturb.h"
#include "perf.h"
#include "storm.h"
#include "kselftest_harness.h"

#include <sys/ioctl.h>

#define RIVALS 3 /* of each kind */
#define ROUNDS 1000

/* What attempts came to. */
struct score {
	unsigned int counted, refused, waited;
	int line; /* of the first that was wrong */
	long long value, bound;
};

struct shared {
	struct score perf, own;
	int cpus;
	struct disturbance d[2 * RIVALS];
};

FIXTURE(perf_storm)
{
	struct shared *s;
};

static int wrong(struct score *score, int line, long long value, long long bound)
{
	if (!__atomic_exchange_n(&score->line, line, __ATOMIC_RELAXED)) {
		score->value = value;
		score->bound = bound;
	}
	return -EPROTO;
}

#define WRONG(score, value, bound) wrong(score, __LINE__, value, bound)

static void add(unsigned int *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------------- pmudev -- */

/* Is this how a set is refused that somebody else is in the way of? */
static bool perf_in_the_way(int ret)
{
	return !BESIDE_PERF && ret == -EBUSY && why.code == PMUDEV_WHY_PMU_HELD &&
	       why.holder.kind == PMUDEV_HOLDER_PERF;
}

/* A set of this thread, or of its CPU: enabled, counted, disabled, counted again, closed. */
static int own_once(void *arg, unsigned int i)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	static __u64 expected;
	struct shared *s = arg;
	int fd, ret, n;
	__u64 value;

	pin_to(i * 7 / 3 % s->cpus);
	fd = i % 4 == 3 ? pm_open() : pm_set(&event, 1, false);
	if (fd < 0)
		return WRONG(&s->own, fd, 0);
	if (i % 4 == 3) {
		ret = pm_bind(fd, PMUDEV_TARGET_CPU, i * 7 / 3 % s->cpus, 0);
		if (ret || pm_add(fd, &event, 1))
			return WRONG(&s->own, ret, 0);
	}
	for (n = 0, ret = 0; n < 3 && !ret; n++) {
		ret = pm_enable(fd, PMUDEV_ALL);
		if (ret)
			break;
		value = set_loop(fd, ROUNDS);
		/* Others run on the CPU, too. */
		if (i % 4 != 3 && exact_instructions()) {
			if (!expected && value < LOOP_INSTRUCTIONS * ROUNDS + 100)
				expected = value;
			if (value != expected)
				ret = WRONG(&s->own, value, expected);
		}
		if (value < ROUNDS)
			ret = WRONG(&s->own, value, ROUNDS);
		pm_disable(fd, PMUDEV_ALL);
	}
	close(fd);
	add(ret ? &s->own.refused : &s->own.counted);
	return ret && !perf_in_the_way(ret) ? WRONG(&s->own, ret, why.code) : 0;
}

/* ---------------------------------------------------------------------------- perf -- */

/* An event of this thread, or of its CPU. It may have to share, and says so by its times. */
static int perf_once(void *arg, unsigned int i)
{
	static __s64 expected;
	struct shared *s = arg;
	int cpu = i * 5 / 3 % s->cpus, fd, n;
	bool thread = i % 4 != 3;
	__s64 value = 0;

	pin_to(cpu);
	fd = perf_open(steady_event(), 0, thread ? 0 : -1, thread ? -1 : cpu);
	if (fd == -EBUSY && PMU_ARCH != PMUDEV_ARCH_ARM64) {
		add(&s->perf.refused);
		return 0;
	}
	if (fd < 0)
		return WRONG(&s->perf, fd, 0);
	for (n = 0; n < 3; n++) {
		value = perf_loop(fd, ROUNDS);
		if (value == -EBUSY || !value)
			continue;
		if (value < ROUNDS)
			break;
		if (!thread || !exact_instructions())
			continue;
		if (!expected && value < LOOP_INSTRUCTIONS * ROUNDS + 100)
			expected = value;
		if (value != expected)
			break;
	}
	if (n < 3)
		return WRONG(&s->perf, value, expected);
	add(value > 0 ? &s->perf.counted : &s->perf.waited);
	close(fd);
	return 0;
}

FIXTURE_SETUP(perf_storm)
{
	int fd = perf_open(EVENT_INSTRUCTIONS, 0, 0, -1), i;

	self->s = storm_memory(sizeof(*self->s));
	ASSERT_NE(NULL, self->s);
	ASSERT_NE(-EBUSY, fd);
	if (fd < 0)
		SKIP(return, "perf does not count instructions here");
	close(fd);
	self->s->cpus = cpus_online();
	for (i = 0; i < 2 * RIVALS; i++)
		self->s->d[i] = (struct disturbance){
			.name = i % 2 ? "perf" : "pmudev",
			.once = i % 2 ? perf_once : own_once,
			.arg = self->s,
			.pause = 150000 + i * 20011,
		};
}

FIXTURE_TEARDOWN(perf_storm)
{
	int i;

	for (i = 0; i < 2 * RIVALS; i++)
		stop_child(self->s->d[i].pid);
	EXPECT_EQ(0, nothing_left());
}

/* So often; or something is wrong. */
static bool both_counted(struct shared *s, unsigned int least)
{
	if (READ_ONCE(s->perf.line) || READ_ONCE(s->own.line))
		return true;
	return READ_ONCE(s->perf.counted) >= least && READ_ONCE(s->own.counted) >= least;
}

TEST_F_TIMEOUT(perf_storm, in_turns_and_at_once, 300)
{
	unsigned int least = storm_times(60);
	struct shared *s = self->s;
	struct pmudev_query query;
	__u64 reservations;
	int i;

	ASSERT_EQ(0, pm_query(&query));
	reservations = query.reservations;
	for (i = 0; i < 2 * RIVALS; i++)
		ASSERT_EQ(0, disturb_start(&s->d[i]));
	/* Both get to count so often, or one of them has starved. */
	EXPECT_TRUE(WAIT_FOR(both_counted(s, least)));
	for (i = 0; i < 2 * RIVALS; i++)
		EXPECT_EQ(0, disturb_end(&s->d[i]));
	EXPECT_EQ(0, s->own.line) TH_LOG("pmudev: %lld, %lld", s->own.value, s->own.bound);
	EXPECT_EQ(0, s->perf.line) TH_LOG("perf: %lld, %lld", s->perf.value, s->perf.bound);
	ASSERT_EQ(0, pm_query(&query));
	TH_LOG("pmudev counted %u times, refused %u; perf %u, waited %u, refused %u; reserved %llu",
	       s->own.counted, s->own.refused, s->perf.counted, s->perf.waited, s->perf.refused,
	       query.reservations - reservations);
	EXPECT_GE(s->perf.counted, least);
	EXPECT_GE(s->own.counted, least);
	EXPECT_GT(query.reservations, reservations + least / 10);
}

/* Both at the same time, on every CPU, and neither is off its counters for a moment. */
TEST_F_TIMEOUT(perf_storm, side_by_side, 120)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	unsigned int i, times = storm_times(20);
	__s64 perf = 0, own = 0, value;
	struct perf_count count;
	int others[8], set, nr, fd;

	if (!BESIDE_PERF)
		SKIP(return, "here perf's events are in the way, or refused");
	for (i = 0; i < times; i++) {
		ASSERT_EQ(0, pin_to(i % self->s->cpus));
		set = pm_set(&event, 1, true);
		ASSERT_GE(set, 0);
		fd = perf_open(steady_event(), 0, 0, -1);
		ASSERT_GE(fd, 0);
		for (nr = 0; nr < self->s->cpus && nr < 8; nr++) {
			others[nr] = perf_open(EVENT_CYCLES, 0, -1, nr);
			ASSERT_GE(others[nr], 0);
		}
		value = set_loop(set, ROUNDS);
		EXPECT_GE(value, ROUNDS);
		if (exact_instructions() && own)
			EXPECT_EQ(own, value);
		own = value;
		value = perf_loop(fd, ROUNDS);
		EXPECT_GE(value, ROUNDS);
		if (exact_instructions() && perf)
			EXPECT_EQ(perf, value);
		perf = value;
		count = perf_count(fd);
		EXPECT_EQ(count.enabled, count.running);
		close(set);
		while (nr) {
			count = perf_count(others[--nr]);
			EXPECT_LT(0ULL, count.running) TH_LOG("CPU %d", nr);
			EXPECT_EQ(count.enabled, count.running) TH_LOG("CPU %d", nr);
			close(others[nr]);
		}
		close(fd);
	}
}

TEST_HARNESS_MAIN
