/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts and CPUs: fields only; the operations are in the headers of the files that do the work.
 *
 * A task's context lives as long as a set refers to it, it can be found by its task, or its preempt
 * notifier is in the task's list. It is found until the thread exits, gains privileges by exec, or
 * its last set goes; then it is dead. Each context of a task keeps the module loaded.
 */
#ifndef _PMUDEV_CONTEXT_CTX_H
#define _PMUDEV_CONTEXT_CTX_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "set.h"

/* pmudev_user_reads.stale */
#define PMUDEV_STALE_COUNTS	BIT(0)	/* a count has changed by more than PMUDEV_PAGE_LAG */
#define PMUDEV_STALE_ALL	BIT(1)	/* pmudev_ctx.lost has changed */

/**
 * struct pmudev_user_reads - what a context's thread may read itself; under ctx->lock
 * @enabled: user mode can read counters while the context is loaded
 * @revoke_pending: access could not be enabled or disabled as it should. It is disabled when the
 *	thread is unloaded or, if that is past, at its next switch.
 * @on_other_pmu: loaded on a CPU of another PMU with access enabled: the thread may be in the
 *	middle of a read that it began on its own PMU
 * @was_enabled: access was enabled since it was granted: the thread may be in the middle of a read
 * @stale: PMUDEV_STALE_*: what the pages must be rewritten for
 * @maps: mappings of its sets' pages in @mm
 * @mm: the address space with access; compared, never followed
 * @counters: counters of events in @pages that the thread may read
 * @pages: its sets with a page that has an active event for user reads, by set->mapping.node
 */
struct pmudev_user_reads {
	bool enabled;
	bool revoke_pending;
	bool on_other_pmu;
	bool was_enabled;
	u8 stale;
	u32 maps;
	struct mm_struct *mm;
	u64 counters;
	struct hlist_head pages;
};

/**
 * struct pmudev_task_link - how a task's context follows its task (task/); unused for a CPU's
 * @task: the thread; compared, never followed. NULL for a CPU. Constant.
 * @hash_node: in the task table; under task_hash_lock and RCU
 * @deferred_put: drops the notifier's reference where a switch cannot
 * @rcu: for freeing: a probe may drop the last reference with preemption off
 * @nr_sets: sets bound to it, children included; under ctx->lock
 * @nr_parents: those of them with a file; under ctx->lock
 * @linked: the preempt notifier is in the task's list; under ctx->lock
 */
struct pmudev_task_link {
	struct task_struct *task;
	struct hlist_node hash_node;
	struct irq_work deferred_put;
	struct rcu_head rcu;
	u32 nr_sets;
	u32 nr_parents;
	bool linked;
};

/**
 * struct pmudev_alloc_ctx - what the allocation layer keeps of a context; under pmu->lock
 * @held: counters allocated to its sets (not to children)
 * @borrowed: counters that its multiplexing sets use beyond those
 * @mark: the last question that concerned it, see pmudev_find_conflicts()
 */
struct pmudev_alloc_ctx {
	u64 held;
	u64 borrowed;
	u64 mark;
};

/**
 * struct pmudev_ctx - what is loaded as a unit: the events of a thread on one PMU, or of a CPU
 * @notifier: follows the thread's switches; first, for they use it most
 * @lock: all below unless it says otherwise; raw, taken with irqs off
 * @cpu: where it is loaded, -1 if nowhere. Written on that CPU only.
 * @nr: number of active events
 * @ready: loaded on a CPU of its PMU that is reserved; else its time is lost
 * @dead: the thread has exited or gained privileges, or no set is left: never loaded again
 * @pmu: the PMU it counts on; NULL for a CPU without one. Constant.
 * @mask: counters of the active events
 * @residue_mask: those that leave a value which user mode could see, see pmudev_leave_residue()
 * @fold_ns: how often the narrowest active counter must be folded, 0: never
 * @clock: ticks the target ran, less the clock while it is loaded
 * @lost: ticks of them on a CPU that was not reserved; less the clock while it is such a CPU
 * @rotated: the running clock at the last rotation
 * @rotating: its sets with a rotation, by set->rotation.node
 * @inherited: its children, and its sets that are inherited or wait for an exec, by set->ctx_node
 * @nr_inherited: how many; also read without @lock
 * @reads: what the thread may read itself
 * @link: how it follows its task
 * @alloc: see there
 * @ref: references: the sets, the task table, and the notifier
 * @active: the active events: room for as many as the PMU has counters
 */
struct pmudev_ctx {
#ifdef CONFIG_PREEMPT_NOTIFIERS
	struct preempt_notifier notifier;
#endif
	raw_spinlock_t lock;
	int cpu;
	u32 nr;
	bool ready;
	bool dead;
	struct pmudev_pmu *pmu;
	u64 mask;
	u64 residue_mask;
	u64 fold_ns;
	u64 clock;
	u64 lost;
	u64 rotated;
	struct hlist_head rotating;
	struct hlist_head inherited;
	u32 nr_inherited;
	struct pmudev_user_reads reads;
	struct pmudev_task_link link;
	struct pmudev_alloc_ctx alloc;
	struct kref ref;
	struct pmudev_hw *active[] __aligned(8);
};

/**
 * struct pmudev_cpu - one CPU
 * @pmu: its PMU; NULL: none, or of a kind that was absent when the module was loaded. Set once,
 *	before anything is loaded there.
 * @task: the context of @pmu that the thread loaded here has; used on the CPU only, irqs off
 * @cpu: its number. Constant.
 * @nr_on_other_pmu: contexts loaded here with reads.on_other_pmu; likewise
 * @ready: its counters are reserved and powered; written on the CPU, irqs off
 * @owned: its counters are reserved; written under pmu->lock, read on the CPU when it wakes up
 * @residue: counters that still show what earlier events counted; used on the CPU, irqs off
 * @fold_timer: folds narrow counters; runs while something loaded here needs it
 * @fold_ns: its period, 0 while it does not run
 * @rotate_timer: rotates multiplexed groups; runs while something loaded here has some
 * @ctx: the CPU's own context: its CPU sets
 * @active: the room for @ctx.active
 */
struct pmudev_cpu {
	struct pmudev_pmu *pmu;
	struct pmudev_ctx *task;
	int cpu;
	u32 nr_on_other_pmu;
	bool ready;
	bool owned;
	u64 residue;
	struct hrtimer fold_timer;
	u64 fold_ns;
	struct hrtimer rotate_timer;
	struct pmudev_ctx ctx;
	struct pmudev_hw *active[PMUDEV_COUNTERS];
};

static_assert(offsetof(struct pmudev_cpu, active) ==
	      offsetof(struct pmudev_cpu, ctx) + offsetof(struct pmudev_ctx, active));

DECLARE_PER_CPU(struct pmudev_cpu, pmudev_cpus);

/**
 * struct pmudev_clocks - a context's clocks at one moment, in ticks
 * @enabled: advances while the target runs
 * @running: advances while the target runs on a reserved CPU of its PMU
 */
struct pmudev_clocks {
	u64 enabled;
	u64 running;
};

/* The clocks now. ctx->lock held. */
static __always_inline struct pmudev_clocks pmudev_ctx_clocks(const struct pmudev_ctx *ctx)
{
	u64 now = ctx->cpu < 0 ? 0 : pmudev_clock();
	struct pmudev_clocks clocks = { .enabled = ctx->clock + now };

	/* On a CPU that is not ready @lost advances as well, and the running clock stands. */
	if (unlikely(ctx->cpu >= 0 && !ctx->ready))
		clocks.running = ctx->clock - ctx->lost;
	else
		clocks.running = clocks.enabled - ctx->lost;
	return clocks;
}

/* Is it loaded on a CPU where it counts? ctx->lock held. */
static inline bool pmudev_ctx_counting(const struct pmudev_ctx *ctx)
{
	return ctx->cpu >= 0 && ctx->ready;
}

#endif /* _PMUDEV_CONTEXT_CTX_H */
