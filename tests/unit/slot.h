/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _PMUDEV_UNIT_SLOT_H
#define _PMUDEV_UNIT_SLOT_H

#include <pmudev/page.h>

/* The reader's algorithm, as the ABI's header gives it, for the raw value of a counter. */
static inline u64 slot_value(const struct pmudev_slot *slot, u64 raw)
{
	u64 count = slot->count;
	u8 shift = slot->shift;

	return count + (((raw - count) << shift) >> shift);
}

#endif /* _PMUDEV_UNIT_SLOT_H */
