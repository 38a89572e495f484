// SPDX-License-Identifier: GPL-2.0
/*
 * Deadlines, to the unit. The emulator interrupts behind the instruction that overflows, so the
 * count of a report is the deadline, or the deadline was reached in the kernel's sight: never
 * before, once, and with all actions.
 */
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "deadline.h"
#include "kselftest_harness.h"

FIXTURE(deadline)
{
	int fd;
};

FIXTURE_SETUP(deadline)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	self->fd = -1;
	if (!(query.features & PMUDEV_HAS_DEADLINE))
		SKIP(return, "no deadlines on this kernel");
	if (!(__u32)query.available)
		SKIP(return, "no event counters here, only %#llx", query.available);
	if (!overflows_interrupt() && strcmp(_metadata->name, "late_but_not_lost"))
		SKIP(return, NO_INTERRUPTS);
	ASSERT_EQ(0, limit_overflows(false));
}

FIXTURE_TEARDOWN(deadline)
{
	if (self->fd >= 0)
		close(self->fd);
	limit_overflows(true);
}

static struct pmudev_event_attr instructions(void)
{
	return raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
}

static int start(struct _test_data_deadline *self)
{
	struct pmudev_event_attr event = instructions();

	self->fd = pm_set(&event, 1, true);
	return self->fd < 0 ? self->fd : 0;
}

/* A report of one deadline, and no other. Is its count the deadline, where counts are exact? */
static void expect_one(struct __test_metadata *_metadata, int fd, __u64 value)
{
	struct pmudev_report report[2] = { 0 };

	EXPECT_EQ(POLLIN, poll_now(fd));
	ASSERT_EQ(1, pm_reports(fd, report, 2));
	EXPECT_EQ(0U, report[0].slot);
	EXPECT_EQ(0U, report[0].flags);
	EXPECT_EQ(value, report[0].value);
	EXPECT_EQ(1ULL, report[0].reached);
	EXPECT_EQ(0ULL, report[0].overruns);
	EXPECT_GE(report[0].count, value);
	if (exact_instructions())
		EXPECT_EQ(value, report[0].count);
	EXPECT_EQ(0, poll_now(fd));
	EXPECT_EQ(0, pm_reports(fd, report, 2));
}

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

TEST_F(deadline, eventfd)
{
	int event = eventfd(0, EFD_NONBLOCK), other = eventfd(0, EFD_NONBLOCK);
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_EVENTFD | PMUDEV_DEADLINE_PERIODIC,
		.value = 10000,
		.period = 10000,
		.eventfd = event,
	};
	struct pmudev_report report;
	__u64 told;

	ASSERT_GE(event, 0);
	ASSERT_GE(other, 0);
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, pm_deadlines(self->fd, &deadline, 1));
	loop(100000);
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	ASSERT_EQ((ssize_t)sizeof(told), read(event, &told, sizeof(told)));
	EXPECT_EQ(report.reached, told);
	/* Another one, and the first is let go. */
	deadline.flags |= PMUDEV_DEADLINE_RELATIVE;
	deadline.eventfd = other;
	ASSERT_EQ(0, pm_deadlines(self->fd, &deadline, 1));
	loop(20000);
	EXPECT_EQ((ssize_t)sizeof(told), read(other, &told, sizeof(told)));
	EXPECT_EQ(-1, read(event, &told, sizeof(told)));
	close(event);
	/* It is kept as long as the deadline is, whoever closes it. */
	close(other);
	loop(100000);
	EXPECT_EQ(1, pm_reports(self->fd, &report, 1));
}

static int nr_signals;
static siginfo_t last;
static __u64 at_signal;
static int signal_set;

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	at_signal = pm_value(signal_set, 1);
	last = *info;
	WRITE_ONCE(nr_signals, nr_signals + 1);
}

TEST_F(deadline, signal)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct pmudev_event_attr events[] = { instructions(), instructions() };
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_SIGNAL,
		.value = 123456,
		.signal = SIGUSR1,
	};
	int which[] = { SIGUSR1, SIGIO, SIGRTMIN + 3 };
	unsigned int i;

	self->fd = pm_set(events, 2, true);
	ASSERT_GE(self->fd, 0);
	signal_set = self->fd;
	for (i = 0; i < ARRAY_SIZE(which); i++) {
		nr_signals = 0;
		ASSERT_EQ(0, sigaction(which[i], &action, NULL));
		ASSERT_EQ(0, pm_reset(self->fd, PMUDEV_ALL, 0));
		deadline.signal = which[i];
		deadline.id = 1000 + i;
		ASSERT_EQ(0, pm_deadlines(self->fd, &deadline, 1));
		loop(100000);
		EXPECT_EQ(1, READ_ONCE(nr_signals));
		EXPECT_EQ(which[i], last.si_signo);
		EXPECT_EQ(SI_SIGIO, last.si_code);
		EXPECT_EQ(0, last.si_errno);
		EXPECT_EQ(1000 + (int)i, last.si_fd);
		EXPECT_GE(last.si_band, 123456);
		if (exact_instructions())
			EXPECT_EQ(123456, last.si_band);
		/* In the middle of the loop, not at its end. */
		EXPECT_LT(at_signal, 124000ULL);
	}
}

/* A thread that waits for another one's deadline, registered before there was any. */
TEST_F(deadline, epoll_from_before)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET }, got;
	int epoll = epoll_create1(EPOLL_CLOEXEC), pid, i;
	struct pmudev_event_attr attr = instructions();
	struct pmudev_report report;

	pid = fork_bound();
	if (!pid)
		for (;;)
			loop(1000);
	ASSERT_GT(pid, 0);
	ASSERT_GE(epoll, 0);
	self->fd = pm_attach(pid, 0, &attr, 1, true);
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(POLLERR, poll_now(self->fd));
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd, &event));
	EXPECT_EQ(1, epoll_wait(epoll, &got, 1, 0));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_RELATIVE, 1000000, 0));
		EXPECT_EQ(1, epoll_wait(epoll, &got, 1, 10000));
		EXPECT_EQ(EPOLLIN, got.events);
		EXPECT_EQ(1, pm_reports(self->fd, &report, 1));
		if (exact_instructions())
			EXPECT_EQ(report.value, report.count);
	}
	/* The end of the target wakes, too. */
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, PMUDEV_DEADLINE_MAX, 0));
	stop_child(pid);
	EXPECT_EQ(1, epoll_wait(epoll, &got, 1, 10000));
	EXPECT_EQ(EPOLLHUP, got.events);
	EXPECT_EQ(POLLHUP, poll_now(self->fd));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_deadline(self->fd, 0, 0, 1, 0));
	close(epoll);
}

/* The events of a CPU. */
TEST_F(deadline, of_a_cpu)
{
	struct pmudev_event_attr event = instructions();
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_SIGNAL,
		.value = 1000,
		.signal = SIGUSR1,
	};
	struct pmudev_report report;

	ASSERT_EQ(0, pin_to(0));
	self->fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(self->fd, 0);
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COMBINATION, pm_deadlines(self->fd, &deadline, 1));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_RELATIVE, 500000, 0));
	loop(300000);
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	if (exact_instructions())
		EXPECT_EQ(report.value, report.count);
}

/* Cycles have their own counter. Events of kernel mode are late by what the kernel does. */
TEST_F(deadline, other_counters)
{
	struct pmudev_event_attr events[] = {
		raw_event(FIXED_EVENT, USER_ONLY),
		raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_HV),
	};
	struct pmudev_deadline deadlines[] = {
		{ .slot = 0, .flags = PMUDEV_DEADLINE_PERIODIC, .value = 100000, .period = 100000 },
		{ .slot = 1, .flags = PMUDEV_DEADLINE_PERIODIC, .value = 50000, .period = 50000 },
	};
	struct pmudev_report report[2];
	int i;

	self->fd = pm_set(events, 2, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadlines(self->fd, deadlines, 2));
	for (i = 0; i < 20; i++) {
		loop(200000);
		ASSERT_EQ(2, pm_reports(self->fd, report, 2));
		EXPECT_GE(report[0].reached, 2ULL);
		EXPECT_GE(report[1].reached, 8ULL);
		EXPECT_GE(report[0].count, report[0].value);
		EXPECT_GE(report[1].count, report[1].value);
		/* The way from the interrupt to the handler's look. */
		if (emulated() && !debug_kernel()) {
			EXPECT_LT(report[0].count, report[0].value + 64);
			EXPECT_LT(report[1].count, report[1].value + 20000);
		}
	}
}

/* With a deadline an event is read by read(2). */
TEST_F(deadline, no_direct_read_meanwhile)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
	};
	struct pmudev_page *page;
	struct reader reader;
	__u64 value, other;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	self->fd = pm_set(events, 2, true);
	ASSERT_GE(self->fd, 0);
	page = pm_map(self->fd);
	ASSERT_NE(NULL, page);
	reader = reader_of(page);
	ASSERT_EQ(0, direct_read(&reader, 0, &value));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 10000000, 0));
	EXPECT_EQ(-EAGAIN, direct_read(&reader, 0, &value));
	EXPECT_EQ(0, direct_read(&reader, 1, &other));
	loop(1000);
	EXPECT_GE(pm_value(self->fd, 0), other + 2000);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_REMOVE, 0, 0));
	EXPECT_EQ(0, direct_read(&reader, 0, &value));
	EXPECT_EQ(0, direct_read(&reader, 1, &other));
	EXPECT_LT(other - value, 1000ULL);
	pm_unmap(page);
	set_user_access(false);
}

TEST_F(deadline, multiplexed)
{
	struct pmudev_event_attr events[4];
	struct pmudev_deadline deadlines[4];
	struct pmudev_report report[4];
	__u64 reached[4] = { 0 };
	union record record;
	int i, nr;

	for (i = 0; i < 4; i++) {
		events[i] = raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_MULTIPLEX);
		/* All on one counter. */
		events[i].allowed = 1;
		events[i].group = i;
		deadlines[i] = (struct pmudev_deadline){
			.slot = i,
			.flags = PMUDEV_DEADLINE_PERIODIC,
			.value = 100000,
			.period = 100000,
		};
	}
	self->fd = pm_set(events, 4, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadlines(self->fd, deadlines, 4));
	loop(20000000);
	nr = pm_reports(self->fd, report, 4);
	ASSERT_EQ(4, nr);
	ASSERT_EQ(0, pm_read(self->fd, &record));
	for (i = 0; i < 4; i++) {
		reached[i] = report[i].reached;
		EXPECT_GE(report[i].count, report[i].value);
		EXPECT_EQ(report[i].value, reached[i] * 100000);
		EXPECT_LT(record.r.counts[i].value, (reached[i] + 2) * 100000);
		EXPECT_GE(record.r.counts[i].value, report[i].count);
	}
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

TEST_F(deadline, refusals)
{
	struct pmudev_event_attr event = instructions();
	struct pmudev_deadline two[] = { { .value = 1 }, { .value = 2 } };
	struct pmudev_deadline one = { .value = 100000000 };
	struct pmudev_report report;
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_UNBOUND, pm_deadlines(fd, &one, 1));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_UNBOUND, pm_reports(fd, &report, 1));
	EXPECT_EQ(POLLERR, poll_now(fd));
	close(fd);
	ASSERT_EQ(0, start(self));
	fd = self->fd;
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_NUMBER, pm_deadlines(fd, &one, 0));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_NUMBER, pm_deadlines(fd, &one, 65));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_NUMBER, pm_reports(fd, &report, 0));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_DEADLINE, pm_deadlines(fd, two, 2));
	EXPECT_EQ(1, why.event);
#define REFUSED(reason, field, wrong)                                      \
	do {                                                               \
		struct pmudev_deadline bad = one;                          \
		bad.field = wrong;                                         \
		EXPECT_REFUSED(EINVAL, reason, pm_deadlines(fd, &bad, 1)); \
		EXPECT_EQ(0, why.event);                                   \
	} while (0)
	REFUSED(PMUDEV_WHY_SLOT, slot, 1);
	REFUSED(PMUDEV_WHY_SLOT, slot, 64);
	REFUSED(PMUDEV_WHY_SLOT, slot, ~0U);
	REFUSED(PMUDEV_WHY_FLAGS, flags, PMUDEV_DEADLINE_FLAGS + 1);
	REFUSED(PMUDEV_WHY_RESERVED, flags, PMUDEV_DEADLINE_REMOVE);
	REFUSED(PMUDEV_WHY_COMBINATION, flags, PMUDEV_DEADLINE_REMOVE | PMUDEV_DEADLINE_RELATIVE);
	REFUSED(PMUDEV_WHY_DEADLINE, flags, PMUDEV_DEADLINE_PERIODIC);
	REFUSED(PMUDEV_WHY_DEADLINE, flags, PMUDEV_DEADLINE_SIGNAL);
	REFUSED(PMUDEV_WHY_DEADLINE, value, PMUDEV_DEADLINE_MAX + 1);
	REFUSED(PMUDEV_WHY_RESERVED, period, 1);
	REFUSED(PMUDEV_WHY_RESERVED, eventfd, 1);
	REFUSED(PMUDEV_WHY_RESERVED, signal, 1);
	REFUSED(PMUDEV_WHY_RESERVED, id, 1);
	REFUSED(PMUDEV_WHY_RESERVED, reserved, 1);
	one.flags = PMUDEV_DEADLINE_SIGNAL;
	REFUSED(PMUDEV_WHY_DEADLINE, signal, 65);
	one.flags = PMUDEV_DEADLINE_EVENTFD;
	REFUSED(PMUDEV_WHY_EVENTFD, eventfd, -1);
	REFUSED(PMUDEV_WHY_EVENTFD, eventfd, fd);
	one.flags = PMUDEV_DEADLINE_RELATIVE;
	REFUSED(PMUDEV_WHY_DEADLINE, value, PMUDEV_DEADLINE_MAX);
	/* All or none. */
	one = (struct pmudev_deadline){ .slot = 0, .value = 10 };
	two[0] = one;
	two[1] = (struct pmudev_deadline){ .slot = 1, .value = 10 };
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_SLOT, pm_deadlines(fd, two, 2));
	/* Nothing was set by any of them. */
	EXPECT_EQ(POLLERR, poll_now(fd));
	EXPECT_EQ(0, pm_reports(fd, &report, 1));
	close(fd);
	event.flags |= PMUDEV_USER_READ | PMUDEV_DIRECT;
	if (!user_reads())
		return;
	ASSERT_EQ(0, set_user_access(true));
	self->fd = pm_set(&event, 1, false);
	if (self->fd >= 0)
		EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COMBINATION, pm_deadlines(self->fd, &one, 1));
	set_user_access(false);
}

TEST_F(deadline, not_inherited)
{
	struct pmudev_event_attr event = instructions();

	self->fd = pm_attach(0, PMUDEV_BIND_INHERIT, &event, 1, true);
	ASSERT_GE(self->fd, 0);
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_INHERITED, pm_deadline(self->fd, 0, 0, 1000, 0));
}

TEST_HARNESS_MAIN
