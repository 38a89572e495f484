/* SPDX-License-Identifier: MIT */
/*
 * pmudev_read.h - a thread reads its own counters, without a system call
 *
 * Included by pmudev.h. This is the reader's algorithm of <linux/pmudev.h>, with the caller's
 * thread id. It keeps no state between reads. pmudev_reader.h caches the contents of the page and
 * needs half the instructions; pmudev_direct.h reads DIRECT events.
 */
#ifndef PMUDEV_READ_H
#define PMUDEV_READ_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/pmudev.h>
#include <pmudev_counter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------ the page's owner -- */

/*
 * The id of the calling thread. No thread has the initial value, so a thread's first read takes the
 * slow path, where the library sets it.
 *
 * A stale id cannot make a read wrong. Such a read would need a page whose @owner is that id, and
 * @owner is 0 unless the owner thread itself is running:
 *   - After fork() the child's only thread has its parent's id here until the library's fork
 *     handler clears it. The child sees zeroes in place of its parent's page.
 *   - A vfork() child uses the thread-local storage of its parent, which sleeps meanwhile: @owner
 *     is 0. If the child leaves its own id here (it may call nothing but exec and _exit), the
 *     parent falls back once and sets its id again.
 *   - No C library supports a thread made by clone() without its own thread-local storage.
 * A bare clone() or _Fork() calls no fork handlers. In such a process pmudev_open(),
 * pmudev_bind_self() and pmudev_map() set the id.
 */
extern __thread uint32_t pmudev_cached_tid __attribute__((__tls_model__("initial-exec")));

#define PMUDEV_NO_TID UINT32_MAX

/*
 * @seq, with @owner in the upper half: a reader compares them before and after. This is one load
 * and one comparison where a 64-bit load is one instruction.
 */
static inline __attribute__((__always_inline__)) uint64_t
pmudev_head(const struct pmudev_page *page)
{
#if defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	typedef uint64_t __attribute__((__may_alias__)) word;

	return __atomic_load_n((const word *)page, __ATOMIC_RELAXED);
#else
	uint32_t seq = __atomic_load_n(&page->seq, __ATOMIC_RELAXED);

	/* @seq first: an old @owner must not be combined with a new @seq. */
	__atomic_signal_fence(__ATOMIC_ACQUIRE);
	return (uint64_t)__atomic_load_n(&page->owner, __ATOMIC_RELAXED) << 32 | seq;
#endif
}

/* ------------------------------------------------------------------- the page's algorithm -- */

/*
 * Two chained counters: read the upper half before and after the lower one, and start again if it
 * has changed.
 */
static inline uint64_t pmudev_counter_chained(uint32_t low)
{
	uint64_t value;
	uint32_t high;

	do {
		high = (uint32_t)pmudev_counter(low + 1);
		value = (uint64_t)high << 32 | (uint32_t)pmudev_counter(low);
	} while (__builtin_expect((uint32_t)pmudev_counter(low + 1) != high, 0));
	return value;
}

/* The current count: the slot's count plus the events since, modulo the counter's width. */
PMUDEV_INLINE uint64_t pmudev_join(const struct pmudev_slot *slot, uint64_t raw)
{
	return slot->count + (((raw - slot->count) << slot->shift) >> slot->shift);
}

/* Slow paths of the functions below, for chained counters. They are called automatically. */
bool pmudev_page_count_chained(const struct pmudev_page *page, unsigned int slot, uint64_t *value);
struct pmudev_times;
bool pmudev_page_counts_chained(const struct pmudev_page *page, uint64_t *values, unsigned int n,
				struct pmudev_times *times);

/* Converts ticks to ns. Exact for the kernel's shifts, which are at most 32. */
PMUDEV_INLINE uint64_t pmudev_ns(const struct pmudev_page *page, uint64_t ticks)
{
	uint64_t high = (ticks >> 32) * page->time_mult;
	uint64_t low = (ticks & UINT32_MAX) * page->time_mult;

	return (high << (32 - page->time_shift)) + (low >> page->time_shift);
}

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
	const uint32_t me = pmudev_cached_tid;
	struct pmudev_slot s;
	uint64_t head, raw;

	if (!PMUDEV_CAN_READ)
		return false;
	do {
		head = pmudev_head(page);
		if (__builtin_expect(head >> 32 != me, 0))
			return false;
		/* Head, then slot. Then counter, then head: "memory" in pmudev_counter(). */
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
		s = page->slots[slot];
		if (__builtin_expect(!s.index, 0))
			return false;
		if (__builtin_expect(s.flags & PMUDEV_SLOT_CHAIN, 0))
			return pmudev_page_count_chained(page, slot, value);
		raw = pmudev_counter(s.operand);
	} while (__builtin_expect(pmudev_head(page) != head, 0));
	*value = pmudev_join(&s, raw);
	return true;
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

/*
 * @chained is a compile-time constant: read chained counters here, or call the function for them.
 */
static inline __attribute__((__always_inline__)) bool
pmudev_page_get(const struct pmudev_page *page, uint64_t *values, unsigned int n,
		struct pmudev_times *times, const bool chained)
{
	const uint32_t me = pmudev_cached_tid;
	uint64_t head, now;
	unsigned int i;

	if (!PMUDEV_CAN_READ)
		return false;
	do {
		bool counting = false;

		head = pmudev_head(page);
		if (head >> 32 != me)
			return false;
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
		for (i = 0; i < n; i++) {
			struct pmudev_slot s = page->slots[i];
			uint64_t raw;

			if (__builtin_expect(!s.index, 0)) {
				if (s.flags & PMUDEV_SLOT_USED)
					return false;
				values[i] = 0;
				continue;
			}
			if (__builtin_expect(!(s.flags & PMUDEV_SLOT_CHAIN), 1))
				raw = pmudev_counter(s.operand);
			else if (chained)
				raw = pmudev_counter_chained(s.operand);
			else
				return pmudev_page_counts_chained(page, values, n, times);
			values[i] = pmudev_join(&s, raw);
			counting = true;
		}
		if (times) {
			if (!counting || !(page->flags & PMUDEV_PAGE_TIMES) ||
			    page->time_shift > 32)
				return false;
			now = page->clock + pmudev_clock();
			times->enabled = pmudev_ns(page, page->time_enabled + now);
			times->running = pmudev_ns(page, page->time_running + now);
		}
		__atomic_signal_fence(__ATOMIC_ACQ_REL);
	} while (pmudev_head(page) != head);
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
	return pmudev_page_get(page, values, n, times, false);
}

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_READ_H */
