// SPDX-License-Identifier: GPL-2.0
/* Attach and detach: how a thread begins and ends to be followed. */
#include <linux/sched.h>
#include <linux/slab.h>

#include "../context/context.h"
#include "../context/user_page.h"
#include "../memory.h"
#include "attach.h"
#include "sched_switch.h"
#include "switch.h"

/* A context that another call has made is attached when it is found. */
static DEFINE_RAW_SPINLOCK(attach_lock);

/* -------------------------------------------------------- the beginning -- */

/* One more set, unless it is too late. */
static bool ctx_get_set(struct pmudev_ctx *ctx)
{
	unsigned long flags;
	bool alive;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	alive = !ctx->dead;
	ctx->link.nr_sets += alive;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return alive;
}

/* The calling thread. */
static void start_self(struct pmudev_ctx *ctx)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (!ctx->dead)
		pmudev_switch_link(ctx);
	if (!ctx->dead && ctx->cpu < 0)
		pmudev_ctx_load(ctx);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/* On the CPU where the thread may be running; if it is not, the probe has it. */
static void start_here(void *info)
{
	struct pmudev_ctx *ctx = info;

	raw_spin_lock(&ctx->lock);
	if (ctx->link.task == current && !ctx->dead && ctx->cpu < 0)
		pmudev_ctx_load(ctx);
	raw_spin_unlock(&ctx->lock);
}

static int start(struct pmudev_ctx *ctx)
{
	if (ctx->link.task == current) {
		start_self(ctx);
		return 0;
	}
	/* A CPU that went offline runs nobody: then the thread has been switched meanwhile. */
	smp_call_function_single(task_cpu(ctx->link.task), start_here, ctx, true);
	/*
	 * It may have got past its exit hook before it could be found there. Pairs with the
	 * barrier there: either it found the context, or we see that it is exiting.
	 */
	smp_mb();
	return READ_ONCE(ctx->link.task->flags) & PF_EXITING ? -ESRCH : 0;
}

/*
 * With a reference for its first set, after prepare(). NULL: another was quicker, and @ctx is gone.
 */
static struct pmudev_ctx *attach_fresh(struct pmudev_ctx *ctx)
{
	int ret;

	ctx->link.nr_sets = 1;
	atomic_inc(&pmudev_nr_unlinked);
	if (!pmudev_task_table_add(ctx)) {
		atomic_dec(&pmudev_nr_unlinked);
		pmudev_ctx_put(ctx);
		return NULL;
	}
	ret = start(ctx);
	if (!ret)
		return ctx;
	pmudev_detach(ctx);
	return ERR_PTR(ret);
}

/* The one there is, with a reference for one set more. NULL: there is none that lives. */
static struct pmudev_ctx *attach_found(struct task_struct *task, struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx;

	/* What is found dead was being taken out of its hash_node: it is not found again. */
	while ((ctx = pmudev_ctx_find(task, pmu)) && !ctx_get_set(ctx))
		pmudev_ctx_put(ctx);
	if (ctx && task == current)
		start_self(ctx);
	return ctx;
}

/* What may sleep comes first; what it has begun stays until the context waits itself. */
static int prepare(const struct task_struct *task)
{
	return task == current ? pmudev_switch_prepare() : pmudev_sched_switch_start();
}

struct pmudev_ctx *pmudev_attach(struct task_struct *task, struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx, *fresh = NULL;
	bool anew = !pmudev_task_attached(task, pmu);
	int ret = 0;

	/* Until the one that was there has not died meanwhile. */
	do {
		ctx = NULL;
		/* Others are not to wait while one is short of memory. */
		if (anew) {
			fresh = pmudev_ctx_alloc(task, pmu, pmudev_bind_gfp(task));
			if (!fresh)
				return ERR_PTR(-ENOMEM);
		}
		atomic_inc(&pmudev_nr_unlinked);
		if (fresh || task == current)
			ret = prepare(task);
		if (ret) {
			atomic_dec(&pmudev_nr_unlinked);
			if (fresh)
				pmudev_ctx_put(fresh);
			return ERR_PTR(ret);
		}
		raw_spin_lock(&attach_lock);
		if (fresh)
			ctx = attach_fresh(fresh);
		/* Or somebody was quicker. */
		if (!ctx)
			ctx = attach_found(task, pmu);
		raw_spin_unlock(&attach_lock);
		atomic_dec(&pmudev_nr_unlinked);
		anew = true;
	} while (!ctx);
	return ctx;
}

struct pmudev_ctx *pmudev_attach_new_task(struct task_struct *child, struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx = pmudev_ctx_alloc(child, pmu, PMUDEV_GFP_NOWAIT);
	unsigned long flags;

	if (!ctx)
		return NULL;
	ctx->link.nr_sets = 1;
	atomic_inc(&pmudev_nr_unlinked);
	if (!pmudev_task_table_add(ctx)) {
		/* Somebody was quick, and counts it already. */
		atomic_dec(&pmudev_nr_unlinked);
		pmudev_ctx_put(ctx);
		ctx = pmudev_ctx_find(child, pmu);
		if (ctx && !ctx_get_set(ctx)) {
			pmudev_ctx_put(ctx);
			ctx = NULL;
		}
		return ctx;
	}
	/* It has not run yet. */
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (!ctx->dead)
		pmudev_switch_link(ctx);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return ctx;
}

/* -------------------------------------------------------------- the end -- */

unsigned int pmudev_ctx_end(struct pmudev_ctx *ctx)
{
	bool out = ctx->cpu < 0;
	unsigned int refs = 1;

	lockdep_assert_held(&ctx->lock);
	if (ctx->dead)
		return 0;
	if (ctx->cpu >= 0)
		pmudev_ctx_unload(ctx);
	ctx->dead = true;
	pmudev_pages_revoke(ctx);
	pmudev_task_table_remove(ctx);
	if (!ctx->link.linked)
		atomic_dec(&pmudev_nr_unlinked);
	else if (pmudev_switch_unlink(ctx, out))
		refs++;
	return refs;
}

struct ending {
	unsigned int refs;
};

static void drop_set(struct pmudev_ctx *ctx, void *arg)
{
	struct ending *ending = arg;

	if (!--ctx->link.nr_sets)
		ending->refs = pmudev_ctx_end(ctx);
}

void pmudev_detach(struct pmudev_ctx *ctx)
{
	struct ending ending = {};

	pmudev_ctx_call(ctx, drop_set, &ending);
	/* The set's own comes last: it kept the context for the call. */
	while (ending.refs--)
		pmudev_ctx_put(ctx);
	pmudev_ctx_put(ctx);
}
