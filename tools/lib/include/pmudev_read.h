/* SPDX-License-Identifier: MIT */
/*
 * pmudev_read.h - counters read by the counted thread itself, without a system call
 *
 * Included by pmudev.h. This is the reader's algorithm of <linux/pmudev.h>, with two things
 * added: how the caller knows its thread id, and the instruction that reads a counter.
 *
 * The instruction is not ordered against its neighbours: the CPU may read the counter a few
 * instructions early or late. That is noise of some instructions, never a wrong value; where it
 * matters, pmudev_isb() before and after the read takes it away for some ten cycles each.
 */
#ifndef PMUDEV_READ_H
#define PMUDEV_READ_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/pmudev.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------- whose page it is -- */

/*
 * The thread id of the calling thread as far as it is known: no thread has the initial value, so
 * the first read of a thread takes the long way, where the library learns it.
 *
 * An id that is out of date cannot make a read wrong. Such a read would need a page whose @owner
 * is that id, and @owner is 0 unless the owner thread itself is running:
 *   - after fork() the child's only thread still has its parent's id here until the library's
 *     fork handler forgets it. It sees zeroes in place of its parent's page.
 *   - a vfork() child uses the thread-local storage of its parent, who sleeps meanwhile: @owner
 *     is 0. Should the child leave its own id here (it may call nothing but exec and _exit), the
 *     parent falls back once and learns its id again.
 *   - a thread made by clone() without storage of its own is not supported by any C library.
 * A process made by a bare clone() or _Fork(), which call no fork handlers, has its id learnt by
 * pmudev_open(), pmudev_bind_self() and pmudev_map().
 */
extern __thread uint32_t pmudev_cached_tid __attribute__((__tls_model__("initial-exec")));

#define PMUDEV_NO_TID	UINT32_MAX

/*
 * @seq, with @owner in the upper half where a 64-bit load is one instruction. The reader compares
 * both before and after: one load and one comparison instead of two.
 */
#if defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
typedef uint64_t __attribute__((__may_alias__)) pmudev_head_t;

static inline pmudev_head_t pmudev_head(const struct pmudev_page *page)
{
	return __atomic_load_n((const pmudev_head_t *)page, __ATOMIC_RELAXED);
}

static inline unsigned long pmudev_owner(const struct pmudev_page *page, pmudev_head_t head)
{
	(void)page;
	return head >> 32;
}

static inline bool pmudev_changed(const struct pmudev_page *page, pmudev_head_t head,
				  unsigned long owner)
{
	(void)owner;
	return pmudev_head(page) != head;
}
#else
typedef uint32_t pmudev_head_t;

static inline pmudev_head_t pmudev_head(const struct pmudev_page *page)
{
	return __atomic_load_n(&page->seq, __ATOMIC_RELAXED);
}

static inline unsigned long pmudev_owner(const struct pmudev_page *page, pmudev_head_t head)
{
	(void)head;
	/* @seq first: an owner of before a change must not go with the @seq after it. */
	__atomic_signal_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&page->owner, __ATOMIC_RELAXED);
}

static inline bool pmudev_changed(const struct pmudev_page *page, pmudev_head_t head,
				  unsigned long owner)
{
	return pmudev_head(page) != head || pmudev_owner(page, head) != owner;
}
#endif

/* -------------------------------------------------------------- the CPU's instruction -- */

#if defined(PMUDEV_FAKE_COUNTER)
/* A test's counters: it defines pmudev_counter() and pmudev_clock() before it includes this. */
#define PMUDEV_CAN_READ	1

#elif defined(__aarch64__)
#define PMUDEV_CAN_READ	1

/*
 * A system register's number is part of the instruction, so the operand chooses among as many
 * instructions: it is the index into a table of equal entries. The registers are given by number
 * (op0_op1_CRn_CRm_op2) because assemblers know few of them by name.
 */
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define PMUDEV_ENTRY(reg)	"bti j\n\tmrs %[raw], " reg "\n\tb 2f\n\tnop\n\t"
#define PMUDEV_ENTRY_SHIFT	"4"
#else
#define PMUDEV_ENTRY(reg)	"mrs %[raw], " reg "\n\tb 2f\n\t"
#define PMUDEV_ENTRY_SHIFT	"3"
#endif

static inline __attribute__((__always_inline__)) uint64_t pmudev_counter(uint32_t operand)
{
	uint64_t raw, entry;

	/* clang-format off */
	__asm__ __volatile__("adr %[entry], 1f\n\t"
		"add %[entry], %[entry], %w[operand], uxtw #" PMUDEV_ENTRY_SHIFT "\n\t"
		"br %[entry]\n"
		"1:\n\t"
		/* 0..30: PMEVCNTR<n>_EL0, n = 8 * (crm - 8) + op2 */
		".irp crm, 8, 9, 10\n\t"
		".irp op2, 0, 1, 2, 3, 4, 5, 6, 7\n\t"
		PMUDEV_ENTRY("S3_3_C14_C\\crm\\()_\\op2")
		".endr\n\t"
		".endr\n\t"
		".irp op2, 0, 1, 2, 3, 4, 5, 6\n\t"
		PMUDEV_ENTRY("S3_3_C14_C11_\\op2")
		".endr\n\t"
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

static inline uint64_t pmudev_clock(void)
{
	uint64_t now;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(now) : : "memory");
	return now;
}

static inline void pmudev_isb(void)
{
	__asm__ __volatile__("isb" : : : "memory");
}

#elif defined(__x86_64__) || defined(__i386__)
#define PMUDEV_CAN_READ	1

/* RDPMC and RDTSC leave EDX:EAX; in 64-bit mode the upper halves of RDX and RAX are cleared. */
#ifdef __x86_64__
typedef uint64_t pmudev_half_t;
#else
typedef uint32_t pmudev_half_t;
#endif

static inline __attribute__((__always_inline__)) uint64_t pmudev_counter(uint32_t operand)
{
	pmudev_half_t low, high;

	__asm__ __volatile__("rdpmc" : "=a"(low), "=d"(high) : "c"(operand) : "memory");
	return (uint64_t)high << 32 | low;
}

/*
 * As early as the CPU likes, like the counters: an interrupt between the two loads of @seq makes
 * everything after it run again, so no fence is needed for the time to belong to them.
 */
static inline uint64_t pmudev_clock(void)
{
	pmudev_half_t low, high;

	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static inline void pmudev_isb(void)
{
	__asm__ __volatile__("lfence" : : : "memory");
}

#else
/* Among others a 32-bit program on arm64: everything goes through the system call. */
#define PMUDEV_CAN_READ	0

static inline __attribute__((__always_inline__)) uint64_t pmudev_counter(uint32_t operand)
{
	(void)operand;
	return 0;
}

static inline uint64_t pmudev_clock(void)
{
	return 0;
}

static inline void pmudev_isb(void)
{
}
#endif

/* ------------------------------------------------------------------- the direct read -- */

/* The count as of now: what @raw has gained on the slot's count, modulo the counter's width. */
static inline uint64_t pmudev_join(const struct pmudev_slot *slot, uint64_t raw)
{
	return slot->count + (((raw - slot->count) << slot->shift) >> slot->shift);
}

/* Ticks of the clock in ns; exact for the kernel's shifts, which are 32 at most. */
static inline uint64_t pmudev_ns(const struct pmudev_page *page, uint64_t ticks)
{
	uint64_t high = (ticks >> 32) * page->time_mult;
	uint64_t low = (ticks & UINT32_MAX) * page->time_mult;

	return (high << (32 - page->time_shift)) + (low >> page->time_shift);
}

/**
 * pmudev_direct_count - read one event's count without a system call
 * @page: the user page
 * @slot: of the event
 * @value: the count
 *
 * Return: whether @value could be read; false also says that the thread's id is not known yet.
 */
static inline __attribute__((__always_inline__)) bool
pmudev_direct_count(const struct pmudev_page *page, unsigned int slot, uint64_t *value)
{
	const unsigned long me = pmudev_cached_tid;
	struct pmudev_slot s;
	pmudev_head_t head;
	uint64_t raw;

	if (!PMUDEV_CAN_READ)
		return false;
	do {
		head = pmudev_head(page);
		if (__builtin_expect(pmudev_owner(page, head) != me, 0))
			return false;
		/* Head, then slot. Then counter, then head: "memory" in pmudev_counter(). */
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
		s = page->slots[slot];
		if (__builtin_expect(!s.index, 0))
			return false;
		raw = pmudev_counter(s.operand);
	} while (__builtin_expect(pmudev_changed(page, head, me), 0));
	*value = pmudev_join(&s, raw);
	return true;
}

/**
 * struct pmudev_times - a set's times, as in struct pmudev_record
 * @enabled: ns some group was enabled while the target ran
 * @running: ns of that with all enabled groups on counters
 */
struct pmudev_times {
	uint64_t enabled;
	uint64_t running;
};

/**
 * pmudev_direct_counts - read the counts of slots 0..@n - 1 as of one moment, without a call
 * @page: the user page
 * @values: the counts; 0 in empty slots
 * @n: how many, PMUDEV_MAX_EVENTS at most
 * @times: the set's times at that moment, or NULL
 *
 * No switch and no migration lies between any two of these numbers.
 *
 * Return: whether all of it could be read.
 */
static inline bool pmudev_direct_counts(const struct pmudev_page *page, uint64_t *values,
					unsigned int n, struct pmudev_times *times)
{
	const unsigned long me = pmudev_cached_tid;
	pmudev_head_t head;
	unsigned int i;
	uint64_t now;

	if (!PMUDEV_CAN_READ)
		return false;
	do {
		bool counting = false;

		head = pmudev_head(page);
		if (pmudev_owner(page, head) != me)
			return false;
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
		for (i = 0; i < n; i++) {
			struct pmudev_slot s = page->slots[i];

			values[i] = 0;
			if (!(s.flags & PMUDEV_SLOT_USED))
				continue;
			if (!s.index)
				return false;
			values[i] = pmudev_join(&s, pmudev_counter(s.operand));
			counting = true;
		}
		if (times) {
			if (!counting || !(page->flags & PMUDEV_PAGE_TIMES) ||
			    page->time_shift > 32)
				return false;
			now = page->clock + pmudev_clock();
			times->enabled = pmudev_ns(page, page->time_enabled + now);
			times->running = pmudev_ns(page, page->time_running + now);
		}
		__atomic_signal_fence(__ATOMIC_ACQ_REL);
	} while (pmudev_changed(page, head, me));
	return true;
}

#ifdef __cplusplus
}
#endif

#endif /* PMUDEV_READ_H */
