/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_event_open() as programs use it. The programs here are none of the tests' own kind: they are
 * linked with shared libraries and know nothing of pmudev. perf_exec_test runs each twice, with
 * perf and with `pmudev exec`, and both must do the same.
 */
#ifndef PERF_ABI_H
#define PERF_ABI_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
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

static inline struct perf_event_attr event(uint64_t config)
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

static inline struct perf_event_attr software(uint64_t config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.disabled = 1,
		.read_format = ALL | PERF_FORMAT_GROUP,
	};

	return attr;
}

static inline int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group,
			     unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

/* Two instructions each time, whatever the compiler thinks */
static __attribute__((noinline, unused)) void loop(uint64_t n)
{
#if defined(__aarch64__)
	__asm__ __volatile__("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#endif
}

static inline uint64_t value(int fd)
{
	uint64_t value = ~0ULL;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : ~0ULL;
}

/* Is every instruction counted once, and nothing else? */
static inline bool exact(void)
{
	const char *is = getenv("PMUDEV_EXACT");

	return is && !strcmp(is, "1");
}

/* With PMUDEV_PERF in the environment pmudev serves it, else perf. */
static inline bool served_by_pmudev(int fd)
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

static __attribute__((noinline, noclone, unused)) uint64_t window(int fd, uint64_t n)
{
	uint64_t before = value(fd);

	loop(n);
	return value(fd) - before;
}

/* A child that executes this program with @argument when a byte comes, after some work. */
static inline pid_t fork_to_exec(int go[2], uint64_t work, const char *argument)
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

#endif /* PERF_ABI_H */
