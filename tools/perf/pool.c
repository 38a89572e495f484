// SPDX-License-Identifier: MIT
/* All groups of the process: their memory, and those that share a set. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "real.h"

/* ------------------------------------------------------------------------ memory -- */

/* Somebody may still look at one that was freed: its memory stays what it is. */
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static struct event *free_events;
static struct group *groups, *free_groups;

static void lock(pthread_mutex_t *mutex, sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
	pthread_mutex_lock(mutex);
}

static void unlock(pthread_mutex_t *mutex, const sigset_t *before)
{
	pthread_mutex_unlock(mutex);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

void group_lock(struct group *group, sigset_t *before)
{
	lock(&group->lock, before);
}

void group_unlock(struct group *group, const sigset_t *before)
{
	unlock(&group->lock, before);
}

struct event *event_new(void)
{
	struct event *event;
	sigset_t before;

	lock(&free_lock, &before);
	event = free_events;
	if (event)
		free_events = event->next;
	unlock(&free_lock, &before);
	if (event)
		memset(event, 0, sizeof(*event));
	else
		event = calloc(1, sizeof(*event));
	if (event)
		event->slot = PMUDEV_MAX_EVENTS;
	return event;
}

void event_free(struct event *event)
{
	sigset_t before;

	lock(&free_lock, &before);
	event->next = free_events;
	free_events = event;
	unlock(&free_lock, &before);
}

struct group *group_new(const struct target *target)
{
	struct group *group;
	sigset_t before;

	lock(&free_lock, &before);
	group = free_groups;
	if (group) {
		free_groups = group->next;
		memset(group, 0, sizeof(*group));
	} else {
		group = calloc(1, sizeof(*group));
	}
	if (group) {
		pthread_mutex_init(&group->lock, NULL);
		group->target = *target;
		group->next = groups;
		groups = group;
	}
	unlock(&free_lock, &before);
	return group;
}

void group_free(struct group *group)
{
	struct group **link = &groups;
	sigset_t before;

	lock(&free_lock, &before);
	while (*link != group)
		link = &(*link)->next;
	*link = group->next;
	group->next = free_groups;
	free_groups = group;
	unlock(&free_lock, &before);
}

/* ------------------------------------------------------------------------- turns -- */

static bool may_share(const struct group *group, const struct target *target)
{
	return group->nr && !group->events[0]->pinned && group->target.kind == target->kind &&
	       group->target.id == target->id && group->target.flags == target->flags;
}

/* A set for those that count @target: that of others that take turns, or a new one. */
static int open_shared(const struct target *target, struct pmudev_refusal *why)
{
	const struct group *other;
	int fd = -1, error;

	for (other = groups; other && fd < 0; other = other->next)
		if (other->multiplexed && may_share(other, target))
			fd = perf_find_fd(other);
	if (fd >= 0)
		return real()->fcntl(fd, F_DUPFD_CLOEXEC, 0);
	fd = set_open(true);
	if (fd < 0)
		return fd;
	error = set_bind(fd, target->kind, target->id, target->flags, why);
	if (!error)
		return fd;
	real()->close(fd);
	return error;
}

/* Move a group, which is locked, into the shared set. @fd: of its own set. 0 or -errno. */
static int move(struct group *group, int fd, int shared, struct pmudev_refusal *why)
{
	const struct target *target = &group->target;
	const struct group *other;
	uint64_t used = 0;

	for (other = groups; other; other = other->next)
		if (other->multiplexed && may_share(other, target))
			used |= 1ULL << other->number;
	if (used == UINT64_MAX)
		return -ENOSPC;
	return group_move(group, fd, shared, __builtin_ctzll(~used), why);
}

int group_share(struct group *group, int fd, struct pmudev_refusal *why)
{
	struct pmudev_refusal others;
	sigset_t before, inner;
	struct group *other;
	int shared, error, known;

	lock(&free_lock, &before);
	shared = open_shared(&group->target, why);
	error = shared;
	for (other = groups; shared >= 0 && other; other = other->next) {
		if (other == group)
			continue;
		/* One after the other: nobody waits for two groups. */
		group_lock(other, &inner);
		known = perf_find_fd(other);
		if (!other->multiplexed && may_share(other, &group->target) && known >= 0)
			move(other, known, shared, &others);
		group_unlock(other, &inner);
	}
	if (shared >= 0) {
		group_lock(group, &inner);
		error = group->multiplexed ? group_update(group, fd, why) :
					     move(group, fd, shared, why);
		group_unlock(group, &inner);
		real()->close(shared);
	}
	unlock(&free_lock, &before);
	return error;
}
