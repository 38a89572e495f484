/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions that do nothing, and that no compiler makes: where profile/plugin.c begins and ends
 * counting. The plugin is told by PROFILE_ARM64 whose it looks for.
 */
#ifndef _PMUDEV_BENCH_MARK_H
#define _PMUDEV_BENCH_MARK_H

#if defined(PROFILE_ARM64) || defined(__aarch64__)
#define MARK_BYTES     4
#define MARK_BEGIN     "\x29\x01\x09\xaa" /* orr x9, x9, x9 */
#define MARK_END       "\x4a\x01\x0a\xaa" /* orr x10, x10, x10 */
#define MARK(which)    __asm__ volatile(".inst " which ::: "memory")
#define MARK_BEGIN_ASM "0xaa090129"
#define MARK_END_ASM   "0xaa0a014a"
#elif defined(__x86_64__)
#define MARK_BYTES     3
#define MARK_BEGIN     "\x66\x87\xdb" /* xchg %bx, %bx */
#define MARK_END       "\x66\x87\xc9" /* xchg %cx, %cx */
#define MARK(which)    __asm__ volatile(".byte " which ::: "memory")
#define MARK_BEGIN_ASM "0x66, 0x87, 0xdb"
#define MARK_END_ASM   "0x66, 0x87, 0xc9"
#else
#define MARK(which) ((void)0)
#endif

#endif /* _PMUDEV_BENCH_MARK_H */
