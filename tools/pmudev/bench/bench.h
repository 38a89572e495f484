/* SPDX-License-Identifier: GPL-2.0 */
/* What `pmudev bench` measures: paths, each in batches, by the clock and by counters. */
#ifndef BENCH_H
#define BENCH_H

#include <pmudev.h>

#include "model.h"

#define BENCH_SAMPLES 15
#define BENCH_MOST    6

/* Loops of one go through a path, and of ten behind each other for what takes few instructions. */
#define LOOP(name, code)                                    \
	static void name(struct bench *b, unsigned int n)   \
	{                                                   \
		(void)b;                                    \
		while (n--) {                               \
			code;                               \
			__asm__ __volatile__("" : "+r"(n)); \
		}                                           \
	}
#define FIVE(code)    \
	do {          \
		code; \
		code; \
		code; \
		code; \
		code; \
	} while (0)
#define TEN(code)           \
	do {                \
		FIVE(code); \
		FIVE(code); \
	} while (0)

/**
 * struct bench - what paths work on
 * @cpu: all of it happens there
 * @kernel: the kernel may be counted
 * @instructions: the CPU can count them
 * @cycles: the same
 * @set: the set that is measured, with @nr events
 * @reader: of it
 * @direct: of its first event
 * @clock: a set that counts instructions and, if @clock_cycles, cycles, or one of them; closed:
 *	nobody counts
 * @perf_clock: a file of perf's that counts instructions, or -1
 * @value: what was read
 * @model: of this CPU
 * @no_model: why it has no name, or NULL
 */
struct bench {
	int cpu;
	bool kernel;
	bool instructions;
	bool cycles;
	struct pmudev set;
	unsigned int nr;
	struct pmudev_reader reader;
	struct pmudev_direct direct;
	struct pmudev *clock;
	struct pmudev clock_set;
	bool clock_cycles;
	int perf_clock;
	uint64_t value[BENCH_MOST];
	struct model model;
	const char *no_model;
};

/**
 * struct cost - of a path
 * @measured: else @why tells why not
 * @counted: @instructions is known; @cycles is if it is not negative
 * @ns: median of the samples
 * @spread: half of what the middle half of them differs by, ns
 * @instructions: of the sample with fewest
 * @cycles: median
 * @why: NULL: not tried
 */
struct cost {
	bool measured;
	bool counted;
	double ns;
	double spread;
	double instructions;
	double cycles;
	const char *why;
};

/* A row of the table. @events: 0: it has none. @path: what it is for the model */
struct bench_row {
	const char *name;
	unsigned int events;
	enum model_path path;
	struct cost pmudev;
	struct cost perf;
};

/* The rows by number; of those of several events the first. */
enum {
	CALL,
	DIRECT,
	READER,
	PAGE = READER + 3,
	READ = PAGE + 3,
	ENABLE = READ + 3,
	LIFE = ENABLE + 2,
	MAP = LIFE + 2,
	SWITCH,
	ADDED,
};

/* Their events. */
static const unsigned int bench_numbers[] = { 1, 4, 6 };

/* A path, @n times. */
typedef void bench_fn(struct bench *b, unsigned int n);

/* Measures it. @each: how many are one go through it */
struct cost bench_measure(struct bench *b, bench_fn *fn, unsigned int each);

/* The difference of two, as a cost of its own. */
struct cost bench_extra(const struct cost *with, const struct cost *without);

struct cost bench_failed(const char *why);

/* Counts user mode only. */
#define USER_EVENT (PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)

/*
 * Opens a set of @nr events on this thread, or on @cpu if that is not negative, enables it, and
 * maps its page for PMUDEV_USER_READ. Returns 0 or -errno, with the reason in bench_refused.
 */
int bench_open_set(const struct bench *b, struct pmudev *set, unsigned int nr, uint32_t flags,
		   int cpu);
extern const char *bench_refused;
/* A context switch, with no set but the clock if @counted. */
struct cost bench_switch(struct bench *b, bool counted);
void measure_pmudev(struct bench *b, struct bench_row *rows);

/* The same by perf; perf_missing: why there is none. */
extern const char *perf_missing;
bool perf_available(struct bench *b);
struct cost perf_read_page(struct bench *b, unsigned int nr);
struct cost perf_read_call(struct bench *b, unsigned int nr);
struct cost perf_enable_disable(struct bench *b, unsigned int nr);
struct cost perf_life(struct bench *b, unsigned int nr);
struct cost perf_map_unmap(struct bench *b);
/* @base: without any set */
struct cost perf_switch(struct bench *b, unsigned int nr, const struct cost *base);

void bench_table(const struct bench *b, const struct bench_row *rows, unsigned int nr);
void bench_json(const struct bench *b, const struct bench_row *rows, unsigned int nr);

/* Reads the latencies of the CPU that @query is of. */
void bench_find_model(struct bench *b, const struct pmudev_query *query);
/* What the model says of rows, next to what was measured. */
void bench_estimates(const struct bench *b, const struct bench_row *rows, unsigned int nr);
/* GHz while reads were measured, by their cycles; 0: unknown */
double bench_clock(const struct bench *b, const struct bench_row *rows, unsigned int nr);

/* Two threads pass a ball: @n times there and back. */
bool ball_start(struct bench *b);
void ball_pass(struct bench *b, unsigned int n);
void ball_stop(void);

#endif /* BENCH_H */
