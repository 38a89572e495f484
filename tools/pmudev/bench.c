// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev bench: what counting costs on this machine, in time, instructions and cycles (which pmudev
 * counts itself), next to perf.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "cmd.h"
#include "colour.h"
#include "defaults.h"

static const char help[] =
	"usage: pmudev bench [-C CPU] [--json] [--color=WHEN]\n"
	"\n"
	"Measures what counting costs on this machine: reading counters in each way, enabling and\n"
	"disabling them, creating a set, and what a set adds to a context switch. It measures perf\n"
	"the same way, where perf is permitted. It takes about a second on an otherwise idle CPU.\n"
	"\n"
	"  -C CPU  measure on this CPU (default: any)\n"
	"  --json  one object per row and line; null: not measured\n" COLOUR_HELP "\n"
	"Nanoseconds are medians; +- is half the interquartile range. Instructions and cycles are\n"
	"counted at the same time on the same thread (for context switches: on the CPU), in the\n"
	"kernel too if that is permitted. Instructions are the same in each run except for what\n"
	"interrupts add; times are not. Counters stand still while they are programmed, so the\n"
	"counts of enable and disable are incomplete. A '-' was not measured; the reason is below\n"
	"the table.\n";

#define USER_EVENT (PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)

static struct bench bench = { .perf_clock = -1, .set.fd = -1, .clock_set.fd = -1 };

static const char *const no_counters = "there are not enough counters";
static const char *const not_beside = "it does not fit next to the set that keeps the PMU reserved";
static const char *refused; /* the reason of the last refusal */

/* ------------------------------------------------------------------------- the sets -- */

static void keep_reason(struct pmudev *set)
{
	static char text[16][300];
	static unsigned int used;
	struct pmudev_refusal why = { .event = -1 };
	int error = pmudev_why(set, &why);
	char *at = text[used];

	pmudev_explain_refusal(error, &why, at, sizeof(text[0]));
	refused = at;
	for (unsigned int i = 0; i < used; i++)
		if (!strcmp(text[i], at))
			refused = text[i];
	if (refused == at && used < ARRAY_SIZE(text) - 1)
		used++;
}

/* Event @i of a set: the two events alternate, if the CPU has both. */
static enum pmudev_generic event_of(unsigned int i)
{
	return bench.cycles && (i % 2 || !bench.instructions) ? PMUDEV_CYCLES : PMUDEV_INSTRUCTIONS;
}

static int open_set(struct pmudev *set, unsigned int nr, uint32_t flags, int cpu)
{
	struct pmudev_event_attr events[BENCH_MOST] = { 0 };
	unsigned int i;
	int error;

	for (i = 0; i < nr; i++) {
		events[i].type = PMUDEV_TYPE_GENERIC;
		events[i].config = event_of(i);
		events[i].flags = flags;
	}
	error = pmudev_open(set);
	if (!error && cpu >= 0)
		error = pmudev_bind_cpu(set, cpu, 0);
	if (!error)
		error = pmudev_start(set, events, nr, NULL);
	if (!error && flags & PMUDEV_USER_READ)
		error = pmudev_map(set);
	if (error) {
		keep_reason(set);
		pmudev_close(set);
	}
	return error;
}

/* Of one event or two. @cpu: as below */
static bool open_clock_of(struct bench *b, unsigned int nr, int cpu)
{
	const uint32_t flags = b->kernel ? 0 : USER_EVENT;

	b->clock = NULL;
	if (!b->instructions || !b->cycles)
		nr = 1;
	b->clock_cycles = event_of(nr - 1) == PMUDEV_CYCLES;
	if (cpu >= 0 && !b->kernel)
		return false;
	if (!open_set(&b->clock_set, nr, flags, cpu))
		b->clock = &b->clock_set;
	return b->clock;
}

/* @cpu: count the CPU, -1: this thread. Without a clock there are only times. */
static void open_clock(struct bench *b, int cpu)
{
	open_clock_of(b, 2, cpu);
}

static void close_clock(struct bench *b)
{
	pmudev_close(&b->clock_set);
	b->clock = NULL;
}

/* ------------------------------------------------------------------------ the paths -- */

LOOP(empty_call, syscall(SYS_getppid))
LOOP(read_direct, TEN(b->value[0] = pmudev_direct_value(&b->direct)))
LOOP(reader_1, TEN(pmudev_reader_counts(&b->reader, b->value, 1)))
LOOP(reader_4, TEN(pmudev_reader_counts(&b->reader, b->value, 4)))
LOOP(reader_6, TEN(pmudev_reader_counts(&b->reader, b->value, 6)))
LOOP(counts_1, TEN(pmudev_read_count(&b->set, 0, b->value)))
LOOP(counts, TEN(pmudev_read_counts(&b->set, b->value, b->nr)))

static void read_call(struct bench *b, unsigned int n)
{
	union pmudev_record_buffer buffer;

	while (n--)
		pmudev_read(&b->set, &buffer.record, sizeof(buffer));
}

static void disable_enable(struct bench *b, unsigned int n)
{
	while (n--) {
		pmudev_disable(&b->set, PMUDEV_ALL);
		pmudev_enable(&b->set, PMUDEV_ALL);
	}
}

/* The clock's set keeps the PMU reserved, so that it is not reserved each time. */
static void life(struct bench *b, unsigned int n)
{
	while (n--)
		if (!open_set(&b->set, b->nr, USER_EVENT, -1))
			pmudev_close(&b->set);
}

static void unmap_map(struct bench *b, unsigned int n)
{
	while (n--) {
		pmudev_unmap(&b->set);
		pmudev_map(&b->set);
	}
}

/* With a set of @nr events; the clock's own set if there are no counters for both. */
static struct cost with_set(struct bench *b, unsigned int nr, uint32_t flags, bench_fn *fn,
			    unsigned int each)
{
	struct cost cost;
	int error;

	/* Direct reads count the thread's own code. */
	flags |= flags & PMUDEV_USER_READ || !b->kernel ? USER_EVENT : 0;
	b->nr = nr;
	open_clock(b, -1);
	error = open_set(&b->set, nr, flags, -1);
	if (error == -ENOSPC || error == -EBUSY) {
		close_clock(b);
		error = open_set(&b->set, nr, flags, -1);
		if (!error && nr > 1)
			b->clock = &b->set;
	}
	if (error) {
		close_clock(b);
		return bench_failed(error == -ENOSPC ? no_counters : refused);
	}
	if (flags & PMUDEV_USER_READ)
		pmudev_reader_init(&b->reader, &b->set, NULL, nr);
	if (flags & PMUDEV_DIRECT && !pmudev_direct_begin(&b->set, 0, &b->direct))
		cost = bench_failed("the event is not on its counter");
	else
		cost = bench_measure(b, fn, each);
	pmudev_close(&b->set);
	close_clock(b);
	return cost;
}

static struct cost without_set(struct bench *b, bench_fn *fn)
{
	struct cost cost;

	open_clock(b, -1);
	cost = bench_measure(b, fn, 1);
	close_clock(b);
	return cost;
}

/* Next to a clock that leaves room for it: a refusal's time is not the cost. */
static struct cost set_life(struct bench *b, unsigned int nr)
{
	int error = -ENOSPC;
	unsigned int clock;
	struct cost cost;

	b->nr = nr;
	for (clock = 2; clock; clock--) {
		if (!open_clock_of(b, clock, -1))
			continue;
		error = open_set(&b->set, nr, USER_EVENT, -1);
		pmudev_close(&b->set);
		if (!error)
			cost = bench_measure(b, life, 1);
		close_clock(b);
		if (!error)
			return cost;
	}
	return bench_failed(error == -ENOSPC || error == -EBUSY ? not_beside : refused);
}

static struct cost switch_alone(struct bench *b, bool counted)
{
	struct cost cost;

	if (counted)
		open_clock(b, b->cpu);
	cost = bench_measure(b, ball_pass, 2);
	close_clock(b);
	return cost;
}

static struct cost switch_with(struct bench *b, unsigned int nr, const struct cost *base)
{
	struct cost cost;
	int error;

	open_clock(b, b->cpu);
	error = open_set(&b->set, nr, USER_EVENT, -1);
	if (error == -ENOSPC || error == -EBUSY) {
		close_clock(b);
		error = open_set(&b->set, nr, USER_EVENT, -1);
	}
	if (error)
		cost = bench_failed(error == -ENOSPC ? no_counters : refused);
	else
		cost = bench_measure(b, ball_pass, 2);
	pmudev_close(&b->set);
	close_clock(b);
	return cost.measured ? bench_extra(&cost, base) : cost;
}

/* ------------------------------------------------------------------------- the table -- */

#define READABLE PMUDEV_USER_READ

static struct bench_row rows[] = {
	{ .name = "empty system call" },
	{ .name = "direct read", .events = 1 },
	{ .name = "reader read", .events = 1 },
	{ .name = "reader read", .events = 4 },
	{ .name = "reader read", .events = 6 },
	{ .name = "page read", .events = 1 },
	{ .name = "page read", .events = 4 },
	{ .name = "page read", .events = 6 },
	{ .name = "read(2)", .events = 1 },
	{ .name = "read(2)", .events = 4 },
	{ .name = "read(2)", .events = 6 },
	{ .name = "disable and enable", .events = 1 },
	{ .name = "disable and enable", .events = 4 },
	{ .name = "open, add, enable, close", .events = 1 },
	{ .name = "open, add, enable, close", .events = 4 },
	{ .name = "map and unmap", .events = 1 },
	{ .name = "context switch" },
	{ .name = "set of one adds to it", .events = 1 },
	{ .name = "set of one adds to it", .events = 4 },
};

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

static const unsigned int numbers[] = { 1, 4, 6 };

static void measure_pmudev(struct bench *b)
{
	static bench_fn *const readers[] = { reader_1, reader_4, reader_6 };
	unsigned int i;

	rows[CALL].pmudev = without_set(b, empty_call);
	rows[DIRECT].pmudev = with_set(b, 1, READABLE | PMUDEV_DIRECT, read_direct, 10);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		rows[READER + i].pmudev = with_set(b, numbers[i], READABLE, readers[i], 10);
		rows[PAGE + i].pmudev =
			with_set(b, numbers[i], READABLE, i ? counts : counts_1, 10);
		rows[READ + i].pmudev = with_set(b, numbers[i], 0, read_call, 1);
	}
	for (i = 0; i < 2; i++) {
		rows[ENABLE + i].pmudev = with_set(b, numbers[i], 0, disable_enable, 1);
		rows[LIFE + i].pmudev = set_life(b, numbers[i]);
	}
	rows[MAP].pmudev = with_set(b, 1, READABLE, unmap_map, 1);
	rows[SWITCH].pmudev = switch_alone(b, true);
	for (i = 0; i < 2; i++)
		rows[ADDED + i].pmudev = switch_with(b, numbers[i], &rows[SWITCH].pmudev);
}

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
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		rows[PAGE + i].perf = perf_read_page(b, numbers[i]);
		rows[READ + i].perf = perf_read_call(b, numbers[i]);
	}
	for (i = 0; i < 2; i++) {
		rows[ENABLE + i].perf = perf_enable_disable(b, numbers[i]);
		rows[LIFE + i].perf = perf_life(b, numbers[i]);
	}
	rows[MAP].perf = perf_map_unmap(b);
	base = switch_alone(b, false);
	for (i = 0; i < 2; i++)
		rows[ADDED + i].perf = perf_switch(b, numbers[i], &base);
}

/* --------------------------------------------------------------------------- options -- */

static const struct option long_options[] = {
	{ "cpu", required_argument, NULL, 'C' },
	{ "json", no_argument, NULL, 'j' },
	{ "color", optional_argument, NULL, 'k' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Return: -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, bool *json)
{
	char *end = "";
	long cpu;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":C:h", long_options, NULL)) != -1) {
		switch (c) {
		case 'C':
			cpu = strtol(optarg, &end, 10);
			if (end == optarg || *end || cpu < 0 || cpu >= CPU_SETSIZE) {
				complain("'%s' is not a CPU number", optarg);
				return EXIT_USAGE;
			}
			bench.cpu = cpu;
			break;
		case 'j':
			*json = true;
			break;
		case 'k':
			if (!colour_option(optarg))
				return EXIT_USAGE;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		case ':':
			complain("'%s' needs a value; `pmudev bench --help` tells more",
				 argv[optind - 1]);
			return EXIT_USAGE;
		default:
			complain("unknown option '%s'; `pmudev bench --help` lists them",
				 argv[optind - 1]);
			return EXIT_USAGE;
		}
	}
	if (optind == argc)
		return -1;
	complain("bench takes no '%s'; `pmudev bench --help` tells more", argv[optind]);
	return EXIT_USAGE;
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

	find_events(b, pmudev_open(&set) || pmudev_query_cpu(&set, b->cpu, &query) ? NULL : &query);
	pmudev_close(&set);
	b->kernel = !open_set(&set, 1, 0, -1);
	if (!b->kernel && open_set(&set, 1, USER_EVENT, -1)) {
		complain("bench: %s", refused);
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
	measure_pmudev(&bench);
	measure_perf(&bench);
	ball_stop();
	if (json)
		bench_json(&bench, rows, ARRAY_SIZE(rows));
	else
		bench_table(&bench, rows, ARRAY_SIZE(rows));
	return 0;
}
