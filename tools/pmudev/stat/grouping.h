/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which sources of a run are shown together. A source is one CPU, one thread, one process, or a
 * cgroup on a CPU; a group is all of them, or those of a core, a socket, a cgroup, ...
 */
#ifndef GROUPING_H
#define GROUPING_H

#include "../common/target.h"

struct json;

enum grouping_kind {
	GROUP_ALL,
	GROUP_CPU,
	GROUP_CORE,
	GROUP_CLUSTER,
	GROUP_DIE,
	GROUP_SOCKET,
	GROUP_NODE,
	GROUP_THREAD,
	GROUP_CGROUP,
};

/* A cgroup has its path. */
#define GROUP_NAME 512

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

/* Of @nr cgroups, each on @cpus CPUs: the first one's sources, then the next one's. */
void grouping_make_cgroups(struct grouping *grouping, char *const *names, unsigned int nr,
			   unsigned int cpus);

void grouping_free(struct grouping *grouping);

/* Are its groups CPUs that are added up, whose number is shown? */
bool grouping_has_cpus(enum grouping_kind kind);

/* "core", "socket", ...; of CPUs "cpu"; NULL: all */
const char *grouping_word(enum grouping_kind kind);

/* Which group it is, as keys of a JSON object; of all there are none. */
void grouping_json(struct json *json, enum grouping_kind kind, const struct group *group);

#endif /* GROUPING_H */
