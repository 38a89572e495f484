/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Context switches: what loads and unloads a thread's context. Implemented by preempt notifiers
 * (switch_notifier.c), or where the kernel has none by the sched_switch probe (switch_probe.c).
 */
#ifndef _PMUDEV_TASK_SWITCH_H
#define _PMUDEV_TASK_SWITCH_H

#include "../context/ctx.h"

struct tracepoint;

/* Are contexts loaded last of all at a switch, so that user access stays as it is set then? */
extern const bool pmudev_switch_lets_read;

/* The calling thread's own context is about to be linked. May sleep. Return: 0 or an error. */
int pmudev_switch_prepare(void);

/*
 * Have the thread's switches load and unload the context: the calling thread, or one that has not
 * run yet. ctx->lock held.
 */
void pmudev_switch_link(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/*
 * Switches do not concern the context, which is linked and dead, any more. @out: it was loaded
 * nowhere. ctx->lock held. Return: true: the caller drops a reference; false: the next switch does.
 */
bool pmudev_switch_unlink(struct pmudev_ctx *ctx, bool out) __must_hold(&ctx->lock);

/* Before the first thread is attached, and after the last. @tp: sched_switch. */
int pmudev_switch_hook(struct tracepoint *tp);
void pmudev_switch_unhook(void);

#endif /* _PMUDEV_TASK_SWITCH_H */
