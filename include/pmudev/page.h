/* SPDX-License-Identifier: GPL-2.0 */
/* Slots of the user page: what the kernel writes there. Every field is written. */
#ifndef _PMUDEV_PAGE_H
#define _PMUDEV_PAGE_H

#include <pmudev/types.h>

/* An active event: @counter, 0..63, has @width bits, 31..64, and holds @count modulo 2^@width. */
static inline void pmudev_page_slot(struct pmudev_slot *slot, u64 count, unsigned int counter,
				    u32 operand, unsigned int width, unsigned int group)
{
	slot->count = count;
	slot->operand = operand;
	slot->index = counter + 1;
	slot->shift = 64 - width;
	slot->group = group;
	slot->flags = PMUDEV_SLOT_USED;
}

/* An event that is on no counter */
static inline void pmudev_page_slot_inactive(struct pmudev_slot *slot, u64 count,
					     unsigned int group)
{
	slot->count = count;
	slot->operand = 0;
	slot->index = 0;
	slot->shift = 0;
	slot->group = group;
	slot->flags = PMUDEV_SLOT_USED;
}

/*
 * perf's readers add the counter's @width bits, sign-extended, to an offset. Return: the offset
 * that makes the sum @count, while the counter holds @count modulo 2^@width.
 */
static inline u64 pmudev_page_perf_offset(u64 count, unsigned int width)
{
	return count - (u64)((s64)(count << (64 - width)) >> (64 - width));
}

/*
 * Is the offset right for the next 2^@lag events, too? It is not if the counter's highest bit
 * changes from 0 to 1 in between. @lag: less than @width.
 */
static inline bool pmudev_page_perf_holds(u64 count, unsigned int width, unsigned int lag)
{
	return pmudev_page_perf_offset(count, width) ==
	       pmudev_page_perf_offset(count + (1ULL << lag), width);
}

#endif /* _PMUDEV_PAGE_H */
