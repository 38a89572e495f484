// SPDX-License-Identifier: GPL-2.0
/* Slots of the user page. */
#include <pmudev/page.h>

void pmudev_page_slot(struct pmudev_slot *slot, u64 count, unsigned int counter, u32 operand,
		      unsigned int width, unsigned int group)
{
	slot->count = count;
	slot->operand = operand;
	slot->index = counter + 1;
	slot->shift = 64 - width;
	slot->group = group;
	slot->flags = PMUDEV_SLOT_USED;
}

void pmudev_page_slot_inactive(struct pmudev_slot *slot, u64 count, unsigned int group)
{
	slot->count = count;
	slot->operand = 0;
	slot->index = 0;
	slot->shift = 0;
	slot->group = group;
	slot->flags = PMUDEV_SLOT_USED;
}

u64 pmudev_slot_value(const struct pmudev_slot *slot, u64 raw)
{
	return slot->count + (((raw - slot->count) << slot->shift) >> slot->shift);
}
