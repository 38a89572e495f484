// SPDX-License-Identifier: GPL-2.0
#include "guest_code.h"

#ifdef __aarch64__

#include <errno.h>

/*
 * The store that nobody takes does not retire: KVM steps over it. SVC and HVC do, and ERET.
 *
 * What is called is a fast call to a trusted OS that is not there: -1.
 */
#define GUEST_CODE                                                               \
	asm(".pushsection .rodata\n"                                             \
	    "	.globl	guest_code, guest_el1, guest_el0, guest_code_end\n"         \
	    "	.balign	4\n"                                                       \
	    "guest_code:\n"                                                      \
	    "	adr	x10, vectors\n"                                                \
	    "	msr	vbar_el1, x10\n"                                               \
	    "	adr	x11, user\n"                                                   \
	    "	mov	x22, #0x10000000\n" /* GUEST_DOOR */                     \
	    "	mov	x25, #0\n"                                                     \
	    "round:	str	x25, [x22]\n" /* the round's end */              \
	    "	add	x25, x25, #1\n"                                                \
	    "	cbz	x19, calls\n"                                                  \
	    "	mov	x9, x19\n"                                                     \
	    "guest_el1:\n"                                                       \
	    "1:	subs	x9, x9, #1\n"                                               \
	    "	b.ne	1b\n"                                                         \
	    "calls:	cbz	x20, down\n"                                             \
	    "	mov	x10, x20\n"                                                    \
	    "1:	mov	w0, #0xff000000\n"                                           \
	    "	hvc	#0\n"                                                          \
	    "	subs	x10, x10, #1\n"                                               \
	    "	b.ne	1b\n"                                                         \
	    "down:	cbz	x21, round\n"                                             \
	    "	msr	elr_el1, x11\n"                                                \
	    "	msr	spsr_el1, x24\n"                                               \
	    "	eret\n"                                                            \
	    "user:	mov	x9, x21\n"                                                \
	    "guest_el0:\n"                                                       \
	    "1:	subs	x9, x9, #1\n"                                               \
	    "	b.ne	1b\n"                                                         \
	    "	svc	#0\n"                                                          \
	    "	.org	guest_code + 0x800\n"                                         \
	    "vectors:\n"                                                         \
	    "	.org	vectors + 0x200\n" /* from EL1: not what it should do */ \
	    "	str	x25, [x22, #8]\n"                                              \
	    "	.org	vectors + 0x400\n" /* from EL0 */                        \
	    "	b	round\n"                                                         \
	    "guest_code_end:\n"                                                  \
	    ".popsection")

GUEST_CODE;

/* Before a loop, in it, after it. */
#define EL1_BEFORE 3 /* add, cbz, mov */
#define EL1_EMPTY  2 /* add, cbz */
#define EL0_BEFORE 1
#define LOOP	   2
#define CALLS	   4 /* of each */

/* Up to where it would go down to EL0: cbz, mov and the calls, cbz. */
static __u64 at_el1(struct guest_work work)
{
	__u64 n = work.el1 ? EL1_BEFORE + LOOP * work.el1 : EL1_EMPTY;

	return n + (work.calls ? 2 + CALLS * work.calls : 1) + 1;
}

struct guest_count guest_round(struct guest_work work)
{
	struct guest_count c = { .el1 = at_el1(work) };

	if (work.el0) {
		c.el1 += 4; /* msr, msr, eret; and the vector's jump */
		c.el0 = EL0_BEFORE + LOOP * work.el0 + 1;
	}
	return c;
}

/* In a loop of @n rounds, @phase instructions behind its beginning. */
static __u64 in_loop(__u64 n, __u64 left, unsigned int phase)
{
	return LOOP * (n - left) - phase;
}

int guest_part(struct guest_work work, __u64 pc, __u64 left, struct guest_count *c)
{
	__u64 el1 = guest_el1 - guest_code, el0 = guest_el0 - guest_code;

	*c = (struct guest_count){ 0 };
	if (pc == el1 || pc == el1 + 4) {
		c->el1 = EL1_BEFORE + in_loop(work.el1, left, pc != el1);
	} else if (pc == el0 || pc == el0 + 4) {
		c->el1 = at_el1(work) + 3;
		c->el0 = EL0_BEFORE + in_loop(work.el0, left, pc != el0);
	} else {
		return -ERANGE;
	}
	return 0;
}

#endif
