// SPDX-License-Identifier: MIT
/*
 * The library of `pmudev exec` in this program, with sanitizers and made-up sets: counts through
 * groups, copies and turns, and descriptors that threads open and close at the same time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../perf/event.h"
#include "../perf/real.h"
#include "fake_sets.h"
#include "tap.h"

static int open_event(unsigned int disabled, int group, unsigned long flags)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = disabled,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return syscall(SYS_perf_event_open, &attr, 0L, -1L, (long)group, flags, 0L);
}

static uint64_t value(int fd)
{
	uint64_t words[3];

	return read(fd, words, sizeof(words)) == sizeof(words) ? words[0] : ~0ULL;
}

static uint64_t running(int fd)
{
	uint64_t words[3];

	return read(fd, words, sizeof(words)) == sizeof(words) ? words[2] : ~0ULL;
}

static void one(void)
{
	int fd = open_event(1, -1, PERF_FLAG_FD_CLOEXEC);

	ok(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC, "an event");
	fake_step(5, 10);
	is_number(value(fd), 0, "it is off");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fake_step(5, 10);
	is_number(value(fd), 5, "it counts");
	is_number(running(fd), 10, "and its time");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	fake_step(5, 10);
	is_number(value(fd), 5, "it is off again");
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	is_number(value(fd), 0, "reset");
	ok(close(fd) == 0 && fake_open_sets() == 0, "closed");
	ok(read(fd, &fd, sizeof(fd)) == -1 && errno == EBADF, "nothing is left of it");
}

static void group(void)
{
	int fd[3], i;

	for (i = 0; i < 3; i++)
		fd[i] = open_event(i != 1, i ? fd[0] : -1, 0);
	fake_step(1, 1);
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	fake_step(10, 1);
	is_number(value(fd[0]), 10, "the leader counts");
	is_number(value(fd[1]), 10, "a member with it");
	is_number(value(fd[2]), 0, "one that is off does not");
	ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
	ioctl(fd[2], PERF_EVENT_IOC_ENABLE, 0);
	fake_step(100, 1);
	is_number(value(fd[0]), 110, "the leader goes on");
	is_number(value(fd[1]), 10, "the member is off");
	is_number(value(fd[2]), 100, "the other on");
	close(fd[0]);
	fake_step(1000, 1);
	is_number(value(fd[2]), 1100, "without the leader it counts for itself");
	close(fd[1]);
	close(fd[2]);
	is_number(fake_open_sets(), 0, "all are closed");
}

/* Two counters, three events: they take turns from the third on. */
static void turns(void)
{
	int fd[3], copy, last;

	fake_counters = 2;
	fd[0] = open_event(0, -1, PERF_FLAG_FD_CLOEXEC);
	copy = dup(fd[0]);
	fake_step(7, 10);
	fd[1] = open_event(0, -1, 0);
	fake_step(7, 10);
	fd[2] = open_event(0, -1, 0);
	ok(fd[2] >= 0, "more than counters");
	fake_step(7, 10);
	is_number(value(fd[0]), 21, "nothing is lost by the move");
	is_number(value(copy), 21, "of a copy neither");
	is_number(value(fd[2]), 7, "the new one counts");
	is_number(running(fd[0]), 25, "running time is a part");
	ok(fcntl(fd[0], F_GETFD) == FD_CLOEXEC && !fcntl(copy, F_GETFD), "flags are as they were");
	is_number(fake_open_sets(), 1, "they share a set");
	/* They hold one counter, and borrow the other. */
	last = open_event(0, -1, 0);
	ok(last >= 0 && fake_open_sets() == 1, "the next one shares it, too");
	close(last);
	last = open_event(0, -1, 0);
	ok(last >= 0 && fake_open_sets() == 1, "and one that comes when that is gone");
	fake_step(7, 10);
	is_number(value(last), 7, "which counts");
	close(last);
	ioctl(fd[0], PERF_EVENT_IOC_RESET, 0);
	fake_step(7, 10);
	is_number(value(copy), 7, "reset, while they share");
	is_number(value(fd[1]), 28, "of one only");
	close(fd[1]);
	fake_step(7, 10);
	is_number(value(fd[2]), 28, "others go on");
	ioctl(fd[2], PERF_EVENT_IOC_DISABLE, 0);
	fake_step(7, 10);
	is_number(value(fd[2]), 28, "off");
	ioctl(fd[2], PERF_EVENT_IOC_ENABLE, 0);
	fake_step(7, 10);
	is_number(value(fd[2]), 35, "and on again");
	close(fd[0]);
	close(fd[2]);
	is_number(value(copy), 28, "the copy is left");
	close(copy);
	is_number(fake_open_sets(), 0, "all are closed");
	fake_counters = 64;
}

static void copies(void)
{
	int fd = open_event(0, -1, 0), other = open_event(1, -1, 0), file;

	fake_step(3, 1);
	ok(dup2(fd, other) == other && value(other) == 3, "dup2() onto another event");
	ok(dup2(fd, fd) == fd && value(fd) == 3, "dup2() onto itself");
	ok(dup2(-1, other) == -1 && value(other) == 3, "dup2() of nothing closes nothing");
	file = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ok(dup2(file, other) == other && read(other, &file, 1) == 0, "dup2() of a file onto it");
	close(other);
	ok(close_range(fd, fd, 0) == 0 && fake_open_sets() == 0, "close_range()");
	close(file);
}

/* Without this library's knowledge: by stdio, or by no library at all. */
static void closed_elsewhere(void)
{
	char path[] = "/tmp/perf_test.XXXXXX", text[40] = "";
	int file = mkstemp(path), fd = open_event(0, -1, 0), again, copy;

	ok(file >= 0 && write(file, "untouched", 9) == 9 && !lseek(file, 0, SEEK_SET), "a file");
	real()->close(fd);
	ok(read(fd, text, 1) == -1 && errno == EBADF, "a number that is nobody's");
	fd = open_event(0, -1, 0);
	real()->dup2(file, fd);
	ok(read(fd, text, sizeof(text)) == 9, "a number that is a file's");
	is(text, "untouched", "of which nothing is lost");
	close(fd);
	fd = open_event(0, -1, 0);
	fake_step(3, 1);
	real()->close(fd);
	again = open_event(0, -1, 0);
	ok(again == fd && value(again) == 0, "a number that is another event's");
	copy = dup(again);
	real()->close(again);
	fake_step(3, 1);
	ok(open_event(0, copy, 0) == again && value(copy) == 3, "or a member's");
	close(again);
	again = open_event(0, -1, 0);
	real()->dup2(again, copy);
	ok(value(copy) == ~0ULL, "another set is not taken for it");
	close(copy);
	close(again);
	fd = open_event(0, -1, 0);
	ok(!fclose(fdopen(fd, "r")) && read(fd, text, 1) == -1, "closed by stdio");
	is_number(fake_open_sets(), 0, "no set is left");
	close(file);
	unlink(path);
}

/* Opens, reads, switches and closes, as fast as it can, beside others. */
static void *busy(void *arg)
{
	unsigned int i, *wrong = arg;
	int fd, member, third;

	for (i = 0; i < 300; i++) {
		fd = open_event(0, -1, 0);
		member = open_event(0, fd, 0);
		/* There is no counter for it: all of them take turns. */
		third = open_event(0, -1, 0);
		if (fd < 0 || member < 0 || third < 0 || value(third) == ~0ULL ||
		    value(fd) == ~0ULL || value(member) == ~0ULL ||
		    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			++*wrong;
		if (i & 1)
			close(fd);
		if (value(member) == ~0ULL)
			++*wrong;
		close(member);
		if (!(i & 1))
			close(fd);
		close(third);
	}
	return NULL;
}

static void threads(void)
{
	unsigned int wrong[4] = { 0 }, i;
	pthread_t thread[4];

	fake_counters = 2;
	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, busy, &wrong[i]);
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		is_number(wrong[i], 0, "a thread's events");
	}
	is_number(fake_open_sets(), 0, "no descriptor is left");
	fake_counters = 64;
}

static void children(void)
{
	int fd = open_event(0, -1, 0), status;
	pid_t pid;

	fake_step(2, 1);
	pid = fork();
	if (!pid) {
		status = value(fd) != 2 || close(fd) || open_event(0, -1, 0) < 0;
		_exit(status);
	}
	waitpid(pid, &status, 0);
	is_number(status, 0, "a child has its parent's events, and its own");
	is_number(value(fd), 2, "which its close() leaves alone");
	pid = vfork();
	if (!pid) {
		close(fd);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	is_number(value(fd), 2, "a child of vfork(2) closes its own descriptor");
	close(fd);
}

/* Groups that never fit, and pinned ones that do not. */
static void too_many(void)
{
	int fd[3], i;

	fake_counters = 2;
	fd[0] = open_event(1, -1, 0);
	fd[1] = open_event(0, fd[0], 0);
	ok(open_event(0, fd[0], 0) == -1 && errno == EINVAL, "a group that is too large");
	ok(open_event(0, fd[1], 0) == -1 && errno == EINVAL, "a member leads no group");
	for (i = 0; i < 2; i++)
		close(fd[i]);
	is_number(fake_open_sets(), 0, "all are closed");
	fake_counters = 64;
}

/* A leader that counts nothing is in no set, and switches those that do. */
static void dummies(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0L, -1L, -1L, 0L, 0L), member[3], i;

	fake_counters = 2;
	ok(fd >= 0 && fake_open_sets() == 1, "an event that counts nothing");
	ok(!ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) && !ioctl(fd, PERF_EVENT_IOC_RESET, 0), "is on");
	ok(!ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), "is off");
	is_number(value(fd), 0, "and read");
	for (i = 0; i < 2; i++)
		member[i] = open_event(0, fd, 0);
	ok(member[1] >= 0, "it takes no counter from its members");
	ok(open_event(0, fd, 0) == -1 && errno == EINVAL, "of which there can be as many as ever");
	fake_step(4, 8);
	is_number(value(member[0]), 0, "they are off");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fake_step(4, 8);
	is_number(value(member[0]), 4, "they count with it");
	is_number(value(fd), 0, "it does not");
	is_number(running(fd), 8, "its time is theirs");
	/* Another one needs a counter: all of them take turns. */
	member[2] = open_event(0, -1, 0);
	fake_step(4, 8);
	is_number(value(member[1]), 8, "they go on, in turns");
	is_number(value(fd), 0, "and it does not count");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fake_step(4, 8);
	is_number(value(member[1]), 12, "off and on in turns");
	close(fd);
	for (i = 0; i < 3; i++)
		close(member[i]);
	is_number(fake_open_sets(), 0, "all are closed");
	fake_counters = 64;
}

static void pages(void)
{
	int fd = open_event(0, -1, 0);
	struct perf_event_mmap_page *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	ok(page != MAP_FAILED && !page->index && !page->cap_user_rdpmc, "a page without an index");
	munmap(page, 4096);
	close(fd);
}

/* What is told at the end, of each process for itself. */
static void told(void)
{
	char text[200] = "";
	int ends[2], fd, status;
	pid_t pid;

	ok(pipe(ends) == 0, "a pipe");
	fd = open_event(1, -1, 0);
	/* It must not write what is in the buffer again. */
	fflush(stdout);
	pid = fork();
	if (!pid) {
		perf_settings.explain = true;
		dup2(ends[1], STDERR_FILENO);
		open_event(1, open_event(1, -1, 0), 0);
		exit(0);
	}
	waitpid(pid, &status, 0);
	close(fd);
	close(ends[1]);
	ok(read(ends[0], text, sizeof(text) - 1) > 0, "it tells");
	is(text, "pmudev exec: 2 events counted by pmudev, 0 by perf\n", "its own events");
	close(ends[0]);
}

/* The same at the end of a file, after what was in it. */
static void told_in_file(void)
{
	char path[] = "/tmp/perf_test.XXXXXX", text[200] = "";
	int file = mkstemp(path), status;
	pid_t pid;

	ok(file >= 0 && write(file, "before\n", 7) == 7, "a file");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		perf_settings.explain = true;
		perf_settings.file = path;
		open_event(1, -1, 0);
		closefrom(0);
		exit(0);
	}
	waitpid(pid, &status, 0);
	ok(pread(file, text, sizeof(text) - 1, 0) > 0, "it can be read");
	is(text, "before\npmudev exec: 1 events counted by pmudev, 0 by perf\n", "it is told");
	close(file);
	unlink(path);
}

int main(void)
{
	one();
	group();
	turns();
	copies();
	closed_elsewhere();
	threads();
	children();
	too_many();
	dummies();
	pages();
	told();
	told_in_file();
	return tap_end();
}
