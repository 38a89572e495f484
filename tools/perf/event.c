// SPDX-License-Identifier: MIT
/* Events as perf_event_open() makes them, and as they are closed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "group.h"
#include "real.h"
#include "refresh.h"
#include "table.h"

/* -------------------------------------------------------------------------- open -- */

static uint64_t new_id(void)
{
	/* None that the kernel gives to other events of the program. */
	static _Atomic uint64_t last = 1ULL << 48;

	return atomic_fetch_add(&last, 1) + 1;
}

/* As perf has it, for what it refuses. */
static int as_perf(int error)
{
	switch (error) {
	case -EPERM:
		return -EACCES;
	case -ENOSPC: /* more events than counters */
		return -EINVAL;
	case -EDQUOT:
		return -EMFILE;
	case -EOPNOTSUPP: /* the hardware has no such event */
		return -ENOENT;
	default:
		return error;
	}
}

static struct target target_of(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct target target = {
		.kind = cpu >= 0 ? PMUDEV_TARGET_CPU : PMUDEV_TARGET_TASK,
		.id = cpu >= 0 ? cpu :
		      pid      ? pid :
				 (pid_t)syscall(SYS_gettid),
	};

	if (attr->inherit && cpu < 0)
		target.flags |= PMUDEV_BIND_INHERIT;
	if (attr->enable_on_exec && cpu < 0)
		target.flags |= PMUDEV_BIND_ON_EXEC;
	return target;
}

/* A descriptor: of a new set, or one more of the leader's. */
static int open_fd(const struct target *target, int leader_fd, bool cloexec)
{
	struct pmudev_refusal why = { 0 };
	int fd;

	if (leader_fd >= 0) {
		fd = real()->fcntl(leader_fd, cloexec ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
		return fd < 0 ? -errno : fd;
	}
	fd = target_open(target, cloexec, &why);
	if (fd >= 0 || !why.code)
		return fd;
	perf_explain("perf_event_open()", fd, &why);
	return as_perf(fd);
}

static struct event *make(const struct perf_event_attr *attr, const struct pmudev_event_attr *to,
			  bool dummy)
{
	struct event *event = event_new();

	if (!event)
		return NULL;
	event->id = new_id();
	event->read_format = attr->read_format;
	event->attr = *to;
	event->attr.tag = event->id;
	event->perf = *attr;
	event->dummy = dummy;
	event->period = attr->sample_period;
	event->owner = syscall(SYS_gettid);
	/* Without the exec that it waits for, it is off. */
	event->on = !attr->disabled || attr->enable_on_exec;
	event->refs = 1;
	return event;
}

/*
 * Others that count the same take turns already. On counters of its own it would count all the
 * time, at their cost: it shares, too. Not what needs a slot of its own.
 */
static bool should_join(const struct group *group)
{
	unsigned int i;

	if (perf_settings.strict || group->multiplexed || group->target.flags ||
	    group->process != perf_process || !group_is_wanted(group))
		return false;
	for (i = 0; i < group->nr; i++)
		if (group->events[i]->perf.pinned || group->events[i]->period ||
		    group->events[i]->attr.flags & PMUDEV_USER_READ)
			return false;
	return true;
}

int perf_update(struct group *group, int fd, struct pmudev_refusal *why)
{
	const bool others_share = is_shared(&group->target);
	struct held held;
	bool may_share;
	int error;

	group_lock(group, &held);
	error = others_share && should_join(group) ? -EBUSY : group_update(group, fd, why);
	may_share = !perf_settings.strict && group->nr && !group->events[0]->perf.pinned;
	group_unlock(group, &held);
	if ((error != -ENOSPC && error != -EBUSY) || !may_share)
		return error;
	perf_explain("these events take turns with others, and their counts are parts", error, why);
	return group_share(group, fd, why);
}

/* Nobody else knows the event yet. */
static int put_in(struct group *group, struct event *event, int fd, bool leads)
{
	struct pmudev_refusal why = { 0 };
	struct held held;
	int error;

	group_lock(group, &held);
	error = group_add(group, event, fd, &why);
	if (!error && leads)
		group->leader = event;
	group_unlock(group, &held);
	if (!error) {
		error = perf_update(group, fd, &why);
		/* A pinned event is there, and reads as the end of the file. */
		if (error && event->perf.pinned && !perf_settings.strict) {
			atomic_store(&event->failed, true);
			error = 0;
		} else if (error) {
			group_lock(group, &held);
			group_remove(group, event, fd);
			group_unlock(group, &held);
		}
	}
	if (error)
		perf_explain("perf_event_open()", error, &why);
	return as_perf(error);
}

/* What perf refuses, too, and what pmudev has no way to do. */
static bool is_ours(const struct perf_event_attr *attr, pid_t pid, int cpu, bool member,
		    unsigned long flags, struct pmudev_event_attr *to, bool *dummy)
{
	/* Of a thread on one CPU only, and of control groups, pmudev has none. */
	if ((flags & PERF_FLAG_PID_CGROUP) || (pid >= 0 && cpu >= 0) || (pid < 0 && cpu < 0))
		return false;
	/* Deadlines are of threads. */
	if (attr->sample_period && (cpu >= 0 || attr->inherit || attr->enable_on_exec))
		return false;
	return perf_encode(attr, to, dummy) && (!member || !(flags & PERF_FLAG_FD_NO_GROUP));
}

/* A member counts what its leader does. */
static bool fits_leader(const struct perf_event_attr *attr, const struct target *target,
			const struct event *leader)
{
	const struct target *other = &leader->group->target;

	return leader->group->leader == leader && !attr->pinned && other->kind == target->kind &&
	       other->id == target->id && !((other->flags ^ target->flags) & PMUDEV_BIND_INHERIT);
}

int perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu, struct event *leader,
	      int leader_fd, unsigned long flags, bool *ours, struct event **made)
{
	struct pmudev_event_attr to;
	struct target target;
	struct group *group;
	struct event *event;
	bool dummy;
	int fd, error;

	*ours = is_ours(attr, pid, cpu, leader, flags, &to, &dummy);
	if (!*ours)
		return 0;
	target = target_of(attr, pid, cpu);
	if (leader && !fits_leader(attr, &target, leader))
		return -EINVAL;
	fd = open_fd(&target, leader ? leader_fd : -1, flags & PERF_FLAG_FD_CLOEXEC);
	if (fd == -ENOENT || fd == -ENXIO || fd == -ENODEV) {
		/* pmudev is not there. */
		*ours = false;
		return 0;
	}
	if (fd < 0)
		return fd;
	if (fd >= MOST_FDS) {
		real()->close(fd);
		return -EMFILE;
	}
	event = make(attr, &to, dummy);
	if (!event) {
		real()->close(fd);
		return -ENOMEM;
	}
	group = leader ? leader->group : group_new(&target);
	error = group ? 0 : -ENOMEM;
	/* In turns from the beginning, if it could not be moved later. */
	if (!error && !leader && target.flags && !attr->pinned && !perf_settings.strict)
		error = group_join(group, fd);
	if (!error)
		error = put_in(group, event, fd, !leader);
	if (!error) {
		*made = event;
		return fd;
	}
	event_free(event);
	if (group && !leader)
		group_free(group);
	real()->close(fd);
	return error;
}

void perf_close(struct event *event, int fd)
{
	if (event->ring.begin)
		ring_forget(event);
	/* A child has copies: the event is its parent's. Or it is perf's. */
	if (event->group->process != perf_process || atomic_load(&event->given))
		fd = -1;
	group_remove(event->group, event, fd);
}
