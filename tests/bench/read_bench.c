// SPDX-License-Identifier: GPL-2.0
/*
 * What a read costs in instructions, pmudev's and perf's in the same boot, one after the other:
 * they exclude each other. What happens in user mode is counted by the first of the events that
 * are read; a system call is timed by the clock, which in the emulator is the same to the
 * instruction.
 */
#include "read_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS	    100
#define SAMPLES	    21
#define PERF_ACCESS "/proc/sys/kernel/perf_user_access"

const unsigned int numbers[NR_NUMBERS] = { 1, 2, 4, 6 };

void fail(const char *what, int error)
{
	fprintf(stderr, "read_bench: %s: %s\n", what, strerror(-error));
	exit(1);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double time_read(int fd)
{
	union record record;
	double sample[SAMPLES];
	unsigned int i, j;
	__u64 start;

	for (i = 0; i < SAMPLES; i++) {
		start = now_ns();
		for (j = 0; j < CALLS; j++)
			if (raw_read(fd, &record) <= 0)
				fail("read(2)", -EIO);
		sample[i] = (double)(now_ns() - start) / CALLS;
	}
	qsort(sample, SAMPLES, sizeof(sample[0]), ascending);
	return sample[SAMPLES / 2];
}

double cost(long instructions)
{
	if (instructions < 0)
		fail("no two results the same", -EAGAIN);
	return instructions;
}

static void print_row(const char *name, const double *row, unsigned int nr, const char *without)
{
	unsigned int n;

	printf("%-44s", name);
	for (n = 0; n < nr; n++) {
		if (row[n] < 0)
			printf(" %8s", without);
		else
			printf(" %8.0f", row[n]);
	}
	printf("\n");
}

int main(void)
{
	static double ours[5][NR_NUMBERS], theirs[3][NR_NUMBERS];
	double constant, learnt;
	int ret;

	if (!exact_instructions()) {
		fprintf(stderr, "read_bench: instructions are not counted exactly here\n");
		return 1;
	}
	ret = pin_to(0);
	if (ret)
		fail("pinning", ret);
	/* Let the machine finish booting. */
	pause_ns(20000000000ULL);
	if (PMU_ARCH == PMUDEV_ARCH_ARM64)
		ret = write_file(PERF_ACCESS, "1");
	if (ret)
		fail(PERF_ACCESS, ret);
	measure_perf(theirs);
	if (PMU_ARCH == PMUDEV_ARCH_ARM64)
		write_file(PERF_ACCESS, "0");
	ret = set_gate(true);
	if (ret)
		fail("the gate", ret);
	measure_pmudev(ours);
	measure_bare(&constant, &learnt);
	set_gate(false);

	printf("%s\n%-44s %8s %8s %8s %8s\n", machine_name(), "instructions a read, events:", "1",
	       "2", "4", "6");
	print_row("DIRECT, counter known when compiled", &constant, 1, "refused");
	print_row("DIRECT, counter learnt", &learnt, 1, "refused");
	print_row("pmudev_reader_counts", ours[0], NR_NUMBERS, "-");
	print_row("pmudev_reader_counts_ticks", ours[1], NR_NUMBERS, "-");
	print_row("pmudev_read_count, pmudev_read_counts", ours[2], NR_NUMBERS, "-");
	print_row("pmudev_read_counts_times", ours[3], NR_NUMBERS, "-");
	print_row("read(2) of a set", ours[4], NR_NUMBERS, "-");
	print_row("perf: libperf, perf_evsel__read", theirs[0], NR_NUMBERS, "not here");
	print_row("perf: the loop of perf_event.h", theirs[1], NR_NUMBERS, "-");
	print_row("perf: read(2) of a group", theirs[2], NR_NUMBERS, "-");
	return 0;
}
