/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of read_bench share: who measures pmudev, who measures perf, who prints. */
#ifndef PMUDEV_READ_BENCH_H
#define PMUDEV_READ_BENCH_H

#include "api.h"
#include "cost.h"
#include "costs.h"

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

/* As COST_OF(), but keeps costs (costs.h), and returns 0. */
#define COSTS_SAMPLES 5
#define COSTS_CALLS   20
#define COSTS_OF(now_fn, now_arg, code)                                    \
	({                                                                 \
		unsigned int __i, __sample;                                \
		(void)now_fn;                                              \
		(void)now_arg;                                             \
		code;                                                      \
		for (__sample = 0; __sample < COSTS_SAMPLES; __sample++) { \
			costs_begin(NULL);                                 \
			for (__i = 0; __i < COSTS_CALLS; __i++) {          \
				code;                                      \
			}                                                  \
			costs_end(COSTS_CALLS);                            \
		}                                                          \
		costs_done();                                              \
		0L;                                                        \
	})

#define NOTHING ((void)0)

/*
 * long name(struct type *type), that measures @code after @prepare. The instructions and the costs
 * are measured by functions of their own: neither changes what the compiler makes of the other.
 */
#define MEASURE_BY(how, name, type, prepare, now_arg, code)           \
	static __attribute__((noinline)) long name(struct type *type) \
	{                                                             \
		prepare;                                              \
		return how(type##_instructions, now_arg, code);       \
	}

#define MEASURE(name, type, prepare, now_arg, code)                         \
	MEASURE_BY(COST_OF, name##_cost, type, prepare, now_arg, code)      \
	MEASURE_BY(COSTS_OF, name##_costs, type, prepare, now_arg, code)    \
	static long name(struct type *type)                                 \
	{                                                                   \
		return costs_on() ? name##_costs(type) : name##_cost(type); \
	}

#endif /* PMUDEV_READ_BENCH_H */
