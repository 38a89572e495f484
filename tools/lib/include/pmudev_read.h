/* SPDX-License-Identifier: MIT */
/*
 * pmudev_read.h - a thread reads its own counters, without a system call
 *
 * Included by pmudev.h. This is the reader's algorithm of <linux/pmudev.h>, with the caller's
 * thread id. It keeps no state between reads, so each of them costs the same. pmudev_reader.h
 * caches the contents of the page and needs fewer instructions; pmudev_direct.h reads DIRECT
 * events.
 */
#ifndef PMUDEV_READ_H
#define PMUDEV_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/pmudev.h>
#include <pmudev_counter.h>
#include <pmudev_unchanged.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The current count: the slot's count plus the events since, modulo the counter's width. */
PMUDEV_INLINE __attribute__((__always_inline__)) uint64_t
pmudev_join(const struct pmudev_slot *slot, uint64_t raw)
{
	return slot->count + (((raw - slot->count) << slot->shift) >> slot->shift);
}

/* Converts ticks to ns. Exact for the kernel's shifts, which are at most 32. */
PMUDEV_INLINE __attribute__((__always_inline__)) uint64_t pmudev_ns(const struct pmudev_page *page,
								    uint64_t ticks)
{
	uint64_t high = (ticks >> 32) * page->time_mult;
	uint64_t low = (ticks & UINT32_MAX) * page->time_mult;

	return (high << (32 - page->time_shift)) + (low >> page->time_shift);
}

/**
 * struct pmudev_times - a set's times, as in struct pmudev_record
 * @enabled: ns some group was enabled while the target ran
 * @running: ns of @enabled with all enabled groups on counters
 */
struct pmudev_times {
	uint64_t enabled;
	uint64_t running;
};

/* Whether the page has times that can be converted here. */
static inline __attribute__((__always_inline__)) bool
pmudev_page_has_times(const struct pmudev_page *page)
{
	return page->flags & PMUDEV_PAGE_TIMES && page->time_shift <= 32;
}

static inline __attribute__((__always_inline__)) void
pmudev_page_times(const struct pmudev_page *page, struct pmudev_times *times)
{
	const uint64_t now = page->clock + pmudev_clock();

	times->enabled = pmudev_ns(page, page->time_enabled + now);
	times->running = pmudev_ns(page, page->time_running + now);
}

/* One event, between two looks at the page's head. False: not on a counter, or chained. */
#if defined(__aarch64__) && defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* The whole slot is one load. */
static inline __attribute__((__always_inline__)) bool
pmudev_slot_count(const struct pmudev_slot *slot, uint64_t *value)
{
	typedef uint64_t __attribute__((__may_alias__)) word;
	const word rest = ((const word *)slot)[1];
	struct pmudev_slot s;

	s.count = slot->count;
	s.shift = (uint8_t)(rest >> 40);
	if (__builtin_expect(!(uint8_t)(rest >> 32), 0) ||
	    __builtin_expect(!!(rest & (word)PMUDEV_SLOT_CHAIN << 56), 0))
		return false;
	*value = pmudev_join(&s, pmudev_counter((uint32_t)rest));
	return true;
}
#else
static inline __attribute__((__always_inline__)) bool
pmudev_slot_count(const struct pmudev_slot *slot, uint64_t *value)
{
	struct pmudev_slot s;
	uint64_t raw;

	if (__builtin_expect(!slot->index, 0))
		return false;
	if (PMUDEV_CAN_CHAIN && __builtin_expect(slot->flags & PMUDEV_SLOT_CHAIN, 0))
		return false;
	raw = pmudev_counter(slot->operand);
	/* Not before: RDPMC leaves few registers. */
	s.shift = slot->shift;
	s.count = slot->count;
	*value = pmudev_join(&s, raw);
	return true;
}
#endif

/*
 * The read behind all functions: slots @at..@at + @n - 1. @n is a compile-time constant. False also
 * if one of these slots is empty or chained; the slow paths read them. @values may have been
 * written then.
 */
static inline __attribute__((__always_inline__)) bool
pmudev_page_get(const struct pmudev_page *page, uint64_t *values, unsigned int at,
		const unsigned int n, struct pmudev_times *times)
{
	const uint32_t me = pmudev_cached_tid;
	unsigned int i;
	uint64_t head;

	if (!PMUDEV_CAN_READ)
		return false;
	do {
		head = pmudev_head(page);
		if (__builtin_expect(head >> 32 != me, 0))
			return false;
		/* Head, then slots. Then counters, then head: "memory" in pmudev_counter(). */
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
		if (times && __builtin_expect(!pmudev_page_has_times(page), 0))
			return false;
		PMUDEV_UNROLL()
		for (i = 0; i < n; i++) {
			const struct pmudev_slot *slot = &page->slots[at + i];

			if (__builtin_expect(!pmudev_slot_count(slot, &values[i]), 0))
				return false;
		}
		if (times)
			pmudev_page_times(page, times);
		__atomic_signal_fence(__ATOMIC_ACQ_REL);
	} while (__builtin_expect(!pmudev_head_is(page, head), 0));
	return true;
}

/*
 * A number of events, known when compiled, that is worth a copy of the read at each place: up to
 * 50 bytes an event on x86, 330 on arm64, most of it the table in pmudev_counter().
 */
#define PMUDEV_INLINE_READ(n) (__builtin_constant_p(n) && (n) >= 1 && (n) <= 8)

/*
 * Slow paths of the functions below: slots of all kinds, and other numbers of them.
 * They are called automatically.
 */
bool pmudev_page_count_slow(const struct pmudev_page *page, unsigned int slot, uint64_t *value);
bool pmudev_page_counts_slow(const struct pmudev_page *page, uint64_t *values, unsigned int n,
			     struct pmudev_times *times);

/**
 * pmudev_page_count - read one event's count without a system call
 * @page: the user page
 * @slot: of the event
 * @value: the count
 *
 * Return: whether @value was read; also false while the thread's id is not known yet.
 */
PMUDEV_INLINE __attribute__((__always_inline__)) bool
pmudev_page_count(const struct pmudev_page *page, unsigned int slot, uint64_t *value)
{
	uint64_t count;

	if (__builtin_expect(!pmudev_page_get(page, &count, slot, 1, NULL), 0))
		return pmudev_page_count_slow(page, slot, value);
	*value = count;
	return true;
}

/**
 * pmudev_page_counts - read slots 0..@n - 1 at one moment, without a system call
 * @page: the user page
 * @values: the counts; 0 in empty slots
 * @n: number of slots, at most PMUDEV_MAX_EVENTS
 * @times: the set's times at that moment, or NULL
 *
 * No context switch and no migration happens between any two of these numbers.
 *
 * Return: whether all of them were read.
 */
PMUDEV_INLINE __attribute__((__always_inline__)) bool
pmudev_page_counts(const struct pmudev_page *page, uint64_t *values, unsigned int n,
		   struct pmudev_times *times)
{
	return (PMUDEV_INLINE_READ(n) &&
		__builtin_expect(pmudev_page_get(page, values, 0, n, times), 1)) ||
	       pmudev_page_counts_slow(page, values, n, times);
}

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_READ_H */
