/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may hold a mutex that several users want.
 *
 * Whoever holds a mutex can be kept off its CPU for as long as its priority and its control group
 * have it (SCHED_IDLE, cpu.max), and everybody waits with it. So pmu->lock, family->mutex and the
 * other mutexes that callers share are held by
 *   a caller who is not preempted meanwhile, for short work, if nobody has the mutex; or
 *   a kernel thread: a worker does what takes longer, or has to wait for the mutex, on behalf of
 *   the caller, who sleeps until that is done, and holds nothing but his own set's mutex.
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

/* In a loop that may visit thousands: a worker lets others run. A caller that is not preempted does not. */
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
