/* SPDX-License-Identifier: GPL-2.0 */
/* Events as a backend loads them. */
#ifndef _PMUDEV_HW_H
#define _PMUDEV_HW_H

#include <pmudev/assign.h>
#include <pmudev/code.h>

/*
 * An event on its counter. Owned by the core. While the event is loaded, only the CPU that loaded
 * it may touch it.
 */
struct pmudev_hw {
	u64 config;   /* struct pmudev_code.config */
	u64 value;    /* the count. The counter holds it modulo 2^width; save and read update it. */
	u8 counter;   /* index of the counter, 0..63; of a chained event the even one */
	u8 width;     /* bits of the counter, 31..64; of a chained event 64 */
	bool chained; /* two counters: this one holds the low half, the next one the high */
	u8 filter;    /* enum pmudev_guest_filter */
};

/* Counters of @nr events, as a mask; both of a chained event. */
static inline u64 pmudev_hw_counters(struct pmudev_hw *const *hw, unsigned int nr)
{
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		mask |= pmudev_place_counters(hw[i]->counter, hw[i]->chained);
	return mask;
}

#endif /* _PMUDEV_HW_H */
