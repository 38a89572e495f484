/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The context layer owns what is loaded and unloaded as a unit: contexts, the events on their
 * counters, rotation, timers and user pages. It calls the backend and src/pure, and knows nothing
 * of files, allocation, tasks' tables or reservations.
 *
 * This header has the PMUs.
 *
 * Lock order of the module, outermost first. Each lock nests inside those above it.
 *   mmap_lock			the kernel's. Page faults are served with none of the locks below
 *				held, so nothing is copied to or from user memory under them.
 *   open_set->mutex		calls on one set; also read(2) of an inherited set
 *   kvm_mutex			entry/kvm.c: KVM's tracepoints; nests in the kernel's module list
 *   exec_update_lock		the kernel's: of another process that is being bound
 *   hooks_mutex		entry/task_hooks.c: installing the hooks on fork, exec and exit
 *   user_access_mutex		entry/sysctl.c: one change of the sysctl at a time
 *   probe_mutex		task/sched_switch.c, task/cgroup.c: installing a probe; never both
 *   cpus_read_lock()		the kernel's: CPUs stay online
 *   pmu->lock			reservation and allocation of one PMU; also taken by the hotplug
 *				callback. Never two PMUs' at a time.
 *   users_mutex		x86/reserve.c: the reservation of the event selects
 *   drivers_mutex		arm64/perf_wrap.c: perf's drivers
 *   inherit->mutex		one walk over a set's children at a time
 *   grant_lock			raw, entry/mmap.c: the first mapping clears residue before others go
 *   rights_lock		raw, x86/user.c: rights to read; irqs on, it calls all CPUs
 *   rq->lock			the scheduler's: a switch holds it when it takes those below
 *   ctx->lock			raw, irqs off: what is loaded, and the pages of its sets. Also taken
 *				inside the kernel's cgroup_mutex, when threads are moved.
 *   a new child's ctx->lock	in the fork hook, before the child runs
 *   inherit->lock		raw, irqs off: the list of children, and the sums of ended ones
 *   common->lock		raw, irqs off: reports of a set's and its children's deadlines
 *   task_hash_lock		raw, irqs off: the task table
 *   pmuv3_kind.lock		raw, irqs off, arm64's reserved counters; perf's locks may be held
 *   links_lock			raw, irqs off, task/switch_notifier.c: our entries in notifier lists
 *   pmudev_readers.lock	raw, irqs off: which sets could read each other's counters
 *   stop->wait.lock		spinlock, irqs off, context/stop.c: a thread that stops
 *   open_set->last.lock		spinlock: the last refusal of a set; nothing nests in it
 *   hooks_lock			spinlock, hooks.c: the list of installed hooks; nothing nests in it
 *   owners_lock		spinlock, irqs off, set/quota.c: the table of quota owners
 *
 * mmap() takes mmap_lock and then ctx->lock, never a mutex of ours. A context switch takes
 * ctx->lock, and inside it at most common->lock (a deadline is reached), links_lock (a dead
 * context is unlinked) and a backend's lock. src/worker.h says who may hold the mutexes that
 * several users share.
 */
#ifndef _PMUDEV_CONTEXT_PMU_H
#define _PMUDEV_CONTEXT_PMU_H

#include <linux/mutex.h>
#include <linux/nospec.h>

#include <pmudev/backend.h>

/* Counters of one PMU have indices below this. */
#define PMUDEV_COUNTERS 64

/* One kind of CPU's PMU; constant after init unless it says otherwise */
struct pmudev_pmu {
	struct pmudev_pmu_info info; /* info.unavailable and info.foreign grow under lock */
	struct mutex lock; /* its reservation (cpu/reserve.h) and allocation (alloc/allocation.h) */
	u64 rotate_ticks;  /* ticks of pmudev_clock() that a rotation slot lasts */
	u32 mult;	   /* with shift converts ticks to ns, see struct pmudev_page */
	u32 shift;	   /* see mult */
};

/* All PMUs, one per kind of CPU; constant after init. */
extern struct pmudev_pmu pmudev_pmus[PMUDEV_MAX_PMUS];
extern unsigned int pmudev_nr_pmus;

/* For the backend; the allocation layer sets perf_waits before the first reservation. */
extern struct pmudev_upcalls pmudev_upcalls;

#define pmudev_for_each_pmu(pmu) \
	for ((pmu) = pmudev_pmus; (pmu) < pmudev_pmus + pmudev_nr_pmus; (pmu)++)

/* The PMU with a number that a caller gave, or NULL. */
static inline struct pmudev_pmu *pmudev_pmu_numbered(u32 number)
{
	if (number >= pmudev_nr_pmus)
		return NULL;
	return &pmudev_pmus[array_index_nospec(number, pmudev_nr_pmus)];
}

/*
 * The counters that sets can get. Without pmu->lock the answer may be old: callers that take
 * counters look again under it.
 */
static inline u64 pmudev_pmu_available(const struct pmudev_pmu *pmu)
{
	return pmu->info.counters & ~READ_ONCE(pmu->info.unavailable);
}

/* Bits of a counter. */
static inline unsigned int pmudev_counter_width(const struct pmudev_pmu *pmu, unsigned int counter)
{
	return counter < PMUDEV_FIXED_BASE ? pmu->info.width : pmu->info.width_fixed;
}

/* Assign a counter to an event that is not loaded: @counter, or the even one of a chained pair. */
static inline void pmudev_hw_place(const struct pmudev_pmu *pmu, struct pmudev_hw *hw,
				   unsigned int counter)
{
	hw->counter = counter;
	hw->width = hw->chained ? 64 : pmudev_counter_width(pmu, counter);
}

/* Find the PMUs. @user_reads: contexts are switched late enough for user access (task/switch.h). */
int pmudev_pmus_init(bool user_reads);
void pmudev_pmus_exit(void);

#endif /* _PMUDEV_CONTEXT_PMU_H */
