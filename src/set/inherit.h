/* SPDX-License-Identifier: GPL-2.0 */
/* Inheritance: children of a set come with their threads and go with them. */
#ifndef _PMUDEV_SET_INHERIT_H
#define _PMUDEV_SET_INHERIT_H

#include "../task/children.h"

/*
 * Sets that one thread can have that are inherited or wait for an exec: fork and exec see to each.
 * With CAP_PERFMON twice as many.
 */
#define PMUDEV_MAX_INHERIT 64

unsigned int pmudev_inherit_limit(void); /* for the calling process */

/* Have a set inherited. @threads_only: by threads of its process only. Return: 0 or -ENOMEM. */
int pmudev_inherit_create(struct pmudev_set *set, bool threads_only);

/* End all children of a set, and its inheritance. No call is left. May sleep. */
void pmudev_inherit_destroy(struct pmudev_set *set);

/* Has a thread a part in an inherited set? */
bool pmudev_inherit_has(struct pmudev_set *parent, const struct task_struct *task);

/*
 * Give a thread a child of a set that is about to be bound. May sleep. Return: 0, -ENOMEM, -ESRCH,
 * -EBUSY, -EDQUOT.
 */
int pmudev_inherit_attach(struct pmudev_set *parent, struct task_struct *task);

/* The thread of @ctx has made a task, which has not run. Does not sleep. */
void pmudev_inherit_fork(struct pmudev_ctx *ctx, struct task_struct *task);

/*
 * A context has ended: its children leave, and are returned to be freed without the lock.
 * ctx->lock held.
 */
struct pmudev_child *pmudev_inherit_exit(struct pmudev_ctx *ctx);
void pmudev_inherit_free(struct pmudev_child *ended);

/* Fork and exec are to see to a set. ctx->lock held. */
void pmudev_ctx_add_inherited(struct pmudev_ctx *ctx, struct pmudev_set *set);

/* pmudev_ctx_fn: a set with a file, @set, leaves its context. */
void pmudev_ctx_remove_set(struct pmudev_ctx *ctx, void *set);

#endif /* _PMUDEV_SET_INHERIT_H */
