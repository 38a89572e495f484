// SPDX-License-Identifier: MIT
/*
 * Groups that become perf's: with an event that pmudev cannot count among them, or a ring of
 * samples. Nothing of them may have counted, for perf begins at 0.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "group.h"
#include "real.h"
#include "refresh.h"

/* perf's event in the state of ours; @leader: a descriptor of perf's, or -1. -errno */
static int open_perf(const struct event *event, int leader)
{
	const struct target *target = &event->group->target;
	const bool is_cpu = target->kind == PMUDEV_TARGET_CPU;
	struct perf_event_attr attr = event->perf;
	long fd;

	if (!attr.enable_on_exec)
		attr.disabled = !event->on;
	if (event->period)
		attr.sample_period = event->period;
	fd = real()->syscall(SYS_perf_event_open, (long)&attr, is_cpu ? -1L : (long)target->id,
			     is_cpu ? (long)target->id : -1L, (long)leader,
			     (long)PERF_FLAG_FD_CLOEXEC, 0L);
	return fd < 0 ? -errno : (int)fd;
}

/* All of them; @fds: out, by event. 0 or -errno */
static int open_all(const struct group *group, int *fds)
{
	unsigned int i;
	int error;

	for (i = 0; i < group->nr; i++) {
		fds[i] = open_perf(group->events[i], i ? fds[0] : -1);
		if (fds[i] < 0)
			break;
	}
	if (i == group->nr)
		return 0;
	error = fds[i];
	while (i--)
		real()->close(fds[i]);
	return error;
}

/*
 * Has perf all that the program knows of the group? Not what it has counted, told of identifiers,
 * or shows in a page; and an event that another thread opens at this moment has no descriptor yet.
 */
static bool may_hand_over(const struct group *group)
{
	unsigned int i;

	if (group->counted || group->told || !group->leader || group->process != getpid())
		return false;
	for (i = 0; i < group->nr; i++)
		if (group->events[i]->attr.flags & PMUDEV_USER_READ ||
		    !perf_is_known(group->events[i]))
			return false;
	return true;
}

/* The group is locked. */
static int hand_over(struct group *group, struct event **events, unsigned int *nr)
{
	int fds[PMUDEV_MAX_EVENTS], error;
	unsigned int i;

	if (!may_hand_over(group))
		return -EINVAL;
	error = open_all(group, fds);
	if (error)
		return error;
	atomic_fetch_add(&group->changes, 1);
	for (i = 0; i < group->nr; i++)
		ring_give_to_perf(group->events[i], fds[i]);
	perf_release(group, fds);
	for (i = 0; i < group->nr; i++) {
		events[i] = group->events[i];
		real()->close(fds[i]);
	}
	atomic_fetch_sub(&perf_opened.pmudev, group->nr);
	atomic_fetch_add(&perf_opened.perf, group->nr);
	*nr = group->nr;
	group->nr = 0;
	atomic_fetch_add(&group->changes, 1);
	return 0;
}

int perf_hand_over(struct event *event, int fd)
{
	struct event *events[PMUDEV_MAX_EVENTS];
	unsigned int i, nr = 0;
	struct group *group;
	struct held held;
	int error;

	group = event_lock(event, fd, &held);
	if (!group)
		return -ESTALE;
	error = hand_over(group, events, &nr);
	group_unlock(group, &held);
	if (error)
		return error;
	for (i = 0; i < nr; i++)
		event_free(events[i]);
	group_free(group);
	return 0;
}
