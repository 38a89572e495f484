// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open() as programs use it. This program is none of the tests' own kind: it is linked
 * with shared libraries and knows nothing of pmudev. perf_exec_test runs it twice, with perf and
 * with `pmudev exec`, and both must do the same.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#define N    100000ULL
#define ALL  (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID)
#define MANY 4

static struct perf_event_attr event(uint64_t config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return attr;
}

static int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		      unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

/* Two instructions each time, whatever the compiler thinks */
static __attribute__((noinline)) void loop(uint64_t n)
{
#if defined(__aarch64__)
	__asm__ __volatile__("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#endif
}

static uint64_t value(int fd)
{
	uint64_t value = ~0ULL;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : ~0ULL;
}

/* Is every instruction counted once, and nothing else? */
static bool exact(void)
{
	const char *is = getenv("PMUDEV_EXACT");

	return is && !strcmp(is, "1");
}

/* With PMUDEV_PERF in the environment pmudev serves it, else perf. */
static bool served_by_pmudev(int fd)
{
	char name[40], path[64] = "";

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return readlink(name, path, sizeof(path) - 1) > 0 && !strcmp(path, "/dev/pmudev");
}

FIXTURE(perf_abi)
{
	struct perf_event_attr attr;
	int fd[MANY];
};

FIXTURE_SETUP(perf_abi)
{
	int i;

	self->attr = event(PERF_COUNT_HW_INSTRUCTIONS);
	for (i = 0; i < MANY; i++)
		self->fd[i] = -1;
}

FIXTURE_TEARDOWN(perf_abi)
{
	int i;

	for (i = 0; i < MANY; i++)
		if (self->fd[i] >= 0)
			close(self->fd[i]);
}

static __attribute__((noinline, noclone)) uint64_t window(int fd, uint64_t n)
{
	uint64_t before = value(fd);

	loop(n);
	return value(fd) - before;
}

TEST_F(perf_abi, counts)
{
	uint64_t once, twice;

	self->fd[0] = open_event(&self->attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ASSERT_LE(0, self->fd[0]) TH_LOG("%s", strerror(errno));
	EXPECT_EQ(!!getenv("PMUDEV_PERF"), served_by_pmudev(self->fd[0]));
	EXPECT_EQ(FD_CLOEXEC, fcntl(self->fd[0], F_GETFD));
	loop(N);
	EXPECT_EQ(0ULL, value(self->fd[0]));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	window(self->fd[0], N);
	once = window(self->fd[0], N);
	twice = window(self->fd[0], 2 * N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_LE(2 * N, once);
	if (exact())
		EXPECT_EQ(2 * N, twice - once);
	EXPECT_EQ(0ULL, window(self->fd[0], N));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0ULL, value(self->fd[0]));
}

TEST_F(perf_abi, read_formats)
{
	uint64_t words[6] = { 0 }, id = 0;

	self->attr.read_format = ALL;
	self->attr.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ID, &id));
	loop(N);
	EXPECT_EQ(-1, read(self->fd[0], words, 24));
	EXPECT_EQ(ENOSPC, errno);
	ASSERT_EQ(32, read(self->fd[0], words, sizeof(words)));
	EXPECT_LE(2 * N, words[0]);
	EXPECT_LT(0ULL, words[1]);
	EXPECT_EQ(words[1], words[2]);
	EXPECT_EQ(id, words[3]);
}

/* The leader switches all of them, a member itself only. */
TEST_F(perf_abi, group)
{
	uint64_t words[3 + 2 * MANY], id[MANY];
	int i;

	self->attr.read_format = ALL | PERF_FORMAT_GROUP;
	for (i = 0; i < MANY; i++) {
		self->fd[i] = open_event(&self->attr, 0, -1, i ? self->fd[0] : -1, 0);
		ASSERT_LE(0, self->fd[i]) TH_LOG("%d: %s", i, strerror(errno));
		ASSERT_EQ(0, ioctl(self->fd[i], PERF_EVENT_IOC_ID, &id[i]));
		self->attr.disabled = i == MANY - 2;
	}
	/* The last one is off. */
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(N);
	ASSERT_EQ(0, ioctl(self->fd[1], PERF_EVENT_IOC_DISABLE, 0));
	loop(N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ((ssize_t)sizeof(words), read(self->fd[0], words, sizeof(words)));
	EXPECT_EQ((uint64_t)MANY, words[0]);
	EXPECT_LT(0ULL, words[1]);
	EXPECT_EQ(words[1], words[2]);
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(id[i], words[3 + 2 * i + 1]);
	EXPECT_LE(4 * N, words[3]);
	EXPECT_LE(2 * N, words[5]);
	EXPECT_GT(4 * N, words[5]);
	EXPECT_LE(4 * N, words[7]);
	EXPECT_EQ(0ULL, words[9]);
	/* A member answers for all, too. */
	ASSERT_EQ((ssize_t)sizeof(words), read(self->fd[2], words, sizeof(words)));
	EXPECT_EQ((uint64_t)MANY, words[0]);
	EXPECT_EQ(id[0], words[4]);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	ASSERT_LT(0, read(self->fd[0], words, sizeof(words)));
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(0ULL, words[3 + 2 * i]);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	loop(N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_LT(0, read(self->fd[0], words, sizeof(words)));
	for (i = 0; i < MANY; i++)
		EXPECT_LE(2 * N, words[3 + 2 * i]);
}

/* Without its leader a member counts for itself. */
TEST_F(perf_abi, leader_is_closed)
{
	uint64_t before;

	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	self->attr.disabled = 0;
	self->fd[1] = open_event(&self->attr, 0, -1, self->fd[0], 0);
	ASSERT_LE(0, self->fd[1]);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(N);
	ASSERT_EQ(0, close(self->fd[0]));
	self->fd[0] = -1;
	before = value(self->fd[1]);
	EXPECT_LE(2 * N, before);
	loop(N);
	EXPECT_LE(before + 2 * N, value(self->fd[1]));
	ASSERT_EQ(0, ioctl(self->fd[1], PERF_EVENT_IOC_DISABLE, 0));
	before = value(self->fd[1]);
	loop(N);
	EXPECT_EQ(before, value(self->fd[1]));
}

static pid_t child_loop(uint64_t n)
{
	pid_t pid = fork();

	if (!pid) {
		loop(n);
		_exit(0);
	}
	return pid;
}

TEST_F(perf_abi, inherit)
{
	pid_t pid;

	self->attr.inherit = 1;
	self->attr.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	pid = child_loop(10 * N);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_LE(20 * N, value(self->fd[0]));
	self->attr.inherit = 0;
	self->fd[1] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[1]);
	pid = child_loop(10 * N);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_GT(20 * N, value(self->fd[1]));
}

/* A child that executes this program with @argument when a byte comes, after some work. */
static pid_t fork_to_exec(int go[2], uint64_t work, const char *argument)
{
	pid_t pid;
	char byte;

	if (pipe(go))
		return -1;
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	loop(work);
	if (read(go[0], &byte, 1) == 1)
		execl("/proc/self/exe", "perf_abi", argument, (char *)NULL);
	_exit(1);
}

/* As perf stat does it: a child that waits, and counts from its exec on. */
TEST_F(perf_abi, on_exec)
{
	int go[2], status;
	uint64_t counted;
	pid_t pid = fork_to_exec(go, 100 * N, "--loop");

	ASSERT_LT(0, pid);
	self->attr.enable_on_exec = 1;
	self->attr.inherit = 1;
	self->fd[0] = open_event(&self->attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	counted = value(self->fd[0]);
	EXPECT_LE(2 * N, counted);
	EXPECT_GT(200 * N, counted);
	close(go[0]);
	close(go[1]);
}

TEST_F(perf_abi, copies)
{
	uint64_t before;
	int fd, status;
	pid_t pid;

	self->attr.disabled = 0;
	fd = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, fd);
	self->fd[0] = dup(fd);
	self->fd[1] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
	EXPECT_LE(100, self->fd[1]);
	self->fd[2] = open("/dev/null", O_RDONLY);
	EXPECT_EQ(self->fd[2], dup2(fd, self->fd[2]));
	before = value(fd);
	close(fd);
	loop(N);
	EXPECT_LE(before + 2 * N, value(self->fd[0]));
	EXPECT_LE(value(self->fd[0]), value(self->fd[1]));
	EXPECT_LE(value(self->fd[1]), value(self->fd[2]));
	/* The number is another file's now. */
	EXPECT_EQ(fd, open("/dev/null", O_RDONLY));
	EXPECT_EQ(0, read(fd, &before, sizeof(before)));
	close(fd);
	/* A child has them too; what it counts it does not. */
	before = value(self->fd[0]);
	pid = fork();
	if (!pid) {
		status = value(self->fd[1]) < before || value(self->fd[1]) == ~0ULL;
		for (fd = 0; fd < 3; fd++)
			close(self->fd[fd]);
		_exit(status);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	/* Which has closed its own only. */
	loop(N);
	EXPECT_LE(before + 2 * N, value(self->fd[0]));
	/* One of vfork(2)'s closes its own. */
	pid = vfork();
	if (!pid) {
		close(self->fd[0]);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_NE(~0ULL, value(self->fd[0]));
}

static void *count_thread(void *arg)
{
	struct perf_event_attr attr = event(PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t *counted = arg, n = *counted;
	int fd = open_event(&attr, 0, -1, -1, 0);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return NULL;
	*counted = window(fd, n);
	close(fd);
	return NULL;
}

TEST_F(perf_abi, threads)
{
	uint64_t counted[MANY];
	pthread_t thread[MANY];
	int i, round;

	for (round = 0; round < 10; round++) {
		for (i = 0; i < MANY; i++) {
			counted[i] = (i + 1) * N;
			ASSERT_EQ(0, pthread_create(&thread[i], NULL, count_thread, &counted[i]));
		}
		for (i = 0; i < MANY; i++)
			ASSERT_EQ(0, pthread_join(thread[i], NULL));
		for (i = 0; i < MANY; i++)
			EXPECT_LE(2 * (i + 1) * N, counted[i]);
		if (exact())
			EXPECT_EQ(2 * N, counted[2] - counted[1]);
	}
}

static int handler_fd;
static uint64_t handler_value;

static void on_signal(int signal)
{
	(void)signal;
	__atomic_store_n(&handler_value, value(handler_fd), __ATOMIC_RELAXED);
}

TEST_F(perf_abi, read_in_a_handler)
{
	int i;

	self->attr.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	handler_fd = self->fd[0];
	ASSERT_LE(0, handler_fd);
	signal(SIGUSR1, on_signal);
	for (i = 0; i < 20; i++) {
		raise(SIGUSR1);
		EXPECT_NE(~0ULL, __atomic_load_n(&handler_value, __ATOMIC_RELAXED));
		ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	}
}

TEST_F(perf_abi, of_the_thread)
{
	uint64_t before;

	self->attr.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_DISABLE));
	before = value(self->fd[0]);
	loop(N);
	EXPECT_EQ(before, value(self->fd[0]));
	ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_ENABLE));
	loop(N);
	EXPECT_LE(before + 2 * N, value(self->fd[0]));
}

/* More than there are counters: they take turns, and the times say for how long. */
TEST_F(perf_abi, more_than_counters)
{
	uint64_t words[3], before;
	int fd[40], i;

	self->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	self->attr.disabled = 0;
	for (i = 0; i < 40; i++) {
		fd[i] = open_event(&self->attr, 0, -1, -1, 0);
		ASSERT_LE(0, fd[i]) TH_LOG("%d: %s", i, strerror(errno));
	}
	for (i = 0; i < 60; i++)
		loop(10 * N);
	for (i = 0; i < 40; i++) {
		ASSERT_EQ((ssize_t)sizeof(words), read(fd[i], words, sizeof(words)));
		EXPECT_LT(0ULL, words[1]);
		EXPECT_GE(words[1], words[2]);
	}
	/* Off and on again: it goes on to count. */
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ((ssize_t)sizeof(words), read(fd[0], words, sizeof(words)));
	before = words[0];
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	for (i = 0; i < 60; i++)
		loop(10 * N);
	ASSERT_EQ((ssize_t)sizeof(words), read(fd[0], words, sizeof(words)));
	EXPECT_LT(before, words[0]);
	for (i = 0; i < 40; i++)
		close(fd[i]);
}

/* The same, of a program that is executed and its children: perf stat with many events. */
TEST_F(perf_abi, more_of_children)
{
	int fd[20], go[2], status, i;
	uint64_t words[3];
	pid_t pid = fork_to_exec(go, 1, "--loops");

	ASSERT_LT(0, pid);
	self->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	self->attr.enable_on_exec = 1;
	self->attr.inherit = 1;
	for (i = 0; i < 20; i++) {
		fd[i] = open_event(&self->attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
		ASSERT_LE(0, fd[i]) TH_LOG("%d: %s", i, strerror(errno));
	}
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ((ssize_t)sizeof(words), read(fd[i], words, sizeof(words)));
		EXPECT_LT(0ULL, words[0]);
		EXPECT_LT(0ULL, words[2]);
		EXPECT_GE(words[1], words[2]);
		close(fd[i]);
	}
	close(go[0]);
	close(go[1]);
}

/* What perf refuses at once: groups that can never count, members of members. */
TEST_F(perf_abi, wrong_groups)
{
	int fd[40], i;

	for (i = 0; i < 40; i++) {
		fd[i] = open_event(&self->attr, 0, -1, i ? fd[0] : -1, 0);
		if (fd[i] < 0)
			break;
		self->attr.disabled = 0;
	}
	EXPECT_LT(4, i);
	EXPECT_GT(20, i);
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, open_event(&self->attr, 0, -1, fd[1], 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, open_event(&self->attr, -1, 0, fd[0], 0));
	EXPECT_EQ(EINVAL, errno);
	while (i--)
		close(fd[i]);
}

TEST_F(perf_abi, refusals)
{
	struct perf_event_attr software = {
		.size = sizeof(software),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
	};
	int status;
	pid_t pid;

	/* Software events are perf's. */
	self->fd[0] = open_event(&software, 0, -1, -1, 0);
	EXPECT_LE(0, self->fd[0]);
	EXPECT_FALSE(served_by_pmudev(self->fd[0]));
	EXPECT_EQ(-1, open_event(&self->attr, -1, -1, -1, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, open_event(&self->attr, 999999, -1, -1, 0));
	EXPECT_EQ(ESRCH, errno);
	EXPECT_EQ(-1, open_event(NULL, 0, -1, -1, 0));
	EXPECT_EQ(EFAULT, errno);
	self->attr.config = 99;
	EXPECT_EQ(-1, open_event(&self->attr, 0, -1, -1, 0));
	EXPECT_TRUE(errno == EINVAL || errno == ENOENT);
	self->attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	self->fd[1] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[1]);
	EXPECT_EQ(-1, ioctl(self->fd[1], PERF_EVENT_IOC_REFRESH, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->fd[1], 0x1234, 0));
	EXPECT_EQ(ENOTTY, errno);
	/* Somebody else's */
	pid = fork();
	if (!pid) {
		if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
			_exit(1);
		_exit(open_event(&self->attr, 1, -1, -1, 0) != -1 ||
		      (errno != EACCES && errno != EPERM));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Long enough for all to have a turn */
static int loops(void)
{
	int i, status;
	pid_t pid = fork();

	for (i = 0; i < 60; i++)
		loop(10 * N);
	return pid ? waitpid(pid, &status, 0) != pid : 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--loops"))
		return loops();
	if (argc > 1 && !strcmp(argv[1], "--loop")) {
		loop(N);
		return 0;
	}
	return test_harness_run(argc, argv);
}
