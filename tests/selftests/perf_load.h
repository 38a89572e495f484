/* SPDX-License-Identifier: GPL-2.0 */
/* What perf does all the time beside a storm. Each of these is a disturbance (disturb.h). */
#ifndef PMUDEV_TEST_PERF_LOAD_H
#define PMUDEV_TEST_PERF_LOAD_H

#include <pthread.h>
#include "perf.h"

#define PERF_LOAD_CPUS 8

/* Their argument; it lies in shared memory. */
struct perf_load {
	int cpus;
	/*
	 * A turn of perf's that began on a CPU that goes offline ends on another one, and from
	 * Linux 7 on the kernel warns then, without pmudev as well (docs/coexistence.md): who
	 * has events that take turns holds this there, and who takes a CPU away.
	 */
	pthread_rwlock_t turns;
	unsigned int gone[PERF_LOAD_CPUS]; /* counts when a CPU goes, and when it is back */
	__u64 direct;			   /* reads of perf's reader */
	__u64 samples, lost;		   /* as perf says */
	/* The longest time until all events of perf_load_stat() had counted, ns; the last CPU's */
	__u64 waited;
	int waited_cpu;
};

int perf_load_init(struct perf_load *load, int cpus);
/* A CPU other than 0 goes and comes back. */
int perf_load_hotplug(void *arg, unsigned int i);

/*
 * As `perf stat -a` with more events than there are counters: an event whose CPU stayed online has
 * counted, or this is -ETIMEDOUT.
 */
int perf_load_stat(void *arg, unsigned int i);
/* As `perf record -a -F 1000`; -EAGAIN while there is no sample. */
int perf_load_record(void *arg, unsigned int i);
/* Somebody who reads perf's counters as it allows; no count is less than the one before. */
int perf_load_read(void *arg, unsigned int i);

#endif /* PMUDEV_TEST_PERF_LOAD_H */
