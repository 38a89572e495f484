// SPDX-License-Identifier: GPL-2.0
/*
 * Thresholds: what is counted with them, to the unit, and what is refused. A threshold of 0 is
 * none, also where there are none.
 */
#include "command.h"
#include "threshold.h"
#include "kselftest_harness.h"

#include <stdio.h>
#include <string.h>

#define N 1000ULL

/* The first two are on every machine. */
#define NR_EVENTS 3

static __u64 event_number(unsigned int i)
{
	const __u64 events[NR_EVENTS] = { EVENT_INSTRUCTIONS, EVENT_CYCLES, EVENT_NEVER };

	return events[i];
}

FIXTURE(threshold)
{
	struct pmudev_query query; /* of the CPU that the test is on */
};

FIXTURE_SETUP(threshold)
{
	int cpu = cpus_online() - 1;

	ASSERT_EQ(0, pin_to(cpu));
	ASSERT_EQ(0, pm_query_pmu(cpu, PMUDEV_QUERY_CPU, &self->query));
}

FIXTURE_TEARDOWN(threshold)
{
	set_user_access(false);
}

/* ----------------------------------------------------------------------- refusals -- */

static int try(const struct pmudev_query *query, const struct threshold *t)
{
	struct pmudev_event_attr event = threshold_event(t);
	int fd = threshold_set(query, &event, 1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Those that there are not are refused, and the highest is named. */
TEST_F(threshold, above_the_highest)
{
	struct threshold t = {
		.event = EVENT_CYCLES,
		.compare = PMUDEV_GREATER_EQUAL,
		.count = true,
	};
	__u64 max = self->query.threshold_max;

	EXPECT_EQ(!!(self->query.features & PMUDEV_HAS_THRESHOLD), !!max);
	EXPECT_LE(max, (__u64)PMUDEV_MAX_THRESHOLD);
	for (t.value = 0; t.value <= max; t.value += 1 + t.value / 2)
		EXPECT_EQ(0, try(&self->query, &t)) TH_LOG("threshold %u", t.value);
	t.value = max;
	EXPECT_EQ(0, try(&self->query, &t));
	for (t.value = max + 1; t.value <= PMUDEV_MAX_THRESHOLD; t.value += 1 + t.value / 2) {
		EXPECT_REFUSED(max ? EINVAL : EOPNOTSUPP, PMUDEV_WHY_THRESHOLD,
			       try(&self->query, &t));
		EXPECT_EQ(max, why.limit);
	}
	t.value = PMUDEV_MAX_THRESHOLD + 1;
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_THRESHOLD, try(&self->query, &t));
	EXPECT_EQ((__u64)PMUDEV_MAX_THRESHOLD, why.limit);
}

TEST_F(threshold, the_command_names_the_highest)
{
	unsigned int max = self->query.threshold_max;
	struct output output;
	char highest[64];

	if (!have_command())
		SKIP(return, "no pmudev command");
	if (max == PMUDEV_MAX_THRESHOLD)
		SKIP(return, "no threshold of the command's is above the highest here");
	snprintf(highest, sizeof(highest), "the highest threshold is %u", max);
	run(&output, "pmudev stat -e cycles/threshold=%u,threshold_count/u -- true", max + 1);
	EXPECT_NE(0, output.status);
	EXPECT_EQ(1U, times_in(&output, max ? highest : "no thresholds"))
	TH_LOG("%s", output.text);
	run(&output, "pmudev info");
	snprintf(highest, sizeof(highest), "up to %u", max);
	EXPECT_EQ(!!max, !!times_in(&output, highest)) TH_LOG("%s", output.text);
}

/* A fixed counter compares nothing: the event is on another one. */
TEST_F(threshold, not_on_a_fixed_counter)
{
	struct threshold t = {
		.event = FIXED_EVENT,
		.value = 1,
		.compare = PMUDEV_GREATER_EQUAL,
		.count = true,
	};
	struct pmudev_event_attr event = threshold_event(&t);
	__s32 counter;
	int fd;

	if (!self->query.threshold_max)
		SKIP(return, "no thresholds");
	if (!self->query.width_fixed)
		SKIP(return, NO_FIXED_COUNTER);
	fd = threshold_set(&self->query, &event, 1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_place(fd, NULL, 0, &counter));
	EXPECT_LE(0, counter);
	EXPECT_GT(FIXED_COUNTER, counter);
	close(fd);
	event.flags |= PMUDEV_COUNTER;
	event.counter = FIXED_COUNTER;
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COUNTER, threshold_set(&self->query, &event, 1));
	EXPECT_NE(0ULL, why.allowed);
	EXPECT_EQ(0ULL, why.allowed >> PMUDEV_FIXED_BASE);
	/* Without one it may be there. */
	event.threshold = 0;
	fd = threshold_set(&self->query, &event, 1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_place(fd, NULL, 0, &counter));
	EXPECT_EQ(FIXED_COUNTER, counter);
	close(fd);
}

/* ------------------------------------------------------------------------- counts -- */

static void expect_counts(struct __test_metadata *_metadata, const struct pmudev_query *query,
			  const struct threshold *t, __u64 k)
{
	struct pmudev_event_attr event = threshold_event(t);
	__u64 count;

	EXPECT_EQ(0, threshold_measure(query, &event, N, &count));
	EXPECT_EQ(N * LOOP_INSTRUCTIONS * threshold_counts(t, k), count)
	TH_LOG("event %#llx, threshold %u, compare %u, %s", t->event, t->value, t->compare,
	       t->count ? "cycles" : "events");
}

/* With these thresholds: the first events, each comparison, events and cycles. */
static void each(struct __test_metadata *_metadata, const struct pmudev_query *query,
		 unsigned int nr_events, const unsigned int *values, unsigned int nr)
{
	struct threshold t;
	unsigned int i, v, counted = 0;
	__u64 k;

	ASSERT_EQ(0, threshold_cycles(query, &k));
	for (i = 0; i < nr_events * 4 * 2; i++) {
		t.event = event_number(i / 8);
		t.compare = i / 2 % 4;
		t.count = i % 2;
		for (v = 0; v < nr; v++) {
			t.value = values[v];
			if (t.value > query->threshold_max ||
			    (t.value && !threshold_offered(query, &t)))
				continue;
			expect_counts(_metadata, query, &t, k);
			counted++;
		}
	}
	TH_LOG("%u of them counted, cycles of an instruction: %llu", counted, k);
}

TEST_F(threshold, each_that_there_is)
{
	const unsigned int max = self->query.threshold_max, values[] = { 1, 2, 3, max };

	if (!max)
		SKIP(return, "no thresholds");
	if (!exact_cycles())
		SKIP(return, "cycles are not counted exactly here (PMUDEV_EXACT)");
	each(_metadata, &self->query, NR_EVENTS, values, max > 3 ? 4 : max);
}

TEST_F(threshold, none_whatever_stands_beside_it)
{
	static const unsigned int none[] = { 0 };

	if (!exact_cycles())
		SKIP(return, "cycles are not counted exactly here (PMUDEV_EXACT)");
	each(_metadata, &self->query, 2, none, 1);
}

/* Counters that stop together have counted the same cycles, at every level. */
TEST_F(threshold, at_every_level)
{
	static const __u32 flags[] = { 0, PMUDEV_EXCLUDE_USER, PMUDEV_EXCLUDE_KERNEL, USER_ONLY };
	const struct threshold all[] = {
		{ EVENT_CYCLES, 0, PMUDEV_NOT_EQUAL, false },
		{ EVENT_CYCLES, 1, PMUDEV_GREATER_EQUAL, true },
		{ EVENT_NEVER, 1, PMUDEV_LESS, true },
		{ EVENT_CYCLES, 1, PMUDEV_LESS, true },
	};
	struct pmudev_event_attr event[ARRAY_SIZE(all)];
	unsigned int i, n;
	union record r;
	int fd;

	if (!self->query.threshold_max)
		SKIP(return, "no thresholds");
	if (!exact_cycles())
		SKIP(return, "cycles are not counted exactly here (PMUDEV_EXACT)");
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		for (n = 0; n < ARRAY_SIZE(all); n++) {
			event[n] = threshold_event(&all[n]);
			event[n].flags &= ~USER_ONLY;
			event[n].flags |= flags[i];
		}
		fd = threshold_set(&self->query, event, ARRAY_SIZE(all));
		ASSERT_GE(fd, 0);
		for (n = 0; n < 10; n++) {
			loop(N);
			pause_ns(1000);
		}
		ASSERT_EQ(0, pm_disable(fd, 0));
		ASSERT_EQ(0, pm_read(fd, &r));
		EXPECT_LT(10ULL, r.r.counts[0].value) TH_LOG("flags %#x", flags[i]);
		EXPECT_EQ(r.r.counts[0].value, r.r.counts[1].value) TH_LOG("flags %#x", flags[i]);
		EXPECT_EQ(r.r.counts[0].value, r.r.counts[2].value) TH_LOG("flags %#x", flags[i]);
		EXPECT_EQ(0ULL, r.r.counts[3].value) TH_LOG("flags %#x", flags[i]);
		close(fd);
	}
}

TEST_F(threshold, read_by_the_page)
{
	struct threshold t = {
		.event = EVENT_NEVER,
		.value = 1,
		.compare = PMUDEV_LESS,
		.count = true,
	};
	struct pmudev_event_attr event = threshold_event(&t);
	struct pmudev_page *page;
	struct reader reader;
	__u64 first, second, k;
	int fd;

	if (!self->query.threshold_max)
		SKIP(return, "no thresholds");
	if (!exact_cycles())
		SKIP(return, "cycles are not counted exactly here (PMUDEV_EXACT)");
	if (self->query.nr_pmus > 1)
		SKIP(return, "CPUs of several kinds");
	ASSERT_EQ(0, threshold_cycles(&self->query, &k));
	ASSERT_EQ(0, set_user_access(true));
	event.flags |= PMUDEV_USER_READ;
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	reader = reader_of(page);
	ASSERT_EQ(0, measure_direct(&reader, 0, N, &first));
	ASSERT_EQ(0, measure_direct(&reader, 0, 2 * N, &second));
	EXPECT_EQ(N * LOOP_INSTRUCTIONS * k, second - first);
	pm_unmap(page);
	close(fd);
}

/* ------------------------------------------------------------------------ chained -- */

/* The low half is compared, the high half counts its carries and nothing else. */
TEST_F(threshold, of_a_chained_event)
{
	static const __u64 starts[] = { 0, (1ULL << 32) - N, (1ULL << 33) - 1, -N };
	struct threshold t = {
		.event = EVENT_NEVER,
		.value = 1,
		.compare = PMUDEV_LESS,
		.count = true,
	};
	struct pmudev_event_attr event[2];
	__u64 once, twice, k;
	unsigned int i;
	int fd;

	if (!self->query.threshold_max || !(self->query.features & PMUDEV_HAS_CHAIN))
		SKIP(return, "no thresholds, or no chained counters");
	if (!exact_cycles())
		SKIP(return, "cycles are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, threshold_cycles(&self->query, &k));
	/* Cycles, and those that are never. */
	event[0] = threshold_event(&t);
	t.event = EVENT_CYCLES;
	event[1] = threshold_event(&t);
	event[0].flags |= PMUDEV_LONG;
	event[1].flags |= PMUDEV_LONG;
	fd = threshold_set(&self->query, event, 2);
	ASSERT_GE(fd, 0);
	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		ASSERT_EQ(0, pm_reset(fd, 0, starts[i]));
		ASSERT_EQ(0, pm_reset(fd, 1, starts[i]));
		ASSERT_EQ(0, measure_read(fd, 0, N, &once));
		ASSERT_EQ(0, pm_reset(fd, 0, starts[i]));
		ASSERT_EQ(0, measure_read(fd, 0, 2 * N, &twice));
		EXPECT_EQ(N * LOOP_INSTRUCTIONS * k, twice - once) TH_LOG("from %#llx", starts[i]);
		/* Over the carry, by one. */
		EXPECT_EQ((starts[i] + twice) >> 32, pm_value(fd, 0) >> 32);
		EXPECT_EQ(starts[i], pm_value(fd, 1));
	}
	close(fd);
}

TEST_HARNESS_MAIN
