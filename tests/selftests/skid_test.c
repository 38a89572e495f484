// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts that come late, as those of silicon do: by up to 10,000 instructions, each by another
 * number, and when another thread runs or the counter stands. No deadline is early, lost or told
 * twice, and a program still stops at its exact instruction.
 */
#include "run_command.h"
#include "kselftest_harness.h"

#include <pmudev_samples.h>
#include <sys/wait.h>

/* Of the emulator. */
#define SKID 10000

FIXTURE(skid)
{
	struct pmudev_query query;
	struct pmudev set;
	struct pmudev_samples samples;
	struct pmudev_event_attr event;
};

FIXTURE_SETUP(skid)
{
	ASSERT_EQ(NULL, cannot_run(&self->query));
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	self->set.fd = -1;
	ASSERT_EQ(0, limit_overflows(false));
}

FIXTURE_TEARDOWN(skid)
{
	pmudev_samples_close(&self->samples);
	if (self->set.fd >= 0)
		pmudev_close(&self->set);
	limit_overflows(true);
}

static int count_and_sample(struct _test_data_skid *self, __u64 period)
{
	int error = pmudev_open(&self->set);

	if (!error)
		error = pmudev_start(&self->set, &self->event, 1, NULL);
	if (!error)
		error = pmudev_samples_open(&self->samples, &self->set, 1 << 20);
	if (!error)
		error = pm_deadline(self->set.fd, 0,
				    PMUDEV_DEADLINE_SAMPLE | PMUDEV_DEADLINE_RELATIVE, period,
				    period);
	return error;
}

/* How late it is differs, and it is never early. */
TEST_F(skid, late_and_never_early)
{
	const __u64 period = 2 * SKID + 11;
	const struct pmudev_sample *sample;
	__u64 value = 0, late, most = 0, sum = 0, nr = 0;

	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, count_and_sample(self, period));
	loop(10000000);
	ASSERT_EQ(0, pm_disable(self->set.fd, 0));
	for (; (sample = pmudev_samples_next(&self->samples)); nr++) {
		ASSERT_LE(sample->value, sample->counts[0]);
		if (nr)
			ASSERT_EQ(value + period, sample->value);
		value = sample->value;
		late = sample->counts[0] - sample->value;
		ASSERT_GE(SKID + 0ULL, late);
		most = late > most ? late : most;
		sum += late;
	}
	EXPECT_LE(20000000ULL / period, nr);
	EXPECT_LT(SKID - SKID / 10ULL, most);
	EXPECT_LT(SKID / 3ULL, sum / nr);
	EXPECT_GT(2 * SKID / 3ULL, sum / nr);
	TH_LOG("%llu samples, late by %llu on average, by %llu at most", nr, sum / nr, most);
}

/* Several deadlines until the interrupt comes: each is in the number, and none twice. */
TEST_F(skid, shorter_than_it_is_late)
{
	const __u64 period = 503;
	struct pmudev_report report;
	__u64 first, reached = 0;
	int i;

	self->set.fd = pm_set(&self->event, 1, true);
	ASSERT_GE(self->set.fd, 0);
	ASSERT_EQ(0, pm_deadline(self->set.fd, 0, 0, period, period));
	first = 0;
	for (i = 0; i < 200; i++) {
		loop(1000 + 37 * i);
		if (!pm_reports(self->set.fd, &report, 1))
			continue;
		EXPECT_LT(first, report.value);
		EXPECT_LE(report.value, report.count);
		EXPECT_EQ(0ULL, report.value % period);
		first = report.value;
		reached += report.reached;
	}
	ASSERT_EQ(0, pm_disable(self->set.fd, 0));
	if (pm_reports(self->set.fd, &report, 1) == 1)
		reached += report.reached;
	EXPECT_EQ(pm_value(self->set.fd, 0) / period, reached);
}

#define PLAYERS 3

/* Interrupts come when the next thread runs: it is not theirs. */
TEST_F(skid, across_switches)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	const __u64 period = 1009;
	struct pmudev_query before = self->query, after;
	struct pmudev_report report;
	int fd[PLAYERS], pid[PLAYERS], to[PLAYERS + 1][2], i, round;
	char byte = 0;

	for (i = 0; i <= PLAYERS; i++)
		ASSERT_EQ(0, pipe(to[i]));
	for (i = 0; i < PLAYERS; i++) {
		pid[i] = fork_bound();
		if (!pid[i]) {
			pin_to(1);
			while (read(to[i][0], &byte, 1) == 1) {
				loop(700 + 31 * i);
				if (write(to[i + 1][1], &byte, 1) != 1)
					_exit(1);
			}
			_exit(0);
		}
		fd[i] = pm_attach(pid[i], 0, &event, 1, true);
		ASSERT_GE(fd[i], 0);
		ASSERT_EQ(0, pm_deadline(fd[i], 0, 0, period, period));
	}
	for (round = 0; round < 500; round++) {
		ASSERT_EQ(1, write(to[0][1], &byte, 1));
		ASSERT_EQ(1, read(to[PLAYERS][0], &byte, 1));
	}
	for (i = 0; i < PLAYERS; i++) {
		stop_child(pid[i]);
		ASSERT_EQ(1, pm_reports(fd[i], &report, 1));
		EXPECT_EQ(pm_value(fd[i], 0) / period, report.reached);
		EXPECT_EQ(report.reached * period, report.value);
		EXPECT_LT(500ULL, report.reached);
		close(fd[i]);
	}
	ASSERT_EQ(0, pm_query(&after));
	TH_LOG("%llu interrupts, %llu of them found nothing any more",
	       after.overflows - before.overflows, after.unexpected - before.unexpected);
	EXPECT_LT(before.overflows, after.overflows);
}

/* Reset, disable and enable while an interrupt is on its way: its deadline is told once. */
TEST_F(skid, changed_meanwhile)
{
	struct pmudev_report report;
	__u64 reached = 0;
	int i;

	self->set.fd = pm_set(&self->event, 1, true);
	ASSERT_GE(self->set.fd, 0);
	for (i = 0; i < 300; i++) {
		ASSERT_EQ(0, pm_deadline(self->set.fd, 0, PMUDEV_DEADLINE_RELATIVE, 500, 0));
		loop(500);
		if (i % 3 == 0)
			ASSERT_EQ(0, pm_disable(self->set.fd, 0));
		if (i % 3 == 1)
			ASSERT_EQ(0, pm_deadline(self->set.fd, 0, PMUDEV_DEADLINE_REMOVE, 0, 0));
		if (pm_reports(self->set.fd, &report, 1) == 1)
			reached += report.reached;
		if (i % 3 == 0)
			ASSERT_EQ(0, pm_enable(self->set.fd, 0));
	}
	EXPECT_EQ(300ULL, reached);
}

/* It stops for its reader, late and never early. */
TEST_F(skid, stop)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	struct pmudev_report report;
	int child = fork_bound(), i;

	if (!child)
		for (;;)
			loop(1000);
	self->set.fd = pm_attach(child, 0, &event, 1, true);
	ASSERT_GE(self->set.fd, 0);
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, pm_deadline(self->set.fd, 0,
					 PMUDEV_DEADLINE_STOP | PMUDEV_DEADLINE_RELATIVE,
					 100000 + 77 * i, 0));
		ASSERT_TRUE(wait_stopped(self->set.fd, child, &report));
		EXPECT_LE(report.value, report.count);
		EXPECT_EQ(1ULL, report.reached);
		EXPECT_GE(report.value + SKID + 10, pm_value(self->set.fd, 0));
		ASSERT_EQ(0, pm_continue(self->set.fd));
	}
	stop_child(child);
}

/* However late, single steps begin before the last instruction, and it stops at that. */
TEST_F_TIMEOUT(skid, exact_stop, 120)
{
	/* Each has SKID steps, which take a debug kernel long. */
	int i, nr = debug_kernel() ? 1 : few(10);
	__u64 wanted, pc;

	srand(1);
	for (i = 0; i < nr; i++) {
		wanted = 1 + (__u64)rand() * rand() % 3000000;
		run(&output, "pmudev run --instructions %llu --skid %d -j -- %s --play", wanted,
		    SKID, program);
		EXPECT_EQ(REACHED, output.status) TH_LOG("%s", output.text);
		EXPECT_EQ(wanted, reported("instructions", 0)) TH_LOG("%s", output.text);
		pc = reported("pc", 0);
		run(&output, "pmudev run --instructions %llu --skid %d -j -- %s --play", wanted,
		    SKID, program);
		EXPECT_EQ(pc, reported("pc", 0)) TH_LOG("%s", output.text);
	}
}

/* With too small a --skid it is too late, and says so. */
TEST_F(skid, missed)
{
	int i, missed = 0;

	for (i = 0; i < 10; i++) {
		run(&output, "pmudev run --instructions %d --skid 1000 -j -- %s --play",
		    1000000 + 13 * i, program);
		if (output.status != 125) {
			EXPECT_EQ(REACHED, output.status) TH_LOG("%s", output.text);
			continue;
		}
		missed++;
		EXPECT_EQ(1, times_in(&output, "\"reached\": false")) TH_LOG("%s", output.text);
		EXPECT_LT(1000000ULL + 13 * i, reported("instructions", 0));
	}
	EXPECT_LT(debug_kernel() ? 0 : 5, missed);
}

TEST_F(skid, limit)
{
	int i;

	for (i = 0; i < 5; i++) {
		run(&output, "pmudev run --limit instructions=%d -j -- %s --play", 1000000 + 13 * i,
		    program);
		EXPECT_EQ(REACHED, output.status) TH_LOG("%s", output.text);
		EXPECT_LE(1000000ULL + 13 * i, reported("noticed", 0));
		EXPECT_GE(1000000ULL + 13 * i + SKID, reported("noticed", 0));
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--play"))
		for (;;)
			loop(1000);
	return test_harness_run(argc, argv);
}
