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
