/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters of a set's slots: what is enabled is allocated some, and what is disabled gives them
 * back. pmu->lock held.
 */
#ifndef _PMUDEV_ALLOC_SLOTS_H
#define _PMUDEV_ALLOC_SLOTS_H

#include "allocation.h"

/*
 * Allocate counters to whole groups, which have none, of a set that is bound. Other sets give up
 * what they borrow, and the target's other events move, if that is necessary.
 * Return: 0 or an error of pmudev_place(); nothing has changed then.
 */
int pmudev_slots_allocate(struct pmudev_set *set, u64 slots, struct pmudev_refusal *why);

/*
 * The same of groups that are not multiplexed, if counters are free and no set is concerned. Short:
 * for callers that are not preempted. Return: false if it takes more, and nothing was done.
 */
bool pmudev_slots_allocate_free(struct pmudev_set *set, u64 slots);

/* Give them back: the events are inactive, also in children. */
void pmudev_slots_give_back(struct pmudev_set *set, u64 slots);

#endif /* _PMUDEV_ALLOC_SLOTS_H */
