/* SPDX-License-Identifier: MIT */
/*
 * pmudev_set_read.h - part of pmudev.h: reads of a set's counts, directly or by read(2)
 *
 * The direct read is inline where the number of events is a constant of at most 8 and each slot has
 * an event that is not chained; the library reads the rest.
 */
#ifndef PMUDEV_SET_READ_H
#define PMUDEV_SET_READ_H

#include <pmudev.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The slow paths of the functions below: the page for all kinds of events, or read(2). */
int pmudev_read_count_slow(struct pmudev *set, unsigned int slot, uint64_t *value);
int pmudev_read_counts_slow(struct pmudev *set, uint64_t *values, unsigned int n,
			    struct pmudev_times *times);

/*
 * Reads the count of one event: directly if possible, else by read(2). -EINVAL: no event in @slot.
 * (The range check of @slot costs nothing if it is a constant.)
 */
PMUDEV_INLINE __attribute__((__always_inline__)) int
pmudev_read_count(struct pmudev *set, unsigned int slot, uint64_t *value)
{
	const struct pmudev_page *page = set->page;
	uint64_t count;

	if (__builtin_expect(!page || slot >= PMUDEV_MAX_EVENTS, 0) ||
	    __builtin_expect(!pmudev_page_get(page, &count, slot, 1, NULL), 0))
		return pmudev_read_count_slow(set, slot, value);
	*value = count;
	return 0;
}

/*
 * Reads slots 0..@n - 1 at one moment, and the set's times at that moment unless @times is NULL;
 * empty slots give 0. -EINVAL: the set has fewer slots.
 */
PMUDEV_INLINE __attribute__((__always_inline__)) int
pmudev_read_counts_times(struct pmudev *set, uint64_t *values, unsigned int n,
			 struct pmudev_times *times)
{
	const struct pmudev_page *page = set->page;

	if (PMUDEV_INLINE_READ(n) && __builtin_expect(!!page, 1) &&
	    __builtin_expect(pmudev_page_get(page, values, 0, n, times), 1))
		return 0;
	return pmudev_read_counts_slow(set, values, n, times);
}

/* The same without times. */
PMUDEV_INLINE __attribute__((__always_inline__)) int
pmudev_read_counts(struct pmudev *set, uint64_t *values, unsigned int n)
{
	return pmudev_read_counts_times(set, values, n, NULL);
}

/*
 * The same, but never by read(2). Returns false if the calling thread cannot read them directly now
 * (not its own set, not mapped, user access disabled, not on a counter). @times may be NULL.
 */
bool pmudev_try_count(struct pmudev *set, unsigned int slot, uint64_t *value);
bool pmudev_try_counts(struct pmudev *set, uint64_t *values, unsigned int n,
		       struct pmudev_times *times);

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_SET_READ_H */
