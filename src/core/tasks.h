/* SPDX-License-Identifier: GPL-2.0 */
/* What the core's files that follow tasks offer the others: families, walks, notifiers, hooks. */
#ifndef _PMUDEV_TASKS_H
#define _PMUDEV_TASKS_H

#include <linux/hash.h>

#include <pmudev/event.h>

struct task_struct;
struct tracepoint;

/* -------------------------------------------------------------- family.c -- */

/* @threads_only: a child that is a process of its own does not inherit. */
int pmudev_inherit_create(struct pmudev_set *set, bool threads_only);

/* How many sets of one thread fork and exec see to, the caller's included. */
unsigned int pmudev_inherit_limit(void);

/* Has the thread a part in it? */
bool pmudev_inherit_has(struct pmudev_set *parent, const struct task_struct *task);

/*
 * Give a thread that has not been counted yet a part in a set that is about to be bound. May sleep.
 * -ENOMEM, -ESRCH.
 */
int pmudev_inherit_attach(struct pmudev_set *parent, struct task_struct *task);

/* Is there an child? It may be gone the next moment. */
bool pmudev_has_children(struct pmudev_set *set);

/* @child has been made by the thread of @ctx, and has not run. Does not sleep. */
void pmudev_inherit_fork(struct pmudev_ctx *ctx, struct task_struct *child);

/* An child's part, of slots' values and times, as its context has it. */
void pmudev_sum_add(struct pmudev_sum *sum, struct pmudev_set *child, u64 values, u64 times);

/* What an child counted stays with the family, once. Its ctx->lock held; nr_sets is the caller's. */
void pmudev_child_leave(struct pmudev_set *child);
void pmudev_child_put(struct pmudev_set *child);

/*
 * The context has ended: its children leave their families, and are returned to be freed without the
 * lock. ctx->lock held.
 */
struct pmudev_set *pmudev_inherit_exit(struct pmudev_ctx *ctx);
void pmudev_inherit_free(struct pmudev_set *children);

/* --------------------------------------------------------------- walk.c -- */

/*
 * Memory for what children will be told of when the root's events are enabled, asked for before the
 * locks that others want. root->mutex held. May sleep.
 */
void pmudev_inherit_make_room(struct pmudev_set *parent);

/* pmudev_set_call() of an inherited set. */
void pmudev_for_each_child(struct pmudev_set *parent, pmudev_ctx_fn fn,
			   struct pmudev_change *change);

/* Add what an child has counted. Its ctx->lock held, brought forward. */
void pmudev_sum_add_child(struct pmudev_sum *total, struct pmudev_set *child);

/* No file, no call is left. May sleep. */
void pmudev_inherit_destroy(struct pmudev_set *parent);

/* -------------------------------------------------------------- follow.c -- */

/**
 * pmudev_attach - have a thread followed, for one more set
 * @task: referenced by the caller
 * @pmu: of the set
 *
 * When it returns the thread is loaded, if it runs. May sleep. The hooks are in.
 *
 * Return: its context with a reference that pmudev_detach() drops, or ERR_PTR(-ENOMEM or
 * -ESRCH).
 */
struct pmudev_ctx *pmudev_attach(struct task_struct *task, struct pmudev_pmu *pmu);

/* The same for a task that has not run yet, without sleeping. NULL: no memory, or it has ended. */
struct pmudev_ctx *pmudev_attach_new_task(struct task_struct *child, struct pmudev_pmu *pmu);

/* One set less; without sets a thread is not followed. */
void pmudev_detach(struct pmudev_ctx *ctx);

/* The context of a task on a PMU, with a reference; or NULL. Any context. */
struct pmudev_ctx *pmudev_ctx_find(const struct task_struct *task, const struct pmudev_pmu *pmu);
void pmudev_ctx_put(struct pmudev_ctx *ctx);

/* The context is dead from now on. ctx->lock held. How many references are to be dropped then. */
unsigned int pmudev_ctx_end(struct pmudev_ctx *ctx);

/* Contexts that are followed, but not linked: those that need the sched_switch probe. */
extern atomic_t pmudev_nr_waiting;

#define PMUDEV_TASK_HASH_BITS 12

extern struct hlist_head pmudev_task_hash[1 << PMUDEV_TASK_HASH_BITS];

/* Where a task's contexts are found. */
static inline struct hlist_head *pmudev_task_hash_of(const struct task_struct *task)
{
	return &pmudev_task_hash[hash_ptr(task, PMUDEV_TASK_HASH_BITS)];
}

/* Call a function with each context that is found by a task. Preemption off. */
void pmudev_ctxs_of(const struct task_struct *task, void (*fn)(struct pmudev_ctx *ctx));

/* ----------------------------- switch_notifier.c, or else switch_probe.c -- */

/* Are contexts loaded after all that others do at a switch, so that the right to read stays? */
extern const bool pmudev_switch_lets_read;

/* Of a new context, of a task. */
void pmudev_switch_init(struct pmudev_ctx *ctx);

/* The calling thread's own context is about to be linked. May sleep. */
int pmudev_switch_prepare(void);

/*
 * Have the thread's switches load and unload the context: the calling thread, or one that has not
 * run yet. ctx->lock held.
 */
void pmudev_switch_link(struct pmudev_ctx *ctx);

/*
 * Not any more: the context, which was linked, is dead. @out: it was loaded nowhere. ctx->lock
 * held. True: a reference is left to be dropped; else that comes with the next switch.
 */
bool pmudev_switch_unlink(struct pmudev_ctx *ctx, bool out);

/* The probe found it by the thread that is switched out, or in. Irqs off, the run queue locked. */
void pmudev_switch_out(struct pmudev_ctx *ctx);
void pmudev_switch_in(struct pmudev_ctx *ctx);

/* Before the first thread is followed, and after the last. */
void pmudev_switch_hook(void);
void pmudev_switch_unhook(void);

/* ------------------------------------------------------------- probe_installed.c -- */

int pmudev_switch_probe_init(struct tracepoint *sched_switch);
void pmudev_switch_probe_exit(void);

/* From its return on every switch of a waiting thread is seen, on every CPU. May sleep. */
int pmudev_switch_probe_start(void);

/* ---------------------------------------------------------------- task.c -- */

/* Install the hooks on fork, exec and exit. May sleep. */
int pmudev_task_hook(void);
bool pmudev_task_hooked(void);
void pmudev_task_exit(void);

#endif /* _PMUDEV_TASKS_H */
