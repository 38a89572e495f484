/* SPDX-License-Identifier: GPL-2.0 */
/* Contexts: make one, load and unload it, run something on it wherever it is loaded. */
#ifndef _PMUDEV_CONTEXT_CONTEXT_H
#define _PMUDEV_CONTEXT_CONTEXT_H

#include <linux/smp.h>

#include "change.h"

/* Initialize a context that is zeroed. */
void pmudev_ctx_init(struct pmudev_ctx *ctx);

/* Initialize all CPUs' contexts and timers, and stop the timers at exit. */
void pmudev_cpus_init(void);
void pmudev_cpus_exit(void);

/* Load and unload: ctx->lock held, irqs off, on the CPU concerned. */
void pmudev_ctx_load(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);
void pmudev_ctx_unload(struct pmudev_ctx *ctx) __must_hold(&ctx->lock);

/*
 * Work on a context, with ctx->lock held and irqs off: on ctx->cpu if that is not negative, else
 * anywhere, and then the target cannot run.
 */
typedef void (*pmudev_ctx_fn)(struct pmudev_ctx *ctx, void *arg);

/* pmudev_ctx_call() of a context that is loaded on another CPU, at least a moment ago. */
void pmudev_ctx_call_remote(struct pmudev_ctx *ctx, pmudev_ctx_fn fn, void *arg);

/* pmudev_ctx_call() if it needs no other CPU. Return: false if it does, and nothing was done. */
static __always_inline bool pmudev_ctx_call_here(struct pmudev_ctx *ctx, pmudev_ctx_fn fn,
						 void *arg)
{
	unsigned long flags;
	bool here;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	here = ctx->cpu < 0 || ctx->cpu == smp_processor_id();
	if (here)
		fn(ctx, arg);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return here;
}

/*
 * Run @fn on a context, wherever it is; the caller has a reference. Returns when it has run.
 * Process context, irqs on; does not sleep but may wait for another CPU.
 */
static __always_inline void pmudev_ctx_call(struct pmudev_ctx *ctx, pmudev_ctx_fn fn, void *arg)
{
	if (!pmudev_ctx_call_here(ctx, fn, arg))
		pmudev_ctx_call_remote(ctx, fn, arg);
}

/* The same for a pmudev_set_fn on a set without its children. */
void pmudev_set_call_alone(struct pmudev_set *set, pmudev_set_fn fn, void *arg);

#endif /* _PMUDEV_CONTEXT_CONTEXT_H */
