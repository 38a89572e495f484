// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev bench: what counting costs on this machine, in time, instructions and cycles (which pmudev
 * counts itself), next to perf.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

#include "../common/cmd.h"
#include "../common/colour.h"
#include "../common/defaults.h"
#include "../common/number.h"
#include "../common/options.h"
#include "bench.h"

static const char help[] =
	"usage: pmudev bench [-C CPU] [-j] [--color=WHEN]\n"
	"\n"
	"Measures what counting costs on this machine: reading counters in each way, enabling and\n"
	"disabling them, creating a set, and what a set adds to a context switch. It measures perf\n"
	"the same way, where perf is permitted. It takes about a second on an otherwise idle CPU.\n"
	"\n"
	"  -C CPU      measure on this CPU (default: any)\n"
	"  -j, --json  one object per row and line; null: not measured\n" COLOUR_HELP "\n"
	"Nanoseconds are medians; +- is half the interquartile range. Instructions and cycles are\n"
	"counted at the same time on the same thread (for context switches: on the CPU), in the\n"
	"kernel too if that is permitted. Instructions are the same in each run except for what\n"
	"interrupts add; times are not. Counters stand still while they are programmed, so the\n"
	"counts of enable and disable are incomplete. A '-' was not measured; the reason is below\n"
	"the table. Estimates are no measurement: they are what a model says, by latencies that\n"
	"others published, of the costly instructions alone.\n";

static struct bench bench = {
	.perf_clock = -1,
	.set.fd = -1,
	.clock_set.fd = -1,
	.no_model = "its model is unknown",
};

/* ------------------------------------------------------------------------- the table -- */

static struct bench_row rows[] = {
	{ .name = "empty system call" },
	{ .name = "direct read", .events = 1, .path = MODEL_USER_READ },
	{ .name = "reader read", .events = 1, .path = MODEL_USER_READ },
	{ .name = "reader read", .events = 4, .path = MODEL_USER_READ },
	{ .name = "reader read", .events = 6, .path = MODEL_USER_READ },
	{ .name = "page read", .events = 1, .path = MODEL_USER_READ },
	{ .name = "page read", .events = 4, .path = MODEL_USER_READ },
	{ .name = "page read", .events = 6, .path = MODEL_USER_READ },
	{ .name = "read(2)", .events = 1, .path = MODEL_READ_CALL },
	{ .name = "read(2)", .events = 4, .path = MODEL_READ_CALL },
	{ .name = "read(2)", .events = 6, .path = MODEL_READ_CALL },
	{ .name = "disable and enable", .events = 1 },
	{ .name = "disable and enable", .events = 4 },
	{ .name = "open, add, enable, close", .events = 1 },
	{ .name = "open, add, enable, close", .events = 4 },
	{ .name = "map and unmap", .events = 1 },
	{ .name = "context switch" },
	{ .name = "set of one adds to it", .events = 1, .path = MODEL_SWITCH },
	{ .name = "set of one adds to it", .events = 4, .path = MODEL_SWITCH },
};

static void measure_perf(struct bench *b)
{
	struct cost base;
	unsigned int i;

	if (!perf_available(b)) {
		for (i = PAGE; i < ARRAY_SIZE(rows); i++)
			if (i != SWITCH)
				rows[i].perf = bench_failed(perf_missing);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(bench_numbers); i++) {
		rows[PAGE + i].perf = perf_read_page(b, bench_numbers[i]);
		rows[READ + i].perf = perf_read_call(b, bench_numbers[i]);
	}
	for (i = 0; i < 2; i++) {
		rows[ENABLE + i].perf = perf_enable_disable(b, bench_numbers[i]);
		rows[LIFE + i].perf = perf_life(b, bench_numbers[i]);
	}
	rows[MAP].perf = perf_map_unmap(b);
	base = bench_switch(b, false);
	for (i = 0; i < 2; i++)
		rows[ADDED + i].perf = perf_switch(b, bench_numbers[i], &base);
}

/* --------------------------------------------------------------------------- options -- */

static const struct option long_options[] = {
	{ "cpu", required_argument, NULL, 'C' }, LONG_JSON, LONG_COLOUR, LONG_HELP, {},
};

static const struct usage usage = { "bench", help, ":C:jh", long_options, NULL };

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, bool *json)
{
	uint64_t cpu;
	int c, status;

	while ((c = next_option(&usage, argc, argv, &status))) {
		if (c == 'j')
			*json = true;
		else if (parse_count(optarg, "a CPU number", 0, CPU_SETSIZE - 1, &cpu))
			bench.cpu = cpu;
		else
			return EXIT_USAGE;
	}
	return status < 0 ? no_words(&usage, argc, argv) : status;
}

static bool pin_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return !sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* @query: NULL: unknown. A PMU with neither event is asked for both, and refuses. */
static void find_events(struct bench *b, const struct pmudev_query *query)
{
	const __u64 both = 1 << PMUDEV_INSTRUCTIONS | 1 << PMUDEV_CYCLES;

	b->instructions = true;
	b->cycles = true;
	if (!query || !(query->generic & both))
		return;
	b->instructions = default_has(query, PMUDEV_INSTRUCTIONS);
	b->cycles = default_has(query, PMUDEV_CYCLES);
}

/*
 * Can sets be created, and can they count the kernel? Reports the error and returns false if not.
 */
static bool try_sets(struct bench *b)
{
	struct pmudev_query query;
	struct pmudev set;
	bool known;

	known = !pmudev_open(&set) && !pmudev_query_cpu(&set, b->cpu, &query);
	pmudev_close(&set);
	find_events(b, known ? &query : NULL);
	if (known)
		bench_find_model(b, &query);
	b->kernel = !bench_open_set(b, &set, 1, 0, -1);
	if (!b->kernel && bench_open_set(b, &set, 1, USER_EVENT, -1)) {
		complain("bench: %s", bench_refused);
		return false;
	}
	pmudev_close(&set);
	return true;
}

int cmd_bench(int argc, char **argv)
{
	bool json = false;
	int status;

	bench.cpu = -1;
	status = parse_options(argc, argv, &json);
	if (status >= 0)
		return status;
	if (bench.cpu < 0)
		bench.cpu = sched_getcpu();
	if (!pin_to(bench.cpu)) {
		complain("this process cannot run on CPU %d", bench.cpu);
		return EXIT_USAGE;
	}
	if (!try_sets(&bench) || !ball_start(&bench))
		return 1;
	measure_pmudev(&bench, rows);
	measure_perf(&bench);
	ball_stop();
	if (json)
		bench_json(&bench, rows, ARRAY_SIZE(rows));
	else
		bench_table(&bench, rows, ARRAY_SIZE(rows));
	return 0;
}
