// SPDX-License-Identifier: GPL-2.0
/*
 * What counting costs at a context switch: two processes on one CPU take turns, and the time of a
 * switch is compared with that of the same switch while nobody counts. For perf with the module
 * not loaded, then for pmudev with the same events.
 */
#include "costs.h"
#include "switching.h"

#include <string.h>

#define STRANGERS 5

enum counted {
	ONE,	  /* of the two, by itself */
	ATTACHED, /* one of the two, by a third */
	SLEEPER,  /* neither: a third, which sleeps, by itself */
	STRANGER, /* neither: a third, which sleeps, by a fourth */
};

/* @child: who sleeps meanwhile, 0: nobody */
struct counting {
	const struct api *api;
	struct wish wish;
	enum counted who;
	struct events events;
	int child[2];
};

static void stop(void *arg)
{
	struct counting *c = arg;

	if (c->who == ONE)
		c->api->close(&c->events);
	stop_child(c->child[1]);
	stop_child(c->child[0]);
	memset(c->child, 0, sizeof(c->child));
	/* What stays as long as the module does is extra, too. */
	c->api->begin();
}

static int start(void *arg)
{
	struct counting *c = arg;
	struct wish of_other = c->wish;

	switch (c->who) {
	case ONE:
		return c->api->open(&c->events, &c->wish);
	case SLEEPER:
		c->child[0] = sleeper_start(c->api, &c->wish);
		break;
	case ATTACHED:
		of_other.pid = getpid();
		c->child[0] = sleeper_start(c->api, &of_other);
		break;
	case STRANGER:
		c->child[0] = sleeper_start(c->api, NULL);
		of_other.pid = c->child[0];
		c->child[1] = sleeper_start(c->api, &of_other);
		break;
	}
	if (c->child[0] >= 0 && c->child[1] >= 0)
		return 0;
	stop(c);
	return -ECHILD;
}

static const struct path {
	const char *key;
	enum counted who;
	unsigned int nr;
	bool user;
	bool deadline;
} paths[] = {
	{ .key = "switch-self", .who = ONE, .nr = 1 },
	{ .key = "switch-self", .who = ONE, .nr = 4 },
	{ .key = "switch-self", .who = ONE, .nr = 6 },
	{ .key = "switch-self-user", .who = ONE, .nr = 1, .user = true },
	{ .key = "switch-self-user", .who = ONE, .nr = 4, .user = true },
	{ .key = "switch-self-user", .who = ONE, .nr = 6, .user = true },
	{ .key = "switch-self-deadline", .who = ONE, .nr = 1, .deadline = true },
	{ .key = "switch-self-deadline", .who = ONE, .nr = 4, .deadline = true },
	{ .key = "switch-attached", .who = ATTACHED, .nr = 1 },
	{ .key = "switch-attached", .who = ATTACHED, .nr = 4 },
	{ .key = "bystanders-self", .who = SLEEPER, .nr = 1 },
	{ .key = "bystanders-attached", .who = STRANGER, .nr = 1 },
};

#define NR_PATHS ARRAY_SIZE(paths)

/*
 * Where its task lies in memory is luck: one of the two may share a bucket of the module's table
 * with it. So of several tasks the one in the middle; who sleeps in between keeps memory from being
 * used again.
 */
static double extra_of_strangers(struct counting *c)
{
	double extra[STRANGERS];
	int sleepers[STRANGERS];
	unsigned int i;

	for (i = 0; i < STRANGERS; i++) {
		extra[i] = extra_switch(start, stop, c, NULL);
		sleepers[i] = sleeper_start(c->api, NULL);
	}
	while (i--)
		stop_child(sleepers[i]);
	return median(extra, STRANGERS);
}

int main(void)
{
	double extra[2][NR_PATHS], base[2];
	const struct api *api;
	unsigned int side, i;

	settle();
	for (side = 0; side < 2; side++) {
		api = apis[side];
		api->begin();
		base[side] = time_switches(NULL);
		costs_row(api->name, "switch-empty", 0);
		for (i = 0; i < NR_PATHS; i++) {
			struct counting c = { .api = api,
					      .wish = of_self(paths[i].nr, paths[i].user),
					      .who = paths[i].who };

			/* It is not reached. */
			c.wish.deadline = paths[i].deadline ? 1ULL << 40 : 0;
			extra[side][i] = c.who == STRANGER ? extra_of_strangers(&c) :
							     extra_switch(start, stop, &c, NULL);
			costs_row(api->name, paths[i].key, paths[i].nr);
			say("%s, %s, %u: %.1f", api->name, paths[i].key, paths[i].nr,
			    extra[side][i]);
		}
	}
	row("switch-empty", 0, base[OURS], base[THEIRS]);
	for (i = 0; i < NR_PATHS; i++)
		row(paths[i].key, paths[i].nr, extra[OURS][i], extra[THEIRS][i]);
	return 0;
}
