// SPDX-License-Identifier: GPL-2.0
/*
 * Many sets at once, of threads that sleep: what the kernel keeps for each, and what they add to
 * opening one more and to a switch. By perf, with the module not loaded, then by pmudev.
 */
#include "costs.h"
#include "crowd.h"
#include "switching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 100

/* ------------------------------------------------------------- memory -- */

#define MEMORY_EVENTS 4
#define SOME	      100
#define MORE	      1100

/* Bytes in this line of /proc/meminfo. */
static double memory_of(const char *name)
{
	char line[128];
	FILE *file = fopen("/proc/meminfo", "r");
	double kb = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			kb = strtod(line + strlen(name), NULL);
	if (file)
		fclose(file);
	if (kb < 0)
		fail(name, -ENOENT);
	return kb * 1024;
}

/* What is allocated in less than pages, and for each CPU. What is freed later, is. */
static double kernel_bytes(void)
{
	pause_ns(3000000000ULL);
	read_number("/proc/sys/vm/stat_refresh");
	return memory_of("Slab:") + memory_of("Percpu:");
}

/* Of a set; the threads are there before. */
static double measure_memory(const struct api *api)
{
	struct wish wish = of_self(MEMORY_EVENTS, false);
	struct crowd crowd;
	double some, more;

	crowd_init(&crowd, api, &wish, 1);
	crowd_gather(&crowd, MORE);
	crowd_open(&crowd, SOME);
	some = kernel_bytes();
	crowd_open(&crowd, MORE);
	more = kernel_bytes();
	crowd_end(&crowd);
	return (more - some) / (MORE - SOME);
}

/* --------------------------------------------------------------- many -- */

/* Threads, with CROWD_MOST_SETS each. The last one only in large runs. */
static const unsigned int threads[] = { 2, 20, 200, 2000, 20000 };

#define NR_SIZES ARRAY_SIZE(threads)

static unsigned int nr_sizes; /* those of this run */

/* What one of the two takes, by number of threads. */
struct growth {
	double memory;
	double fill[NR_SIZES];
	double life[NR_SIZES];
	double extra[NR_SIZES];
	double empty[NR_SIZES];
};

static int start(void *arg)
{
	struct life *life = arg;

	return life->api->open(&life->events, &life->wish);
}

static void stop(void *arg)
{
	struct life *life = arg;

	life->api->close(&life->events);
}

static void measure(const struct api *api, struct growth *growth)
{
	struct life life = { .api = api, .wish = of_self(1, false) };
	struct crowd crowd;
	unsigned int i, sets;

	growth->memory = costs_on() ? 0 : measure_memory(api);
	for (i = 0; i < nr_sizes; i++) {
		if (!point_wanted(i, nr_sizes))
			continue;
		sets = threads[i] * CROWD_MOST_SETS;
		crowd_init(&crowd, api, &life.wish, CROWD_MOST_SETS);
		crowd_gather(&crowd, threads[i]);
		crowd_open(&crowd, threads[i]);
		costs_row(api->name, "curve-fill", sets);
		growth->life[i] = time_calls(one_life, &life, CALLS);
		costs_row(api->name, "curve-life", sets);
		growth->extra[i] = extra_switch(start, stop, &life, NULL);
		costs_row(api->name, "curve-switch-sets", sets);
		crowd_end(&crowd);
		costs_row(api->name, "curve-empty", sets);
		growth->fill[i] = crowd.opening_ns;
		growth->empty[i] = crowd.closing_ns;
		say("%s: %u sets", api->name, sets);
	}
}

static void print(const char *key, const double *ours, const double *theirs)
{
	unsigned int i;

	for (i = 0; i < nr_sizes; i++)
		if (point_wanted(i, nr_sizes))
			curve(key, threads[i] * CROWD_MOST_SETS, ours[i], theirs[i]);
}

int main(void)
{
	struct growth costs[2];
	const struct api *api;
	unsigned int side;

	settle();
	many_files();
	many_threads();
	nr_sizes = large() ? NR_SIZES : NR_SIZES - 1;
	for (side = 0; side < 2; side++) {
		api = apis[side];
		api->begin();
		measure(api, &costs[side]);
	}
	row("memory", MEMORY_EVENTS, costs[OURS].memory, costs[THEIRS].memory);
	print("curve-fill", costs[OURS].fill, costs[THEIRS].fill);
	print("curve-empty", costs[OURS].empty, costs[THEIRS].empty);
	print("curve-life", costs[OURS].life, costs[THEIRS].life);
	print("curve-switch-sets", costs[OURS].extra, costs[THEIRS].extra);
	return 0;
}
