/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions that do nothing, and that no compiler makes: between them profile/plugin.c counts.
 * The plugin is told by PROFILE_ARM64 whose it looks for.
 */
#ifndef _PMUDEV_BENCH_MARK_H
#define _PMUDEV_BENCH_MARK_H

#if defined(PROFILE_ARM64)

#define MARK_BYTES 4
#define MARK_BEGIN "\x29\x01\x09\xaa"
#define MARK_END   "\x4a\x01\x0a\xaa"

#elif defined(__aarch64__)

static inline void mark_begin(void)
{
	__asm__ volatile("orr x9, x9, x9" ::: "memory");
}

static inline void mark_end(void)
{
	__asm__ volatile("orr x10, x10, x10" ::: "memory");
}

#else

/* The emulator that has these CPUs takes no plugins. */
static inline void mark_begin(void)
{
}

static inline void mark_end(void)
{
}

#endif

#endif /* _PMUDEV_BENCH_MARK_H */
