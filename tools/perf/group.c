// SPDX-License-Identifier: MIT
/* What of a group counts, and how much. */
#define _GNU_SOURCE
#include <errno.h>

#include "group.h"
#include "real.h"
#include "set.h"

/* -------------------------------------------------------------------------- sets -- */

int target_open(const struct target *target, bool cloexec, struct pmudev_refusal *why)
{
	int fd = set_open(cloexec), error;

	if (fd < 0)
		return fd;
	error = set_bind(fd, target, why);
	if (!error)
		return fd;
	real()->close(fd);
	return error;
}

struct count event_count(const struct event *event, const struct pmudev_record *record)
{
	const uint32_t slot = atomic_load_explicit(&event->slot, memory_order_relaxed);
	const struct pmudev_count *now = &record->counts[slot];
	struct count count = event->base;

	if (slot >= record->nr)
		return count;
	count.value += now->value;
	count.enabled += now->time_enabled;
	count.running += now->time_running;
	return count;
}

/* ------------------------------------------------------------------------ events -- */

static int control(int fd, unsigned long request, uint32_t number, struct pmudev_refusal *why)
{
	return set_control(fd, request, number, PMUDEV_ALL, 0, why);
}

/* In the group's own set each event is a group. */
static unsigned int free_number(const struct group *group)
{
	uint64_t used = 0;
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		used |= 1ULL << group->events[i]->attr.group;
	return __builtin_ctzll(~used);
}

static int add_one(struct event *event, int fd, struct pmudev_refusal *why)
{
	uint32_t slot;
	int error = set_add(fd, &event->attr, &slot, why);

	if (!error)
		atomic_store(&event->slot, slot);
	return error;
}

/* Would all of them be on counters at the same time? Asked of a set that nobody has. */
static int check_size(const struct group *group, const struct event *event,
		      struct pmudev_refusal *why)
{
	struct pmudev_event_attr attrs[PMUDEV_MAX_EVENTS];
	unsigned int i, nr = 0;
	int fd, error;

	for (i = 0; i < group->nr; i++)
		if (!group->events[i]->dummy)
			attrs[nr++] = group->events[i]->attr;
	if (!event->dummy)
		attrs[nr++] = event->attr;
	for (i = 0; i < nr; i++) {
		attrs[i].group = 0;
		attrs[i].flags &= ~(PMUDEV_MULTIPLEX | PMUDEV_USER_READ);
	}
	if (nr < 2)
		return 0;
	fd = target_open(&group->target, true, why);
	if (fd < 0)
		return fd == -EBUSY ? 0 : fd;
	error = set_place(fd, attrs, nr, why);
	real()->close(fd);
	/* Others may make room; if there are too many nobody can. */
	return error == -EBUSY ? 0 : error;
}

int group_add(struct group *group, struct event *event, int fd, struct pmudev_refusal *why)
{
	int error = 0;

	if (group->nr == PMUDEV_MAX_EVENTS)
		return -EINVAL;
	if (group->nr)
		error = check_size(group, event, why);
	/* Among those that take turns it is added when it counts. */
	if (!error && !group->multiplexed && !event->dummy) {
		event->attr.group = free_number(group);
		error = add_one(event, fd, why);
	}
	if (error)
		return error;
	atomic_fetch_add(&group->changes, 1);
	event->group = group;
	group->events[group->nr++] = event;
	atomic_fetch_add(&group->changes, 1);
	return 0;
}

static bool is_of(const struct event *event, uint32_t number)
{
	return event_in_set(event) && (number == PMUDEV_ALL || event->attr.group == number);
}

/*
 * The events of one of pmudev's groups, or PMUDEV_ALL: what they have counted is kept, and they
 * are in no set. 0 or -errno.
 */
static int take_out(struct group *group, uint32_t number, int fd, struct pmudev_refusal *why)
{
	union pmudev_record_buffer all;
	unsigned int i, nr = 0;
	int error;

	for (i = 0; i < group->nr; i++)
		nr += is_of(group->events[i], number);
	/* pmudev refuses what concerns no event. */
	if (!nr)
		return 0;
	control(fd, PMUDEV_IOC_DISABLE, number, why);
	error = group_read(fd, &all.record) < 0 ? -EBADF :
						  control(fd, PMUDEV_IOC_REMOVE, number, why);
	for (i = 0; i < group->nr; i++) {
		struct event *event = group->events[i];

		if (!is_of(event, number))
			continue;
		/* Off in any case */
		event->counting = false;
		if (error)
			continue;
		event->base = event_count(event, &all.record);
		atomic_store(&event->slot, NO_SLOT);
	}
	return error;
}

int event_add_again(struct event *event, int fd, uint32_t flags, struct pmudev_refusal *why)
{
	const bool counting = event->counting;
	int error = take_out(event->group, event->attr.group, fd, why);

	event->attr.flags = flags;
	if (!error)
		error = add_one(event, fd, why);
	/* The new slot has the whole count; its times begin now. */
	if (!error && !set_control(fd, PMUDEV_IOC_RESET, PMUDEV_ALL, atomic_load(&event->slot),
				   event->base.value, why))
		event->base.value = 0;
	if (!error && counting)
		error = control(fd, PMUDEV_IOC_ENABLE, event->attr.group, why);
	event->counting = counting && !error;
	return error;
}

static void remove_from_list(struct group *group, struct event *event)
{
	unsigned int i, at;

	if (group->leader == event)
		group->leader = NULL;
	for (at = 0; at < group->nr && group->events[at] != event; at++)
		;
	if (at < group->nr)
		group->nr--;
	for (i = at; i < group->nr; i++)
		group->events[i] = group->events[i + 1];
}

void group_remove(struct group *group, struct event *event, int fd)
{
	struct pmudev_refusal why;

	atomic_fetch_add(&group->changes, 1);
	/* Those that take turns are one group. */
	if (fd >= 0 && event_in_set(event))
		take_out(group, event->attr.group, fd, &why);
	remove_from_list(group, event);
	atomic_fetch_add(&group->changes, 1);
	if (fd >= 0 && group->nr)
		group_update(group, fd, &why);
}

/* ---------------------------------------------------------------------- counting -- */

static bool wanted(const struct group *group, const struct event *event)
{
	return event->on && (!group->leader || group->leader->on);
}

/* How many of its events, those that count nothing aside, are wanted; @all: or how many it has */
static unsigned int nr_wanted(const struct group *group, bool all)
{
	unsigned int i, nr = 0;

	for (i = 0; i < group->nr; i++)
		nr += !group->events[i]->dummy && (all || wanted(group, group->events[i]));
	return nr;
}

bool group_is_wanted(const struct group *group)
{
	return nr_wanted(group, false);
}

bool group_waits(const struct group *group, int fd)
{
	union pmudev_record_buffer all;
	unsigned int i;

	if (!(group->target.flags & PMUDEV_BIND_ON_EXEC) || group_read(fd, &all.record) < 0 ||
	    !(all.record.flags & PMUDEV_RECORD_ARMED))
		return false;
	for (i = 0; i < group->nr; i++)
		if (event_count(group->events[i], &all.record).enabled)
			return false;
	return true;
}

/* Those that shall count, all at one moment if all of them shall. */
static int switch_on(struct group *group, int fd, struct pmudev_refusal *why)
{
	unsigned int i, on = nr_wanted(group, false);
	const bool all = on && on == nr_wanted(group, true);
	int error = 0;

	group->counted |= on;
	if (all)
		error = control(fd, PMUDEV_IOC_ENABLE, PMUDEV_ALL, why);
	for (i = 0; i < group->nr && !error; i++) {
		struct event *event = group->events[i];

		if (event->dummy || !wanted(group, event) || event->counting)
			continue;
		if (!all)
			error = control(fd, PMUDEV_IOC_ENABLE, event->attr.group, why);
		event->counting = !error;
	}
	return error;
}

static void switch_off(struct group *group, int fd)
{
	struct pmudev_refusal why;
	unsigned int i, on = nr_wanted(group, false);

	if (!on)
		control(fd, PMUDEV_IOC_DISABLE, PMUDEV_ALL, &why);
	for (i = 0; i < group->nr; i++) {
		struct event *event = group->events[i];

		if (wanted(group, event) || !event->counting)
			continue;
		if (on)
			control(fd, PMUDEV_IOC_DISABLE, event->attr.group, &why);
		event->counting = false;
	}
}

/* Among those that take turns it is one group, of the events that shall count. */
static int add_wanted(struct group *group, int fd, struct pmudev_refusal *why)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < group->nr && !error; i++) {
		struct event *event = group->events[i];

		if (event->dummy || !wanted(group, event))
			continue;
		event->attr.group = group->number;
		event->attr.flags |= PMUDEV_MULTIPLEX;
		event->attr.flags &= ~PMUDEV_USER_READ;
		error = add_one(event, fd, why);
		event->counting = !error;
	}
	if (error || !nr_wanted(group, false))
		return error;
	group->counted = true;
	error = control(fd, PMUDEV_IOC_ENABLE, group->number, why);
	group->in_turns = !error;
	return error;
}

static int update_multiplexed(struct group *group, int fd, struct pmudev_refusal *why)
{
	int error;

	atomic_fetch_add(&group->changes, 1);
	group->in_turns = false;
	error = take_out(group, group->number, fd, why);
	if (!error)
		error = add_wanted(group, fd, why);
	atomic_fetch_add(&group->changes, 1);
	return error;
}

int group_update(struct group *group, int fd, struct pmudev_refusal *why)
{
	struct pmudev_refusal other;
	unsigned int i;
	int error;

	if (group->multiplexed)
		return update_multiplexed(group, fd, why);
	switch_off(group, fd);
	error = switch_on(group, fd, why);
	if (!error)
		return 0;
	control(fd, PMUDEV_IOC_DISABLE, PMUDEV_ALL, &other);
	for (i = 0; i < group->nr; i++)
		group->events[i]->counting = false;
	return error;
}

int group_move(struct group *group, int fd, int shared, unsigned int number,
	       struct pmudev_refusal *why)
{
	int error;

	atomic_fetch_add(&group->changes, 1);
	error = take_out(group, PMUDEV_ALL, fd, why);
	if (!error) {
		group->number = number;
		group->multiplexed = true;
		perf_replace(group, shared);
		error = add_wanted(group, fd, why);
	}
	atomic_fetch_add(&group->changes, 1);
	return error;
}

int group_stop_waiting(struct group *group, int fd, struct pmudev_refusal *why)
{
	struct target target = group->target;
	unsigned int i;
	int error, now;

	target.flags &= ~PMUDEV_BIND_ON_EXEC;
	now = target_open(&target, true, why);
	if (now < 0)
		return now;
	error = take_out(group, group->multiplexed ? group->number : PMUDEV_ALL, fd, why);
	if (!error) {
		group->target = target;
		group->multiplexed = false;
		group->in_turns = false;
		perf_replace(group, now);
	}
	for (i = 0; i < group->nr && !error; i++) {
		struct event *event = group->events[i];

		if (event->dummy)
			continue;
		event->attr.group = i;
		event->attr.flags &= ~PMUDEV_MULTIPLEX;
		error = add_one(event, now, why);
	}
	real()->close(now);
	return error;
}
