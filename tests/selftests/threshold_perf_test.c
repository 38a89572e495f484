// SPDX-License-Identifier: GPL-2.0
/* perf's thresholds on arm64 (not in 6.1): they count what pmudev's do, and leave nothing. */
#include "perf.h"
#include "threshold.h"
#include "kselftest_harness.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__aarch64__)

#define PERF_PMU "/sys/bus/event_source/devices/armv8*/"
#define N	 1000ULL

FIXTURE(perf)
{
	struct pmudev_query query;
	glob_t format;
};

FIXTURE_SETUP(perf)
{
	if (glob(PERF_PMU "format/threshold", 0, NULL, &self->format))
		SKIP(return, "perf has no thresholds in this kernel (format/threshold)");
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, pm_query(&self->query));
	/* The PMU is perf's. */
	ASSERT_FALSE(self->query.state & PMUDEV_STATE_RESERVED);
}

FIXTURE_TEARDOWN(perf)
{
	globfree(&self->format);
}

/* config1 has count in bit 2, the comparison in bits 4:3, the threshold from bit 5 on. */
static int perf_threshold(const struct threshold *t)
{
	return perf_open(t->event, t->count << 2 | t->compare << 3 | t->value << 5, 0, -1);
}

/* As measure_read(). */
static __attribute__((noinline)) __u64 rounds_of(int fd, __u64 n)
{
	struct perf_count before = perf_count(fd), after;

	loop(n);
	after = perf_count(fd);
	return after.value - before.value;
}

static int perf_measure(const struct threshold *t, __u64 *count)
{
	int fd = perf_threshold(t);
	__u64 once;

	if (fd < 0)
		return fd;
	rounds_of(fd, 1);
	once = rounds_of(fd, 1);
	*count = rounds_of(fd, N + 1) - once;
	close(fd);
	return 0;
}

TEST_F(perf, the_same_highest)
{
	struct threshold t = { .event = EVENT_CYCLES, .compare = PMUDEV_GREATER_EQUAL };
	struct pmudev_event_attr event;
	char line[32] = "";
	glob_t found;
	FILE *f;

	ASSERT_EQ(0, glob(PERF_PMU "caps/threshold_max", 0, NULL, &found));
	f = fopen(found.gl_pathv[0], "r");
	globfree(&found);
	ASSERT_NE(NULL, f);
	EXPECT_NE(NULL, fgets(line, sizeof(line), f));
	fclose(f);
	EXPECT_EQ(self->query.threshold_max, strtoul(line, NULL, 16)) TH_LOG("%s", line);
	t.value = self->query.threshold_max + 1;
	EXPECT_EQ(t.value > PMUDEV_MAX_THRESHOLD ? 0 : -EINVAL, perf_measure(&t, &(__u64){ 0 }));
	event = threshold_event(&t);
	EXPECT_GT(0, pm_set(&event, 1, true));
}

TEST_F(perf, the_same_counts)
{
	static const __u64 events[] = { EVENT_INSTRUCTIONS, EVENT_CYCLES, EVENT_NEVER };
	const unsigned int max = self->query.threshold_max, values[] = { 0, 1, 2, max };
	struct threshold t;
	struct pmudev_event_attr event;
	__u64 ours, perfs;
	unsigned int i;

	if (!max)
		SKIP(return, "no thresholds");
	if (!exact_cycles())
		SKIP(return, "cycles are not counted exactly here (PMUDEV_EXACT)");
	for (i = 0; i < ARRAY_SIZE(events) * ARRAY_SIZE(values) * 4 * 2; i++) {
		t.event = events[i / 8 % ARRAY_SIZE(events)];
		t.value = values[i / 8 / ARRAY_SIZE(events)];
		t.compare = i / 2 % 4;
		t.count = i % 2;
		if (t.value > max)
			continue;
		/* perf's first: closed, it is gone when pmudev comes. */
		ASSERT_EQ(0, perf_measure(&t, &perfs));
		event = threshold_event(&t);
		ASSERT_EQ(0, threshold_measure(&self->query, &event, N, &ours));
		EXPECT_EQ(perfs, ours)
		TH_LOG("event %#llx, threshold %u, compare %u, %s", t.event, t.value, t.compare,
		       t.count ? "cycles" : "events");
	}
}

static const struct threshold none = { EVENT_INSTRUCTIONS, 0, PMUDEV_NOT_EQUAL, false };
static const struct threshold never = { EVENT_INSTRUCTIONS, 1, PMUDEV_LESS, false };

/* Events of perf's on all counters that compare. */
static void use_perf(struct __test_metadata *_metadata, const struct threshold *t, int nr)
{
	const __u64 expected = N * LOOP_INSTRUCTIONS * threshold_counts(t, 1);
	struct perf_count c;
	int fd[32], i;
	__u64 once;

	for (i = 0; i < nr; i++) {
		fd[i] = perf_threshold(t);
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < nr; i++) {
		rounds_of(fd[i], 1);
		once = rounds_of(fd[i], 1);
		EXPECT_EQ(expected, rounds_of(fd[i], N + 1) - once);
		c = perf_count(fd[i]);
		EXPECT_EQ(c.enabled, c.running);
	}
	for (i = 0; i < nr; i++)
		close(fd[i]);
}

/* One of ours on each that a set can have. */
static void use_pmudev(struct __test_metadata *_metadata, const struct threshold *t)
{
	const __u64 expected = N * LOOP_INSTRUCTIONS * threshold_counts(t, 1);
	struct pmudev_event_attr event = threshold_event(t);
	struct pmudev_query query;
	__u64 rest, count;
	int fd;

	/* Which they are is known once perf has said which counter it keeps. */
	fd = pm_set(&event, 1, true);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pm_query(&query));
	close(fd);
	event.flags |= PMUDEV_COUNTER;
	for (rest = query.available & 0xffffffff; rest; rest &= rest - 1) {
		event.counter = __builtin_ctzll(rest);
		ASSERT_EQ(0, threshold_measure(&query, &event, N, &count));
		EXPECT_EQ(expected, count) TH_LOG("counter %u", event.counter);
	}
}

/* What perf had in the registers is nothing to events of ours, and the other way round. */
TEST_F(perf, nothing_stays_behind)
{
	int nr = __builtin_popcountll(self->query.counters & 0xffffffff), round;

	if (!self->query.threshold_max)
		SKIP(return, "no thresholds");
	if (!exact_cycles())
		SKIP(return, "cycles are not counted exactly here (PMUDEV_EXACT)");
	for (round = 0; round < 3; round++) {
		use_perf(_metadata, &never, nr);
		use_pmudev(_metadata, &none);
		use_pmudev(_metadata, &never);
		use_perf(_metadata, &none, nr);
	}
}

#else

TEST(arm64)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
