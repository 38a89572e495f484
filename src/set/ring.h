/* SPDX-License-Identifier: GPL-2.0 */
/* The ring of a set's samples: its memory. */
#ifndef _PMUDEV_SET_RING_H
#define _PMUDEV_SET_RING_H

#include "../context/samples.h"

struct pmudev_open_set;
struct pmudev_refusal;

/*
 * The set's ring, which is made if there is none, of @nr pages in all. May sleep. Return: NULL:
 * refused, @error says how.
 */
struct pmudev_ring *pmudev_ring_get(struct pmudev_open_set *open, unsigned long nr, int *error,
				    struct pmudev_refusal *why);

/* No mapping is left, and nobody writes to it. May sleep. */
void pmudev_ring_free(struct pmudev_ring *ring);

#endif /* _PMUDEV_SET_RING_H */
