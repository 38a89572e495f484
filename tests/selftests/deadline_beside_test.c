// SPDX-License-Identifier: GPL-2.0
/*
 * Deadlines beside perf's samples, which share the interrupt on arm64: pmudev's are exact, none is
 * lost, and perf's samples go on. Elsewhere one of them has the whole PMU.
 */
#include <string.h>

#include "deadline.h"
#include "perf.h"
#include "kselftest_harness.h"

#define PERIOD 7001

FIXTURE(beside)
{
	struct pmudev_event_attr event;
	struct perf_samples samples;
	int fd;
	int child; /* spins on CPU 0 */
};

FIXTURE_SETUP(beside)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	self->fd = -1;
	self->samples.fd = -1;
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	if (!BESIDE_PERF)
		SKIP(return, "perf has the PMU, or pmudev has it");
	if (!(query.features & PMUDEV_HAS_DEADLINE))
		SKIP(return, "no deadlines on this kernel");
	if (__builtin_popcountll(query.available) < 3)
		SKIP(return, "too few counters");
	if (!overflows_interrupt())
		SKIP(return, NO_INTERRUPTS);
	ASSERT_EQ(0, limit_overflows(false));
	ASSERT_EQ(0, pin_to(0));
}

FIXTURE_TEARDOWN(beside)
{
	if (self->fd >= 0)
		close(self->fd);
	if (self->samples.fd >= 0)
		perf_samples_close(&self->samples);
	stop_child(self->child);
	limit_overflows(true);
}

/* A report each time; sums what was reached. */
static void in_time(struct __test_metadata *_metadata, int fd, __u64 *sum)
{
	struct pmudev_report report;
	int i;

	for (i = 0; i < 3000; i++) {
		loop(3501);
		if (!pm_reports(fd, &report, 1))
			continue;
		*sum += report.reached;
		ASSERT_EQ(*sum * PERIOD, report.value);
		ASSERT_EQ(0U, report.flags);
		if (exact_instructions())
			ASSERT_EQ(report.value, report.count);
	}
	ASSERT_EQ(0, pm_disable(fd, 0));
	if (pm_reports(fd, &report, 1))
		*sum += report.reached;
	EXPECT_EQ(pm_value(fd, 0) / PERIOD, *sum);
}

TEST_F(beside, samples_of_the_cpu)
{
	__u64 sum = 0;

	if (perf_samples_open_every(&self->samples, EVENT_INSTRUCTIONS, 0, 5003))
		SKIP(return, "perf takes no samples here");
	self->fd = pm_set(&self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, PERIOD, PERIOD));
	in_time(_metadata, self->fd, &sum);
	EXPECT_GT(perf_samples_take(&self->samples), 20U);
}

/* The same period: both overflow with nearly the same instruction. */
TEST_F(beside, samples_at_the_same_time)
{
	__u64 sum = 0;

	self->fd = pm_set(&self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	if (perf_samples_open_every(&self->samples, EVENT_INSTRUCTIONS, 0, PERIOD))
		SKIP(return, "perf takes no samples here");
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, PERIOD, PERIOD));
	in_time(_metadata, self->fd, &sum);
	EXPECT_GT(perf_samples_take(&self->samples), 20U);
}

/* perf comes and goes while the deadline is there. */
TEST_F(beside, perf_comes_and_goes)
{
	struct pmudev_report report;
	__u64 sum = 0;
	int i;

	self->fd = pm_set(&self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, PERIOD, PERIOD));
	for (i = 0; i < few(200); i++) {
		if (perf_samples_open_every(&self->samples, EVENT_CYCLES, 0, 3001 + i))
			SKIP(return, "perf takes no samples here");
		loop(20000);
		perf_samples_close(&self->samples);
		self->samples.fd = -1;
		ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
		sum += report.reached;
		ASSERT_EQ(sum * PERIOD, report.value);
		ASSERT_EQ(0U, report.flags);
	}
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	if (pm_reports(self->fd, &report, 1))
		sum += report.reached;
	EXPECT_EQ(pm_value(self->fd, 0) / PERIOD, sum);
}

TEST_HARNESS_MAIN
