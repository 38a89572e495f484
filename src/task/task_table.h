/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The task layer follows threads: the task table, attach and detach, context switches, and the walk
 * over an inherited set's children. It calls the context layer and what is below it.
 *
 * This header: contexts by their task. A thread can have two contexts of a PMU: a dead one that
 * stays linked until the next switch, and its successor. Only the latter is found.
 */
#ifndef _PMUDEV_TASK_TASK_TABLE_H
#define _PMUDEV_TASK_TASK_TABLE_H

#include <linux/hash.h>

#include "../context/ctx.h"

#define PMUDEV_TASK_HASH_BITS 12

extern struct hlist_head pmudev_task_hash[1 << PMUDEV_TASK_HASH_BITS];

static inline struct hlist_head *pmudev_task_hash_of(const struct task_struct *task)
{
	/* 32 bits tell tasks apart; the constant of hash_ptr() takes longer, at each switch. */
	return &pmudev_task_hash[hash_32((u32)(unsigned long)task, PMUDEV_TASK_HASH_BITS)];
}

/* Make a context with one reference, not in the table yet. NULL: no memory. */
struct pmudev_ctx *pmudev_ctx_alloc(struct task_struct *task, struct pmudev_pmu *pmu, gfp_t gfp);

/* Drop a reference. Any context. */
void pmudev_ctx_put(struct pmudev_ctx *ctx);

/* Add a context, and a reference to it. Return: false if the task has one on the PMU already. */
bool pmudev_task_table_add(struct pmudev_ctx *ctx);

/* Take it out; the caller drops the table's reference. ctx->lock held. */
void pmudev_task_table_remove(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/* The context of a task on a PMU, with a reference; or NULL. Any context. */
struct pmudev_ctx *pmudev_ctx_find(const struct task_struct *task, const struct pmudev_pmu *pmu);

/*
 * Walk the contexts of a task, one per PMU. Return: the one after @ctx, or the first if that is
 * NULL; NULL: no more. The reference to @ctx is dropped, the result has one. Any context.
 */
struct pmudev_ctx *pmudev_next_ctx(const struct task_struct *task, struct pmudev_ctx *ctx);

/* Does the task have one at this moment? Any context. */
bool pmudev_task_attached(const struct task_struct *task, const struct pmudev_pmu *pmu);

/* Call a function with each context in the table of a task. Preemption off. */
void pmudev_walk_ctxs(const struct task_struct *task, void (*fn)(struct pmudev_ctx *ctx));

#endif /* _PMUDEV_TASK_TASK_TABLE_H */
