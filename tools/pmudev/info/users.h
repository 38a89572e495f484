/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who has files open that count: found in /proc, so of other users' processes only for root. It is
 * a moment's picture, and not of one moment.
 */
#ifndef USERS_H
#define USERS_H

#include <stdbool.h>
#include <sys/types.h>

#define MAX_USERS 32

/**
 * struct users - processes
 * @nr: how many there are, of which those beyond MAX_USERS have no place
 * @pid: of each
 * @name: as ps calls it
 */
struct users {
	unsigned int nr;
	pid_t pid[MAX_USERS];
	char name[MAX_USERS][17];
};

/* Those with an event set, and those with an event of perf's; but not this process. */
void users_find(struct users *sets, struct users *perf);

/* Does the NMI watchdog run, which is a user of the PMU? False also where there is none. */
bool watchdog_runs(void);

#endif /* USERS_H */
