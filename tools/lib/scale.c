// SPDX-License-Identifier: MIT
/*
 * Estimates of multiplexed events: 128-bit arithmetic in 64-bit words, so that 32-bit programs get
 * the same result.
 */
#include "lib.h"

/* @a * @b */
static void multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
	uint64_t a1 = a >> 32, a0 = a & UINT32_MAX;
	uint64_t b1 = b >> 32, b0 = b & UINT32_MAX;
	uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
	uint64_t other = a0 * b1 + (middle & UINT32_MAX);

	*high = a1 * b1 + (middle >> 32) + (other >> 32);
	*low = a * b;
}

/* (@high, @low) / @by, rounded to the nearest, halves up; @high < @by */
static uint64_t divide(uint64_t high, uint64_t low, uint64_t by)
{
	int bit;

	/* Bits of the quotient enter @low as those of the dividend leave it. */
	for (bit = 0; bit < 64; bit++) {
		bool carry = high >> 63;

		high = high << 1 | low >> 63;
		low <<= 1;
		if (carry || high >= by) {
			high -= by;
			low |= 1;
		}
	}
	return high >= by - high && low != UINT64_MAX ? low + 1 : low;
}

uint64_t pmudev_muldiv(uint64_t a, uint64_t b, uint64_t by)
{
	uint64_t high, low;

	multiply(a, b, &high, &low);
	return high < by ? divide(high, low, by) : UINT64_MAX;
}

bool pmudev_scale(uint64_t value, uint64_t enabled, uint64_t running, uint64_t *whole)
{
	if (!running || !whole)
		return false;
	*whole = running < enabled ? pmudev_muldiv(value, enabled, running) : value;
	return true;
}
