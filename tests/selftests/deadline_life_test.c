// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of deadlines when threads end, execute, migrate and wait, when CPUs go and come, and
 * when sets are closed in the middle of it. Whatever happens, the sum of what was reported is what
 * the count says.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "deadline.h"
#include "disturb.h"
#include "subject.h"
#include "kselftest_harness.h"

#define PERIOD 3001

FIXTURE(life)
{
	struct pmudev_event_attr event;
	struct pmudev_report report;
	__u64 sum;
	int fd;
};

FIXTURE_SETUP(life)
{
	struct pmudev_query query;

	ASSERT_EQ(0, pm_query(&query));
	self->fd = -1;
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	if (!(query.features & PMUDEV_HAS_DEADLINE))
		SKIP(return, "no deadlines on this kernel");
	if (!(__u32)query.available)
		SKIP(return, "no event counters here, only %#llx", query.available);
	ASSERT_EQ(0, limit_overflows(false));
}

FIXTURE_TEARDOWN(life)
{
	struct pmudev_query query;

	if (self->fd >= 0)
		close(self->fd);
	limit_overflows(true);
	/* Nothing of ours stays. */
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
}

/* Add what was reported since. 0, or -errno; -ERANGE: it was early, or is not what was asked. */
static int take(struct _test_data_life *self, __u64 period)
{
	int ret = pm_reports(self->fd, &self->report, 1);

	/* Another event's comes if this one has none. */
	if (ret <= 0 || self->report.slot)
		return ret < 0 ? ret : 0;
	self->sum += self->report.reached;
	if (self->report.value != self->sum * period || self->report.count < self->report.value)
		return -ERANGE;
	return 0;
}

/* All that was reported is what the count, which stands, says. */
#define EXPECT_ALL_REPORTED(period)                                     \
	do {                                                            \
		EXPECT_EQ(0, take(self, period));                       \
		EXPECT_EQ(pm_value(self->fd, 0) / (period), self->sum); \
	} while (0)

TEST_F(life, thread_ends)
{
	struct subject s;

	ASSERT_EQ(0, subject_fork(&s));
	self->fd = pm_attach(s.pid, 0, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, PERIOD, PERIOD));
	ASSERT_EQ(0, subject_work(&s, 1000000));
	EXPECT_EQ(0, take(self, PERIOD));
	EXPECT_GE(self->sum, 600ULL);
	subject_tell(&s, (long (*)(long))(void *)_exit, 0);
	ASSERT_EQ(s.pid, waitpid(s.pid, NULL, 0));
	EXPECT_TRUE(WAIT_FOR(poll_now(self->fd) & POLLHUP));
	EXPECT_ALL_REPORTED(PERIOD);
}

/* It is killed in the middle of a loop, and what it had reached is not lost. */
TEST_F(life, thread_is_killed)
{
	int i, pid;

	for (i = 0; i < 10; i++) {
		pid = fork_bound();
		if (!pid)
			for (;;)
				loop(100000);
		ASSERT_GT(pid, 0);
		self->fd = pm_attach(pid, 0, &self->event, 1, true);
		ASSERT_GE(self->fd, 0);
		ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, PERIOD, PERIOD));
		pause_ns(3000000);
		stop_child(pid);
		self->sum = 0;
		EXPECT_ALL_REPORTED(PERIOD);
		EXPECT_GE(self->sum, 1ULL);
		close(self->fd);
	}
	self->fd = -1;
}

/* The deadline itself kills it, or stops it: the kernel's part is to send the signal. */
TEST_F(life, signal_kills_the_thread)
{
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_SIGNAL | PMUDEV_DEADLINE_RELATIVE,
		.value = 1000000,
		.signal = SIGKILL,
	};
	int pid;

	if (!overflows_interrupt())
		SKIP(return, NO_INTERRUPTS);
	pid = fork_bound();
	if (!pid)
		for (;;)
			loop(100000);
	self->fd = pm_attach(pid, 0, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadlines(self->fd, &deadline, 1));
	EXPECT_EQ(1000 + SIGKILL, child_result(pid));
	EXPECT_EQ(1, pm_reports(self->fd, &self->report, 1));
	/* It executes nothing more. */
	if (interrupts_on_time())
		EXPECT_EQ(self->report.value, pm_value(self->fd, 0));
}

/* A program is executed: the thread is the same, and so is its deadline. */
TEST_F(life, exec)
{
	int pid, go[2];
	char byte;

	ASSERT_EQ(0, pipe(go));
	pid = fork_bound();
	if (!pid) {
		if (read(go[0], &byte, 1) == 1)
			execl("/bin/busybox", "sh", "-c",
			      "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done", (char *)NULL);
		_exit(1);
	}
	self->fd = pm_attach(pid, 0, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, PERIOD, PERIOD));
	ASSERT_EQ(1, write(go[1], "", 1));
	EXPECT_EQ(0, child_result(pid));
	EXPECT_ALL_REPORTED(PERIOD);
	EXPECT_GE(self->sum, 10ULL);
	close(go[0]);
	close(go[1]);
}

static int migrate_once(void *arg, unsigned int i)
{
	int ret = pin_task_to(*(int *)arg, i % cpus_online());

	/* It is one of those that are offline. */
	return ret == -EINVAL ? -EAGAIN : ret;
}

static int toggle_once(void *arg, unsigned int i)
{
	return i & 1 ? pm_enable(*(int *)arg, 0) : pm_disable(*(int *)arg, 0);
}

/* Another deadline of the same period, from the same count on: nothing changes. */
static int set_once(void *arg, unsigned int i)
{
	(void)i;
	return pm_deadline(*(int *)arg, 1, PMUDEV_DEADLINE_RELATIVE, 1000, 0);
}

TEST_F(life, disturbed)
{
	struct pmudev_event_attr events[2] = { self->event, self->event };
	/* KCSAN waits in each of them. */
	const __u64 pause = kcsan_kernel() ? 20000000 : 100000;
	const __u64 ms = kcsan_kernel() ? 5000 : debug_kernel() ? 20000 : few(2000);
	static int pid;
	struct disturbance disturbances[] = {
		DISTURB("migrates", migrate_once, &pid, 2 * pause),
		DISTURB("is disabled and enabled", toggle_once, &self->fd, 3 * pause),
		DISTURB("user access", access_once, NULL, 5 * pause),
		DISTURB("deadlines of another event", set_once, &self->fd, pause),
		DISTURB("CPUs go and come", hotplug_once, (void *)(long)cpus_online(), 30 * pause),
	};
	unsigned int i, nr = ARRAY_SIZE(disturbances) - (cpus_online() == 1);
	struct disturbance *d = mmap(NULL, sizeof(disturbances), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	__u64 begin;

	ASSERT_NE(MAP_FAILED, (void *)d);
	pid = fork_bound();
	if (!pid)
		for (;;)
			loop(100000);
	self->fd = pm_attach(pid, 0, events, 2, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, PERIOD, PERIOD));
	memcpy(d, disturbances, sizeof(disturbances));
	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, disturb_start(&d[i])) TH_LOG("%s", d[i].name);
	begin = now_ns();
	while (now_ns() < begin + ms * 1000000 || !disturbed(d, nr, DISTURBED_LEAST)) {
		ASSERT_EQ(0, take(self, PERIOD));
		pause_ns(1000000);
	}
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(0, disturb_end(&d[i])) TH_LOG("%s", d[i].name);
		EXPECT_GE(d[i].times, DISTURBED_LEAST) TH_LOG("%s", d[i].name);
	}
	stop_child(pid);
	EXPECT_ALL_REPORTED(PERIOD);
	EXPECT_GE(self->sum, 1000ULL);
	TH_LOG("%llu deadlines", self->sum);
	munmap(d, sizeof(disturbances));
}

/* Sets are closed while their deadlines are reached, notifications under way. */
TEST_F(life, closed)
{
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_EVENTFD | PMUDEV_DEADLINE_PERIODIC,
		.value = 200,
		.period = 200,
	};
	int i, pid, event;

	pid = fork_bound();
	if (!pid)
		for (;;)
			loop(1000);
	for (i = 0; i < few(100); i++) {
		event = eventfd(0, EFD_NONBLOCK);
		deadline.eventfd = event;
		self->fd = pm_attach(pid, 0, &self->event, 1, true);
		ASSERT_GE(self->fd, 0);
		ASSERT_EQ(0, pm_deadlines(self->fd, &deadline, 1));
		close(event);
		pause_ns(i * 1000);
		if (i & 1)
			ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_REMOVE, 0, 0));
		if (i & 2) {
			ASSERT_EQ(0, pm_disable(self->fd, 0));
			ASSERT_EQ(0, pm_remove(self->fd, 0));
			EXPECT_EQ(0, pm_reports(self->fd, &self->report, 1));
			/* The slot's next event has none. */
			ASSERT_EQ(0, pm_add(self->fd, &self->event, 1));
			ASSERT_EQ(0, pm_enable(self->fd, 0));
			pause_ns(50000);
			EXPECT_EQ(0, pm_reports(self->fd, &self->report, 1));
		}
		close(self->fd);
	}
	self->fd = -1;
	stop_child(pid);
}

/* The counted thread may be sent a signal by the user who may kill(2) it, and nobody else. */
TEST_F(life, right_to_signal)
{
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_SIGNAL,
		.value = 1000,
		.signal = SIGKILL,
	};
	int pid, child, sockets[2];

	pid = fork_bound();
	if (!pid)
		for (;;)
			pause();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		SKIP(return, "the kernel has no unix sockets");
	self->fd = pm_attach(pid, 0, &self->event, 1, false);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, send_fd(sockets[0], self->fd));
	child = fork_bound();
	if (!child) {
		int fd = receive_fd(sockets[1]);

		if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
			_exit(1);
		if (pm_deadlines(fd, &deadline, 1) != -EPERM || why.code != PMUDEV_WHY_CAP_SIGNAL)
			_exit(2);
		deadline.flags = 0;
		deadline.signal = 0;
		_exit(pm_deadlines(fd, &deadline, 1) ? 3 : 0);
	}
	EXPECT_EQ(0, child_result(child));
	deadline.flags = PMUDEV_DEADLINE_SIGNAL;
	deadline.signal = SIGKILL;
	EXPECT_EQ(0, pm_deadlines(self->fd, &deadline, 1));
	stop_child(pid);
	close(sockets[0]);
	close(sockets[1]);
}

/* Memory of a set's slots beyond the first chunk, all with deadlines. */
TEST_F(life, many_events)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	struct pmudev_deadline deadlines[PMUDEV_MAX_EVENTS];
	struct pmudev_report reports[PMUDEV_MAX_EVENTS];
	unsigned int i;

	for (i = 0; i < PMUDEV_MAX_EVENTS; i++) {
		events[i] = in_group(self->event, i);
		deadlines[i] = (struct pmudev_deadline){ .slot = i, .value = 10000 };
	}
	self->fd = pm_set(events, PMUDEV_MAX_EVENTS, false);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_deadlines(self->fd, deadlines, PMUDEV_MAX_EVENTS));
	ASSERT_EQ(0, pm_enable(self->fd, 63));
	ASSERT_EQ(0, pm_enable(self->fd, 7));
	loop(10000);
	ASSERT_EQ(2, pm_reports(self->fd, reports, PMUDEV_MAX_EVENTS));
	EXPECT_EQ(7U, reports[0].slot);
	EXPECT_EQ(63U, reports[1].slot);
}

TEST_HARNESS_MAIN
