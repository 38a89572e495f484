// SPDX-License-Identifier: GPL-2.0
/* Deadlines that stop the counted thread: where, for how long, and who ends it. */
#include "deadline.h"
#include "kselftest_harness.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* Instructions between two deadlines */
#define PERIOD 100000

FIXTURE(stop)
{
	int fd;
	pid_t child;
	__u64 *rounds; /* of the child's loop */
};

/* Loops for ever, and says how often. */
static void count_rounds(__u64 *rounds)
{
	for (;;) {
		loop(100);
		__atomic_fetch_add(rounds, 1, __ATOMIC_RELAXED);
	}
}

FIXTURE_SETUP(stop)
{
	struct pmudev_query query;
	const char *missing = no_deadlines(&query);

	self->fd = -1;
	ASSERT_TRUE(!missing || *missing);
	if (missing)
		SKIP(return, "%s", missing);
	ASSERT_EQ(0, limit_overflows(false));
	self->rounds =
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->rounds);
	self->child = fork_bound();
	if (!self->child)
		count_rounds(self->rounds);
}

FIXTURE_TEARDOWN(stop)
{
	if (self->fd >= 0)
		close(self->fd);
	stop_child(self->child);
	limit_overflows(true);
}

static int start(struct _test_data_stop *self)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	int ret;

	self->fd = pm_open();
	ret = pm_bind(self->fd, PMUDEV_TARGET_TASK, self->child, 0);
	if (!ret)
		ret = pm_add(self->fd, &event, 1);
	return ret ? ret : pm_enable(self->fd, PMUDEV_ALL);
}

static int stop_at(struct _test_data_stop *self, __u64 value, __u64 period)
{
	return pm_deadline(self->fd, 0, PMUDEV_DEADLINE_STOP | PMUDEV_DEADLINE_RELATIVE, value,
			   period);
}

static __u64 rounds_of(struct _test_data_stop *self)
{
	return __atomic_load_n(self->rounds, __ATOMIC_RELAXED);
}

/* It stays where it is while others run. */
static void expect_still(struct __test_metadata *_metadata, struct _test_data_stop *self)
{
	__u64 rounds = rounds_of(self), count = pm_value(self->fd, 0);

	loop(3000000);
	EXPECT_EQ(rounds, rounds_of(self));
	EXPECT_EQ(count, pm_value(self->fd, 0));
	EXPECT_TRUE(is_stopped(self->child));
}

static void expect_running(struct __test_metadata *_metadata, struct _test_data_stop *self)
{
	__u64 rounds = rounds_of(self);

	EXPECT_TRUE(WAIT_FOR(rounds_of(self) > rounds + 10));
}

TEST_F(stop, and_continue)
{
	struct pmudev_report report;

	ASSERT_EQ(0, start(self));
	/* Nothing to continue. */
	ASSERT_EQ(0, pm_continue(self->fd));
	ASSERT_EQ(0, stop_at(self, PERIOD, 0));
	ASSERT_TRUE(wait_stopped(self->fd, self->child, &report));
	EXPECT_LE(report.value, report.count);
	if (exact_instructions()) {
		EXPECT_EQ(report.value, report.count);
		/* Not an instruction since. */
		EXPECT_EQ(report.count, pm_value(self->fd, 0));
	}
	expect_still(_metadata, self);
	ASSERT_EQ(0, pm_continue(self->fd));
	expect_running(_metadata, self);
}

TEST_F(stop, again_and_again)
{
	struct pmudev_report report;
	__u64 last = 0;
	int i;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, stop_at(self, PERIOD, PERIOD));
	for (i = 0; i < few(200); i++) {
		ASSERT_TRUE(wait_stopped(self->fd, self->child, &report)) TH_LOG("round %d", i);
		if (exact_instructions()) {
			EXPECT_EQ(report.value, report.count);
			EXPECT_EQ(report.count, pm_value(self->fd, 0));
		}
		if (last)
			EXPECT_EQ(last + PERIOD, report.value);
		EXPECT_EQ(0ULL, report.overruns);
		last = report.value;
		ASSERT_EQ(0, pm_continue(self->fd));
	}
}

TEST_F(stop, killed)
{
	struct pmudev_report report;
	int status;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, stop_at(self, PERIOD, 0));
	ASSERT_TRUE(wait_stopped(self->fd, self->child, &report));
	/* One that does not end it waits. */
	ASSERT_EQ(0, kill(self->child, SIGSTOP));
	expect_still(_metadata, self);
	ASSERT_EQ(0, kill(self->child, SIGKILL));
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = 0;
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_TRUE(poll_now(self->fd) & POLLHUP);
	EXPECT_EQ(0, pm_continue(self->fd));
}

TEST_F(stop, set_is_closed)
{
	struct pmudev_report report;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, stop_at(self, PERIOD, 0));
	ASSERT_TRUE(wait_stopped(self->fd, self->child, &report));
	close(self->fd);
	self->fd = -1;
	expect_running(_metadata, self);
}

/* Continued before it sleeps, or between two stops: it is never left behind. */
TEST_F(stop, continued_at_any_time)
{
	struct pmudev_report report;
	__u64 reached = 0;
	int i;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, stop_at(self, 5000, 5000));
	/* Both may be on one CPU, where the child has few turns. */
	for (i = 0; i < few(20000) || reached <= 10; i++) {
		ASSERT_EQ(0, pm_continue(self->fd));
		if (pm_reports(self->fd, &report, 1) == 1)
			reached += report.reached;
	}
	ASSERT_EQ(0, pm_deadline(self->fd, 0, PMUDEV_DEADLINE_REMOVE, 0, 0));
	ASSERT_EQ(0, pm_continue(self->fd));
	expect_running(_metadata, self);
}

/* A deadline of its own set that comes while it closes that, or a little before or after. */
static void __attribute__((noreturn)) close_own(__u64 value, __u64 *ready)
{
	struct pmudev_event_attr event = raw_event(steady_event(), PMUDEV_EXCLUDE_HV);
	int fd = pm_set(&event, 1, true);

	__atomic_store_n(ready, 1, __ATOMIC_RELAXED);
	if (fd < 0 || pm_deadline(fd, 0, PMUDEV_DEADLINE_STOP | PMUDEV_DEADLINE_RELATIVE, value, 0))
		_exit(1);
	close(fd);
	_exit(0);
}

static unsigned int open_files(pid_t pid)
{
	char path[32];
	DIR *dir;
	unsigned int nr = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

/* Return: it went on to its end; else it has stopped with its file open, as it wished. */
static bool try_close(struct __test_metadata *_metadata, __u64 *ready, __u64 value)
{
	unsigned int before = open_files(getpid());
	bool ended;
	pid_t pid;

	__atomic_store_n(ready, 0, __ATOMIC_RELAXED);
	pid = fork_bound();
	if (!pid)
		close_own(value, ready);
	EXPECT_TRUE(WAIT_FOR(__atomic_load_n(ready, __ATOMIC_RELAXED)));
	EXPECT_TRUE(WAIT_FOR(has_ended(pid) || is_stopped(pid)));
	ended = has_ended(pid);
	/* Nobody is left who could continue it. */
	if (!ended && open_files(pid) < before) {
		ended = WAIT_FOR(has_ended(pid));
		EXPECT_TRUE(ended) TH_LOG("stopped for ever after %llu", value);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return ended;
}

TEST_F(stop, closes_its_own)
{
	__u64 *ready = self->rounds, value = 0;
	int i;

	stop_child(self->child);
	self->child = 0;
	do
		value += 200;
	while (!try_close(_metadata, ready, value) && value < 100000);
	ASSERT_LT(value, 100000ULL);
	/* Around the end of close(), where the file of older kernels waits to be released. */
	for (i = 0; i < few(200); i++)
		try_close(_metadata, ready, value - 400 + 4 * i);
}

TEST_F(stop, refusals)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	struct pmudev_ctl ctl = { .size = sizeof(ctl), .group = 0, .slot = PMUDEV_ALL };
	int fd = pm_cpu_set(0, 0, &event, 1);

	ASSERT_EQ(0, start(self));
	EXPECT_EQ(-1, ioctl(self->fd, PMUDEV_IOC_CONTINUE, &ctl));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_GE(fd, 0);
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COMBINATION,
		       pm_deadline(fd, 0, PMUDEV_DEADLINE_STOP, PERIOD, 0));
	close(fd);
}

TEST_HARNESS_MAIN
