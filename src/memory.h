/* SPDX-License-Identifier: GPL-2.0 */
/* How memory is asked for that users cause: who pays for it, and who must not wait for it. */
#ifndef _PMUDEV_MEMORY_H
#define _PMUDEV_MEMORY_H

#include <linux/gfp.h>
#include <linux/sched/signal.h>

/*
 * Memory that stays, for a user: his control group is charged. If there is none the call is
 * refused, and nobody is killed to get some, for that may be asked for under locks that others
 * wait for.
 */
#define PMUDEV_GFP (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)
/*
 * Under a lock that others want, and in a tracepoint's probe: memory that is there now, or none. A
 * charge may put its task to sleep for seconds (memory.high), and whoever waits for the lock, too.
 */
#define PMUDEV_GFP_NOWAIT (GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

/*
 * Memory for who is bound: others' exec_update_lock is held meanwhile, and nobody is to wait for
 * that because the caller waits for memory.
 */
static inline gfp_t pmudev_bind_gfp(struct task_struct *target)
{
	return same_thread_group(target, current) ? PMUDEV_GFP : PMUDEV_GFP_NOWAIT;
}

#endif /* _PMUDEV_MEMORY_H */
