/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups, for as long as a test runs. As root. */
#ifndef PMUDEV_TEST_CGROUP_H
#define PMUDEV_TEST_CGROUP_H

#include <stdbool.h>

struct cgroup {
	char path[128];
};

/*
 * A new group below the root of the hierarchy, which is mounted somewhere if it is not yet. Of
 * version 2 with this controller ("memory"), or with none (NULL); of version 1 where
 * cgroup_legacy() says so ("devices"). 0, or -ENODEV: this kernel has no such.
 */
int cgroup_make(struct cgroup *group, const char *controller);
int cgroup_legacy(struct cgroup *group, const char *controller);
/* A new one below another. */
int cgroup_below(struct cgroup *group, const struct cgroup *above);
/* Nobody is in it any more. */
int cgroup_end(struct cgroup *group);

/* The calling process goes there. 0 or -errno, as of all here. */
int cgroup_enter(const struct cgroup *group);
int cgroup_write(const struct cgroup *group, const char *file, const char *text);
/* The number in a file, or that which stands after a word of it (NULL: the first). */
long cgroup_read(const struct cgroup *group, const char *file, const char *word);

#endif /* PMUDEV_TEST_CGROUP_H */
