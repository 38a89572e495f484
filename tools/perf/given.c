// SPDX-License-Identifier: MIT
/*
 * Events that became perf's after the program was told their identifiers: what it is told from then
 * on are the same. Their group stays, with nothing of it in a set; perf does the rest.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>

#include "given.h"
#include "group.h"
#include "memory.h"
#include "real.h"
#include "table.h"

/* perf's identifier of that file; 0: it is none of perf's, and errno is as it was. */
static uint64_t perf_id_of(int fd)
{
	const int error = errno;
	uint64_t id;

	if (real()->ioctl(fd, PERF_EVENT_IOC_ID, &id))
		id = 0;
	errno = error;
	return id;
}

/* By another thread, which may have a lower priority. */
void given_wait(struct group *group)
{
	struct held held;

	if (atomic_load(&group->changes) & 1) {
		group_lock(group, &held);
		group_unlock(group, &held);
	}
}

bool given_is_there(const struct event *event, int fd)
{
	given_wait(event->group);
	return perf_id_of(fd) == atomic_load(&event->given);
}

int given_take_ids(const struct group *group, const int *fds)
{
	uint64_t ids[PMUDEV_MAX_EVENTS];
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		ids[i] = perf_id_of(fds[i]);
		if (!ids[i])
			return -EINVAL;
	}
	for (i = 0; i < group->nr; i++)
		atomic_store(&group->events[i]->given, ids[i]);
	return 0;
}

/* What the program knows perf's event by. The group's changes are looked at by the caller. */
static uint64_t told_id(const struct group *group, uint64_t id)
{
	unsigned int i;

	for (i = 0; i < group->nr && i < PMUDEV_MAX_EVENTS; i++) {
		const struct event *event = group->events[i];

		if (event && atomic_load(&event->given) == id)
			return event->id;
	}
	return id;
}

/* The words of what perf has read: which are identifiers? */
static void tell_ids(const struct event *event, uint64_t *words, size_t nr)
{
	const uint64_t format = event->read_format;
	const size_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			     !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	const size_t step = 2 + !!(format & PERF_FORMAT_LOST);
	size_t i;

	/* Of a group: how many, times, then value and identifier of each */
	if (format & PERF_FORMAT_GROUP)
		for (i = 1 + times + 1; i < nr; i += step)
			words[i] = told_id(event->group, words[i]);
	else if (1 + times < nr)
		words[1 + times] = told_id(event->group, words[1 + times]);
}

/* False: the group has changed meanwhile. */
static bool try_to_tell(const struct event *event, uint64_t *words, size_t nr)
{
	const unsigned int before = atomic_load(&event->group->changes);

	if (before & 1)
		return false;
	tell_ids(event, words, nr);
	atomic_thread_fence(memory_order_acquire);
	return before == atomic_load(&event->group->changes);
}

/* @words: out: of @buf, with the identifiers that were told. 0 or -EFAULT */
static int tell_told(const struct event *event, uint64_t *words, const void *buf, size_t size)
{
	struct group *group;
	unsigned int tries;
	struct held held;
	int error;

	for (tries = 0; tries < PERF_TRIES; tries++) {
		error = memory_read(words, buf, size);
		if (error || try_to_tell(event, words, size / sizeof(words[0])))
			return error;
		sched_yield();
	}
	group = event->group;
	group_lock(group, &held);
	error = memory_read(words, buf, size);
	if (!error)
		tell_ids(event, words, size / sizeof(words[0]));
	group_unlock(group, &held);
	return error;
}

ssize_t given_read(struct event *event, int fd, void *buf, size_t size)
{
	uint64_t words[3 + 3 * PMUDEV_MAX_EVENTS];
	ssize_t got;

	given_wait(event->group);
	got = real()->read(fd, buf, size);
	if (got < 0)
		return -errno;
	if (!(event->read_format & PERF_FORMAT_ID) || (size_t)got > sizeof(words))
		return got;
	/* The program may have closed it where nobody saw it. */
	if (!given_is_there(event, fd)) {
		table_forget(fd, event);
		return got;
	}
	if (tell_told(event, words, buf, got) || memory_write(buf, words, got))
		return -EFAULT;
	return got;
}

/* The locked group has one more. */
static bool add_member(struct group *group, struct event *event)
{
	if (group->nr == PMUDEV_MAX_EVENTS)
		return false;
	atomic_fetch_add(&group->changes, 1);
	event->group = group;
	group->events[group->nr++] = event;
	atomic_fetch_add(&group->changes, 1);
	return true;
}

void given_follow(int leader_fd, int fd, const struct perf_event_attr *attr)
{
	struct event *leader = table_find(leader_fd), *event;
	struct group *group;
	struct held held;
	bool added;

	if (!leader || !atomic_load(&leader->given) || fd >= MOST_FDS)
		return;
	event = event_new();
	if (!event)
		return;
	event->id = perf_id_of(fd);
	event->given = event->id;
	event->refs = 1;
	group = memory_read(&event->read_format, &attr->read_format, sizeof(attr->read_format)) ?
			NULL :
			event_lock_any(leader, leader_fd, &held);
	added = group && add_member(group, event);
	if (group)
		group_unlock(group, &held);
	if (added)
		table_put(fd, event);
	else
		event_free(event);
}
