// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's events to the unit, in user mode: each on every counter, with thresholds, and by their
 * generic names. All at once, and under load: intel_exact_load_test.c.
 */
#include "intel.h"
#include "kselftest_harness.h"

#if defined(__x86_64__)

/* ------------------------------------------------------------- one at a time -- */

/* From n to 10 n: what lies around the loop falls out. */
static int measure_event(struct pmudev_event_attr attr, __u64 n, __u64 *difference)
{
	__u64 less = 0, more = 0;
	int fd, ret;

	fd = pm_set(&attr, 1, true);
	if (fd < 0)
		return fd;
	/* The first one brings in the pages. */
	ret = measure_read(fd, 0, n, &less);
	if (!ret)
		ret = measure_read(fd, 0, n, &less);
	if (!ret)
		ret = measure_read(fd, 0, 10 * n, &more);
	close(fd);
	*difference = more - less;
	return ret;
}

TEST(each_event_on_each_counter)
{
	struct intel_pmu pmu;
	unsigned int counter, i;
	__u64 n = 1000, count;

	if (!exact())
		SKIP(return, NOT_EXACT);
	intel_pmu(&pmu);
	for (counter = 0; counter < pmu.gp; counter++) {
		for (i = 0; i < nr_intel_events; i++) {
			const struct intel_event *event = &intel_events[i];
			struct pmudev_event_attr attr =
				raw_event(event->config, USER_ONLY | PMUDEV_COUNTER);

			attr.counter = counter;
			ASSERT_EQ(0, measure_event(attr, n, &count))
			TH_LOG("%s on counter %u", event->name, counter);
			EXPECT_EQ(expected(event->rate, 9 * n * LOOP_INSTRUCTIONS,
					   9 * n * LOOP_BRANCHES),
				  count)
			TH_LOG("%s on counter %u", event->name, counter);
		}
	}
}

TEST(fixed_counters)
{
	static const int each[] = { 1, CORE, REF };
	struct intel_pmu pmu;
	unsigned int i;
	__u64 count;

	if (!exact())
		SKIP(return, NOT_EXACT);
	intel_pmu(&pmu);
	for (i = 0; i < ARRAY_SIZE(each); i++) {
		if (!(pmu.counters & 1ULL << (PMUDEV_FIXED_BASE + i)))
			continue;
		ASSERT_EQ(0,
			  measure_event(event_on(PMUDEV_FIXED_BASE + i, USER_ONLY), 1000, &count));
		EXPECT_EQ(9000ULL * LOOP_INSTRUCTIONS * each[i], count)
		TH_LOG("fixed counter %u", i);
	}
}

/* EXCLUDE_HV makes no difference: there is no such mode. */
TEST(a_hypervisors_mode)
{
	__u64 with, without;

	if (!exact())
		SKIP(return, NOT_EXACT);
	ASSERT_EQ(0, measure_event(raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_KERNEL), 1000,
				   &without));
	ASSERT_EQ(0, measure_event(raw_event(EVENT_INSTRUCTIONS, USER_ONLY), 1000, &with));
	EXPECT_EQ(with, without);
}

/* -------------------------------------------------------- other notions of it -- */

/* Thresholds are the counter mask. */
TEST(thresholds)
{
	static const struct {
		__u64 event;
		int threshold, compare, each;
	} t[] = {
		{ EVENT_INSTRUCTIONS, 1, PMUDEV_GREATER_EQUAL, 1 },
		{ EVENT_INSTRUCTIONS, 2, PMUDEV_GREATER_EQUAL, 0 },
		{ EVENT_INSTRUCTIONS, 1, PMUDEV_LESS, CORE - 1 },
		{ EVENT_INSTRUCTIONS, 255, PMUDEV_LESS, CORE },
		{ INTEL_CYCLES, 1, PMUDEV_GREATER_EQUAL, CORE },
		{ INTEL_CYCLES, 1, PMUDEV_LESS, 0 },
		{ EVENT_REF_CYCLES, 2, PMUDEV_GREATER_EQUAL, 1 },
		{ EVENT_REF_CYCLES, 2, PMUDEV_LESS, 1 },
	};
	struct pmudev_event_attr attr;
	unsigned int i;
	__u64 count;

	if (!exact())
		SKIP(return, NOT_EXACT);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		attr = raw_event(t[i].event, USER_ONLY | PMUDEV_THRESHOLD_COUNT);
		attr.threshold = t[i].threshold;
		attr.threshold_compare = t[i].compare;
		ASSERT_EQ(0, measure_event(attr, 1000, &count));
		EXPECT_EQ(9000ULL * LOOP_INSTRUCTIONS * t[i].each, count) TH_LOG("case %u", i);
	}
}

/* Generic events are what they are called; rare ones come at the emulator's rate. */
TEST(generic_events)
{
	static const struct {
		int generic;
		int times, every; /* of instructions */
	} g[] = {
		{ PMUDEV_CYCLES, CORE, 1 },
		{ PMUDEV_INSTRUCTIONS, 1, 1 },
		{ PMUDEV_REF_CYCLES, REF, 1 },
		{ PMUDEV_CACHE_REFERENCES, 1, 10 },
		{ PMUDEV_CACHE_MISSES, 1, 100 },
		{ PMUDEV_BRANCHES, 1, LOOP_INSTRUCTIONS },
		{ PMUDEV_BRANCH_MISSES, 1, 20 * LOOP_INSTRUCTIONS },
	};
	struct pmudev_event_attr attr = { .flags = USER_ONLY };
	struct pmudev_query query;
	__u64 count, ideal, n = 100000;
	unsigned int i;

	if (!exact())
		SKIP(return, NOT_EXACT);
	ASSERT_EQ(0, pm_query(&query));
	for (i = 0; i < ARRAY_SIZE(g); i++) {
		if (!(query.generic & 1ULL << g[i].generic))
			continue;
		attr.config = g[i].generic;
		ASSERT_EQ(0, measure_event(attr, n, &count));
		ideal = 9 * n * LOOP_INSTRUCTIONS * g[i].times / g[i].every;
		if (g[i].every <= LOOP_INSTRUCTIONS)
			EXPECT_EQ(ideal, count) TH_LOG("generic event %d", g[i].generic);
		/* The every-so-many-th may be the kernel's. */
		EXPECT_GE(count, ideal / 100 * 98) TH_LOG("generic event %d", g[i].generic);
		EXPECT_LE(count, ideal / 100 * 102) TH_LOG("generic event %d", g[i].generic);
	}
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
