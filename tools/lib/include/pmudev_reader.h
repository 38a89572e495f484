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
 *     pmudev_reader_init(). A child of fork may use its copy, which calls read(2). A child of
 *     vfork must not: it has the thread id of its parent, which may still run on another CPU.
 *   - Do not use the reader after the set is unmapped: it points into the page.
 * The 32 bits of @seq can wrap around without harm: @clock in the page changes each time the thread
 * is switched in, and without a switch the page would have to be written 2^31 times between two
 * reads. The set need not be enabled, stay on the same counters, or be readable at all.
 */
#ifndef PMUDEV_READER_H
#define PMUDEV_READER_H

#include <pmudev_reader_get.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Initializes a reader of the calling thread for the events in @slots; NULL: slots 0..@nr - 1. Map
 * the set first: a reader of an unmapped set always calls read(2). -EINVAL: no events, more than
 * PMUDEV_READER_EVENTS, or no such slot.
 */
int pmudev_reader_init(struct pmudev_reader *reader, struct pmudev *set, const uint32_t *slots,
		       unsigned int nr);

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
