// SPDX-License-Identifier: GPL-2.0
/* How costs grow: with the number of events of a set, and of counted threads that take turns. */
#include "costs.h"
#include "crowd.h"
#include "ring.h"

#define CALLS 20

/* -------------------------------------------------------------- events -- */

static const unsigned int sizes[] = { 1, 2, 4, 6, 16, 32, 64 };

struct many {
	struct pmudev_event_attr attr[PMUDEV_MAX_EVENTS];
	unsigned int nr;
	int fd;
};

static int open_many(const struct many *many)
{
	int fd = pm_set(many->attr, many->nr, false);

	if (fd < 0)
		fail("many events", fd);
	return fd;
}

static void open_close(void *arg)
{
	close(open_many(arg));
}

static void read_many(void *arg)
{
	struct many *many = arg;
	union record record;

	if (raw_read(many->fd, &record) <= 0)
		fail("read(2)", -EIO);
}

static void off_on(void *arg)
{
	struct many *many = arg;

	if (pm_disable(many->fd, PMUDEV_ALL) || pm_enable(many->fd, PMUDEV_ALL))
		fail("DISABLE and ENABLE", -errno);
}

static void measure(const char *key, void (*fn)(void *arg), struct many *many)
{
	curve(key, many->nr, time_calls(fn, many, CALLS), REFUSED);
	costs_row(pmudev_api.name, key, many->nr);
}

/* Of one set; each event is a group of its own, and they take turns. */
static void grow_events(void)
{
	struct pmudev_event_attr event =
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_MULTIPLEX);
	unsigned int i, j;
	struct many many;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (!point_wanted(i, ARRAY_SIZE(sizes)))
			continue;
		many.nr = sizes[i];
		for (j = 0; j < many.nr; j++)
			many.attr[j] = in_group(event, j);
		measure("curve-add", open_close, &many);
		many.fd = open_many(&many);
		if (pm_enable(many.fd, PMUDEV_ALL))
			fail("ENABLE", -errno);
		measure("curve-read", read_many, &many);
		measure("curve-off-on", off_on, &many);
		close(many.fd);
	}
}

/* ------------------------------------------------------------- threads -- */

/* The last one only in large runs. */
static const unsigned int rings[] = { 1, 10, 100, 1000, 10000 };

#define NR_RINGS ARRAY_SIZE(rings)

/* A round of all, in which each is switched in and out once, and its costs. */
static double time_round(const struct api *api, unsigned int nr)
{
	struct ring *ring = ring_start(api, nr);
	double ns = ring_time(ring);

	ring_stop(ring);
	return ns;
}

/* What counting adds to it. */
static double extra_round(const struct api *api, unsigned int nr)
{
	double base = time_round(NULL, nr), extra;
	struct costs without = costs_last();

	extra = time_round(api, nr) - base;
	costs_subtract(&without, 1);
	costs_row(api->name, "curve-switch", nr);
	say("%s: %u threads take %.1f, counted %.1f more", api->name, nr, base, extra);
	return extra;
}

int main(void)
{
	unsigned int nr = large() ? NR_RINGS : NR_RINGS - 1, side, i;
	double extra[2][NR_RINGS];
	const struct api *api;

	settle();
	many_files();
	many_threads();
	for (side = 0; side < 2; side++) {
		api = apis[side];
		api->begin();
		for (i = 0; i < nr; i++)
			if (point_wanted(i, nr))
				extra[side][i] = extra_round(api, rings[i]);
	}
	for (i = 0; i < nr; i++)
		if (point_wanted(i, nr))
			curve("curve-switch", rings[i], extra[OURS][i], extra[THEIRS][i]);
	grow_events();
	return 0;
}
