/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may hold a mutex that several users want.
 *
 * A thread that holds a mutex can be kept off its CPU for long by its priority or its control
 * group (SCHED_IDLE, cpu.max), and every other thread then waits for it. So pmu->lock,
 * inherit->mutex and the other mutexes that callers share are held only by
 *   a caller that is not preempted meanwhile, for short work, if the mutex is free; or
 *   a kernel thread: for long work, or if the mutex is taken, a worker acts for the caller. The
 *   caller sleeps until that is done, and holds nothing but its own set's mutex.
 */
#ifndef _PMUDEV_WORKER_H
#define _PMUDEV_WORKER_H

#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>

/* A kernel thread: no user decides when it runs. */
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

struct workqueue_struct;

/*
 * Two kinds of work: with pmu->lock held, for which others wait, so it goes before what users run,
 * and is that of one CPU at a time; and all other, which does not wait for the first.
 */
extern struct workqueue_struct *pmudev_urgent, *pmudev_plain;

/**
 * pmudev_by_worker - have a worker run a function, and wait until it has
 * @queue: the kind of work
 * @fn: what to run; it may sleep, and has the worker's rights, not the caller's
 * @arg: its argument
 *
 * A kernel thread runs it itself. May sleep.
 */
void pmudev_by_worker(struct workqueue_struct *queue, void (*fn)(void *arg), void *arg);

/* Whose call this is: the calling thread, or the one that this worker works for. */
struct task_struct *pmudev_caller(void);

/* Does he have CAP_PERFMON? May sleep. */
bool pmudev_caller_sees_all(void);

/* Take a mutex if nobody has it, and be not preempted until pmudev_unlock(): nothing may sleep. */
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

/**
 * pmudev_locked - run something with a mutex held
 * @queue: the kind of work
 * @mutex: the mutex
 * @fn: what to run. In a worker it may sleep, and does what there is to do. Elsewhere it does not
 *	sleep, and returns false if it takes long, with nothing done: then a worker runs it.
 * @arg: its argument
 *
 * By the caller if nobody has the mutex, else by a worker, in turn. May sleep.
 */
void pmudev_locked(struct workqueue_struct *queue, struct mutex *mutex, bool (*fn)(void *arg),
		   void *arg);

int pmudev_worker_init(void);
void pmudev_worker_exit(void);

#endif /* _PMUDEV_WORKER_H */
