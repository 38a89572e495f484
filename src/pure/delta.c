// SPDX-License-Identifier: GPL-2.0
/* Arithmetic of counts and times. */
#include <pmudev/pure.h>

#define EVENTS_PER_SECOND_LOG2 36
#define SECOND_NS	1000000000ULL
#define MINUTE_NS	(60 * SECOND_NS)

u64 pmudev_fold_ns(unsigned int width)
{
	unsigned int quarter = width - 2;
	u64 ns;

	if (width == 64)
		return 0;
	/* 2^quarter events take at least 2^(quarter - 36) seconds. */
	if (quarter >= EVENTS_PER_SECOND_LOG2 + 6)
		return MINUTE_NS;
	if (quarter >= EVENTS_PER_SECOND_LOG2)
		ns = SECOND_NS << (quarter - EVENTS_PER_SECOND_LOG2);
	else
		ns = SECOND_NS >> (EVENTS_PER_SECOND_LOG2 - quarter);
	return ns < MINUTE_NS ? ns : MINUTE_NS;
}

u64 pmudev_ticks_to_ns(u64 ticks, u32 mult, u32 shift)
{
	/* (high * 2^32 + low) * mult, kept as two words that overlap by 32 bits */
	u64 low = (ticks & 0xffffffff) * mult;
	u64 high = (ticks >> 32) * mult + (low >> 32);

	low &= 0xffffffff;
	if (shift >= 32)
		return high >> (shift - 32);
	return (high << (32 - shift)) | (low >> shift);
}
