/* SPDX-License-Identifier: GPL-2.0 */
/* Rotation plans: counters that let each multiplexed group fit, and which are active together. */
#ifndef _PMUDEV_ALLOC_ROTATION_PLAN_H
#define _PMUDEV_ALLOC_ROTATION_PLAN_H

#include "allocation.h"

/*
 * Find counters of @free that let each multiplexed group of @slots fit. @why: filled in on error;
 * its event is a slot. pmu->lock held. Return: 0, -EBUSY or -ENOMEM.
 */
int pmudev_find_guaranteed(struct pmudev_set *set, u64 slots, u64 free, u64 *guaranteed,
			   struct pmudev_refusal *why);

/* Plan the rotation of a set's groups on counters of @pool. pmu->lock held, the set suspended. */
void pmudev_rotation_plan(struct pmudev_set *set, u64 pool, struct pmudev_rotation *rotation);

#endif /* _PMUDEV_ALLOC_ROTATION_PLAN_H */
