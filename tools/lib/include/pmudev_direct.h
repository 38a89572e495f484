/* SPDX-License-Identifier: MIT */
/*
 * pmudev_direct.h - DIRECT events: read with the bare instruction, without a check
 *
 * See "DIRECT events" in <linux/pmudev.h> for what you can rely on, and for how long.
 *
 *	pmudev_direct_begin(&set, slot, &direct);
 *	from = PMUDEV_DIRECT_READ(3);		or pmudev_direct_value(&direct)
 *	...
 *	to = PMUDEV_DIRECT_READ(3);
 *	if (pmudev_direct_holds(&direct))
 *		events = pmudev_direct_since(&direct, from, to);
 *
 * The instruction faults in any thread but the owner, and while the page is not mapped.
 */
#ifndef PMUDEV_DIRECT_H
#define PMUDEV_DIRECT_H

#include <pmudev_read.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmudev;

/* The read instruction's operand for the counter with this index. */
#if defined(__x86_64__) || defined(__i386__)
#define PMUDEV_OPERAND(counter) \
	((counter) < PMUDEV_FIXED_BASE ? (counter) : 1U << 30 | ((counter) - PMUDEV_FIXED_BASE))
#else
#define PMUDEV_OPERAND(counter) ((counter) < PMUDEV_FIXED_BASE ? (counter) : (counter) - 1)
#endif

/**
 * PMUDEV_DIRECT_READ() - read a counter
 * @counter: its index, an integer constant: 0..30 or 32 (the cycle counter) or 33 on arm64
 *
 * One mrs; on x86 a mov that selects the counter, rdpmc, and two instructions that join the halves.
 */
#if defined(PMUDEV_FAKE_COUNTER) || defined(__x86_64__) || defined(__i386__)
#define PMUDEV_DIRECT_READ(counter) pmudev_counter(PMUDEV_OPERAND(counter))
#elif defined(__aarch64__)
/* clang-format off */
#define PMUDEV_DIRECT_READ(counter)						\
	(__extension__({							\
		uint64_t __pmudev_raw;						\
										\
		__asm__ __volatile__(						\
			".irp crm, 8, 9, 10, 11\n\t"				\
			".irp op2, 0, 1, 2, 3, 4, 5, 6, 7\n\t"			\
			".if %c1 == (\\crm - 8) * 8 + \\op2 && %c1 < 31\n\t"	\
			"mrs %0, S3_3_C14_C\\crm\\()_\\op2\n\t"			\
			".endif\n\t"						\
			".endr\n\t"						\
			".endr\n\t"						\
			".if %c1 == 32\n\t"					\
			"mrs %0, S3_3_C9_C13_0\n\t"				\
			".elseif %c1 == 33\n\t"					\
			"mrs %0, S3_3_C9_C4_0\n\t"				\
			".elseif %c1 > 30\n\t"					\
			".error \"no such counter\"\n\t"			\
			".endif"						\
			: "=r"(__pmudev_raw) : "i"(counter) : "memory");	\
		__pmudev_raw;							\
	}))
/* clang-format on */
#endif

/**
 * struct pmudev_direct - a DIRECT event at the start of a measurement
 * @page: the user page
 * @owner: the thread
 * @generation: of the page at the start
 * @operand: of the read instruction
 * @counter: its index
 * @shift: 64 - width
 */
struct pmudev_direct {
	const struct pmudev_page *page;
	uint32_t owner;
	uint32_t generation;
	uint32_t operand;
	uint8_t counter;
	uint8_t shift;
	uint16_t reserved;
};

/*
 * Returns whether the calling thread can read @slot with the bare instruction from now on, and
 * fills in @direct. False if the event is not DIRECT, is not on its counter, or is another
 * thread's.
 */
bool pmudev_direct_begin(struct pmudev *set, unsigned int slot, struct pmudev_direct *direct);

/* Reads its counter; like PMUDEV_DIRECT_READ() for a counter that is not known in advance. */
PMUDEV_INLINE __attribute__((__always_inline__)) uint64_t
pmudev_direct_value(const struct pmudev_direct *direct)
{
	return pmudev_counter(direct->operand);
}

/* The number of events between two values, modulo 2^width. */
PMUDEV_INLINE uint64_t pmudev_direct_since(const struct pmudev_direct *direct, uint64_t from,
					   uint64_t to)
{
	return ((to - from) << direct->shift) >> direct->shift;
}

/*
 * Returns whether all values read since pmudev_direct_begin() are valid. If it is false the values
 * mean nothing: begin again.
 */
PMUDEV_INLINE bool pmudev_direct_holds(const struct pmudev_direct *direct)
{
	__atomic_signal_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&direct->page->owner, __ATOMIC_RELAXED) == direct->owner &&
	       __atomic_load_n(&direct->page->generation, __ATOMIC_RELAXED) == direct->generation;
}

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_DIRECT_H */
