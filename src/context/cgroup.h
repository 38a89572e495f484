/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts of cgroups: each is of one set, and loaded while a thread of its cgroup, or of one below
 * that, runs on its CPU. Those of a CPU and the CPU's own context can be loaded at a time.
 */
#ifndef _PMUDEV_CONTEXT_CGROUP_H
#define _PMUDEV_CONTEXT_CGROUP_H

#include "context.h"

struct cgroup;

/* A cgroup on one CPU */
struct pmudev_cgroup {
	struct cgroup *cgroup;	/* referenced. Constant. */
	int cpu;		/* Constant. */
	struct hlist_node node; /* in the CPU's list; on the CPU, irqs off */
	struct pmudev_ctx ctx;	/* last, for its events follow it */
};

/* All: on the CPU concerned, irqs off. */

/* Load and unload what belongs to @task, which runs on this CPU now or is about to. */
#ifdef CONFIG_CGROUPS
void pmudev_cgroups_follow(struct pmudev_cpu *cpuc, struct task_struct *task);
#else
static inline void pmudev_cgroups_follow(struct pmudev_cpu *cpuc, struct task_struct *task)
{
}
#endif

/* Unload all. */
void pmudev_cgroups_unload(struct pmudev_cpu *cpuc);

/* Call @fn with each that is loaded. */
static __always_inline void pmudev_cgroups_walk(struct pmudev_cpu *cpuc,
						void (*fn)(struct pmudev_ctx *ctx, void *arg),
						void *arg)
{
	struct pmudev_cgroup *cgroup;

	hlist_for_each_entry(cgroup, &cpuc->cgroups, node)
		if (cgroup->ctx.cpu >= 0)
			fn(&cgroup->ctx, arg);
}

/* Call @fn with each context that may be loaded on this CPU. */
static __always_inline void pmudev_loaded_walk(struct pmudev_cpu *cpuc,
					       void (*fn)(struct pmudev_ctx *ctx, void *arg),
					       void *arg)
{
	fn(&cpuc->ctx, arg);
	if (cpuc->task)
		fn(cpuc->task, arg);
	pmudev_cgroups_walk(cpuc, fn, arg);
}

#endif /* _PMUDEV_CONTEXT_CGROUP_H */
