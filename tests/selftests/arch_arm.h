/* SPDX-License-Identifier: GPL-2.0 */
/* 32-bit arm, in A32 code: see arch.h */
#ifndef PMUDEV_TEST_ARCH_ARM_H
#define PMUDEV_TEST_ARCH_ARM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* The kernels of the tests have no driver of perf's for the PMU. */
#define LEFT_TO_PERF	     0
#define FAULT_SIGNAL	     SIGILL
#define RIGHT_OF_THE_PROCESS 0

#define LOOP_INSTRUCTIONS 2
#define EMULATED_CYCLES	  1

static inline __attribute__((always_inline)) void loop(__u64 n)
{
	__u32 left = n;

	asm volatile("1:	subs	%0, %0, #1\n\tbne	1b" : "+r"(left) : : "cc");
}

static inline __attribute__((always_inline)) long raw_call(long nr, long a, long b, long c)
{
	register long r7 asm("r7") = nr;
	register long r0 asm("r0") = a;
	register long r1 asm("r1") = b;
	register long r2 asm("r2") = c;

	asm volatile("svc #0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
	return r0;
}

static inline __attribute__((always_inline)) long raw_call4(long nr, long a, long b, long c, long d)
{
	register long r7 asm("r7") = nr;
	register long r0 asm("r0") = a;
	register long r1 asm("r1") = b;
	register long r2 asm("r2") = c;
	register long r3 asm("r3") = d;

	asm volatile("svc #0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2), "r"(r3) : "memory");
	return r0;
}

/* See arch.h. One round: add, store, jump; 32 bits of a count that is never higher. */
#define SPIN_INSTRUCTIONS 3
#define SPIN_BYTES	  12
#define SPIN_CODE                                                              \
	asm(".text\n\t.arm\n\t.globl spin_forever, spin_round\n\t.align 2\n"   \
	    "	.type	spin_forever, %function\n"                             \
	    "spin_forever:	mov	r1, #0\n"                              \
	    "spin_round:\n"                                                    \
	    "1:	add	r1, r1, #1\n"                                          \
	    "	str	r1, [r0]\n"                                            \
	    "	b	1b")

static inline int spin_phase(unsigned int offset)
{
	return offset == 0 ? 0 : offset == 4 ? 1 : -1;
}

static inline __u64 read_clock(void)
{
	__u64 value;

	asm volatile("isb\n\tmrrc p15, 1, %Q0, %R0, c14" : "=r"(value) : : "memory");
	return value;
}

static inline __u32 operand_of(unsigned int counter)
{
	return counter < FIXED_COUNTER ? counter : counter - 1;
}

static inline void skip_counter(ucontext_t *context)
{
	context->uc_mcontext.arm_pc += 4;
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
		.config = EVENT_CYCLES,
		.counter = counter,
	};

	return attr;
}

static inline __u64 long_limit(const struct pmudev_query *query)
{
	return query->width;
}

/* CNTFRQ */
static inline __u64 clock_hz(void)
{
	__u32 value;

	asm volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(value));
	return value;
}

/* MIDR, which user mode cannot read: as the kernel prints it. */
static inline __u64 cpu_id(void)
{
	static const struct {
		const char *name;
		unsigned int shift;
	} fields[4] = {
		{ "CPU implementer", 24 },
		{ "CPU variant", 20 },
		{ "CPU part", 4 },
		{ "CPU revision", 0 },
	};
	__u64 id = 0xf << 16; /* the architecture: by ID registers */
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[200];
	unsigned int i;
	char *value;

	/* One kind of CPU: the last is like the others. */
	while (file && fgets(line, sizeof(line), file)) {
		value = strchr(line, ':');
		for (i = 0; value && i < 4; i++)
			if (!strncmp(line, fields[i].name, strlen(fields[i].name)))
				id |= strtoul(value + 1, NULL, 0) << fields[i].shift;
	}
	if (file)
		fclose(file);
	return id;
}

static inline __attribute__((always_inline)) __u64 counter(__u32 operand)
{
	__u32 value;
	__u64 wide;

	switch (operand) {
#define COUNTER(n)                                                   \
	case n:                                                      \
		asm volatile("mrc p15, 0, %0, c14, c8, " #n : "=r"(value)); \
		wide = value;                                        \
		break
		COUNTER(0);
		COUNTER(1);
		COUNTER(2);
		COUNTER(3);
		COUNTER(4);
		COUNTER(5);
#undef COUNTER
	default:
		asm volatile("mrrc p15, 0, %Q0, %R0, c9" : "=r"(wide));
		break;
	}
	return wide;
}

#endif /* PMUDEV_TEST_ARCH_ARM_H */
