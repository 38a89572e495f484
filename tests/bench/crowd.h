/* SPDX-License-Identifier: GPL-2.0 */
/* Many threads that count themselves and sleep. */
#ifndef PMUDEV_BENCH_CROWD_H
#define PMUDEV_BENCH_CROWD_H

#include <pthread.h>

#include "api.h"

#define CROWD_MOST_SETS 5

/**
 * struct crowd - threads that wait to open what is wished for, and then to close it
 * @each: how often each thread opens it, CROWD_MOST_SETS at most
 * @threads, @opened: how many there are, and how many of them have opened
 * @id: theirs
 * @opening_ns, @closing_ns: what that took all of them together, themselves
 * @measured: costs are kept (costs.h) of the thread that is told next
 */
struct crowd {
	const struct api *api;
	struct wish wish;
	unsigned int each;
	unsigned int threads;
	pthread_t *id;
	unsigned int opened;
	__u64 opening_ns;
	__u64 closing_ns;
	bool measured;
	int may_open[2];
	int may_close[2];
	int may_end[2];
	int done[2];
};

/* As many files, and threads, as any benchmark needs. */
void many_files(void);
void many_threads(void);

void crowd_init(struct crowd *c, const struct api *api, const struct wish *wish, unsigned int each);
/* Until there are so many threads; they sleep. */
void crowd_gather(struct crowd *c, unsigned int threads);
/* Until so many of them have opened. costs_last(): of one, by the last thread. */
void crowd_open(struct crowd *c, unsigned int threads);
/* All that is open is closed, and all threads end. costs_last(): of one, by the first thread. */
void crowd_end(struct crowd *c);

#endif /* PMUDEV_BENCH_CROWD_H */
