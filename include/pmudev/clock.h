/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of all times: 64 bits, never wraps, readable by user mode where clock_hz says so. */
#ifndef _PMUDEV_CLOCK_H
#define _PMUDEV_CLOCK_H

#include <linux/timex.h>
#include <linux/types.h>

/**
 * pmudev_clock - read the clock of this CPU
 *
 * get_cycles() has the width of a long. 32-bit backends provide a function instead.
 *
 * Return: ticks; their rate is struct pmudev_pmu_info.clock_hz.
 */
#ifdef CONFIG_64BIT
static __always_inline u64 pmudev_clock(void)
{
	return get_cycles();
}
#else
u64 pmudev_clock(void);
#endif

#endif /* _PMUDEV_CLOCK_H */
