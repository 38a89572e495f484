/* SPDX-License-Identifier: MIT */
/* pmudev_reader_get.h - part of pmudev_reader.h: what a reader caches, and the inline read */
#ifndef PMUDEV_READER_GET_H
#define PMUDEV_READER_GET_H

#include <stddef.h>

#include <pmudev_counter.h>
#include <pmudev_unchanged.h>

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
 * @learning: the fields are being written, maybe by the code that this signal handler interrupted
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
	bool learning;
};

/*
 * At least one counter of the reader has less than 64 bits. Otherwise the counters are the counts.
 */
#define PMUDEV_READER_NARROW (1ULL << 32)

/* No page has this head, because no thread has such an id. */
#define PMUDEV_NOT_LEARNT UINT64_MAX

/* The slow path: reads the page again, or asks the module. @ticks may be NULL. */
int pmudev_reader_slow(struct pmudev_reader *reader, uint64_t *values, unsigned int n,
		       struct pmudev_ticks *ticks);

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

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_READER_GET_H */
