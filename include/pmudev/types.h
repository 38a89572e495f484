/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel types and helpers for src/pure.
 *
 * src/pure holds logic that needs nothing but its arguments. It takes no locks, allocates nothing,
 * reads no registers and has no state, so every function may be called in any context. It calls
 * only itself and the helpers below. It also compiles in user space, for tests/unit; there, this
 * header replaces the kernel's.
 *
 * The headers of include/pmudev are shared by several folders: one header per concept of src/pure,
 * and the interface between the core and a backend (backend.h).
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
typedef int64_t s64;

#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define hweight64(x)		((unsigned int)__builtin_popcountll(x))
#define __ffs64(x)		((unsigned int)__builtin_ctzll(x))
#define fls64(x)		((x) ? 64 - __builtin_clzll(x) : 0)

/* The kernel's version also stops speculation past the check. */
static inline u32 array_index_nospec(u32 index, u32 size)
{
	return index < size ? index : 0;
}
#endif

#include <linux/pmudev.h>

#endif /* _PMUDEV_TYPES_H */
