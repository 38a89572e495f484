/* SPDX-License-Identifier: GPL-2.0 */
/* Records: read.c makes them, of one set or, for read_sets.c, of several. */
#ifndef _PMUDEV_ENTRY_READING_H
#define _PMUDEV_ENTRY_READING_H

#include <linux/types.h>

struct pmudev_ctx;
struct pmudev_record;
struct pmudev_set;
struct pmudev_sum;

/**
 * struct pmudev_reading - a record that is being made
 * @set: the set
 * @record: where
 * @room: bytes there
 * @need: out: how many it takes; if that is more than @room nothing was done
 * @total: of an inherited set: the sum of its children
 */
struct pmudev_reading {
	struct pmudev_set *set;
	struct pmudev_record *record;
	size_t room;
	size_t need;
	struct pmudev_sum *total;
};

/* The record of a set without children. @arg: the reading. pmudev_ctx_fn: see there. */
void pmudev_reading_own(struct pmudev_ctx *ctx, void *arg);

/* The record of an inherited set. Takes its mutex; may sleep. Return: 0 or -ENOMEM. */
int pmudev_reading_inherited(struct pmudev_reading *reading);

/* Copy a record to user memory, without locks: it may fault. Return: 0 or -EFAULT. */
int pmudev_reading_copy(struct pmudev_record __user *to, const struct pmudev_record *record);

#endif /* _PMUDEV_ENTRY_READING_H */
