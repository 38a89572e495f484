// SPDX-License-Identifier: GPL-2.0
/*
 * Chained events: without FEAT_PMUv3p5, a 64-bit count takes two 32-bit counters. The even counter
 * counts the event; the odd one counts its overflows (common event CHAIN).
 */
#include "pmuv3.h"
#include "regs.h"

/* The barriers keep the order that pmudev_chained_raw() requires. */
static u64 read_live(unsigned int even)
{
	u32 high, low, high_after, low_after;

	high = read_pmevcntr(even + 1);
	isb();
	low = read_pmevcntr(even);
	isb();
	high_after = read_pmevcntr(even + 1);
	isb();
	low_after = read_pmevcntr(even);
	return pmudev_chained_raw(high, low, high_after, low_after);
}

/**
 * pmuv3_read_chained - read the two counters of a chained event
 * @even: the even counter
 * @live: the counters may be counting
 *
 * Return: the 64-bit value.
 */
u64 pmuv3_read_chained(unsigned int even, bool live)
{
	if (live)
		return read_live(even);
	return read_pmevcntr(even + 1) << 32 | (u32)read_pmevcntr(even);
}

/* The odd counter of a chained event, as an event of its own */
struct pmudev_hw pmuv3_high_half(const struct pmudev_hw *hw)
{
	return (struct pmudev_hw){
		.config = PMUV3_HIGH_HALF,
		.value = hw->value >> 32,
		.counter = hw->counter + 1,
		.width = 32,
	};
}

static bool holds_high_half(const struct pmuv3_shadow *shadow, const struct pmudev_hw *hw)
{
	return shadow->config == PMUV3_HIGH_HALF && shadow->value == hw->value &&
	       (u32)read_pmevcntr(hw->counter + 1) == hw->value >> 32;
}

/* Write the registers of a chained event's stopped odd counter, if they differ. */
void pmuv3_program_high_half(struct pmuv3_cpu *cpuc, const struct pmudev_hw *hw)
{
	unsigned int odd = hw->counter + 1;
	struct pmuv3_shadow *shadow = &cpuc->shadow[odd];

	if (holds_high_half(shadow, hw))
		return;
	if (shadow->config != PMUV3_HIGH_HALF) {
		pmuv3_write_config(odd, PMUV3_HIGH_HALF);
		shadow->config = PMUV3_HIGH_HALF;
	}
	write_pmevcntr(odd, hw->value >> 32);
}
