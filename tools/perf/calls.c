// SPDX-License-Identifier: MIT
/*
 * The C library's functions that perf's events are used with. A descriptor of one of ours is known
 * by its number; everything else is passed on as it came.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "calls.h"
#include "given.h"
#include "memory.h"
#include "real.h"
#include "set.h"
#include "table.h"

static void __attribute__((constructor)) begin(void)
{
	const char *settings = getenv("PMUDEV_PERF"), *file = getenv("PMUDEV_EXPLAIN");

	perf_settings.strict = settings && strstr(settings, "strict");
	perf_settings.explain = settings && strstr(settings, "explain");
	/* Programs change their environment. */
	perf_settings.file = file ? strdup(file) : NULL;
}

void perf_tell(const char *line, size_t length)
{
	int fd = STDERR_FILENO;
	ssize_t done;

	/* The program may have closed any descriptor: it is opened each time. */
	if (perf_settings.file)
		fd = open(perf_settings.file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	/* In one piece, and not by stdio, which the program may use at this moment. */
	done = write(fd, line, length);
	(void)done;
	if (perf_settings.file && fd >= 0)
		real()->close(fd);
}

void perf_explain_why(const char *what, const char *why)
{
	char line[200];

	if (perf_settings.explain)
		perf_tell(line, snprintf(line, sizeof(line), "pmudev exec: %s: %s\n", what, why));
}

static void __attribute__((destructor)) end(void)
{
	const unsigned int ours = atomic_load(&perf_opened.pmudev);
	const unsigned int perfs = atomic_load(&perf_opened.perf);
	char line[100];
	int length;

	if (!perf_settings.explain || !(ours || perfs))
		return;
	length = snprintf(line, sizeof(line),
			  "pmudev exec: %u events counted by pmudev, %u by perf\n", ours, perfs);
	perf_tell(line, length);
}

/* -------------------------------------------------------------------------- open -- */

EXPORT long syscall(long number, ...)
{
	long a[6], ret;
	va_list args;
	int i, fd;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	switch (number) {
	case SYS_perf_event_open:
		if (perf_open((const struct perf_event_attr *)a[0], a[1], a[2], a[3], a[4], &fd))
			return call_result(fd);
		break;
	case SYS_close:
		return close(a[0]);
	case SYS_read:
		return read(a[0], (void *)a[1], a[2]);
	case SYS_readv:
		return readv(a[0], (const struct iovec *)a[1], a[2]);
#if __SIZEOF_LONG__ == 8
	/* Elsewhere the place takes two arguments, on arm after an empty one. */
	case SYS_pread64:
		return pread64(a[0], (void *)a[1], a[2], a[3]);
#endif
	case SYS_ioctl:
		return ioctl(a[0], a[1], a[2]);
	case SYS_dup:
		return dup(a[0]);
	case SYS_dup3:
		return dup3(a[0], a[1], a[2]);
#ifdef SYS_dup2
	case SYS_dup2:
		return dup2(a[0], a[1]);
#endif
	case SYS_fcntl:
		return fcntl(a[0], a[1], a[2]);
	case SYS_close_range:
		return close_range(a[0], a[1], a[2]);
#ifdef SYS_mmap2
	/* Its offset is in units of 4096 bytes; SYS_mmap is of another kind there, or of none. */
	case SYS_mmap2:
		return (long)mmap64((void *)a[0], a[1], a[2], a[3], a[4],
				    (off64_t)(unsigned long)a[5] << 12);
#else
	case SYS_mmap:
		return (long)mmap64((void *)a[0], a[1], a[2], a[3], a[4], a[5]);
#endif
	case SYS_munmap:
		return munmap((void *)a[0], a[1]);
	case SYS_mremap:
		return (long)mremap((void *)a[0], a[1], a[2], a[3], (void *)a[4]);
	case SYS_prctl:
		return prctl(a[0], a[1], a[2], a[3], a[4]);
	default:
		break;
	}
	ret = real()->syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	/* Not what a child of vfork(2) opens, which has its parent's table. */
	if (number == SYS_perf_event_open && ret >= 0 && !perf_is_borrowed()) {
		atomic_fetch_add(&perf_opened.perf, 1);
		if (!(a[4] & PERF_FLAG_FD_NO_GROUP))
			given_follow(a[3], ret, (const struct perf_event_attr *)a[0]);
	}
	return ret;
}

/* --------------------------------------------------------------------------- use -- */

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct event *event = table_find(fd);
	unsigned long arg;
	uint64_t given;
	va_list args;
	int ret;

	va_start(args, request);
	arg = va_arg(args, unsigned long);
	va_end(args);
	if (!event)
		return real()->ioctl(fd, request, arg);
	given = atomic_load(&event->given);
	ret = perf_control(event, fd, request, arg);
	if (ret != -ESTALE)
		return call_result(ret);
	/* One that became perf's meanwhile may have an identifier that perf does not know. */
	return call_is_known(fd, event) && given == atomic_load(&event->given) ?
		       real()->ioctl(fd, request, arg) :
		       ioctl(fd, request, arg);
}

static void each_of_thread(bool on)
{
	pid_t me = real()->syscall(SYS_gettid);
	int fd;

	for (fd = 0; fd < table_end(); fd++) {
		struct event *event = table_find(fd);

		if (event && event->owner == me)
			perf_enable(event, fd, on);
	}
}

EXPORT int prctl(int option, ...)
{
	unsigned long a[4];
	va_list args;
	int i;

	va_start(args, option);
	for (i = 0; i < 4; i++)
		a[i] = va_arg(args, unsigned long);
	va_end(args);
	if (option == PR_TASK_PERF_EVENTS_ENABLE || option == PR_TASK_PERF_EVENTS_DISABLE)
		each_of_thread(option == PR_TASK_PERF_EVENTS_ENABLE);
	return real()->prctl(option, a[0], a[1], a[2], a[3]);
}

/* ------------------------------------------------------------- close and copies -- */

EXPORT int close(int fd)
{
	struct event *event = table_find(fd);

	return event ? table_drop(fd, event, -1, 0) : real()->close(fd);
}

/* It closes the descriptor where close() above does not see it. */
EXPORT int fclose(FILE *file)
{
	const int error = errno, fd = fileno(file);
	struct event *event = table_find(fd);

	errno = error;
	if (event)
		table_drop(fd, event, TABLE_FORGET, 0);
	return real()->fclose(file);
}

static void drop_range(unsigned int first, unsigned int last)
{
	unsigned int fd;

	for (fd = first; fd <= last && fd < (unsigned int)table_end(); fd++)
		if (table_find(fd))
			close(fd);
}

EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	/* With flags they are closed by an exec, or others are. */
	if (!flags)
		drop_range(first, last);
	return real()->close_range ? real()->close_range(first, last, flags) :
				     (int)real()->syscall(SYS_close_range, first, last, flags);
}

EXPORT void closefrom(int first)
{
	const unsigned int least = first < 0 ? 0 : first;

	if (!real()->closefrom) {
		close_range(least, ~0U, 0);
		return;
	}
	drop_range(least, ~0U);
	real()->closefrom(first);
}

static int make_dup(int fd, int unused, int also_unused)
{
	(void)unused;
	(void)also_unused;
	return real()->dup(fd);
}

static int make_fcntl(int fd, int command, int least)
{
	return real()->fcntl(fd, command, (long)least);
}

static int make_dup3(int fd, int to, int flags)
{
	return flags < 0 ? real()->dup2(fd, to) : real()->dup3(fd, to, flags);
}

EXPORT int dup(int fd)
{
	struct event *event = table_find(fd);

	return event ? table_copy(fd, event, make_dup, 0, 0) : real()->dup(fd);
}

/* What @to was is closed. @flags: negative: dup2(2) */
static int copy_to(int from, int to, int flags)
{
	struct event *event = table_find(from), *old = table_find(to);
	int ret;

	if (from < 0 || from == to || event == old)
		return make_dup3(from, to, flags);
	/* Of the table: before what is there is closed. */
	if (event && to >= MOST_FDS && !atomic_load(&event->given)) {
		errno = EBADF;
		return -1;
	}
	if (old) {
		ret = table_drop(to, old, from, flags < 0 ? 0 : flags);
		if (ret < 0)
			return ret;
	}
	return event ? table_copy(from, event, make_dup3, to, flags) :
	       old   ? ret :
		       make_dup3(from, to, flags);
}

EXPORT int dup2(int from, int to)
{
	return copy_to(from, to, -1);
}

EXPORT int dup3(int from, int to, int flags)
{
	return flags < 0 ? real()->dup3(from, to, flags) : copy_to(from, to, flags);
}

static bool is_about_signals(int command)
{
	return command == F_SETSIG || command == F_SETOWN || command == F_SETOWN_EX ||
	       command == F_SETFL;
}

/* The C library's own has said @ret of the set's file. -ESTALE: as event_lock() */
static int call_fcntl(struct event *event, int fd, int command, unsigned long arg, int ret)
{
	if (is_about_signals(command))
		return perf_set_owner(event, fd, command, arg);
	if (command == F_GETFL || command == F_GETSIG)
		return perf_get_owner(event, fd, command, ret);
	return ret;
}

EXPORT int fcntl64(int fd, int command, ...)
{
	struct event *event = table_find(fd);
	unsigned long arg;
	va_list args;
	int own, ret;
	bool given;

	va_start(args, command);
	arg = va_arg(args, unsigned long);
	va_end(args);
	if (event && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
		return table_copy(fd, event, make_fcntl, command, arg);
	given = event && atomic_load(&event->given);
	if (given)
		given_wait(event->group);
	own = real()->fcntl(fd, command, arg);
	if (!event || own < 0 || given)
		return own;
	ret = call_fcntl(event, fd, command, arg, own);
	if (ret != -ESTALE)
		return call_result(ret);
	if (!call_is_known(fd, event))
		return fcntl64(fd, command, arg);
	/* What was told to the set's file perf's must be told, too. */
	return atomic_load(&event->given) ? real()->fcntl(fd, command, arg) : own;
}

EXPORT int fcntl(int fd, int command, ...) __attribute__((alias("fcntl64")));
