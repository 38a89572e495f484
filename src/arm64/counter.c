// SPDX-License-Identifier: GPL-2.0
/*
 * One PMUv3 counter, by index, and chained events: without FEAT_PMUv3p5, a 64-bit count takes two
 * 32-bit counters. The even one counts the event, the odd one its overflows (common event CHAIN).
 */
#include "pmuv3.h"
#include "regs.h"

u64 pmuv3_read_counter(unsigned int counter)
{
	return read_any_counter(counter);
}

void pmuv3_write_counter(unsigned int counter, u64 value)
{
	write_any_counter(counter, value);
}

void pmuv3_write_config(unsigned int counter, u64 config)
{
	/* Fixed counters select no event: evtCount is reserved in their filter registers. */
	if (counter < PMUDEV_FIXED_BASE)
		write_pmevtyper(counter, config);
	else if (counter == PMUV3_CYCLE_COUNTER)
		write_pmccfiltr(config & ~PMUV3_TYPER_EVENT);
	else
		write_pmicfiltr(config & ~PMUV3_TYPER_EVENT);
}

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

u64 pmuv3_read_chained(unsigned int even, bool live)
{
	if (live)
		return read_live(even);
	return read_pmevcntr(even + 1) << 32 | (u32)read_pmevcntr(even);
}

void pmuv3_program_high_half(struct pmuv3_cpu *cpuc, const struct pmudev_hw *hw)
{
	unsigned int odd = hw->counter + 1;
	struct pmuv3_shadow *shadow = &cpuc->shadow[odd];

	if (shadow->config != PMUV3_HIGH_HALF) {
		pmuv3_write_config(odd, PMUV3_HIGH_HALF);
		shadow->config = PMUV3_HIGH_HALF;
	} else if (shadow->value == hw->value && (u32)read_pmevcntr(odd) == hw->value >> 32) {
		return;
	}
	write_any_counter(odd, hw->value >> 32);
}
