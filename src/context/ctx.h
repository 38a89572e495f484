/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts, CPUs and clocks. The operations are in the headers of the files that do the work.
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
#define PMUDEV_STALE_COUNTS BIT(0) /* a page's count may be 2^PMUDEV_PAGE_LAG behind */
#define PMUDEV_STALE_ALL    BIT(1) /* pmudev_ctx.lost has changed */

/* What a context's thread may read itself; under ctx->lock */
struct pmudev_user_reads {
	bool enabled; /* user mode can read counters while the context is loaded */
	/* access could not be enabled or disabled: disable it at the unload or the next switch */
	bool revoke_pending;
	bool on_other_pmu; /* on a CPU of another PMU with access, maybe in the middle of a read */
	bool was_enabled;  /* since it was granted; false again when a loss of it was counted */
	u8 stale;	   /* PMUDEV_STALE_*: what the pages must be rewritten for */
	u32 maps;	   /* mappings of its sets' pages in mm */
	struct mm_struct *mm;	 /* the address space with access; compared, never followed */
	u64 counters;		 /* counters of events in pages that the thread may read */
	struct hlist_head pages; /* its sets whose page has an active event for user reads */
};

/* How a task's context follows its task (task/); unused for a CPU's and a cgroup's */
struct pmudev_task_link {
	/*
	 * NULL for a CPU and a cgroup. Constant. Not a reference: followed only by the thread
	 * itself, with a reference, or under ctx->lock while not dead, because the exit hook takes
	 * that lock.
	 */
	struct task_struct *task;
	struct hlist_node hash_node;  /* in the task table; under task_hash_lock and RCU */
	struct irq_work deferred_put; /* drops the notifier's reference where a switch cannot */
	struct rcu_head rcu;	      /* a probe may drop the last reference with preemption off */
	u32 nr_sets;		      /* sets bound to it, children included; under ctx->lock */
	u32 nr_parents;		      /* those of them with a file; under ctx->lock */
	bool linked;  /* the preempt notifier is in the task's list; under ctx->lock */
	bool started; /* it is loaded when its thread runs; set once, read without lock */
};

/* What the allocation layer keeps of a context, of a cgroup's with its CPU's; under pmu->lock */
struct pmudev_alloc_ctx {
	u64 held;     /* counters allocated to its sets (not to children) */
	u64 borrowed; /* counters that its multiplexing sets use beyond those */
	u64 mark;     /* the last question that concerned it, see find_conflicts() */
};

/* What is loaded as a unit: the events of a thread on one PMU, of a CPU, or of a cgroup on a CPU */
struct pmudev_ctx {
#ifdef CONFIG_PREEMPT_NOTIFIERS
	struct preempt_notifier notifier; /* first, for the thread's switches use it most */
#endif
	raw_spinlock_t lock; /* all below unless it says otherwise; raw, taken with irqs off */
	int cpu; /* where it is loaded, or -1. Written on that CPU; also read without lock. */
	u32 nr;		     /* number of active events */
	bool ready; /* while loaded: on a reserved CPU of its PMU; else its time is lost */
	/*
	 * The thread exited or gained privileges, or no set is left: stays unloaded. Also read
	 * without lock, see pmudev_set_ended().
	 */
	bool dead;
	u64 clock; /* ticks the target ran; while loaded, plus pmudev_clock() it is the total */
	u64 lost;  /* of these, on a CPU that was not reserved; less the clock while on such */
	/* A switch writes what is above, in one cache line, and mostly only reads what follows. */
	struct pmudev_pmu *pmu; /* the PMU it counts on; NULL for a CPU without one. Constant. */
	u64 mask;		/* counters of the active events */
	u64 residue_mask;	/* those whose value user mode could see: pmudev_leave_residue() */
	u64 fold_ns; /* how often the narrowest active counter must be folded, 0: never */
	u64 rotated; /* the running clock at the last rotation; old if nothing took turns since */
	struct hlist_head rotating;  /* its sets whose groups take turns, by set->rotation.node */
	struct hlist_head deadlines; /* its sets with an armed deadline of an active event */
	struct hlist_head with_deadlines; /* its sets that ever had a deadline */
	struct hlist_head inherited; /* children; sets that are inherited or wait for an exec */
	u32 nr_inherited;	     /* how many; also read without lock */
	struct pmudev_user_reads reads;
	struct pmudev_task_link link;
	struct pmudev_alloc_ctx alloc;
	struct kref ref; /* references: the sets, the task table, and the notifier */
	struct pmudev_hw *active[] __aligned(8); /* room for as many as the PMU has counters */
};

static_assert(IS_ENABLED(CONFIG_DEBUG_SPINLOCK) || offsetof(struct pmudev_ctx, pmu) < 64);

/* An interrupt of ours, and where it came */
struct pmudev_interrupted {
	u64 counters;		  /* these have overflowed; 0: unknown */
	struct task_struct *task; /* NULL: unknown. It is still there: see sampled_thread(). */
	u64 ip;			  /* the next instruction */
	bool user;		  /* in user mode */
};

/* Interrupts of counters that overflow, on one CPU; on the CPU, irqs off */
struct pmudev_overflow {
	struct irq_work work; /* handles one that came as an NMI */
	unsigned long tick;   /* the jiffy of the last one */
	int nr;		      /* how many came in that jiffy */
	u32 found;	      /* deadlines that were found here */
	bool masked;	      /* they were too many: disabled until the fold timer expires */
	bool ours;	      /* @work is for an interrupt of ours; also written in NMIs */
	struct pmudev_interrupted nmi; /* where that came; written in NMIs */
	struct pmudev_interrupted at;  /* while counts are compared because of an interrupt */
};

/* One CPU */
struct pmudev_cpu {
	/* NULL: none, or of a kind absent at module load. Set once, before anything is loaded. */
	struct pmudev_pmu *pmu;
	struct pmudev_ctx *task; /* of the thread loaded here, on pmu; on the CPU, irqs off */
	int cpu;		 /* its number. Constant. */
	u32 nr_on_other_pmu;	 /* contexts loaded here with reads.on_other_pmu; likewise */
	bool ready;  /* its counters are reserved and powered; written on the CPU, irqs off */
	bool owned;  /* they are reserved; written under pmu->lock, read on the CPU on wake-up */
	u64 residue; /* counters that show what earlier events counted; on the CPU, irqs off */
	struct pmudev_overflow overflow;
	struct hrtimer fold_timer;   /* runs while something loaded here has narrow counters */
	u64 fold_ns;		     /* its period, 0 while it does not run; on the CPU, irqs off */
	struct hrtimer rotate_timer; /* runs while groups of something loaded here take turns */
	struct hlist_head cgroups;   /* contexts of cgroups on this CPU; on the CPU, irqs off */
	bool follows_cgroups;	     /* these are loaded and unloaded at switches; likewise */
	struct pmudev_ctx ctx;	     /* the CPU's own context: its CPU sets */
	struct pmudev_hw *active[PMUDEV_COUNTERS]; /* the room for ctx.active */
};

static_assert(offsetof(struct pmudev_cpu, active) ==
	      offsetof(struct pmudev_cpu, ctx) + offsetof(struct pmudev_ctx, active));

DECLARE_PER_CPU(struct pmudev_cpu, pmudev_cpus);

/* A context's clocks at one moment, in ticks */
struct pmudev_clocks {
	u64 enabled; /* advances while the target runs */
	u64 running; /* advances while the target runs on a reserved CPU of its PMU */
};

/* The clocks now. ctx->lock held. */
static __always_inline struct pmudev_clocks pmudev_ctx_clocks(const struct pmudev_ctx *ctx)
	__must_hold(&ctx->lock)
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
static inline bool pmudev_ctx_counting(const struct pmudev_ctx *ctx) __must_hold(&ctx->lock)
{
	return ctx->cpu >= 0 && ctx->ready;
}

#endif /* _PMUDEV_CONTEXT_CTX_H */
