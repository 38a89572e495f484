/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between the core and a backend.
 *
 * A backend knows one CPU family: its counters, encodings and values. It knows no task, set, page
 * or file. The core knows no register. A backend may call src/pure, src/compat.h and the
 * kernel; it reaches the core only through struct pmudev_upcalls.
 *
 * "On the CPU" in this header means: called on the CPU concerned, with interrupts disabled. "Owned"
 * means that the CPU's counters are reserved: between cpu_up and cpu_down.
 */
#ifndef _PMUDEV_BACKEND_H
#define _PMUDEV_BACKEND_H

#include <pmudev/clock.h>
#include <pmudev/code.h>
#include <pmudev/hw.h>
#include <pmudev/pmu_info.h>
#include <pmudev/refusal.h>
#include <pmudev/upcalls.h>

struct mm_struct;

/**
 * struct pmudev_backend_ops - operations of a backend
 *
 * Optional operations may be NULL. "May sleep" means process context.
 */
struct pmudev_backend_ops {
	/**
	 * @probe: Find the PMUs of all online CPUs and describe them in @info, which has room for
	 * PMUDEV_MAX_PMUS. Keep @upcalls. Called once; may sleep. Returns the number of PMUs; or
	 * -ENODEV if there is none that can be used, or too many, after one line in the log; or
	 * another error.
	 */
	int (*probe)(struct pmudev_pmu_info *const *info, const struct pmudev_upcalls *upcalls);
	/** @remove: Undo @probe. No CPU is owned any more. May sleep. */
	void (*remove)(void);
	/**
	 * @identify: Called in the hotplug callback of a CPU, on that CPU, before any other
	 * operation on it; may sleep. Returns the index of its PMU, or -1 if @probe found no such
	 * PMU.
	 */
	int (*identify)(void);
	/**
	 * @cpu_up: Reserve @cpu's counters, stop and clear them. Called from a kernel thread for an
	 * online CPU, with cpus_read_lock() held, or from its hotplug callback; may sleep. On
	 * error, nothing changed; on -EBUSY, @why names the holder.
	 */
	int (*cpu_up)(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why);
	/** @cpu_down: Give @cpu's counters back. Context as @cpu_up. */
	void (*cpu_down)(struct pmudev_pmu_info *info, int cpu);
	/**
	 * @held: Predict whether @cpu_up would fail now, without reserving anything. Context as
	 * @cpu_up, while no CPU of the PMU is owned. Returns 0, or the error with the reason.
	 */
	int (*held)(struct pmudev_pmu_info *info, struct pmudev_refusal *why);
	/**
	 * @used_now: Find another user of the counters of CPUs that are not owned, at this moment.
	 * perf's per-thread events are visible only while the thread runs, so the caller of a
	 * system call asks before @cpu_up works on its behalf. Any context. If true, @why names the
	 * holder. Optional: if NULL, @cpu_up finds all users.
	 */
	bool (*used_now)(struct pmudev_pmu_info *info, struct pmudev_refusal *why);
	/**
	 * @explain: Name the holder that @cpu_up found more precisely. May sleep; called without
	 * the locks of @cpu_up. Optional.
	 */
	void (*explain)(struct pmudev_refusal *why);
	/** @encode: Encode an event that is valid by pmudev_attr_check(). Any context. */
	int (*encode)(const struct pmudev_pmu_info *info, const struct pmudev_event_attr *attr,
		      struct pmudev_code *code, struct pmudev_refusal *why);
	/** @operand: Return the operand of user mode's read instruction. Any context. */
	u32 (*operand)(unsigned int counter);
	/**
	 * @keep_user_access: pmudev_backend_user_access_enable() failed for a thread that could
	 * read before. Make sure that its read instruction does not fault until
	 * pmudev_backend_user_access_disable(). On the CPU. Optional.
	 */
	void (*keep_user_access)(void);
	/**
	 * @grant: Allow one more reader in an address space. Called with its mmap_lock held for
	 * writing.
	 *
	 * Only where the right to read belongs to an address space; NULL, like @revoke and @forked,
	 * where it belongs to a CPU. All threads of the address space then have it, counted or not:
	 * no counter may show them another thread's count. With PMUDEV_HAS_HIDING, the encoding
	 * hides events without PMUDEV_USER_READ.
	 */
	void (*grant)(struct mm_struct *mm);
	/** @revoke: Undo one @grant. May sleep. */
	void (*revoke)(struct mm_struct *mm);
	/** @forked: @mm was copied from another address space and never ran: it has no right. */
	void (*forked)(struct mm_struct *mm);
	/**
	 * @guest_entry: Probe for KVM's tracepoint kvm_entry, with its arguments on this
	 * architecture. Calls pmudev_upcalls.guest_entered(). NULL if there are no guests.
	 */
	void *guest_entry;
	/** @guest_exit: Probe for kvm_exit. Calls pmudev_upcalls.guest_left(). */
	void *guest_exit;
	/**
	 * @guest_enter: This CPU is about to run a guest. Make @hw, the loaded events with a guest
	 * filter, count as required there. On the CPU.
	 */
	void (*guest_enter)(struct pmudev_hw *const *hw, unsigned int nr);
	/**
	 * @guest_leave: The guest was left, or not entered after all. Make all events count as
	 * required in the host; those loaded or saved since already do. On the CPU; also called
	 * without @guest_enter.
	 */
	void (*guest_leave)(void);
};

/* The backend of the architecture that the module is compiled for. */
extern const struct pmudev_backend_ops pmudev_backend;

/* Operations of the context switch. Direct calls: the path is hot. */

/**
 * pmudev_backend_load - write selectors and counts of events, and start all counters at once
 * @hw: the events
 * @nr: number of events
 * @counters: their counters, as pmudev_hw_counters() returns them
 *
 * Context: on the CPU, owned. The counters are stopped.
 */
void pmudev_backend_load(struct pmudev_hw *const *hw, unsigned int nr, u64 counters);

/**
 * pmudev_backend_save - stop counters, all at once, and update the counts
 * @hw: the events, loaded here
 * @nr: number of events
 * @counters: their counters
 *
 * Context: on the CPU, owned.
 * Return: the bits in which any of the counts changed.
 */
u64 pmudev_backend_save(struct pmudev_hw *const *hw, unsigned int nr, u64 counters);

/**
 * pmudev_backend_read - update the counts of loaded events, which keep counting
 * @hw: the events, loaded here
 * @nr: number of events
 *
 * Context: on the CPU, owned.
 */
void pmudev_backend_read(struct pmudev_hw *const *hw, unsigned int nr);

/**
 * pmudev_backend_clear - write 0 to stopped counters
 * @counters: mask of counters
 *
 * Context: on the CPU, owned.
 */
void pmudev_backend_clear(u64 counters);

/**
 * pmudev_backend_user_readable - can user mode read counters on this CPU now, by any right?
 *
 * Context: on the CPU.
 */
bool pmudev_backend_user_readable(void);

/**
 * pmudev_backend_user_access_enable - allow user mode to read counters on this CPU
 * @counters: counters of the thread's readable events. With PMUDEV_HAS_HIDING, all others read 0.
 *
 * Where the right belongs to an address space, only checks that it is in force.
 *
 * Context: on the CPU, owned or not.
 * Return: false if that is not possible now.
 */
bool pmudev_backend_user_access_enable(u64 counters);

/**
 * pmudev_backend_user_access_disable - undo pmudev_backend_user_access_enable()
 *
 * Context: on the CPU, owned or not.
 * Return: false if that is not possible now and must be tried again: the revoke is pending.
 */
bool pmudev_backend_user_access_disable(void);

#endif /* _PMUDEV_BACKEND_H */
