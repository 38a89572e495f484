/* SPDX-License-Identifier: GPL-2.0 */
/*
 * STOP: a thread that reached a deadline executes no more of its program until it is continued. It
 * sleeps on its way back to user mode, holding nothing, and can be killed.
 */
#ifndef _PMUDEV_CONTEXT_STOP_H
#define _PMUDEV_CONTEXT_STOP_H

#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/wait.h>

/* The stop of a set's thread: kept by the set, and while @queued by the thread */
struct pmudev_stop {
	struct callback_head work;
	wait_queue_head_t wait; /* its lock guards what follows, but @held */
	/*
	 * The thread is to sleep. Set with a report, cleared by whoever continues it, also before
	 * the thread has heard of it. pmudev_stop_wake() follows. Set under the common lock of the
	 * set's deadlines, cleared under it or without; READ_ONCE().
	 */
	bool held;
	bool queued;		/* the thread will look at @held before it is in user mode again */
	u8 passes; /* how often @work went behind other work; the thread's own while @queued */
	unsigned int refs;
};

/* Return: NULL without memory. The caller has a reference. */
struct pmudev_stop *pmudev_stop_alloc(gfp_t gfp);

/*
 * Stop a thread, if @held still says so, without waiting until it has stopped. Any context but NMI.
 * Under RCU.
 */
void pmudev_stop_thread(struct pmudev_stop *stop, struct task_struct *task);

/* @held was cleared: the thread goes on. */
void pmudev_stop_wake(struct pmudev_stop *stop);

/* Continue it, or have it not stop any more. */
void pmudev_stop_continue(struct pmudev_stop *stop);

/* The set is destroyed: continue the thread, and drop the set's reference. */
void pmudev_stop_end(struct pmudev_stop *stop);

/* At module unload, when no set is left: wait for threads that are in the code of this. */
void pmudev_stop_exit(void);

#endif /* _PMUDEV_CONTEXT_STOP_H */
