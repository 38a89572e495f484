/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests know of a CPU: its instructions that read counters, a loop of known length, and
 * system calls without a library around them, so that the same call is the same number of
 * instructions each time. Each architecture's header defines
 *
 *   EVENT_INSTRUCTIONS, EVENT_CYCLES	raw events that every machine of the tests has
 *   PMU_ARCH				struct pmudev_query.arch
 *   FIXED_COUNTER, FIXED_OPERAND	a fixed counter that every machine has, and its
 *					operand; on AMD, which has none, another one
 *   FIXED_EVENT			the one of the two events above that it counts
 *   LEFT_TO_PERF			event counters that multiplexed groups leave to perf
 *   RAW_CONFIG				bits that a raw event may have
 *   FAULT_SIGNAL			of a thread that reads a counter without the right to
 *   RIGHT_OF_THE_PROCESS		1: all threads of a process with a page have the right
 *					to read, 0: those that are counted
 *   LOOP_INSTRUCTIONS			retired by one round of loop()
 *   EMULATED_CYCLES			cycles of each instruction in the emulator
 *
 *   loop(n)				n rounds, n > 0
 *   raw_call(nr, a, b, c)		a system call
 *   raw_call4(nr, a, b, c, d)		one with four arguments
 *   SPIN_CODE				spin_forever(), and spin_round, where each round begins
 *   SPIN_INSTRUCTIONS, SPIN_BYTES	of one round
 *   spin_phase(offset)			instructions done between SPIN_INSTRUCTIONS times the
 *					rounds counted and this offset of a round
 *   read_clock()			the clock behind the user page's times
 *   operand_of(counter)		struct pmudev_slot.operand of a counter
 *   counter(operand)			what is in it; faults without the right to read it
 *   skip_counter(context)		moves a signal's context behind counter()'s instruction
 *   cycle_counters(mask)		those of these counters that can count cycles
 *   event_on(counter, flags)		an event that this counter can count, on this one
 *   clock_hz()				ticks a second of read_clock(), if the CPU says so, else 0
 *   long_limit(query)			limit of PMUDEV_WHY_WIDTH where LONG is refused
 *   cpu_id()				struct pmudev_query.cpu_id
 */
#ifndef PMUDEV_TEST_ARCH_H
#define PMUDEV_TEST_ARCH_H

#include <linux/pmudev.h>

#if defined(__aarch64__)
#include "arch_arm64.h"
#elif defined(__x86_64__)
#include "arch_x86.h"
#elif defined(__arm__)
#include "arch_arm.h"
#else
#error "the tests know arm64, arm and x86-64 only"
#endif

/* Forever: each round adds 1 to *rounds, which was 0. The one file that uses it has SPIN_CODE. */
void __attribute__((noreturn)) spin_forever(__u64 *rounds);
extern const char spin_round[];

static inline void barrier(void)
{
	asm volatile("" : : : "memory");
}

#endif /* PMUDEV_TEST_ARCH_H */
