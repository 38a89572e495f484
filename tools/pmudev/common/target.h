/* SPDX-License-Identifier: GPL-2.0 */
/* What is counted: -C CPUS, -a, -t TID or -p PID; for some commands several of these, or -G. */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>

#include <pmudev_set_array.h>

enum target_kind {
	TARGET_NONE, /* nothing was said */
	TARGET_CPUS,
	TARGET_THREAD,
	TARGET_PROCESS,
};

/* As many as any kernel can have. */
#define TARGET_MAX_CPUS 8192

/**
 * struct target - what is counted
 * @kind: which of -C, -t, -p
 * @all: -a was given
 * @text: as it was written
 * @id: of the thread or process, or of the first one
 * @ids: of all that were written; NULL: @id alone
 * @nr_ids: how many @ids
 * @each_thread: @ids are threads, though the target was written as processes
 * @cgroups: names of cgroups, which are counted on the CPUs; NULL: none
 * @cgroup_fds: of each its directory
 * @nr_cgroups: how many
 * @cpu: the CPUs
 */
struct target {
	enum target_kind kind;
	bool all;
	const char *text;
	int id;
	int *ids;
	unsigned int nr_ids;
	bool each_thread;
	char **cgroups;
	int *cgroup_fds;
	unsigned int nr_cgroups;
	bool cpu[TARGET_MAX_CPUS];
};

/* @option: 'C', 't' or 'p'. False if @text is none, which was reported on stderr. */
bool target_parse(struct target *target, int option, const char *text);

/* The same, but "1,2,3" are several threads or processes. */
bool target_parse_list(struct target *target, int option, const char *text);

/* A cgroup's path is shorter than that. */
#define TARGET_CGROUP 512

/* --for-each-cgroup; fits no letter, and none of options.h. */
#define TARGET_EACH_CGROUP 1001

/*
 * All that `pmudev stat` takes: -C, -t, -p, -a, -G and --for-each-cgroup. False as above. When all
 * are known, target_complete() finds the CPUs of -a, which says nothing more beside -C, as for
 * perf.
 */
bool target_option(struct target *target, int option, const char *text);
bool target_complete(struct target *target);

/* "a/b,c": cgroups by their paths below the root of cgroup v2. False as above. */
bool target_parse_cgroups(struct target *target, const char *text);

/* All threads of the processes, each by itself. False as above. */
bool target_split(struct target *target);

/* All CPUs that are online. False if they cannot be found, which was reported on stderr. */
bool target_all(struct target *target);

/* A set on each CPU, or on the thread or process. @flags: PMUDEV_BIND_*, for CPUs none. */
int target_open(const struct target *target, struct pmudev_set_array *array, unsigned int flags);

/* How many arrays there are: one, or one for each thread, process or cgroup. */
unsigned int target_arrays(const struct target *target);

/* The same as target_open() for one of them, from 0 on. */
int target_open_nth(const struct target *target, unsigned int n, struct pmudev_set_array *array,
		    unsigned int flags);

/* "CPU", "CPUs", "thread" or "process", or several of these */
const char *target_noun(const struct target *target);

#endif /* TARGET_H */
