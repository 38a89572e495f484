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
 * What perf's readers need: they add the counter's low @width bits, sign-extended, to @offset. Of a
 * counter that reads 0 above its own width, one bit more than that makes it a sum without sign.
 */
struct pmudev_page_perf {
	u64 offset;
	unsigned int width;
};

/*
 * A counter of @width bits, 31..64, that holds @count modulo 2^@width. @out: what makes the sum the
 * count, now and until the counter was folded: half of its range, of 31 bits a quarter, see
 * pmudev_fold_ns(), but no more than 2^43 events. Return: false: there is no such sum, of 31 bits,
 * whose counters may show anything above.
 */
static inline bool pmudev_page_perf(u64 count, unsigned int width, struct pmudev_page_perf *out)
{
	const unsigned int shift = 64 - width, lag = width > 44 ? 43 : width - (width > 31 ? 1 : 2);
	const u64 low = count << shift >> shift;
	const bool near_sign =
		shift && low < 1ULL << (width - 1) && low + (1ULL << lag) >= 1ULL << (width - 1);

	if (near_sign) {
		out->offset = count - low;
		out->width = width + 1;
		return width > 31;
	}
	out->offset = count - (u64)((s64)(count << shift) >> shift);
	out->width = width;
	return true;
}

#endif /* _PMUDEV_PAGE_H */
