/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between the core and a backend.
 *
 * A backend knows one CPU family: its counters, encodings and values. It knows no task, set, page
 * or file. The core knows no register. A backend may call src/pure, what all layers use (compat.h,
 * hooks.h, setting.h) and the kernel; it reaches the core only through struct pmudev_upcalls.
 *
 * "On the CPU" in this header means: called on the CPU concerned, with interrupts disabled. "Owned"
 * means: between cpu_up and cpu_down. "May sleep" means process context.
 */
#ifndef _PMUDEV_BACKEND_H
#define _PMUDEV_BACKEND_H

#include <linux/static_call.h>
#include <linux/timex.h>

#include <pmudev/hw.h>
#include <pmudev/pmu_info.h>
#include <pmudev/shared.h>

struct pt_regs;

struct mm_struct;

/*
 * The clock of all times, in ticks: 64 bits, never wraps, readable by user mode where
 * pmudev_pmu_info.clock_hz says so. get_cycles() has the width of a long, so 32-bit backends
 * provide a function instead.
 */
#ifdef CONFIG_64BIT
static __always_inline u64 pmudev_clock(void)
{
	return get_cycles();
}
#else
u64 pmudev_clock(void);
#endif

/* Functions of the core, passed to pmudev_backend_ops.probe. Called on the CPU concerned. */
struct pmudev_upcalls {
	/*
	 * User mode can no longer read counters on this CPU, although
	 * pmudev_backend_user_access_enable() allowed it. Interrupts disabled, not from within an
	 * operation of the backend.
	 */
	void (*user_access_lost)(void);
	/*
	 * A thread that may read counters is about to run on this CPU. Clears what other events
	 * left in counters; loaded events keep counting. Interrupts disabled, on an owned CPU.
	 */
	void (*clear_residue)(void);
	/*
	 * perf has an event for which there is no counter on this CPU. Interrupts disabled, with
	 * perf's and the scheduler's locks held.
	 */
	void (*perf_waits)(struct pmudev_pmu_info *info);
	/*
	 * This CPU is about to run a guest. Calls guest_enter() if a loaded event has a guest
	 * filter. Interrupts disabled until the guest runs or guest_left() is called.
	 */
	void (*guest_entered)(void);
	/*
	 * This CPU is back from a guest. Calls guest_leave(). Preemption disabled since
	 * guest_entered(). Interrupts may be enabled: those handled since belong to the host.
	 */
	void (*guest_left)(void);
	/*
	 * Overflows interrupted this CPU (@ours), or perf's driver may have taken such an interrupt
	 * away. @counters: those of ours that have overflowed, as far as is known; @regs: of what
	 * was interrupted, or NULL. Interrupts disabled, maybe in an NMI, on an owned CPU.
	 */
	void (*overflowed)(bool ours, u64 counters, struct pt_regs *regs);
};

/* Operations of a backend. Optional ones may be NULL. */
struct pmudev_backend_ops {
	/*
	 * Find the PMUs of all online CPUs and describe them in @info, which has room for
	 * PMUDEV_MAX_PMUS. Keep @upcalls. Called once; may sleep. Returns the number of PMUs; or
	 * -ENODEV if there is none that can be used, or too many, after one line in the log; or
	 * another error.
	 */
	int (*probe)(struct pmudev_pmu_info *const *info, const struct pmudev_upcalls *upcalls);
	/* Undo probe. No CPU is owned any more. May sleep. */
	void (*remove)(void);
	/*
	 * Called in the hotplug callback of a CPU, on that CPU, before any other operation on it;
	 * may sleep. Returns the index of its PMU, or -1 if probe found no such PMU.
	 */
	int (*identify)(void);
	/* For PMUs that perf shares, counter by counter; NULL if cpu_up reserves all counters. */
	const struct pmudev_shared_ops *shared;
	/*
	 * Begin to use @cpu, or, without @shared, reserve all its counters. Called from a kernel
	 * thread for an online CPU, with cpus_read_lock() held, or from its hotplug callback; may
	 * sleep. On error, nothing changed; on -EBUSY, @why names the holder.
	 */
	int (*cpu_up)(struct pmudev_pmu_info *info, int cpu, struct pmudev_refusal *why);
	/* Undo it. What is reserved on all CPUs stays reserved. Context as cpu_up. */
	void (*cpu_down)(struct pmudev_pmu_info *info, int cpu);
	/*
	 * Predict whether cpu_up would fail now, without reserving anything. Context as cpu_up,
	 * while no CPU of the PMU is owned. Returns 0, or the error with the reason. Optional.
	 */
	int (*held)(struct pmudev_pmu_info *info, struct pmudev_refusal *why);
	/*
	 * Name the holder that cpu_up found more precisely. May sleep; called without the locks of
	 * cpu_up. Optional.
	 */
	void (*explain)(struct pmudev_refusal *why);
	/* Encode an event that is valid by pmudev_attr_check(). Any context. */
	int (*encode)(const struct pmudev_pmu_info *info, const struct pmudev_event_attr *attr,
		      struct pmudev_code *code, struct pmudev_refusal *why);
	/* Return the operand of user mode's read instruction. Any context. */
	u32 (*operand)(unsigned int counter);
	u64 not_perfs; /* counters that readers of perf's page take for none */
	/*
	 * Allow one more reader in an address space. Called with its mmap_lock held for writing.
	 *
	 * Only where the right to read belongs to an address space; NULL, like revoke and forked,
	 * where it belongs to a CPU. All threads of the address space then have it, counted or not:
	 * no counter may show them another thread's count. With PMUDEV_HAS_HIDING, the encoding
	 * hides events without PMUDEV_USER_READ.
	 */
	void (*grant)(struct mm_struct *mm);
	/* Undo one grant. May sleep. */
	void (*revoke)(struct mm_struct *mm);
	/* @mm was copied from another address space and never ran: it has no right. */
	void (*forked)(struct mm_struct *mm);
	/*
	 * Probes for KVM's tracepoints kvm_entry and kvm_exit, with their arguments on this
	 * architecture. They call pmudev_upcalls.guest_entered() and guest_left(). NULL, like
	 * guest_enter and guest_leave, if there are no guests.
	 */
	void *guest_entry;
	void *guest_exit;
	/*
	 * This CPU is about to run a guest. Make @hw, the loaded events with a guest filter, count
	 * as required there. On the CPU.
	 */
	void (*guest_enter)(struct pmudev_hw *const *hw, unsigned int nr);
	/*
	 * The guest was left, or not entered after all. Make all events count as required in the
	 * host; those loaded or saved since already do. On the CPU; also without guest_enter.
	 */
	void (*guest_leave)(void);
	/*
	 * Let this CPU's counters interrupt if their events have pmudev_pmu_info.interrupt in their
	 * config, or have none interrupt. If none did, overflows from before are forgotten. On the
	 * CPU, owned; enabled at cpu_up, and after each overflowed(true), by which time x86 has
	 * masked them. NULL if info.interrupt is 0.
	 */
	void (*interrupts)(bool enable);
};

/* The backend of the architecture that the module is compiled for. */
extern const struct pmudev_backend_ops pmudev_backend;

/*
 * Operations of the context switch. Direct calls: the path is hot. On the CPU, which is owned.
 * @hw: the @nr events, loaded here; @counters: theirs, as pmudev_hw_counters() returns them.
 */
/* Write selectors and counts of events to stopped counters; start all, at once if possible. */
void pmudev_backend_load(struct pmudev_hw *const *hw, unsigned int nr, u64 counters);
/* Stop all counters, likewise, and update the counts. Returns the bits that changed in any. */
u64 pmudev_backend_save(struct pmudev_hw *const *hw, unsigned int nr, u64 counters);
/* Update the counts of loaded events, which keep counting. Returns as pmudev_backend_save(). */
u64 pmudev_backend_read(struct pmudev_hw *const *hw, unsigned int nr);
/* Write 0 to stopped counters. */
void pmudev_backend_clear(u64 counters);

#ifdef CONFIG_X86
/* One of several vendors: still direct calls, which are patched when probe has chosen. */
DECLARE_STATIC_CALL(pmudev_load, pmudev_backend_load);
DECLARE_STATIC_CALL(pmudev_save, pmudev_backend_save);
DECLARE_STATIC_CALL(pmudev_read, pmudev_backend_read);
DECLARE_STATIC_CALL(pmudev_clear, pmudev_backend_clear);
#define pmudev_backend_load static_call(pmudev_load)
#define pmudev_backend_save static_call(pmudev_save)
#define pmudev_backend_read static_call(pmudev_read)
#define pmudev_backend_clear static_call(pmudev_clear)
#endif

/* Can user mode read counters on this CPU now, by any right? On the CPU. */
bool pmudev_backend_user_readable(void);
/*
 * Allow user mode to read @counters, those of the thread's readable events, on this CPU. With
 * PMUDEV_HAS_HIDING, all others read 0. Where the right belongs to an address space, only check
 * that it is in force. On the CPU, owned or not. Returns false if that is not possible now.
 */
bool pmudev_backend_user_access_enable(u64 counters);
/*
 * Undo it. On the CPU, owned or not. Returns false if that is not possible now and must be tried
 * again: the revoke is pending.
 */
bool pmudev_backend_user_access_disable(void);

#endif /* _PMUDEV_BACKEND_H */
