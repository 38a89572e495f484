// SPDX-License-Identifier: GPL-2.0
/* How deadlines are told, which events can have one, and what the module refuses. */
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "deadline_fixture.h"

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

/* The old deadline is told to its eventfd, and nothing to that of the new one. */
TEST_F(deadline, replaced_before_it_is_told)
{
	int event = eventfd(0, EFD_NONBLOCK), next = eventfd(0, EFD_NONBLOCK), other;
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_EVENTFD,
		.value = 100000,
		.eventfd = event,
	};
	__u64 told = 0;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, pm_deadlines(self->fd, &deadline, 1));
	other = overflow_too_often();
	ASSERT_GE(other, 0);
	loop(100000);
	deadline.value = 1000000000;
	deadline.eventfd = next;
	ASSERT_EQ(0, pm_deadlines(self->fd, &deadline, 1));
	EXPECT_EQ((ssize_t)sizeof(told), read(event, &told, sizeof(told)));
	EXPECT_EQ(1ULL, told);
	EXPECT_EQ(-1, read(next, &told, sizeof(told)));
	close(other);
	close(event);
	close(next);
}

/* There is nothing to reach any more, and whoever waits hears of the end. */
TEST_F(deadline, target_ends_behind_it)
{
	struct pmudev_event_attr event = instructions();
	struct pollfd wait = { .events = POLLIN };
	struct pmudev_report report;
	struct turns turns;
	__u64 began;
	int child;

	ASSERT_EQ(0, turns_init(&turns));
	child = fork_bound();
	if (!child) {
		turn_wait(&turns, 1);
		loop(10000);
		turn_give(&turns, 1);
		pause_ns(20000000);
		_exit(0);
	}
	self->fd = pm_open();
	ASSERT_EQ(0, pm_bind(self->fd, PMUDEV_TARGET_TASK, child, 0));
	ASSERT_EQ(0, pm_add(self->fd, &event, 1));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 1000, 0));
	turn_pass(&turns, 0);
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	wait.fd = self->fd;
	began = now_ns();
	EXPECT_EQ(1, poll(&wait, 1, 10000));
	EXPECT_EQ(POLLHUP, wait.revents);
	/* At the end it looks once more, woken or not. */
	EXPECT_GT(5000000000ULL, now_ns() - began);
	EXPECT_EQ(0, child_result(child));
	turns_end(&turns);
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

TEST_HARNESS_MAIN
