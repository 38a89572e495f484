// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "target.h"

/* Where cgroup v2 is mounted, NULL: nowhere. */
static char *find_root(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	char *root = NULL;

	if (!mounts)
		return NULL;
	while (!root && (entry = getmntent(mounts)))
		if (!strcmp(entry->mnt_type, "cgroup2"))
			root = strdup(entry->mnt_dir);
	endmntent(mounts);
	return root;
}

static int open_cgroup(const char *root, const char *name)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", root, name) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	return fd < 0 ? -errno : fd;
}

static bool add_cgroup(struct target *target, const char *root, const char *name)
{
	const unsigned int nr = target->nr_cgroups;
	int fd;

	if (strlen(name) >= TARGET_CGROUP) {
		complain("a cgroup's path has at most %d characters", TARGET_CGROUP - 1);
		return false;
	}
	fd = open_cgroup(root, name);
	if (fd < 0) {
		complain("cgroup '%s': %s%s%s: %s", name, root, *name == '/' ? "" : "/", name,
			 strerror(-fd));
		return false;
	}
	target->cgroups = realloc(target->cgroups, (nr + 1) * sizeof(*target->cgroups));
	target->cgroup_fds = realloc(target->cgroup_fds, (nr + 1) * sizeof(*target->cgroup_fds));
	if (target->cgroups)
		target->cgroups[nr] = strdup(name);
	if (!target->cgroups || !target->cgroup_fds || !target->cgroups[nr]) {
		complain("no memory left");
		exit(EXIT_USAGE);
	}
	target->cgroup_fds[nr] = fd;
	target->nr_cgroups++;
	return true;
}

bool target_parse_cgroups(struct target *target, const char *text)
{
	char *root = find_root(), *names = strdup(text), *save, *name;
	bool fine = root && names;

	if (target->nr_cgroups) {
		complain("only one of -G and --for-each-cgroup can be given, once");
		fine = false;
	} else if (!root) {
		complain("cgroup v2 is not mounted: mount -t cgroup2 none /sys/fs/cgroup");
	}
	for (name = fine ? strtok_r(names, ",", &save) : NULL; name && fine;
	     name = strtok_r(NULL, ",", &save))
		fine = add_cgroup(target, root, name);
	if (fine && !target->nr_cgroups) {
		complain("'%s' names no cgroup", text);
		fine = false;
	}
	free(root);
	free(names);
	return fine;
}
