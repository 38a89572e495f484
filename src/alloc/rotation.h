/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who has how many counters for multiplexed groups, and when their rotation is planned anew.
 * pmu->lock held, unless a function says otherwise.
 */
#ifndef _PMUDEV_ALLOC_ROTATION_H
#define _PMUDEV_ALLOC_ROTATION_H

#include "allocation.h"

/* Counters that could be guaranteed to multiplexed groups of @set. */
u64 pmudev_mux_free(struct pmudev_set *set);

/* Allocate memory for the rotation of all of a set's groups. The set's mutex held; may sleep. */
void pmudev_rotation_prepare(struct pmudev_set *set);

/* Take that memory for the groups of @slots. Return: 0, or -ENOMEM if it is not enough. */
int pmudev_rotation_room(struct pmudev_set *set, u64 slots);

/* Have a set, and its children, go through a rotation from now on; NULL: none. */
void pmudev_rotation_set(struct pmudev_set *set, const struct pmudev_rotation *rotation);

/*
 * After a change of the allocation: the multiplexing sets that it concerns give up their counters,
 * and then take what is theirs now. There may be thousands, and each takes its time; so only
 * @asking's own groups are resumed under the same lock. Those of the others are @asking's to resume
 * before the call on it returns; another call that needs one sooner resumes it itself.
 */
void pmudev_rotation_suspend(struct pmudev_set *asking);
void pmudev_rotation_resume(struct pmudev_set *set);

/*
 * The same on nobody's behalf: perf waits for a counter, so nothing is lent; or it may not wait any
 * more, and what is free is. pmu->lock not held; in a worker. Return: true if perf uses counters
 * that could be lent.
 */
bool pmudev_rotation_share(struct pmudev_pmu *pmu, bool lend);

/* Can the change concern any? If not, none needs to be suspended, nor @asking resumed. */
static inline bool pmudev_rotation_concerned(const struct pmudev_set *asking)
{
	const struct pmudev_pmu_alloc *all = pmudev_pmu_alloc(asking->pmu);

	return asking->alloc->mux.changed || !list_empty(&all->mux_sets) || all->task_borrowed ||
	       all->cpu_borrowed;
}

/*
 * Resume the sets that a call on @asking suspended. A worker does it and releases pmu->lock after
 * each. @asking's mutex held, pmu->lock not. May sleep.
 */
void pmudev_rotation_resume_others(struct pmudev_set *asking);

/* The counter that an event has in the first slot of the rotation that it is in; -1: in none. */
int pmudev_rotation_counter(const struct pmudev_set *set, unsigned int slot);

#endif /* _PMUDEV_ALLOC_ROTATION_H */
