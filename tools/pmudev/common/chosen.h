/* SPDX-License-Identifier: GPL-2.0 */
/* The metrics that -M names: their events, and where these stand in the list of events. */
#ifndef CHOSEN_H
#define CHOSEN_H

#include "groups.h"

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

#endif /* CHOSEN_H */
