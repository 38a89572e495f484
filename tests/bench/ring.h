/* SPDX-License-Identifier: GPL-2.0 */
/* Threads on one CPU that pass a byte around: in a round each is switched in and out once. */
#ifndef PMUDEV_BENCH_RING_H
#define PMUDEV_BENCH_RING_H

#include "api.h"

/* One at a time; the caller is part of it. */
struct ring;

/*
 * Starts @nr threads, which wait. @api: each counts itself, one event; NULL: none does. Needs
 * many_files() and many_threads().
 */
struct ring *ring_start(const struct api *api, unsigned int nr);

/* The id of thread @i, from 0. */
int ring_tid(const struct ring *ring, unsigned int i);

/* Nanoseconds of a round, and its costs (costs.h). */
double ring_time(struct ring *ring);

/* All threads end. */
void ring_stop(struct ring *ring);

#endif /* PMUDEV_BENCH_RING_H */
