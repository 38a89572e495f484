// SPDX-License-Identifier: MIT
/*
 * For the tests of the Python package: loops whose instructions are known, and nothing else.
 */

/* Two instructions for each round, and some around them. */
void pmudev_test_loop(long rounds)
{
	if (rounds <= 0)
		return;
#ifdef __aarch64__
	__asm__ volatile("1:	subs	%0, %0, #1\n\tb.ne	1b" : "+r"(rounds) : : "cc");
#else
	__asm__ volatile("1:	dec	%0\n\tjnz	1b" : "+r"(rounds) : : "cc");
#endif
}
