// SPDX-License-Identifier: MIT
/* How a count of runs goes with another number of them: `pmudev stat --repeatability`. */
#include <math.h>
#include <stdlib.h>

#include "../pmudev/stat/relation.h"
#include "tap.h"

#define MOST 24

static const struct {
	const char *what;
	unsigned int nr;
	uint64_t counts[MOST];
	uint64_t others[MOST];
	bool names;
	enum relation_kind kind;
	int64_t cost;
} cases[] = {
	{ "the other number does not vary",
	  4,
	  { 1, 2, 3, 4 },
	  { 7, 7, 7, 7 },
	  false,
	  RELATION_CONSTANT,
	  0 },
	{ "so much for each",
	  6,
	  { 1000, 1140, 1280, 1000, 1140, 1420 },
	  { 1, 2, 3, 1, 2, 4 },
	  false,
	  RELATION_COST,
	  140 },
	{ "less for each",
	  6,
	  { 1000, 993, 986, 1000, 993, 979 },
	  { 1, 2, 3, 1, 2, 4 },
	  false,
	  RELATION_COST,
	  -7 },
	{ "so much for each, of numbers that are all different",
	  6,
	  { 100, 1100, 2100, 4100, 3100, 9100 },
	  { 0, 1, 2, 4, 3, 9 },
	  false,
	  RELATION_COST,
	  1000 },
	{ "large numbers that differ by one",
	  6,
	  { -1ULL, -2ULL, -3ULL, -1ULL, -4ULL, -2ULL },
	  { -5ULL, -6ULL, -7ULL, -5ULL, -8ULL, -6ULL },
	  false,
	  RELATION_COST,
	  1 },
	{ "one run is off by one",
	  6,
	  { 1000, 1140, 1280, 1000, 1141, 1420 },
	  { 1, 2, 3, 1, 2, 4 },
	  false,
	  RELATION_ALONG,
	  0 },
	{ "no integer for each",
	  9,
	  { 1000, 1007, 1014, 1000, 1007, 1014, 1000, 1007, 1014 },
	  { 2, 4, 6, 2, 4, 6, 2, 4, 6 },
	  false,
	  RELATION_EQUAL,
	  0 },
	{ "equal, but no line",
	  8,
	  { 5, 90, 7, 5, 90, 7, 5, 90 },
	  { 1, 2, 3, 1, 2, 3, 1, 2 },
	  false,
	  RELATION_EQUAL,
	  0 },
	{ "two values are equal, and would be a line",
	  12,
	  { 100, 130, 100, 130, 100, 130, 100, 130, 100, 130, 100, 130 },
	  { 1, 4, 1, 4, 1, 4, 1, 4, 1, 4, 1, 4 },
	  false,
	  RELATION_EQUAL,
	  10 },
	{ "names are no amounts",
	  8,
	  { 100, 130, 160, 130, 100, 130, 160, 130 },
	  { 1, 2, 3, 2, 1, 2, 3, 2 },
	  true,
	  RELATION_EQUAL,
	  0 },
	{ "all are different, and no line",
	  5,
	  { 10, 5, 90, 3, 4 },
	  { 1, 2, 3, 4, 5 },
	  false,
	  RELATION_OPEN,
	  0 },
	{ "two are equal, as they are in many orders",
	  5,
	  { 10, 10, 10, 10, 11 },
	  { 1, 1, 9, 3, 4 },
	  false,
	  RELATION_OPEN,
	  0 },
	{ "counts differ at the same number",
	  6,
	  { 10, 11, 12, 10, 11, 12 },
	  { 1, 1, 1, 2, 2, 2 },
	  false,
	  RELATION_NONE,
	  0 },
	{ "a single odd run, in twenty: by chance once in twenty times",
	  20,
	  { 10, 10, 10, 10, 10, 10, 10, 10, 10, 15, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10 },
	  { 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
	  false,
	  RELATION_OPEN,
	  5 },
	{ "a single odd run, in three: it may be by chance",
	  3,
	  { 10, 10, 15 },
	  { 1, 1, 2 },
	  true,
	  RELATION_OPEN,
	  0 },
	{ "one run", 1, { 3 }, { 4 }, false, RELATION_CONSTANT, 0 },
};

static void check(size_t i)
{
	struct relation relation;

	ok(relation_find(cases[i].counts, cases[i].others, cases[i].nr, cases[i].names, &relation),
	   cases[i].what);
	is_number(relation.kind, cases[i].kind, "  its kind");
	is_number(relation.cost, cases[i].cost, "  for each");
}

/* A known one: 1, 2, 3 and 1, 3, 2. */
static void check_correlation(void)
{
	const uint64_t counts[] = { 1000001, 1000002, 1000003 }, others[] = { 1, 3, 2 };
	const uint64_t falling[] = { 9, 7, 5 };
	struct relation relation;

	relation_find(counts, others, 3, false, &relation);
	ok(fabs(relation.correlation - 0.5) < 0.000001, "correlation of 0.5");
	relation_find(counts, falling, 3, false, &relation);
	ok(fabs(relation.correlation + 1) < 0.000001, "correlation of -1");
	relation_find(counts, others, 3, true, &relation);
	ok(!relation.correlation, "names have none");
}

/* Of 20 runs, one odd one meets the other odd number in a twentieth of all orders. */
static void check_chance(void)
{
	uint64_t counts[20] = { [7] = 1 }, others[20] = { [7] = 1 };
	struct relation relation;
	double chance;

	relation_find(counts, others, 20, false, &relation);
	ok(relation.chance > 0.03 && relation.chance < 0.07, "chance of a twentieth");
	chance = relation.chance;
	relation_find(counts, others, 20, false, &relation);
	ok(relation.chance == chance, "  the same each time");
	others[3] = 2;
	others[7] = 3;
	others[9] = 4;
	relation_find(counts, others, 20, false, &relation);
	ok(relation.chance > 0.1 && relation.chance < 0.2, "of three in twenty");
	is_number(relation.kind, RELATION_OPEN, "  which is too much");
}

static void check_extent(void)
{
	const uint64_t values[] = { 5, 2, 9, 2, -1ULL, 5 };
	struct extent extent;

	ok(extent_find(values, 6, &extent), "extent");
	is_number(extent.min, 2, "  the smallest");
	is_number(extent.max, -1ULL, "  the largest");
	is_number(extent.distinct, 4, "  different ones");
	extent_find(values, 1, &extent);
	is_number(extent.distinct, 1, "  of one");
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check(i);
	check_correlation();
	check_chance();
	check_extent();
	return tap_end();
}
