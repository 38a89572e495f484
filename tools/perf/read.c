// SPDX-License-Identifier: MIT
/* read(2) of events, in perf's formats. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>

#include "calls.h"
#include "given.h"
#include "group.h"
#include "memory.h"
#include "set.h"
#include "table.h"

/* What read(2) returns, as it is written */
struct answer {
	uint64_t words[3 + 3 * PMUDEV_MAX_EVENTS];
	unsigned int nr;
};

static void put(struct answer *answer, uint64_t word)
{
	answer->words[answer->nr++] = word;
}

/* Return: bytes or -errno, as read(2) does. @size: of @buf */
static ssize_t answer_write(void *buf, size_t size, const uint64_t *words, size_t nr)
{
	const size_t bytes = nr * sizeof(*words);

	if (size < bytes)
		return -ENOSPC;
	return memory_write(buf, words, bytes) ? -EFAULT : (ssize_t)bytes;
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
		put(answer, of->lost);
}

/* Of an event that counts nothing: those of one beside it that does */
static struct count times_of(const struct event *event, const struct pmudev_record *record)
{
	const struct group *group = event->group;
	unsigned int i;

	for (i = 0; event->dummy && i < group->nr && i < PMUDEV_MAX_EVENTS; i++)
		/* Neither while the group becomes another one. */
		if (group->events[i] && !group->events[i]->dummy)
			event = group->events[i];
	return event_count(event, record);
}

static void answer_one(struct answer *answer, const struct event *event,
		       const struct pmudev_record *record)
{
	struct count count = times_of(event, record);

	put(answer, event->dummy ? 0 : count.value);
	put_times(answer, event, &count);
	put_names(answer, event, event->read_format);
}

/* All events of its group; without the leader each is a group. */
static void answer_group(struct answer *answer, const struct event *event,
			 const struct pmudev_record *record)
{
	const struct group *group = event->group;
	const struct event *leader = group->leader;
	struct count count = times_of(leader ? leader : event, record);
	unsigned int i, nr = leader ? group->nr : 1;

	put(answer, nr);
	put_times(answer, event, &count);
	for (i = 0; i < nr && i < PMUDEV_MAX_EVENTS; i++) {
		const struct event *other = leader ? group->events[i] : event;

		/* The group becomes another one: this is tried again. */
		if (!other)
			break;
		put(answer, event_count(other, record).value);
		put_names(answer, other, event->read_format);
	}
}

/* Was it closed, and its number is another file's, or nobody's? */
static bool is_lost(struct event *event, int fd)
{
	if (table_find(fd) == event && fd_is_set(fd))
		return false;
	table_forget(fd, event);
	return true;
}

/* Or that of another set? Tags are identifiers. */
static bool is_in(const struct event *event, const struct pmudev_record *record)
{
	const uint32_t slot = atomic_load(&event->slot);

	return slot == NO_SLOT || (slot < record->nr && record->counts[slot].tag == event->id);
}

bool perf_is_its(const struct event *event, int fd)
{
	union pmudev_record_buffer all;

	if (atomic_load(&event->given) || !fd_is_set(fd))
		return event_is_there(event, fd);
	return group_read(fd, &all.record) >= 0 && is_in(event, &all.record);
}

enum taken {
	TAKEN,
	AGAIN,
	GONE,
	ANOTHER_SET,
};

/* @got: out: of GONE: what reading the set said */
static enum taken take(struct event *event, int fd, struct answer *answer, ssize_t *got)
{
	struct group *group = event->group;
	const unsigned int before = atomic_load(&group->changes);
	union pmudev_record_buffer all;
	bool found;

	if (before & 1)
		return AGAIN;
	*got = group_read(fd, &all.record);
	if (*got < 0)
		return before == atomic_load(&group->changes) ? GONE : AGAIN;
	answer->nr = 0;
	if (event->read_format & PERF_FORMAT_GROUP)
		answer_group(answer, event, &all.record);
	else
		answer_one(answer, event, &all.record);
	found = is_in(event, &all.record);
	atomic_thread_fence(memory_order_acquire);
	if (before != atomic_load(&group->changes))
		return AGAIN;
	return found ? TAKEN : ANOTHER_SET;
}

/*
 * The thread that changes the group has signals blocked: no handler waits for itself. It may have a
 * lower priority than this thread, which therefore sleeps until the change is there.
 */
static enum taken take_in_time(struct event *event, int fd, struct answer *answer, ssize_t *got)
{
	struct group *group;
	enum taken taken = AGAIN;
	unsigned int tries;
	struct held held;

	for (tries = 0; taken == AGAIN && tries < PERF_TRIES; tries++) {
		if (tries)
			sched_yield();
		taken = take(event, fd, answer, got);
	}
	/* Its place in memory may be an event's of another group by then. */
	while (taken == AGAIN && (group = event->group)) {
		group_lock(group, &held);
		taken = take(event, fd, answer, got);
		group_unlock(group, &held);
	}
	return taken;
}

/*
 * What programs read most: an event without its group, which is in its set, and nobody changes that
 * meanwhile. It takes two thirds of the instructions of the long way. 0: it is not so, and nothing
 * was written.
 */
static ssize_t read_alone(const struct event *event, const struct group *group, int fd, void *buf,
			  size_t size)
{
	const unsigned int before = atomic_load_explicit(&group->changes, memory_order_acquire);
	const uint64_t format = event->read_format;
	uint64_t words[5], *next = words;
	union pmudev_record_buffer all;
	const struct pmudev_count *now;
	uint32_t slot;

	if (format & PERF_FORMAT_GROUP || before & 1 || group_read(fd, &all.record) < 0)
		return 0;
	slot = atomic_load_explicit(&event->slot, memory_order_relaxed);
	now = &all.record.counts[slot];
	if (slot >= all.record.nr || now->tag != event->id)
		return 0;
	*next++ = event->base.value + now->value;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*next++ = event->base.enabled + now->time_enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*next++ = event->base.running + now->time_running;
	if (format & PERF_FORMAT_ID)
		*next++ = event->id;
	if (format & PERF_FORMAT_LOST)
		*next++ = event->lost;
	/* The count's place and base are read before it is asked whether they changed. */
	atomic_thread_fence(memory_order_acquire);
	if (before != atomic_load_explicit(&group->changes, memory_order_relaxed))
		return 0;
	return answer_write(buf, size, words, next - words);
}

ssize_t perf_read(struct event *event, int fd, void *buf, size_t size)
{
	struct group *group = event->group;
	struct answer answer;
	enum taken taken;
	ssize_t got;

	/* It is closed at this moment. */
	if (!group)
		return -ESTALE;
	if (atomic_load(&event->given))
		return given_read(event, fd, buf, size);
	if (event->read_format & PERF_FORMAT_ID)
		atomic_store(&group->told, true);
	if (atomic_load(&event->failed))
		return 0;
	got = read_alone(event, group, fd, buf, size);
	if (got)
		return got;
	taken = take_in_time(event, fd, &answer, &got);
	if (taken == GONE)
		return atomic_load(&event->given) ? given_read(event, fd, buf, size) :
		       is_lost(event, fd)	  ? -ESTALE :
						    got;
	/* It is closed at this moment. */
	if (taken == AGAIN)
		return -ESTALE;
	if (taken == ANOTHER_SET) {
		table_forget(fd, event);
		return -ESTALE;
	}
	return answer_write(buf, size, answer.words, answer.nr);
}
