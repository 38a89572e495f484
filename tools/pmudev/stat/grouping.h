/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which sources of a run are shown together. A source is one CPU, one thread or one process; a
 * group is all of them, or those of a core, a socket, ...
 */
#ifndef GROUPING_H
#define GROUPING_H

#include "../common/target.h"

enum grouping_kind {
	GROUP_ALL,
	GROUP_CPU,
	GROUP_CORE,
	GROUP_CLUSTER,
	GROUP_DIE,
	GROUP_SOCKET,
	GROUP_NODE,
	GROUP_THREAD,
};

#define GROUP_NAME 48

/**
 * struct group - sources that are added up
 * @name: "CPU3", "S0-D0-C1", "comm-123"; of all: ""
 * @cpu: the CPU, if it is one
 * @sources: how many
 */
struct group {
	char name[GROUP_NAME];
	int cpu;
	unsigned int sources;
};

/**
 * struct grouping - the groups
 * @kind: of what
 * @nr: how many
 * @groups: in the order of their first sources
 * @sources: how many sources
 * @of: of each source its group
 */
struct grouping {
	enum grouping_kind kind;
	unsigned int nr;
	struct group *groups;
	unsigned int sources;
	unsigned int *of;
};

/*
 * @cpus: of each source its CPU. @threads: of each source its number. NULL: they have none.
 * @root: "" or what stands for the root of the file system.
 */
void grouping_make(struct grouping *grouping, enum grouping_kind kind, const int *cpus,
		   const int *threads, unsigned int nr, const char *root);

void grouping_free(struct grouping *grouping);

/* "core", "socket", ...; of CPUs "cpu"; NULL: all */
const char *grouping_word(enum grouping_kind kind);

#endif /* GROUPING_H */
