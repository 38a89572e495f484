/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DIRECT events, read as a program does that knows its counter when it is compiled: by the bare
 * instruction. Two counters: a programmable one that every machine has, and a fixed one.
 */
#ifndef PMUDEV_TEST_DIRECT_H
#define PMUDEV_TEST_DIRECT_H

#include "common.h"

#define BARE_COUNTER 2

#define DIRECT_FLAGS (DIRECT_READ | PMUDEV_DIRECT)

static inline __attribute__((always_inline)) __u64 bare(bool fixed)
{
	return fixed ? counter(FIXED_OPERAND) : counter(BARE_COUNTER);
}

static inline struct pmudev_event_attr bare_event(bool fixed, __u32 flags)
{
	struct pmudev_event_attr event =
		raw_event(fixed ? FIXED_EVENT : EVENT_INSTRUCTIONS, flags | PMUDEV_COUNTER);

	event.counter = fixed ? FIXED_COUNTER : BARE_COUNTER;
	return event;
}

/* Can the counter carry the whole count of a thread? */
static inline bool can_be_direct(const struct pmudev_query *query, bool fixed)
{
	return fixed || query->width > 32;
}

static inline unsigned int bare_width(const struct pmudev_query *query, bool fixed)
{
	return fixed && query->width_fixed ? query->width_fixed : query->width;
}

static inline __u64 bare_mask(const struct pmudev_query *query, bool fixed)
{
	return ~0ULL >> (64 - bare_width(query, fixed));
}

/* Events of each instruction, where that is exact. */
static inline unsigned int bare_each(bool fixed)
{
	return fixed && FIXED_EVENT == EVENT_CYCLES ? EMULATED_CYCLES : 1;
}

#endif /* PMUDEV_TEST_DIRECT_H */
