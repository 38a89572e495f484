// SPDX-License-Identifier: MIT
/* All groups of the process: their locks and memory. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "given.h"
#include "group.h"
#include "set.h"
#include "table.h"

pid_t perf_process;
struct opened perf_opened;

/* ------------------------------------------------------------------------- locks -- */

/* The lists; taken before a group's lock. */
static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER;

/* Somebody may still look at one that was freed: its memory stays what it is. */
static struct event *free_events;
static struct group *groups, *free_groups;

struct group *group_first(void)
{
	return groups;
}

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

/*
 * The thread that is about to fork, or has forked, holds all locks. Other libraries' handlers of
 * fork(2), of which some come between ours, may use events in it: they pass.
 */
static __thread unsigned int forking __attribute__((tls_model("initial-exec")));

static void lock(pthread_mutex_t *mutex, struct held *held)
{
	hold(held);
	if (!forking)
		pthread_mutex_lock(mutex);
}

static void unlock(pthread_mutex_t *mutex, const struct held *held)
{
	if (!forking)
		pthread_mutex_unlock(mutex);
	let_go(held);
}

void list_lock(struct held *held)
{
	lock(&lists, held);
}

void list_unlock(const struct held *held)
{
	unlock(&lists, held);
}

void group_lock(struct group *group, struct held *held)
{
	lock(&group->lock, held);
}

void group_unlock(struct group *group, const struct held *held)
{
	unlock(&group->lock, held);
}

bool event_is_there(const struct event *event, int fd)
{
	return atomic_load(&event->given) ? given_is_there(event, fd) : fd_is_set(fd);
}

/* @known: out: the table has it, whatever the file is */
static struct group *lock_if_there(struct event *event, int fd, struct held *held, bool *known)
{
	struct group *group = event->group;

	*known = false;
	if (!group)
		return NULL;
	group_lock(group, held);
	*known = table_find(fd) == event && event->group == group;
	if (*known && event_is_there(event, fd))
		return group;
	group_unlock(group, held);
	return NULL;
}

struct group *event_lock_any(struct event *event, int fd, struct held *held)
{
	bool known;
	struct group *group = lock_if_there(event, fd, held, &known);

	if (!group && known)
		table_forget(fd, event);
	return group;
}

static struct group *unless_given(const struct event *event, struct group *group,
				  const struct held *held)
{
	if (!group || !atomic_load(&event->given))
		return group;
	group_unlock(group, held);
	return NULL;
}

struct group *event_lock(struct event *event, int fd, struct held *held)
{
	return unless_given(event, event_lock_any(event, fd, held), held);
}

/* What was closed unseen stays in the table: it is freed with the list locked. */
struct group *event_lock_listed(struct event *event, int fd, struct held *held)
{
	bool known;

	return unless_given(event, lock_if_there(event, fd, held, &known), held);
}

/* What was when they were taken. A child has the locks as they are now: held by its only thread. */
static struct held before;

static void lock_all(struct group *group)
{
	for (; group; group = group->next)
		pthread_mutex_lock(&group->lock);
}

static void unlock_all(struct group *group)
{
	for (; group; group = group->next)
		pthread_mutex_unlock(&group->lock);
}

static void before_fork(void)
{
	struct held held;

	/* In a handler of another library's, which forks */
	if (forking) {
		forking++;
		return;
	}
	list_lock(&held);
	lock_all(groups);
	/* Somebody may hold one that was freed meanwhile, and look whether it is an event's. */
	lock_all(free_groups);
	before = held;
	forking = 1;
}

static void after_fork(void)
{
	const struct held held = before;

	if (--forking)
		return;
	unlock_all(free_groups);
	unlock_all(groups);
	list_unlock(&held);
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
	struct event *event;
	struct held held;

	list_lock(&held);
	event = free_events;
	if (event)
		free_events = event->next;
	list_unlock(&held);
	if (event) {
		/* Not its group, which somebody may lock, to see whether it is the event's. */
		memset((char *)event + offsetof(struct event, id), 0,
		       sizeof(*event) - offsetof(struct event, id));
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

	list_lock(&held);
	event->next = free_events;
	free_events = event;
	list_unlock(&held);
}

/* NULL: none was freed */
static struct group *reuse_group(void)
{
	struct group *group;
	struct held held;

	list_lock(&held);
	group = free_groups;
	if (group)
		free_groups = group->next;
	list_unlock(&held);
	/*
	 * Not its lock, which somebody may wait for, nor its changes: a read(2) of before sees that
	 * there were some.
	 */
	if (group)
		memset((char *)group + offsetof(struct group, leader), 0,
		       sizeof(*group) - offsetof(struct group, leader));
	return group;
}

/* No lock is held: at a fork(2) another malloc's own may be taken before ours. */
static struct group *make_group(void)
{
	struct group *group = calloc(1, sizeof(*group));

	if (!group)
		return NULL;
	pthread_mutex_init(&group->lock, NULL);
	/* As all others are */
	if (forking)
		pthread_mutex_lock(&group->lock);
	return group;
}

struct group *group_new(const struct target *target)
{
	struct group *group = reuse_group();
	struct held held;

	if (!group)
		group = make_group();
	if (!group)
		return NULL;
	group->target = *target;
	group->process = perf_process;
	list_lock(&held);
	group->next = groups;
	groups = group;
	list_unlock(&held);
	return group;
}

void group_free(struct group *group)
{
	struct group **link = &groups;
	struct held held;

	list_lock(&held);
	while (*link != group)
		link = &(*link)->next;
	*link = group->next;
	group->next = free_groups;
	free_groups = group;
	list_unlock(&held);
}
