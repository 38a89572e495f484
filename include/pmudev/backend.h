/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The seam between the core and a CPU family. The core knows no register, a
 * backend knows no task, set or page: it gets counters, encodings and values.
 */
#ifndef _PMUDEV_BACKEND_H
#define _PMUDEV_BACKEND_H

#include <linux/timex.h>

#include <pmudev/assign.h>
#include <pmudev/code.h>
#include <pmudev/names.h>
#include <pmudev/refusal.h>

struct mm_struct;

/*
 * The clock that times are kept in: it does not go round. get_cycles() has the bits of a long;
 * where these are not enough, the backend has another one.
 */
#ifdef CONFIG_64BIT
static __always_inline u64 pmudev_clock(void)
{
	return get_cycles();
}
#else
u64 pmudev_clock(void);
#endif

/**
 * struct pmudev_hw - an event as it is loaded into a counter
 * @config: struct pmudev_code.config
 * @value: the count. Load writes it to the counter modulo 2^@width; save and read bring
 *	it forward by what the counter has counted since.
 * @counter: index of the counter
 * @width: bits of the counter
 * @chained: it has two counters: @counter, an even one, has the low half, the next the high half;
 *	@width is that of both together
 * @filter: enum pmudev_guest_filter: as it is loaded it counts in the host; see guest_enter()
 * @special: @chained or @filter: not to be loaded by the shortest way
 */
struct pmudev_hw {
	u64 config;
	u64 value;
	u8 counter;
	u8 width;
	union {
		struct {
			bool chained;
			u8 filter;
		};
		u16 special;
	};
};

/* The mask of their counters. */
static inline u64 pmudev_hw_counters(struct pmudev_hw *const *hw, unsigned int nr)
{
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		mask |= pmudev_place_counters(hw[i]->counter, hw[i]->chained);
	return mask;
}

/* Kinds of CPUs that one machine can have. */
#define PMUDEV_MAX_PMUS	8

/**
 * struct pmudev_pmu_info - what a backend tells of a PMU
 * @index: its number, which the core gives
 * @name: as users see it
 * @arch: enum pmudev_arch
 * @arch_name: the same in a word
 * @arch_version: the architecture's version of the PMU
 * @cpu_id: see struct pmudev_query
 * @features: PMUDEV_HAS_* that the hardware brings
 * @counters: mask of the counters that exist
 * @unavailable: those that no set gets. The backend may add to it in cpu_up (WRITE_ONCE()).
 * @foreign: those of @unavailable that firmware or a hypervisor uses, likewise
 * @user: those that user mode can be allowed to read
 * @generic: mask of the generic events that can be counted
 * @width: bits of a programmable counter
 * @width_fixed: bits of a fixed counter
 * @threshold_max: the highest threshold
 * @compat_reads: 32-bit programs can read all of a counter
 * @clock_hz: ticks a second of pmudev_clock(), which user mode can read too; 0: it cannot
 * @terms: what the parts of a raw event's config are called; one without a name ends them. Parts
 *	that @encode calls not valid this PMU has not.
 * @events: raw events with names
 * @nr_events: how many; of these, those are there that @encode accepts
 * @perf_restores: see struct pmudev_query
 */
struct pmudev_pmu_info {
	u32 index;
	char name[32];
	u32 arch;
	const char *arch_name;
	u32 arch_version;
	u64 cpu_id;
	u64 features;
	u64 counters;
	u64 unavailable;
	u64 foreign;
	u64 user;
	u64 generic;
	u32 width;
	u32 width_fixed;
	u32 threshold_max;
	bool compat_reads;
	u64 clock_hz;
	const struct pmudev_term *terms;
	const struct pmudev_name *events;
	unsigned int nr_events;
	atomic64_t perf_restores;
};

/**
 * struct pmudev_backend_ops - a CPU family
 *
 * @probe: Find the PMUs, by what each CPU reports, and fill in as many of PMUDEV_MAX_PMUS at @info.
 *	Called once, may sleep. How many; -ENODEV and one line in the log if there is none to be
 *	used, or are too many.
 * @remove: Undo @probe. No CPU is held any more. May sleep.
 * @identify: The number of the PMU that the CPU has on which this runs, in its hotplug callback;
 *	-1: none of those that @probe found. Before any other operation on that CPU. May sleep.
 * @cpu_up: Take @cpu's counters from whoever else uses them, clear and stop
 *	them all. May sleep; called in a kernel thread, under the CPU hotplug lock for an online
 *	CPU, or from its hotplug callback. On -EBUSY @why names the holder; nothing is left
 *	changed then.
 * @cpu_down: Give @cpu's counters back. May sleep, as @cpu_up.
 * @held: Would @cpu_up find that somebody else uses the counters? Takes nothing: it may be
 *	different the next moment. As @cpu_up, while none of the CPUs is ours.
 * @used_now: Does somebody else use the counters of a CPU that is not ours, at this moment? Any
 *	context; what it finds may be over. What perf counts of a thread is to be found only while
 *	that runs, so this is called by the caller before @cpu_up works for him. @why names the
 *	holder then. NULL: @cpu_up finds it.
 * @explain: Say more exactly whom @cpu_up named as the holder. May sleep; called with none
 *	of @cpu_up's locks. May be NULL.
 * @encode: Translate an event. Pure.
 * @operand: What the read instruction of user mode takes for a counter. Pure.
 * @keep_user_access: pmudev_backend_user_access_enable() cannot, but the thread has been a reader: the
 *	instruction that it may be about to execute is not to fault, until the right is
 *	forbidden. As pmudev_backend_load(). May be NULL.
 * @grant: Give an address space the right to read, once more. All its threads have it
 *	then, counted or not: pmudev_backend_user_access_enable() only tells whether it holds, and no thread may
 *	find in a counter what others counted. With PMUDEV_HAS_HIDING only counters of events for
 *	user reads show anything then, by their encoding, whoever looks. Its mmap_lock is held for
 *	writing. NULL if the right is a CPU's, by pmudev_backend_user_access_enable() alone; then so are the two
 *	below.
 * @revoke: Take it back, once. Process context, may wait for other CPUs.
 * @forked: An address space was made as a copy of another and has not run yet: it has no right.
 * @guest_entry: The probe of KVM's tracepoint kvm_entry, with the arguments that it has on this
 *	architecture, which calls pmudev_guest_entered(). NULL: there are no guests.
 * @guest_exit: Of kvm_exit, calls pmudev_guest_left().
 * @guest_enter: This CPU is about to run a guest: have these, which are loaded and have a side,
 *	count as they are to there. As pmudev_backend_load().
 * @guest_leave: It has left the guest, or not entered it after all: all count as in the host
 *	again. What was loaded or saved since it left does already. As pmudev_backend_load();
 *	also without @guest_enter before it.
 */
struct pmudev_backend_ops {
	int (*probe)(struct pmudev_pmu_info *const *info);
	void (*remove)(void);
	int (*identify)(void);
	int (*cpu_up)(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why);
	void (*cpu_down)(struct pmudev_pmu_info *info, int cpu);
	int (*held)(struct pmudev_pmu_info *info, struct pmudev_refusal *why);
	bool (*used_now)(struct pmudev_pmu_info *info, struct pmudev_refusal *why);
	void (*explain)(struct pmudev_refusal *why);
	int (*encode)(const struct pmudev_pmu_info *info, const struct pmudev_event_attr *attr,
		      struct pmudev_code *code, struct pmudev_refusal *why);
	u32 (*operand)(unsigned int counter);
	void (*keep_user_access)(void);
	void (*grant)(struct mm_struct *mm);
	void (*revoke)(struct mm_struct *mm);
	void (*forked)(struct mm_struct *mm);
	void *guest_entry;
	void *guest_exit;
	void (*guest_enter)(struct pmudev_hw *const *hw, unsigned int nr);
	void (*guest_leave)(void);
};

/* The backend of the architecture that the module is built for. */
extern const struct pmudev_backend_ops pmudev_backend;

/* Its operations that switches are made of: not worth a pointer each. */

/**
 * pmudev_backend_load - program counters, write their values and start them, all at once
 * @hw: the events
 * @nr: how many
 * @counters: the mask of their counters
 *
 * The counters are stopped. Irqs off, on the CPU concerned, which is ours.
 */
void pmudev_backend_load(struct pmudev_hw *const *hw, unsigned int nr, u64 counters);

/**
 * pmudev_backend_save - stop counters, all at once, and bring the values forward
 * @hw: the events
 * @nr: how many
 * @counters: the mask of their counters
 *
 * As pmudev_backend_load().
 *
 * Return: the bits in which any of the values changed.
 */
u64 pmudev_backend_save(struct pmudev_hw *const *hw, unsigned int nr, u64 counters);

/* Bring the values forward; the counters go on. As pmudev_backend_load(). */
void pmudev_backend_read(struct pmudev_hw *const *hw, unsigned int nr);

/* Write 0 to counters that are stopped. As pmudev_backend_load(). */
void pmudev_backend_clear(u64 counters);

/* Can user mode read counters on this CPU now, by whatever right? As pmudev_backend_load(). */
bool pmudev_backend_user_readable(void);

/**
 * pmudev_backend_user_access_enable - allow user mode to read counters on this CPU
 * @counters: those of the thread's events that it may read; with PMUDEV_HAS_HIDING it can read no
 *	others, which show 0
 *
 * As pmudev_backend_load(), also on a CPU that is not ours.
 *
 * Return: false if that cannot be now.
 */
bool pmudev_backend_user_access_enable(u64 counters);

/* Forbid it. False if that cannot be now: it is revoke_pending. As pmudev_backend_user_access_enable(). */
bool pmudev_backend_user_access_disable(void);

/*
 * The same where nothing is in the way, as at most switches: the CPU is ours, and nobody else has
 * the right in hand. False: ask the other two, whatever was done.
 */
bool pmudev_backend_try_user_access_enable(u64 counters);
bool pmudev_backend_try_user_access_disable(void);

/**
 * pmudev_user_access_lost - what pmudev_backend_user_access_enable() allowed does not hold any more
 *
 * Called by a backend on the CPU concerned, irqs off, not from one of its operations.
 */
void pmudev_user_access_lost(void);

/**
 * pmudev_clear_residue - who may read counters comes to this CPU, whatever gave him the right
 *
 * What others left in the counters is cleared; what is loaded stays. Irqs off, on a CPU that is
 * ours.
 *
 * Return: true, for who is called in place of another and says by that whether he was.
 */
bool pmudev_clear_residue(void);

/**
 * pmudev_guest_entered - this CPU is about to run a guest
 *
 * Calls guest_enter() if anything loaded here wants it. Irqs off, and they stay so until the guest
 * runs or pmudev_guest_left() is called.
 */
void pmudev_guest_entered(void);

/**
 * pmudev_guest_left - this CPU is back from a guest
 *
 * Preemption is off, and has been since. Irqs may be on: interrupts since were the host's.
 */
void pmudev_guest_left(void);

#endif /* _PMUDEV_BACKEND_H */
