// SPDX-License-Identifier: MIT
/*
 * Groups that become perf's: with an event that pmudev cannot count among them, or a ring of
 * samples. Nothing of them may have counted, for perf begins at 0.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

/* What perf has for the events of a group, in their order */
struct perfs {
	int fds[PMUDEV_MAX_EVENTS];
	void *rings[PMUDEV_MAX_EVENTS]; /* NULL: none */
	unsigned int nr;
};

static void close_all(const struct perfs *perfs)
{
	unsigned int i;

	for (i = 0; i < perfs->nr; i++)
		real()->close(perfs->fds[i]);
}

static void unmap_all(const struct group *group, const struct perfs *perfs, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (perfs->rings[i])
			real()->munmap(perfs->rings[i], group->events[i]->ring.size);
}

/* All events; 0 or -errno, and none */
static int open_all(const struct group *group, struct perfs *perfs)
{
	int fd;

	for (perfs->nr = 0; perfs->nr < group->nr; perfs->nr++) {
		fd = open_perf(group->events[perfs->nr], perfs->nr ? perfs->fds[0] : -1);
		if (fd < 0) {
			close_all(perfs);
			return fd;
		}
		perfs->fds[perfs->nr] = fd;
	}
	return 0;
}

/* All rings, before any event is perf's: a ring that perf cannot map would stay empty. The same */
static int map_all(const struct group *group, struct perfs *perfs)
{
	unsigned int i;
	int error;

	for (i = 0; i < group->nr; i++) {
		perfs->rings[i] = ring_map_perfs(group->events[i], perfs->fds[i]);
		if (perfs->rings[i] == MAP_FAILED) {
			error = -errno;
			unmap_all(group, perfs, i);
			return error;
		}
	}
	return 0;
}

/*
 * Has perf all that the program knows of the group? Not what it has counted, or shows in a page;
 * identifiers that were told can stay, but not in samples. Return: NULL, or why not
 */
static const char *why_not(const struct group *group, bool told)
{
	unsigned int i;

	if (group->counted)
		return "an event of its group has counted, so that it cannot become perf's";
	if (!group->leader || group->process != getpid())
		return "its group has no leader of this process, and cannot become perf's";
	for (i = 0; i < group->nr; i++) {
		if (group->events[i]->attr.flags & PMUDEV_USER_READ)
			return "a page of its group is mapped, which cannot become perf's";
		if (told && samples_tell_ids(&group->events[i]->perf))
			return "samples of its group would carry other identifiers than were told";
		/* Closed at this moment, where nobody has seen it. */
		if (!perf_is_known(group->events[i]))
			return "an event of its group has no descriptor any more";
	}
	return NULL;
}

/* All of them are perf's; @told: and they keep their identifiers. 0 or -errno */
static int give(struct group *group, const struct perfs *perfs, bool told)
{
	int error = told ? given_take_ids(group, perfs->fds) : 0;
	unsigned int i;

	if (error)
		return error;
	for (i = 0; i < group->nr; i++) {
		ring_give_to_perf(group->events[i], perfs->rings[i]);
		/* The set is closed with its last descriptor. */
		atomic_store(&group->events[i]->slot, NO_SLOT);
	}
	perf_release(group, perfs->fds, told);
	group->multiplexed = false;
	atomic_fetch_sub(&perf_opened.pmudev, group->nr);
	atomic_fetch_add(&perf_opened.perf, group->nr);
	return 0;
}

/*
 * The group is locked. 0 or -errno; @why: out: text of that size, to which errno's belongs if it is
 * empty or ends in a blank: strerror(3) may allocate.
 */
static int try(struct group *group, bool told, char *why, size_t size)
{
	const char *reason = why_not(group, told);
	struct perfs perfs;
	int error;

	if (reason) {
		snprintf(why, size, "%s", reason);
		return -EINVAL;
	}
	error = open_all(group, &perfs);
	if (error) {
		snprintf(why, size, "perf cannot open an event of its group: ");
		return error;
	}
	error = map_all(group, &perfs);
	if (error) {
		snprintf(why, size, "perf cannot map a ring of its group: ");
	} else {
		error = give(group, &perfs, told);
		if (error)
			unmap_all(group, &perfs, perfs.nr);
	}
	close_all(&perfs);
	return error;
}

/* The group is locked. @nr: out: so many @events are nobody's any more; 0: the group stays. */
static int hand_over(struct group *group, struct event **events, unsigned int *nr, char *why,
		     size_t size)
{
	int error;
	bool told;

	atomic_fetch_add(&group->changes, 1);
	told = atomic_load(&group->told);
	error = try(group, told, why, size);
	if (!error && !told) {
		*nr = group->nr;
		memcpy(events, group->events, group->nr * sizeof(*events));
		group->nr = 0;
	}
	atomic_fetch_add(&group->changes, 1);
	return error;
}

bool perf_may_hand_over(struct event *event, int fd)
{
	struct held held;
	struct group *group = event_lock(event, fd, &held);
	bool may;

	if (!group)
		return true;
	may = !why_not(group, atomic_load(&group->told));
	group_unlock(group, &held);
	return may;
}

static void explain(const char *what, char *why, size_t size, int error)
{
	const size_t length = strlen(why);

	if (!length || why[length - 1] == ' ')
		snprintf(why + length, size - length, "%s", strerror(-error));
	perf_explain_why(what, why);
}

int perf_hand_over(struct event *event, int fd, const char *what)
{
	struct event *events[PMUDEV_MAX_EVENTS];
	char why[120] = "";
	unsigned int i, nr = 0;
	struct group *group;
	struct held held;
	int error;

	group = event_lock(event, fd, &held);
	if (!group)
		return -ESTALE;
	error = hand_over(group, events, &nr, why, sizeof(why));
	group_unlock(group, &held);
	if (error && what)
		explain(what, why, sizeof(why), error);
	if (error || !nr)
		return error;
	for (i = 0; i < nr; i++)
		event_free(events[i]);
	group_free(group);
	return 0;
}
