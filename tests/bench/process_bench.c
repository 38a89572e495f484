// SPDX-License-Identifier: GPL-2.0
/*
 * A process with many events: 64 on each of its threads, which take turns there, as one set or as
 * events of perf's. The first thread opens, enables and reads them all, as a program does that
 * counts its pool of threads; these sleep meanwhile.
 */
#include "costs.h"
#include "crowd.h"
#include "perf.h"
#include "ring.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>

/* Of a thread; one set has no more. */
#define EACH	 PMUDEV_MAX_EVENTS
#define MOST_NR	 16
/* One event of perf's costs as much as a set of ours. */
#define CALLS	 1
/* The hook that finds threads which others count leaves a second after it is done. */
#define HOOKS_LEAVE 3000000000ULL

static const unsigned int owners[] = { 1, 4, MOST_NR };

#define NR_SIZES ARRAY_SIZE(owners)

struct process {
	const struct api *api;
	const struct ring *ring;
	unsigned int owners;
	int fd[MOST_NR * EACH];
	unsigned int nr;
};

static const char *const keys[] = { "curve-process-open", "curve-process-off-on",
				    "curve-process-read", "curve-process-life",
				    "curve-process-switch" };

#define NR_KEYS ARRAY_SIZE(keys)

static void add_file(struct process *p, int fd)
{
	if (fd < 0)
		fail("one of many events", fd);
	p->fd[p->nr++] = fd;
}

/* -------------------------------------------------------------- pmudev -- */

/* Each event is a group of its own. */
static void fill_set(struct pmudev_event_attr *attr)
{
	unsigned int i;

	for (i = 0; i < EACH; i++)
		attr[i] = in_group(raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_MULTIPLEX), i);
}

static void open_ours(struct process *p)
{
	struct pmudev_event_attr attr[EACH];
	unsigned int i;

	fill_set(attr);
	for (i = 0; i < p->owners; i++)
		add_file(p, pm_attach(ring_tid(p->ring, i), 0, attr, EACH, false));
}

/* What one thread can have: each set needs a counter of its own. */
static void say_room(void)
{
	struct pmudev_event_attr attr[EACH];
	unsigned int nr = 0, i;
	int fd[MOST_NR];

	fill_set(attr);
	while (nr < MOST_NR && (fd[nr] = pm_set(attr, EACH, true)) >= 0)
		nr++;
	say("a thread has room for %u sets of %u events", nr, EACH);
	for (i = 0; i < nr; i++)
		close(fd[i]);
}

/* ---------------------------------------------------------------- perf -- */

static void open_theirs(struct process *p)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = EVENT_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	unsigned int i;
	int fd;

	for (i = 0; i < p->owners * EACH; i++) {
		fd = syscall(SYS_perf_event_open, &attr, ring_tid(p->ring, i / EACH), -1, -1,
			     PERF_FLAG_FD_CLOEXEC);
		add_file(p, fd < 0 ? -errno : fd);
	}
}

/* ---------------------------------------------------------------- both -- */

static void open_all(struct process *p)
{
	p->nr = 0;
	if (p->api == &pmudev_api)
		open_ours(p);
	else
		open_theirs(p);
}

static void close_all(struct process *p)
{
	while (p->nr)
		close(p->fd[--p->nr]);
}

static void open_close(void *arg)
{
	open_all(arg);
	close_all(arg);
}

static void turn(struct process *p, bool on)
{
	bool ours = p->api == &pmudev_api;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < p->nr && !ret; i++) {
		if (ours)
			ret = on ? pm_enable(p->fd[i], PMUDEV_ALL) :
				   pm_disable(p->fd[i], PMUDEV_ALL);
		else
			ret = ioctl(p->fd[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
				    0);
	}
	if (ret)
		fail("on or off", -errno);
}

static void off_on(void *arg)
{
	turn(arg, false);
	turn(arg, true);
}

static void read_all(void *arg)
{
	struct process *p = arg;
	union record record;
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		if (raw_read(p->fd[i], &record) <= 0)
			fail("read(2)", -EIO);
}

/* One event of the caller's that takes no turns, beside them. */
static void life_beside(void *arg)
{
	const struct process *p = arg;
	struct life life = { .api = p->api, .wish = of_self(1, false) };

	one_life(&life);
}

static void (*const path[])(void *arg) = { open_close, off_on, read_all, life_beside };

static void measure(const struct api *api, unsigned int size, double result[NR_KEYS])
{
	struct ring *ring = ring_start(NULL, owners[size]);
	struct process p = { .api = api, .ring = ring, .owners = owners[size] };
	unsigned int i, events = owners[size] * EACH;
	double base = ring_time(ring);
	struct costs without = costs_last();

	for (i = 0; i < NR_KEYS - 1; i++) {
		if (i == 1) {
			open_all(&p);
			turn(&p, true);
		}
		result[i] = time_calls(path[i], &p, CALLS);
		costs_row(api->name, keys[i], events);
	}
	/* Each is found at its next switch. */
	ring_time(ring);
	pause_ns(HOOKS_LEAVE);
	result[i] = ring_time(ring) - base;
	costs_subtract(&without, 1);
	costs_row(api->name, keys[i], events);
	close_all(&p);
	ring_stop(ring);
	say("%s: %u events, a round takes %.1f, counted %.1f more", api->name, events, base,
	    result[i]);
}

int main(void)
{
	double result[2][NR_SIZES][NR_KEYS];
	unsigned int side, i, key;

	settle();
	many_files();
	for (side = 0; side < 2; side++) {
		apis[side]->begin();
		/* Its turns are as long as ours. */
		if (side == THEIRS && perf_set_turns(1))
			fail("perf_event_mux_interval_ms", -ENOENT);
		for (i = 0; i < NR_SIZES; i++)
			if (point_wanted(i, NR_SIZES))
				measure(apis[side], i, result[side][i]);
	}
	say_room();
	for (key = 0; key < NR_KEYS; key++)
		for (i = 0; i < NR_SIZES; i++)
			if (point_wanted(i, NR_SIZES))
				curve(keys[key], owners[i] * EACH, result[OURS][i][key],
				      result[THEIRS][i][key]);
	return 0;
}
