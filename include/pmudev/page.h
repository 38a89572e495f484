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

#endif /* _PMUDEV_PAGE_H */
