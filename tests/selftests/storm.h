/* SPDX-License-Identifier: GPL-2.0 */
/* What storms share: how long they are, and what has to be as it was when one is over. */
#ifndef PMUDEV_TEST_STORM_H
#define PMUDEV_TEST_STORM_H

#include "common.h"

/* PMUDEV_STORM: how many times as long storms are to be. */
unsigned int storm_factor(void);
/* How often something is done: so many times as often, and less on debug kernels. */
unsigned int storm_times(unsigned int times);

/* Memory that children share, of zeroes; NULL if there is none. */
void *storm_memory(size_t size);

/* References to the module, -1 if it is not there. */
long module_references(void);

/*
 * Nothing is left: no set, no counter, no reservation, no reference, and perf counts, to the
 * instruction, with as many events at a time as there are counters. 0, or the line of storm.c.
 */
int nothing_left(void);

/*
 * What the calling thread executes in user mode for a loop of n rounds: the same each time. By its
 * set: 0 if it did not count all the while. By perf: -EBUSY then.
 */
__u64 set_loop(int fd, __u64 n);
__s64 perf_loop(int fd, __u64 n);

#endif /* PMUDEV_TEST_STORM_H */
