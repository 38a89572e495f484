/* SPDX-License-Identifier: MIT */
/* Groups and events: made, found again, and what of them counts. */
#ifndef GROUP_H
#define GROUP_H

#include <errno.h>

#include "event.h"
#include "set.h"

/* It is in no set. */
#define NO_SLOT PMUDEV_MAX_EVENTS

static inline bool event_in_set(const struct event *event)
{
	return atomic_load(&event->slot) != NO_SLOT;
}

/* Has another process made it, which forked this one? What changes here does not change there. */
static inline bool group_is_copy(const struct group *group)
{
	return group->process != perf_process;
}

/* Its samples carry identifiers, which nobody can change in a ring of perf's. */
static inline bool samples_tell_ids(const struct perf_event_attr *attr)
{
	return attr->sample_period &&
	       (attr->sample_type &
			(PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER) ||
		(attr->sample_type & PERF_SAMPLE_READ && attr->read_format & PERF_FORMAT_ID));
}

/* Also those of its whole group */
static inline bool samples_tell_group(const struct perf_event_attr *attr)
{
	return samples_tell_ids(attr) && attr->sample_type & PERF_SAMPLE_READ &&
	       attr->read_format & PERF_FORMAT_ID && attr->read_format & PERF_FORMAT_GROUP;
}

/* A descriptor of a new set that counts @target, or -errno; refused by pmudev: why->code is set */
int target_open(const struct target *target, bool cloexec, struct pmudev_refusal *why);

/* The list of all groups, which are in it from group_new() to group_free() */
void list_lock(struct held *held);
void list_unlock(const struct held *held);
struct group *group_first(void);

/* NULL: no memory. What is returned was zeroed, and is never given back to the C library. */
struct event *event_new(void);
void event_free(struct event *event);
struct group *group_new(const struct target *target);
void group_free(struct group *group);

/*
 * Adds an event, which is off. The group is locked, as for all that follows. @fd: one of its
 * descriptors. 0 or -errno.
 */
int group_add(struct group *group, struct event *event, int fd, struct pmudev_refusal *why);

/*
 * One of a group that takes no turns, in another slot with @flags, and on if it was. The group's
 * @changes is odd. 0 or -errno: it is in no slot, or off.
 */
int event_add_again(struct event *event, int fd, uint32_t flags, struct pmudev_refusal *why);

/* It is gone: what it had counted, too. @fd: -1: the set is, too */
void group_remove(struct group *group, struct event *event, int fd);

/*
 * What is to count counts, what is not does not. -ENOSPC, -EBUSY: there are no counters, and none
 * of the group counts.
 */
int group_update(struct group *group, int fd, struct pmudev_refusal *why);

/* Shall any of its events count? */
bool group_is_wanted(const struct group *group);

/* Does its target's exec, at which its events begin, lie ahead, and has no child counted? */
bool group_waits(const struct group *group, int fd);

/*
 * Of one that waits: it gets a set that counts as soon as its events are on. Its @changes is odd.
 * 0 or -errno: it waits, or none of it counts.
 */
int group_stop_waiting(struct group *group, int fd, struct pmudev_refusal *why);

/*
 * turns.c: the same of a group that is not locked, which the event is in; without counters it takes
 * turns with others. -ESTALE: as event_lock()
 */
int perf_update(struct event *event, int fd, struct pmudev_refusal *why);

/*
 * A group whose set must not change, for children are counted by it: it shares the set of others
 * from its beginning on. @fd: of its own set; may become that of another. The list is locked until
 * an event is in the group. 0 or -errno.
 */
int group_join(struct group *group, int fd);

/* Part of taking turns (turns.c): it becomes group @number of the set of @shared. 0 or -errno. */
int group_move(struct group *group, int fd, int shared, unsigned int number,
	       struct pmudev_refusal *why);

/* Reads the set. Return: as set_read(). Inline: every read(2) of an event does it. */
static inline ssize_t group_read(int fd, struct pmudev_record *record)
{
	ssize_t got = set_read(fd, record, sizeof(union pmudev_record_buffer));

	if (got < 0)
		return got;
	/* Else it is no set's any more. */
	return got >= (ssize_t)sizeof(*record) && (ssize_t)record->size == got ? got : -EBADF;
}

/* Of one event, with what it had counted before; zeros if it is not there. */
struct count event_count(const struct event *event, const struct pmudev_record *record);

#endif /* GROUP_H */
