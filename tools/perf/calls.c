// SPDX-License-Identifier: MIT
/*
 * The C library's functions that perf's events are used with. A descriptor of one of ours is known
 * by its number; everything else is passed on as it came.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event.h"
#include "real.h"

#define EXPORT __attribute__((visibility("default")))

/* ------------------------------------------------------------- which event it is -- */

/* Descriptors above that are perf's own. What is unused takes no memory. */
#define MOST_FDS 65536

static struct event *_Atomic table[MOST_FDS];

/* Whose table it is: a child of vfork(2) has descriptors of its own, and this memory. */
static pid_t owner;

static struct event *find(int fd)
{
	if (fd < 0 || fd >= MOST_FDS)
		return NULL;
	return atomic_load_explicit(&table[fd], memory_order_acquire);
}

int perf_find_fd(const struct group *group)
{
	int fd;

	for (fd = 0; fd < MOST_FDS; fd++)
		if (find(fd) && find(fd)->group == group)
			return fd;
	return -1;
}

void perf_replace(const struct group *group, int to)
{
	int fd;

	for (fd = 0; fd < MOST_FDS; fd++)
		if (find(fd) && find(fd)->group == group)
			fd_replace(fd, to);
}

static bool is_borrowed(void)
{
	return getpid() != owner;
}

static void remember_owner(void)
{
	owner = getpid();
}

static void __attribute__((constructor)) begin(void)
{
	const char *settings = getenv("PMUDEV_PERF");

	perf_settings.strict = settings && strstr(settings, "strict");
	perf_settings.explain = settings && strstr(settings, "explain");
	remember_owner();
	pthread_atfork(NULL, NULL, remember_owner);
}

/* Closes one of ours. Return: as close(2) */
static int drop(int fd, struct event *event)
{
	if (!is_borrowed() && atomic_compare_exchange_strong(&table[fd], &event, NULL) &&
	    atomic_fetch_sub(&event->refs, 1) == 1)
		perf_close(event, fd);
	return real()->close(fd);
}

/* @to is one more descriptor of the event, or closed what it was. */
static int copied(int to, struct event *event)
{
	struct event *old;

	if (to < 0 || to >= MOST_FDS || is_borrowed())
		return to;
	if (event)
		atomic_fetch_add(&event->refs, 1);
	old = atomic_exchange(&table[to], event);
	/* Its descriptor is another file's by now: of the set only others are left. */
	if (old)
		atomic_fetch_sub(&old->refs, 1);
	return to;
}

static long result(long ret)
{
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/* -------------------------------------------------------------------------- open -- */

/* @attr, of any size: what the caller knows of it. 0 or -errno. */
static int take_attr(struct perf_event_attr *attr, const struct perf_event_attr *from)
{
	uint32_t size = from->size ? from->size : PERF_ATTR_SIZE_VER0;

	if (size < PERF_ATTR_SIZE_VER0 || size > 4096)
		return -E2BIG;
	memset(attr, 0, sizeof(*attr));
	memcpy(attr, from, size < sizeof(*attr) ? size : sizeof(*attr));
	return 0;
}

/* 1: it is for perf. */
static int open_ours(const struct perf_event_attr *from, pid_t pid, int cpu, int leader_fd,
		     unsigned long flags)
{
	struct event *leader = find(leader_fd), *event = NULL;
	struct perf_event_attr attr;
	bool ours;
	int fd;

	/* Of a group of perf's */
	if (!from || (leader_fd >= 0 && !leader) || take_attr(&attr, from))
		return 1;
	fd = perf_open(&attr, pid, cpu, leader, leader_fd, flags, &ours, &event);
	if (!ours)
		return leader ? -EINVAL : 1;
	if (fd < 0)
		return fd;
	if (fd >= MOST_FDS) {
		perf_close(event, fd);
		real()->close(fd);
		return -EMFILE;
	}
	atomic_store_explicit(&table[fd], event, memory_order_release);
	return fd;
}

EXPORT long syscall(long number, ...)
{
	long a[6];
	va_list args;
	int i, fd;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	switch (number) {
	case SYS_perf_event_open:
		fd = open_ours((const struct perf_event_attr *)a[0], a[1], a[2], a[3], a[4]);
		if (fd != 1)
			return result(fd);
		break;
	case SYS_close:
		return close(a[0]);
	case SYS_read:
		return read(a[0], (void *)a[1], a[2]);
	case SYS_ioctl:
		return ioctl(a[0], a[1], a[2]);
	default:
		break;
	}
	return real()->syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* --------------------------------------------------------------------------- use -- */

EXPORT ssize_t read(int fd, void *buf, size_t size)
{
	struct event *event = find(fd);

	return event ? result(perf_read(event, fd, buf, size)) : real()->read(fd, buf, size);
}

/* What read(2) is where the compiler could not check @size; @room: of @buf */
EXPORT ssize_t __read_chk(int fd, void *buf, size_t size, size_t room)
{
	if (size > room)
		abort();
	return read(fd, buf, size);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct event *event = find(fd);
	unsigned long arg;
	va_list args;

	va_start(args, request);
	arg = va_arg(args, unsigned long);
	va_end(args);
	return event ? result(perf_control(event, fd, request, arg)) :
		       real()->ioctl(fd, request, arg);
}

/* A page that tells the program to use read(2): no capability, no index. */
static void *map_page(size_t size, int prot)
{
	return real()->mmap(NULL, size, prot | PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

EXPORT void *mmap64(void *address, size_t size, int prot, int flags, int fd, off64_t offset)
{
	if (!(flags & MAP_ANONYMOUS) && find(fd))
		return map_page(size, prot);
	return real()->mmap(address, size, prot, flags, fd, offset);
}

EXPORT void *mmap(void *address, size_t size, int prot, int flags, int fd, off_t offset)
{
	return mmap64(address, size, prot, flags, fd, offset);
}

static void each_of_thread(bool on)
{
	pid_t me = real()->syscall(SYS_gettid);
	int fd;

	for (fd = 0; fd < MOST_FDS; fd++) {
		struct event *event = find(fd);

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
	struct event *event = find(fd);

	return event ? drop(fd, event) : real()->close(fd);
}

static void drop_range(unsigned int first, unsigned int last)
{
	unsigned int fd;

	for (fd = first; fd <= last && fd < MOST_FDS; fd++) {
		struct event *event = find(fd);

		if (event)
			drop(fd, event);
	}
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
	close_range(first < 0 ? 0 : first, ~0U, 0);
}

EXPORT int dup(int fd)
{
	struct event *event = find(fd);

	return event ? copied(real()->dup(fd), event) : real()->dup(fd);
}

/* What @to was is closed: of ours it must know. */
static int copy_to(int from, int to, int flags)
{
	struct event *event = find(from), *old = find(to);
	int ret;

	if (old && from != to && old != event)
		drop(to, old);
	ret = flags < 0 ? real()->dup2(from, to) : real()->dup3(from, to, flags);
	return (event || old) && from != to ? copied(ret, event) : ret;
}

EXPORT int dup2(int from, int to)
{
	return copy_to(from, to, -1);
}

EXPORT int dup3(int from, int to, int flags)
{
	return copy_to(from, to, flags);
}

static int control_fd(int fd, int command, unsigned long arg)
{
	struct event *event = find(fd);
	int ret = real()->fcntl(fd, command, arg);

	if (event && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
		return copied(ret, event);
	return ret;
}

EXPORT int fcntl64(int fd, int command, ...)
{
	unsigned long arg;
	va_list args;

	va_start(args, command);
	arg = va_arg(args, unsigned long);
	va_end(args);
	return control_fd(fd, command, arg);
}

EXPORT int fcntl(int fd, int command, ...)
{
	unsigned long arg;
	va_list args;

	va_start(args, command);
	arg = va_arg(args, unsigned long);
	va_end(args);
	return control_fd(fd, command, arg);
}
