/* SPDX-License-Identifier: GPL-2.0 */
/* What `pmudev list` prints. */
#ifndef LIST_H
#define LIST_H

#include <stdio.h>

#include <pmudev_events.h>

/**
 * struct list_how - what is shown, and how
 * @pattern: only what contains it in its name or description, or if it has a '*', '?' or '[' has a
 *	name that matches it; NULL: all
 * @all: libpfm4's names, too, where there is no pattern; each with its code
 * @json: an object a line
 */
struct list_how {
	const char *pattern;
	bool all;
	bool json;
};

/* Prints what each PMU can count. Return: how many names that were. */
unsigned int list_show(FILE *out, const struct pmudev_pmus *pmus, const struct list_how *how);

#endif /* LIST_H */
