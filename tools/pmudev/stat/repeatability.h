/* SPDX-License-Identifier: GPL-2.0 */
/* `pmudev stat --repeatability`: what the counts of a command's runs go with. */
#ifndef REPEATABILITY_H
#define REPEATABILITY_H

#include "candidates.h"
#include "counted.h"
#include "relation.h"

struct json;
struct measurement;

/**
 * struct repeatability - the runs so far
 * @running: of the run that is going on
 * @random: the last run's addresses were random
 * @runs: how many are noted
 * @counts: of each run the count that is looked at
 * @values: of each candidate the same
 * @why: why a candidate was not counted in some run, "": it was in all of them
 * @lost: why the count is not known of some run, NULL: it is of all
 */
struct repeatability {
	struct candidate_count running[NR_CANDIDATES];
	bool random;
	unsigned int runs;
	uint64_t *counts;
	uint64_t *values[NR_CANDIDATES];
	char why[NR_CANDIDATES][64];
	const char *lost;
};

/* The event that is looked at: instructions:u if it is there, else the list's first. */
unsigned int repeatability_event(const struct event_list *list);

/*
 * A run begins; its process has ended; it has been waited for, and the run is noted. @counted: in
 * the run
 */
void repeatability_begin(struct measurement *m, pid_t child);
void repeatability_look(struct measurement *m, pid_t child);
void repeatability_end(struct measurement *m, const struct counted *counted);

/**
 * struct repeatability_found - what was found
 * @counts: those of all runs
 * @percent: how far they are apart, of the mean
 * @values: of each candidate
 * @relations: of each candidate to the counts
 */
struct repeatability_found {
	struct extent counts;
	double percent;
	struct extent values[NR_CANDIDATES];
	struct relation relations[NR_CANDIDATES];
};

/* Of at least one run. False: no memory. */
bool repeatability_find(const struct repeatability *r, struct repeatability_found *found);

void repeatability_free(struct repeatability *r);

/* What is told of them, behind the report. */
void repeatability_print(const struct measurement *m);
void repeatability_json(const struct measurement *m, struct json *json);

#endif /* REPEATABILITY_H */
