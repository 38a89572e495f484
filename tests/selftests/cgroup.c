// SPDX-License-Identifier: GPL-2.0
#include "cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "common.h"

static int hierarchy(const char *at, const char *type, const char *options)
{
	if (mkdir(at, 0755) && errno != EEXIST)
		return -errno;
	if (!mount("none", at, type, 0, options) || errno == EBUSY)
		return 0;
	return -ENODEV;
}

static int make_below(struct cgroup *group, const char *at)
{
	static int nr;

	snprintf(group->path, sizeof(group->path), "%s/pmudev-%d-%d", at, getpid(), nr++);
	return mkdir(group->path, 0755) ? -errno : 0;
}

int cgroup_make(struct cgroup *group, const char *controller)
{
	static const char at[] = "/tmp/cgroup2";
	char text[32];

	if (hierarchy(at, "cgroup2", NULL))
		return -ENODEV;
	if (controller) {
		snprintf(text, sizeof(text), "+%s", controller);
		if (write_file("/tmp/cgroup2/cgroup.subtree_control", text))
			return -ENODEV;
	}
	return make_below(group, at);
}

int cgroup_legacy(struct cgroup *group, const char *controller)
{
	char at[32];

	snprintf(at, sizeof(at), "/tmp/cgroup-%s", controller);
	if (hierarchy(at, "cgroup", controller))
		return -ENODEV;
	return make_below(group, at);
}

int cgroup_below(struct cgroup *group, const struct cgroup *above)
{
	return make_below(group, above->path);
}

int cgroup_end(struct cgroup *group)
{
	return WAIT_FOR(!rmdir(group->path)) ? 0 : -EBUSY;
}

int cgroup_write(const struct cgroup *group, const char *file, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", group->path, file);
	return write_file(path, text);
}

int cgroup_enter(const struct cgroup *group)
{
	return cgroup_write(group, "cgroup.procs", "0");
}

long cgroup_read(const struct cgroup *group, const char *file, const char *word)
{
	char path[160], name[32];
	long number, found = -ENOENT;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", group->path, file);
	if (!word)
		return read_number(path);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	while (fscanf(f, "%31s %ld", name, &number) == 2)
		if (!strcmp(name, word))
			found = number;
	fclose(f);
	return found;
}
