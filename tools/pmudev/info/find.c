// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/cmd.h"
#include "../common/holders.h"
#include "info.h"

/* The name with this number in a file like /etc/passwd: static programs cannot ask NSS. */
static void name_of(const char *path, unsigned int id, char *buf, size_t len)
{
	char line[512], name[32];
	unsigned int found;
	FILE *file = fopen(path, "r");

	snprintf(buf, len, "%u", id);
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%31[^:]:%*[^:]:%u:", name, &found) == 2 && found == id)
			snprintf(buf, len, "%s", name);
	if (file)
		fclose(file);
}

bool info_device(struct info *info)
{
	struct stat status;

	memset(info, 0, sizeof(*info));
	if (stat(PMUDEV_DEVICE, &status))
		return false;
	info->mode = status.st_mode & 07777;
	name_of("/etc/passwd", status.st_uid, info->owner, sizeof(info->owner));
	name_of("/etc/group", status.st_gid, info->group, sizeof(info->group));
	return true;
}

/* Binding checks the permission, and reserves nothing. */
static bool may_count_cpus(void)
{
	struct pmudev set;
	bool may;

	may = !pmudev_open(&set) && !pmudev_bind_cpu(&set, sched_getcpu(), 0);
	pmudev_close(&set);
	return may;
}

/*
 * The sysctl does not say which detector runs. On arm64, distribution kernels have one that needs
 * no counter. On x86 it uses perf, unless pmudev already holds the counters. The module knows
 * more, but only who may count CPUs can ask without a trace.
 */
static bool watchdog_may_count(bool may_ask)
{
	struct pmudev_query q = {};
	struct pmudev set;
	bool may;

	may = !pmudev_open(&set) && !pmudev_query_cpu(&set, sched_getcpu(), &q) &&
	      q.arch != PMUDEV_ARCH_ARM64 && !(q.state & PMUDEV_STATE_RESERVED) &&
	      (!may_ask || holders_watchdog(&set));
	pmudev_close(&set);
	return may;
}

void info_find(struct info *info)
{
	FILE *file = fopen("/sys/module/pmudev/version", "r");

	if (file) {
		if (fgets(info->version, sizeof(info->version), file))
			info->version[strcspn(info->version, "\n")] = '\0';
		fclose(file);
	}
	info->may_all = may_count_cpus();
	users_find(&info->sets, &info->perf);
	info->watchdog = watchdog_runs();
	info->watchdog_counts = info->watchdog && watchdog_may_count(info->may_all);
}

void info_hooks(const struct pmudev_query *q, char *names, size_t size)
{
	char path[sizeof("/sys/class/pmudev//hooks") + sizeof(q->name)];
	FILE *file;
	size_t len = 0;

	snprintf(path, sizeof(path), "/sys/class/pmudev/%.*s/hooks", (int)sizeof(q->name), q->name);
	file = fopen(path, "r");
	if (file) {
		len = fread(names, 1, size - 1, file);
		fclose(file);
	}
	names[len] = '\0';
}

bool info_has_cpu(struct pmudev *set, const struct pmudev_query *q, long cpu)
{
	struct pmudev_query other;

	return !pmudev_query_cpu(set, cpu, &other) && other.pmu == q->pmu;
}
