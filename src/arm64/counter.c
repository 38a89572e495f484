// SPDX-License-Identifier: GPL-2.0
/* One PMUv3 counter, by index. */
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

static u64 read_config(unsigned int counter)
{
	if (counter < PMUDEV_FIXED_BASE)
		return read_pmevtyper(counter);
	/* PMICFILTR_EL0.evtCount reads as INST_RETIRED. */
	return (counter == PMUV3_CYCLE_COUNTER ? read_pmccfiltr() : read_pmicfiltr()) &
	       ~PMUV3_TYPER_EVENT;
}

static void verify_counter(const struct pmudev_hw *hw)
{
	u64 config = hw->config, found = read_config(hw->counter);
	u64 value = pmuv3_read_counter(hw->counter);

	if (hw->counter >= PMUDEV_FIXED_BASE)
		config &= ~PMUV3_TYPER_EVENT;
	WARN(found != config || (value ^ hw->value) & pmudev_width_mask(hw->width),
	     "pmudev: counter %u: selector %#llx, expected %#llx; value %#llx, expected %#llx\n",
	     hw->counter, found, config, value, hw->value);
}

/* Debug kernels: warn if the registers of stopped counters differ from the events. */
void pmuv3_verify(struct pmudev_hw *const *hw, unsigned int nr)
{
	struct pmudev_hw low, high;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		low = *hw[i];
		if (low.chained) {
			high = pmuv3_high_half(&low);
			verify_counter(&high);
			low.width = 32;
		}
		verify_counter(&low);
	}
}
