/* SPDX-License-Identifier: MIT */
/*
 * pmudev_counter.h - the instructions that read a counter, and the clock
 *
 * Included by pmudev_read.h. The operand is that of struct pmudev_slot.
 *
 * The instruction is not ordered against its neighbours: the CPU may read the counter a few
 * instructions early or late. This is noise of a few instructions, never a wrong value. Where it
 * matters, call pmudev_isb() before and after the read; each costs about ten cycles.
 */
#ifndef PMUDEV_COUNTER_H
#define PMUDEV_COUNTER_H

#include <stdint.h>

#include <linux/pmudev.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How these headers define the functions that programs call. The library also exports each of them,
 * for languages that cannot use inline functions of C (ffi.c). Other inline functions of these
 * headers are parts of these.
 */
#ifdef PMUDEV_EXTERN_INLINE
#define PMUDEV_INLINE extern inline
#else
#define PMUDEV_INLINE static inline
#endif

#if defined(__GNUC__) && !defined(__clang__)
#define PMUDEV_UNROLL() _Pragma("GCC unroll 16")
#else
#define PMUDEV_UNROLL() _Pragma("unroll")
#endif

/*
 * PMUDEV_CAN_READ: these programs can read counters. PMUDEV_CAN_CHAIN: some events may be on two
 * chained counters (PMUDEV_SLOT_CHAIN).
 */
#if defined(PMUDEV_FAKE_COUNTER)
/* For tests, which define pmudev_counter() and pmudev_clock() before they include this file. */
#define PMUDEV_CAN_READ	1
#define PMUDEV_CAN_CHAIN 1

#elif defined(__aarch64__)
#define PMUDEV_CAN_READ	1
#define PMUDEV_CAN_CHAIN 1

/*
 * A system register's number is part of the instruction, so there is one instruction per register:
 * the operand is the index into a table of equally large entries. Registers are given by number
 * (op0_op1_CRn_CRm_op2) because assemblers know few of them by name. Each instruction is on its own
 * line, because compilers count lines to estimate the size for their branches.
 */
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define PMUDEV_ENTRY(reg)	"bti j\n\tmrs %[raw], " reg "\n\tb 2f\n\tnop\n\t"
#define PMUDEV_ENTRY_SHIFT	"4"
#else
#define PMUDEV_ENTRY(reg)	"mrs %[raw], " reg "\n\tb 2f\n\t"
#define PMUDEV_ENTRY_SHIFT	"3"
#endif

PMUDEV_INLINE __attribute__((__always_inline__)) uint64_t pmudev_counter(uint32_t operand)
{
	uint64_t raw, entry;

	/* clang-format off */
	__asm__ __volatile__("adr %[entry], 1f\n\t"
		"add %[entry], %[entry], %w[operand], uxtw #" PMUDEV_ENTRY_SHIFT "\n\t"
		"br %[entry]\n"
		"1:\n\t"
		/* 0..30: PMEVCNTR<n>_EL0 is S3_3_C14_C<8 + n / 8>_<n % 8> */
		PMUDEV_ENTRY("S3_3_C14_C8_0") PMUDEV_ENTRY("S3_3_C14_C8_1")
		PMUDEV_ENTRY("S3_3_C14_C8_2") PMUDEV_ENTRY("S3_3_C14_C8_3")
		PMUDEV_ENTRY("S3_3_C14_C8_4") PMUDEV_ENTRY("S3_3_C14_C8_5")
		PMUDEV_ENTRY("S3_3_C14_C8_6") PMUDEV_ENTRY("S3_3_C14_C8_7")
		PMUDEV_ENTRY("S3_3_C14_C9_0") PMUDEV_ENTRY("S3_3_C14_C9_1")
		PMUDEV_ENTRY("S3_3_C14_C9_2") PMUDEV_ENTRY("S3_3_C14_C9_3")
		PMUDEV_ENTRY("S3_3_C14_C9_4") PMUDEV_ENTRY("S3_3_C14_C9_5")
		PMUDEV_ENTRY("S3_3_C14_C9_6") PMUDEV_ENTRY("S3_3_C14_C9_7")
		PMUDEV_ENTRY("S3_3_C14_C10_0") PMUDEV_ENTRY("S3_3_C14_C10_1")
		PMUDEV_ENTRY("S3_3_C14_C10_2") PMUDEV_ENTRY("S3_3_C14_C10_3")
		PMUDEV_ENTRY("S3_3_C14_C10_4") PMUDEV_ENTRY("S3_3_C14_C10_5")
		PMUDEV_ENTRY("S3_3_C14_C10_6") PMUDEV_ENTRY("S3_3_C14_C10_7")
		PMUDEV_ENTRY("S3_3_C14_C11_0") PMUDEV_ENTRY("S3_3_C14_C11_1")
		PMUDEV_ENTRY("S3_3_C14_C11_2") PMUDEV_ENTRY("S3_3_C14_C11_3")
		PMUDEV_ENTRY("S3_3_C14_C11_4") PMUDEV_ENTRY("S3_3_C14_C11_5")
		PMUDEV_ENTRY("S3_3_C14_C11_6")
		/* 31: PMCCNTR_EL0, 32: PMICNTR_EL0 */
		PMUDEV_ENTRY("S3_3_C9_C13_0")
		PMUDEV_ENTRY("S3_3_C9_C4_0")
		"2:"
		: [raw] "=r"(raw), [entry] "=&r"(entry)
		: [operand] "r"(operand)
		: "memory");
	/* clang-format on */
	return raw;
}

PMUDEV_INLINE __attribute__((__always_inline__)) uint64_t pmudev_clock(void)
{
	uint64_t now;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(now) : : "memory");
	return now;
}

PMUDEV_INLINE void pmudev_isb(void)
{
	__asm__ __volatile__("isb" : : : "memory");
}

#elif defined(__x86_64__) || defined(__i386__)
#define PMUDEV_CAN_READ	1
#define PMUDEV_CAN_CHAIN 0

/* RDPMC and RDTSC leave EDX:EAX; in 64-bit mode the upper halves of RDX and RAX are cleared. */
#ifdef __x86_64__
typedef uint64_t pmudev_half_t;
#else
typedef uint32_t pmudev_half_t;
#endif

PMUDEV_INLINE __attribute__((__always_inline__)) uint64_t pmudev_counter(uint32_t operand)
{
	pmudev_half_t low, high;

	__asm__ __volatile__("rdpmc" : "=a"(low), "=d"(high) : "c"(operand) : "memory");
	return (uint64_t)high << 32 | low;
}

/*
 * Not ordered, like the counters: an interrupt between the two loads of @seq repeats the whole
 * read, so the time belongs to the counts without a fence.
 */
PMUDEV_INLINE __attribute__((__always_inline__)) uint64_t pmudev_clock(void)
{
	pmudev_half_t low, high;

	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

PMUDEV_INLINE void pmudev_isb(void)
{
	__asm__ __volatile__("lfence" : : : "memory");
}

#else
/* Among others 32-bit programs on arm64: all reads use the system call. */
#define PMUDEV_CAN_READ	0
#define PMUDEV_CAN_CHAIN 0

PMUDEV_INLINE __attribute__((__always_inline__)) uint64_t pmudev_counter(uint32_t operand)
{
	(void)operand;
	return 0;
}

PMUDEV_INLINE __attribute__((__always_inline__)) uint64_t pmudev_clock(void)
{
	return 0;
}

PMUDEV_INLINE void pmudev_isb(void)
{
}
#endif

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_COUNTER_H */
