/* SPDX-License-Identifier: GPL-2.0 */
/* The values of the metrics of `pmudev stat -M`. */
#ifndef METRICS_H
#define METRICS_H

#include "../common/chosen.h"

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
