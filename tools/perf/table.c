// SPDX-License-Identifier: MIT
/* Descriptors of events. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "calls.h"
#include "group.h"
#include "real.h"
#include "set.h"
#include "table.h"

struct event *_Atomic perf_table[MOST_FDS];
/* Behind the highest that was ever used */
static atomic_int end;

/* Others, of other groups, come and go meanwhile: one look. */
static bool is_of_group(int fd, const struct group *group)
{
	const struct event *event = table_find(fd);

	return event && event->group == group;
}

int perf_find_fd(const struct group *group)
{
	int fd;

	for (fd = 0; fd < atomic_load(&end); fd++)
		if (is_of_group(fd, group))
			return fd;
	return -1;
}

void perf_replace(const struct group *group, int to)
{
	int fd;

	for (fd = 0; fd < atomic_load(&end); fd++)
		if (is_of_group(fd, group))
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

/* The number that its signals carry: the one that F_SETFL was called with, if it is there. */
static int fd_of_signals(const struct event *event)
{
	int fd = event->overflow.fd;

	if (table_find(fd) == event && fd_is_set(fd))
		return fd;
	for (fd = 0; fd < atomic_load(&end); fd++)
		if (table_find(fd) == event && fd_is_set(fd))
			break;
	return fd;
}

void perf_release(const struct group *group, const int *fds, bool known)
{
	int signals[PMUDEV_MAX_EVENTS];
	unsigned int i;
	int fd;

	/* As long as the numbers are the set's */
	for (i = 0; i < group->nr; i++)
		signals[i] = fd_of_signals(group->events[i]);
	for (fd = 0; fd < atomic_load(&end); fd++) {
		const struct event *event = table_find(fd);

		if (!event || event->group != group)
			continue;
		for (i = 0; group->events[i] != event; i++)
			;
		fd_give_to_perf(fd, fds[i], fd == signals[i] ? &event->overflow : NULL);
	}
	for (fd = 0; !known && fd < atomic_load(&end); fd++)
		if (is_of_group(fd, group))
			atomic_store(&perf_table[fd], NULL);
}

/*
 * A number in the table is the event's no more. The group is locked. @keep: its set's, or negative:
 * where no other number is the group's, the set is gone, too. Return: none is the event's.
 */
static bool put_ref(struct event *event, int keep)
{
	int fd;

	if (atomic_fetch_sub(&event->refs, 1) > 1)
		return false;
	fd = perf_find_fd(event->group);
	perf_close(event, fd < 0 ? keep : fd);
	return true;
}

/* Nobody holds a lock. */
static void free_all(struct event *event, struct group *last)
{
	event_free(event);
	if (last)
		group_free(last);
}

struct event *table_replace(int fd, struct event *event)
{
	struct event *old = atomic_exchange(&perf_table[fd], event);
	int last = atomic_load(&end);

	while (last <= fd && !atomic_compare_exchange_weak(&end, &last, fd + 1))
		;
	return old == event ? NULL : old;
}

void table_drop_old(struct event *old)
{
	struct group *group, *last = NULL;
	struct held held;
	bool gone;

	if (!old)
		return;
	group = old->group;
	group_lock(group, &held);
	gone = put_ref(old, -1);
	if (gone && !group->nr)
		last = group;
	group_unlock(group, &held);
	if (gone)
		free_all(old, last);
}

void table_put(int fd, struct event *event)
{
	table_drop_old(table_replace(fd, event));
}

static int close_one(int fd, int from, int flags)
{
	if (from == TABLE_FORGET || from == TABLE_LOST)
		return 0;
	return from < 0 ? real()->close(fd) : real()->dup3(from, fd, flags);
}

/* The set of a group that takes turns has others, too: when @fd is closed it keeps its events. */
static int keep_shared(const struct group *group, int fd, int from)
{
	if (!group->multiplexed || from == TABLE_FORGET || from == TABLE_LOST || !fd_is_set(fd))
		return -1;
	return real()->fcntl(fd, F_DUPFD_CLOEXEC, 0L);
}

int table_drop(int fd, struct event *event, int from, int flags)
{
	struct group *group = event->group, *last = NULL;
	struct event *known = event;
	int ret, error, keep;
	struct held held;
	bool gone;

	if (perf_is_borrowed())
		return close_one(fd, from, flags);
	group_lock(group, &held);
	/* Another thread has made it one of the event's again. */
	if (from == TABLE_LOST && table_find(fd) == event && perf_is_its(event, fd)) {
		group_unlock(group, &held);
		return 0;
	}
	keep = keep_shared(group, fd, from);
	ret = close_one(fd, from, flags);
	error = errno;
	/* After an error of close(2) it is closed all the same. */
	gone = (from < 0 || ret >= 0) &&
	       atomic_compare_exchange_strong(&perf_table[fd], &known, NULL) &&
	       put_ref(event, keep);
	if (gone && !group->nr)
		last = group;
	if (keep >= 0)
		real()->close(keep);
	group_unlock(group, &held);
	if (gone)
		free_all(event, last);
	errno = error;
	return ret;
}

int table_copy(int fd, struct event *event, int (*make)(int fd, int a, int b), int a, int b)
{
	struct event *old = NULL;
	struct group *group;
	struct held held;
	int ret;

	if (perf_is_borrowed())
		return make(fd, a, b);
	group = event_lock_any(event, fd, &held);
	/* It is the C library's by now. */
	if (!group)
		return make(fd, a, b);
	ret = make(fd, a, b);
	/* A read(2) of it would have pmudev's layout. perf's own are perf's at any number. */
	if (ret >= MOST_FDS && !atomic_load(&event->given)) {
		real()->close(ret);
		errno = EMFILE;
		ret = -1;
	}
	if (ret >= 0 && ret < MOST_FDS && table_find(ret) != event) {
		atomic_fetch_add(&event->refs, 1);
		old = table_replace(ret, event);
	}
	group_unlock(group, &held);
	table_drop_old(old);
	return ret;
}

void table_forget(int fd, struct event *event)
{
	table_drop(fd, event, TABLE_LOST, 0);
}

int table_end(void)
{
	return atomic_load(&end);
}
