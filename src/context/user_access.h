/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User access: whether user mode may read counters at all (sysctl dev.pmudev.user_access), which
 * sets could read each other's counters, and what earlier events left in counters.
 */
#ifndef _PMUDEV_CONTEXT_USER_ACCESS_H
#define _PMUDEV_CONTEXT_USER_ACCESS_H

#include "ctx.h"

/* The sysctl's value; entry/sysctl.c writes it. Does it allow user reads? */
extern int pmudev_user_access;

static inline bool pmudev_user_access_enabled(void)
{
	return READ_ONCE(pmudev_user_access);
}

/*
 * Which sets could read each other's counters, on all CPUs
 *
 * Where the hardware cannot hide counters from a thread that may read its own, a CPU's counts and
 * such threads exclude each other: one of the two numbers is 0.
 */
struct pmudev_readers {
	raw_spinlock_t lock;	  /* all below; raw, irqs off */
	u32 nr_granted;		  /* mappings of task sets' pages */
	u32 nr_private;		  /* CPU sets that hold counters and are not SHARED */
	struct list_head granted; /* the sets of these pages, by set->mapping.readers_node */
	struct list_head private; /* these CPU sets, likewise */
};

extern struct pmudev_readers pmudev_readers;

/*
 * A CPU set is about to hold counters, or holds none any more. pmu->lock held. Return: false if a
 * thread with user reads could see them.
 */
bool pmudev_readers_add_private(struct pmudev_set *set);
void pmudev_readers_remove_private(struct pmudev_set *set);

/*
 * A set's page is about to be mapped. @first: out: no set's was before. Return: false if the reader
 * could see a private CPU set's counters; nothing was done then.
 */
bool pmudev_readers_add_mapping(struct pmudev_set *set, bool *first);
void pmudev_readers_remove_mapping(struct pmudev_set *set);

/* Clear what is left in counters, and @counters. Irqs off. */
static __always_inline void pmudev_clear_residue_and(struct pmudev_cpu *cpuc, u64 counters)
{
	pmudev_backend_clear(counters | cpuc->residue);
	cpuc->residue = 0;
}

/*
 * Counters were saved and stopped, and still show what they counted; that must be gone when user
 * mode could see it. Where access is per CPU (arm64), it is cleared or hidden when a thread gets
 * access. Where access is per address space, any of its threads may look at any time: it is cleared
 * when counters are left, as long as pages are mapped or user mode can read for another reason (on
 * Intel, root wrote 2 to perf's rdpmc file). Irqs off.
 *
 * @counters: those of them that are in ctx->residue_mask
 */
static __always_inline void pmudev_leave_residue(struct pmudev_cpu *cpuc, u64 counters)
{
	lockdep_assert_irqs_disabled();
	if (pmudev_backend.grant &&
	    (READ_ONCE(pmudev_readers.nr_granted) || pmudev_backend_user_readable()))
		pmudev_clear_residue_and(cpuc, counters);
	else
		cpuc->residue |= counters;
}

/* Clear what is left in this CPU's counters but those loaded, @loaded. Irqs off. */
void pmudev_clear_residue_but(struct pmudev_cpu *cpuc, u64 loaded);

/*
 * Upcall: a thread that may read counters comes to this CPU, which is reserved. Clears what earlier
 * events left; what is loaded stays. Irqs off.
 */
void pmudev_clear_residue(void);

/* Clear it on all CPUs. Waits for them; irqs on. */
void pmudev_clear_residue_all(void);

#endif /* _PMUDEV_CONTEXT_USER_ACCESS_H */
