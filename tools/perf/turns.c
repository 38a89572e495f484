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
	return group->nr && !signals(group) && !group_is_copy(group) &&
	       !group->events[0]->perf.pinned && group->target.kind == target->kind &&
	       group->target.id == target->id && group->target.flags == target->flags;
}

/* A descriptor of the set that the locked group shares with others; -1: it has none. */
static int shared_fd(const struct group *group, const struct target *target)
{
	const int fd = group->multiplexed && may_share(group, target) ? perf_find_fd(group) : -1;

	/* The program may have closed it where nobody saw it. */
	return fd_is_set(fd) ? fd : -1;
}

/*
 * A descriptor of our own for the set of others that take turns; -1: there is none. The list is
 * locked, and no group.
 */
static int copy_shared(const struct target *target)
{
	struct group *other;
	struct held held;
	int fd, copy = -1;

	for (other = group_first(); other && copy < 0; other = other->next) {
		/* Nobody of us closes it meanwhile. */
		group_lock(other, &held);
		fd = shared_fd(other, target);
		if (fd >= 0)
			copy = real()->fcntl(fd, F_DUPFD_CLOEXEC, 0L);
		group_unlock(other, &held);
		if (copy >= 0 && !fd_is_set(copy)) {
			real()->close(copy);
			copy = -1;
		}
	}
	return copy;
}

/* Do groups that count the target take turns? No group is locked. */
static bool is_shared(const struct target *target)
{
	struct group *other;
	bool shared = false;
	struct held list, held;

	if (!atomic_load(&ever_shared))
		return false;
	list_lock(&list);
	for (other = group_first(); other && !shared; other = other->next) {
		group_lock(other, &held);
		shared = shared_fd(other, target) >= 0;
		group_unlock(other, &held);
	}
	list_unlock(&list);
	return shared;
}

/* The same as copy_shared(), maybe of a new set. -errno */
static int open_shared(const struct target *target, struct pmudev_refusal *why)
{
	const int copy = copy_shared(target);

	return copy < 0 ? target_open(target, true, why) : copy;
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

/*
 * A group, which is locked. @fd: of its own set. 0 or -errno: it counts where it was, or it is one
 * of the shared set and counts when that is tried again.
 */
static int move(struct group *group, int fd, int shared, struct pmudev_refusal *why)
{
	const int number = shared_number(&group->target);
	const int error = number < 0 ? -EBUSY : group_move(group, fd, shared, number, why);
	struct pmudev_refusal other;

	/* It was switched off to be moved. */
	if (error && number >= 0 && !group->multiplexed)
		group_update(group, fd, &other);
	return error;
}

int group_join(struct group *group, int fd)
{
	int number, shared;

	atomic_store(&ever_shared, true);
	shared = copy_shared(&group->target);
	number = shared_number(&group->target);
	if (number >= 0) {
		group->number = number;
		group->multiplexed = true;
		if (shared >= 0)
			fd_replace(fd, shared);
	}
	if (shared >= 0)
		real()->close(shared);
	return number < 0 ? -EBUSY : 0;
}

static bool counts(const struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		if (group->events[i]->counting)
			return true;
	return false;
}

/* Those that hold counters come; those that are there, and had none then, are tried again. */
static void move_other(struct group *other, const struct target *target, int shared, bool again)
{
	const bool asked =
		again ? other->multiplexed && !other->in_turns && group_is_wanted(other) :
			!other->multiplexed && counts(other);
	const int fd = asked && may_share(other, target) ? perf_find_fd(other) : -1;
	struct pmudev_refusal why = { 0 };
	int error;

	if (fd < 0)
		return;
	error = again ? group_update(other, fd, &why) : move(other, fd, shared, &why);
	if (error && (again || !other->multiplexed))
		perf_explain("events that should take turns with others", error, &why);
}

/* One after the other: nobody waits for two groups. */
static void move_others(const struct group *group, int shared, bool again)
{
	struct group *other;
	struct held held;

	for (other = group_first(); other; other = other->next) {
		if (other == group)
			continue;
		group_lock(other, &held);
		move_other(other, &group->target, shared, again);
		group_unlock(other, &held);
	}
}

/* What an event's group counts. Children are counted by the set that they were made under. */
static int find_target(struct event *event, int fd, struct target *target)
{
	struct held held;
	struct group *group = event_lock_listed(event, fd, &held);
	bool stays;

	if (!group)
		return -ESTALE;
	*target = group->target;
	stays = (target->flags || signals(group)) && !group->multiplexed;
	group_unlock(group, &held);
	return stays ? -EBUSY : 0;
}

/* The group becomes one of the set of @shared, unless it is, and the others then. */
static int move_all(struct event *event, int fd, int shared, struct pmudev_refusal *why)
{
	struct held held;
	struct group *group = event_lock_listed(event, fd, &held);
	int error = 0;
	bool there;

	if (!group)
		return -ESTALE;
	if (!group->multiplexed)
		error = move(group, fd, shared, why);
	there = group->multiplexed;
	group_unlock(group, &held);
	/* The others stay as they are, too. */
	if (!there)
		return error;
	move_others(group, shared, false);
	/* Not the group of before: another thread may have closed it, or perf has it. */
	group = event_lock_listed(event, fd, &held);
	if (!group)
		return -ESTALE;
	error = group_update(group, fd, why);
	group_unlock(group, &held);
	move_others(group, shared, true);
	return error;
}

/*
 * The event's group, and others that count the same, take turns from now on. No group is locked. 0
 * or -errno; -ESTALE: as event_lock()
 */
static int group_share(struct event *event, int fd, struct pmudev_refusal *why)
{
	struct target target;
	struct held list;
	int shared, error;

	list_lock(&list);
	atomic_store(&ever_shared, true);
	error = find_target(event, fd, &target);
	shared = error ? error : open_shared(&target, why);
	error = shared < 0 ? shared : move_all(event, fd, shared, why);
	if (shared >= 0)
		real()->close(shared);
	list_unlock(&list);
	return error;
}

/* ------------------------------------------------------------- alone or in turns -- */

/*
 * Others that count the same take turns already. On counters of its own it would count all the
 * time, at their cost: it shares, too. Not what needs a slot of its own.
 */
static bool should_join(const struct group *group)
{
	unsigned int i;

	if (perf_settings.strict || group->multiplexed || group->target.flags ||
	    group_is_copy(group) || !group_is_wanted(group))
		return false;
	for (i = 0; i < group->nr; i++)
		if (group->events[i]->perf.pinned || group->events[i]->period ||
		    group->events[i]->attr.flags & PMUDEV_USER_READ)
			return false;
	return true;
}

/* Once: a program may have hundreds of such events. */
static void explain_joining(void)
{
	static atomic_bool told;

	if (!atomic_exchange(&told, true))
		perf_explain_why("more events take turns, and their counts are parts",
				 "others that count the same thread or CPU do already");
}

int perf_update(struct event *event, int fd, struct pmudev_refusal *why)
{
	struct group *group = event->group;
	const bool others_share = group && is_shared(&group->target);
	bool joins, may_share;
	struct held held;
	int error;

	group = event_lock(event, fd, &held);
	if (!group)
		return -ESTALE;
	joins = others_share && should_join(group);
	error = joins ? -EBUSY : group_update(group, fd, why);
	may_share =
		!perf_settings.strict && !group->events[0]->perf.pinned && !group_is_copy(group);
	group_unlock(group, &held);
	if ((error != -ENOSPC && error != -EBUSY) || !may_share)
		return error;
	if (joins)
		explain_joining();
	else
		perf_explain("these events take turns with others, and their counts are parts",
			     error, why);
	return group_share(event, fd, why);
}
