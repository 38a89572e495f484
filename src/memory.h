/* SPDX-License-Identifier: GPL-2.0 */
/* Memory on behalf of users: what is charged, and what must not wait. */
#ifndef _PMUDEV_MEMORY_H
#define _PMUDEV_MEMORY_H

#include <linux/gfp.h>
#include <linux/sched/signal.h>

/*
 * For memory that a user keeps: its control group is charged. If there is no memory the call fails;
 * the OOM killer does not run, because the caller may hold locks that other users wait for.
 */
#define PMUDEV_GFP (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/*
 * Under a lock that other users share, and in a tracepoint's probe: do not wait. A charge may put
 * the task to sleep for seconds (memory.high), and everyone that waits for the lock with it.
 */
#define PMUDEV_GFP_NOWAIT (GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

/*
 * For binding @target: the caller holds the exec_update_lock of another process, which must not
 * wait for the caller's memory.
 */
static inline gfp_t pmudev_bind_gfp(struct task_struct *target)
{
	return same_thread_group(target, current) ? PMUDEV_GFP : PMUDEV_GFP_NOWAIT;
}

/*
 * Pages that cannot be moved out are locked memory: of the caller's user, not of the process, for a
 * set outlives the process that mapped it. io_uring counts what it locks in the same sum. @user:
 * out: with a reference, or NULL: nobody is charged. Return: false if it would be above
 * RLIMIT_MEMLOCK.
 */
bool pmudev_charge_locked(unsigned long nr, struct user_struct **user);
void pmudev_uncharge_locked(struct user_struct *user, unsigned long nr);

#endif /* _PMUDEV_MEMORY_H */
