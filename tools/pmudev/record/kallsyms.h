/* SPDX-License-Identifier: GPL-2.0 */
/* Names of the kernel's functions, from /proc/kallsyms. */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include <stdint.h>

/**
 * struct kernel_place - where an address of the kernel lies
 * @file: "[kernel]", or a module in brackets
 * @symbol: the function, "": unknown; the kernel tells addresses to the privileged
 */
struct kernel_place {
	const char *file;
	const char *symbol;
};

/* They are read when the first one is asked for. */
struct kernel_place kallsyms_find(uint64_t address);

#endif /* KALLSYMS_H */
