/* SPDX-License-Identifier: GPL-2.0 */
/* Conflicts: which sets have counters that another one wants, and what a refusal says of them. */
#ifndef _PMUDEV_ALLOC_CONFLICT_H
#define _PMUDEV_ALLOC_CONFLICT_H

#include "allocation.h"

/* Counters of @allowed that other sets or perf keep from this one. pmu->lock held. */
u64 pmudev_held_by_others(struct pmudev_set *set, u64 allowed);

/*
 * Find who has each of the counters @busy that were refused to @set, which is bound. @holder has
 * room for one of each. May sleep: a worker looks, with pmu->lock held. Return: how many.
 */
unsigned int pmudev_list_holders(struct pmudev_set *set, u64 busy, struct pmudev_holder *holder);

/* -EBUSY: others hold what could take the event. pmu->lock held. */
int pmudev_refuse_held(struct pmudev_set *set, const struct pmudev_constraint *constraint,
		       struct pmudev_refusal *why);

/* -EBUSY: counters of why->allowed are unavailable to all sets. */
int pmudev_refuse_unavailable(const struct pmudev_pmu *pmu, struct pmudev_refusal *why);

/*
 * Add to such a refusal what other sets hold, so that it has all of @allowed that is held. May
 * sleep: a worker looks. Without pmu->lock.
 */
void pmudev_refusal_complete(struct pmudev_set *set, struct pmudev_refusal *why);

/* -EBUSY with the first of these sets as the holder: pmudev_readers.granted or .private. */
int pmudev_refuse_readable(struct list_head *sets, struct pmudev_refusal *why);

#endif /* _PMUDEV_ALLOC_CONFLICT_H */
