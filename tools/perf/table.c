// SPDX-License-Identifier: MIT
/* Descriptors of events. */
#define _GNU_SOURCE
#include <unistd.h>

#include "group.h"
#include "real.h"
#include "table.h"

struct event *_Atomic perf_table[MOST_FDS];
/* Behind the highest that was ever used */
static atomic_int end;

int perf_find_fd(const struct group *group)
{
	int fd;

	for (fd = 0; fd < atomic_load(&end); fd++)
		if (table_find(fd) && table_find(fd)->group == group)
			return fd;
	return -1;
}

void perf_replace(const struct group *group, int to)
{
	int fd;

	for (fd = 0; fd < atomic_load(&end); fd++)
		if (table_find(fd) && table_find(fd)->group == group)
			fd_replace(fd, to);
}

bool perf_is_known(const struct event *event)
{
	int fd;

	for (fd = 0; fd < atomic_load(&end); fd++)
		if (table_find(fd) == event)
			return true;
	return false;
}

void perf_release(const struct group *group, const int *fds)
{
	unsigned int i;
	int fd;

	for (fd = 0; fd < atomic_load(&end); fd++) {
		const struct event *event = table_find(fd);

		if (!event || event->group != group)
			continue;
		for (i = 0; group->events[i] != event; i++)
			;
		fd_give_to_perf(fd, fds[i], event->overflow.async);
		atomic_store(&perf_table[fd], NULL);
	}
}

/* A child of vfork(2) has descriptors of its own, and this memory. */
static bool is_borrowed(void)
{
	return getpid() != perf_process;
}

void table_put(int fd, struct event *event)
{
	int last = atomic_load(&end);

	atomic_store_explicit(&perf_table[fd], event, memory_order_release);
	while (last <= fd && !atomic_compare_exchange_weak(&end, &last, fd + 1))
		;
}

/*
 * @fd is the event's no more. The group is locked. Return: the event is gone with its last
 * descriptor, and event_free() follows.
 */
static bool take(int fd, struct event *event)
{
	struct event *known = event;

	if (!atomic_compare_exchange_strong(&perf_table[fd], &known, NULL) ||
	    atomic_fetch_sub(&event->refs, 1) > 1)
		return false;
	perf_close(event, perf_find_fd(event->group));
	return true;
}

int table_drop(int fd, struct event *event, int from, int flags)
{
	struct group *group = event->group;
	struct held held;
	bool gone, last;
	int ret;

	if (is_borrowed())
		return from < 0 ? real()->close(fd) : real()->dup3(from, fd, flags);
	group_lock(group, &held);
	ret = from < 0 ? real()->close(fd) : real()->dup3(from, fd, flags);
	/* After an error of close(2) it is closed all the same. */
	gone = (from < 0 || ret >= 0) && take(fd, event);
	last = gone && !group->nr;
	group_unlock(group, &held);
	if (gone)
		event_free(event);
	if (last)
		group_free(group);
	return ret;
}

int table_copy(int fd, struct event *event, int (*make)(int fd, int a, int b), int a, int b)
{
	struct group *group;
	struct held held;
	int ret;

	if (is_borrowed())
		return make(fd, a, b);
	group = event_lock(event, fd, &held);
	/* It is the C library's by now. */
	if (!group)
		return make(fd, a, b);
	ret = make(fd, a, b);
	if (ret >= 0 && ret < MOST_FDS && table_find(ret) != event) {
		atomic_fetch_add(&event->refs, 1);
		table_put(ret, event);
	}
	group_unlock(group, &held);
	return ret;
}

int table_end(void)
{
	return atomic_load(&end);
}
