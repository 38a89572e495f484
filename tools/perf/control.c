// SPDX-License-Identifier: MIT
/* ioctl(2) and prctl(2) of events */
#define _GNU_SOURCE
#include <errno.h>

#include "calls.h"
#include "given.h"
#include "group.h"
#include "memory.h"
#include "real.h"
#include "set.h"
#include "table.h"

/* Its group is locked. */
static void reset(struct event *event, int fd)
{
	const uint32_t slot = atomic_load(&event->slot);
	union pmudev_record_buffer all;
	struct pmudev_refusal why;

	/* The period goes on: the deadline, which is a count, stays where it is. */
	if (event->signals && group_read(fd, &all.record) > 0) {
		event->base.value -= event_count(event, &all.record).value;
		return;
	}
	event->base.value = 0;
	if (slot != NO_SLOT)
		set_control(fd, PMUDEV_IOC_RESET, PMUDEV_ALL, slot, 0, &why);
}

/* Is it off only until its target's exec? @waiting: group_waits() */
static bool waits(const struct event *event, bool waiting)
{
	return waiting && event->perf.enable_on_exec && event->perf.disabled;
}

/* Does the call concern it, too? */
static bool is_meant(const struct event *event, const struct event *named, bool all)
{
	return event == named || (all && event->group->leader);
}

/*
 * One event or all of its group; the group is locked. Disabled before its exec an event begins
 * there all the same.
 */
static void apply(struct event *event, int fd, unsigned long request, bool all, bool waiting)
{
	struct group *group = event->group;
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		struct event *other = group->events[i];

		if (!is_meant(other, event, all))
			continue;
		if (request == PERF_EVENT_IOC_RESET)
			reset(other, fd);
		else if (request == PERF_EVENT_IOC_ENABLE || !waits(other, waiting))
			other->on = request == PERF_EVENT_IOC_ENABLE;
		/* Until it is tried again. */
		if (request == PERF_EVENT_IOC_ENABLE)
			atomic_store(&other->failed, false);
	}
}

/*
 * What is enabled before its exec counts at once: in another set, in which nothing waits. Not if
 * others of the group go on waiting, or children may have been made, whom that set would not count.
 */
static int begin_now(struct event *event, int fd, bool all, struct pmudev_refusal *why)
{
	const struct group *group = event->group;
	unsigned int i, meant = 0, others = 0;
	int error;

	for (i = 0; i < group->nr; i++) {
		if (!waits(group->events[i], true))
			continue;
		if (is_meant(group->events[i], event, all))
			meant++;
		else
			others++;
	}
	if (!meant)
		return 0;
	if (others || group->target.flags & PMUDEV_BIND_INHERIT) {
		perf_explain_why("ioctl()", "events that wait for an exec are enabled by it, if "
					    "others of their group do, or children are counted");
		return -EINVAL;
	}
	error = group_stop_waiting(event->group, fd, why);
	/* Not for its being a copy */
	return error == -EPERM ? -EACCES : error;
}

/*
 * 0; -ESTALE: as event_lock(); -EPERM: what shares a set is in another slot afterwards, which the
 * process that has made it would not know; else why it cannot begin before its exec
 */
static int change_states(struct event *event, int fd, unsigned long request, bool all,
			 struct pmudev_refusal *why)
{
	struct held held;
	struct group *group = event_lock(event, fd, &held);
	bool waiting;
	int error = 0;

	if (!group)
		return -ESTALE;
	waiting = request != PERF_EVENT_IOC_RESET && group_waits(group, fd);
	if ((group->multiplexed || waiting) && group_is_copy(group)) {
		group_unlock(group, &held);
		return -EPERM;
	}
	atomic_fetch_add(&group->changes, 1);
	if (waiting && request == PERF_EVENT_IOC_ENABLE)
		error = begin_now(event, fd, all, why);
	if (!error)
		apply(event, fd, request, all, waiting);
	atomic_fetch_add(&group->changes, 1);
	group_unlock(group, &held);
	return error;
}

static int change(struct event *event, int fd, unsigned long request, bool all)
{
	struct pmudev_refusal why = { 0 };
	int error = change_states(event, fd, request, all, &why);

	if (error == -EPERM) {
		perf_explain_why("ioctl()",
				 "events that take turns, count children, or begin at an "
				 "exec are switched by the process that opened them");
		return error;
	}
	if (error && error != -ESTALE) {
		perf_explain("PERF_EVENT_IOC_ENABLE", error, &why);
		return error;
	}
	if (!error && request != PERF_EVENT_IOC_RESET)
		error = perf_update(event, fd, &why);
	if (!error || error == -ESTALE)
		return error;
	perf_explain("PERF_EVENT_IOC_ENABLE", error, &why);
	if (perf_settings.strict) {
		/* The others go on as before. */
		change_states(event, fd, PERF_EVENT_IOC_DISABLE, all, &why);
		perf_update(event, fd, &why);
		return error;
	}
	/* perf's call succeeds, and the event counts later or never. */
	atomic_store(&event->failed, event->perf.pinned);
	return 0;
}

/* Does a sample of its group carry its identifier? The group is locked. */
static bool is_in_samples(const struct event *event)
{
	const struct group *group = event->group;
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		if (samples_tell_group(&group->events[i]->perf))
			return true;
	return samples_tell_ids(&event->perf);
}

/* Samples that carry it must be perf's, as the ring will be: then it is perf's that is told. */
static int tell_id(struct event *event, int fd, void *to)
{
	struct group *group;
	struct held held;
	bool carried;
	uint64_t id;

	group = event_lock(event, fd, &held);
	if (!group)
		return -ESTALE;
	carried = is_in_samples(event);
	group_unlock(group, &held);
	if (carried && !perf_hand_over(event, fd, NULL))
		return -ESTALE;
	/* A hand-over sees that it was told, or comes first. */
	group = event_lock(event, fd, &held);
	if (!group)
		return -ESTALE;
	atomic_store(&group->told, true);
	id = event->id;
	group_unlock(group, &held);
	return memory_write(to, &id, sizeof(id));
}

static int take_period(struct event *event, int fd, const void *from)
{
	uint64_t period;

	return memory_read(&period, from, sizeof(period)) ?: perf_set_period(event, fd, period);
}

/* What of an event decides whose a call is */
struct sampled {
	struct target target;
	bool period;
	bool ring; /* or a page */
};

/* 0 or -ESTALE: as event_lock() */
static int look(struct event *event, int fd, struct sampled *sampled)
{
	struct held held;
	struct group *group = event_lock(event, fd, &held);

	if (!group)
		return -ESTALE;
	*sampled = (struct sampled){
		.target = group->target,
		.period = event->period,
		.ring = event->ring.begin || event->attr.flags & PMUDEV_USER_READ,
	};
	group_unlock(group, &held);
	return 0;
}

/* Of calls that only perf can do. -ESTALE: it shall. */
static int give_away(struct event *event, int fd, const char *what)
{
	const int error = perf_hand_over(event, fd, what);

	return error ? error : -ESTALE;
}

static bool is_same_target(const struct target *a, const struct target *b)
{
	return a->kind == b->kind && a->id == b->id;
}

/* The ring becomes perf's, and both events: first its own. Without samples nothing changes. */
static int set_output(struct event *event, int fd, unsigned long arg)
{
	struct event *output = arg == ~0UL ? NULL : table_find((int)arg);
	struct sampled own, other;
	int error = look(event, fd, &own);
	uint64_t id;

	if (error)
		return error;
	if (arg == ~0UL)
		return own.ring ? -EINVAL : 0;
	if (!output && real()->ioctl((int)arg, PERF_EVENT_IOC_ID, &id))
		return -EBADF;
	if (output == event || own.ring)
		return -EINVAL;
	if (output && !look(output, (int)arg, &other)) {
		if (!is_same_target(&own.target, &other.target))
			return -EINVAL;
		if (!other.ring)
			return -EINVAL;
		if (own.period && !perf_may_hand_over(event, fd))
			return -EINVAL;
		error = own.period ? perf_hand_over(output, (int)arg, "ioctl()") : 0;
		if (error && error != -ESTALE)
			return error;
	}
	return own.period ? give_away(event, fd, "ioctl()") : 0;
}

/* Events of counters have none, but perf reads it. */
static int set_filter(const void *from)
{
	char first;

	return memory_read(&first, from, sizeof(first)) ?: -EINVAL;
}

static int refresh(struct event *event, int fd, int limit)
{
	struct sampled sampled;
	int error = look(event, fd, &sampled);

	if (!error)
		error = sampled.period ? perf_refresh(event, fd, limit) : -EINVAL;
	return error == -EOPNOTSUPP ? give_away(event, fd, "PERF_EVENT_IOC_REFRESH") : error;
}

/* What needs perf's ring, or any of an event with samples. */
static int leave_to_perf(struct event *event, int fd, bool ring)
{
	struct sampled sampled;
	int error = look(event, fd, &sampled);

	if (error)
		return error;
	return sampled.period && (sampled.ring || !ring) ? give_away(event, fd, "ioctl()") :
							   -EINVAL;
}

/* perf does all but that. */
static int control_given(struct event *event, int fd, unsigned long request, unsigned long arg)
{
	given_wait(event->group);
	if ((unsigned int)request != PERF_EVENT_IOC_ID || !given_is_there(event, fd))
		return -ESTALE;
	return memory_write((void *)arg, &event->id, sizeof(event->id));
}

int perf_control(struct event *event, int fd, unsigned long request, unsigned long arg)
{
	if (atomic_load(&event->given))
		return control_given(event, fd, request, arg);
	switch ((unsigned int)request) {
	case PERF_EVENT_IOC_ENABLE:
	case PERF_EVENT_IOC_DISABLE:
	case PERF_EVENT_IOC_RESET:
		return change(event, fd, (unsigned int)request, arg & PERF_IOC_FLAG_GROUP);
	case PERF_EVENT_IOC_ID:
		return tell_id(event, fd, (void *)arg);
	case (unsigned int)PERF_EVENT_IOC_PERIOD:
		return take_period(event, fd, (const void *)arg);
	case PERF_EVENT_IOC_REFRESH:
		return refresh(event, fd, (int)arg);
	case PERF_EVENT_IOC_SET_OUTPUT:
		return set_output(event, fd, arg);
	case (unsigned int)PERF_EVENT_IOC_SET_FILTER:
		return set_filter((const void *)arg);
	case (unsigned int)PERF_EVENT_IOC_PAUSE_OUTPUT:
	case (unsigned int)PERF_EVENT_IOC_SET_BPF:
		return leave_to_perf(event, fd, (unsigned int)request != PERF_EVENT_IOC_SET_BPF);
	default:
		/* Of any file */
		return real()->ioctl(fd, request, arg) ? -errno : 0;
	}
}

int perf_enable(struct event *event, int fd, bool on)
{
	return change(event, fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, false);
}
