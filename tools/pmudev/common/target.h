/* SPDX-License-Identifier: GPL-2.0 */
/* What is counted: -C CPUS, -a, -t TID or -p PID. */
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
 * @text: as it was written
 * @id: of the thread or process
 * @cpu: the CPUs
 */
struct target {
	enum target_kind kind;
	const char *text;
	int id;
	bool cpu[TARGET_MAX_CPUS];
};

/* @option: 'C', 't' or 'p'. False if @text is none, which was reported on stderr. */
bool target_parse(struct target *target, int option, const char *text);

/* All CPUs that are online. False if they cannot be found, which was reported on stderr. */
bool target_all(struct target *target);

/* A set on each CPU, or on the thread or process. @flags: PMUDEV_BIND_*, for CPUs none. */
int target_open(const struct target *target, struct pmudev_set_array *array, unsigned int flags);

/* "CPU", "CPUs", "thread" or "process" */
const char *target_noun(const struct target *target);

#endif /* TARGET_H */
