// SPDX-License-Identifier: GPL-2.0
/* The clock on 32-bit kernels: get_cycles() returns half of the architected timer. */
#include <clocksource/arm_arch_timer.h>

#include <pmudev/backend.h>

u64 pmudev_clock(void)
{
	return arch_timer_read_counter();
}
