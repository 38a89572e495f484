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

/* Is it known without the kernel's perf? A clock is the time in which the sets were enabled. */
static inline bool counters_have(const struct counters *counters, unsigned int event)
{
	const struct software_event *what = counters->m->software.events[event];

	return what->wall || (what->clock && counters->m->list.nr);
}

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

#endif /* COUNTERS_H */
