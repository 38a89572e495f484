/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests know of a CPU: its instructions that read counters, a loop of known length, and
 * system calls without a library around them, so that the same call is the same number of
 * instructions each time.
 */
#ifndef PMUDEV_TEST_ARCH_H
#define PMUDEV_TEST_ARCH_H

#include <linux/types.h>

#if !defined(__aarch64__)
#error "the tests know arm64 only so far"
#endif

/* Raw events (Arm ARM, PMUv3 common events). */
#define EVENT_SW_INCR	   0x00
#define EVENT_INSTRUCTIONS 0x08
#define EVENT_CYCLES	   0x11

/* Counter of the cycles, and what struct pmudev_slot.operand calls it. */
#define CYCLE_COUNTER 32
#define CYCLE_OPERAND 31

/* Instructions retired by one round of loop(). */
#define LOOP_INSTRUCTIONS 2

/* n must not be 0. */
static inline __attribute__((always_inline)) void loop(__u64 n)
{
	asm volatile("1:	subs	%0, %0, #1\n\tb.ne	1b" : "+r"(n) : : "cc");
}

static inline void barrier(void)
{
	asm volatile("" : : : "memory");
}

static inline __attribute__((always_inline)) long raw_call(long nr, long a, long b, long c)
{
	register long x8 asm("x8") = nr;
	register long x0 asm("x0") = a;
	register long x1 asm("x1") = b;
	register long x2 asm("x2") = c;

	asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
}

#define READ_REGISTER(reg)                                    \
	({                                                    \
		__u64 __value;                                \
		asm volatile("mrs %0, " reg : "=r"(__value)); \
		__value;                                      \
	})

/* The virtual counter, the clock behind the user page's times. */
static inline __u64 read_clock(void)
{
	__u64 value;

	asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
	return value;
}

/* Counter by struct pmudev_slot.operand; faults without the right to read it. */
static inline __attribute__((always_inline)) __u64 counter(__u32 operand)
{
	__u64 value;

	switch (operand) {
#define COUNTER(n)                                           \
	case n:                                              \
		value = READ_REGISTER("pmevcntr" #n "_el0"); \
		break
		COUNTER(0);
		COUNTER(1);
		COUNTER(2);
		COUNTER(3);
		COUNTER(4);
		COUNTER(5);
		COUNTER(6);
		COUNTER(7);
		COUNTER(8);
		COUNTER(9);
		COUNTER(10);
		COUNTER(11);
		COUNTER(12);
		COUNTER(13);
		COUNTER(14);
		COUNTER(15);
		COUNTER(16);
		COUNTER(17);
		COUNTER(18);
		COUNTER(19);
		COUNTER(20);
		COUNTER(21);
		COUNTER(22);
		COUNTER(23);
		COUNTER(24);
		COUNTER(25);
		COUNTER(26);
		COUNTER(27);
		COUNTER(28);
		COUNTER(29);
		COUNTER(30);
#undef COUNTER
	case CYCLE_OPERAND:
		value = READ_REGISTER("pmccntr_el0");
		break;
	default:
		value = READ_REGISTER("s3_3_c9_c4_0"); /* PMICNTR_EL0 */
		break;
	}
	return value;
}

/* PMSELR_EL0 and the counter it selects: PMUSERENR_EL0.ER gives both to user mode. */
static inline __u64 read_selector(void)
{
	return READ_REGISTER("pmselr_el0");
}

static inline void write_selector(__u64 value)
{
	asm volatile("msr pmselr_el0, %0\n\tisb" : : "r"(value) : "memory");
}

static inline __u64 read_selected(void)
{
	return READ_REGISTER("pmxevcntr_el0");
}

#endif /* PMUDEV_TEST_ARCH_H */
