/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A crowd of threads that read their own counters without end, each value held against the one
 * before, and against read(2)'s before and after some hundreds of them.
 *
 * Most read as the library does: under the sequence number, else by read(2). Some have DIRECT
 * events and read the bare register, between two looks at the page's generation.
 */
#ifndef PMUDEV_TEST_READERS_H
#define PMUDEV_TEST_READERS_H

#include <pmudev.h>
#include <pthread.h>
#include "common.h"
#include "disturb.h"

#define READERS 8

/* Groups of each set: what is read; what its thread, and what another changes; taking turns. */
enum {
	GROUP_READ,
	GROUP_OWN,
	GROUP_OTHERS,
	GROUP_TURNS,
};

/* A group that is added, enabled, reset, disabled, removed, and so on. */
struct churn {
	__u32 group;
	__u32 flags;
	unsigned int step;
	unsigned int done; /* steps; while user access is disabled some are refused */
};

struct crowd;

struct reading {
	struct crowd *crowd;
	unsigned int number;
	__s32 pmu;  /* of several, which then have no DIRECT; -1: there is one */
	bool bare;  /* slot 0 is DIRECT */
	bool fixed; /* on the fixed counter */
	pthread_t thread;
	struct pmudev set;
	__u64 mask; /* of slot 0's counter */
	__u64 last[2];
	__u64 distance; /* events from one counter's instruction to the other's, + 1; or 0 */
	struct churn own, others;
	/* results */
	__u64 direct, calls, discarded;
	__u64 moves, switches;
	int cpu;
	struct {
		int line; /* of readers.c; 0: nothing is */
		__u64 value, bound;
	} wrong;
};

/* In shared memory. */
struct crowd {
	bool go, stop;
	bool exact; /* two events of a kind count the same */
	__u64 reads;
	int tid[READERS]; /* 0: not ready */
	struct reading reading[READERS];
};

/* They are there, and ready, but do not read before they are told to go; 0 or -errno. */
int crowd_start(struct crowd *crowd);
/* How many reads a storm has: PMUDEV_READS, or few on a debug kernel, or as many as is usual. */
__u64 crowd_reads(__u64 usual);
/* One has stopped, or there were so many reads and each disturbance has happened @least times. */
void crowd_wait(const struct crowd *crowd, __u64 reads, const struct disturbance *d,
		unsigned int nr, unsigned int least);
/* Told to stop, and collected; their sets are still there. */
void crowd_stop(struct crowd *crowd);
void crowd_close(struct crowd *crowd);
/* The next step: 0 or -errno. */
int churn_step(struct pmudev *set, struct churn *churn);

#endif /* PMUDEV_TEST_READERS_H */
