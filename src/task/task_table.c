// SPDX-License-Identifier: GPL-2.0
/* The task table: contexts by their task. */
#include <linux/module.h>
#include <linux/slab.h>

#include "../context/context.h"
#include "task_table.h"

struct hlist_head pmudev_task_hash[1 << PMUDEV_TASK_HASH_BITS];
static DEFINE_RAW_SPINLOCK(task_hash_lock); /* changes of the table; readers use RCU */

struct pmudev_ctx *pmudev_ctx_alloc(struct task_struct *task, struct pmudev_pmu *pmu, gfp_t gfp)
{
	struct pmudev_ctx *ctx;

	ctx = kzalloc(struct_size(ctx, active, hweight64(pmu->info.counters)), gfp);
	if (!ctx)
		return NULL;
	__module_get(THIS_MODULE);
	pmudev_ctx_init(ctx);
	ctx->link.task = task;
	ctx->pmu = pmu;
	return ctx;
}

static void ctx_free(struct kref *ref)
{
	/* Not kfree(): some kernels run probes with preemption off, and PREEMPT_RT then cannot. */
	kfree_rcu(container_of(ref, struct pmudev_ctx, ref), link.rcu);
	module_put(THIS_MODULE);
}

void pmudev_ctx_put(struct pmudev_ctx *ctx)
{
	kref_put(&ctx->ref, ctx_free);
}

static struct pmudev_ctx *look_up(const struct task_struct *task, const struct pmudev_pmu *pmu)
{
	struct pmudev_ctx *ctx;

	hlist_for_each_entry_rcu(ctx, pmudev_task_hash_of(task), link.hash_node,
				 lockdep_is_held(&task_hash_lock))
		if (ctx->link.task == task && ctx->pmu == pmu)
			return ctx;
	return NULL;
}

bool pmudev_task_table_add(struct pmudev_ctx *ctx)
{
	unsigned long flags;
	bool added;

	raw_spin_lock_irqsave(&task_hash_lock, flags);
	added = !look_up(ctx->link.task, ctx->pmu);
	if (added) {
		kref_get(&ctx->ref);
		hlist_add_head_rcu(&ctx->link.hash_node, pmudev_task_hash_of(ctx->link.task));
	}
	raw_spin_unlock_irqrestore(&task_hash_lock, flags);
	return added;
}

void pmudev_task_table_remove(struct pmudev_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	raw_spin_lock(&task_hash_lock);
	hlist_del_rcu(&ctx->link.hash_node);
	raw_spin_unlock(&task_hash_lock);
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

struct pmudev_ctx *pmudev_next_ctx(const struct task_struct *task, struct pmudev_ctx *ctx)
{
	struct pmudev_pmu *pmu = ctx ? ctx->pmu + 1 : pmudev_pmus;
	struct pmudev_ctx *next = NULL;

	for (; !next && pmu < pmudev_pmus + pmudev_nr_pmus; pmu++)
		next = pmudev_ctx_find(task, pmu);
	if (ctx)
		pmudev_ctx_put(ctx);
	return next;
}

bool pmudev_task_attached(const struct task_struct *task, const struct pmudev_pmu *pmu)
{
	bool found;

	rcu_read_lock();
	found = look_up(task, pmu);
	rcu_read_unlock();
	return found;
}

void pmudev_walk_ctxs(const struct task_struct *task, void (*fn)(struct pmudev_ctx *ctx))
{
	struct pmudev_ctx *ctx;

	hlist_for_each_entry_rcu(ctx, pmudev_task_hash_of(task), link.hash_node, true)
		if (ctx->link.task == task)
			fn(ctx);
}
