/* SPDX-License-Identifier: MIT */
/*
 * pmudev_reader.h - a thread reads its counters often: what it found in the page is kept
 *
 *	struct pmudev_reader reader;
 *	uint64_t before[2], after[2];
 *
 *	pmudev_reader_init(&reader, &set, NULL, 2);
 *	pmudev_reader_counts(&reader, before, 2);
 *	...
 *	pmudev_reader_counts(&reader, after, 2);
 *
 * The module changes the head of the page (seq and owner) whenever it writes the page, which is
 * when the thread is switched in, when a narrow counter is brought forward, and when the set is
 * changed. As long as the head is what it was, so is everything else there: the reader needs
 * neither the slots nor the thread's id again. Else it learns anew, or asks by read(2): each read
 * gives the value, in as many instructions as it takes. docs/reads.md has the listings.
 *
 * What a reader assumes
 *   - It is used by one thread, the one that called pmudev_reader_init(), also in its signal
 *     handlers. A fork's child may use its copy, and asks by read(2), as does the child of vfork.
 *   - Its set stays mapped, or is mapped no more and the reader is not used any more: it points
 *     into the page, as a pointer into anything that is freed.
 *   - @seq has 32 bits. What is kept is not taken for new because it has gone round: @clock
 *     in the page is another one each time that the thread is switched in, and without a switch
 *     the page would have to be written 2^31 times between two reads.
 * What it does not assume: that the set is enabled, on the same counters, or readable at all.
 */
#ifndef PMUDEV_READER_H
#define PMUDEV_READER_H

#include <stddef.h>

#include <pmudev_read.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmudev;

/* Events that one reader reads. */
#define PMUDEV_READER_EVENTS 16

/**
 * struct pmudev_ticks - a set's times in ticks of the clock; pmudev_reader_ns() makes ns of them
 * @enabled: some group was enabled while the thread ran
 * @running: of that with all enabled groups on counters
 */
struct pmudev_ticks {
	uint64_t enabled;
	uint64_t running;
};

/**
 * struct pmudev_reader - the library's and its inline functions'
 * @learnt: head of the page at which what follows was found; PMUDEV_NOT_LEARNT if there are
 *	chained pairs, which the inline read does not know
 * @clock: of the page, then
 * @learnt_times: as @learnt, if the page has times as well
 * @learnt_pairs: as @learnt, chained pairs or not
 * @page: the page, or one of zeroes
 * @set: whose it is
 * @enabled: ticks to add to the clock
 * @running: ticks to add to the clock
 * @mult: ns = ticks * @mult >> 32, in 128 bits
 * @nr: events
 * @pairs: mask of the chained ones
 * @operand: of the read instruction, by event; of the first also PMUDEV_READER_NARROW
 * @event: the count of then, twice (x86 subtracts and adds it where it stands), and the bits
 *	that the counter has
 * @slot: of each event
 */
struct pmudev_reader {
	uint64_t learnt;
	uint64_t clock;
	uint64_t learnt_times;
	uint64_t learnt_pairs;
	const struct pmudev_page *page;
	struct pmudev *set;
	uint64_t enabled;
	uint64_t running;
	uint64_t mult;
	uint32_t nr;
	uint32_t pairs;
	uint64_t operand[PMUDEV_READER_EVENTS];
	struct {
		uint64_t from;
		uint64_t mask;
		uint64_t to;
	} event[PMUDEV_READER_EVENTS];
	uint8_t slot[PMUDEV_READER_EVENTS];
};

/* Some counter of the reader has less than 64 bits. Else what stands in them is the count. */
#define PMUDEV_READER_NARROW (1ULL << 32)

/* No page shows it: no thread has such an id. Least of all a page of zeroes. */
#define PMUDEV_NOT_LEARNT UINT64_MAX

/*
 * Makes a reader of the calling thread for the events in @slots; NULL: those in slots 0..@nr - 1.
 * Map the set before: of a set that is not mapped it reads by read(2), for ever. -EINVAL: no
 * events, or more than PMUDEV_READER_EVENTS, or no such slot.
 */
int pmudev_reader_init(struct pmudev_reader *reader, struct pmudev *set, const uint32_t *slots,
		       unsigned int nr);

/* The rest of a read: learns, or asks the module. @ticks may be NULL. */
int pmudev_reader_slow(struct pmudev_reader *reader, uint64_t *values, unsigned int n,
		       struct pmudev_ticks *ticks);

#if defined(__GNUC__) && !defined(__clang__)
#define PMUDEV_UNROLL() _Pragma("GCC unroll 16")
#else
#define PMUDEV_UNROLL() _Pragma("unroll")
#endif

/*
 * Whether the page is as it was when @head and @clock were learnt. One aligned 64-bit load
 * each, whatever the order: it is the writer who keeps them together. arm64 loads both at
 * once, x86 compares in memory.
 */
#if defined(__aarch64__) && defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline __attribute__((__always_inline__)) bool pmudev_page_is(const struct pmudev_page *page,
								     uint64_t head, uint64_t clock)
{
	struct __attribute__((__may_alias__)) pair {
		uint64_t word[2];
	};
	uint64_t head_now, clock_now;

	__asm__ __volatile__("ldp %0, %1, %2"
			     : "=r"(head_now), "=r"(clock_now)
			     : "Q"(*(const struct pair *)page)
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

	/* The clock is loaded anew each time. */
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
 * The read where the inline one gave up, into arrays of its own: those of the latter stay in
 * registers.
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

/* Intel's counters have 48 bits: nothing to decide. */
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
 * Everything below is this. @n and @timed are known at compile time, so that little is
 * decided but whether what was learnt still holds. All of it is used before the page is
 * looked at again: a signal handler that learns anew does so because the page has changed.
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
 * The counts of the reader's first @n events, as of one moment: no switch lies between them.
 * @n is a constant (else it takes a few instructions more), at most what
 * pmudev_reader_init() was told.
 */
static inline __attribute__((__always_inline__)) int
pmudev_reader_counts(struct pmudev_reader *reader, uint64_t *values, unsigned int n)
{
	return pmudev_reader_get(reader, values, n, false, NULL);
}

/* The count of the first event. */
static inline __attribute__((__always_inline__)) int
pmudev_reader_count(struct pmudev_reader *reader, uint64_t *value)
{
	return pmudev_reader_get(reader, value, 1, false, NULL);
}

/* The counts and both times, of one moment. */
static inline __attribute__((__always_inline__)) int
pmudev_reader_counts_ticks(struct pmudev_reader *reader, uint64_t *values, unsigned int n,
			   struct pmudev_ticks *ticks)
{
	return pmudev_reader_get(reader, values, n, true, ticks);
}

/* Ticks in ns, as a record has them. */
static inline uint64_t pmudev_reader_ns(const struct pmudev_reader *reader, uint64_t ticks)
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
