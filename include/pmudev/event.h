/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events, sets and contexts: fields, states, lifetime, lock order.
 *
 * A context (struct pmudev_ctx) is what is loaded and unloaded as one: all events
 * of one thread, or of one CPU. A set belongs to one context and lends it its events
 * while they are enabled.
 *
 * Lifetime
 *   A set lives as long as its file: open descriptors, mappings and calls under
 *   way. A task's context lives as long as a set refers to it or its
 *   preempt notifier is registered; the notifier goes when the thread exits, gains
 *   privileges by exec, or itself closes its last set. It keeps the module loaded.
 *
 * Lock order, outermost first
 *   mmap_lock			(page faults: no copy to or from user space under any lock below)
 *   set->mutex			one call at a time on a set: slots, groups, binding
 *   cpus_read_lock()		the CPUs stay
 *   pmu->lock			claim, ledger, sets enabled. Also taken by the hotplug callback.
 *   ctx->lock			raw, irqs off: what is loaded; the pages of its sets
 *   pmu->visible_lock		raw, irqs off: who could read whose counters
 * mmap takes mmap_lock, then ctx->lock; never set->mutex.
 */
#ifndef _PMUDEV_EVENT_H
#define _PMUDEV_EVENT_H

#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include <pmudev/backend.h>

#define PMUDEV_CHUNK	4
#define PMUDEV_COUNTERS	64

/**
 * struct pmudev_event - one slot of a set
 * @hw: what the backend loads; hw.value is the count as of the last save or read
 * @time_enabled: ticks. The total while the group is disabled; less the context's
 *	clock while it is enabled.
 * @time_running: the same of the running clock, while on a counter
 * @allowed: the counters that can take it
 * @tag: the user's
 * @flags: the user's, PMUDEV_EXCLUDE_USER...
 * @group: number of its group
 */
struct pmudev_event {
	struct pmudev_hw hw;
	u64 time_enabled;
	u64 time_running;
	u64 allowed;
	u64 tag;
	u32 flags;
	u8 group;
};

/**
 * struct pmudev_ctx - what is loaded as one: the events of a thread or a CPU
 * @lock: all below, and the pages of its sets; irqs off
 * @ref: the sets, and the notifier of a task's context
 * @task: the thread; compared, never followed. NULL for a CPU.
 * @notifier: follows the thread
 * @cpu: where it is loaded, -1 if nowhere. Set and cleared on that CPU only.
 * @nr: events on counters
 * @nr_sets: sets bound to it
 * @dead: the thread has ended, or gained privileges: never loaded again
 * @ready: loaded on a CPU that is ours (else its time is lost)
 * @stale: @lost has changed since the pages were written
 * @user: user mode can read counters while it is loaded
 * @reader: it could, once since it was given the right: it may be in the midst of a read
 * @owed: the right could not be given or withdrawn as it should: it is withdrawn when the
 *	thread is unloaded
 * @maps: mappings of its sets' pages in @user_mm
 * @user_mm: the address space with the right to read; compared, never followed
 * @mask: counters of the events
 * @held: counters placed for its sets; under pmu->lock
 * @fold_ns: how often the narrowest counter on it must be folded, 0: never
 * @clock: ticks the target ran, less now while it is loaded
 * @lost: ticks of them in which the CPU was not ours; likewise less now
 * @pages: the sets with a page that have a readable event on a counter
 * @rcu: for freeing: a probe may end the last use with preemption off
 * @on: the events on counters
 */
struct pmudev_ctx {
	raw_spinlock_t lock;
	struct kref ref;
	struct task_struct *task;
	struct preempt_notifier notifier;
	int cpu;
	u32 nr;
	u32 nr_sets;
	bool dead;
	bool ready;
	bool stale;
	bool user;
	bool reader;
	bool owed;
	u32 maps;
	struct mm_struct *user_mm;
	u64 mask;
	u64 held;
	u64 fold_ns;
	u64 clock;
	u64 lost;
	struct hlist_head pages;
	struct rcu_head rcu;
	struct pmudev_hw *on[PMUDEV_COUNTERS];
};

/**
 * struct pmudev_set - an open file
 * @mutex: one call at a time
 * @pmu: where it counts
 * @ctx: what it counts; NULL until bound. Set once, under @mutex.
 * @cpu: the CPU counted, -1 for a task
 * @shared: PMUDEV_BIND_SHARED
 * @claimed: holds a reference to the claim
 * @private: counts in pmu->nr_private
 * @nr_slots: slots in use, empty ones between them included
 * @used: slots with an event; under ctx->lock too, as all masks here
 * @user: those that asked for user reads
 * @enabled: those whose group is enabled
 * @on: those on counters
 * @placed: those with a place in the ledger; under pmu->lock
 * @held: their counters; under pmu->lock
 * @time_enabled: as an event's, of the whole set; under ctx->lock
 * @time_running: likewise
 * @node: in pmu->sets while @placed; under pmu->lock
 * @page: the user page, NULL until mapped. Set once, under ctx->lock.
 * @page_node: in ctx->pages, or nowhere
 * @map_mm: where it is mapped; compared, never followed; under ctx->lock
 * @maps: mappings there; under ctx->lock
 * @owner_tid: the thread's id as it sees itself
 * @generation: see struct pmudev_page
 * @opener: the process that opened the file
 * @why_lock: @why, @error
 * @why: the last refusal
 * @error: its errno
 * @chunk: the events, PMUDEV_CHUNK each; they never move. The first is @first.
 * @first: the first events
 */
struct pmudev_set {
	struct mutex mutex; /* one call at a time */
	struct pmudev_pmu *pmu;
	struct pmudev_ctx *ctx;
	int cpu;
	bool shared;
	bool claimed;
	bool private;
	u32 nr_slots;
	u64 used;
	u64 user;
	u64 enabled;
	u64 on;
	u64 placed;
	u64 held;
	u64 time_enabled;
	u64 time_running;
	struct list_head node;
	struct pmudev_page *page;
	struct hlist_node page_node;
	struct mm_struct *map_mm;
	u32 maps;
	u32 owner_tid;
	u32 generation;
	struct pid *opener;
	spinlock_t why_lock; /* why, error */
	struct pmudev_refusal why;
	int error;
	struct pmudev_event *chunk[PMUDEV_MAX_EVENTS / PMUDEV_CHUNK];
	struct pmudev_event first[PMUDEV_CHUNK];
};

/**
 * struct pmudev_cpu - a CPU
 * @ctx: the CPU's own context: its CPU sets
 * @task: the context of the thread that is loaded here; only touched here, irqs off
 * @ready: its counters are ours, and powered; changed on it, irqs off
 * @claimed: its counters are ours; changed under pmu->lock, read on the CPU when it wakes up
 * @dirty: counters that still show what somebody counted who is gone
 * @timer: folds narrow counters; runs while something loaded here needs it
 * @timer_ns: its period, 0 while it does not run
 */
struct pmudev_cpu {
	struct pmudev_ctx ctx;
	struct pmudev_ctx *task;
	bool ready;
	bool claimed;
	u64 dirty;
	struct hrtimer timer;
	u64 timer_ns;
};

DECLARE_PER_CPU(struct pmudev_cpu, pmudev_cpus);

/**
 * struct pmudev_pmu - a PMU, and its ledger
 * @info: what the backend said
 * @lock: see the top of this file
 * @claim: sets that keep the claim
 * @claims: times it was taken
 * @sets: sets with a placement
 * @task_use: by counter: placements of task sets
 * @cpu_use: by counter: placements of CPU sets
 * @visible_lock: the two below
 * @nr_granted: mappings of task sets' pages
 * @nr_private: CPU sets enabled that are not SHARED
 * @mult: ticks to ns, see struct pmudev_page
 * @shift: likewise
 */
struct pmudev_pmu {
	struct pmudev_pmu_info info;
	struct mutex lock; /* see the top of this file */
	unsigned int claim;
	u64 claims;
	struct list_head sets;
	u32 task_use[PMUDEV_COUNTERS];
	u32 cpu_use[PMUDEV_COUNTERS];
	raw_spinlock_t visible_lock;
	u32 nr_granted;
	u32 nr_private;
	u32 mult;
	u32 shift;
};

extern struct pmudev_pmu pmudev_pmu;

static inline struct pmudev_event *pmudev_slot_event(struct pmudev_set *set, unsigned int slot)
{
	return &set->chunk[slot / PMUDEV_CHUNK][slot % PMUDEV_CHUNK];
}

/* Walk the slots in a mask. @rest is a u64 that the loop uses up. */
#define pmudev_for_each_slot(slot, rest, mask)					\
	for ((rest) = (mask); (rest) && (((slot) = __ffs64(rest)), true);	\
	     (rest) &= (rest) - 1)

#endif /* _PMUDEV_EVENT_H */
