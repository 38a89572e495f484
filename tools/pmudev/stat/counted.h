/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was counted, in one stretch of time or in several runs, of all CPUs together or of each; and
 * how it is to be shown. All formats show the same rows.
 */
#ifndef COUNTED_H
#define COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmudev_set_array.h>

#include "../common/events.h"
#include "grouping.h"

/* ------------------------------------------------------------------------- spreads -- */

/**
 * struct spread - numbers of the same kind
 * @nr: how many
 * @mean: of them
 * @squares: the sum of the squares of their differences to it
 */
struct spread {
	unsigned int nr;
	double mean;
	double squares;
};

void spread_add(struct spread *spread, double number);

/* The standard deviation of the mean; 0 if it cannot be known. */
double spread_error(const struct spread *spread);

/* The same in percent of the mean. */
double spread_percent(const struct spread *spread);

/* ------------------------------------------------------------------ what was counted -- */

/**
 * struct counted_part - of a group of CPUs or threads, or of all
 * @group: which, and how many; nameless: all
 * @total: the sums over all runs
 * @spreads: of each event: what was shown of each run in which it was counted
 */
struct counted_part {
	struct group group;
	struct pmudev_total total;
	struct spread *spreads;
};

/**
 * struct counted - what was counted
 * @time: ns from the beginning to the end of the stretch
 * @length: ns of the stretch; of several runs the sum
 * @runs: how many were added up
 * @never_began: counting was off all the time: nothing is known
 * @kind: what the parts are
 * @nr: how many parts
 * @parts: the parts
 */
struct counted {
	uint64_t time;
	uint64_t length;
	unsigned int runs;
	bool never_began;
	enum grouping_kind kind;
	unsigned int nr;
	struct counted_part *parts;
};

/* Room for the counts of all groups. */
void counted_open(struct counted *counted, const struct grouping *grouping);

/* Harmless if not open. */
void counted_close(struct counted *counted);

/*
 * Adds up totals of sets that have nothing to do with each other. An estimate is of each by itself;
 * one in which an event was on no counter counts as the average of the others.
 */
struct adding {
	struct pmudev_total *total;
	bool any;
	uint64_t known[PMUDEV_MAX_EVENTS];
};

void adding_add(struct adding *adding, const struct pmudev_total *total);
void adding_end(struct adding *adding);

/* Did the target not run, so that the event's count is known to be 0? @total: a part of @counted */
bool counted_zero(const struct counted *counted, const struct pmudev_total *total,
		  unsigned int event);

/* Adds another run, with as many parts; the first one into what is not open. */
void counted_add(struct counted *sum, const struct counted *run, unsigned int events);

/* ------------------------------------------------------------------------------ rows -- */

/**
 * struct row - an event, as all formats show it
 * @event: its name
 * @pmus: those that it is for
 * @some_cpus: it is for the CPUs of some PMUs only
 * @group: of which it is
 * @kind: what that is
 * @time: @value is a time in ns
 * @why: a word for why it was not counted, NULL if it was; nothing below means anything then, but
 *	@running and @percent, which are 0
 * @why_text: the same for people
 * @value: the count; of several runs the mean
 * @estimate: is it one?
 * @always: was it on a counter all the time?
 * @running: ns on counters; of several runs the mean
 * @percent: of the time it was on counters
 * @deviation: of the mean, percent; of one run 0
 * @unit: of the metric, NULL if there is none
 * @metric: what is worth showing of two events
 */
struct row {
	const char *event;
	char pmus[128];
	bool some_cpus;
	const struct group *group;
	enum grouping_kind kind;
	bool time;
	const char *why;
	const char *why_text;
	uint64_t value;
	bool estimate;
	bool always;
	uint64_t running;
	double percent;
	double deviation;
	const char *unit;
	double metric;
};

void row_make(struct row *row, const struct event_list *list, const struct counted *counted,
	      unsigned int part, unsigned int event);

/* Is any of them an estimate, or not reached by rotation? */
bool any_estimate(const struct event_list *list, const struct counted *counted);
bool any_not_rotated_in(const struct event_list *list, const struct counted *counted);

#endif /* COUNTED_H */
