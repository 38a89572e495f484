// SPDX-License-Identifier: MIT
/*
 * The library of `pmudev exec` in this program, with made-up sets: fork(2), around which handlers
 * of other libraries use events, and what a child can do with its parent's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../perf/table.h"
#include "fake_sets.h"
#include "tap.h"

static int open_like(struct perf_event_attr attr)
{
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	return syscall(SYS_perf_event_open, &attr, (long)getpid(), -1L, -1L, 0L, 0L);
}

static int open_event(uint64_t period)
{
	return open_like((struct perf_event_attr){ .sample_period = period });
}

static uint64_t value(int fd)
{
	uint64_t value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : ~0ULL;
}

/* What the handlers use; -1: they do nothing. */
static int used = -1, made = -1;

static void before(void)
{
	if (used < 0)
		return;
	ioctl(used, PERF_EVENT_IOC_RESET, 0);
	made = open_event(0);
}

static void in_parent(void)
{
	if (used >= 0)
		ioctl(used, PERF_EVENT_IOC_DISABLE, 0);
}

static void in_child(void)
{
	if (used >= 0)
		close(used);
}

/* Before the library's own: they are called between its handlers. */
static void __attribute__((constructor(101))) begin(void)
{
	pthread_atfork(before, in_parent, in_child);
}

/* Its exit status; 99: it did not end. */
static int status_of(pid_t pid)
{
	int status, i;

	for (i = 0; i < 1000; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
		usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return 99;
}

static int child(void)
{
	const int gone = used;

	used = -1;
	if (value(gone) != ~0ULL)
		return 1;
	if (value(made) != 0)
		return 2;
	if (value(open_event(0)) != 0)
		return 3;
	return 0;
}

static int parent(void)
{
	const int fd = open_event(0);
	int status;
	pid_t pid;

	fake_step(3, 1);
	used = fd;
	pid = fork();
	if (!pid)
		_exit(child());
	used = -1;
	status = status_of(pid);
	if (status)
		return 10 + status;
	fake_step(4, 1);
	/* It was reset, and is off. */
	if (value(fd) != 0)
		return 4;
	if (value(made) != 4)
		return 5;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fake_step(4, 1);
	return value(fd) != 4 || close(fd) || close(made) || fake_open_sets() ? 6 : 0;
}

/* In a process of its own, which would wait for ever. */
static void fork_beside_others(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(parent());
	is_number(status_of(pid), 0, "handlers of fork(2) use events");
}

/* Its deadline, which signals the parent, is not the child's to set. */
static int refreshes(int fd)
{
	struct event *event = table_find(fd);
	const unsigned int round = event->round;
	uint64_t period = 2000;

	if (!ioctl(fd, PERF_EVENT_IOC_REFRESH, 1) || errno != EINVAL)
		return 1;
	if (!ioctl(fd, PERF_EVENT_IOC_PERIOD, &period) || errno != EPERM)
		return 2;
	if (event->round != round)
		return 3;
	return 0;
}

static void children_refresh(void)
{
	int fd = open_event(1000);
	pid_t pid;

	ok(!ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), "so many overflows, and it is off");
	pid = fork();
	if (!pid)
		_exit(refreshes(fd));
	is_number(status_of(pid), 0, "a child does not change its parent's deadline");
	ok(!ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), "which does");
	close(fd);
}

static int switches(int inherited, int alone)
{
	const unsigned long request[] = { PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_RESET,
					  PERF_EVENT_IOC_ENABLE };
	unsigned int i;

	for (i = 0; i < sizeof(request) / sizeof(*request); i++)
		if (!ioctl(inherited, request[i], 0) || errno != EPERM)
			return 1 + i;
	if (value(inherited) != 5)
		return 4;
	return ioctl(alone, PERF_EVENT_IOC_DISABLE, 0) ? 5 : 0;
}

/* What another slot would have afterwards, which the parent would not know. */
static void children_switch(void)
{
	int inherited = open_like((struct perf_event_attr){ .inherit = 1 }), alone = open_event(0);
	pid_t pid;

	fake_step(5, 1);
	pid = fork();
	if (!pid)
		_exit(switches(inherited, alone));
	is_number(status_of(pid), 0,
		  "a child does not switch what its parent's events share a set for");
	fake_step(5, 1);
	is_number(value(inherited), 10, "which counts on");
	ok(!ioctl(inherited, PERF_EVENT_IOC_DISABLE, 0), "and the parent switches");
	fake_step(5, 1);
	is_number(value(inherited), 10, "  off");
	close(inherited);
	close(alone);
}

/* A number that seems closed, and is a copy of the same event by the time that it is forgotten */
static void closed_and_copied(void)
{
	int fd = open_event(0), copy = dup(fd);
	struct event *event = table_find(fd);

	table_forget(copy, event);
	ok(table_find(copy) == event, "a copy that is there is not forgotten");
	fake_step(2, 1);
	is_number(value(copy), 2, "and read");
	close(copy);
	ok(!table_find(copy), "closed");
	close(fd);
	is_number(fake_open_sets(), 0, "no set is left");
}

int main(void)
{
	fork_beside_others();
	children_refresh();
	children_switch();
	closed_and_copied();
	return tap_end();
}
