/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What may make the counts of a command differ between its runs, counted in each run: by the
 * kernel's software events and tracepoints, and from what wait4(2) and /proc tell of its process.
 */
#ifndef CANDIDATES_H
#define CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#define NR_CANDIDATES	 7
#define CANDIDATE_EVENTS 8

/**
 * struct candidate - one of them
 * @name: of it
 * @names: its numbers are names, no amounts
 * @advice: what to do if counts go with it
 */
struct candidate {
	const char *name;
	bool names;
	const char *advice;
};

extern const struct candidate candidates[NR_CANDIDATES];

/**
 * struct candidate_count - a candidate in a run
 * @nr: how many descriptors of perf_event_open(2) count it
 * @fds: the descriptors
 * @value: what was counted
 * @why: why it was not, "" if it was
 */
struct candidate_count {
	unsigned int nr;
	int fds[CANDIDATE_EVENTS];
	uint64_t value;
	char why[64];
};

/*
 * Lets them count from the exec of this process on. @inherit: of its threads and children, too.
 * What cannot be counted says why.
 */
void candidates_open(struct candidate_count *counts, pid_t child, bool inherit);

/* Reads them when the process has ended, and is not waited for yet. */
void candidates_look(struct candidate_count *counts, pid_t child);

/* The same when it has been waited for. @usage: of it */
void candidates_read(struct candidate_count *counts, const struct rusage *usage);

/* Are the addresses of this process random? */
bool addresses_random(pid_t child);

void candidates_close(struct candidate_count *counts);

#endif /* CANDIDATES_H */
