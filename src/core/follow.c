// SPDX-License-Identifier: GPL-2.0
/*
 * Following threads: contexts by their task, how that begins and ends. What loads and unloads them
 * at switches is in switch_notifier.c, or where the kernel lacks that in switch_probe.c.
 *
 * A thread can have two contexts of a PMU: one that is dead and stays linked until the next switch,
 * and its successor.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "compat.h"
#include "core.h"

struct hlist_head pmudev_task_hash[1 << PMUDEV_TASK_HASH_BITS];
static DEFINE_RAW_SPINLOCK(task_hash_lock);

/* Whoever finds a context that another call has made finds it followed. */
static DEFINE_RAW_SPINLOCK(attach_lock);

atomic_t pmudev_nr_waiting = ATOMIC_INIT(0);

/* ---------------------------------------------------- contexts by task -- */

static struct pmudev_ctx *look_up(const struct task_struct *task, const struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx;

	hlist_for_each_entry_rcu(ctx, pmudev_task_hash_of(task), hash_node,
				 lockdep_is_held(&task_hash_lock))
		if (ctx->task == task && ctx->pmu == pmu)
			return ctx;
	return NULL;
}

struct pmudev_ctx *pmudev_ctx_find(const struct task_struct *task, const struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx;

	rcu_read_lock();
	ctx = look_up(task, pmu);
	if (ctx && !kref_get_unless_zero(&ctx->ref))
		ctx = NULL;
	rcu_read_unlock();
	return ctx;
}

/* False if the task has a context of that PMU already. A reference goes with the place. */
static bool enter(struct pmudev_ctx *ctx)
{
	unsigned long flags;
	bool entered;

	raw_spin_lock_irqsave(&task_hash_lock, flags);
	entered = !look_up(ctx->task, ctx->pmu);
	if (entered) {
		kref_get(&ctx->ref);
		hlist_add_head_rcu(&ctx->hash_node, pmudev_task_hash_of(ctx->task));
	}
	raw_spin_unlock_irqrestore(&task_hash_lock, flags);
	return entered;
}

static void ctx_free(struct kref *ref)
{
	/* Not kfree(): some kernels run probes with preemption off, where PREEMPT_RT cannot. */
	kfree_rcu(container_of(ref, struct pmudev_ctx, ref), rcu);
	module_put(THIS_MODULE);
}

void pmudev_ctx_put(struct pmudev_ctx *ctx)
{
	kref_put(&ctx->ref, ctx_free);
}

void pmudev_ctxs_of(const struct task_struct *task, void (*fn)(struct pmudev_ctx *ctx))
{
	struct pmudev_ctx *ctx;

	hlist_for_each_entry_rcu(ctx, pmudev_task_hash_of(task), hash_node, true)
		if (ctx->task == task)
			fn(ctx);
}

/* -------------------------------------------------------- the beginning -- */

static struct pmudev_ctx *ctx_alloc(struct task_struct *task, struct pmudev_pmu *pmu, gfp_t gfp)
{
	struct pmudev_ctx *ctx;

	ctx = kzalloc(struct_size(ctx, active, hweight64(pmu->info.counters)), gfp);
	if (!ctx)
		return NULL;
	__module_get(THIS_MODULE);
	pmudev_ctx_init(ctx);
	ctx->task = task;
	ctx->pmu = pmu;
	pmudev_switch_init(ctx);
	return ctx;
}

/* One more set, unless it is too late. */
static bool ctx_get_set(struct pmudev_ctx *ctx)
{
	unsigned long flags;
	bool alive;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	alive = !ctx->dead;
	ctx->nr_sets += alive;
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
	if (ctx->task == current && !ctx->dead && ctx->cpu < 0)
		pmudev_ctx_load(ctx);
	raw_spin_unlock(&ctx->lock);
}

static int start(struct pmudev_ctx *ctx)
{
	if (ctx->task == current) {
		start_self(ctx);
		return 0;
	}
	/* A CPU that went offline runs nobody: then the thread has been switched meanwhile. */
	smp_call_function_single(task_cpu(ctx->task), start_here, ctx, true);
	/*
	 * It may have got past its exit hook before it could be found there. Pairs with the
	 * barrier there: either it found the context, or we see that it is exiting.
	 */
	smp_mb();
	return READ_ONCE(ctx->task->flags) & PF_EXITING ? -ESRCH : 0;
}

/*
 * With a reference for its first set, after prepare(). NULL: another was quicker, and @ctx is gone.
 */
static struct pmudev_ctx *attach_fresh(struct pmudev_ctx *ctx)
{
	int ret;

	ctx->nr_sets = 1;
	atomic_inc(&pmudev_nr_waiting);
	if (!enter(ctx)) {
		atomic_dec(&pmudev_nr_waiting);
		pmudev_ctx_put(ctx);
		return NULL;
	}
	ret = start(ctx);
	if (!ret)
		return ctx;
	pmudev_detach(ctx);
	return ERR_PTR(ret);
}

/* At this moment. */
static bool is_attached(const struct task_struct *task, const struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx;
	bool found = false;

	rcu_read_lock();
	hlist_for_each_entry_rcu(ctx, pmudev_task_hash_of(task), hash_node)
		found |= ctx->task == task && ctx->pmu == pmu;
	rcu_read_unlock();
	return found;
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
	return task == current ? pmudev_switch_prepare() : pmudev_switch_probe_start();
}

struct pmudev_ctx *pmudev_attach(struct task_struct *task, struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx, *fresh = NULL;
	bool anew = !is_attached(task, pmu);
	int ret = 0;

	/* Until the one that was there has not died meanwhile. */
	do {
		ctx = NULL;
		/* Others are not to wait while one is short of memory. */
		if (anew) {
			fresh = ctx_alloc(task, pmu, pmudev_bind_gfp(task));
			if (!fresh)
				return ERR_PTR(-ENOMEM);
		}
		atomic_inc(&pmudev_nr_waiting);
		if (fresh || task == current)
			ret = prepare(task);
		if (ret) {
			atomic_dec(&pmudev_nr_waiting);
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
		atomic_dec(&pmudev_nr_waiting);
		anew = true;
	} while (!ctx);
	return ctx;
}

struct pmudev_ctx *pmudev_attach_new_task(struct task_struct *child, struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx = ctx_alloc(child, pmu, PMUDEV_GFP_NOWAIT);
	unsigned long flags;

	if (!ctx)
		return NULL;
	ctx->nr_sets = 1;
	atomic_inc(&pmudev_nr_waiting);
	if (!enter(ctx)) {
		/* Somebody was quick, and counts it already. */
		atomic_dec(&pmudev_nr_waiting);
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
	raw_spin_lock(&task_hash_lock);
	hlist_del_rcu(&ctx->hash_node);
	raw_spin_unlock(&task_hash_lock);
	if (!ctx->linked)
		atomic_dec(&pmudev_nr_waiting);
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

	if (!--ctx->nr_sets)
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
