// SPDX-License-Identifier: MIT
/* All groups of the process: their locks and memory, and those that share a set. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "given.h"
#include "group.h"
#include "real.h"
#include "set.h"
#include "table.h"

pid_t perf_process;
struct opened perf_opened;

/* ------------------------------------------------------------------------- locks -- */

/* The lists; taken before a group's lock. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

/* Somebody may still look at one that was freed: its memory stays what it is. */
static struct event *free_events;
static struct group *groups, *free_groups;

static void hold(struct held *held)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &held->signals);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &held->cancel);
}

static void let_go(const struct held *held)
{
	pthread_setcancelstate(held->cancel, NULL);
	pthread_sigmask(SIG_SETMASK, &held->signals, NULL);
}

static void lock_list(struct held *held)
{
	hold(held);
	pthread_mutex_lock(&list_lock);
}

static void unlock_list(const struct held *held)
{
	pthread_mutex_unlock(&list_lock);
	let_go(held);
}

void group_lock(struct group *group, struct held *held)
{
	hold(held);
	pthread_mutex_lock(&group->lock);
}

void group_unlock(struct group *group, const struct held *held)
{
	pthread_mutex_unlock(&group->lock);
	let_go(held);
}

static bool is_file_of(const struct event *event, int fd)
{
	return atomic_load(&event->given) ? given_is_there(event, fd) : fd_is_set(fd);
}

struct group *event_lock_any(struct event *event, int fd, struct held *held)
{
	struct group *group = event->group;
	bool known;

	if (!group)
		return NULL;
	group_lock(group, held);
	known = table_find(fd) == event && event->group == group;
	if (known && is_file_of(event, fd))
		return group;
	group_unlock(group, held);
	if (known)
		table_forget(fd, event);
	return NULL;
}

struct group *event_lock(struct event *event, int fd, struct held *held)
{
	struct group *group = event_lock_any(event, fd, held);

	if (!group || !atomic_load(&event->given))
		return group;
	group_unlock(group, held);
	return NULL;
}

/* A child has the locks as they are now: free. */
static struct held forking;

static void before_fork(void)
{
	struct held held;
	struct group *group;

	lock_list(&held);
	for (group = groups; group; group = group->next)
		pthread_mutex_lock(&group->lock);
	forking = held;
}

static void after_fork(void)
{
	struct held held = forking;
	struct group *group;

	for (group = groups; group; group = group->next)
		pthread_mutex_unlock(&group->lock);
	unlock_list(&held);
}

static void in_child(void)
{
	perf_process = getpid();
	atomic_store(&perf_opened.pmudev, 0);
	atomic_store(&perf_opened.perf, 0);
	after_fork();
}

static void __attribute__((constructor)) begin(void)
{
	perf_process = getpid();
	pthread_atfork(before_fork, after_fork, in_child);
}

/* ------------------------------------------------------------------------ memory -- */

struct event *event_new(void)
{
	struct group *group;
	struct event *event;
	struct held held;

	lock_list(&held);
	event = free_events;
	if (event)
		free_events = event->next;
	unlock_list(&held);
	if (event) {
		/* Somebody may be about to lock it, and then look whether it is the event's. */
		group = event->group;
		memset(event, 0, sizeof(*event));
		event->group = group;
	} else {
		event = calloc(1, sizeof(*event));
	}
	if (event)
		event->slot = NO_SLOT;
	return event;
}

void event_free(struct event *event)
{
	struct held held;

	lock_list(&held);
	event->next = free_events;
	free_events = event;
	unlock_list(&held);
}

struct group *group_new(const struct target *target)
{
	struct group *group;
	struct held held;

	lock_list(&held);
	group = free_groups;
	if (group) {
		free_groups = group->next;
		/* Not its lock, which somebody may wait for. */
		memset((char *)group + sizeof(group->lock), 0,
		       sizeof(*group) - sizeof(group->lock));
	} else {
		group = calloc(1, sizeof(*group));
		if (group)
			pthread_mutex_init(&group->lock, NULL);
	}
	if (group) {
		group->target = *target;
		group->process = perf_process;
		group->next = groups;
		groups = group;
	}
	unlock_list(&held);
	return group;
}

void group_free(struct group *group)
{
	struct group **link = &groups;
	struct held held;

	lock_list(&held);
	while (*link != group)
		link = &(*link)->next;
	*link = group->next;
	group->next = free_groups;
	free_groups = group;
	unlock_list(&held);
}

/* ------------------------------------------------------------------------- turns -- */

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

/* Was any group ever in turns? Most programs have no more events than there are counters. */
static atomic_bool ever_shared;

/* What has a deadline stays where it is. */
static bool signals(const struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		if (group->events[i]->signals)
			return true;
	return false;
}

/* Is it this process's, and may it take turns with others that count the target? */
static bool may_share(const struct group *group, const struct target *target)
{
	return group->nr && !signals(group) && group->process == perf_process &&
	       !group->events[0]->perf.pinned && group->target.kind == target->kind &&
	       group->target.id == target->id && group->target.flags == target->flags;
}

/* A descriptor of the set of others that take turns; -1: there is none, or it was closed unseen. */
static int find_shared(const struct target *target)
{
	const struct group *other;
	int fd = -1;

	for (other = groups; other && fd < 0; other = other->next)
		if (other->multiplexed && may_share(other, target))
			fd = perf_find_fd(other);
	return fd_is_set(fd) ? fd : -1;
}

bool is_shared(const struct target *target)
{
	struct held held;
	bool shared;

	if (!atomic_load(&ever_shared))
		return false;
	lock_list(&held);
	shared = find_shared(target) >= 0;
	unlock_list(&held);
	return shared;
}

/* The same, one of our own; maybe of a new set. -errno */
static int open_shared(const struct target *target, struct pmudev_refusal *why)
{
	int fd = find_shared(target);
	int copy;

	if (fd < 0)
		return target_open(target, true, why);
	copy = real()->fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return -errno;
	if (fd_is_set(copy))
		return copy;
	/* Another thread has closed it since, and has another file there. */
	real()->close(copy);
	return target_open(target, true, why);
}

/* A number that no group of the shared set has; -1: all are used. */
static int shared_number(const struct target *target)
{
	const struct group *other;
	uint64_t used = 0;

	for (other = groups; other; other = other->next)
		if (other->multiplexed && may_share(other, target))
			used |= 1ULL << other->number;
	return used == UINT64_MAX ? -1 : __builtin_ctzll(~used);
}

/* A group, which is locked. @fd: of its own set. 0 or -errno. */
static int move(struct group *group, int fd, int shared, struct pmudev_refusal *why)
{
	int number = shared_number(&group->target);

	return number < 0 ? -ENOSPC : group_move(group, fd, shared, number, why);
}

int group_join(struct group *group, int fd)
{
	int number, shared;
	struct held held;

	lock_list(&held);
	atomic_store(&ever_shared, true);
	shared = find_shared(&group->target);
	number = shared_number(&group->target);
	if (number >= 0) {
		group->number = number;
		group->multiplexed = true;
		if (shared >= 0)
			fd_replace(fd, shared);
	}
	unlock_list(&held);
	return number < 0 ? -ENOSPC : 0;
}

static bool counts(const struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		if (group->events[i]->counting)
			return true;
	return false;
}

/* The others that hold counters now; one after the other: nobody waits for two groups. */
static void move_others(const struct group *group, int shared)
{
	struct pmudev_refusal why;
	struct group *other;
	struct held held;
	int fd;

	for (other = groups; other; other = other->next) {
		if (other == group)
			continue;
		group_lock(other, &held);
		if (!other->multiplexed && may_share(other, &group->target) && counts(other)) {
			fd = perf_find_fd(other);
			if (fd >= 0)
				move(other, fd, shared, &why);
		}
		group_unlock(other, &held);
	}
}

int group_share(struct group *group, int fd, struct pmudev_refusal *why)
{
	struct held list, held;
	int shared, error;

	/* Children are counted by the set that they were made under. */
	if ((group->target.flags || signals(group)) && !group->multiplexed)
		return -EBUSY;
	lock_list(&list);
	atomic_store(&ever_shared, true);
	shared = open_shared(&group->target, why);
	error = shared;
	if (shared >= 0) {
		group_lock(group, &held);
		if (!group->multiplexed)
			move(group, fd, shared, why);
		group_unlock(group, &held);
		move_others(group, shared);
		group_lock(group, &held);
		error = group_update(group, fd, why);
		group_unlock(group, &held);
		real()->close(shared);
	}
	unlock_list(&list);
	return error;
}
