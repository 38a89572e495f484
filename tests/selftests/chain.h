/* SPDX-License-Identifier: GPL-2.0 */
/* Chained 32-bit counters (arm64): LONG events where no counter has 64 bits. */
#ifndef PMUDEV_TEST_CHAIN_H
#define PMUDEV_TEST_CHAIN_H

#include "common.h"

#define PROGRAMMABLE 0xffffffffULL
#define EVEN	     0x55555555ULL

#define LONG_ONLY  (USER_ONLY | PMUDEV_LONG)
#define CHAIN_USER (DIRECT_READ | PMUDEV_LONG | PMUDEV_CHAIN_READ)

#if defined(__aarch64__)
/* The two reads of a chained event have an order. */
static inline void in_order(void)
{
	asm volatile("isb" : : : "memory");
}
#else
static inline void in_order(void)
{
	asm volatile("lfence" : : : "memory");
}
#endif

/* The even counters that can be chained. */
static inline __u64 even_of(__u64 counters)
{
	return counters & (counters >> 1) & EVEN;
}

static inline struct pmudev_event_attr long_event(__u64 allowed, __u32 flags)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, flags);

	event.allowed = allowed;
	return event;
}

/* The reader's algorithm for a slot with PMUDEV_SLOT_CHAIN; as direct_read(). */
static inline __attribute__((always_inline)) int chained_read(struct reader *reader, unsigned int i,
							      __u64 *value)
{
	const struct pmudev_page *page = reader->page;
	__u64 high, low, high_after, low_after;
	__u32 seq, operand;

	for (;; reader->retries++) {
		seq = READ_ONCE(page->seq);
		if (READ_ONCE(page->owner) != reader->tid)
			return -EAGAIN;
		barrier();
		if (!READ_ONCE(page->slots[i].index))
			return -EAGAIN;
		operand = READ_ONCE(page->slots[i].operand);
		high = counter(operand + 1);
		in_order();
		low = counter(operand);
		in_order();
		high_after = counter(operand + 1);
		in_order();
		low_after = counter(operand);
		barrier();
		if (READ_ONCE(page->seq) == seq && READ_ONCE(page->owner) == reader->tid)
			break;
	}
	*value = (high_after << 32) + (high == high_after ? low : low_after);
	return 0;
}

#endif /* PMUDEV_TEST_CHAIN_H */
