/* SPDX-License-Identifier: GPL-2.0 */
/* Attach: have a thread's switches load and unload a context. */
#ifndef _PMUDEV_TASK_ATTACH_H
#define _PMUDEV_TASK_ATTACH_H

#include "task_table.h"

/*
 * Have a thread, which the caller refers to, followed for one more set on @pmu. On return its
 * context is loaded if the thread runs. May sleep. The hooks on fork, exec and exit are installed.
 * Return: the context, with a reference that pmudev_detach() drops; ERR_PTR(-ENOMEM or -ESRCH).
 */
struct pmudev_ctx *pmudev_attach(struct task_struct *task, struct pmudev_pmu *pmu);

/* The same for a task that has not run yet, without sleeping. NULL: no memory, or it has ended. */
struct pmudev_ctx *pmudev_attach_new_task(struct task_struct *child, struct pmudev_pmu *pmu);

/* One set less; a context without sets is dead. */
void pmudev_detach(struct pmudev_ctx *ctx);

/*
 * The context is dead from now on. ctx->lock held. Return: how many references the caller must
 * drop, without the lock.
 */
unsigned int pmudev_ctx_end(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

#endif /* _PMUDEV_TASK_ATTACH_H */
