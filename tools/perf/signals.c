// SPDX-License-Identifier: MIT
/*
 * Overflows that are told by a signal to the counted thread, as of perf's events without a ring.
 * They are deadlines.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "group.h"
#include "real.h"

/* Another thread than the counted one cannot be told. */
static int update(struct event *event, int fd)
{
	const struct group *group = event->group;
	const struct overflow *overflow = &event->overflow;
	const bool wanted = overflow->async && overflow->tid;
	struct pmudev_refusal why = { 0 };
	int error;

	if (!wanted && !event->signals)
		return 0;
	if (group->process != perf_process)
		return -EPERM;
	if (wanted && (group->multiplexed || group->target.kind != PMUDEV_TARGET_TASK ||
		       group->target.flags || overflow->tid != group->target.id))
		return -EINVAL;
	error = set_signals(fd, atomic_load(&event->slot), wanted ? event->period : 0,
			    overflow->signal ? overflow->signal : SIGIO, fd, &why);
	if (error)
		perf_explain("fcntl()", error, &why);
	else
		event->signals = wanted;
	return error;
}

static pid_t owner_of(int command, unsigned long arg)
{
	const struct f_owner_ex *owner = (const struct f_owner_ex *)arg;

	/* A process of one thread is that thread. */
	if (command == F_SETOWN)
		return (int)arg == perf_process ? perf_process : -1;
	return owner->type == F_OWNER_TID ? owner->pid : -1;
}

/* As perf tells everyone whom it may: an event that has not counted becomes perf's. */
static int hand_over(struct event *event, int fd)
{
	const bool async = event->overflow.async;
	struct f_owner_ex owner = { .pid = 0 };
	int signal, error;

	signal = real()->fcntl(fd, F_GETSIG);
	real()->fcntl(fd, F_GETOWN_EX, &owner);
	error = perf_hand_over(event);
	if (error)
		return error;
	real()->fcntl(fd, F_SETSIG, (long)signal);
	if (owner.pid)
		real()->fcntl(fd, F_SETOWN_EX, &owner);
	if (async)
		real()->fcntl(fd, F_SETFL, (long)(real()->fcntl(fd, F_GETFL) | O_ASYNC));
	return 0;
}

int perf_set_owner(struct event *event, int fd, int command, unsigned long arg)
{
	struct held held;
	int error = 0;

	group_lock(event->group, &held);
	if (command == F_SETSIG)
		event->overflow.signal = (int)arg;
	else if (command == F_SETFL)
		event->overflow.async = arg & O_ASYNC;
	else
		event->overflow.tid = owner_of(command, arg);
	if (event->period)
		error = update(event, fd);
	group_unlock(event->group, &held);
	return error == -EINVAL ? hand_over(event, fd) : error;
}

int perf_set_period(struct event *event, int fd, uint64_t period)
{
	struct held held;
	int error;

	if (!event->period || !period)
		return -EINVAL;
	group_lock(event->group, &held);
	event->period = period;
	error = update(event, fd);
	group_unlock(event->group, &held);
	return error;
}
