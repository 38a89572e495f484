/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few kernel types and helpers that src/pure uses, so that it also compiles
 * as an ordinary program for its unit tests. Nothing of its own in the kernel.
 */
#ifndef _PMUDEV_TYPES_H
#define _PMUDEV_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/nospec.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int32_t s32;

#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define hweight64(x)		((unsigned int)__builtin_popcountll(x))
#define __ffs64(x)		((unsigned int)__builtin_ctzll(x))
#define fls64(x)		((x) ? 64 - __builtin_clzll(x) : 0)

/* An index that was checked; in the kernel it is one for the CPU's speculation, too. */
static inline u32 array_index_nospec(u32 index, u32 size)
{
	return index < size ? index : 0;
}
#endif

/* What is written before it is read: kernels that clear every variable are to leave it alone. */
#if __has_attribute(uninitialized)
#define PMUDEV_UNSET __attribute__((uninitialized))
#else
#define PMUDEV_UNSET
#endif

#ifdef __KERNEL__
#define PMUDEV_NOINLINE noinline
#else
#define PMUDEV_NOINLINE __attribute__((noinline))
#endif

#include <linux/pmudev.h>

#endif /* _PMUDEV_TYPES_H */
