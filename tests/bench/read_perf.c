// SPDX-License-Identifier: GPL-2.0
/* What perf's reads cost, by libperf, by the loop of its header, and at best: see read_bench.c. */
#include "read_bench.h"

#include <linux/perf_event.h>
#include <pmudev_counter.h>
#include <stdio.h>
#include <sys/mman.h>

#ifdef HAVE_LIBPERF
#include <perf/core.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#endif

struct theirs {
	int fd[MOST];
	struct perf_event_mmap_page *page[MOST];
#ifdef HAVE_LIBPERF
	struct perf_evsel *evsel[MOST];
	struct perf_counts_values counts[MOST];
#endif
	struct perf_value {
		__u64 count;
		__u64 enabled;
		__u64 running;
	} v[MOST];
};

typedef long measure_fn(struct theirs *theirs);

/* ticks * mult >> shift, in 128 bits: shift is 32 at most. */
static inline __u64 scale_ticks(__u64 ticks, __u32 mult, __u16 shift)
{
	return (__uint128_t)ticks * mult >> shift;
}

/* The algorithm that perf's header describes, for one page. */
static inline __attribute__((always_inline)) void
perf_page_read(const struct perf_event_mmap_page *page, struct perf_value *value)
{
	__u64 count, raw, enabled, running, ticks, offset;
	__u32 seq, index;
	unsigned int shift;

	do {
		seq = READ_ONCE(page->lock);
		barrier();
		enabled = page->time_enabled;
		running = page->time_running;
		index = READ_ONCE(page->index);
		if (page->cap_user_time && enabled != running) {
			ticks = pmudev_clock();
			offset = page->time_offset +
				 scale_ticks(ticks, page->time_mult, page->time_shift);
			enabled += offset;
			if (index)
				running += offset;
		}
		count = page->offset;
		if (page->cap_user_rdpmc && index) {
			shift = 64 - page->pmc_width;
			raw = pmudev_counter(index - 1);
			count += (__s64)(raw << shift) >> shift;
		}
		barrier();
	} while (READ_ONCE(page->lock) != seq);
	value->count = count;
	value->enabled = enabled;
	value->running = running;
}

/*
 * Nothing but the value, of an event that is readable while it is on a counter. False, and no
 * value, if it is not: then one asks by read(2).
 */
static inline __attribute__((always_inline)) bool
perf_page_value(const struct perf_event_mmap_page *page, __u64 *value)
{
	__u32 seq, index;
	__u64 count, raw;
	unsigned int shift;

	do {
		seq = READ_ONCE(page->lock);
		barrier();
		index = READ_ONCE(page->index);
		if (__builtin_expect(!index, 0))
			return false;
		count = page->offset;
		/* As many instructions as to keep it from when the page was mapped. */
		shift = -page->pmc_width;
		raw = pmudev_counter(index - 1);
		count += (__s64)(raw << (shift & 63)) >> (shift & 63);
		barrier();
	} while (__builtin_expect(READ_ONCE(page->lock) != seq, 0));
	*value = count;
	return true;
}

static uint64_t theirs_instructions(void *arg)
{
	struct perf_value value;

	perf_page_read(arg, &value);
	return value.count;
}

/* The forms, each of @n events; inlined, with a constant. */
#define FORM(name, call)                                                                       \
	static inline __attribute__((always_inline)) void do_##name(struct theirs *theirs,     \
								    unsigned int n)            \
	{                                                                                      \
		unsigned int i;                                                                \
											       \
		_Pragma("GCC unroll 8")                                                        \
		for (i = 0; i < n; i++)                                                        \
			call;                                                                  \
		use_at(theirs);                                                                \
	}

#define THEIR_FORM(name, n) \
	MEASURE(name##_##n, theirs, NOTHING, theirs->page[0], do_##name(theirs, n))

FORM(perf_loop, perf_page_read(theirs->page[i], &theirs->v[i]))
THEIR_FORM(perf_loop, 1)
THEIR_FORM(perf_loop, 2)
THEIR_FORM(perf_loop, 4)
THEIR_FORM(perf_loop, 6)

FORM(perf_best, (void)perf_page_value(theirs->page[i], &theirs->v[i].count))
THEIR_FORM(perf_best, 1)
THEIR_FORM(perf_best, 2)
THEIR_FORM(perf_best, 4)
THEIR_FORM(perf_best, 6)

static measure_fn *const perf_best[NR_NUMBERS] = { perf_best_1, perf_best_2, perf_best_4,
						   perf_best_6 };

static measure_fn *const perf_loop[NR_NUMBERS] = { perf_loop_1, perf_loop_2, perf_loop_4,
						   perf_loop_6 };

#ifdef HAVE_LIBPERF
FORM(libperf, perf_evsel__read(theirs->evsel[i], 0, 0, &theirs->counts[i]))
THEIR_FORM(libperf, 1)
THEIR_FORM(libperf, 2)
THEIR_FORM(libperf, 4)
THEIR_FORM(libperf, 6)

static measure_fn *const libperf[NR_NUMBERS] = { libperf_1, libperf_2, libperf_4, libperf_6 };
#endif

static struct perf_event_attr perf_attr(unsigned int i)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = config_of(i),
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	/* arm64: user reads, and counters of 64 bits. x86 knows no such bits. */
	if (PMU_ARCH == PMUDEV_ARCH_ARM64)
		attr.config1 = 3;
	return attr;
}

/* One group, as pmudev's events are. */
static void open_theirs(struct theirs *theirs, unsigned int nr)
{
	struct perf_event_attr attr;
	unsigned int i;
	void *at;

	for (i = 0; i < nr; i++) {
		attr = perf_attr(i);
		attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				   PERF_FORMAT_TOTAL_TIME_RUNNING;
		theirs->fd[i] = syscall(SYS_perf_event_open, &attr, 0, -1, i ? theirs->fd[0] : -1,
					PERF_FLAG_FD_CLOEXEC);
		if (theirs->fd[i] < 0)
			fail("perf_event_open", -errno);
		at = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED | MAP_POPULATE, theirs->fd[i], 0);
		if (at == MAP_FAILED)
			fail("perf's page", -errno);
		theirs->page[i] = at;
		if (!theirs->page[i]->index)
			fail("perf's page has no counter", -EBUSY);
	}
}

static void close_theirs(struct theirs *theirs, unsigned int nr)
{
	unsigned int i;

	for (i = nr; i--;) {
		munmap(theirs->page[i], PAGE_BYTES);
		close(theirs->fd[i]);
	}
}

#ifdef HAVE_LIBPERF
static int libperf_says(enum libperf_print_level level, const char *format, va_list args)
{
	(void)level;
	return vfprintf(stderr, format, args);
}

/* Events each by itself, as perf_evsel__read() reads them. */
static double measure_libperf(struct theirs *theirs, unsigned int n)
{
	struct perf_thread_map *threads = perf_thread_map__new_dummy();
	struct perf_event_attr attr;
	unsigned int i;
	double result;

	libperf_init(libperf_says);
	perf_thread_map__set_pid(threads, 0, 0);
	for (i = 0; i < numbers[n]; i++) {
		attr = perf_attr(i);
		theirs->evsel[i] = perf_evsel__new(&attr);
		if (!theirs->evsel[i] || perf_evsel__open(theirs->evsel[i], NULL, threads) ||
		    perf_evsel__mmap(theirs->evsel[i], 0))
			fail("libperf", -EIO);
		theirs->page[i] = perf_evsel__mmap_base(theirs->evsel[i], 0, 0);
		if (!theirs->page[i]->index)
			fail("libperf's page has no counter", -EBUSY);
	}
	result = cost(libperf[n](theirs));
	for (i = numbers[n]; i--;) {
		if (!theirs->counts[i].val)
			fail("libperf counts nothing", -EIO);
		perf_evsel__munmap(theirs->evsel[i]);
		perf_evsel__close(theirs->evsel[i]);
		perf_evsel__delete(theirs->evsel[i]);
	}
	perf_thread_map__put(threads);
	return result;
}
#endif

void measure_perf(double row[3][NR_NUMBERS])
{
	static struct theirs theirs;
	unsigned int i, n;

	for (n = 0; n < NR_NUMBERS; n++) {
		row[0][n] = REFUSED;
#ifdef HAVE_LIBPERF
		row[0][n] = measure_libperf(&theirs, n);
		costs_row(perf_api.name, "read-ticks", numbers[n]);
		costs_row(perf_api.name, "read-times", numbers[n]);
#endif
		open_theirs(&theirs, numbers[n]);
		row[1][n] = cost(perf_loop[n](&theirs));
		costs_row(perf_api.name, "read-plain", numbers[n]);
		for (i = 0; i < numbers[n]; i++)
			theirs.v[i].count = 0;
		row[2][n] = cost(perf_best[n](&theirs));
		costs_row(perf_api.name, "read-values", numbers[n]);
		for (i = 0; i < numbers[n]; i++)
			if (!theirs.v[i].count)
				fail("perf's page has no value", -EIO);
		close_theirs(&theirs, numbers[n]);
	}
}
