// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

/* A batch: long enough for the clock, short enough to be rarely interrupted. */
#define BATCH_NS  200000.0
#define MOST_GOES 100000

struct sample {
	double ns;
	double instructions;
	double cycles;
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void read_clock(const struct bench *b, uint64_t *instructions, uint64_t *cycles)
{
	union pmudev_record_buffer buffer;

	*instructions = 0;
	*cycles = 0;
	if (b->clock && !pmudev_read(b->clock, &buffer.record, sizeof(buffer))) {
		if (b->instructions)
			*instructions = buffer.record.counts[0].value;
		if (b->clock_cycles)
			*cycles = buffer.record.counts[b->instructions].value;
	} else if (b->perf_clock >= 0 &&
		   read(b->perf_clock, instructions, sizeof(*instructions)) < 0) {
		*instructions = 0;
	}
}

static struct sample take(struct bench *b, bench_fn *fn, unsigned int n)
{
	uint64_t instructions, cycles, i, c;
	struct sample sample;
	double start;

	read_clock(b, &instructions, &cycles);
	start = now_ns();
	fn(b, n);
	sample.ns = now_ns() - start;
	read_clock(b, &i, &c);
	sample.instructions = i - instructions;
	sample.cycles = c - cycles;
	return sample;
}

/* The cost of an empty loop, and of starting and stopping it. */
LOOP(nothing, (void)0)

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The iterations per batch. The first ones warm up the caches. */
static unsigned int batch(struct bench *b, bench_fn *fn)
{
	unsigned int n = 1;
	struct sample sample;

	take(b, fn, n);
	for (;; n *= 2) {
		sample = take(b, fn, n);
		if (sample.ns >= BATCH_NS / 2 || n > MOST_GOES)
			return n;
	}
}

/* In addition to @n iterations: the clocks themselves, and the loop. */
static struct sample least_overhead(struct bench *b, unsigned int n)
{
	struct sample least = take(b, nothing, n), sample;
	int i;

	for (i = 0; i < BENCH_SAMPLES; i++) {
		sample = take(b, nothing, n);
		if (sample.ns < least.ns)
			least.ns = sample.ns;
		if (sample.instructions < least.instructions)
			least.instructions = sample.instructions;
		if (sample.cycles < least.cycles)
			least.cycles = sample.cycles;
	}
	return least;
}

struct cost bench_measure(struct bench *b, bench_fn *fn, unsigned int each)
{
	double ns[BENCH_SAMPLES], instructions[BENCH_SAMPLES], cycles[BENCH_SAMPLES];
	const unsigned int n = batch(b, fn);
	const double goes = (double)n * each;
	struct sample overhead = least_overhead(b, n), sample;
	struct cost cost = { .measured = true };
	int i;

	for (i = 0; i < BENCH_SAMPLES; i++) {
		sample = take(b, fn, n);
		ns[i] = (sample.ns - overhead.ns) / goes;
		instructions[i] = (sample.instructions - overhead.instructions) / goes;
		cycles[i] = (sample.cycles - overhead.cycles) / goes;
	}
	qsort(ns, BENCH_SAMPLES, sizeof(*ns), ascending);
	qsort(instructions, BENCH_SAMPLES, sizeof(*ns), ascending);
	qsort(cycles, BENCH_SAMPLES, sizeof(*ns), ascending);
	cost.ns = ns[BENCH_SAMPLES / 2];
	cost.spread = (ns[BENCH_SAMPLES * 3 / 4] - ns[BENCH_SAMPLES / 4]) / 2;
	cost.counted = (b->clock && b->instructions) || b->perf_clock >= 0;
	cost.instructions = instructions[0];
	cost.cycles = b->clock && b->clock_cycles ? cycles[BENCH_SAMPLES / 2] : -1;
	return cost;
}

struct cost bench_extra(const struct cost *with, const struct cost *without)
{
	struct cost extra = *with;

	extra.ns -= without->ns;
	extra.spread += without->spread;
	extra.counted = with->counted && without->counted;
	extra.instructions -= without->instructions;
	if (extra.cycles >= 0)
		extra.cycles = without->cycles >= 0 ? with->cycles - without->cycles : -1;
	return extra;
}

struct cost bench_failed(const char *why)
{
	return (struct cost){ .why = why };
}

/* -------------------------------------------------------------------- two threads -- */

static int to_other[2] = { -1, -1 }, to_me[2] = { -1, -1 };
static pthread_t other;

/* Until the pipe is closed. */
static void *pass_back(void *arg)
{
	char ball;

	while (read(to_other[0], &ball, 1) == 1 && ball)
		if (write(to_me[1], &ball, 1) != 1)
			break;
	return arg;
}

bool ball_start(struct bench *b)
{
	cpu_set_t cpus;

	if (pipe(to_other) || pipe(to_me))
		return false;
	/* It inherits this thread's CPU affinity. */
	CPU_ZERO(&cpus);
	CPU_SET(b->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	return !pthread_create(&other, NULL, pass_back, NULL);
}

void ball_pass(struct bench *b, unsigned int n)
{
	char ball = 1;

	(void)b;
	while (n--)
		if (write(to_other[1], &ball, 1) != 1 || read(to_me[0], &ball, 1) != 1)
			return;
}

void ball_stop(void)
{
	char last = 0;

	if (write(to_other[1], &last, 1) == 1)
		pthread_join(other, NULL);
	close(to_other[0]);
	close(to_other[1]);
	close(to_me[0]);
	close(to_me[1]);
}
