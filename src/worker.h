/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Workers: they hold the mutexes that several users share.
 *
 * A thread that holds a mutex can be kept off its CPU for long by its priority or its control
 * group (SCHED_IDLE, cpu.max), and every other thread then waits for it. So pmu->lock, the
 * inherit->mutex of a set that multiplexes or has a total, and the other mutexes that callers share
 * are held only by
 *   a caller that is not preempted meanwhile, for short work, if the mutex is free; or
 *   a kernel thread: for long work, or if the mutex is taken, a worker acts for the caller. The
 *   caller sleeps until that is done. It holds its own set's mutex, in BIND also the target's
 *   exec_update_lock; a write to the sysctl holds user_access_mutex instead.
 */
#ifndef _PMUDEV_WORKER_H
#define _PMUDEV_WORKER_H

#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>

/* Is this a kernel thread? No user controls when it runs. */
static inline bool pmudev_in_worker(void)
{
	return current->flags & PF_KTHREAD;
}

/* In a loop that may visit thousands: a worker lets others run, an unpreempted caller does not. */
static inline void pmudev_cond_resched(void)
{
	if (pmudev_in_worker())
		cond_resched();
}

/*
 * pmudev_urgent is for work with pmu->lock held: other users wait for it, so it has a higher
 * priority than user threads. pmudev_plain is for all other work.
 */
extern struct workqueue_struct *pmudev_urgent, *pmudev_plain;

/*
 * Have a worker run @fn(@arg), and wait until it has; a kernel thread runs it itself. @fn may
 * sleep, and has the worker's credentials, not the caller's. May sleep.
 */
void pmudev_by_worker(struct workqueue_struct *queue, void (*fn)(void *arg), void *arg);

/* The thread that made the call: the current one, or the one that this worker works for. */
struct task_struct *pmudev_caller(void);

/* Does that thread have CAP_PERFMON? May sleep. */
bool pmudev_caller_sees_all(void);

/* Take a mutex if it is free. Preemption is off until pmudev_unlock(): do not sleep. */
static __always_inline bool pmudev_trylock(struct mutex *mutex)
{
	preempt_disable();
	if (likely(mutex_trylock(mutex)))
		return true;
	preempt_enable();
	return false;
}

static __always_inline void pmudev_unlock(struct mutex *mutex)
{
	mutex_unlock(mutex);
	preempt_enable();
}

/*
 * Run @fn(@arg) with a mutex held: the caller runs it if the mutex is free, else a worker waits for
 * the mutex. May sleep. In a worker @fn may sleep, and its return value is ignored. In the caller
 * it must not; if the work is long it returns false and has done nothing, and a worker runs it.
 */
void pmudev_locked(struct workqueue_struct *queue, struct mutex *mutex, bool (*fn)(void *arg),
		   void *arg);

int pmudev_worker_init(void);
void pmudev_worker_exit(void);

#endif /* _PMUDEV_WORKER_H */
