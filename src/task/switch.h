/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Context switches: what loads and unloads a thread's context. Implemented by preempt notifiers
 * (switch_notifier.c), or where the kernel has none by the sched_switch probe (switch_probe.c).
 */
#ifndef _PMUDEV_TASK_SWITCH_H
#define _PMUDEV_TASK_SWITCH_H

#include "../context/ctx.h"

struct tracepoint;

/*
 * Are contexts loaded after everything else that the kernel does at a switch, so that user access
 * stays as it is set then?
 */
extern const bool pmudev_switch_lets_read;

/* The calling thread's own context is about to be linked. May sleep. Return: 0 or an error. */
int pmudev_switch_prepare(void);

/*
 * Have the thread's switches load and unload the context: the calling thread, or one that has not
 * run yet. ctx->lock held.
 */
void pmudev_switch_link(struct pmudev_ctx *ctx);

/**
 * pmudev_switch_unlink - switches do not concern the context any more
 * @ctx: linked and dead; its lock is held
 * @out: it was loaded nowhere
 *
 * Return: true: a reference is left for the caller to drop; false: the next switch drops it.
 */
bool pmudev_switch_unlink(struct pmudev_ctx *ctx, bool out);

/* Before the first thread is attached, and after the last. @tp: sched_switch. */
int pmudev_switch_hook(struct tracepoint *tp);
void pmudev_switch_unhook(void);

#endif /* _PMUDEV_TASK_SWITCH_H */
