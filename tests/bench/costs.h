/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a path executes that hardware pays for: the classes that the emulator counts with
 * pmu-costs=on (tests/emulator/README.md, "Costs"). In a boot with /tests/costs the measuring
 * functions keep them, and rows of instructions become comments; in any other boot nothing here
 * does anything.
 */
#ifndef PMUDEV_BENCH_COSTS_H
#define PMUDEV_BENCH_COSTS_H

#include <linux/types.h>
#include <stdbool.h>

/* NR_COSTS of them; tests/bench/judge knows their names. */
#include "../emulator/costs.h"

/* @of: of each class, how many one time through the path has; @known: false, none were measured */
struct costs {
	bool known;
	double of[NR_COSTS];
};

bool costs_on(void);

/* What CPUs 0 to @nr - 1 execute belongs to the path; 1 at first. */
void costs_of_cpus(unsigned int nr);

/*
 * Around what is timed, outside of its two looks at @clock, which do not count; NULL: it has none.
 * The path is gone through @times times.
 */
void costs_begin(__u64 (*clock)(void));
void costs_end(double times);
/* The median of what was measured since the last time is costs_last(). */
void costs_done(void);

struct costs costs_last(void);
void costs_set(struct costs costs);
/* (costs_last() - b) / divisor is costs_last() from then on. */
void costs_subtract(const struct costs *b, double divisor);
struct costs costs_median(const struct costs *samples, unsigned int nr);

/* costs KEY N WHOSE COUNT...: costs_last(), for tests/bench/judge. @whose: pmudev or perf */
void costs_row(const char *whose, const char *key, unsigned int n);

#endif /* PMUDEV_BENCH_COSTS_H */
