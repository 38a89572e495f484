// SPDX-License-Identifier: MIT
/* Groups that share a set, in which they take turns. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>

#include "group.h"
#include "real.h"
#include "set.h"

/* Was any group ever in turns? Most programs have no more events than there are counters. */
static atomic_bool ever_shared;

/* What has a deadline stays where it is. */
static bool signals(const struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		if (group->events[i]->signals)
			return true;
	return false;
}

/* Is it this process's, and may it take turns with others that count the target? */
static bool may_share(const struct group *group, const struct target *target)
{
	return group->nr && !signals(group) && group->process == perf_process &&
	       !group->events[0]->perf.pinned && group->target.kind == target->kind &&
	       group->target.id == target->id && group->target.flags == target->flags;
}

/* A descriptor of the set of others that take turns; -1: there is none, or it was closed unseen. */
static int find_shared(const struct target *target)
{
	const struct group *other;
	int fd = -1;

	for (other = group_first(); other && fd < 0; other = other->next)
		if (other->multiplexed && may_share(other, target))
			fd = perf_find_fd(other);
	return fd_is_set(fd) ? fd : -1;
}

bool is_shared(const struct target *target)
{
	struct held held;
	bool shared;

	if (!atomic_load(&ever_shared))
		return false;
	list_lock(&held);
	shared = find_shared(target) >= 0;
	list_unlock(&held);
	return shared;
}

/* The same, one of our own; maybe of a new set. -errno */
static int open_shared(const struct target *target, struct pmudev_refusal *why)
{
	int fd = find_shared(target);
	int copy;

	if (fd < 0)
		return target_open(target, true, why);
	copy = real()->fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return -errno;
	if (fd_is_set(copy))
		return copy;
	/* Another thread has closed it since, and has another file there. */
	real()->close(copy);
	return target_open(target, true, why);
}

/* A number that no group of the shared set has; -1: all are used. */
static int shared_number(const struct target *target)
{
	const struct group *other;
	uint64_t used = 0;

	for (other = group_first(); other; other = other->next)
		if (other->multiplexed && may_share(other, target))
			used |= 1ULL << other->number;
	return used == UINT64_MAX ? -1 : __builtin_ctzll(~used);
}

/* A group, which is locked. @fd: of its own set. 0 or -errno. */
static int move(struct group *group, int fd, int shared, struct pmudev_refusal *why)
{
	int number = shared_number(&group->target);

	return number < 0 ? -ENOSPC : group_move(group, fd, shared, number, why);
}

int group_join(struct group *group, int fd)
{
	int number, shared;
	struct held held;

	list_lock(&held);
	atomic_store(&ever_shared, true);
	shared = find_shared(&group->target);
	number = shared_number(&group->target);
	if (number >= 0) {
		group->number = number;
		group->multiplexed = true;
		if (shared >= 0)
			fd_replace(fd, shared);
	}
	list_unlock(&held);
	return number < 0 ? -ENOSPC : 0;
}

static bool counts(const struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		if (group->events[i]->counting)
			return true;
	return false;
}

/* The others that hold counters now; one after the other: nobody waits for two groups. */
static void move_others(const struct group *group, int shared)
{
	struct pmudev_refusal why;
	struct group *other;
	struct held held;
	int fd;

	for (other = group_first(); other; other = other->next) {
		if (other == group)
			continue;
		group_lock(other, &held);
		if (!other->multiplexed && may_share(other, &group->target) && counts(other)) {
			fd = perf_find_fd(other);
			if (fd >= 0)
				move(other, fd, shared, &why);
		}
		group_unlock(other, &held);
	}
}

int group_share(struct group *group, int fd, struct pmudev_refusal *why)
{
	struct held list, held;
	int shared, error;

	/* Children are counted by the set that they were made under. */
	if ((group->target.flags || signals(group)) && !group->multiplexed)
		return -EBUSY;
	list_lock(&list);
	atomic_store(&ever_shared, true);
	shared = open_shared(&group->target, why);
	error = shared;
	if (shared >= 0) {
		group_lock(group, &held);
		if (!group->multiplexed)
			move(group, fd, shared, why);
		group_unlock(group, &held);
		move_others(group, shared);
		group_lock(group, &held);
		error = group_update(group, fd, why);
		group_unlock(group, &held);
		real()->close(shared);
	}
	list_unlock(&list);
	return error;
}
