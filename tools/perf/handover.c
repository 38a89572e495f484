// SPDX-License-Identifier: MIT
/*
 * Groups that become perf's: with an event that pmudev cannot count among them, or a ring of
 * samples. Nothing of them may have counted, for perf begins at 0.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "given.h"
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
 * Has perf all that the program knows of the group? Not what it has counted, or shows in a page;
 * identifiers that were told can stay, but not in samples; and an event that another thread opens
 * at this moment has no descriptor yet.
 */
static bool may_hand_over(const struct group *group, bool told)
{
	unsigned int i;

	if (group->counted || !group->leader || group->process != getpid())
		return false;
	for (i = 0; i < group->nr; i++)
		if (group->events[i]->attr.flags & PMUDEV_USER_READ ||
		    (told && samples_tell_ids(&group->events[i]->perf)) ||
		    !perf_is_known(group->events[i]))
			return false;
	return true;
}

static void close_all(const struct group *group, const int *fds)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		real()->close(fds[i]);
}

/* All of them to @fds; @told: and they keep their identifiers. 0 or -errno */
static int give(struct group *group, const int *fds, bool told)
{
	int error = told ? given_take_ids(group, fds) : 0;
	unsigned int i;

	if (error)
		return error;
	for (i = 0; i < group->nr; i++) {
		ring_give_to_perf(group->events[i], fds[i]);
		/* The set is closed with its last descriptor. */
		atomic_store(&group->events[i]->slot, NO_SLOT);
	}
	perf_release(group, fds, told);
	group->multiplexed = false;
	atomic_fetch_sub(&perf_opened.pmudev, group->nr);
	atomic_fetch_add(&perf_opened.perf, group->nr);
	return 0;
}

/* The group is locked. @nr: out: so many @events are nobody's any more; 0: the group stays. */
static int hand_over(struct group *group, struct event **events, unsigned int *nr)
{
	int fds[PMUDEV_MAX_EVENTS], error;
	bool told;

	atomic_fetch_add(&group->changes, 1);
	told = atomic_load(&group->told);
	error = may_hand_over(group, told) ? open_all(group, fds) : -EINVAL;
	if (!error) {
		error = give(group, fds, told);
		close_all(group, fds);
	}
	if (!error && !told) {
		*nr = group->nr;
		memcpy(events, group->events, group->nr * sizeof(*events));
		group->nr = 0;
	}
	atomic_fetch_add(&group->changes, 1);
	return error;
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
	if (error || !nr)
		return error;
	for (i = 0; i < nr; i++)
		event_free(events[i]);
	group_free(group);
	return 0;
}
