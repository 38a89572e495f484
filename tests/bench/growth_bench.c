// SPDX-License-Identifier: GPL-2.0
/* How costs grow: with the number of events of a set, and of counted threads that take turns. */
#include "crowd.h"

#include <pthread.h>

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

/* Of one set; each event is a group of its own, and they take turns. */
static void grow_events(void)
{
	struct pmudev_event_attr event =
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_MULTIPLEX);
	unsigned int i, j;
	struct many many;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		many.nr = sizes[i];
		for (j = 0; j < many.nr; j++)
			many.attr[j] = in_group(event, j);
		curve("curve-add", many.nr, time_calls(open_close, &many, CALLS), REFUSED);
		many.fd = open_many(&many);
		if (pm_enable(many.fd, PMUDEV_ALL))
			fail("ENABLE", -errno);
		curve("curve-read", many.nr, time_calls(read_many, &many, CALLS), REFUSED);
		curve("curve-off-on", many.nr, time_calls(off_on, &many, CALLS), REFUSED);
		close(many.fd);
	}
}

/* ------------------------------------------------------------- threads -- */

#define MOST_THREADS 1000

static const unsigned int rings[] = { 1, 10, 100, 1000 };

#define NR_RINGS ARRAY_SIZE(rings)

/*
 * Each waits for its place's pipe and gives to the next place; the last one gives to place 0,
 * which is the caller's.
 */
struct ring {
	const struct api *api; /* NULL: nobody counts */
	unsigned int nr;
	int pipe[MOST_THREADS + 1][2];
};

struct place {
	struct ring *ring;
	unsigned int at;
};

static void pass(struct ring *ring, unsigned int at)
{
	char byte = 0;

	raw_call(SYS_write, ring->pipe[at][1], (long)&byte, 1);
}

static bool take(struct ring *ring, unsigned int at)
{
	char byte;

	return raw_call(SYS_read, ring->pipe[at][0], (long)&byte, 1) == 1;
}

static void *member(void *arg)
{
	struct place *place = arg;
	struct ring *ring = place->ring;
	struct wish wish = of_self(1, false);
	unsigned int next = (place->at + 1) % (ring->nr + 1);
	struct events events = { .nr = 0 };
	int ret = ring->api ? ring->api->open(&events, &wish) : 0;

	if (ret)
		fail("one of many threads", ret);
	/* Until place 0 closes its pipes. */
	while (take(ring, place->at))
		pass(ring, next);
	if (ring->api)
		ring->api->close(&events);
	return NULL;
}

static void whole_round(void *arg)
{
	pass(arg, 1);
	take(arg, 0);
}

/* A round of all, in which each is switched in and out once. */
static double time_round(const struct api *api, unsigned int nr)
{
	static struct place place[MOST_THREADS + 1];
	static struct ring ring;
	static pthread_t thread[MOST_THREADS + 1];
	unsigned int i;
	double ns;
	int ret;

	ring.api = api;
	ring.nr = nr;
	for (i = 0; i <= nr; i++)
		if (pipe(ring.pipe[i]))
			fail("pipe", -errno);
	for (i = 1; i <= nr; i++) {
		place[i] = (struct place){ .ring = &ring, .at = i };
		ret = pthread_create(&thread[i], NULL, member, &place[i]);
		if (ret)
			fail("a thread", -ret);
	}
	/* The longest rounds are longer than a tick. */
	ns = time_calls(whole_round, &ring, nr < CALLS ? CALLS : 1);
	/* Each one's end of file is the end of the one before. */
	for (i = 1; i <= nr; i++) {
		close(ring.pipe[i][1]);
		pthread_join(thread[i], NULL);
		close(ring.pipe[i][0]);
	}
	close(ring.pipe[0][0]);
	close(ring.pipe[0][1]);
	return ns;
}

int main(void)
{
	double extra[2][NR_RINGS], base;
	const struct api *api;
	unsigned int side, i;

	settle();
	many_files();
	for (side = 0; side < 2; side++) {
		api = apis[side];
		api->begin();
		for (i = 0; i < NR_RINGS; i++) {
			base = time_round(NULL, rings[i]);
			extra[side][i] = time_round(api, rings[i]) - base;
			say("%s: %u threads take %.1f, counted %.1f more", api->name, rings[i],
			    base, extra[side][i]);
		}
	}
	for (i = 0; i < NR_RINGS; i++)
		curve("curve-switch", rings[i], extra[OURS][i], extra[THEIRS][i]);
	grow_events();
	return 0;
}
