/* SPDX-License-Identifier: GPL-2.0 */
/* arm64: see arch.h */
#ifndef PMUDEV_TEST_ARCH_ARM64_H
#define PMUDEV_TEST_ARCH_ARM64_H

#include <ucontext.h>

/* Raw events (Arm ARM, PMUv3 common events). */
#define EVENT_INSTRUCTIONS 0x08
#define EVENT_CYCLES	   0x11

#define PMU_ARCH   PMUDEV_ARCH_ARM64
#define RAW_CONFIG 0xffffULL
/* Of cycles. */
#define FIXED_COUNTER 32
#define FIXED_EVENT   EVENT_CYCLES
#define FIXED_OPERAND 31
/* PMICNTR_EL0, where it exists. */
#define INSTRUCTION_COUNTER 33

/* An event of perf's keeps one counter while the PMU is pmudev's. */
#define LEFT_TO_PERF	     1
#define FAULT_SIGNAL	     SIGILL
#define RIGHT_OF_THE_PROCESS 0

#define LOOP_INSTRUCTIONS 2
#define EMULATED_CYCLES	  1

static inline __attribute__((always_inline)) void loop(__u64 n)
{
	asm volatile("1:	subs	%0, %0, #1\n\tb.ne	1b" : "+r"(n) : : "cc");
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

static inline __attribute__((always_inline)) long raw_call4(long nr, long a, long b, long c, long d)
{
	register long x8 asm("x8") = nr;
	register long x0 asm("x0") = a;
	register long x1 asm("x1") = b;
	register long x2 asm("x2") = c;
	register long x3 asm("x3") = d;

	asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

/* See arch.h. One round: add, store, jump. */
#define SPIN_INSTRUCTIONS 3
#define SPIN_BYTES	  12
#define SPIN_CODE                                           \
	asm(".text\n\t.globl spin_forever, spin_round\n\t.align 2\n" \
	    "spin_forever:	mov	x1, #0\n"                  \
	    "spin_round:\n"                               \
	    "1:	add	x1, x1, #1\n"                      \
	    "	str	x1, [x0]\n"                        \
	    "	b	1b")

static inline int spin_phase(unsigned int offset)
{
	return offset == 0 ? 0 : offset == 4 ? 1 : -1;
}

#define READ_REGISTER(reg)                                    \
	({                                                    \
		__u64 __value;                                \
		asm volatile("mrs %0, " reg : "=r"(__value)); \
		__value;                                      \
	})

static inline __u64 read_clock(void)
{
	__u64 value;

	asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
	return value;
}

static inline __u32 operand_of(unsigned int counter)
{
	return counter < FIXED_COUNTER ? counter : counter - 1;
}

static inline void skip_counter(ucontext_t *context)
{
	context->uc_mcontext.pc += 4;
}

static inline __u64 cycle_counters(__u64 counters)
{
	return counters & 0x1ffffffffULL;
}

static inline struct pmudev_event_attr event_on(unsigned int counter, __u32 flags)
{
	struct pmudev_event_attr attr = {
		.type = PMUDEV_TYPE_RAW,
		.flags = flags | PMUDEV_COUNTER,
		.config = counter == INSTRUCTION_COUNTER ? EVENT_INSTRUCTIONS : EVENT_CYCLES,
		.counter = counter,
	};

	return attr;
}

static inline __u64 long_limit(const struct pmudev_query *query)
{
	return query->width;
}

static inline __u64 clock_hz(void)
{
	return READ_REGISTER("cntfrq_el0");
}

static inline __u64 cpu_id(void)
{
	return READ_REGISTER("midr_el1");
}

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
	case FIXED_OPERAND:
		value = READ_REGISTER("pmccntr_el0");
		break;
	default:
		value = READ_REGISTER("s3_3_c9_c4_0"); /* PMICNTR_EL0 */
		break;
	}
	return value;
}

#endif /* PMUDEV_TEST_ARCH_ARM64_H */
