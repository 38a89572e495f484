// SPDX-License-Identifier: MIT
/*
 * PERF_EVENT_IOC_REFRESH, so many overflows and then the event is off; and samples.
 *
 * Each overflow signals this library first. Its handler runs in the counted thread, before that
 * executes another instruction of the program: it switches the event off, gives it the count that
 * it had at the overflow, and writes the sample. Then it sends the program's signal, as perf does,
 * and ends: the program's handler finds the thread where the overflow was.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "calls.h"
#include "group.h"
#include "real.h"
#include "refresh.h"
#include "set.h"
#include "table.h"

/* ----------------------------------------------------------------- overflows -- */

static uint64_t address_of(const ucontext_t *context)
{
#if defined(__aarch64__)
	return context->uc_mcontext.pc;
#elif defined(__x86_64__)
	return context->uc_mcontext.gregs[REG_RIP];
#else
	(void)context;
	return 0;
#endif
}

/* As perf sends it; SIGIO without F_SETSIG carries nothing. */
static void tell_program(const struct overflow *overflow, bool last)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = overflow->signal ? overflow->signal : SIGIO;
	info.si_code = SI_KERNEL;
	if (overflow->signal) {
		info.si_code = last ? POLL_HUP : POLL_IN;
		info.si_band = last ? POLLHUP | POLLERR : POLLIN | POLLRDNORM;
		info.si_fd = overflow->fd;
	}
	/* A thread may say to itself what only the kernel says to others. */
	real()->syscall(SYS_rt_tgsigqueueinfo, (long)getpid(), real()->syscall(SYS_gettid),
			(long)info.si_signo, &info);
}

/* Off, with the count of the overflow. What the handler has executed is not counted. */
static void stop(struct event *event, int fd, uint64_t count)
{
	const uint32_t slot = atomic_load(&event->slot);
	struct pmudev_refusal why;

	event->on = false;
	group_update(event->group, fd, &why);
	set_signals(fd, slot, NULL, &why);
	set_control(fd, PMUDEV_IOC_RESET, PMUDEV_ALL, slot, count, &why);
	signals_arm(event, fd);
}

enum found {
	TOO_LATE,
	ONE_OF_MANY,
	THE_LAST,
};

/* The group is locked. */
static enum found take(struct event *event, int fd, uint64_t count, const ucontext_t *context)
{
	/* Of a deadline that was replaced */
	if (!event->refreshed || count < event->due)
		return TOO_LATE;
	event->due += ((count - event->due) / event->period + 1) * event->period;
	if (event->ring.begin)
		ring_put(event, address_of(context));
	if (!event->limit || --event->limit)
		return ONE_OF_MANY;
	stop(event, fd, count);
	return THE_LAST;
}

/* A deadline's id: the descriptor, and which of the event's deadlines it is. */
#define ROUNDS 0x8000U

int refresh_id(const struct event *event, int fd)
{
	return (int)(event->round % ROUNDS * MOST_FDS + fd);
}

static void on_overflow(int signal, siginfo_t *info, void *context)
{
	const int error = errno, fd = info->si_fd & (MOST_FDS - 1);
	struct event *event = table_find(fd);
	enum found found = TOO_LATE;
	struct overflow overflow;
	struct group *group;
	struct held held;

	(void)signal;
	group = event ? event_lock(event, fd, &held) : NULL;
	if (group) {
		if (info->si_fd == refresh_id(event, fd))
			found = take(event, fd, info->si_band, context);
		overflow = event->overflow;
		group_unlock(group, &held);
		if (found != TOO_LATE && overflow.async && overflow.tid)
			tell_program(&overflow, found == THE_LAST);
	}
	errno = error;
}

/* ----------------------------------------------------------------------- calls -- */

/* One that the program has no handler for, nor waits for. */
static int choose_signal(void)
{
	struct sigaction ours = {
		.sa_sigaction = on_overflow,
		.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK,
	};
	struct sigaction old;
	int signal;

	sigfillset(&ours.sa_mask);
	for (signal = SIGRTMAX - 1; signal > SIGRTMAX - 8; signal--)
		if (!sigaction(signal, NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
		    old.sa_handler == SIG_DFL && !sigaction(signal, &ours, NULL))
			return signal;
	return -1;
}

int refresh_signal(void)
{
	static atomic_int chosen;
	const int now = atomic_load(&chosen);
	struct held held;

	/* Callers that hold a lock of a group return here: it was chosen before. */
	if (now)
		return now;
	/* A handler of the program's, or a child, may come here at any moment: it finds it free. */
	list_lock(&held);
	if (!atomic_load(&chosen))
		atomic_store(&chosen, choose_signal());
	list_unlock(&held);
	return atomic_load(&chosen);
}

bool refresh_may_begin(const struct event *event)
{
	const struct group *group = event->group;
	const struct overflow *overflow = &event->overflow;
	const pid_t me = real()->syscall(SYS_gettid);
	sigset_t blocked;

	/* A child has the deadline of its parent, and a copy of what is known of it. */
	if (!group || group_is_copy(group))
		return false;
	if (event->refreshed)
		return true;
	if (group->multiplexed || group->target.kind != PMUDEV_TARGET_TASK || group->target.flags ||
	    group->target.id != me || (overflow->async && overflow->tid != me))
		return false;
	return refresh_signal() > 0 && !pthread_sigmask(SIG_BLOCK, NULL, &blocked) &&
	       !sigismember(&blocked, refresh_signal());
}

int refresh_due(struct event *event, int fd)
{
	union pmudev_record_buffer all;
	const uint32_t slot = atomic_load(&event->slot);
	uint64_t count;

	if (group_read(fd, &all.record) < 0 || slot >= all.record.nr)
		return -EBADF;
	count = all.record.counts[slot].value;
	if (!event->due)
		event->due = count + event->period;
	else if (event->due <= count)
		event->due += ((count - event->due) / event->period + 1) * event->period;
	return 0;
}

int refresh_begin(struct event *event, int fd, unsigned int limit)
{
	const bool before = event->refreshed;
	int error;

	/* More of the same, or another one */
	event->limit += limit;
	if (event->limit > limit)
		return 0;
	event->refreshed = true;
	error = signals_arm(event, fd);
	if (!error)
		return 0;
	event->refreshed = before;
	event->limit = 0;
	return error;
}

int perf_refresh(struct event *event, int fd, int limit)
{
	struct group *group;
	struct held held;
	int error;

	/* Before the lock, which blocks signals. */
	if (limit <= 0 || !refresh_may_begin(event))
		return -EOPNOTSUPP;
	group = event_lock(event, fd, &held);
	if (!group)
		return -ESTALE;
	error = event_in_set(event) ? refresh_begin(event, fd, limit) : -EOPNOTSUPP;
	group_unlock(group, &held);
	return error ? error : perf_enable(event, fd, true);
}
