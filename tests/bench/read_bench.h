/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of read_bench share: who measures pmudev, who measures perf, who prints. */
#ifndef PMUDEV_READ_BENCH_H
#define PMUDEV_READ_BENCH_H

#include "api.h"

/* A row has a column for each number of events: 1, 2, 4, 6. */
#define NR_NUMBERS 4

extern const unsigned int numbers[NR_NUMBERS];

/* What COST_OF() says, if it says anything. */
double cost(long instructions);

/* pmudev: readers, with ticks, without a reader, the same with times in ns. */
void measure_pmudev(double row[4][NR_NUMBERS]);
/* One DIRECT event: its counter known when compiled, and learnt. */
void measure_bare(double *constant, double *learnt);
/* perf: libperf, the loop that perf's header describes, the best one for values alone. */
void measure_perf(double row[3][NR_NUMBERS]);

#endif /* PMUDEV_READ_BENCH_H */
