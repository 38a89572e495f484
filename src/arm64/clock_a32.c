// SPDX-License-Identifier: GPL-2.0
/* The clock of times where a long has 32 bits: the timer's, of which get_cycles() is half. */
#include <clocksource/arm_arch_timer.h>

#include <pmudev/backend.h>

u64 pmudev_clock(void)
{
	return arch_timer_read_counter();
}
