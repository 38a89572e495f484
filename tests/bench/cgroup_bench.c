// SPDX-License-Identifier: GPL-2.0
/*
 * What counting a cgroup costs at a context switch on that CPU: of a switch between one of its
 * threads and another, and of a switch between two others.
 */
#include "costs.h"
#include "switching.h"

#include <fcntl.h>

struct counting {
	const struct api *api;
	struct wish wish;
	struct events events;
};

static int start(void *arg)
{
	struct counting *c = arg;

	return c->api->open(&c->events, &c->wish);
}

static void stop(void *arg)
{
	struct counting *c = arg;

	c->api->close(&c->events);
	/* What stays as long as the module does is extra, too. */
	c->api->begin();
}

static const struct path {
	const char *key;
	unsigned int nr;
	bool member; /* the partner is in the cgroup */
} paths[] = {
	{ .key = "switch-cgroup", .nr = 1, .member = true },
	{ .key = "switch-cgroup", .nr = 4, .member = true },
	{ .key = "bystanders-cgroup", .nr = 1 },
};

#define NR_PATHS ARRAY_SIZE(paths)

int main(void)
{
	struct cgroup counted, other;
	double extra[2][NR_PATHS];
	unsigned int side, i;
	int directory;

	settle();
	/* perf's controller is not in effect before one is chosen, whichever. */
	if (cgroup_make(&counted, "pids") || cgroup_make(&other, "pids"))
		fail("cgroups", -ENODEV);
	directory = open(counted.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		fail(counted.path, -errno);
	for (side = 0; side < 2; side++) {
		apis[side]->begin();
		for (i = 0; i < NR_PATHS; i++) {
			struct counting c = { .api = apis[side] };

			c.wish = of_self(paths[i].nr, false);
			c.wish.cpu = 0;
			c.wish.cgroup = directory;
			extra[side][i] =
				extra_switch(start, stop, &c, paths[i].member ? &counted : &other);
			costs_row(c.api->name, paths[i].key, paths[i].nr);
			say("%s, %s, %u: %.1f", c.api->name, paths[i].key, paths[i].nr,
			    extra[side][i]);
		}
	}
	for (i = 0; i < NR_PATHS; i++)
		row(paths[i].key, paths[i].nr, extra[OURS][i], extra[THEIRS][i]);
	return 0;
}
