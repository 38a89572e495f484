/* SPDX-License-Identifier: MIT */
/*
 * pmudev_read.h - counters read by the counted thread itself, without a system call
 *
 * Included by pmudev.h. This is the reader's algorithm of <linux/pmudev.h>, and how the
 * caller knows its thread id. Nothing is kept between two reads; pmudev_reader.h has the
 * form that keeps what it found in the page and needs half the instructions, pmudev_direct.h
 * that of DIRECT events.
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

/* ----------------------------------------------------------------- whose page it is -- */

/*
 * The thread id of the calling thread as far as it is known: no thread has the initial value, so
 * the first read of a thread takes the long way, where the library learns it.
 *
 * An id that is out of date cannot make a read wrong. Such a read would need a page whose @owner
 * is that id, and @owner is 0 unless the owner thread itself is running:
 *   - after fork() the child's only thread still has its parent's id here until the library's
 *     fork handler forgets it. It sees zeroes in place of its parent's page.
 *   - a vfork() child uses the thread-local storage of its parent, who sleeps meanwhile: @owner
 *     is 0. Should the child leave its own id here (it may call nothing but exec and _exit), the
 *     parent falls back once and learns its id again.
 *   - a thread made by clone() without storage of its own is not supported by any C library.
 * A process made by a bare clone() or _Fork(), which call no fork handlers, has its id learnt by
 * pmudev_open(), pmudev_bind_self() and pmudev_map().
 */
extern __thread uint32_t pmudev_cached_tid __attribute__((__tls_model__("initial-exec")));

#define PMUDEV_NO_TID UINT32_MAX

/*
 * @seq, with @owner in the upper half: what a reader compares before and after. One load and one
 * comparison where a 64-bit load is one instruction.
 */
static inline __attribute__((__always_inline__)) uint64_t
pmudev_head(const struct pmudev_page *page)
{
#if defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	typedef uint64_t __attribute__((__may_alias__)) word;

	return __atomic_load_n((const word *)page, __ATOMIC_RELAXED);
#else
	uint32_t seq = __atomic_load_n(&page->seq, __ATOMIC_RELAXED);

	/* @seq first: an owner of before a change must not go with the @seq after it. */
	__atomic_signal_fence(__ATOMIC_ACQUIRE);
	return (uint64_t)__atomic_load_n(&page->owner, __ATOMIC_RELAXED) << 32 | seq;
#endif
}

/* ------------------------------------------------------------------- the page's algorithm -- */

/*
 * Two chained counters: the upper half is read on both sides of the lower one, and all of it
 * again if that has carried meanwhile.
 */
static inline uint64_t pmudev_counter_pair(uint32_t low)
{
	uint64_t value;
	uint32_t high;

	do {
		high = (uint32_t)pmudev_counter(low + 1);
		value = (uint64_t)high << 32 | (uint32_t)pmudev_counter(low);
	} while (__builtin_expect((uint32_t)pmudev_counter(low + 1) != high, 0));
	return value;
}

/* The count as of now: what @raw has gained on the slot's count, modulo the counter's width. */
static inline uint64_t pmudev_join(const struct pmudev_slot *slot, uint64_t raw)
{
	return slot->count + (((raw - slot->count) << slot->shift) >> slot->shift);
}

/* The same as below for slots of chained counters too: those go there by themselves. */
bool pmudev_page_count_pairs(const struct pmudev_page *page, unsigned int slot, uint64_t *value);
struct pmudev_times;
bool pmudev_page_counts_pairs(const struct pmudev_page *page, uint64_t *values, unsigned int n,
			      struct pmudev_times *times);

/* Ticks of the clock in ns; exact for the kernel's shifts, which are 32 at most. */
static inline uint64_t pmudev_ns(const struct pmudev_page *page, uint64_t ticks)
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
 * Return: whether @value could be read; false also says that the thread's id is not known yet.
 */
static inline __attribute__((__always_inline__)) bool
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
			return pmudev_page_count_pairs(page, slot, value);
		raw = pmudev_counter(s.operand);
	} while (__builtin_expect(pmudev_head(page) != head, 0));
	*value = pmudev_join(&s, raw);
	return true;
}

/**
 * struct pmudev_times - a set's times, as in struct pmudev_record
 * @enabled: ns some group was enabled while the target ran
 * @running: ns of that with all enabled groups on counters
 */
struct pmudev_times {
	uint64_t enabled;
	uint64_t running;
};

/*
 * @pairs is known at compile time: whether chained counters are read here, or by the
 * function for them.
 */
static inline __attribute__((__always_inline__)) bool
pmudev_page_get(const struct pmudev_page *page, uint64_t *values, unsigned int n,
		struct pmudev_times *times, const bool pairs)
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
			else if (pairs)
				raw = pmudev_counter_pair(s.operand);
			else
				return pmudev_page_counts_pairs(page, values, n, times);
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
 * pmudev_page_counts - read the counts of slots 0..@n - 1 as of one moment, without a call
 * @page: the user page
 * @values: the counts; 0 in empty slots
 * @n: how many, PMUDEV_MAX_EVENTS at most
 * @times: the set's times at that moment, or NULL
 *
 * No switch and no migration lies between any two of these numbers.
 *
 * Return: whether all of it could be read.
 */
static inline __attribute__((__always_inline__)) bool
pmudev_page_counts(const struct pmudev_page *page, uint64_t *values, unsigned int n,
		   struct pmudev_times *times)
{
	return pmudev_page_get(page, values, n, times, false);
}

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_READ_H */
