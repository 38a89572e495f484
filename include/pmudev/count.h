/* SPDX-License-Identifier: GPL-2.0 */
/* Arithmetic of counts and times. */
#ifndef _PMUDEV_COUNT_H
#define _PMUDEV_COUNT_H

#include <pmudev/types.h>

/**
 * pmudev_width_mask - mask of a counter's bits
 * @width: bits of the counter, 1..64
 */
static inline u64 pmudev_width_mask(unsigned int width)
{
	/* CPUs take shift counts modulo 64: this is 64 - width. */
	return ~0ULL >> (-width & 63);
}

/**
 * pmudev_low_bits - the low bits of a value
 * @value: the value
 * @width: number of bits, 1..64
 *
 * Two shifts, because in loops a mask would occupy one more register.
 */
static inline u64 pmudev_low_bits(u64 value, unsigned int width)
{
	return value << (-width & 63) >> (-width & 63);
}

/**
 * pmudev_advance - update a count from its counter
 * @count: the count at an earlier moment, when the counter held it modulo 2^@width
 * @raw: the counter now
 * @width: bits of the counter, 1..64
 *
 * Exact if fewer than 2^@width events happened in between.
 *
 * Return: the count now.
 */
static inline u64 pmudev_advance(u64 count, u64 raw, unsigned int width)
{
	return count + pmudev_low_bits(raw - count, width);
}

/**
 * pmudev_chained_raw - value of two chained 32-bit counters, read while they count
 * @high: the odd counter
 * @low: the even counter, read second
 * @high_after: the odd counter, read third
 * @low_after: the even counter, read last
 *
 * Return: the 64-bit value.
 */
static inline u64 pmudev_chained_raw(u32 high, u32 low, u32 high_after, u32 low_after)
{
	/* If the even counter wrapped between the reads, it will not wrap again soon. */
	return (u64)high_after << 32 | (high == high_after ? low : low_after);
}

/**
 * pmudev_fold_ns - how often a counter must be folded into its 64-bit count
 * @width: bits of the counter, 31..64
 *
 * At 2^36 events per second, which no CPU reaches, a quarter of 2^@width events takes this long.
 *
 * Return: nanoseconds, at most one minute; 0 for 64 bits: never.
 */
u64 pmudev_fold_ns(unsigned int width);

/**
 * pmudev_ticks_to_ns - convert clock ticks to nanoseconds
 * @ticks: ticks of the clock
 * @mult: multiplier, see struct pmudev_page
 * @shift: 0..63, likewise
 *
 * Return: @ticks * @mult >> @shift, without overflow in between.
 */
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
