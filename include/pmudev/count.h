/* SPDX-License-Identifier: GPL-2.0 */
/* Arithmetic of counts and times. */
#ifndef _PMUDEV_COUNT_H
#define _PMUDEV_COUNT_H

#include <pmudev/types.h>

/* Mask of a counter's bits. @width: 1..64 */
static inline u64 pmudev_width_mask(unsigned int width)
{
	/* CPUs take shift counts modulo 64: this is 64 - width. */
	return ~0ULL >> (-width & 63);
}

/* The low bits, 1..64, of a value. Two shifts: in loops a mask would occupy one more register. */
static inline u64 pmudev_low_bits(u64 value, unsigned int width)
{
	return value << (-width & 63) >> (-width & 63);
}

/*
 * The count now, of a counter of 1..64 bits that holds @raw. @count: at an earlier moment, when the
 * counter held it modulo 2^@width. Exact if fewer than 2^@width events happened in between.
 */
static inline u64 pmudev_advance(u64 count, u64 raw, unsigned int width)
{
	return count + pmudev_low_bits(raw - count, width);
}

/*
 * Value of two chained 32-bit counters, read while they count, in the order of the arguments.
 * @high: the odd counter. @low: the even one.
 */
static inline u64 pmudev_chained_raw(u32 high, u32 low, u32 high_after, u32 low_after)
{
	/* If the even counter wrapped between the reads, it will not wrap again soon. */
	return (u64)high_after << 32 | (high == high_after ? low : low_after);
}

/*
 * How often a counter of 31..64 bits must be folded into its 64-bit count, in nanoseconds, at most
 * one minute; 0 for 64 bits: never. At 2^36 events per second, which no CPU reaches, a quarter of
 * 2^@width events takes this long.
 */
u64 pmudev_fold_ns(unsigned int width);

/* @ticks * @mult >> @shift, without overflow in between; see struct pmudev_page. @shift: 0..63 */
static inline u64 pmudev_ticks_to_ns(u64 ticks, u32 mult, u32 shift)
{
#ifdef __SIZEOF_INT128__
	return (__uint128_t)ticks * mult >> (shift & 63);
#else
	/* (high * 2^32 + low) * mult, in two words that overlap by 32 bits */
	u64 low = (ticks & 0xffffffff) * mult;
	u64 high = (ticks >> 32) * mult + (low >> 32);

	low &= 0xffffffff;
	if (shift >= 32)
		return high >> (shift - 32);
	return (high << (32 - shift)) | (low >> shift);
#endif
}

#endif /* _PMUDEV_COUNT_H */
