/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How two numbers of each run go together: a count, and what may make it differ between runs.
 * Nothing here says that one is the cause of the other.
 */
#ifndef RELATION_H
#define RELATION_H

#include <stdbool.h>
#include <stdint.h>

/* No relation is told that chance makes more often: seven candidates are looked at. */
#define RELATION_CHANCE 0.01

/* From this correlation on (either sign) a relation that is not exact is told. */
#define RELATION_CORRELATION 0.9

/**
 * enum relation_kind - how the count goes with the other number
 * @RELATION_CONSTANT: the other number is the same in all runs
 * @RELATION_COST: each one more goes with the same difference of the count, to the unit
 * @RELATION_EQUAL: counts are equal whenever the other number is
 * @RELATION_ALONG: neither, but they are correlated
 * @RELATION_OPEN: counts are equal whenever the other number is, but that may be by chance
 * @RELATION_NONE: counts differ while the other number is the same
 */
enum relation_kind {
	RELATION_CONSTANT,
	RELATION_COST,
	RELATION_EQUAL,
	RELATION_ALONG,
	RELATION_OPEN,
	RELATION_NONE,
};

/**
 * struct relation - of two numbers of each run
 * @kind: which
 * @cost: the difference for each one more, if it is the same integer for all runs; else 0
 * @correlation: Pearson's; 0 if it is not defined, or if the numbers are names
 * @chance: the share of random orders of the runs in which they go together as well
 */
struct relation {
	enum relation_kind kind;
	int64_t cost;
	double correlation;
	double chance;
};

/**
 * struct extent - numbers of the same kind
 * @min: the smallest
 * @max: the largest
 * @distinct: how many different ones
 */
struct extent {
	uint64_t min;
	uint64_t max;
	unsigned int distinct;
};

/* Of @nr numbers, at least one. False: no memory. */
bool extent_find(const uint64_t *values, unsigned int nr, struct extent *extent);

/*
 * How @counts go with @others, both of @nr runs, at least one. @names: @others are names, such as
 * CPUs, and no amounts. False: no memory.
 */
bool relation_find(const uint64_t *counts, const uint64_t *others, unsigned int nr, bool names,
		   struct relation *relation);

#endif /* RELATION_H */
