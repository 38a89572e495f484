/* SPDX-License-Identifier: GPL-2.0 */
/* Machines with CPUs of two kinds, two of each. */
#ifndef PMUDEV_TEST_KINDS_H
#define PMUDEV_TEST_KINDS_H

#include <pthread.h>
#include "common.h"

/* The CPUs, by the number of their PMU. */
struct kinds {
	int cpu[2][2];
};

/* False if there are not two CPUs of each of two kinds. */
bool kinds_find(struct kinds *k);

/* A set of the calling thread on a PMU, enabled: a descriptor or -errno. */
int kinds_set(__u32 pmu, __u32 bind_flags, const struct pmudev_event_attr *events, unsigned int nr);

/* Slot 0 of a set on each PMU. */
struct both {
	__u64 value[2];
	__u64 enabled[2];
};

int both_read(const int *fd, struct both *both);
/*
 * Go from CPU to CPU, every so many of the four further (0: stay), and loop there: the same
 * instructions wherever that is.
 */
void both_rounds(const struct kinds *k, unsigned int rounds, unsigned int stride, __u64 n);

/* A thread that moves another one from CPU to CPU. */
struct mover {
	const struct kinds *kinds;
	pthread_t thread;
	int tid;
	__u64 moved;
	bool stop;
};

int mover_start(struct mover *mover, int tid);
__u64 mover_stop(struct mover *mover);

static inline __u64 mover_moved(const struct mover *mover)
{
	return READ_ONCE(mover->moved);
}

static inline unsigned int hweight64_of(__u64 mask)
{
	return __builtin_popcountll(mask);
}

#endif /* PMUDEV_TEST_KINDS_H */
