// SPDX-License-Identifier: GPL-2.0
/*
 * Deadlines of the sum of an inherited set: never early; late by less than a step for each thread,
 * and what they count while a worker looks at them.
 */
#include "deadline_family.h"
#include "kselftest_harness.h"

#include <signal.h>
#include <sys/eventfd.h>

#define STEP 10000ULL
/* What may be counted until a worker has looked, here */
#define LOOK 400000ULL

FIXTURE(total)
{
	struct family family;
};

FIXTURE_SETUP(total)
{
	const char *missing = family_start(&self->family);

	ASSERT_TRUE(!missing || *missing);
	if (missing)
		SKIP(return, "%s", missing);
}

FIXTURE_TEARDOWN(total)
{
	family_end(&self->family);
}

static int total(int fd, __u64 value, __u32 flags)
{
	return pm_deadline(fd, 0, PMUDEV_DEADLINE_TOTAL | flags, value, 0);
}

/* The total was reported once: not before, and not much later. */
static void expect_total(struct __test_metadata *_metadata, int fd, __u64 value, int threads)
{
	struct pmudev_report report = {};

	/* A worker looks; the bound below says that it was not late. */
	EXPECT_TRUE(WAIT_FOR(poll_now(fd) == POLLIN));
	ASSERT_EQ(1, pm_reports(fd, &report, 1));
	EXPECT_EQ(value, report.value);
	EXPECT_LE(value, report.count);
	EXPECT_GT(value + threads * STEP + LOOK, report.count);
	EXPECT_LE(report.count, pm_value(fd, 0));
	EXPECT_EQ(1ULL, report.reached);
	EXPECT_EQ(0ULL, report.overruns);
	EXPECT_EQ(0, poll_now(fd));
	EXPECT_EQ(0, family_record_flags(fd) & PMUDEV_RECORD_INCOMPLETE);
}

/* With one thread there is one step. */
TEST_F(total, of_one_is_exact)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_TASK, PMUDEV_BIND_INHERIT);
	struct pmudev_report report;
	__u64 value;

	ASSERT_GE(fd, 0);
	for (value = 1000000; value < 50000000; value = value * 3 + 1) {
		ASSERT_EQ(0, total(fd, value, 0));
		EXPECT_EQ(0, poll_now(fd));
		ASSERT_EQ(0, subject_work(&self->family.s, value / LOOP_INSTRUCTIONS));
		ASSERT_EQ(1, pm_reports(fd, &report, 1));
		EXPECT_EQ(value, report.value);
		if (exact_instructions())
			EXPECT_EQ(value, report.count);
	}
}

/* One after the other, so that most sleep in the midst of a step. */
TEST_F(total, of_threads_in_turn)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0), i;
	__u64 value = 20000000;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	ASSERT_EQ(0, total(fd, value, 0));
	for (i = 0; pm_value(fd, 0) < value; i++) {
		EXPECT_EQ(0, poll_now(fd)) TH_LOG("early: %llu", pm_value(fd, 0));
		ASSERT_EQ(0, subject_work(&self->family.t[i % THREADS], 50000 + 10000 * (i % 7)));
	}
	for (i = 0; !poll_now(fd) && i < 100; i++)
		ASSERT_EQ(0, subject_work(&self->family.t[i % THREADS], STEP / 2));
	EXPECT_LE(i, THREADS + 1);
	expect_total(_metadata, fd, value, THREADS + 1);
}

TEST_F(total, of_threads_at_once)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0), i, round;
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	for (round = 0; round < few(10); round++) {
		ASSERT_EQ(0, total(fd, 10000000, PMUDEV_DEADLINE_RELATIVE));
		for (i = 0; i < THREADS; i++)
			subject_tell(&self->family.t[i], family_loop, 2000000);
		ASSERT_EQ(1, poll(&wait, 1, 10000));
		for (i = 0; i < THREADS; i++)
			turn_wait(&self->family.t[i].turns, 0);
		EXPECT_EQ(POLLIN, poll_now(fd));
		struct pmudev_report report;

		ASSERT_EQ(1, pm_reports(fd, &report, 1));
		EXPECT_LE(report.value, report.count);
		EXPECT_GT(report.value + (THREADS + 1) * STEP + LOOK, report.count);
	}
}

/* What one counted before it went to sleep belongs to it. */
TEST_F(total, with_one_asleep)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0);
	__u64 value = 10000000;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	ASSERT_EQ(0, total(fd, value, 0));
	ASSERT_EQ(0, subject_work(&self->family.t[0], value * 6 / 10 / LOOP_INSTRUCTIONS));
	EXPECT_EQ(0, poll_now(fd));
	ASSERT_EQ(0, subject_work(&self->family.t[1], value * 39 / 100 / LOOP_INSTRUCTIONS));
	EXPECT_EQ(0, poll_now(fd));
	ASSERT_EQ(0, subject_work(&self->family.t[1], value / 10 / LOOP_INSTRUCTIONS));
	expect_total(_metadata, fd, value, THREADS + 1);
}

/* Reached by steps that have not ended: RESET compares. */
TEST_F(total, reached_before_a_reset)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0);
	struct pmudev_report report;
	__u64 value;
	int i;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	value = pm_value(fd, 0) + 15000;
	ASSERT_EQ(0, total(fd, value, 0));
	for (i = 0; i < THREADS && pm_value(fd, 0) < value; i++)
		ASSERT_EQ(0, subject_work(&self->family.t[i], 8000 / LOOP_INSTRUCTIONS));
	EXPECT_LE(value, pm_value(fd, 0));
	ASSERT_EQ(0, pm_reset(fd, 0, 0));
	ASSERT_TRUE(WAIT_FOR(poll_now(fd) == POLLIN));
	ASSERT_EQ(1, pm_reports(fd, &report, 1));
	EXPECT_EQ(1ULL, report.reached);
	EXPECT_EQ(value, report.value);
	EXPECT_LE(value, report.count);
}

/* Children that are gone, some before the deadline was set. */
TEST_F(total, of_children)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_TASK, PMUDEV_BIND_INHERIT), i;
	__u64 value = 5000000;

	ASSERT_GE(fd, 0);
	for (i = 0; i < 5; i++)
		ASSERT_LT(0, family_child(&self->family, 200000 / LOOP_INSTRUCTIONS));
	ASSERT_EQ(0, total(fd, value, 0));
	for (i = 0; pm_value(fd, 0) < value; i++) {
		EXPECT_EQ(0, poll_now(fd));
		ASSERT_LT(0, family_child(&self->family, 300000 / LOOP_INSTRUCTIONS));
	}
	EXPECT_LT(5, i);
	expect_total(_metadata, fd, value, 2);
	/* Again, of as many more. */
	ASSERT_EQ(0, total(fd, 1000000, PMUDEV_DEADLINE_RELATIVE));
	ASSERT_LT(0, family_child(&self->family, 900000 / LOOP_INSTRUCTIONS));
	EXPECT_EQ(0, poll_now(fd));
	ASSERT_LT(0, family_child(&self->family, 200000 / LOOP_INSTRUCTIONS));
	EXPECT_EQ(POLLIN, poll_now(fd));
}

TEST_F(total, reached_before_it_is_set)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_TASK, PMUDEV_BIND_INHERIT);
	struct pmudev_report report;

	ASSERT_GE(fd, 0);
	ASSERT_LT(0, family_child(&self->family, 500000));
	ASSERT_EQ(0, total(fd, 1000000, 0));
	ASSERT_EQ(1, pm_reports(fd, &report, 1));
	EXPECT_EQ(1000000ULL, report.value);
	EXPECT_EQ(pm_value(fd, 0), report.count);
}

TEST_F(total, reset)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0), i;
	__u64 value = 4000000;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	ASSERT_EQ(0, total(fd, value, 0));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, subject_work(&self->family.t[i % THREADS], 1000000));
		EXPECT_EQ(0, poll_now(fd)) TH_LOG("round %d", i);
		ASSERT_EQ(0, pm_reset(fd, 0, 0));
	}
	ASSERT_EQ(0, pm_reset(fd, 0, 3000000));
	ASSERT_EQ(0, subject_work(&self->family.t[0], 400000));
	EXPECT_EQ(0, poll_now(fd));
	ASSERT_EQ(0, subject_work(&self->family.t[1], 100000 + STEP));
	expect_total(_metadata, fd, value, THREADS + 1);
	/* A reset to it, or beyond, reaches it. */
	ASSERT_EQ(0, total(fd, 50000000, 0));
	ASSERT_EQ(0, pm_reset(fd, 0, 50000000));
	EXPECT_EQ(POLLIN, poll_now(fd));
}

TEST_F(total, changed_and_removed)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0);
	struct subject *t = self->family.t;
	struct pmudev_report report;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	ASSERT_EQ(0, total(fd, 2000000, 0));
	ASSERT_EQ(0, subject_work(&t[0], 500000));
	ASSERT_EQ(0, total(fd, 4000000, 0));
	ASSERT_EQ(0, subject_work(&t[1], 900000));
	EXPECT_EQ(0, poll_now(fd));
	/* Each thread's own instead. */
	ASSERT_EQ(0, pm_deadline(fd, 0, 0, 3000000, 0));
	ASSERT_EQ(0, subject_work(&t[0], 500000));
	EXPECT_EQ(0, poll_now(fd));
	ASSERT_EQ(0, subject_work(&t[0], 600000));
	ASSERT_EQ(1, pm_reports(fd, &report, 1));
	EXPECT_EQ(t[0].pid, report.tid);
	ASSERT_EQ(0, total(fd, 1000000, PMUDEV_DEADLINE_RELATIVE));
	ASSERT_EQ(0, pm_deadline(fd, 0, PMUDEV_DEADLINE_REMOVE, 0, 0));
	ASSERT_EQ(0, subject_work(&t[0], 1000000));
	EXPECT_EQ(0, poll_now(fd));
	/* With the event it goes, too. */
	ASSERT_EQ(0, total(fd, 1000000, PMUDEV_DEADLINE_RELATIVE));
	ASSERT_EQ(0, pm_disable(fd, 0));
	ASSERT_EQ(0, pm_remove(fd, 0));
	ASSERT_EQ(0, subject_work(&t[0], 1000000));
	EXPECT_EQ(0, poll_now(fd));
}

/* The first thread has ended, the others go on: its count stays in the sum, until a reset. */
TEST_F(total, first_thread_has_ended)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0), round;
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_TOTAL | PMUDEV_DEADLINE_EVENTFD,
		.value = 4000000,
		.eventfd = eventfd(0, EFD_NONBLOCK),
	};
	struct subject *t = self->family.t;
	__u64 told;

	ASSERT_GE(fd, 0);
	ASSERT_GE(deadline.eventfd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	ASSERT_EQ(0, total(fd, 20000000, 0));
	ASSERT_EQ(0, subject_work(&self->family.s, 2500000));
	subject_tell(&self->family.s, family_leave, 0);
	ASSERT_TRUE(WAIT_FOR(task_state(self->family.s.pid) == 'Z'));
	/* One set before it ended, and one after. */
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, pm_reset(fd, 0, 8000000));
		ASSERT_EQ(0, pm_reset(fd, 0, 0));
		ASSERT_EQ(0, subject_work(&t[0], 9000000));
		EXPECT_EQ(0, poll_now(fd)) TH_LOG("early: %llu", pm_value(fd, 0));
		ASSERT_EQ(0, subject_work(&t[1], 1000000 + 4 * STEP));
		expect_total(_metadata, fd, 20000000, THREADS);
		ASSERT_EQ(0, pm_reset(fd, 0, 5000000));
		ASSERT_EQ(0, total(fd, 20000000, 0));
	}
	/* Reached at once; the eventfd is told, too. */
	ASSERT_EQ(0, pm_deadlines(fd, &deadline, 1));
	EXPECT_EQ(POLLIN, poll_now(fd));
	EXPECT_EQ((ssize_t)sizeof(told), read(deadline.eventfd, &told, sizeof(told)));
	close(deadline.eventfd);
}

/* It is set while threads count and children come and go. */
TEST_F(total, storm)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_TASK, PMUDEV_BIND_INHERIT);
	struct pmudev_report report;
	int rounds = 0, nr = few(1000);

	ASSERT_GE(fd, 0);
	self->family.shared->each = 20000;
	subject_tell(&self->family.s, family_many, nr);
	while (READ_ONCE(self->family.shared->made) < nr) {
		ASSERT_EQ(0, total(fd, 1000000, PMUDEV_DEADLINE_RELATIVE));
		ASSERT_TRUE(WAIT_FOR(poll_now(fd) || READ_ONCE(self->family.shared->made) == nr));
		if (pm_reports(fd, &report, 1) != 1)
			continue;
		rounds++;
		EXPECT_LE(report.value, report.count);
		EXPECT_GT(report.value + 5 * STEP + LOOK, report.count);
	}
	EXPECT_LT(nr / 50, rounds);
}

TEST_F(total, refusals)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_TASK, PMUDEV_BIND_INHERIT);

	ASSERT_GE(fd, 0);
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COMBINATION,
		       pm_deadline(fd, 0, PMUDEV_DEADLINE_TOTAL, 1000, 1000));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COMBINATION, total(fd, 1000, PMUDEV_DEADLINE_STOP));
	EXPECT_EQ(POLLERR, poll_now(fd));
}

TEST_HARNESS_MAIN
