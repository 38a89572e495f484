/* SPDX-License-Identifier: GPL-2.0 */
/* What `pmudev info` finds out, and its form for machines. */
#ifndef INFO_H
#define INFO_H

#include <pmudev.h>

#include "../common/json.h"
#include "users.h"

/**
 * struct info - what is not one PMU's
 * @mode: of the device's file
 * @owner: and its user and group, by name if they have one
 * @group: see @owner
 * @version: the module's; empty if it does not tell
 * @may_all: CPUs, the kernel and other users' threads can be counted
 * @sets: who has event sets
 * @perf: who has events of perf's
 * @watchdog: the NMI watchdog runs
 * @watchdog_counts: and holds a counter, as far as can be told: on Intel, while pmudev holds none
 */
struct info {
	unsigned int mode;
	char owner[32];
	char group[32];
	char version[32];
	bool may_all;
	struct users sets;
	struct users perf;
	bool watchdog;
	bool watchdog_counts;
};

/* The features' names by bit, as far as the command knows them. */
#define MAX_FEATURES 11
extern const char *const feature_names[MAX_FEATURES];

/* What can be found out without opening the device. False if there is none. */
bool info_device(struct info *info);

/* And the rest. */
void info_find(struct info *info);

/* The names of the hooks that the module has installed now, one per line (docs/hooks.md). */
#define INFO_HOOKS 512
void info_hooks(const struct pmudev_query *q, char *names, size_t size);

/* Is CPU @cpu one of this PMU? */
bool info_has_cpu(struct pmudev *set, const struct pmudev_query *q, long cpu);

/* A counter is a word as after '@', "2" or "fixed 0"; several are a list of such. */
void info_json_counter(struct json *json, const char *key, unsigned int counter);
void info_json_counters(struct json *json, const char *key, __u64 mask);
/* Its members; unknown ones are null: @pid of another user's process, @cpu of a thread's set. */
void info_json_holder(struct json *json, const struct pmudev_holder *holder);

void info_json(struct pmudev *set, const struct info *info);

#endif /* INFO_H */
