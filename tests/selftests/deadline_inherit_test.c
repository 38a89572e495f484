// SPDX-License-Identifier: GPL-2.0
/* Deadlines of inherited sets: each thread has its own. deadline_total_test.c: the sum has one. */
#include "deadline_family.h"
#include "kselftest_harness.h"

#include <signal.h>
#include <sys/eventfd.h>

#define VALUE 1000000ULL

FIXTURE(each)
{
	struct family family;
};

FIXTURE_SETUP(each)
{
	const char *missing = family_start(&self->family);

	ASSERT_TRUE(!missing || *missing);
	if (missing)
		SKIP(return, "%s", missing);
}

FIXTURE_TEARDOWN(each)
{
	family_end(&self->family);
}

/* One thread reached its deadline, once, and no other did. */
static void expect_report(struct __test_metadata *_metadata, int fd, pid_t tid, __u64 value)
{
	struct pmudev_report report = {};

	EXPECT_EQ(POLLIN, poll_now(fd));
	ASSERT_EQ(1, pm_reports(fd, &report, 1));
	EXPECT_EQ(tid, report.tid);
	EXPECT_EQ(value, report.value);
	EXPECT_EQ(1ULL, report.reached);
	EXPECT_EQ(0ULL, report.overruns);
	if (exact_instructions())
		EXPECT_EQ(value, report.count);
	EXPECT_EQ(0, poll_now(fd));
}

TEST_F(each, new_process)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_TASK, PMUDEV_BIND_INHERIT);
	pid_t pid;
	int i;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_deadline(fd, 0, 0, VALUE, 0));
	for (i = 0; i < 10; i++) {
		/* Too little, and enough. */
		ASSERT_LT(0, family_child(&self->family, VALUE / 4));
		EXPECT_EQ(0, poll_now(fd));
		pid = family_child(&self->family, VALUE);
		ASSERT_LT(0, pid);
		expect_report(_metadata, fd, pid, VALUE);
	}
	EXPECT_EQ(0, family_record_flags(fd) & PMUDEV_RECORD_INCOMPLETE);
}

TEST_F(each, child_of_a_child)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_TASK, PMUDEV_BIND_INHERIT);
	pid_t pid;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_deadline(fd, 0, 0, VALUE, 0));
	pid = subject_do(&self->family.s, family_grandchild, VALUE);
	ASSERT_LT(0, pid);
	expect_report(_metadata, fd, pid, VALUE);
}

TEST_F(each, periodic)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_TASK, PMUDEV_BIND_INHERIT);
	struct pmudev_report report;
	__u64 period = 100003, k;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_deadline(fd, 0, 0, VALUE, period));
	for (k = 1; k < 20; k += 3) {
		ASSERT_LT(0, family_child(&self->family,
					  (VALUE + k * period - period / 2) / LOOP_INSTRUCTIONS));
		ASSERT_EQ(1, pm_reports(fd, &report, 1));
		EXPECT_EQ(k, report.reached);
		EXPECT_EQ(VALUE + (k - 1) * period, report.value);
		if (exact_instructions())
			EXPECT_EQ(report.value, report.count);
	}
}

/* Those that are there when the deadline is set; set by one call, and again, and removed. */
TEST_F(each, threads_that_run)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0), i;
	struct subject *t = self->family.t;
	struct pmudev_report report;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, subject_work(&t[i], 1000 * i + 1000));
	ASSERT_EQ(0, pm_deadline(fd, 0, PMUDEV_DEADLINE_RELATIVE, VALUE, 0));
	ASSERT_EQ(0, pm_deadline(fd, 0, PMUDEV_DEADLINE_RELATIVE, 2 * VALUE, 0));
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, subject_work(&t[i], VALUE - 1000));
		EXPECT_EQ(0, poll_now(fd)) TH_LOG("thread %d", i);
		ASSERT_EQ(0, subject_work(&t[i], 1000));
		EXPECT_EQ(POLLIN, poll_now(fd));
		ASSERT_EQ(1, pm_reports(fd, &report, 1));
		EXPECT_EQ(t[i].pid, report.tid);
		EXPECT_EQ(1ULL, report.reached);
		if (exact_instructions())
			EXPECT_EQ(report.value, report.count);
	}
	ASSERT_EQ(0, pm_deadline(fd, 0, PMUDEV_DEADLINE_RELATIVE, VALUE, 0));
	ASSERT_EQ(0, pm_deadline(fd, 0, PMUDEV_DEADLINE_REMOVE, 0, 0));
	ASSERT_EQ(0, subject_work(&t[0], VALUE));
	EXPECT_EQ(0, poll_now(fd));
}

/* An event that threads hear of with the deadline, before it is enabled. */
TEST_F(each, event_added_later)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0);
	struct pmudev_event_attr more[5];
	struct pmudev_report report;
	int i, last;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	for (i = 0; i < 5; i++) {
		more[i] = raw_event(steady_event(), USER_ONLY);
		more[i].group = i + 1;
		ASSERT_EQ(0, pm_add(fd, &more[i], 1));
	}
	/* Threads have room for four slots at first. */
	last = 5;
	ASSERT_EQ(0, pm_deadline(fd, last, 0, VALUE, 0));
	ASSERT_EQ(0, subject_work(&self->family.t[1], VALUE));
	EXPECT_EQ(0, poll_now(fd));
	ASSERT_EQ(0, pm_enable(fd, last));
	ASSERT_EQ(0, subject_work(&self->family.t[1], VALUE));
	EXPECT_EQ(POLLIN, poll_now(fd));
	ASSERT_EQ(1, pm_reports(fd, &report, 1));
	EXPECT_EQ(last, (int)report.slot);
	EXPECT_EQ(self->family.t[1].pid, report.tid);
	if (exact_instructions())
		EXPECT_EQ(VALUE, report.count);
}

TEST_F(each, eventfd_of_all)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_TASK, PMUDEV_BIND_INHERIT);
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_EVENTFD,
		.value = VALUE,
		.eventfd = eventfd(0, EFD_NONBLOCK),
	};
	__u64 told = 0;
	int i;

	ASSERT_GE(fd, 0);
	ASSERT_GE(deadline.eventfd, 0);
	ASSERT_EQ(0, pm_deadlines(fd, &deadline, 1));
	for (i = 0; i < 3; i++)
		ASSERT_LT(0, family_child(&self->family, VALUE));
	ASSERT_EQ((ssize_t)sizeof(told), read(deadline.eventfd, &told, sizeof(told)));
	EXPECT_EQ(3ULL, told);
	/* Closed, it is told as long as the set has the deadline. */
	close(deadline.eventfd);
	ASSERT_LT(0, family_child(&self->family, VALUE));
	ASSERT_EQ(0, pm_deadline(fd, 0, PMUDEV_DEADLINE_REMOVE, 0, 0));
	ASSERT_LT(0, family_child(&self->family, VALUE));
}

TEST_F(each, signal_to_the_thread)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0), i;
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_SIGNAL | PMUDEV_DEADLINE_RELATIVE,
		.value = VALUE,
		.signal = SIGUSR1,
		.id = 42,
	};

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	ASSERT_EQ(0, subject_do(&self->family.s, family_catch, SIGUSR1));
	ASSERT_EQ(0, pm_deadlines(fd, &deadline, 1));
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, subject_work(&self->family.t[i], VALUE));
		EXPECT_EQ(self->family.t[i].pid, family_caught(&self->family));
	}
}

/* Each thread works until its deadline stops it. Return: the set, or less than 0. */
static int stop_threads(struct __test_metadata *_metadata, struct _test_data_each *self)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0), i;
	struct subject *t = self->family.t;

	if (fd < 0 || family_threads(&self->family) ||
	    pm_deadline(fd, 0, PMUDEV_DEADLINE_STOP, VALUE, 0))
		return -1;
	for (i = 0; i < THREADS; i++)
		subject_tell(&t[i], family_loop, VALUE);
	for (i = 0; i < THREADS; i++)
		EXPECT_TRUE(WAIT_FOR(is_stopped(t[i].pid)));
	return fd;
}

/* They have done their work, and wait for more. */
static void expect_asleep(struct __test_metadata *_metadata, struct _test_data_each *self)
{
	int i;

	for (i = 0; i < THREADS; i++)
		EXPECT_TRUE(WAIT_FOR(task_state(self->family.t[i].pid) == 'S'));
}

TEST_F(each, stopped_and_continued)
{
	int fd = stop_threads(_metadata, self);

	ASSERT_GE(fd, 0);
	if (exact_instructions())
		EXPECT_EQ(THREADS * VALUE, pm_value(fd, 0) - family_alone(&self->family));
	ASSERT_EQ(0, pm_continue(fd));
	expect_asleep(_metadata, self);
}

TEST_F(each, close_continues_them)
{
	ASSERT_GE(stop_threads(_metadata, self), 0);
	family_close(&self->family);
	expect_asleep(_metadata, self);
}

TEST_F(each, hang_up_with_the_last)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_TASK, PMUDEV_BIND_INHERIT);
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	pid_t pid;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_deadline(fd, 0, 0, 100 * VALUE, 0));
	pid = subject_do(&self->family.s, family_orphan, 0);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, family_end_subject(&self->family));
	EXPECT_EQ(0, poll_now(fd));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(1, poll(&wait, 1, 10000));
	EXPECT_EQ(POLLHUP, wait.revents);
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_deadline(fd, 0, 0, VALUE, 0));
}

/* What has ended reaches nothing, and nobody is told by a deadline that was removed since. */
TEST_F(each, first_thread_has_ended)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0);
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_EVENTFD,
		.value = 1000000000000,
		.eventfd = eventfd(0, EFD_NONBLOCK),
	};
	struct pmudev_report report;

	ASSERT_GE(fd, 0);
	ASSERT_GE(deadline.eventfd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	ASSERT_EQ(0, pm_deadlines(fd, &deadline, 1));
	subject_tell(&self->family.s, family_leave, 0);
	ASSERT_TRUE(WAIT_FOR(task_state(self->family.s.pid) == 'Z'));
	ASSERT_EQ(0, pm_deadline(fd, 0, PMUDEV_DEADLINE_REMOVE, 0, 0));
	close(deadline.eventfd);
	ASSERT_EQ(0, pm_reset(fd, 0, deadline.value));
	EXPECT_EQ(0, poll_now(fd));
	/* The others have theirs. */
	ASSERT_EQ(0, pm_deadline(fd, 0, PMUDEV_DEADLINE_RELATIVE, VALUE, 0));
	ASSERT_EQ(0, subject_work(&self->family.t[2], VALUE));
	ASSERT_EQ(1, pm_reports(fd, &report, 1));
	EXPECT_EQ(self->family.t[2].pid, report.tid);
}

/* Those that go on are signalled and stopped. */
TEST_F(each, told_after_the_first)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_PROCESS, 0);
	struct subject *t = self->family.t;
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_SIGNAL | PMUDEV_DEADLINE_RELATIVE,
		.value = VALUE,
		.signal = SIGUSR1,
	};

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, family_threads(&self->family));
	ASSERT_EQ(0, subject_do(&self->family.s, family_catch, SIGUSR1));
	subject_tell(&self->family.s, family_leave, 0);
	ASSERT_TRUE(WAIT_FOR(task_state(self->family.s.pid) == 'Z'));
	ASSERT_EQ(0, pm_deadlines(fd, &deadline, 1));
	ASSERT_EQ(0, subject_work(&t[1], VALUE));
	EXPECT_EQ(t[1].pid, family_caught(&self->family));
	ASSERT_EQ(0, pm_deadline(fd, 0, PMUDEV_DEADLINE_STOP | PMUDEV_DEADLINE_RELATIVE, VALUE, 0));
	subject_tell(&t[3], family_loop, VALUE);
	EXPECT_TRUE(WAIT_FOR(is_stopped(t[3].pid)));
	ASSERT_EQ(0, pm_continue(fd));
	EXPECT_TRUE(WAIT_FOR(task_state(t[3].pid) == 'S'));
}

static void *keep_continuing(void *arg)
{
	const int *fd = arg;

	while (READ_ONCE(*fd) >= 0)
		pm_continue(READ_ONCE(*fd));
	return NULL;
}

/* CONTINUE at any time, while the set is bound for example. */
TEST_F(each, continued_while_it_is_bound)
{
	int fd = pm_open(), last, i;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, keep_continuing, &fd));
	for (i = 0; i < few(200); i++) {
		ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_PROCESS, 0, PMUDEV_BIND_INHERIT));
		last = fd;
		__atomic_store_n(&fd, pm_open(), __ATOMIC_RELAXED);
		close(last);
	}
	last = fd;
	__atomic_store_n(&fd, -1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	close(last);
}

/* Many threads and processes come and go; each reaches its own, and all are counted. */
TEST_F(each, storm)
{
	int fd = family_set(&self->family, PMUDEV_TARGET_TASK, PMUDEV_BIND_INHERIT);
	const __u64 period = 20000, each = 10 * period + period / 2;
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	struct pmudev_report report;
	__u64 reached = 0;
	int nr = few(400);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_deadline(fd, 0, 0, period, period));
	self->family.shared->each = each / LOOP_INSTRUCTIONS;
	subject_tell(&self->family.s, family_many, nr);
	while (READ_ONCE(self->family.shared->made) < nr) {
		/* The last ones may be reported before they are collected. */
		poll(&wait, 1, 10);
		if (pm_reports(fd, &report, 1) == 1)
			reached += report.reached;
	}
	turn_wait(&self->family.s.turns, 0);
	while (pm_reports(fd, &report, 1) == 1)
		reached += report.reached;
	/* The parent has its own, too. */
	reached -= family_alone(&self->family) / period;
	EXPECT_EQ(10ULL * nr, reached);
	EXPECT_EQ(0, family_record_flags(fd) & PMUDEV_RECORD_INCOMPLETE);
}

TEST_HARNESS_MAIN
