// SPDX-License-Identifier: GPL-2.0
/*
 * Which edges of the module's code were executed, in whatever context: interrupts, switches, CPUs
 * that come and go. (KCOV asks for a task that asked to be traced and sees none of these.) Linked
 * into the module by scripts/build-module --coverage; tests/vm/init prints it before it unloads the
 * module, and tests/coverage/report makes a table of it.
 */
#include <linux/kcov.h>
#include <linux/kernel.h>
#include <linux/module.h>

#define SELF  ((unsigned long)__sanitizer_cov_trace_pc)
#define REACH 0x80000 /* how far from here the module's code may lie */

/* By the calls' return addresses. */
static u8 hit[2 * REACH];
static unsigned int next;

/* Called by the compiler's code at each edge: this one goes before the kernel's own. */
void notrace __no_sanitize_address __attribute__((no_sanitize_coverage))
__sanitizer_cov_trace_pc(void)
{
	unsigned long at = (unsigned long)__builtin_return_address(0) - SELF + REACH;

	if (at < sizeof(hit))
		WRITE_ONCE(hit[at], 1);
}

/* The next edges: distances from the function above. Empty after the last. */
static int get_some(char *page, const struct kernel_param *param)
{
	int size = 0;

	for (; next < sizeof(hit) && size < PAGE_SIZE - 16; next++)
		if (hit[next])
			size += scnprintf(page + size, PAGE_SIZE - size, "%d ", (int)next - REACH);
	return size;
}

/* From the beginning. */
static int begin(const char *text, const struct kernel_param *param)
{
	next = 0;
	return 0;
}

static const struct kernel_param_ops ops = {
	.get = get_some,
	.set = begin,
};
module_param_cb(coverage, &ops, NULL, 0600);
