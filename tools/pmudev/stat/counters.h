/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that counts in a run of `pmudev stat`: pmudev's sets, the kernel's software events, and how
 * their sources are grouped.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "grouping.h"
#include "sets.h"
#include "software_count.h"

/**
 * struct counters - what counts
 * @m: the measurement
 * @sets: the PMU's events
 * @software: the kernel's
 * @grouping: the sources
 * @cpus: on how many CPUs; 0: on threads or processes
 * @numbers: those CPUs
 */
struct counters {
	struct measurement *m;
	struct sets sets;
	struct software_count software;
	struct grouping grouping;
	unsigned int cpus;
	const int *numbers;
};

/**
 * struct reading - all counts of a moment
 * @records: of the sets
 * @software: of each source each software event
 * @time: ns since the beginning
 */
struct reading {
	union pmudev_record_buffer *records;
	uint64_t *software;
	uint64_t time;
};

/*
 * Opens all on the target, or on @child, and lets them count unless that comes later. Return: 0, or
 * the exit status, and what is wrong has been told on stderr. The caller closes them in any case.
 */
int counters_open(struct counters *counters, struct measurement *m, pid_t child);
void counters_close(struct counters *counters);

/* The same. A target that has ended is none of the errors. */
int counters_begin(struct counters *counters);
int counters_stop(struct counters *counters);

/* Has the target ended? */
bool counters_ended(struct counters *counters);

/* Room for what is read. False: there is none, which has been told. */
bool reading_open(struct reading *reading, const struct counters *counters);
void reading_close(struct reading *reading);

/* Return: as above. */
int counters_read(struct counters *counters, struct reading *reading);

/* What was counted between the two. @before NULL: since the beginning */
void counters_between(const struct counters *counters, const struct reading *before,
		      const struct reading *after, struct counted *counted);

/* The same of all groups together. */
void counters_total(const struct counters *counters, const struct reading *reading,
		    struct pmudev_total *total);

#endif /* COUNTERS_H */
