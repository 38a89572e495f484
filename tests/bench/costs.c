// SPDX-License-Identifier: GPL-2.0
#include "costs.h"

#include <stdio.h>
#include <unistd.h>

#include "bench.h"

#define MOST_SAMPLES 32

struct counts {
	__u64 of[NR_COSTS];
};

static unsigned int cpus = 1;

/* A window, and what one without a path has. */
static struct counts start, empty;

static struct costs samples[MOST_SAMPLES], last;
static unsigned int nr_samples;

bool costs_on(void)
{
	static int on = -1;

	if (on < 0)
		on = !access("/tests/costs", F_OK);
	return on;
}

void costs_of_cpus(unsigned int nr)
{
	cpus = nr;
}

/* Of the CPU that executes this; it is not counted. */
#if defined(__x86_64__)

static void add_here(struct counts *counts)
{
	__u32 i, low, high, signature, nr;

	for (i = 0; i < NR_COSTS; i++) {
		__asm__ volatile("cpuid"
				 : "=a"(low), "=b"(signature), "=c"(nr), "=d"(high)
				 : "a"(COSTS_LEAF + i), "c"(0));
		if (signature != COSTS_SIGNATURE || nr != NR_COSTS)
			fail("this CPU does not count costs", -ENODEV);
		counts->of[i] += low | (__u64)high << 32;
	}
}

#else

#define ADD(i, reg)                                                    \
	do {                                                           \
		__u64 value_;                                          \
		__asm__ volatile("mrs %0, S3_3_" reg : "=r"(value_)); \
		counts->of[i] += value_;                               \
	} while (0)

static void add_here(struct counts *counts)
{
	ADD(0, "C15_C0_0");
	ADD(1, "C15_C0_1");
	ADD(2, "C15_C0_2");
	ADD(3, "C15_C0_3");
	ADD(4, "C15_C0_4");
	ADD(5, "C15_C0_5");
	ADD(6, "C15_C0_6");
	ADD(7, "C15_C0_7");
	ADD(8, "C15_C1_0");
	ADD(9, "C15_C1_1");
	ADD(10, "C15_C1_2");
	ADD(11, "C15_C1_3");
}

#endif

static void go_to(int cpu)
{
	int ret = pin_to(cpu);

	if (ret)
		fail("another CPU", ret);
}

/* CPUs but the first: what it takes to go there is in it, the same each time. */
static void add_others(struct counts *counts)
{
	unsigned int cpu;

	for (cpu = 1; cpu < cpus; cpu++) {
		go_to(cpu);
		add_here(counts);
	}
	if (cpus > 1)
		go_to(0);
}

/* The nearest to the path is what the caller's own CPU has. */
static void open_window(struct counts *counts)
{
	*counts = (struct counts){};
	add_others(counts);
	add_here(counts);
}

static void close_window(struct counts *counts)
{
	*counts = (struct counts){};
	add_here(counts);
	add_others(counts);
}

void costs_begin(__u64 (*clock)(void))
{
	unsigned int i;
	struct counts end;

	if (!costs_on())
		return;
	open_window(&start);
	if (clock) {
		clock();
		clock();
	}
	close_window(&end);
	for (i = 0; i < NR_COSTS; i++)
		empty.of[i] = end.of[i] - start.of[i];
	open_window(&start);
}

void costs_end(double times)
{
	struct counts end;
	unsigned int i;

	if (!costs_on())
		return;
	close_window(&end);
	if (nr_samples == MOST_SAMPLES)
		fail("too many samples of costs", -ENOSPC);
	for (i = 0; i < NR_COSTS; i++)
		samples[nr_samples].of[i] =
			((double)(end.of[i] - start.of[i]) - (double)empty.of[i]) / times;
	samples[nr_samples++].known = true;
}

void costs_done(void)
{
	last = costs_median(samples, nr_samples);
	nr_samples = 0;
}

struct costs costs_median(const struct costs *of, unsigned int nr)
{
	struct costs result = { .known = nr > 0 };
	double values[MOST_SAMPLES];
	unsigned int i, j;

	for (j = 0; j < nr; j++)
		result.known &= of[j].known;
	for (i = 0; i < NR_COSTS && result.known; i++) {
		for (j = 0; j < nr; j++)
			values[j] = of[j].of[i];
		result.of[i] = median(values, nr);
	}
	return result;
}

struct costs costs_last(void)
{
	return last;
}

void costs_set(struct costs costs)
{
	last = costs;
}

void costs_subtract(const struct costs *b, double divisor)
{
	unsigned int i;

	last.known &= b->known;
	for (i = 0; i < NR_COSTS; i++)
		last.of[i] = (last.of[i] - b->of[i]) / divisor;
}

void costs_row(const char *whose, const char *key, unsigned int n)
{
	unsigned int i;

	if (!last.known)
		return;
	printf("costs %s %u %s", key, n, whose);
	for (i = 0; i < NR_COSTS; i++)
		printf(" %.2f", last.of[i]);
	printf("\n");
	fflush(stdout);
}
