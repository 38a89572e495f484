/* SPDX-License-Identifier: GPL-2.0 */
/* What a backend calls in the core. */
#ifndef _PMUDEV_UPCALLS_H
#define _PMUDEV_UPCALLS_H

#include <linux/types.h>

/**
 * struct pmudev_upcalls - functions of the core, passed to struct pmudev_backend_ops.probe
 *
 * Called on the CPU concerned.
 */
struct pmudev_upcalls {
	/**
	 * @user_access_lost: User mode can no longer read counters on this CPU, although
	 * pmudev_backend_user_access_enable() allowed it. Context: interrupts disabled, not from
	 * within an operation of the backend.
	 */
	void (*user_access_lost)(void);
	/**
	 * @clear_residue: A thread that may read counters is about to run on this CPU. Clears what
	 * other events left in counters; loaded events keep counting. Context: interrupts disabled,
	 * on a CPU whose counters are reserved. Returns true, so that a function that replaces one
	 * of perf's can return the result: "done".
	 */
	bool (*clear_residue)(void);
	/**
	 * @guest_entered: This CPU is about to run a guest. Calls guest_enter() if a loaded event
	 * has a guest filter. Context: interrupts disabled until the guest runs or guest_left() is
	 * called.
	 */
	void (*guest_entered)(void);
	/**
	 * @guest_left: This CPU is back from a guest. Calls guest_leave(). Context: preemption
	 * disabled since guest_entered(). Interrupts may be enabled: interrupts that were handled
	 * since belong to the host.
	 */
	void (*guest_left)(void);
};

#endif /* _PMUDEV_UPCALLS_H */
