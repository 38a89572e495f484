// SPDX-License-Identifier: GPL-2.0
/*
 * The pieces of C that docs/guide.md shows: each function here has one, and a test that runs it.
 * scripts/check examples sees to it that what the guide shows is here.
 */
#include "common.h"
#include "deadline.h"
#include "kselftest_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmudev.h>
#include <pmudev_deadline.h>
#include <pmudev_set_array.h>

static char text[512];

static int give_up(struct pmudev *set)
{
	pmudev_explain(set, text, sizeof(text));
	return -1;
}

/* Two groups of the calling thread, of which one shares counters. */
static int multiplexed(uint64_t *estimate)
{
	union pmudev_record_buffer buffer;
	struct pmudev_count *count = &buffer.record.counts[1];
	struct pmudev set;

	const struct pmudev_event_attr events[] = {
		{ .config = PMUDEV_INSTRUCTIONS, .group = 0, .flags = USER_ONLY },
		{ .config = PMUDEV_CYCLES, .group = 1, .flags = USER_ONLY | PMUDEV_MULTIPLEX },
	};

	if (pmudev_open(&set) || pmudev_bind_self(&set) || pmudev_add(&set, events, 2, NULL) ||
	    pmudev_enable(&set, PMUDEV_ALL))
		return give_up(&set);
	/* ... what is to be counted ... */
	loop(1000000);
	if (pmudev_read(&set, &buffer.record, sizeof(buffer)))
		return give_up(&set);
	if (!pmudev_scale(count->value, count->time_enabled, count->time_running, estimate))
		printf("not counted: it never had a turn\n");
	pmudev_close(&set);
	return 0;
}

/* Of the calling thread, a million instructions from now. */
static int tell_at_a_million(uint64_t *count)
{
	const struct pmudev_event_attr instructions = {
		.config = PMUDEV_INSTRUCTIONS,
		.flags = USER_ONLY,
	};
	const struct pmudev_deadline deadline = {
		.slot = 0,
		.flags = PMUDEV_DEADLINE_RELATIVE,
		.value = 1000000,
	};
	struct pmudev_report report;
	struct pmudev set;

	if (pmudev_open(&set) || pmudev_start(&set, &instructions, 1, NULL) ||
	    pmudev_deadline_set(&set, &deadline, 1))
		return give_up(&set);
	/* ... the work; another thread could wait ... */
	loop(1000000);
	if (pmudev_deadline_wait(&set, &report, 1, -1) != 1)
		return give_up(&set);
	*count = report.count - (report.value - deadline.value);
	pmudev_close(&set);
	return 0;
}

/* Where no threshold can be, 1: the refusal says so. */
static int cycles_with_many(uint16_t least, uint64_t *cycles)
{
	struct pmudev_refusal refusal;
	struct pmudev set;

	struct pmudev_event_attr event = {
		.type = PMUDEV_TYPE_GENERIC,
		.config = PMUDEV_INSTRUCTIONS,
		.flags = USER_ONLY | PMUDEV_THRESHOLD_COUNT,
		.threshold = least,
		.threshold_compare = PMUDEV_GREATER_EQUAL,
	};

	if (pmudev_open(&set) || pmudev_bind_self(&set))
		return give_up(&set);
	if (pmudev_add(&set, &event, 1, NULL)) {
		pmudev_why(&set, &refusal);
		if (refusal.code == PMUDEV_WHY_THRESHOLD)
			printf("the highest is %llu\n", (unsigned long long)refusal.limit);
		give_up(&set);
		pmudev_close(&set);
		return 1;
	}
	if (pmudev_enable(&set, PMUDEV_ALL))
		return give_up(&set);
	loop(1000000);
	if (pmudev_read_count(&set, 0, cycles))
		return give_up(&set);
	pmudev_close(&set);
	return 0;
}

static int process(pid_t pid, uint64_t *instructions)
{
	const struct pmudev_event_attr event = { .config = PMUDEV_INSTRUCTIONS,
						 .flags = USER_ONLY };
	struct pmudev set;

	if (pmudev_open(&set) || pmudev_bind_process(&set, pid, PMUDEV_BIND_INHERIT) ||
	    pmudev_add(&set, &event, 1, NULL) || pmudev_enable(&set, PMUDEV_ALL))
		return give_up(&set);
	loop(1000000);
	if (pmudev_read_count(&set, 0, instructions))
		return give_up(&set);
	pmudev_close(&set);
	return 0;
}

static int cpus(const unsigned int *list, unsigned int nr, uint64_t *cycles)
{
	const struct pmudev_event_attr events[] = {
		{ .config = PMUDEV_INSTRUCTIONS },
		{ .config = PMUDEV_CYCLES },
	};
	struct pmudev_set_array array;
	struct pmudev_total total;

	if (pmudev_set_array_cpus(&array, list, nr, 0) || pmudev_set_array_add(&array, events, 2) ||
	    pmudev_set_array_enable(&array, PMUDEV_ALL)) {
		pmudev_set_array_explain(&array, text, sizeof(text));
		return -1;
	}
	loop(1000000);
	if (pmudev_set_array_read(&array, &total))
		return -1;
	*cycles = total.sums[1].value;
	pmudev_set_array_close(&array);
	return 0;
}

/* One moment of the whole set: counts, times, and what became of the target. */
static int record_of(struct pmudev *set, uint64_t *missing)
{
	union pmudev_record_buffer buffer;
	struct pmudev_record *record = &buffer.record;

	if (pmudev_read(set, record, sizeof(buffer)))
		return give_up(set);
	if (record->flags & (PMUDEV_RECORD_NO_USER_ACCESS | PMUDEV_RECORD_OFFLINE))
		printf("stopped for the moment\n");
	*missing = record->time_enabled - record->time_running; /* ns */
	return 0;
}

FIXTURE(guide)
{
};

FIXTURE_SETUP(guide)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	if (!(query.generic & 1ULL << PMUDEV_INSTRUCTIONS))
		SKIP(return, "this CPU does not count instructions");
}

FIXTURE_TEARDOWN(guide)
{
}

TEST_F(guide, multiplexed)
{
	uint64_t cycles = 0;

	ASSERT_EQ(0, multiplexed(&cycles)) TH_LOG("%s", text);
	EXPECT_GT(cycles, 0ULL);
}

TEST_F(guide, deadline)
{
	struct pmudev_query query;
	uint64_t count = 0;

	ASSERT_EQ(0, pm_query(&query));
	if (!(query.features & PMUDEV_HAS_DEADLINE))
		SKIP(return, "no deadlines here");
	ASSERT_EQ(0, tell_at_a_million(&count)) TH_LOG("%s", text);
	EXPECT_LE(1000000ULL, count);
	if (exact_instructions() && overflows_interrupt())
		EXPECT_EQ(1000000ULL, count);
}

TEST_F(guide, threshold)
{
	struct pmudev_query query;
	uint64_t cycles = 0;

	ASSERT_EQ(0, pm_query(&query));
	if (query.threshold_max) {
		ASSERT_EQ(0, cycles_with_many(1, &cycles)) TH_LOG("%s", text);
		EXPECT_GT(cycles, 0ULL);
	}
	EXPECT_EQ(1, cycles_with_many(query.threshold_max + 1, &cycles));
	EXPECT_NE(NULL, strstr(text, "threshold")) TH_LOG("%s", text);
}

TEST_F(guide, process)
{
	uint64_t instructions = 0;

	ASSERT_EQ(0, process(getpid(), &instructions)) TH_LOG("%s", text);
	EXPECT_GE(instructions, 1000000ULL * LOOP_INSTRUCTIONS);
}

TEST_F(guide, cpus)
{
	const unsigned int list[] = { 0, cpus_online() - 1 };
	uint64_t cycles = 0;

	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, cpus(list, list[1] ? 2 : 1, &cycles)) TH_LOG("%s", text);
	EXPECT_GE(cycles, 1000000ULL);
}

TEST_F(guide, record)
{
	const struct pmudev_event_attr event = { .config = PMUDEV_CYCLES, .flags = USER_ONLY };
	uint64_t missing = 1;
	struct pmudev set;

	ASSERT_EQ(0, pmudev_open(&set));
	ASSERT_EQ(0, pmudev_bind_self(&set));
	ASSERT_EQ(0, pmudev_add(&set, &event, 1, NULL));
	ASSERT_EQ(0, pmudev_enable(&set, PMUDEV_ALL));
	EXPECT_EQ(0, record_of(&set, &missing)) TH_LOG("%s", text);
	EXPECT_EQ(0ULL, missing);
	pmudev_close(&set);
}

TEST_HARNESS_MAIN
