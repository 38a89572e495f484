/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The quota: how many sets and children a user may have. RLIMIT_NOFILE and RLIMIT_NPROC do not
 * bound them: a mapping keeps a set without a descriptor, and a thread may have many.
 */
#ifndef _PMUDEV_SET_QUOTA_H
#define _PMUDEV_SET_QUOTA_H

#include <linux/types.h>

struct pmudev_quota_owner;

/* sysctl dev.pmudev.max_sets_per_user; entry/sysctl.c writes it. */
extern int pmudev_quota_limit;

/*
 * Charge one set to the calling process. @owner: out: who is charged; NULL: nobody, nothing is
 * bounded. Return: 0, -EDQUOT, -ENOMEM. May sleep.
 */
int pmudev_quota_get(struct pmudev_quota_owner **owner);

/* Charge one more to an owner. Return: false if that is more than the limit. Any context. */
bool pmudev_quota_charge(struct pmudev_quota_owner *owner);

/* One less. Task context. */
void pmudev_quota_put(struct pmudev_quota_owner *owner);

/*
 * The two halves of pmudev_quota_put(): another set may take the place; and the memory is free. An
 * owner has no more than the limit, and no more than that (or 256) wait to be freed. Any context.
 */
void pmudev_quota_uncharge(struct pmudev_quota_owner *owner);
void pmudev_quota_put_memory(struct pmudev_quota_owner *owner);

#endif /* _PMUDEV_SET_QUOTA_H */
