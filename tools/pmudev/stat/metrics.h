/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The metrics of `pmudev stat -M`: their events, all in one group, and their values.
 */
#ifndef METRICS_H
#define METRICS_H

#include "../common/groups.h"

#define MAX_METRICS 64

/**
 * struct metrics - those that were chosen
 * @groups: all that there are
 * @nr: how many were chosen
 * @chosen: each of them
 * @rows: for each the rows of its group's events, by their places
 */
struct metrics {
	struct groups groups;
	unsigned int nr;
	const struct metric *chosen[MAX_METRICS];
	unsigned char rows[MAX_METRICS][FORMULA_NAMES];
};

/*
 * Chooses metrics by names, and by those of groups, with commas between them. With @apart, the
 * events of each are a group of their own. @events: what -e takes, with these events first,
 * allocated. False has been told on stderr.
 */
bool metrics_choose(struct metrics *metrics, const char *names, const struct pmudev_pmus *pmus,
		    bool apart, char **events);

void metrics_free(struct metrics *metrics);

/**
 * struct metric_row - a metric, as all formats show it
 * @metric: which
 * @group: of CPUs or threads
 * @kind: what that is
 * @why: why it has no value, NULL: it has one
 * @value: the value
 * @estimate: it is made of an estimate
 */
struct metric_row {
	const struct metric *metric;
	const struct group *group;
	enum grouping_kind kind;
	char why[96];
	double value;
	bool estimate;
};

struct measurement;
struct counted;

/* The nth metric of a group of CPUs or threads. False: there is none. */
bool stat_metric(const struct measurement *m, const struct counted *counted, unsigned int part,
		 unsigned int n, struct metric_row *row);

#endif /* METRICS_H */
