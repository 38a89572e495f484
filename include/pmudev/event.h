/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events, sets and contexts: fields, states, lifetime, lock order.
 *
 * A context (struct pmudev_ctx) is what is loaded and unloaded as one: all events
 * of one thread on one PMU, or of one CPU. A set belongs to one context and lends it its events
 * while they are enabled. A set that is inherited has children: for each thread that its
 * target made, and theirs, a set without a file, which belongs to that thread's context and is a
 * copy of it on the same counters. The sets with a file are the roots; a set and its children are a
 * family.
 *
 * Lifetime
 *   A set lives as long as its file: open descriptors, mappings and calls under
 *   way. An child lives until its thread ends or its root is destroyed, whichever is first.
 *   A task's context lives as long as a set refers to it, it can be found by its task, or
 *   its preempt notifier is in the task's list. It is found until the thread exits, gains
 *   privileges by exec, or its last set goes; then it is dead. See src/core/follow.c for the
 *   notifier. Each context of a task keeps the module loaded.
 *
 * Lock order, outermost first
 *   mmap_lock			(page faults: no copy to or from user space under any lock
 *				below, unless they are disabled: src/core/put.h)
 *   set->mutex			one call at a time on a set: slots, groups, binding;
 *				and read(2) of inherited sets
 *   kvm_mutex		KVM's tracepoints; also taken under the list of modules
 *   exec_update_lock		of a target that is being bound
 *   attach_lock		following threads begins
 *   cpus_read_lock()		the CPUs stay
 *   pmu->lock			claim, ledger, sets enabled; of one PMU at a time. Also taken by the
 *				hotplug callback.
 *   family->mutex		one change or reading of a family at a time
 *   rq->lock			the scheduler's, at a switch
 *   ctx->lock			raw, irqs off: what is loaded; the pages of its sets
 *   the new_task's ctx->lock	a child's, in the fork hook, before it runs
 *   family->lock		raw, irqs off: the list of children, and what those that ended counted
 *   buckets			raw, irqs off: contexts by task
 *   pmudev_readers.lock	raw, irqs off: who could read whose counters
 * mmap takes mmap_lock, then ctx->lock; never set->mutex. At a switch ctx->lock is all that is
 * taken; another CPU holds it only to look where the context is loaded, to change some words of
 * one that is not, or to say that a set rests or does not.
 *
 * All mutexes but set->mutex are shared by users who do not know of each other: who may hold them,
 * so that nobody waits for a caller who is not let on a CPU, is in src/core/worker.h. set->mutex is
 * shared by those who share a descriptor.
 */
#ifndef _PMUDEV_EVENT_H
#define _PMUDEV_EVENT_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include <pmudev/backend.h>
#include <pmudev/pure.h>

#define PMUDEV_CHUNK	4
#define PMUDEV_COUNTERS	64

/*
 * Sets that one thread can have that are inherited or wait for an exec, for fork and exec see to
 * each; with CAP_PERFMON twice as many.
 */
#define PMUDEV_MAX_INHERIT	64

/**
 * struct pmudev_event - one slot of a set
 * @hw: what the backend loads; hw.value is the count as of the last save or read
 * @time_enabled: ticks. The total while the group is disabled; less the context's
 *	clock while it is enabled.
 * @time_running: the same of the running clock, while on a counter
 * @allowed: the counters that can take it; of a pair the even ones
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

/* pmudev_ctx.stale */
#define PMUDEV_STALE_COUNTS	BIT(0)	/* a count has changed by more than PMUDEV_PAGE_LAG */
#define PMUDEV_STALE_ALL	BIT(1)	/* pmudev_ctx.lost has changed */

/**
 * struct pmudev_ctx - what is loaded as one: the events of a thread on one PMU, or of a CPU
 * @notifier: follows the thread, where the kernel has such; at the head of it, for switches
 * @lock: all below, and the pages of its sets; irqs off
 * @ref: the sets, and the notifier of a task's context
 * @task: the thread; compared, never followed. NULL for a CPU.
 * @pmu: whose counters; on CPUs of another PMU nothing counts. NULL of a CPU that has none.
 * @deferred_put: drops the notifier's reference where a switch cannot
 * @hash_node: finds it by @task
 * @cpu: where it is loaded, -1 if nowhere. Set and cleared on that CPU only.
 * @nr: events on counters
 * @nr_sets: sets bound to it, children included, as long as they have events in @active; of a CPU 0
 * @nr_parents: those of them with a file
 * @nr_inherit: those in @inherit; also looked at without @lock
 * @dead: the thread has ended, or gained privileges, or no set is left: never loaded again
 * @linked: the notifier is in the task's list
 * @ready: loaded on a CPU of its PMU that is ours (else its time is lost)
 * @stale: PMUDEV_STALE_*: the pages are to be written anew
 * @user: user mode can read counters while it is loaded
 * @reader: it could, once since it was given the right: it may be in the midst of a read
 * @readable: counters of events in @pages that the thread may read; under @lock
 * @revoke_pending: the right could not be given or withdrawn as it should: it is withdrawn when the
 *	thread is unloaded, or if that was before, at its next switch
 * @on_other_pmu: loaded on a CPU of another PMU, where it has the right as well: the thread may be
 *	in the midst of a read that it began before it came
 * @reading: any of @user, @revoke_pending and @on_other_pmu, for those who look at every switch
 * @maps: mappings of its sets' pages in @user_mm
 * @user_mm: the address space with the right to read; compared, never followed
 * @mask: counters of the events
 * @residue_mask: those that somebody could see when they are off, see pmudev_leave_residue()
 * @held: counters placed for its sets (not for children); under pmu->lock
 * @borrowed: counters that its multiplexing sets use beyond those; under pmu->lock
 * @mark: the last question that concerned it, see pmudev_find_conflicts(); under pmu->lock
 * @fold_ns: how often the narrowest counter on it must be folded, 0: never
 * @clock: ticks the target ran, less now while it is loaded
 * @lost: ticks of them in which the CPU was not ours; likewise less now
 * @rotated: the running clock when the multiplexed groups last took turns
 * @inherit: children, and the sets that are inherited or wait for an exec
 * @rotating: sets that have a table of turns: no more than there are counters
 * @pages: the sets with a page that have a readable event on a counter
 * @rcu: for freeing: a probe may end the last use with preemption off
 * @active: the events on counters: room for as many as its PMU has counters
 */
struct pmudev_ctx {
#ifdef CONFIG_PREEMPT_NOTIFIERS
	struct preempt_notifier notifier;
#endif
	raw_spinlock_t lock;
	struct kref ref;
	struct task_struct *task;
	struct pmudev_pmu *pmu;
	struct irq_work deferred_put;
	struct hlist_node hash_node;
	int cpu;
	u32 nr;
	u32 nr_sets;
	u32 nr_parents;
	u32 nr_inherit;
	bool dead;
	bool linked;
	bool ready;
	u8 stale;
	bool reader;
	union {
		struct {
			bool user;
			bool revoke_pending;
			bool on_other_pmu;
		};
		u32 reading;
	};
	u64 readable;
	u32 maps;
	struct mm_struct *user_mm;
	u64 mask;
	u64 residue_mask;
	u64 held;
	u64 borrowed;
	u64 mark;
	u64 fold_ns;
	u64 clock;
	u64 lost;
	u64 rotated;
	struct hlist_head inherit;
	struct hlist_head rotating;
	struct hlist_head pages;
	struct rcu_head rcu;
	struct pmudev_hw *active[] __aligned(8);
};

/**
 * typedef pmudev_ctx_fn - work on a context
 *
 * Runs with ctx->lock held and irqs off: on ctx->cpu if that is not negative, else
 * anywhere, and then the target cannot run.
 */
typedef void (*pmudev_ctx_fn)(struct pmudev_ctx *ctx, void *arg);

struct pmudev_change;
struct pmudev_quota_owner;

/**
 * struct pmudev_rotation_slot - which multiplexed groups are on together
 * @slots: their events
 * @counter: by slot; of a pair the even one
 */
struct pmudev_rotation_slot {
	u64 slots;
	u8 counter[PMUDEV_MAX_EVENTS];
};

/**
 * struct pmudev_rotation - the images that multiplexed groups go through, one after the other
 * @nr: how many
 * @slot_plan: each begins with another group, so all have a turn
 */
struct pmudev_rotation {
	u32 nr;
	struct pmudev_rotation_slot slot_plan[];
};

/**
 * struct pmudev_sum - what a family's ended members counted, or what all did
 * @value: by slot
 * @enabled: ticks, by slot
 * @running: ticks, by slot
 * @set_enabled: ticks, of the set
 * @set_running: likewise
 */
struct pmudev_sum {
	u64 value[PMUDEV_MAX_EVENTS];
	u64 enabled[PMUDEV_MAX_EVENTS];
	u64 running[PMUDEV_MAX_EVENTS];
	u64 set_enabled;
	u64 set_running;
};

/**
 * struct pmudev_inherit - what an inherited set has beside its own events
 * @mutex: one walk over the children at a time
 * @lock: all below
 * @children: those not yet reached by the walk first, then the others
 * @seq: number of the walk; an child that was reached has the same
 * @fn: what the walk does, NULL if it changes nothing, or between walks
 * @change: its argument
 * @nr_started: how many children there were
 * @incomplete: a child could not be counted
 * @closing: the root is being destroyed: nobody is started any more
 * @threads_only: children that are processes of their own do not inherit
 * @reset: slots whose values the walk takes back
 * @forget: slots whose times it takes back
 * @ended: of the children that have ended
 * @total: the sum that is being made, or NULL: an child that ends before it is reached adds itself
 */
struct pmudev_inherit {
	struct mutex mutex;  /* one walk at a time */
	raw_spinlock_t lock; /* all below */
	struct list_head children;
	u32 seq;
	pmudev_ctx_fn fn;
	const struct pmudev_change *change;
	u32 nr_started;
	bool incomplete;
	bool closing;
	bool threads_only;
	u64 reset;
	u64 forget;
	struct pmudev_sum ended;
	struct pmudev_sum *total;
};

/**
 * struct pmudev_placement - the last placement of strict events: the next may be the same
 * @slots: that were placed together; none, and no counters: it does not hold any more
 * @counters: where
 * @free: what there was to choose from; all ones: others had to give way
 */
struct pmudev_placement {
	u64 slots;
	u64 counters;
	u64 free;
};

/**
 * enum pmudev_alike - do all events of a set count, as long as the set does?
 * @PMUDEV_ALIKE_UNKNOWN: something has changed since that was found out
 * @PMUDEV_ALIKE_NOT: at least one does not, or there are empty slots between them, or none
 * @PMUDEV_ALIKE: each has the set's times, and is on a counter
 */
enum pmudev_alike {
	PMUDEV_ALIKE_UNKNOWN,
	PMUDEV_ALIKE_NOT,
	PMUDEV_ALIKE,
};

/**
 * struct pmudev_set - an open file, or an child of one. Without children it is to fit into 1024 bytes.
 * @mutex: one call at a time that changes it; not used of an child
 * @pmu: where it counts
 * @ctx: what it counts; NULL until bound. Set once, under @mutex.
 * @parent: the set with the file
 * @inherit: NULL unless it is inherited; an child has its root's
 * @child_node: an child: in family->children
 * @rest_node: a root without children: in pmu->resting while it @rests; under pmu->lock
 * @child_ref: an child: its thread's context, and a walk that works on it
 * @seq: the last walk that reached it
 * @next_ended: an child that has ended: the next of its thread's
 * @next_moving: a root without children: the next set of a plan
 * @ctx_node: in ctx->inherit, or nowhere; under ctx->lock
 * @rotate_node: in ctx->rotating while it has @rotation; under ctx->lock
 * @own_chunks: an child: how many of its chunks are part of it
 * @alike: enum pmudev_alike; under ctx->lock
 * @rotation_room: images that fit into the larger of the two
 * @prepared_room: images that fit into @prepared_rotation
 * @cpu: the CPU counted, -1 for a task
 * @rests: may be enabled and disabled under ctx->lock alone, see src/core/rest.c; changed under
 *	pmu->lock too
 * @on_exec: PMUDEV_BIND_ON_EXEC, and no program was executed yet; under ctx->lock
 * @shared: PMUDEV_BIND_SHARED
 * @reserved: holds a reference to the claim
 * @checked_pmus: PMUs, by their number, of which the caller saw that nobody else uses the counters
 * @reserved_all: also to those of all other PMUs, see pmudev_reserve_others()
 * @private: counts in pmudev_readers.nr_private
 * @readers_node: in pmudev_readers.granted while @nr_mapped, or in pmudev_readers.private
 * @nr_mapped: mappings that count in pmudev_readers.nr_granted; under pmudev_readers.lock
 * @guests: has, or had, events that count otherwise in guests: pmudev_kvm_hooks_get() holds for it
 * @rotation_changed: the table is to be made anew; under pmu->lock
 * @nr_slots: slots in use, empty ones between them included
 * @rotation_pos: which image of @rotation is on
 * @used: slots with an event; under ctx->lock too, as all masks here
 * @user: those that asked for user reads
 * @mux: those of multiplexed groups
 * @enabled: those whose group is enabled
 * @armed: those that will be, at the next exec
 * @active: those on counters
 * @rotation: the images of the multiplexed groups that are enabled, or NULL; under ctx->lock
 * @table: what @rotation points to; written while nobody takes turns, under pmu->lock
 * @new_rotation: a larger one that takes its place
 * @prepared_rotation: memory for the next of these, asked for before pmu->lock is taken; under @mutex
 * @suspended: others that take no turns because of a call on this set, which wakes them; under
 *	pmu->lock
 * @suspended_node: in somebody's @suspended, or nowhere; likewise
 * @placed: those with a place in the ledger; under pmu->lock
 * @held: their counters: of multiplexed groups so many that each fits; under pmu->lock
 * @guaranteed: those of @held that are for multiplexed groups; under pmu->lock
 * @borrowed: others that these use now, and give up to whoever asks; under pmu->lock
 * @new_guaranteed: what a plan would make of @guaranteed
 * @old_borrowed: @borrowed before the ledger changed
 * @mark: as a context's; of a root
 * @moving: slots that a plan moves; under pmu->lock
 * @moving_active: those of them that were on counters
 * @place: by slot of strict groups: the counter placed, of a pair the even one; under pmu->lock
 * @last: how @place came about; likewise
 * @removed: an event was removed since then; under @mutex
 * @new_place: what a plan would make of it
 * @time_enabled: as an event's, of the whole set; under ctx->lock
 * @time_running: likewise
 * @node: a root: in pmu->sets while @placed; under pmu->lock
 * @rcu: an child: for freeing it
 * @page: the user page, NULL until mapped. Set once, under ctx->lock.
 * @page_node: in ctx->pages, or nowhere
 * @map_mm: where it is mapped; compared, never followed; under ctx->lock
 * @maps: mappings there; under ctx->lock
 * @owner_tid: the thread's id as it sees itself
 * @reader_tid: the same while a page that is listed holds, 0 otherwise; under ctx->lock
 * @generation: see struct pmudev_page
 * @opener: the process that opened the file
 * @owner: who pays for it, see src/core/quota.c; NULL: nobody, or not bound
 * @why_lock: @why, @error
 * @error: the errno of @why
 * @why: the last refusal
 * @chunk: the events, PMUDEV_CHUNK each; they never move. The first is @first.
 * @first: the first events; an child's are all there is
 */
struct pmudev_set {
	struct mutex mutex; /* one call at a time */
	struct pmudev_pmu *pmu;
	struct pmudev_ctx *ctx;
	struct pmudev_set *parent;
	struct pmudev_inherit *inherit;
	union {
		struct list_head child_node;
		struct hlist_node rest_node;
	};
	struct kref child_ref;
	u32 seq;
	union {
		struct pmudev_set *next_ended;
		struct pmudev_set *next_moving;
	};
	struct hlist_node ctx_node;
	struct list_head readers_node;
	struct hlist_node rotate_node;
	u8 own_chunks;
	bool rests;
	u8 alike;
	u8 rotation_room;
	u8 prepared_room;
	int cpu;
	bool on_exec;
	bool shared;
	bool reserved;
	u32 checked_pmus;
	bool reserved_all;
	bool private;
	bool guests;
	bool rotation_changed;
	bool removed;
	u32 nr_mapped;
	u32 nr_slots;
	u32 rotation_pos;
	u64 used;
	u64 user;
	u64 mux;
	u64 enabled;
	u64 armed;
	u64 active;
	const struct pmudev_rotation *rotation;
	struct pmudev_rotation *table;
	struct pmudev_rotation *new_rotation;
	struct pmudev_rotation *prepared_rotation;
	struct hlist_head suspended;
	struct hlist_node suspended_node;
	u64 placed;
	u64 held;
	u64 guaranteed;
	u64 borrowed;
	u64 new_guaranteed;
	u64 old_borrowed;
	u64 mark;
	u64 moving;
	u64 moving_active;
	u8 place[PMUDEV_MAX_EVENTS];
	struct pmudev_placement last;
	u8 new_place[PMUDEV_MAX_EVENTS];
	u64 time_enabled;
	u64 time_running;
	union {
		struct list_head node;
		struct rcu_head rcu;
	};
	struct pmudev_page *page;
	struct hlist_node page_node;
	struct mm_struct *map_mm;
	u32 maps;
	u32 owner_tid;
	u32 reader_tid;
	u32 generation;
	struct pid *opener;
	struct pmudev_quota_owner *owner;
	spinlock_t why_lock; /* why, error */
	int error;
	struct pmudev_refusal why;
	struct pmudev_event *chunk[PMUDEV_MAX_EVENTS / PMUDEV_CHUNK];
	struct pmudev_event first[PMUDEV_CHUNK];
};

/**
 * struct pmudev_cpu - a CPU
 * @pmu: its PMU, NULL: none, or of a kind that was not here when the module was loaded. Set once,
 *	before anything is loaded on it.
 * @task: the context that the thread loaded here has of @pmu; only touched here, irqs off
 * @cpu: its number
 * @nr_on_other_pmu: contexts that are loaded here, and @on_other_pmu; likewise
 * @ready: its counters are ours, and powered; changed on it, irqs off
 * @owned: its counters are ours; changed under pmu->lock, read on the CPU when it wakes up
 * @residue: counters that still show what events counted that are off, or gone with their thread
 * @timer: folds narrow counters; runs while something loaded here needs it
 * @timer_ns: its period, 0 while it does not run
 * @rotate_timer: has multiplexed groups take turns; runs while something loaded here has some
 * @ctx: the CPU's own context: its CPU sets
 * @active: the room of @ctx.on
 */
struct pmudev_cpu {
	struct pmudev_pmu *pmu;
	struct pmudev_ctx *task;
	int cpu;
	u32 nr_on_other_pmu;
	bool ready;
	bool owned;
	u64 residue;
	struct hrtimer timer;
	u64 timer_ns;
	struct hrtimer rotate_timer;
	struct pmudev_ctx ctx;
	struct pmudev_hw *active[PMUDEV_COUNTERS];
};

static_assert(offsetof(struct pmudev_cpu, active) ==
	      offsetof(struct pmudev_cpu, ctx) + offsetof(struct pmudev_ctx, active));

DECLARE_PER_CPU(struct pmudev_cpu, pmudev_cpus);

/**
 * struct pmudev_use - the counters that sets of one kind have
 * @nr: by counter: how many have it placed
 * @any: those that somebody has
 */
struct pmudev_use {
	u32 nr[PMUDEV_COUNTERS];
	u64 any;
};

/**
 * struct pmudev_pmu - a PMU, and its ledger
 * @info: what the backend said
 * @lock: see the top of this file
 * @users: sets that keep the claim
 * @nr_reservations: times it was taken
 * @lacks_cpus: a CPU came online while it was held, and could not be had
 * @sets: sets with a placement
 * @nr_sets: how many
 * @resting: those of them that may hold counters while they are disabled
 * @task_use: placements of task sets
 * @cpu_use: placements of CPU sets
 * @mark: how many questions there were, see pmudev_find_conflicts()
 * @nr_mux: sets with multiplexed groups placed
 * @task_borrowed: counters that multiplexing task sets use beyond their placements
 * @cpu_borrowed: likewise of CPU sets
 * @rotate_ticks: how long an image of multiplexed groups is shown
 * @mult: ticks to ns, see struct pmudev_page
 * @shift: likewise
 */
struct pmudev_pmu {
	struct pmudev_pmu_info info;
	struct mutex lock; /* see the top of this file */
	unsigned int users;
	bool lacks_cpus;
	u64 nr_reservations;
	struct list_head sets;
	u32 nr_sets;
	struct hlist_head resting;
	struct pmudev_use task_use;
	struct pmudev_use cpu_use;
	u64 mark;
	u32 nr_mux;
	u64 task_borrowed;
	u64 cpu_borrowed;
	u64 rotate_ticks;
	u32 mult;
	u32 shift;
};

/* Those that there are: of each kind of CPU one. They do not change once the module is loaded. */
extern struct pmudev_pmu pmudev_pmus[PMUDEV_MAX_PMUS];
extern unsigned int pmudev_nr_pmus;

/**
 * struct pmudev_readers - who could read whose counters, on all CPUs
 * @lock: all below; irqs off
 * @nr_granted: mappings of task sets' pages
 * @nr_private: CPU sets enabled that are not SHARED
 * @granted: the sets whose pages these are, by set->readers_node
 * @private: these CPU sets, likewise
 */
struct pmudev_readers {
	raw_spinlock_t lock; /* all below */
	u32 nr_granted;
	u32 nr_private;
	struct list_head granted;
	struct list_head private;
};

extern struct pmudev_readers pmudev_readers;

#define pmudev_for_each_pmu(pmu)						\
	for ((pmu) = pmudev_pmus; (pmu) < pmudev_pmus + pmudev_nr_pmus; (pmu)++)

/* The one with a number that a caller gave, or NULL. */
static inline struct pmudev_pmu *pmudev_pmu_numbered(u32 number)
{
	if (number >= pmudev_nr_pmus)
		return NULL;
	return &pmudev_pmus[array_index_nospec(number, pmudev_nr_pmus)];
}

static inline struct pmudev_event *pmudev_slot_event(struct pmudev_set *set, unsigned int slot)
{
	return &set->chunk[slot / PMUDEV_CHUNK][slot % PMUDEV_CHUNK];
}

static inline unsigned int pmudev_counter_width(const struct pmudev_pmu *pmu, unsigned int counter)
{
	return counter < PMUDEV_FIXED_BASE ? pmu->info.width : pmu->info.width_fixed;
}

/* Where an event is from now on: @counter, or the even one of its pair. */
static inline void pmudev_hw_place(const struct pmudev_pmu *pmu, struct pmudev_hw *hw,
				   unsigned int counter)
{
	hw->counter = counter;
	hw->width = hw->chained ? 64 : pmudev_counter_width(pmu, counter);
}

/* What an event wants of a placement, as a newcomer. */
static inline struct pmudev_constraint pmudev_event_constraint(const struct pmudev_event *event)
{
	return (struct pmudev_constraint){
		.allowed = event->allowed,
		.now = PMUDEV_NO_COUNTER,
		.chained = event->hw.chained,
	};
}

/* Who has a counter that no set gets. */
static inline u32 pmudev_unavailable_kind(const struct pmudev_pmu *pmu, unsigned int counter)
{
	bool foreign = READ_ONCE(pmu->info.foreign) & BIT_ULL(counter);

	return foreign ? PMUDEV_HOLDER_HYPERVISOR : PMUDEV_HOLDER_PLACEHOLDER;
}

/* The slot that is the @nth of a mask. */
static inline unsigned int pmudev_nth_slot(u64 slots, unsigned int nth)
{
	while (nth--)
		slots &= slots - 1;
	return __ffs64(slots);
}

/* Walk the slots in a mask. @rest is a u64 that the loop uses up. */
#define pmudev_for_each_slot(slot, rest, mask)					\
	for ((rest) = (mask); (rest) && (((slot) = __ffs64(rest)), true);	\
	     (rest) &= (rest) - 1)

#endif /* _PMUDEV_EVENT_H */
