/* SPDX-License-Identifier: GPL-2.0 */
/* The events of `pmudev stat -d`. */
#ifndef DETAILED_H
#define DETAILED_H

#include <stddef.h>

struct pmudev_pmus;

/*
 * Appends to a list that was allocated, or NULL, the groups of events that some PMU has; what is
 * compared is in one group. Where there was no list, instructions and cycles come first.
 * @level: 1 to 3, how many. @missing: gets the names of the others, as "a, b"
 */
void detailed_events(char **events, const struct pmudev_pmus *pmus, unsigned int level,
		     char *missing, size_t len);

/* Appends a name to such a list. */
void detailed_miss(char *missing, size_t len, const char *name);

#endif /* DETAILED_H */
