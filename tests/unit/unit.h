/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the unit tests: TAP output, expectations, and random numbers that depend only on the
 * seed.
 */
#ifndef UNIT_H
#define UNIT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pmudev/types.h>

#define UNIT_COMPLAINTS_MAX 10 /* of one test */
#define UNIT_SECONDS_MAX    60

/**
 * struct unit - the program's tests so far
 * @nr: how many have run
 * @failed: how many of them failed
 * @complaints: of the one that runs
 * @skip: what that one would need and is missing, or NULL
 * @row: what that one is looking at, for its complaints
 * @random: state of the random numbers
 */
struct unit {
	unsigned int nr;
	unsigned int failed;
	unsigned int complaints;
	const char *skip;
	char row[160];
	u64 random;
};

static struct unit unit;

/* ------------------------------------------------------------ running -- */

static inline void unit_run(const char *name, void (*test)(void))
{
	unit.complaints = 0;
	unit.skip = NULL;
	unit.row[0] = '\0';
	/* One that hangs is killed. */
	alarm(UNIT_SECONDS_MAX);
	test();
	alarm(0);
	unit.nr++;
	unit.failed += !!unit.complaints;
	if (unit.complaints > UNIT_COMPLAINTS_MAX)
		printf("# ... %u complaints in all\n", unit.complaints);
	printf("%sok %u - %s", unit.complaints ? "not " : "", unit.nr, name);
	if (unit.skip && !unit.complaints)
		printf(" # SKIP %s", unit.skip);
	printf("\n");
}

#define RUN(test) unit_run(#test, test)

/* The running test cannot be made here; it returns at once. */
static inline void unit_skip(const char *missing)
{
	unit.skip = missing;
}

/* Prints the plan; returns main()'s status. */
static inline int unit_end(void)
{
	printf("1..%u\n", unit.nr);
	return unit.failed ? 1 : 0;
}

/* ------------------------------------------------------- expectations -- */

/* Says what the next expectations are about. */
static inline __attribute__((format(printf, 1, 2))) void unit_row(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(unit.row, sizeof(unit.row), format, args);
	va_end(args);
}

/* Fails the running test. */
static inline __attribute__((format(printf, 3, 4))) void unit_fail(const char *file, int line,
								   const char *format, ...)
{
	va_list args;

	if (unit.complaints++ >= UNIT_COMPLAINTS_MAX)
		return;
	printf("# %s:%d: ", file, line);
	if (unit.row[0])
		printf("%s: ", unit.row);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static inline bool unit_equal(const char *file, int line, const char *what, u64 wanted, u64 got)
{
	if (wanted != got)
		unit_fail(file, line, "%s is %llu (%#llx), wanted %llu (%#llx)", what,
			  (unsigned long long)got, (unsigned long long)got,
			  (unsigned long long)wanted, (unsigned long long)wanted);
	return wanted == got;
}

#define FAIL(...)	       unit_fail(__FILE__, __LINE__, __VA_ARGS__)
#define EXPECT_EQ(wanted, got) unit_equal(__FILE__, __LINE__, #got, wanted, got)
#define EXPECT_TRUE(condition) \
	((condition) || (unit_fail(__FILE__, __LINE__, "not so: %s", #condition), false))

/* ---------------------------------------------------------- refusals -- */

/* A refusal not yet filled in, with room for holders. */
static inline struct pmudev_refusal unit_refusal(void)
{
	return (struct pmudev_refusal){ .event = 41, .nr_holders = 5, .holders = 0x1234567890 };
}

static inline void unit_refused(const char *file, int line, int ret,
				const struct pmudev_refusal *why, int error, u32 code, u64 limit)
{
	unit_equal(file, line, "errno", error, -ret);
	unit_equal(file, line, "why->code", code, why->code);
	unit_equal(file, line, "why->limit", limit, why->limit);
	unit_equal(file, line, "why->event", 41, why->event);
	unit_equal(file, line, "why->nr_holders", 5, why->nr_holders);
	unit_equal(file, line, "why->holders", 0x1234567890, why->holders);
}

#define EXPECT_REFUSED(ret, why, error, code, limit) \
	unit_refused(__FILE__, __LINE__, ret, why, error, code, limit)

/* ----------------------------------------------------- random numbers -- */

/* The seed is printed; the environment's PMUDEV_SEED replaces it. */
static inline void unit_seed(u64 seed)
{
	const char *wish = getenv("PMUDEV_SEED");

	unit.random = wish ? strtoull(wish, NULL, 0) : seed;
	printf("# PMUDEV_SEED=%#llx\n", (unsigned long long)unit.random);
}

/* SplitMix64 */
static inline u64 unit_random(void)
{
	u64 x = unit.random += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* 0..@below - 1; for small @below */
static inline u32 unit_below(u32 below)
{
	return (unit_random() >> 32) * below >> 32;
}

/* As likely short as long, and often all ones or a single one. */
static inline u64 unit_random_length(void)
{
	unsigned int bits = 1 + unit_below(64);
	u64 mask = ~0ULL >> (64 - bits);

	switch (unit_below(8)) {
	case 0:
		return mask;
	case 1:
		return BIT_ULL(bits - 1);
	default:
		return unit_random() & mask;
	}
}

/* ------------------------------------------------------------ counters -- */

/* What a counter of @width bits shows of @count. */
static inline u64 unit_shown(__uint128_t count, unsigned int width)
{
	return count % ((__uint128_t)1 << width);
}

#endif /* UNIT_H */
