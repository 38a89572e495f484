// SPDX-License-Identifier: GPL-2.0
#include "ring.h"
#include "switching.h"

#include <pthread.h>

#define MOST_THREADS 10000
#define CALLS	     20
#define STACK	     65536

/*
 * Each waits for its place's pipe and gives to the next place; the last one gives to place 0,
 * which is the caller's.
 */
struct ring {
	const struct api *api;
	unsigned int nr;
	int pipe[MOST_THREADS + 1][2];
};

struct place {
	struct ring *ring;
	unsigned int at;
	pthread_t thread;
	int tid;
};

static struct ring the_ring;
static struct place places[MOST_THREADS + 1];

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
	place->tid = syscall(SYS_gettid);
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

struct ring *ring_start(const struct api *api, unsigned int nr)
{
	struct ring *ring = &the_ring;
	pthread_attr_t attr;
	unsigned int i;
	int ret;

	if (nr > MOST_THREADS)
		fail("threads", -E2BIG);
	ring->api = api;
	ring->nr = nr;
	for (i = 0; i <= nr; i++)
		if (pipe(ring->pipe[i]))
			fail("pipe", -errno);
	/* The longest rounds take more of a second than such threads may. */
	ret = write_file("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	if (ret)
		fail("sched_rt_runtime_us", ret);
	steady(true);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (i = 1; i <= nr; i++) {
		places[i] = (struct place){ .ring = ring, .at = i };
		ret = pthread_create(&places[i].thread, &attr, member, &places[i]);
		if (ret)
			fail("a thread", -ret);
	}
	pthread_attr_destroy(&attr);
	/* The first one back says that all have begun. */
	whole_round(ring);
	steady(false);
	return ring;
}

int ring_tid(const struct ring *ring, unsigned int i)
{
	return i < ring->nr ? places[i + 1].tid : -1;
}

double ring_time(struct ring *ring)
{
	double ns;

	steady(true);
	/* The longest rounds are longer than a tick. */
	ns = time_calls(whole_round, ring, ring->nr < CALLS ? CALLS : 1);
	steady(false);
	return ns;
}

void ring_stop(struct ring *ring)
{
	unsigned int i;

	/* Each one's end of file is the end of the one before. */
	for (i = 1; i <= ring->nr; i++) {
		close(ring->pipe[i][1]);
		pthread_join(places[i].thread, NULL);
		close(ring->pipe[i][0]);
	}
	close(ring->pipe[0][0]);
	close(ring->pipe[0][1]);
}
