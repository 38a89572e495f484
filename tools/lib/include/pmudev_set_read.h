/* SPDX-License-Identifier: MIT */
/*
 * pmudev_set_read.h - part of pmudev.h: reads of a set's counts, directly or by read(2)
 *
 * The set has a reader of its own (pmudev_reader.h). The library's functions let it learn the page
 * when the thread that the page belongs to reads for the first time, and after each change of the
 * page. Other threads, and events that this reader does not have, take the slow path.
 */
#ifndef PMUDEV_SET_READ_H
#define PMUDEV_SET_READ_H

#include <pmudev.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether the calling thread has taught the set's reader. Only the thread that the page belongs to
 * ever does, and no other may use the reader: it would read its own CPU's counters. The thread's
 * id is that of pmudev_cached_tid, whose comment says why a stale one does no harm; a thread that
 * is new does not know its id, also if it has the storage of one that is about to end.
 */
static inline __attribute__((__always_inline__)) bool pmudev_is_learnt(const struct pmudev *set)
{
	return PMUDEV_CAN_READ &&
	       __atomic_load_n(&set->thread, __ATOMIC_RELAXED) == pmudev_cached_tid;
}

/* The slow paths of the functions below: learn, or read the page, or ask the module. */
int pmudev_read_count_slow(struct pmudev *set, unsigned int slot, uint64_t *value);
int pmudev_read_counts_slow(struct pmudev *set, uint64_t *values, unsigned int n,
			    struct pmudev_times *times);

/*
 * Reads the count of one event: directly if possible, else by read(2). -EINVAL: no event in @slot.
 * (The range check of @slot costs less if it is a constant.)
 */
PMUDEV_INLINE __attribute__((__always_inline__)) int
pmudev_read_count(struct pmudev *set, unsigned int slot, uint64_t *value)
{
	if (slot < PMUDEV_READER_EVENTS && __builtin_expect(pmudev_is_learnt(set), 1) &&
	    __builtin_expect(pmudev_reader_try(set->reader, value, slot, 1, true, false, NULL), 1))
		return 0;
	return pmudev_read_count_slow(set, slot, value);
}

/* A number of events, known when compiled, that is worth a copy of the read at each place. */
#define PMUDEV_INLINE_READ(n) (__builtin_constant_p(n) && (n) >= 1 && (n) <= 8)

/* Reads slots 0..@n - 1 at one moment; empty slots give 0. -EINVAL: the set has fewer slots. */
PMUDEV_INLINE __attribute__((__always_inline__)) int
pmudev_read_counts(struct pmudev *set, uint64_t *values, unsigned int n)
{
	if (PMUDEV_INLINE_READ(n) && __builtin_expect(pmudev_is_learnt(set), 1) &&
	    __builtin_expect(pmudev_reader_try(set->reader, values, 0, n, true, false, NULL), 1))
		return 0;
	return pmudev_read_counts_slow(set, values, n, NULL);
}

/* The same, with the set's times at that moment. */
PMUDEV_INLINE __attribute__((__always_inline__)) int
pmudev_read_counts_times(struct pmudev *set, uint64_t *values, unsigned int n,
			 struct pmudev_times *times)
{
	struct pmudev_ticks ticks;

	if (PMUDEV_INLINE_READ(n) && __builtin_expect(pmudev_is_learnt(set), 1) &&
	    __builtin_expect(pmudev_reader_try(set->reader, values, 0, n, true, true, &ticks), 1)) {
		times->enabled = pmudev_reader_ns(set->reader, ticks.enabled);
		times->running = pmudev_reader_ns(set->reader, ticks.running);
		return 0;
	}
	return pmudev_read_counts_slow(set, values, n, times);
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
