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

/* How many files of sets are open: none of their descriptors may be left. */
unsigned int fake_open_sets(void);
/* Each enabled event counts so much, in so many ns. */
void fake_step(uint64_t count, uint64_t ns);

#endif /* FAKE_SETS_H */
