// SPDX-License-Identifier: GPL-2.0
/* Attach and detach: start and stop following a thread. */
#include <linux/sched.h>
#include <linux/slab.h>

#include "../context/context.h"
#include "../context/user_page.h"
#include "../memory.h"
#include "attach.h"
#include "sched_switch.h"
#include "switch.h"

/* Count one more set. Return: false if the context is dead. */
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

/*
 * Link the context of the calling thread, or of one that has not run yet; @load it, too. It is
 * started then.
 */
static void link_ctx(struct pmudev_ctx *ctx, bool load)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (!ctx->dead)
		pmudev_switch_link(ctx);
	if (load && !ctx->dead && ctx->cpu < 0)
		pmudev_ctx_load(ctx);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	/* Pairs with the acquire in start(). */
	smp_store_release(&ctx->link.started, true);
}

/*
 * Load the context on the CPU where its thread may be running. If the thread is not running, the
 * probe links the context at the next switch. A thread that exits is not counted any more: start()
 * fails.
 */
static void start_here(void *info)
{
	struct pmudev_ctx *ctx = info;

	raw_spin_lock(&ctx->lock);
	if (ctx->link.task == current && !(current->flags & PF_EXITING) && !ctx->dead &&
	    ctx->cpu < 0)
		pmudev_ctx_load(ctx);
	raw_spin_unlock(&ctx->lock);
}

/*
 * Start a context that is in the task table. Several calls that find it there may do so at once:
 * none returns before it is started. Preemption off.
 */
static int start(struct pmudev_ctx *ctx)
{
	if (ctx->link.task == current) {
		link_ctx(ctx, true);
		return 0;
	}
	/* Pairs with the releases: what they started comes before all that the caller does. */
	if (smp_load_acquire(&ctx->link.started))
		return 0;
	/*
	 * The context was in the table before the thread's CPU is looked up: if the thread runs on
	 * another one by then, the probe has found the context there.
	 */
	smp_mb();
	/* If the CPU went offline, the thread was switched since, and the probe has found it. */
	smp_call_function_single(task_cpu(ctx->link.task), start_here, ctx, true);
	/*
	 * The thread may have passed its exit hook before the context was in the table. Pairs with
	 * the barrier in on_exit(): either the hook finds the context, or this reads PF_EXITING.
	 */
	smp_mb();
	if (READ_ONCE(ctx->link.task->flags) & PF_EXITING)
		return -ESRCH;
	/* Pairs with the acquire above. */
	smp_store_release(&ctx->link.started, true);
	return 0;
}

/* Add a new context for its first set. Return: false if the task has one; @ctx is freed then. */
static bool add_new(struct pmudev_ctx *ctx)
{
	ctx->link.nr_sets = 1;
	atomic_inc(&pmudev_nr_unlinked);
	if (pmudev_task_table_add(ctx))
		return true;
	atomic_dec(&pmudev_nr_unlinked);
	pmudev_ctx_put(ctx);
	return false;
}

/* The task's existing context, for one more set. Return: NULL if there is none alive. */
static struct pmudev_ctx *get_found(struct task_struct *task, struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx;

	/* A dead context was just being removed from the table: it is not found again. */
	while ((ctx = pmudev_ctx_find(task, pmu)) && !ctx_get_set(ctx))
		pmudev_ctx_put(ctx);
	return ctx;
}

/*
 * After prepare(): @new, or the context that the task has already. @new may be NULL, and is freed
 * if it is not used. Return: NULL if the context died in between; ERR_PTR(-ESRCH).
 */
static struct pmudev_ctx *get_started(struct task_struct *task, struct pmudev_pmu *pmu,
				      struct pmudev_ctx *new)
{
	struct pmudev_ctx *ctx = new;
	int ret = 0;

	/*
	 * Another call that finds the calling thread's new context may load it here. Link it
	 * before this thread can be switched out: nothing else would unload it then.
	 */
	preempt_disable();
	if (!new || !add_new(new))
		ctx = get_found(task, pmu);
	if (ctx)
		ret = start(ctx);
	preempt_enable();
	if (!ret)
		return ctx;
	pmudev_detach(ctx);
	return ERR_PTR(ret);
}

/* Do what may sleep. pmudev_nr_unlinked keeps the probe installed. */
static int prepare(const struct task_struct *task)
{
	return task == current ? pmudev_switch_prepare() : pmudev_sched_switch_start();
}

struct pmudev_ctx *pmudev_attach(struct task_struct *task, struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx, *new = NULL;
	bool create = !pmudev_task_attached(task, pmu);
	int ret = 0;

	/* Repeat if the existing context died in between. */
	do {
		if (create) {
			new = pmudev_ctx_alloc(task, pmu, pmudev_bind_gfp(task));
			if (!new)
				return ERR_PTR(-ENOMEM);
		}
		atomic_inc(&pmudev_nr_unlinked);
		/*
		 * A context that is found is linked, or whoever added it has the probe installed.
		 * Without notifiers the fork hook adds some without looking after the probe.
		 */
		if (new || task == current || !IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS))
			ret = prepare(task);
		if (ret) {
			atomic_dec(&pmudev_nr_unlinked);
			if (new)
				pmudev_ctx_put(new);
			return ERR_PTR(ret);
		}
		ctx = get_started(task, pmu, new);
		atomic_dec(&pmudev_nr_unlinked);
		create = true;
	} while (!ctx);
	return ctx;
}

struct pmudev_ctx *pmudev_attach_new_task(struct task_struct *child, struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx = pmudev_ctx_alloc(child, pmu, PMUDEV_GFP_NOWAIT);

	if (!ctx)
		return NULL;
	/* Another process may count the new task already. */
	if (!add_new(ctx))
		return get_found(child, pmu);
	/* The task has not run, so its list of notifiers does not change. */
	link_ctx(ctx, false);
	return ctx;
}

unsigned int pmudev_ctx_end(struct pmudev_ctx *ctx)
{
	bool out = ctx->cpu < 0;
	unsigned int refs = 1;

	lockdep_assert_held(&ctx->lock);
	if (ctx->dead)
		return 0;
	if (ctx->cpu >= 0)
		pmudev_ctx_unload(ctx);
	/* pmudev_set_ended() takes no lock. */
	WRITE_ONCE(ctx->dead, true);
	pmudev_pages_revoke(ctx);
	pmudev_deadlines_ended(ctx);
	pmudev_task_table_remove(ctx);
	if (!ctx->link.linked)
		atomic_dec(&pmudev_nr_unlinked);
	else if (pmudev_switch_unlink(ctx, out))
		refs++;
	return refs;
}

/* @arg: out: how many references to drop after the context's lock */
static void drop_set(struct pmudev_ctx *ctx, void *arg)
{
	unsigned int *refs = arg;

	if (!--ctx->link.nr_sets)
		*refs = pmudev_ctx_end(ctx);
}

void pmudev_detach(struct pmudev_ctx *ctx)
{
	unsigned int refs = 0;

	pmudev_ctx_call(ctx, drop_set, &refs);
	/* Drop the set's reference last: it kept the context for the call. */
	while (refs--)
		pmudev_ctx_put(ctx);
	pmudev_ctx_put(ctx);
}
