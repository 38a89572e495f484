// SPDX-License-Identifier: GPL-2.0
/*
 * Following threads: contexts by their task, and the preempt notifiers that load and unload them.
 *
 * A followed thread pays for its own switches, others pay a test of an empty list. The notifier
 * belongs into the thread's own list, which others use, too (KVM), and which has no lock. We
 * change it, under a lock of our own,
 *   - as the thread itself, outside of interrupts and at its switches;
 *   - in the sched_switch probe, of the two threads that the switch is between: neither can be in
 *     the midst of a change, which is made with preemption off;
 *   - as anybody, if the thread is switched out (linked, and loaded nowhere) and ours is the only
 *     notifier in its list. Before the thread changes the list again it comes by task_in(), that
 *     is, past ctx->lock; or it finds the list empty, and so do all who look after it.
 * A walker that stands on a notifier that is taken out goes on by its next pointer, which stays:
 * walks have preemption off and contexts are freed by RCU. A thread can have two contexts of a
 * PMU: one that is dead and stays linked until the next switch, and its successor.
 */
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "compat.h"
#include "core.h"

#define BUCKET_BITS 12

static struct hlist_head buckets[1 << BUCKET_BITS];
static DEFINE_RAW_SPINLOCK(buckets_lock);

/* Our changes of the lists of notifiers. */
static DEFINE_RAW_SPINLOCK(links_lock);

static DEFINE_MUTEX(follow_mutex);

/* Contexts that are followed, but not yet linked. */
atomic_t pmudev_nr_waiting = ATOMIC_INIT(0);

/* ---------------------------------------------------- contexts by task -- */

static struct hlist_head *bucket_of(const struct task_struct *task)
{
	return &buckets[hash_ptr(task, BUCKET_BITS)];
}

static struct pmudev_ctx *look_up(const struct task_struct *task, const struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx;

	hlist_for_each_entry_rcu(ctx, bucket_of(task), bucket, lockdep_is_held(&buckets_lock))
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

	raw_spin_lock_irqsave(&buckets_lock, flags);
	entered = !look_up(ctx->task, ctx->pmu);
	if (entered) {
		kref_get(&ctx->ref);
		hlist_add_head_rcu(&ctx->bucket, bucket_of(ctx->task));
	}
	raw_spin_unlock_irqrestore(&buckets_lock, flags);
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

/* ------------------------------------------------------------ notifiers -- */

/* Into the list of the context's task: see the top of this file for who may. */
static void link_notifier(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	kref_get(&ctx->ref);
	ctx->linked = true;
	raw_spin_lock(&links_lock);
	hlist_add_head(&ctx->notifier.link, &ctx->task->preempt_notifiers);
	raw_spin_unlock(&links_lock);
	atomic_dec(&pmudev_nr_waiting);
}

/* And out of it. The reference is the caller's to drop, after the lock. */
static void unlink_notifier(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	ctx->linked = false;
	raw_spin_lock(&links_lock);
	__hlist_del(&ctx->notifier.link);
	raw_spin_unlock(&links_lock);
}

/* The same of a thread that is switched out; false if others are in its list. */
static bool unlink_alone(struct pmudev_ctx *ctx)
{
	struct hlist_head *list = &ctx->task->preempt_notifiers;
	bool alone;

	lockdep_assert_held(&ctx->lock);
	raw_spin_lock(&links_lock);
	alone = list->first == &ctx->notifier.link && !ctx->notifier.link.next;
	if (alone)
		WRITE_ONCE(list->first, NULL);
	raw_spin_unlock(&links_lock);
	ctx->linked = !alone;
	return alone;
}

static void task_in(struct preempt_notifier *notifier, int cpu)
{
	struct pmudev_ctx *ctx = container_of(notifier, struct pmudev_ctx, notifier);
	unsigned long flags;

	/*
	 * Runs after switch_mm and after perf's and KVM's own switches; irqs are on. An interrupt
	 * may have loaded it already.
	 */
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (!ctx->dead && ctx->cpu < 0)
		pmudev_ctx_load(ctx, cpu);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

static void task_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct pmudev_ctx *ctx = container_of(notifier, struct pmudev_ctx, notifier);
	bool last = false;

	/* Irqs are off, the run queue is locked. */
	raw_spin_lock(&ctx->lock);
	if (ctx->cpu >= 0)
		pmudev_ctx_unload(ctx);
	if (ctx->dead && ctx->linked) {
		unlink_notifier(ctx);
		last = true;
	}
	raw_spin_unlock(&ctx->lock);
	if (last)
		irq_work_queue(&ctx->farewell);
}

static struct preempt_ops task_ops = {
	.sched_in = task_in,
	.sched_out = task_out,
};

static void say_farewell(struct irq_work *work)
{
	pmudev_ctx_put(container_of(work, struct pmudev_ctx, farewell));
}

void pmudev_link_waiting(const struct task_struct *task)
{
	struct pmudev_ctx *ctx;

	hlist_for_each_entry_rcu(ctx, bucket_of(task), bucket, true) {
		if (ctx->task != task)
			continue;
		raw_spin_lock(&ctx->lock);
		if (!ctx->dead && !ctx->linked)
			link_notifier(ctx);
		raw_spin_unlock(&ctx->lock);
	}
}

/* -------------------------------------------------------- the beginning -- */

static struct pmudev_ctx *ctx_alloc(struct task_struct *task, struct pmudev_pmu *pmu, gfp_t gfp)
{
	struct pmudev_ctx *ctx = kzalloc(sizeof(*ctx), gfp);

	if (!ctx)
		return NULL;
	__module_get(THIS_MODULE);
	pmudev_ctx_init(ctx);
	ctx->task = task;
	ctx->pmu = pmu;
	preempt_notifier_init(&ctx->notifier, &task_ops);
	ctx->farewell = IRQ_WORK_INIT_HARD(say_farewell);
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

/*
 * What has died meanwhile is taken out of the calling thread's list, not only at its next switch:
 * so there is never more than one such.
 */
static void clear_own_list(void)
{
	struct preempt_notifier *notifier;
	struct pmudev_ctx *ctx, *dead;
	unsigned long flags;

	do {
		dead = NULL;
		local_irq_save(flags);
		hlist_for_each_entry(notifier, &current->preempt_notifiers, link) {
			ctx = container_of(notifier, struct pmudev_ctx, notifier);
			if (notifier->ops == &task_ops && READ_ONCE(ctx->dead))
				dead = ctx;
		}
		if (dead) {
			raw_spin_lock(&dead->lock);
			unlink_notifier(dead);
			raw_spin_unlock(&dead->lock);
		}
		local_irq_restore(flags);
		if (dead)
			pmudev_ctx_put(dead);
	} while (dead);
}

/* The calling thread: it can link its notifier itself. */
static void start_self(struct pmudev_ctx *ctx)
{
	unsigned long flags;

	clear_own_list();
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (!ctx->dead && !ctx->linked)
		link_notifier(ctx);
	if (!ctx->dead && ctx->cpu < 0)
		pmudev_ctx_load(ctx, smp_processor_id());
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/* On the CPU where the thread may be running; if it is not, the probe has it. */
static void start_here(void *info)
{
	struct pmudev_ctx *ctx = info;

	raw_spin_lock(&ctx->lock);
	if (ctx->task == current && !ctx->dead && ctx->cpu < 0)
		pmudev_ctx_load(ctx, smp_processor_id());
	raw_spin_unlock(&ctx->lock);
}

static int start(struct pmudev_ctx *ctx)
{
	int ret;

	if (ctx->task == current) {
		start_self(ctx);
		return 0;
	}
	ret = pmudev_start_probing();
	if (ret)
		return ret;
	/* A CPU that went offline runs nobody: then the thread has been switched meanwhile. */
	smp_call_function_single(task_cpu(ctx->task), start_here, ctx, true);
	/*
	 * It may have got past its exit hook before it could be found there. Pairs with the
	 * barrier there: either it found the context, or we see that it is exiting.
	 */
	smp_mb();
	return READ_ONCE(ctx->task->flags) & PF_EXITING ? -ESRCH : 0;
}

/* With a reference for its first set; nothing is counted yet. */
static struct pmudev_ctx *follow_anew(struct task_struct *task, struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx = ctx_alloc(task, pmu, GFP_KERNEL_ACCOUNT);
	int ret;

	if (!ctx)
		return ERR_PTR(-ENOMEM);
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
	pmudev_unfollow(ctx);
	return ERR_PTR(ret);
}

struct pmudev_ctx *pmudev_follow(struct task_struct *task, struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx = NULL;

	mutex_lock(&follow_mutex);
	while (!ctx) {
		ctx = pmudev_ctx_find(task, pmu);
		if (!ctx) {
			ctx = follow_anew(task, pmu);
		} else if (!ctx_get_set(ctx)) {
			/* It has just died, and will be gone from its bucket. */
			pmudev_ctx_put(ctx);
			ctx = NULL;
			cond_resched();
		} else if (task == current) {
			start_self(ctx);
		}
	}
	mutex_unlock(&follow_mutex);
	return ctx;
}

struct pmudev_ctx *pmudev_follow_newborn(struct task_struct *child, struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx = ctx_alloc(child, pmu, PMUDEV_FORK_GFP);
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
	if (!ctx->linked && !ctx->dead)
		link_notifier(ctx);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return ctx;
}

/* -------------------------------------------------------------- the end -- */

unsigned int pmudev_ctx_end(struct pmudev_ctx *ctx)
{
	bool own = ctx->task == current && in_task(), out = ctx->cpu < 0;
	unsigned int refs = 1;

	lockdep_assert_held(&ctx->lock);
	if (ctx->dead)
		return 0;
	if (ctx->cpu >= 0)
		pmudev_ctx_unload(ctx);
	ctx->dead = true;
	pmudev_pages_revoke(ctx);
	raw_spin_lock(&buckets_lock);
	hlist_del_rcu(&ctx->bucket);
	raw_spin_unlock(&buckets_lock);
	if (!ctx->linked) {
		atomic_dec(&pmudev_nr_waiting);
	} else if (own) {
		unlink_notifier(ctx);
		refs++;
	} else if (out && unlink_alone(ctx)) {
		refs++;
	}
	/* Else it goes at the thread's next switch. */
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

void pmudev_unfollow(struct pmudev_ctx *ctx)
{
	struct ending ending = {};

	pmudev_ctx_call(ctx, drop_set, &ending);
	/* The set's own comes last: it kept the context for the call. */
	while (ending.refs--)
		pmudev_ctx_put(ctx);
	pmudev_ctx_put(ctx);
}
