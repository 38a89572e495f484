/* SPDX-License-Identifier: GPL-2.0 */
/* The events of `pmudev stat -d`. */
#ifndef DETAILED_H
#define DETAILED_H

#include <stddef.h>

struct pmudev_pmus;

/*
 * Appends to a list that was allocated, or NULL, the groups of events that some PMU has; what is
 * compared is in one group. Where there was no list, instructions and cycles come first.
 * @missing: gets the names of the others, as "a, b"
 */
void detailed_events(char **events, const struct pmudev_pmus *pmus, char *missing, size_t len);

#endif /* DETAILED_H */
