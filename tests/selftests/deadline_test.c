// SPDX-License-Identifier: GPL-2.0
/*
 * Deadlines, to the unit. The emulator interrupts behind the instruction that overflows, so the
 * count of a report is the deadline, or the deadline was reached in the kernel's sight: never
 * before, and once.
 */
#include "deadline_fixture.h"

TEST_F(deadline, once)
{
	__u64 value, before;

	ASSERT_EQ(0, start(self));
	for (value = 10000; value < 100000000; value = value * 3 + 1) {
		ASSERT_EQ(0, pm_reset(self->fd, 0, 0));
		ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, value, 0));
		EXPECT_EQ(0, poll_now(self->fd));
		before = pm_value(self->fd, 0);
		ASSERT_LT(before, value);
		loop(value / LOOP_INSTRUCTIONS);
		expect_one(_metadata, self->fd, value);
		/* The count went on as if nothing were. */
		before = pm_value(self->fd, 0);
		EXPECT_GE(before, value);
		EXPECT_LT(before, value + 10000);
	}
}

TEST_F(deadline, relative)
{
	struct pmudev_report report;
	__u64 before, n;

	ASSERT_EQ(0, start(self));
	for (n = 20000; n < 20020; n++) {
		before = pm_value(self->fd, 0);
		ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_RELATIVE, n, 0));
		loop(n / LOOP_INSTRUCTIONS);
		ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
		EXPECT_GE(report.value, before + n);
		EXPECT_LT(report.value, before + n + 1000);
		if (exact_instructions())
			EXPECT_EQ(report.value, report.count);
	}
}

TEST_F(deadline, periodic)
{
	struct pmudev_report report;
	__u64 sum = 0, next = 5000;
	int i;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, next, 7001));
	for (i = 0; i < 300; i++) {
		loop(2000);
		if (!pm_reports(self->fd, &report, 1))
			continue;
		sum += report.reached;
		EXPECT_EQ(next + (sum - 1) * 7001, report.value);
		EXPECT_EQ(0ULL, report.overruns);
		EXPECT_EQ(0U, report.flags);
		if (exact_instructions())
			EXPECT_EQ(report.value, report.count);
	}
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	if (pm_reports(self->fd, &report, 1))
		sum += report.reached;
	EXPECT_EQ((pm_value(self->fd, 0) - next) / 7001 + 1, sum);
}

/* Each interrupt is for a deadline, and `info` shows how many there were. */
TEST_F(deadline, interrupts_are_counted)
{
	struct pmudev_query before, after;
	struct pmudev_report report;

	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 10000, 10000));
	ASSERT_EQ(0, pm_query(&before));
	loop(1000000);
	ASSERT_EQ(0, pm_query(&after));
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	EXPECT_GE(after.overflows, before.overflows + 150);
	EXPECT_LE(after.overflows, before.overflows + 250);
	EXPECT_LE(after.unexpected, before.unexpected + 20);
}

/* More than one passes between two looks of a program: none is lost. */
TEST_F(deadline, many_between_two_reports)
{
	struct pmudev_report report;
	__u64 count;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 10000, 1000));
	loop(500000);
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	count = pm_value(self->fd, 0);
	EXPECT_GE(report.reached, 990ULL);
	EXPECT_EQ(0ULL, report.overruns);
	EXPECT_EQ(10000 + (report.reached - 1) * 1000, report.value);
	EXPECT_LE(report.value, report.count);
	EXPECT_LE(report.count, count);
}

TEST_F(deadline, reached_at_once)
{
	struct pmudev_report report;

	ASSERT_EQ(0, start(self));
	loop(10000);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 100, 0));
	EXPECT_EQ(POLLIN, poll_now(self->fd));
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	EXPECT_EQ(100ULL, report.value);
	EXPECT_GE(report.count, 20000ULL);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 100, 1000));
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	EXPECT_GE(report.reached, 20ULL);
	EXPECT_EQ(report.reached - 1, report.overruns);
	EXPECT_EQ(100 + (report.reached - 1) * 1000, report.value);
}

TEST_F(deadline, changed_and_removed)
{
	struct pmudev_report report;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 100000, 0));
	loop(1000);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 300000, 0));
	loop(100000);
	EXPECT_EQ(0, poll_now(self->fd));
	loop(50000);
	expect_one(_metadata, self->fd, 300000);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 1000000, 0));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_REMOVE, 0, 0));
	loop(1000000);
	EXPECT_EQ(0, poll_now(self->fd));
	EXPECT_EQ(0, pm_reports(self->fd, &report, 1));
	EXPECT_GE(pm_value(self->fd, 0), 2300000ULL);
}

/* A reset reaches what it passes, moves what is periodic, and leaves the rest. */
TEST_F(deadline, reset)
{
	struct pmudev_report report;
	__u64 value;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 1000000, 0));
	ASSERT_EQ(0, pm_reset(self->fd, 0, 900000));
	EXPECT_EQ(0, poll_now(self->fd));
	loop(50000);
	expect_one(_metadata, self->fd, 1000000);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 5000000, 0));
	ASSERT_EQ(0, pm_reset(self->fd, 0, ~0ULL - 1000));
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	EXPECT_EQ(5000000ULL, report.value);
	EXPECT_EQ(~0ULL - 1000, report.count);
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_reset(self->fd, 0, 0));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 50000, 50000));
	ASSERT_EQ(0, pm_reset(self->fd, 0, 1000000));
	EXPECT_EQ(1000000ULL, pm_value(self->fd, 0));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	loop(27000);
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	EXPECT_EQ(1050000ULL, report.value);
	value = pm_value(self->fd, 0);
	EXPECT_GE(value, 1054000ULL);
	EXPECT_LT(value, 1060000ULL);
}

/* It is the event's, whether that counts now or not. */
/* The reset finds it reached, and resets it nevertheless. */
TEST_F(deadline, reset_of_what_is_reached)
{
	struct pmudev_report report;
	int other;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 100000, 0));
	other = overflow_too_often();
	ASSERT_GE(other, 0);
	loop(100000);
	ASSERT_EQ(0, pm_reset(self->fd, 0, 0));
	EXPECT_GT(100000ULL, pm_value(self->fd, 0));
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	EXPECT_EQ(100000ULL, report.value);
	close(other);
}

TEST_F(deadline, disabled_and_enabled)
{
	struct pmudev_event_attr event = instructions();
	int i;

	self->fd = pm_set(&event, 1, false);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 200000, 0));
	for (i = 0; i < 9; i++) {
		ASSERT_EQ(0, pm_enable(self->fd, 0));
		loop(10000);
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		loop(10000);
		EXPECT_EQ(0, poll_now(self->fd));
	}
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	loop(20000);
	expect_one(_metadata, self->fd, 200000);
}

/* Each of several events has its own, all in one call; beside events without. */
TEST_F(deadline, several_events)
{
	struct pmudev_event_attr events[] = { instructions(), instructions(), instructions() };
	struct pmudev_deadline deadlines[] = {
		{ .slot = 2, .value = 70000 },
		{ .slot = 0, .value = 40000 },
	};
	struct pmudev_report report[4];
	union record record;

	self->fd = pm_set(events, 3, false);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadlines(self->fd, deadlines, 2));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	loop(25000);
	ASSERT_EQ(1, pm_reports(self->fd, report, 4));
	EXPECT_EQ(0U, report[0].slot);
	EXPECT_EQ(40000ULL, report[0].value);
	loop(25000);
	ASSERT_EQ(1, pm_reports(self->fd, report, 4));
	EXPECT_EQ(2U, report[0].slot);
	EXPECT_EQ(70000ULL, report[0].value);
	if (exact_instructions())
		EXPECT_EQ(70000ULL, report[0].count);
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(record.r.counts[1].value, record.r.counts[0].value);
	EXPECT_EQ(record.r.counts[1].value, record.r.counts[2].value);
	/* All reports, as many as there is room for. */
	ASSERT_EQ(0, pm_deadlines(self->fd, deadlines, 2));
	ASSERT_EQ(1, pm_reports(self->fd, report, 1));
	EXPECT_EQ(0U, report[0].slot);
	ASSERT_EQ(1, pm_reports(self->fd, report, 1));
	EXPECT_EQ(2U, report[0].slot);
	EXPECT_EQ(0, pm_reports(self->fd, report, 1));
}

/* Only the counter that has overflowed is stopped for a moment: others count the kernel's work. */
TEST_F(deadline, others_count_on)
{
	/* The kernel's work for an interrupt counts, too, and must be far less. */
	const __u64 period = debug_kernel() ? 400000 : 20000;
	struct pmudev_event_attr events[3];
	struct pmudev_report report;
	union record record;
	__u64 stopped;
	int i;

	for (i = 0; i < 3; i++)
		events[i] = raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_HV);
	self->fd = pm_set(events, 3, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadline(self->fd, 1, PMUDEV_DEADLINE_RELATIVE, period, period));
	loop(50 * period);
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	EXPECT_EQ(0U, report.flags & PMUDEV_REPORT_LATE);
	EXPECT_LE(100ULL, report.reached);
	ASSERT_EQ(0, pm_read(self->fd, &record));
	if (emulated() && exact_instructions())
		EXPECT_EQ(record.r.counts[0].value, record.r.counts[2].value);
	ASSERT_GT(record.r.counts[0].value, record.r.counts[1].value);
	stopped = record.r.counts[0].value - record.r.counts[1].value;
	EXPECT_LE(10 * report.reached, stopped);
}

/* Whatever becomes of interrupts: what a REPORT finds it reports, once. */
TEST_F(deadline, late_but_not_lost)
{
	struct pmudev_report report;
	__u64 sum = 0, count;
	int i;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 10000, 0));
	loop(10000);
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	EXPECT_EQ(10000ULL, report.value);
	EXPECT_EQ(1ULL, report.reached);
	loop(100000);
	EXPECT_EQ(0, pm_reports(self->fd, &report, 1));
	ASSERT_EQ(0, pm_reset(self->fd, 0, 0));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 7001, 7001));
	for (i = 0; i < 100; i++) {
		loop(20000);
		ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
		sum += report.reached;
		EXPECT_EQ(sum * 7001, report.value);
		EXPECT_GE(report.count, report.value);
	}
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	if (pm_reports(self->fd, &report, 1))
		sum += report.reached;
	count = pm_value(self->fd, 0);
	EXPECT_EQ(count / 7001, sum);
}

TEST_HARNESS_MAIN
