// SPDX-License-Identifier: MIT
/*
 * Overflows that are told by a signal to the counted thread, as of perf's events without a ring.
 * They are deadlines.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "calls.h"
#include "group.h"
#include "refresh.h"
#include "set.h"

int signals_arm(struct event *event, int fd)
{
	const struct overflow *overflow = &event->overflow;
	/* Told to this library, or to the program */
	const bool here = event->refreshed && (event->limit || event->ring.begin);
	const bool there = overflow->async && overflow->tid;
	struct telling how = {
		.period = event->period,
		.signal = overflow->signal ? overflow->signal : SIGIO,
		.id = fd,
	};
	struct pmudev_refusal why = { 0 };
	int error = event->refreshed ? refresh_due(event, fd) : 0;

	if (error)
		return error;
	how.next = event->due;
	if (here) {
		event->round++;
		how.signal = refresh_signal();
		how.id = refresh_id(event, fd);
	}
	error = set_signals(fd, atomic_load(&event->slot), here || there ? &how : NULL, &why);
	if (error)
		perf_explain("the period", error, &why);
	else
		event->signals = here || there || event->refreshed;
	return error;
}

/*
 * Another thread than the counted one cannot be told. @here: this library can be, for a ring that
 * is mapped already
 */
static int update(struct event *event, int fd, bool here)
{
	const struct group *group = event->group;
	const struct overflow *overflow = &event->overflow;
	const bool wanted = overflow->async && overflow->tid;

	if (!wanted && !event->signals)
		return 0;
	if (group_is_copy(group))
		return -EPERM;
	if (wanted && (group->multiplexed || group->target.kind != PMUDEV_TARGET_TASK ||
		       group->target.flags || overflow->tid != group->target.id))
		return -EINVAL;
	return here && ring_is_told(event) ? refresh_begin(event, fd, 0) : signals_arm(event, fd);
}

static void set_owner(struct overflow *overflow, int command, unsigned long arg)
{
	struct f_owner_ex owner = { .type = F_OWNER_PID, .pid = (int)arg };

	if (command == F_SETOWN_EX) {
		owner = *(const struct f_owner_ex *)arg;
	} else if (owner.pid < 0) {
		owner.type = F_OWNER_PGRP;
		owner.pid = -owner.pid;
	}
	overflow->owner_type = owner.type;
	overflow->owner = owner.pid;
	overflow->tid = owner.type == F_OWNER_TID || !owner.pid ? owner.pid : -1;
	/* A process of one thread is that thread. */
	if (command == F_SETOWN && owner.type == F_OWNER_PID && owner.pid == perf_process)
		overflow->tid = perf_process;
}

static void put_back(struct event *event, int fd, const struct overflow *old)
{
	struct held held;
	struct group *group = event_lock(event, fd, &held);

	if (!group)
		return;
	event->overflow = *old;
	group_unlock(group, &held);
}

/* As perf tells everyone whom it may: an event that has not counted becomes perf's. */
int perf_set_owner(struct event *event, int fd, int command, unsigned long arg)
{
	/* Before the lock, which blocks signals. */
	const bool here = event->ring.begin && refresh_may_begin(event);
	struct overflow old;
	struct group *group;
	struct held held;
	int error = 0;

	group = event_lock(event, fd, &held);
	if (!group)
		return -ESTALE;
	old = event->overflow;
	if (command == F_SETFL)
		event->overflow.fd = fd;
	if (command == F_SETSIG)
		event->overflow.signal = (int)arg;
	else if (command == F_SETFL)
		event->overflow.async = arg & O_ASYNC;
	else
		set_owner(&event->overflow, command, arg);
	if (event->period)
		error = update(event, fd, here);
	group_unlock(group, &held);
	if (error == -EINVAL)
		error = perf_hand_over(event, fd, "fcntl()");
	if (error && error != -ESTALE)
		put_back(event, fd, &old);
	return error;
}

int perf_get_owner(struct event *event, int fd, int command, int told)
{
	struct overflow overflow;
	struct group *group;
	struct held held;

	group = event_lock(event, fd, &held);
	if (!group)
		return -ESTALE;
	overflow = event->overflow;
	group_unlock(group, &held);
	if (command == F_GETSIG)
		return overflow.signal;
	/* A set's file does not keep O_ASYNC. */
	return told | (overflow.async ? O_ASYNC : 0);
}

int perf_set_period(struct event *event, int fd, uint64_t period)
{
	struct group *group;
	struct held held;
	uint64_t old, due;
	int error = -EINVAL;

	group = event_lock(event, fd, &held);
	if (!group)
		return -ESTALE;
	old = event->period;
	due = event->due;
	if (event->period && period && !(period >> 63)) {
		event->period = period;
		/* A new one begins now. */
		event->due = 0;
		error = event->refreshed && !group_is_copy(group) ? signals_arm(event, fd) :
								    update(event, fd, false);
		if (error) {
			event->period = old;
			event->due = due;
		}
	}
	group_unlock(group, &held);
	return error;
}
