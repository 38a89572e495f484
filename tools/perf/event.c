// SPDX-License-Identifier: MIT
/* Events as perf_event_open() makes them, and as they are closed, read and controlled. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "group.h"
#include "real.h"

/* -------------------------------------------------------------------------- open -- */

static uint64_t new_id(void)
{
	static _Atomic uint64_t last;

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
	int fd, error;

	if (leader_fd >= 0) {
		fd = real()->fcntl(leader_fd, cloexec ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
		return fd < 0 ? -errno : fd;
	}
	fd = set_open(cloexec);
	if (fd < 0)
		return fd;
	error = set_bind(fd, target->kind, target->id, target->flags, &why);
	if (!error)
		return fd;
	perf_explain("perf_event_open()", error, &why);
	real()->close(fd);
	return as_perf(error);
}

static struct event *make(const struct perf_event_attr *attr, const struct pmudev_event_attr *to)
{
	struct event *event = event_new();

	if (!event)
		return NULL;
	event->id = new_id();
	event->read_format = attr->read_format;
	event->attr = *to;
	event->attr.tag = event->id;
	event->pinned = attr->pinned;
	event->owner = syscall(SYS_gettid);
	/* Without the exec that it waits for, it is off. */
	event->on = !attr->disabled || attr->enable_on_exec;
	event->refs = 1;
	return event;
}

/* Without counters the group takes turns with others. The group is not locked. */
static int update(struct group *group, int fd, struct pmudev_refusal *why)
{
	sigset_t before;
	bool may_share;
	int error;

	group_lock(group, &before);
	error = group_update(group, fd, why);
	may_share = !perf_settings.strict && group->nr && !group->events[0]->pinned;
	group_unlock(group, &before);
	if ((error != -ENOSPC && error != -EBUSY) || !may_share)
		return error;
	perf_explain("these events take turns with others, and their counts are parts", error, why);
	return group_share(group, fd, why);
}

/* Nobody else knows the event yet. */
static int put_in(struct group *group, struct event *event, int fd, bool leads)
{
	struct pmudev_refusal why = { 0 };
	sigset_t before;
	int error;

	group_lock(group, &before);
	error = group_add(group, event, fd, &why);
	if (!error && leads)
		group->leader = event;
	group_unlock(group, &before);
	if (!error) {
		error = update(group, fd, &why);
		/* A pinned event is there, and reads as the end of the file. */
		if (error && event->pinned && !perf_settings.strict) {
			atomic_store(&event->failed, true);
			error = 0;
		} else if (error) {
			group_lock(group, &before);
			group_remove(group, event, fd);
			group_unlock(group, &before);
		}
	}
	if (error)
		perf_explain("perf_event_open()", error, &why);
	return as_perf(error);
}

/* What perf refuses, too, and what pmudev has no way to do. */
static bool is_ours(const struct perf_event_attr *attr, pid_t pid, int cpu, bool member,
		    unsigned long flags, struct pmudev_event_attr *to)
{
	/* Of a thread on one CPU only, and of control groups, pmudev has none. */
	if ((flags & PERF_FLAG_PID_CGROUP) || (pid >= 0 && cpu >= 0) || (pid < 0 && cpu < 0))
		return false;
	return perf_encode(attr, to) && (!member || !(flags & PERF_FLAG_FD_NO_GROUP));
}

int perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu, struct event *leader,
	      int leader_fd, unsigned long flags, bool *ours, struct event **made)
{
	struct pmudev_event_attr to;
	struct target target;
	struct group *group;
	struct event *event;
	int fd, error;

	*ours = is_ours(attr, pid, cpu, leader, flags, &to);
	if (!*ours)
		return 0;
	target = target_of(attr, pid, cpu);
	fd = open_fd(&target, leader ? leader_fd : -1, flags & PERF_FLAG_FD_CLOEXEC);
	if (fd == -ENOENT || fd == -ENXIO || fd == -ENODEV) {
		/* pmudev is not there. */
		*ours = false;
		return 0;
	}
	if (fd < 0)
		return fd;
	event = make(attr, &to);
	if (!event) {
		real()->close(fd);
		return -ENOMEM;
	}
	group = leader ? leader->group : group_new(&target);
	error = group ? put_in(group, event, fd, !leader) : -ENOMEM;
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
	struct group *group = event->group;
	sigset_t before;
	bool last;

	group_lock(group, &before);
	group_remove(group, event, fd);
	last = !group->nr;
	group_unlock(group, &before);
	event_free(event);
	if (last)
		group_free(group);
}

/* -------------------------------------------------------------------------- read -- */

/* What read(2) returns, as it is written */
struct answer {
	uint64_t words[3 + 3 * PMUDEV_MAX_EVENTS];
	unsigned int nr;
};

static void put(struct answer *answer, uint64_t word)
{
	answer->words[answer->nr++] = word;
}

static void put_times(struct answer *answer, const struct event *event, const struct count *count)
{
	if (event->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		put(answer, count->enabled);
	if (event->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		put(answer, count->running);
}

static void put_names(struct answer *answer, const struct event *of, uint64_t format)
{
	if (format & PERF_FORMAT_ID)
		put(answer, of->id);
	if (format & PERF_FORMAT_LOST)
		put(answer, 0);
}

static void answer_one(struct answer *answer, const struct event *event,
		       const struct pmudev_record *record)
{
	struct count count = event_count(event, record);

	put(answer, count.value);
	put_times(answer, event, &count);
	put_names(answer, event, event->read_format);
}

/* All events of its group; without the leader each is a group. */
static void answer_group(struct answer *answer, const struct event *event,
			 const struct pmudev_record *record)
{
	const struct group *group = event->group;
	const struct event *leader = group->leader;
	struct count count = event_count(leader ? leader : event, record);
	unsigned int i, nr = leader ? group->nr : 1;

	put(answer, nr);
	put_times(answer, event, &count);
	for (i = 0; i < nr && i < PMUDEV_MAX_EVENTS; i++) {
		const struct event *other = leader ? group->events[i] : event;

		put(answer, event_count(other, record).value);
		put_names(answer, other, event->read_format);
	}
}

ssize_t perf_read(struct event *event, int fd, void *buf, size_t size)
{
	struct group *group = event->group;
	struct answer answer;
	unsigned int before;
	union record all;
	ssize_t got;
	int tries = 0;

	if (atomic_load(&event->failed))
		return 0;
	/* A handler of this thread's own change waits for nobody. */
	do {
		before = atomic_load(&group->changes);
		got = group_read(fd, &all.record);
		if (got < 0)
			return got;
		answer.nr = 0;
		if (event->read_format & PERF_FORMAT_GROUP)
			answer_group(&answer, event, &all.record);
		else
			answer_one(&answer, event, &all.record);
	} while ((before & 1 || before != atomic_load(&group->changes)) && ++tries < 1000);
	if (size < answer.nr * sizeof(answer.words[0]))
		return -ENOSPC;
	memcpy(buf, answer.words, answer.nr * sizeof(answer.words[0]));
	return answer.nr * sizeof(answer.words[0]);
}

/* ----------------------------------------------------------------------- control -- */

/* Its group is locked. */
static void reset(struct event *event, int fd)
{
	const uint32_t slot = atomic_load(&event->slot);
	struct pmudev_refusal why;

	event->base.value = 0;
	if (slot < PMUDEV_MAX_EVENTS)
		set_control(fd, PMUDEV_IOC_RESET, PMUDEV_ALL, slot, 0, &why);
}

/* One event or all of its group; the group is locked. */
static void apply(struct event *event, int fd, unsigned long request, bool all)
{
	struct group *group = event->group;
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		struct event *other = group->events[i];

		if (!all && other != event)
			continue;
		if (request == PERF_EVENT_IOC_RESET)
			reset(other, fd);
		else
			other->on = request == PERF_EVENT_IOC_ENABLE;
		atomic_store(&other->failed, false);
	}
}

static int change(struct event *event, int fd, unsigned long request, bool all)
{
	struct pmudev_refusal why = { 0 };
	sigset_t before;
	int error = 0;

	group_lock(event->group, &before);
	atomic_fetch_add(&event->group->changes, 1);
	apply(event, fd, request, all);
	atomic_fetch_add(&event->group->changes, 1);
	group_unlock(event->group, &before);
	if (request != PERF_EVENT_IOC_RESET)
		error = update(event->group, fd, &why);
	if (error)
		perf_explain("PERF_EVENT_IOC_ENABLE", error, &why);
	/* perf's call succeeds, and the event counts later or never. */
	if (error && !perf_settings.strict) {
		atomic_store(&event->failed, event->pinned);
		error = 0;
	}
	return error;
}

int perf_control(struct event *event, int fd, unsigned long request, unsigned long arg)
{
	switch (request) {
	case PERF_EVENT_IOC_ENABLE:
	case PERF_EVENT_IOC_DISABLE:
	case PERF_EVENT_IOC_RESET:
		return change(event, fd, request, arg & PERF_IOC_FLAG_GROUP);
	case PERF_EVENT_IOC_ID:
		memcpy((void *)arg, &event->id, sizeof(event->id));
		return 0;
	/* Of events that have samples. */
	case PERF_EVENT_IOC_REFRESH:
	case PERF_EVENT_IOC_PERIOD:
	case PERF_EVENT_IOC_SET_OUTPUT:
	case PERF_EVENT_IOC_SET_FILTER:
	case PERF_EVENT_IOC_SET_BPF:
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
		return -EINVAL;
	default:
		return -ENOTTY;
	}
}

int perf_enable(struct event *event, int fd, bool on)
{
	return change(event, fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, false);
}
