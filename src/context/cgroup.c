// SPDX-License-Identifier: GPL-2.0
/* Contexts of cgroups: load and unload them as threads come and go. */
#include <linux/cgroup.h>
#include <linux/sched.h>

#include "cgroup.h"

static void unload(struct pmudev_ctx *ctx, void *unused)
{
	raw_spin_lock(&ctx->lock);
	pmudev_ctx_unload(ctx);
	raw_spin_unlock(&ctx->lock);
}

void pmudev_cgroups_unload(struct pmudev_cpu *cpuc)
{
	lockdep_assert_irqs_disabled();
	pmudev_cgroups_walk(cpuc, unload, NULL);
}

#ifdef CONFIG_CGROUPS
static void load(struct pmudev_ctx *ctx)
{
	raw_spin_lock(&ctx->lock);
	pmudev_ctx_load(ctx);
	raw_spin_unlock(&ctx->lock);
}

void pmudev_cgroups_follow(struct pmudev_cpu *cpuc, struct task_struct *task)
{
	struct pmudev_cgroup *cgroup;
	struct pmudev_ctx *ctx;
	bool runs;

	lockdep_assert_irqs_disabled();
	/* ctx->cpu is written on this CPU only. What the idle thread does is not counted. */
	rcu_read_lock();
	hlist_for_each_entry(cgroup, &cpuc->cgroups, node) {
		ctx = &cgroup->ctx;
		runs = cpuc->follows_cgroups && !is_idle_task(task) &&
		       task_under_cgroup_hierarchy(task, cgroup->cgroup);
		if (runs && ctx->cpu < 0)
			load(ctx);
		else if (!runs && ctx->cpu >= 0)
			unload(ctx, NULL);
	}
	rcu_read_unlock();
}
#endif
