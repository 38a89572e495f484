// SPDX-License-Identifier: MIT
/* Events as perf_event_open() makes them, and as they are closed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attr.h"
#include "calls.h"
#include "given.h"
#include "group.h"
#include "memory.h"
#include "real.h"
#include "refresh.h"
#include "set.h"
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

/* Does it begin at its target's exec? One that is on from the beginning does not wait. */
static bool waits_for_exec(const struct perf_event_attr *attr, int cpu)
{
	return attr->enable_on_exec && attr->disabled && cpu < 0;
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
	if (waits_for_exec(attr, cpu))
		target.flags |= PMUDEV_BIND_ON_EXEC;
	return target;
}

/* What perf refuses, too, and what pmudev cannot do. @may_wait: its set can wait for an exec */
static bool is_ours(const struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags,
		    bool may_wait, struct pmudev_event_attr *to, bool *dummy)
{
	/* Control groups, rings of others, and what no kernel knows yet */
	if (flags & ~(unsigned long)(PERF_FLAG_FD_CLOEXEC | PERF_FLAG_FD_NO_GROUP))
		return false;
	/* Of a thread on one CPU only pmudev has none. */
	if (pid < -1 || cpu < -1 || (pid >= 0 && cpu >= 0) || (pid < 0 && cpu < 0))
		return false;
	/* Deadlines are of threads. */
	if (attr->sample_period && (cpu >= 0 || attr->inherit || attr->enable_on_exec))
		return false;
	/* It would wait in a group that does not. */
	if (waits_for_exec(attr, cpu) && !may_wait)
		return false;
	return attr_is_plain(attr) && perf_encode(attr, to, dummy);
}

/* A member counts what its leader does. Its group is locked. */
static bool fits_leader(const struct perf_event_attr *attr, const struct target *target,
			const struct event *leader)
{
	const struct target *other = &leader->group->target;

	return leader->group->leader == leader && !attr->pinned && !attr->exclusive &&
	       other->kind == target->kind && other->id == target->id;
}

/* What is to be opened */
struct wish {
	const struct perf_event_attr *attr;
	struct pmudev_event_attr to;
	struct target target;
	bool dummy;
	bool cloexec;
};

/* In place of a descriptor: as_perf() has no such error */
#define NO_PMUDEV (-EOPNOTSUPP)

static struct event *make(const struct wish *wish)
{
	const struct perf_event_attr *attr = wish->attr;
	struct event *event = event_new();

	if (!event)
		return NULL;
	event->id = new_id();
	event->read_format = attr->read_format;
	event->attr = wish->to;
	event->attr.tag = event->id;
	event->perf = *attr;
	event->dummy = wish->dummy;
	event->period = attr->sample_period;
	event->owner = syscall(SYS_gettid);
	/* On, too, if it waits for an exec: its set does. */
	event->on = !attr->disabled || wish->target.flags & PMUDEV_BIND_ON_EXEC;
	event->refs = 1;
	return event;
}

/*
 * The event, whose descriptor of the group's set is @fd, is one of the locked group: it can be
 * found by others, who make it perf's with its group. @old: out: for table_drop_old(). Return: @fd
 * or -errno, and it is closed.
 */
static int put_in(struct group *group, struct event *event, int fd, struct event **old,
		  struct pmudev_refusal *why)
{
	int error = fd >= MOST_FDS ? -EMFILE : group_add(group, event, fd, why);

	if (error) {
		real()->close(fd);
		return error;
	}
	*old = table_replace(fd, event);
	return fd;
}

static int open_leader(const struct wish *wish, struct event *event, struct pmudev_refusal *why)
{
	/* In turns from the beginning, if it could not be moved later. */
	const bool joins = wish->target.flags && !wish->attr->pinned && !perf_settings.strict;
	int fd = target_open(&wish->target, wish->cloexec, why), error = 0;
	struct event *old = NULL;
	struct held list, held;
	struct group *group;

	if (fd < 0)
		return fd;
	group = group_new(&wish->target);
	if (!group) {
		real()->close(fd);
		return -ENOMEM;
	}
	if (joins) {
		list_lock(&list);
		error = group_join(group, fd);
	}
	group_lock(group, &held);
	if (error)
		real()->close(fd);
	else
		error = put_in(group, event, fd, &old, why);
	if (error >= 0)
		group->leader = event;
	group_unlock(group, &held);
	if (joins)
		list_unlock(&list);
	table_drop_old(old);
	if (error < 0)
		group_free(group);
	return error;
}

/* As above; -ESTALE: the leader is none of ours any more */
static int open_member(const struct wish *wish, struct event *event, struct event *leader,
		       int leader_fd, struct pmudev_refusal *why)
{
	struct event *old = NULL;
	struct group *group;
	struct held held;
	int fd;

	group = event_lock(leader, leader_fd, &held);
	if (!group)
		return -ESTALE;
	fd = -EINVAL;
	if (fits_leader(wish->attr, &wish->target, leader) &&
	    !((group->target.flags ^ wish->target.flags) & PMUDEV_BIND_INHERIT)) {
		fd = real()->fcntl(leader_fd, wish->cloexec ? F_DUPFD_CLOEXEC : F_DUPFD, 0L);
		fd = fd < 0 ? -errno : put_in(group, event, fd, &old, why);
	}
	group_unlock(group, &held);
	table_drop_old(old);
	return fd;
}

/* It counts, if it shall. 0 or -errno, and it is closed. */
static int begin_counting(struct event *event, int fd, struct pmudev_refusal *why)
{
	int error = perf_update(event, fd, why);

	/* With its group it is perf's by now, and counts there. */
	if (error == -ESTALE)
		return 0;
	/* A pinned event is there, and reads as the end of the file. */
	if (error && event->perf.pinned && !perf_settings.strict) {
		atomic_store(&event->failed, true);
		return 0;
	}
	if (error)
		table_drop(fd, event, -1, 0);
	return error;
}

/* @leader: NULL: it leads a group. Return: a descriptor or -errno */
static int open_wish(const struct wish *wish, struct event *leader, int leader_fd)
{
	struct pmudev_refusal why = { 0 };
	struct event *event = make(wish);
	int fd, error;

	if (!event)
		return -ENOMEM;
	fd = leader ? open_member(wish, event, leader, leader_fd, &why) :
		      open_leader(wish, event, &why);
	if (fd < 0)
		event_free(event);
	error = fd < 0 ? fd : begin_counting(event, fd, &why);
	if (!error) {
		atomic_fetch_add(&perf_opened.pmudev, 1);
		return fd;
	}
	if (error == -ESTALE)
		return error;
	if (!leader && !why.code && (error == -ENOENT || error == -ENXIO || error == -ENODEV))
		return NO_PMUDEV;
	perf_explain("perf_event_open()", error, &why);
	return as_perf(error);
}

/*
 * Of a group that has kept identifiers which the program was told: would a sample of perf's event
 * tell others? Nobody can change them in a ring of perf's.
 */
static bool is_misnamed(const struct perf_event_attr *attr)
{
	if (!samples_tell_group(attr))
		return false;
	perf_explain_why("perf_event_open()",
			 "its samples would carry other identifiers of its group than were told");
	return true;
}

/* perf's own, in no group. -errno: what perf says is wrong with it */
static int open_alone(const struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags)
{
	const long fd =
		real()->syscall(SYS_perf_event_open, attr, (long)pid, (long)cpu, -1L, flags, 0L);

	return fd < 0 ? -errno : (int)fd;
}

/* Would perf make it a member of that group? It is one of a thread or of a CPU. */
static bool may_follow(const struct perf_event_attr *attr, pid_t pid, int cpu, struct event *leader,
		       int leader_fd)
{
	const struct target target = target_of(attr, pid, cpu);
	struct held held;
	struct group *group = event_lock(leader, leader_fd, &held);
	bool may;

	if (!group)
		return true;
	may = (pid < 0 || cpu < 0) && fits_leader(attr, &target, leader);
	group_unlock(group, &held);
	return may;
}

/* A member that pmudev cannot count: the group becomes perf's first, if it can. -errno */
static int make_room_at_perf(const struct perf_event_attr *attr, pid_t pid, int cpu,
			     struct event *leader, int leader_fd, unsigned long flags)
{
	struct perf_event_attr off = *attr;
	int error;

	/* Not for what perf refuses. */
	off.disabled = 1;
	error = open_alone(&off, pid, cpu, flags);
	if (error < 0)
		return error;
	real()->close(error);
	if (!may_follow(attr, pid, cpu, leader, leader_fd))
		return -EINVAL;
	error = atomic_load(&leader->group->told) && is_misnamed(attr) ?
			-EINVAL :
			perf_hand_over(leader, leader_fd, "perf_event_open()");
	return error && error != -ESTALE ? -EINVAL : -ESTALE;
}

/* In no group, and of the leader perf looks only whether it is an event. As below */
static bool open_no_group(const struct wish *wish, bool ours, pid_t pid, int cpu,
			  unsigned long flags, int *ret)
{
	*ret = ours ? open_wish(wish, NULL, -1) : NO_PMUDEV;
	if (*ret != NO_PMUDEV)
		return true;
	*ret = open_alone(wish->attr, pid, cpu, flags);
	if (*ret >= 0)
		atomic_fetch_add(&perf_opened.perf, 1);
	return true;
}

/* False: it is for perf. @ret: as perf_open(), or -ESTALE: the leader is none of ours any more */
static bool open_once(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader_fd,
		      unsigned long flags, int *ret)
{
	const bool no_group = flags & PERF_FLAG_FD_NO_GROUP && !(flags & PERF_FLAG_FD_OUTPUT);
	struct wish wish = { .attr = attr, .cloexec = flags & PERF_FLAG_FD_CLOEXEC };
	struct event *leader = table_find(leader_fd);
	bool ours, may_wait;

	/* perf's file must be there. */
	if (leader && atomic_load(&leader->given))
		given_wait(leader->group);
	if (leader && no_group && (atomic_load(&leader->given) || !fd_is_set(leader_fd)))
		leader = NULL;
	/* None of ours: perf says whether it is one of its own. */
	if (!leader && leader_fd != -1)
		return false;
	if (leader && atomic_load(&leader->given)) {
		*ret = -EINVAL;
		return is_misnamed(attr);
	}
	may_wait = !leader || no_group || leader->group->target.flags & PMUDEV_BIND_ON_EXEC;
	ours = is_ours(attr, pid, cpu, flags, may_wait, &wish.to, &wish.dummy);
	if (ours)
		wish.target = target_of(attr, pid, cpu);
	if (leader && no_group)
		return open_no_group(&wish, ours, pid, cpu, flags, ret);
	if (ours) {
		*ret = open_wish(&wish, leader, leader_fd);
		return *ret != NO_PMUDEV;
	}
	if (leader)
		*ret = make_room_at_perf(attr, pid, cpu, leader, leader_fd, flags);
	return leader;
}

bool perf_open(const struct perf_event_attr *from, pid_t pid, int cpu, int leader_fd,
	       unsigned long flags, int *ret)
{
	struct perf_event_attr attr;
	bool ours;

	/* What a child of vfork(2) opens its parent must not have in its table. */
	if (perf_is_borrowed() || !attr_take(&attr, from))
		return false;
	memory_know_stack();
	/* Another thread closes the leader, or makes it perf's: as if it had done that before. */
	do
		ours = open_once(&attr, pid, cpu, leader_fd, flags, ret);
	while (ours && *ret == -ESTALE);
	return ours;
}

void perf_close(struct event *event, int fd)
{
	if (event->ring.begin)
		ring_forget(event);
	/* A child has copies: the event is its parent's. Or it is perf's. */
	if (group_is_copy(event->group) || atomic_load(&event->given))
		fd = -1;
	group_remove(event->group, event, fd);
}
