/* SPDX-License-Identifier: MIT */
/* pmudev_unchanged.h - part of pmudev_read.h: is the page the thread's own, and what was read? */
#ifndef PMUDEV_UNCHANGED_H
#define PMUDEV_UNCHANGED_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/pmudev.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The id of the calling thread. No thread has the initial value, so a thread's first read takes the
 * slow path, where the library sets it.
 *
 * A stale id cannot make an allowed read wrong. Such a read would need a page whose @owner is that
 * id, and @owner is 0 unless the owner thread itself is running:
 *   - After fork() the child's only thread has its parent's id here until the library's fork
 *     handler clears it. The child sees zeroes in place of its parent's page.
 *   - A vfork() child uses the thread-local storage of its parent, and must not read: while the
 *     parent is still on its way to sleep on another CPU, the child is taken for it. Once the
 *     parent sleeps, @owner is 0. If the child leaves its own id here, the parent falls back once
 *     and sets its id again.
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

	__asm__ __volatile__("{cmpq %2, %1|cmp %1, %2}"
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

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_UNCHANGED_H */
