/* SPDX-License-Identifier: MIT */
/* pmudev_unchanged.h - part of pmudev_reader.h: is the page still what was read? */
#ifndef PMUDEV_UNCHANGED_H
#define PMUDEV_UNCHANGED_H

#include <pmudev_read.h>

#ifdef __cplusplus
extern "C" {
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

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_UNCHANGED_H */
