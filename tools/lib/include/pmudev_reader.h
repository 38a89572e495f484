/* SPDX-License-Identifier: MIT */
/*
 * pmudev_reader.h - for a thread that reads its counters often: caches the contents of the page
 *
 *	struct pmudev_reader reader;
 *	uint64_t before[2], after[2];
 *
 *	pmudev_reader_init(&reader, &set, NULL, 2);
 *	pmudev_reader_counts(&reader, before, 2);
 *	...
 *	pmudev_reader_counts(&reader, after, 2);
 *
 * The module changes the head of the page (seq and owner) whenever it writes the page: when the
 * thread is switched in, when a narrow counter is updated, and when the set is changed. While the
 * head is unchanged, so is the rest of the page, and the reader needs neither the slots nor the
 * thread's id. Otherwise it reads the page again, or calls read(2). Every read returns the value;
 * only its cost differs. docs/reads.md has the listings.
 *
 * Requirements
 *   - One thread uses the reader, also in its signal handlers: the one that called
 *     pmudev_reader_init(). Children of fork and vfork may use their copies, which call read(2).
 *   - Do not use the reader after the set is unmapped: it points into the page.
 * The 32 bits of @seq can wrap around without harm: @clock in the page changes each time the thread
 * is switched in, and without a switch the page would have to be written 2^31 times between two
 * reads. The set need not be enabled, stay on the same counters, or be readable at all.
 */
#ifndef PMUDEV_READER_H
#define PMUDEV_READER_H

#include <stddef.h>

#include <pmudev_read.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmudev;

/* The most events of one reader. */
#define PMUDEV_READER_EVENTS 16

/**
 * struct pmudev_ticks - a set's times in clock ticks; pmudev_reader_ns() converts them to ns
 * @enabled: time in which some group was enabled while the thread ran
 * @running: the part of @enabled with all enabled groups on counters
 */
struct pmudev_ticks {
	uint64_t enabled;
	uint64_t running;
};

/**
 * struct pmudev_reader - private to the library and its inline functions
 * @learnt: head of the page when the fields below were read; PMUDEV_NOT_LEARNT with chained events,
 *	which the inline read does not support
 * @clock: of the page at that time
 * @learnt_times: as @learnt, if the page also has times
 * @learnt_chained: as @learnt, also with chained events
 * @page: the page, or one of zeroes
 * @set: the page's set
 * @enabled: ticks to add to the clock
 * @running: ticks to add to the clock
 * @mult: ns = ticks * @mult >> 32, in 128 bits
 * @nr: number of events
 * @chained: mask of the chained events
 * @operand: of the read instruction, by event; the first one also has PMUDEV_READER_NARROW
 * @event: the slot's count, twice (x86 uses them as memory operands), and a mask of the counter's
 *	bits
 * @slot: of each event
 */
struct pmudev_reader {
	uint64_t learnt;
	uint64_t clock;
	uint64_t learnt_times;
	uint64_t learnt_chained;
	const struct pmudev_page *page;
	struct pmudev *set;
	uint64_t enabled;
	uint64_t running;
	uint64_t mult;
	uint32_t nr;
	uint32_t chained;
	uint64_t operand[PMUDEV_READER_EVENTS];
	struct {
		uint64_t from;
		uint64_t mask;
		uint64_t to;
	} event[PMUDEV_READER_EVENTS];
	uint8_t slot[PMUDEV_READER_EVENTS];
};

/*
 * At least one counter of the reader has less than 64 bits. Otherwise the counters are the counts.
 */
#define PMUDEV_READER_NARROW (1ULL << 32)

/* No page has this head, because no thread has such an id. */
#define PMUDEV_NOT_LEARNT UINT64_MAX

/*
 * Initializes a reader of the calling thread for the events in @slots; NULL: slots 0..@nr - 1. Map
 * the set first: a reader of an unmapped set always calls read(2). -EINVAL: no events, more than
 * PMUDEV_READER_EVENTS, or no such slot.
 */
int pmudev_reader_init(struct pmudev_reader *reader, struct pmudev *set, const uint32_t *slots,
		       unsigned int nr);

/* The slow path: reads the page again, or asks the module. @ticks may be NULL. */
int pmudev_reader_slow(struct pmudev_reader *reader, uint64_t *values, unsigned int n,
		       struct pmudev_ticks *ticks);

#if defined(__GNUC__) && !defined(__clang__)
#define PMUDEV_UNROLL() _Pragma("GCC unroll 16")
#else
#define PMUDEV_UNROLL() _Pragma("unroll")
#endif

/*
 * Whether the page is unchanged since @head and @clock were read. One aligned 64-bit load each, in
 * any order: the writer keeps them consistent. arm64 loads both at once, x86 compares in memory.
 */
#if defined(__aarch64__) && defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline __attribute__((__always_inline__)) bool pmudev_page_is(const struct pmudev_page *page,
								     uint64_t head, uint64_t clock)
{
	struct __attribute__((__may_alias__)) two_words {
		uint64_t word[2];
	};
	uint64_t head_now, clock_now;

	__asm__ __volatile__("ldp %0, %1, %2"
			     : "=r"(head_now), "=r"(clock_now)
			     : "Q"(*(const struct two_words *)page)
			     : "memory");
	return (head_now == head) & (clock_now == clock);
}

static inline __attribute__((__always_inline__)) bool pmudev_head_is(const struct pmudev_page *page,
								     uint64_t head)
{
	return pmudev_head(page) == head;
}
#elif defined(__x86_64__) && defined(__LP64__)
static inline __attribute__((__always_inline__)) bool pmudev_word_is(const void *word,
								     uint64_t value)
{
	typedef uint64_t __attribute__((__may_alias__)) aliased;
	bool is;

	__asm__ __volatile__("cmpq %2, %1"
			     : "=@cce"(is)
			     : "m"(*(const aliased *)word), "r"(value)
			     : "memory");
	return is;
}

static inline __attribute__((__always_inline__)) bool pmudev_page_is(const struct pmudev_page *page,
								     uint64_t head, uint64_t clock)
{
	return __builtin_expect(pmudev_word_is(page, head), 1) &&
	       __builtin_expect(pmudev_word_is(&page->clock, clock), 1);
}

static inline __attribute__((__always_inline__)) bool pmudev_head_is(const struct pmudev_page *page,
								     uint64_t head)
{
	return pmudev_word_is(page, head);
}
#else
static inline bool pmudev_page_is(const struct pmudev_page *page, uint64_t head, uint64_t clock)
{
	const bool head_is = pmudev_head(page) == head;

	/* Load the clock again each time. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return head_is && page->clock == clock;
}

static inline bool pmudev_head_is(const struct pmudev_page *page, uint64_t head)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return pmudev_head(page) == head;
}
#endif

/*
 * Calls the slow path with its own arrays, so that those of the inline read stay in registers.
 */
static inline __attribute__((__always_inline__)) int
pmudev_reader_rest(struct pmudev_reader *reader, uint64_t *values, const unsigned int n,
		   const bool timed, struct pmudev_ticks *ticks)
{
	uint64_t rest[PMUDEV_READER_EVENTS];
	struct pmudev_ticks time;
	unsigned int i;
	int error = pmudev_reader_slow(reader, rest, n, timed ? &time : NULL);

	if (error)
		return error;
	for (i = 0; i < n; i++)
		values[i] = rest[i];
	if (timed)
		*ticks = time;
	return 0;
}

/* Intel's counters have 48 bits: always narrow. */
#if defined(__x86_64__) || defined(__i386__)
#define PMUDEV_ALWAYS_NARROW 1
#else
#define PMUDEV_ALWAYS_NARROW 0
#endif

static inline __attribute__((__always_inline__)) uint64_t
pmudev_reader_join(const struct pmudev_reader *reader, unsigned int i, uint64_t raw)
{
	return ((raw - reader->event[i].from) & reader->event[i].mask) +
	       (PMUDEV_ALWAYS_NARROW ? reader->event[i].to : reader->event[i].from);
}

/*
 * The inline read behind all functions below. @n and @timed are compile-time constants, so the only
 * check left is whether the cached page is still valid. All cached fields are used before the page
 * is checked again: a signal handler updates them only if the page has changed.
 */
static inline __attribute__((__always_inline__)) int
pmudev_reader_get(struct pmudev_reader *reader, uint64_t *values, const unsigned int n,
		  const bool timed, struct pmudev_ticks *ticks)
{
	const uint64_t learnt = timed ? reader->learnt_times : reader->learnt;
	const struct pmudev_page *page = reader->page;
	uint64_t raw[PMUDEV_READER_EVENTS];
	uint64_t enabled = 0, running = 0, now, first;
	unsigned int i;

	if (!PMUDEV_CAN_READ || __builtin_expect(!pmudev_page_is(page, learnt, reader->clock), 0))
		return pmudev_reader_rest(reader, values, n, timed, ticks);
	first = reader->operand[0];
	/* Page, then counters, then page: "memory" in pmudev_counter(). */
	PMUDEV_UNROLL()
	for (i = 0; i < n; i++) {
		raw[i] = pmudev_counter((uint32_t)(i ? reader->operand[i] : first));
		if (PMUDEV_ALWAYS_NARROW)
			raw[i] = pmudev_reader_join(reader, i, raw[i]);
	}
	if (timed) {
		now = pmudev_clock();
		enabled = reader->enabled + now;
		running = reader->running + now;
	}
	if (!PMUDEV_ALWAYS_NARROW && __builtin_expect(!!(first & PMUDEV_READER_NARROW), 0)) {
		PMUDEV_UNROLL()
		for (i = 0; i < n; i++)
			raw[i] = pmudev_reader_join(reader, i, raw[i]);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(!pmudev_head_is(page, learnt), 0))
		return pmudev_reader_rest(reader, values, n, timed, ticks);
	PMUDEV_UNROLL()
	for (i = 0; i < n; i++)
		values[i] = raw[i];
	if (timed) {
		ticks->enabled = enabled;
		ticks->running = running;
	}
	return 0;
}

/*
 * Reads the reader's first @n events at one moment: no context switch happens between them. @n
 * should be a constant (else it takes a few instructions more) and at most pmudev_reader_init()'s
 * @nr.
 */
PMUDEV_INLINE __attribute__((__always_inline__)) int
pmudev_reader_counts(struct pmudev_reader *reader, uint64_t *values, unsigned int n)
{
	return pmudev_reader_get(reader, values, n, false, NULL);
}

/* Reads the first event. */
PMUDEV_INLINE __attribute__((__always_inline__)) int
pmudev_reader_count(struct pmudev_reader *reader, uint64_t *value)
{
	return pmudev_reader_get(reader, value, 1, false, NULL);
}

/* Reads the counts and both times at one moment. */
PMUDEV_INLINE __attribute__((__always_inline__)) int
pmudev_reader_counts_ticks(struct pmudev_reader *reader, uint64_t *values, unsigned int n,
			   struct pmudev_ticks *ticks)
{
	return pmudev_reader_get(reader, values, n, true, ticks);
}

/* Converts ticks to ns, as in a record. */
PMUDEV_INLINE uint64_t pmudev_reader_ns(const struct pmudev_reader *reader, uint64_t ticks)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)((__uint128_t)ticks * reader->mult >> 32);
#else
	uint64_t high = (ticks >> 32) * reader->mult;
	uint64_t low = ticks & UINT32_MAX;

	return high + low * (reader->mult >> 32) + (low * (uint32_t)reader->mult >> 32);
#endif
}

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_READER_H */
