/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance groups: text files with events, and metrics that are made of them. pmudev-metrics(5)
 * has the syntax. The user's own files come first, then those of share/pmudev/groups.
 */
#ifndef GROUPS_H
#define GROUPS_H

#include <stdbool.h>

#include "formula.h"

struct pmudev_pmus;

/**
 * struct group_event - an event of a group
 * @name: in its formulas
 * @event: as -e takes it
 */
struct group_event {
	char *name;
	char *event;
};

/**
 * struct metric_group - a group
 * @name: its name
 * @about: what it is for, NULL: it is not told
 * @file: where it was read
 * @nr: how many events
 * @events: the events
 */
struct metric_group {
	char *name;
	char *about;
	char *file;
	unsigned int nr;
	struct group_event events[FORMULA_NAMES];
};

/**
 * struct metric - a metric
 * @name: its name
 * @unit: of its value, NULL: none
 * @about: what it tells, NULL: it is not told
 * @text: the formula
 * @formula: the same, read; names are places of the group's events
 * @group: the group's place
 * @line: where it begins
 */
struct metric {
	char *name;
	char *unit;
	char *about;
	char *text;
	struct formula formula;
	unsigned int group;
	unsigned int line;
};

/**
 * struct groups - all of them
 * @nr_groups: how many groups
 * @groups: each of them
 * @nr: how many metrics
 * @metrics: each of them, in the order of the files
 */
struct groups {
	unsigned int nr_groups;
	struct metric_group *groups;
	unsigned int nr;
	struct metric *metrics;
};

/*
 * Reads what there is for these PMUs. A file that is wrong is left out, which is told on stderr.
 * Return: how many files were read.
 */
unsigned int groups_load(struct groups *groups, const struct pmudev_pmus *pmus);

/* One file. False as above. */
bool groups_load_file(struct groups *groups, const char *path);

void groups_free(struct groups *groups);

/* Whether names are the same: those of metrics and groups are, in any case. */
bool groups_same_name(const char *a, const char *b);

/*
 * Can all events of the metric be counted? Else @why is the first that this machine does not have.
 */
bool metric_is_here(const struct groups *groups, const struct metric *metric,
		    const struct pmudev_pmus *pmus, const char **why);

/* The group's. */
static inline const struct metric_group *group_of(const struct groups *groups,
						  const struct metric *metric)
{
	return &groups->groups[metric->group];
}

#endif /* GROUPS_H */
