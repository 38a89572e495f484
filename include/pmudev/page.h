/* SPDX-License-Identifier: GPL-2.0 */
/* Slots of the user page: what the kernel writes and how a reader computes a count from it. */
#ifndef _PMUDEV_PAGE_H
#define _PMUDEV_PAGE_H

#include <pmudev/types.h>

/**
 * pmudev_page_slot - write the slot of an active event
 * @slot: the slot; every field is written
 * @count: the count, which the counter holds modulo 2^@width
 * @counter: index of the counter, 0..63
 * @operand: operand of the read instruction, see struct pmudev_slot
 * @width: bits of the counter, 31..64
 * @group: group of the event, below PMUDEV_MAX_GROUPS
 */
void pmudev_page_slot(struct pmudev_slot *slot, u64 count, unsigned int counter, u32 operand,
		      unsigned int width, unsigned int group);

/**
 * pmudev_page_slot_inactive - write the slot of an event that is on no counter
 * @slot: the slot; every field is written
 * @count: the count
 * @group: group of the event, below PMUDEV_MAX_GROUPS
 */
void pmudev_page_slot_inactive(struct pmudev_slot *slot, u64 count, unsigned int group);

/**
 * pmudev_slot_value - compute a count as a reader does
 * @slot: a slot with an index
 * @raw: the counter
 *
 * Return: the count.
 */
u64 pmudev_slot_value(const struct pmudev_slot *slot, u64 raw);

#endif /* _PMUDEV_PAGE_H */
