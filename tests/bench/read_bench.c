// SPDX-License-Identifier: GPL-2.0
/*
 * What a read costs in instructions, pmudev's and perf's in the same boot, one after the other: they
 * exclude each other. What happens in user mode is counted by the first of the events that are
 * read; a system call is timed by the clock, which in the emulator is the same to the instruction.
 */
#include "common.h"
#include "cost.h"
#include "perf.h"

#include <linux/perf_event.h>
#include <pmudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef HAVE_LIBPERF
#include <perf/core.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#endif

#define MOST	    6
#define CALLS	    100
#define SAMPLES	    21
#define PERF_ACCESS "/proc/sys/kernel/perf_user_access"

static const unsigned int numbers[] = { 1, 2, 4, 6 };

#define NR_NUMBERS ARRAY_SIZE(numbers)

/* Of a form that is not offered. */
#define REFUSED (-1.0)

static void fail(const char *what, int error)
{
	fprintf(stderr, "read_bench: %s: %s\n", what, strerror(-error));
	exit(1);
}

static __u64 config_of(unsigned int i)
{
	return i % 2 ? EVENT_CYCLES : EVENT_INSTRUCTIONS;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Nanoseconds of read(2), kernel and all: the median. */
static double time_read(int fd)
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

static double cost(long instructions)
{
	if (instructions < 0)
		fail("no two results the same", -EAGAIN);
	return instructions;
}

/* ------------------------------------------------------------------- pmudev -- */

struct ours {
	struct pmudev_reader reader;
	struct pmudev_reader clock;
	struct pmudev set;
	uint64_t v[MOST];
	struct pmudev_ticks ticks;
	struct pmudev_times times;
};

static uint64_t our_instructions(void *arg)
{
	uint64_t value = 0;

	if (pmudev_reader_count(arg, &value))
		fail("the first event", -EIO);
	return value;
}

#define OUR(name, n, code)                                                  \
	static __attribute__((noinline)) long name##_##n(struct ours *ours) \
	{                                                                   \
		struct pmudev_reader *reader = IN_REGISTER(&ours->reader);  \
		uint64_t *v = IN_REGISTER(ours->v);                         \
                                                                            \
		(void)reader;                                               \
		(void)v;                                                    \
		return COST_OF(our_instructions, &ours->clock, code);       \
	}

#define OURS(name, code_of)                                                                    \
	OUR(name, 1, code_of(1))                                                               \
	OUR(name, 2, code_of(2))                                                               \
	OUR(name, 4, code_of(4))                                                               \
	OUR(name, 6, code_of(6))                                                               \
	static long (*const name[NR_NUMBERS])(struct ours *) = { name##_1, name##_2, name##_4, \
								 name##_6 };

#define READER(n)                           \
	pmudev_reader_counts(reader, v, n); \
	USE_AT(v);
#define READER_TICKS(n)                                         \
	pmudev_reader_counts_ticks(reader, v, n, &ours->ticks); \
	USE_AT(v);
#define READ_COUNTS(n)                        \
	pmudev_read_counts(&ours->set, v, n); \
	USE_AT(v);
#define READ_COUNTS_TIMES(n)                                      \
	pmudev_read_counts_times(&ours->set, v, n, &ours->times); \
	USE_AT(v);

OURS(reader, READER)
OURS(reader_ticks, READER_TICKS)
OURS(read_counts, READ_COUNTS)
OURS(read_counts_times, READ_COUNTS_TIMES)

static __attribute__((noinline)) long value_alone(struct ours *ours)
{
	struct pmudev_reader *reader = IN_REGISTER(&ours->reader);

	return COST_OF(our_instructions, &ours->clock, {
		uint64_t w;

		if (!pmudev_reader_count(reader, &w))
			USE(w);
	});
}

static __attribute__((noinline)) long read_count(struct ours *ours)
{
	return COST_OF(our_instructions, &ours->clock, {
		uint64_t w;

		if (!pmudev_read_count(&ours->set, 0, &w))
			USE(w);
	});
}

/* DIRECT events are of a counter that is known: where the first instruction counter was. */
#define DIRECT_COUNTER 1

static __attribute__((noinline)) long direct_constant(struct ours *ours)
{
	return COST_OF(our_instructions, &ours->clock, USE(PMUDEV_DIRECT_READ(DIRECT_COUNTER)););
}

static __attribute__((noinline)) long direct_learnt(struct ours *ours)
{
	struct pmudev_direct direct;

	if (!pmudev_direct_begin(&ours->set, 1, &direct))
		fail("pmudev_direct_begin", -EINVAL);
	return COST_OF(our_instructions, &ours->clock, USE(pmudev_direct_value(&direct)););
}

static void open_ours(struct ours *ours, const struct pmudev_event_attr *events, unsigned int nr,
		      int *refused)
{
	struct pmudev *set = &ours->set;
	char why[256];
	int ret;

	ret = pmudev_open(set) ?: pmudev_bind_self(set) ?: pmudev_add(set, events, nr, NULL);
	if (refused && ret == -EOPNOTSUPP) {
		*refused = true;
		pmudev_close(set);
		return;
	}
	ret = ret						       ?:
		      pmudev_enable(set, PMUDEV_ALL)		       ?:
		      pmudev_map(set)				       ?:
		      pmudev_reader_init(&ours->reader, set, NULL, nr) ?:
		      pmudev_reader_init(&ours->clock, set, NULL, 1);
	if (ret) {
		pmudev_explain(set, why, sizeof(why));
		fprintf(stderr, "read_bench: %s\n", why);
		exit(1);
	}
}

static void measure_ours(double row[][NR_NUMBERS])
{
	struct pmudev_event_attr events[MOST];
	static struct ours ours;
	unsigned int i, n;

	for (i = 0; i < MOST; i++)
		events[i] = raw_event(config_of(i), DIRECT_READ);
	for (n = 0; n < NR_NUMBERS; n++) {
		open_ours(&ours, events, numbers[n], NULL);
		row[0][n] = n ? cost(reader[n](&ours)) : cost(value_alone(&ours));
		row[1][n] = cost(reader_ticks[n](&ours));
		row[2][n] = n ? cost(read_counts[n](&ours)) : cost(read_count(&ours));
		row[3][n] = cost(read_counts_times[n](&ours));
		row[4][n] = time_read(ours.set.fd);
		pmudev_close(&ours.set);
	}
}

static void measure_bare(double *constant, double *learnt)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
		in_group(event_on(DIRECT_COUNTER, DIRECT_READ | PMUDEV_DIRECT), 1),
	};
	static struct ours ours;
	int refused = false;

	events[0].allowed = ~(1ULL << DIRECT_COUNTER);
	if (PMU_ARCH == PMUDEV_ARCH_INTEL)
		events[0].allowed &= 0xffffffffULL;
	open_ours(&ours, events, 2, &refused);
	*constant = *learnt = REFUSED;
	if (refused)
		return;
	*constant = cost(direct_constant(&ours));
	*learnt = cost(direct_learnt(&ours));
	pmudev_close(&ours.set);
}

/* --------------------------------------------------------------------- perf -- */

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

/* ticks * mult >> shift, in 128 bits: shift is 32 at most. */
static inline __u64 scale_ticks(__u64 ticks, __u32 mult, __u16 shift)
{
	return (unsigned __int128)ticks * mult >> shift;
}

/* The algorithm that perf's header describes, for one page. */
static inline __attribute__((always_inline)) void
perf_page_read(volatile struct perf_event_mmap_page *page, struct perf_value *value)
{
	__u64 count, raw, enabled, running, ticks, offset;
	__u32 seq, index;
	unsigned int shift;

	do {
		seq = page->lock;
		barrier();
		enabled = page->time_enabled;
		running = page->time_running;
		index = page->index;
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
	} while (page->lock != seq);
	value->count = count;
	value->enabled = enabled;
	value->running = running;
}

static uint64_t their_instructions(void *arg)
{
	struct perf_value value;

	perf_page_read(arg, &value);
	return value.count;
}

#define THEIR(name, n, code)                                                    \
	static __attribute__((noinline)) long name##_##n(struct theirs *theirs) \
	{                                                                       \
		return COST_OF(their_instructions, theirs->page[0], {           \
			_Pragma("GCC unroll 8") for (int i = 0; i < (n); i++)   \
			{                                                       \
				code;                                           \
			}                                                       \
			USE_AT(theirs);                                         \
		});                                                             \
	}

#define THEIRS(name, code)                                                                       \
	THEIR(name, 1, code)                                                                     \
	THEIR(name, 2, code)                                                                     \
	THEIR(name, 4, code)                                                                     \
	THEIR(name, 6, code)                                                                     \
	static long (*const name[NR_NUMBERS])(struct theirs *) = { name##_1, name##_2, name##_4, \
								   name##_6 };

THEIRS(perf_loop, perf_page_read(theirs->page[i], &theirs->v[i]))
#ifdef HAVE_LIBPERF
THEIRS(libperf, perf_evsel__read(theirs->evsel[i], 0, 0, &theirs->counts[i]))
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

static void measure_theirs(double row[][NR_NUMBERS])
{
	static struct theirs theirs;
	unsigned int n;

	for (n = 0; n < NR_NUMBERS; n++) {
		row[0][n] = REFUSED;
#ifdef HAVE_LIBPERF
		row[0][n] = measure_libperf(&theirs, n);
#endif
		open_theirs(&theirs, numbers[n]);
		row[1][n] = cost(perf_loop[n](&theirs));
		row[2][n] = time_read(theirs.fd[0]);
		close_theirs(&theirs, numbers[n]);
	}
}

/* ---------------------------------------------------------------- the table -- */

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
	measure_theirs(theirs);
	if (PMU_ARCH == PMUDEV_ARCH_ARM64)
		write_file(PERF_ACCESS, "0");
	ret = set_gate(true);
	if (ret)
		fail("the gate", ret);
	measure_ours(ours);
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
