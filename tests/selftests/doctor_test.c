// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev doctor` in the machine: what it measures is right where the machine is exact, and it
 * names who has a counter.
 */
#include "command.h"
#include "common.h"
#include "deadline.h"
#include "kselftest_harness.h"

static struct output output;

FIXTURE(doctor)
{
};

FIXTURE_SETUP(doctor)
{
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
}

FIXTURE_TEARDOWN(doctor)
{
}

/* Its line has this verdict and these words. */
static bool found(const char *check, const char *verdict, const char *words)
{
	char begin[96];
	const char *at, *end;

	snprintf(begin, sizeof(begin), "{\"check\": \"%s\", \"verdict\": \"%s\"", check, verdict);
	at = strstr(output.text, begin);
	end = at ? strchr(at, '\n') : NULL;
	at = at ? strstr(at, words) : NULL;
	return at && end && at < end;
}

static void expect_found(struct __test_metadata *_metadata, const char *check, const char *verdict,
			 const char *words)
{
	EXPECT_TRUE(found(check, verdict, words)) TH_LOG("%s", output.text);
}

TEST_F(doctor, machine)
{
	run(&output, "pmudev doctor --json --no-measure");
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	expect_found(_metadata, "kernel", "ok", "Linux ");
	expect_found(_metadata, "pmu", "ok", "perf drives ");
	expect_found(_metadata, "module", "ok", "loaded");
	expect_found(_metadata, "device", "ok", "/dev/pmudev");
	expect_found(_metadata, "rights", "ok", "CAP_PERFMON");
	expect_found(_metadata, "counters", "ok", " are free");
	EXPECT_EQ(0, times_in(&output, "\"instructions\"")) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"failed\": 0")) TH_LOG("%s", output.text);
}

/* Each loop counts as what it is, and each overflow is told. */
TEST_F(doctor, measurements)
{
	struct pmudev_query query;

	run(&output, "pmudev doctor --json");
	EXPECT_EQ(1, times_in(&output, "\"check\": \"instructions\"")) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"check\": \"overhead\"")) TH_LOG("%s", output.text);
	if (!exact_programs())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	expect_found(_metadata, "instructions", "ok",
		     "a loop of 2000000 instructions counts as 2000000, 20");
	expect_found(_metadata, "cycles", "ok", "instructions per cycle");
	ASSERT_EQ(0, pm_query(&query));
	if (query.generic >> PMUDEV_BRANCHES & 1)
		expect_found(_metadata, "branches", "ok",
			     "a loop of 1000000 branches counts as 1000000, 20");
	if (!overflows_interrupt())
		SKIP(return, NO_INTERRUPTS);
	expect_found(_metadata, "interrupts", "ok", "each of 10");
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
}

TEST_F(doctor, holders)
{
	run(&output,
	    "pmudev stat --quiet -C 0 -e instructions@2 -- pmudev doctor --json --no-measure");
	expect_found(_metadata, "counters", "warn", ": 1 of ");
	expect_found(_metadata, "counters", "warn", "counting CPU 0");
	expect_found(_metadata, "counters", "warn", "pmudev info");
}

TEST_F(doctor, people)
{
	run(&output, "pmudev doctor --no-measure");
	EXPECT_EQ(1, times_in(&output, "\nok    module        loaded")) TH_LOG("%s", output.text);
	run(&output, "pmudev doctor nonsense");
	EXPECT_EQ(2, output.status) TH_LOG("%s", output.text);
}

TEST_HARNESS_MAIN
