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
	config &= ~PMUV3_INTERRUPT;
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

void pmuv3_set_interrupt(struct pmuv3_cpu *cpuc, unsigned int counter, bool enable)
{
	u64 bit = pmuv3_enable_bits(BIT_ULL(counter));

	if (enable)
		cpuc->interrupts |= BIT_ULL(counter);
	else
		cpuc->interrupts &= ~BIT_ULL(counter);
	if (!enable || cpuc->masked) {
		write_pmintenclr(bit);
		return;
	}
	/* An overflow of what was here before. */
	write_pmovsclr(bit);
	write_pmintenset(bit);
}

void pmuv3_interrupts(bool enable)
{
	struct pmuv3_cpu *cpuc = this_cpu_ptr(&pmuv3_cpus);
	u64 bits = pmuv3_enable_bits(cpuc->interrupts);

	if (!enable) {
		write_pmintenclr(bits);
	} else if (bits) {
		write_pmovsclr(bits);
		/* Unless they do already. */
		if (cpuc->masked)
			write_pmintenset(bits);
	}
	cpuc->masked = !enable;
	/* Counters are read after this. */
	isb();
}

void pmuv3_program_high_half(struct pmuv3_cpu *cpuc, const struct pmudev_hw *hw)
{
	/* The whole count overflows where its high half does. */
	u64 config = PMUV3_HIGH_HALF | (hw->config & PMUV3_INTERRUPT);
	unsigned int odd = hw->counter + 1;
	struct pmuv3_shadow *shadow = &cpuc->shadow[odd];

	if (shadow->config != config) {
		pmuv3_write_config(odd, config);
		if ((shadow->config | config) & PMUV3_INTERRUPT)
			pmuv3_set_interrupt(cpuc, odd, config & PMUV3_INTERRUPT);
		shadow->config = config;
	} else if (shadow->value == hw->value && (u32)read_pmevcntr(odd) == hw->value >> 32) {
		return;
	}
	write_any_counter(odd, hw->value >> 32);
}
