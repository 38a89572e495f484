// SPDX-License-Identifier: GPL-2.0
/* Threads that are stopped at a deadline. */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "stop.h"

/* Does not count as load, and the system can sleep meanwhile. */
#define STOPPED (TASK_KILLABLE | TASK_NOLOAD | TASK_FREEZABLE)

/* A file in a socket in a file: each is closed by work of its own. */
#define PASSES 3

/* Drop a reference, and the lock. */
static void put(struct pmudev_stop *stop, unsigned long flags) __releases(&stop->wait.lock)
{
	bool last = !--stop->refs;

	spin_unlock_irqrestore(&stop->wait.lock, flags);
	if (last)
		kfree(stop);
}

/* The thread looks once more. Return: false if it need not: it is on its way. */
static bool look_again(struct pmudev_stop *stop)
{
	unsigned long flags;

	spin_lock_irqsave(&stop->wait.lock, flags);
	/* One that ends is not kept, and @held is for nobody then. */
	if (READ_ONCE(stop->held) && !(current->flags & PF_EXITING) &&
	    !fatal_signal_pending(current)) {
		spin_unlock_irqrestore(&stop->wait.lock, flags);
		return true;
	}
	stop->queued = false;
	put(stop, flags);
	return false;
}

/* In the thread, on its way to user mode or to its end. */
static void stay(struct callback_head *work)
{
	struct pmudev_stop *stop = container_of(work, struct pmudev_stop, work);

	/* Behind its other work, which may close the last file of the set, maybe in a socket's. */
	if (stop->passes < PASSES) {
		stop->passes++;
		if (!task_work_add(current, work, TWA_RESUME))
			return;
	}
	while (look_again(stop))
		wait_event_state(stop->wait, !READ_ONCE(stop->held), STOPPED);
	/* This function is left before the module is: pmudev_stop_exit(). */
	module_put(THIS_MODULE);
}

struct pmudev_stop *pmudev_stop_alloc(gfp_t gfp)
{
	struct pmudev_stop *stop = kzalloc(sizeof(*stop), gfp);

	if (!stop)
		return NULL;
	init_task_work(&stop->work, stay);
	init_waitqueue_head(&stop->wait);
	stop->refs = 1;
	return stop;
}

void pmudev_stop_thread(struct pmudev_stop *stop, struct task_struct *task)
{
	unsigned long flags;

	spin_lock_irqsave(&stop->wait.lock, flags);
	if (!READ_ONCE(stop->held) || stop->queued) {
		spin_unlock_irqrestore(&stop->wait.lock, flags);
		return;
	}
	stop->queued = true;
	stop->passes = 0;
	stop->refs++;
	spin_unlock_irqrestore(&stop->wait.lock, flags);
	__module_get(THIS_MODULE);
	if (!task_work_add(task, &stop->work, TWA_RESUME))
		return;
	/* It has passed its last work: it ends. */
	spin_lock_irqsave(&stop->wait.lock, flags);
	stop->queued = false;
	put(stop, flags);
	module_put(THIS_MODULE);
}

void pmudev_stop_wake(struct pmudev_stop *stop)
{
	wake_up(&stop->wait);
}

void pmudev_stop_continue(struct pmudev_stop *stop)
{
	WRITE_ONCE(stop->held, false);
	pmudev_stop_wake(stop);
}

void pmudev_stop_end(struct pmudev_stop *stop)
{
	unsigned long flags;

	pmudev_stop_continue(stop);
	spin_lock_irqsave(&stop->wait.lock, flags);
	put(stop, flags);
}

void pmudev_stop_exit(void)
{
	/* A thread that was preempted in stay(), behind module_put(), has left it. */
	synchronize_rcu_tasks();
}
