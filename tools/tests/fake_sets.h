/* SPDX-License-Identifier: MIT */
/*
 * In place of ../perf/set.c: sets that count nothing by themselves, fake_step() adds to all that is
 * enabled. As many events of a target are on counters as fake_counters says; sets with multiplexed
 * groups need one counter each.
 */
#ifndef FAKE_SETS_H
#define FAKE_SETS_H

#include <stdint.h>

extern unsigned int fake_counters;

/* Of the calls with this request, the one that is the @in-th from now on fails. @error: -errno */
struct fake_failure {
	unsigned long request;
	unsigned int in;
	int error;
};

extern struct fake_failure fake_failure;

/* Called in each PMUDEV_IOC_ENABLE, DISABLE, RESET, REMOVE, unless it is NULL. */
extern void (*fake_during)(void);

/* How many files of sets are open: none of their descriptors may be left. */
unsigned int fake_open_sets(void);
/* Each enabled event counts so much, in so many ns. */
void fake_step(uint64_t count, uint64_t ns);

#endif /* FAKE_SETS_H */
