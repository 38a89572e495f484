// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/pmudev.h>

#include "users.h"

#define PERF_EVENT "anon_inode:[perf_event]"

static void add(struct users *users, pid_t pid)
{
	char path[64], *name;
	FILE *file;

	if (users->nr++ >= MAX_USERS)
		return;
	name = users->name[users->nr - 1];
	users->pid[users->nr - 1] = pid;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "r");
	if (!file || !fgets(name, sizeof(users->name[0]), file))
		snprintf(name, sizeof(users->name[0]), "?");
	name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* The event sets and perf events that a process has open. */
static void look_at(pid_t pid, bool *set, bool *perf)
{
	char path[300], target[64];
	struct dirent *entry;
	ssize_t len;
	DIR *dir;

	*set = false;
	*perf = false;
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid, entry->d_name);
		len = readlink(path, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		*set |= !strcmp(target, PMUDEV_DEVICE);
		*perf |= !strcmp(target, PERF_EVENT);
	}
	closedir(dir);
}

void users_find(struct users *sets, struct users *perf)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	bool has_set, has_perf;
	pid_t pid;

	sets->nr = 0;
	perf->nr = 0;
	while (dir && (entry = readdir(dir))) {
		pid = atoi(entry->d_name);
		if (pid <= 0 || pid == getpid())
			continue;
		look_at(pid, &has_set, &has_perf);
		if (has_set)
			add(sets, pid);
		if (has_perf)
			add(perf, pid);
	}
	if (dir)
		closedir(dir);
}

bool watchdog_runs(void)
{
	FILE *file = fopen("/proc/sys/kernel/nmi_watchdog", "r");
	bool runs = file && fgetc(file) == '1';

	if (file)
		fclose(file);
	return runs;
}
