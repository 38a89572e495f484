/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of read_bench share: who measures pmudev, who measures perf, who prints. */
#ifndef PMUDEV_READ_BENCH_H
#define PMUDEV_READ_BENCH_H

#include "common.h"

/* A row has a column for each number of events: 1, 2, 4, 6. */
#define NR_NUMBERS 4
#define MOST	   6

extern const unsigned int numbers[NR_NUMBERS];

/* Of a form that is not offered. */
#define REFUSED (-1.0)

static inline __u64 config_of(unsigned int i)
{
	return i % 2 ? EVENT_CYCLES : EVENT_INSTRUCTIONS;
}

void __attribute__((noreturn)) fail(const char *what, int error);
/* What COST_OF() says, if it says anything. */
double cost(long instructions);
/* Nanoseconds of read(2), kernel and all: the median. */
double time_read(int fd);

/* pmudev: readers, with times, without a reader, the same with times, read(2). */
void measure_pmudev(double row[5][NR_NUMBERS]);
/* One DIRECT event: its counter known when compiled, and learnt. */
void measure_bare(double *constant, double *learnt);
/* perf: libperf, the loop that perf's header describes, read(2). */
void measure_perf(double row[3][NR_NUMBERS]);

#endif /* PMUDEV_READ_BENCH_H */
