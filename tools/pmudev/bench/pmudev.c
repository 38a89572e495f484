// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev's part of `pmudev bench`: the sets that are measured, the set that counts what they cost,
 * and the paths.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "bench.h"

static const char *const no_counters = "there are not enough counters";
static const char *const not_beside = "it does not fit next to the set that keeps the PMU reserved";
const char *bench_refused;

/* ------------------------------------------------------------------------- the sets -- */

static void keep_reason(struct pmudev *set)
{
	static char text[16][300];
	static unsigned int used;
	struct pmudev_refusal why = { .event = -1 };
	int error = pmudev_why(set, &why);
	char *at = text[used];

	pmudev_explain_refusal(error, &why, at, sizeof(text[0]));
	bench_refused = at;
	for (unsigned int i = 0; i < used; i++)
		if (!strcmp(text[i], at))
			bench_refused = text[i];
	if (bench_refused == at && used < ARRAY_SIZE(text) - 1)
		used++;
}

/* Event @i of a set: the two events alternate, if the CPU has both. */
static enum pmudev_generic event_of(const struct bench *b, unsigned int i)
{
	return b->cycles && (i % 2 || !b->instructions) ? PMUDEV_CYCLES : PMUDEV_INSTRUCTIONS;
}

int bench_open_set(const struct bench *b, struct pmudev *set, unsigned int nr, uint32_t flags,
		   int cpu)
{
	struct pmudev_event_attr events[BENCH_MOST] = { 0 };
	unsigned int i;
	int error;

	for (i = 0; i < nr; i++) {
		events[i].type = PMUDEV_TYPE_GENERIC;
		events[i].config = event_of(b, i);
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
	b->clock_cycles = event_of(b, nr - 1) == PMUDEV_CYCLES;
	if (cpu >= 0 && !b->kernel)
		return false;
	if (!bench_open_set(b, &b->clock_set, nr, flags, cpu))
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
LOOP(page_1, TEN(pmudev_read_count(&b->set, 0, b->value)))
LOOP(page_4, TEN(pmudev_read_counts(&b->set, b->value, 4)))
LOOP(page_6, TEN(pmudev_read_counts(&b->set, b->value, 6)))

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
		if (!bench_open_set(b, &b->set, b->nr, USER_EVENT, -1))
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
	error = bench_open_set(b, &b->set, nr, flags, -1);
	if (error == -ENOSPC || error == -EBUSY) {
		close_clock(b);
		error = bench_open_set(b, &b->set, nr, flags, -1);
		if (!error && nr > 1)
			b->clock = &b->set;
	}
	if (error) {
		close_clock(b);
		return bench_failed(error == -ENOSPC ? no_counters : bench_refused);
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
		error = bench_open_set(b, &b->set, nr, USER_EVENT, -1);
		pmudev_close(&b->set);
		if (!error)
			cost = bench_measure(b, life, 1);
		close_clock(b);
		if (!error)
			return cost;
	}
	return bench_failed(error == -ENOSPC || error == -EBUSY ? not_beside : bench_refused);
}

struct cost bench_switch(struct bench *b, bool counted)
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
	error = bench_open_set(b, &b->set, nr, USER_EVENT, -1);
	if (error == -ENOSPC || error == -EBUSY) {
		close_clock(b);
		error = bench_open_set(b, &b->set, nr, USER_EVENT, -1);
	}
	if (error)
		cost = bench_failed(error == -ENOSPC ? no_counters : bench_refused);
	else
		cost = bench_measure(b, ball_pass, 2);
	pmudev_close(&b->set);
	close_clock(b);
	return cost.measured ? bench_extra(&cost, base) : cost;
}

/* ---------------------------------------------------------------------- all of them -- */

#define READABLE PMUDEV_USER_READ

void measure_pmudev(struct bench *b, struct bench_row *rows)
{
	static bench_fn *const readers[] = { reader_1, reader_4, reader_6 };
	static bench_fn *const pages[] = { page_1, page_4, page_6 };
	unsigned int i;

	rows[CALL].pmudev = without_set(b, empty_call);
	rows[DIRECT].pmudev = with_set(b, 1, READABLE | PMUDEV_DIRECT, read_direct, 10);
	for (i = 0; i < ARRAY_SIZE(bench_numbers); i++) {
		rows[READER + i].pmudev = with_set(b, bench_numbers[i], READABLE, readers[i], 10);
		rows[PAGE + i].pmudev = with_set(b, bench_numbers[i], READABLE, pages[i], 10);
		rows[READ + i].pmudev = with_set(b, bench_numbers[i], 0, read_call, 1);
	}
	for (i = 0; i < 2; i++) {
		rows[ENABLE + i].pmudev = with_set(b, bench_numbers[i], 0, disable_enable, 1);
		rows[LIFE + i].pmudev = set_life(b, bench_numbers[i]);
	}
	rows[MAP].pmudev = with_set(b, 1, READABLE, unmap_map, 1);
	rows[SWITCH].pmudev = bench_switch(b, true);
	for (i = 0; i < 2; i++)
		rows[ADDED + i].pmudev = switch_with(b, bench_numbers[i], &rows[SWITCH].pmudev);
}
