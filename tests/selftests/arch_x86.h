/* SPDX-License-Identifier: GPL-2.0 */
/* x86-64: see arch.h */
#ifndef PMUDEV_TEST_ARCH_X86_H
#define PMUDEV_TEST_ARCH_X86_H

#include <cpuid.h>
#include <stdbool.h>
#include <ucontext.h>

/* CPUID.0H says "AuthenticAMD"; the emulator has no other vendor besides Intel. */
static bool is_amd;

static inline __attribute__((constructor)) void find_vendor(void)
{
	__u32 eax, ebx, ecx, edx;

	__cpuid(0, eax, ebx, ecx, edx);
	is_amd = ebx == signature_AMD_ebx;
}

/*
 * Raw events: event number, unit mask in bits 15:8 (SDM, architectural events; AMD's PPRs). The
 * reference cycles are Intel's alone.
 */
#define EVENT_INSTRUCTIONS 0x00c0
#define EVENT_CYCLES	   (is_amd ? AMD_CYCLES : INTEL_CYCLES)
#define EVENT_REF_CYCLES   0x013c
#define EVENT_BRANCHES	   (is_amd ? AMD_BRANCHES : INTEL_BRANCHES)

#define INTEL_CYCLES   0x003c
#define INTEL_BRANCHES 0x00c4
#define AMD_CYCLES     0x0076
#define AMD_BRANCHES   0x00c2

/* Intel's fixed counters, by what they count. */
#define FIXED_INSTRUCTIONS 32
#define FIXED_CYCLES	   33
#define FIXED_REF_CYCLES   34

/*
 * AMD has none: one of the others takes their place where any will do, but not that of the tests
 * that choose a programmable one, too (direct.h).
 */
#define PMU_ARCH      (is_amd ? PMUDEV_ARCH_AMD : PMUDEV_ARCH_INTEL)
#define RAW_CONFIG    (is_amd ? 0xf7f84ffffULL : 0xff84ffffULL)
#define FIXED_COUNTER (is_amd ? 3U : FIXED_INSTRUCTIONS)
#define FIXED_EVENT   EVENT_INSTRUCTIONS
#define FIXED_OPERAND (is_amd ? 3U : 1U << 30)

#define LEFT_TO_PERF	     0
#define FAULT_SIGNAL	     SIGSEGV
#define RIGHT_OF_THE_PROCESS 1

#define LOOP_INSTRUCTIONS 2
#define LOOP_BRANCHES	  1
#define EMULATED_CYCLES	  2

static inline __attribute__((always_inline)) void loop(__u64 n)
{
	asm volatile("1:	dec	%0\n\tjnz	1b" : "+r"(n) : : "cc");
}

static inline __attribute__((always_inline)) long raw_call(long nr, long a, long b, long c)
{
	asm volatile("syscall" : "+a"(nr) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return nr;
}

static inline __attribute__((always_inline)) long raw_call4(long nr, long a, long b, long c, long d)
{
	register long r10 asm("r10") = d;

	asm volatile("syscall"
		     : "+a"(nr)
		     : "D"(a), "S"(b), "d"(c), "r"(r10)
		     : "rcx", "r11", "memory");
	return nr;
}

/* See arch.h. One round: increment, jump. */
#define SPIN_INSTRUCTIONS 2
#define SPIN_BYTES	  5
#define SPIN_CODE                                    \
	asm(".text\n\t.globl spin_forever, spin_round\n"    \
	    "spin_forever:\n"                                \
	    "spin_round:\n"                          \
	    "1:	incq	(%rdi)\n"                   \
	    "	jmp	1b")

static inline int spin_phase(unsigned int offset)
{
	return offset ? -1 : 0;
}

static inline __u64 read_clock(void)
{
	__u32 low, high;

	asm volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (__u64)high << 32 | low;
}

/* RDPMC's ECX: bit 30 for the fixed counters. */
static inline __u32 operand_of(unsigned int counter)
{
	return counter < 32 ? counter : 1U << 30 | (counter - 32);
}

static inline __attribute__((always_inline)) __u64 counter(__u32 operand)
{
	__u32 low, high;

	asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(operand) : "memory");
	return (__u64)high << 32 | low;
}

static inline void skip_counter(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_RIP] += 2;
}

static inline __u64 cycle_counters(__u64 counters)
{
	return counters & (0xffffffffULL | 1ULL << FIXED_CYCLES);
}

static inline struct pmudev_event_attr event_on(unsigned int counter, __u32 flags)
{
	struct pmudev_event_attr attr = {
		.type = PMUDEV_TYPE_RAW,
		.flags = flags | PMUDEV_COUNTER,
		.config = counter == FIXED_COUNTER ? FIXED_EVENT : EVENT_CYCLES,
		.counter = counter,
	};

	/* It counts at another rate than the raw event does. */
	if (counter == FIXED_REF_CYCLES) {
		attr.type = PMUDEV_TYPE_GENERIC;
		attr.config = PMUDEV_REF_CYCLES;
	}
	return attr;
}

static inline __u64 long_limit(const struct pmudev_query *query)
{
	return is_amd ? query->width : query->width_fixed;
}

/* CPUID.15H: the TSC as a fraction of a crystal's frequency. */
static inline __u64 clock_hz(void)
{
	__u32 eax = 0, ebx = 0, ecx = 0, edx = 0;

	__get_cpuid(0x15, &eax, &ebx, &ecx, &edx);
	return eax && ecx ? (__u64)ecx * ebx / eax : 0;
}

/* CPUID.01H:EAX */
static inline __u64 cpu_id(void)
{
	__u32 eax, ebx, ecx, edx;

	__cpuid(1, eax, ebx, ecx, edx);
	return eax;
}

#endif /* PMUDEV_TEST_ARCH_X86_H */
