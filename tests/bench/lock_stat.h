/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel knows of its locks' use: /proc/lock_stat of kernels with CONFIG_LOCK_STAT
 * (tests/vm/config/locks.config; Documentation/locking/lockstat.rst). Locks of one class, such as
 * those of all sets, are one line there.
 */
#ifndef PMUDEV_BENCH_LOCK_STAT_H
#define PMUDEV_BENCH_LOCK_STAT_H

#include <stdbool.h>

#define MOST_LOCKS     2048
#define LOCK_NAME_SIZE 40

/**
 * struct lock_use - the use of the locks of one class since lock_stat_clear()
 * @name: as they are called where they are initialized; further classes of the same name end in
 *	#2 and so on
 * @contended: how often somebody waited
 * @acquired: how often they were taken
 * @hold_ns: how long they were held altogether
 */
struct lock_use {
	char name[LOCK_NAME_SIZE];
	unsigned long contended;
	unsigned long acquired;
	double hold_ns;
};

struct lock_uses {
	unsigned int nr;
	struct lock_use use[MOST_LOCKS];
};

/* 0 or -errno; -ENOENT: the kernel keeps none. */
int lock_stat_clear(void);
int lock_stat_read(struct lock_uses *uses);

/* NULL: not taken since. */
const struct lock_use *lock_stat_find(const struct lock_uses *uses, const char *name);

#endif /* PMUDEV_BENCH_LOCK_STAT_H */
