// SPDX-License-Identifier: GPL-2.0
/*
 * What the life of a set costs in the kernel: opened, enabled and closed; switched off and on; its
 * page mapped and read. For perf with the module not loaded, then for pmudev with the same events.
 */
#include "costs.h"
#include "switching.h"
#include "trivial.h"

#include <linux/perf_event.h>
#include <pmudev_counter.h>
#include <sys/mman.h>

/* Samples of more than a tick. */
#define CALLS 100

/* perf has two ways: enabled from the beginning, and by a call of its own. The cheaper one. */
static double time_life(const struct api *api, unsigned int nr)
{
	struct life life = { .api = api, .wish = of_self(nr, false) };
	double at_once = time_calls(one_life, &life, CALLS), later;
	struct costs costs = costs_last();

	if (api == &pmudev_api)
		return at_once;
	life.wish.off = true;
	later = time_calls(one_life, &life, CALLS);
	say("%s, %u events: enabled at once %.1f, later %.1f", api->name, nr, at_once, later);
	if (later < at_once)
		return later;
	costs_set(costs);
	return at_once;
}

/* The first set: it reserves the PMU, installs hooks, and waits for other CPUs. */
static double time_first_life(const struct api *api, unsigned int nr)
{
	struct life life = { .api = api, .wish = of_self(nr, false) };
	__u64 start, ns;

	api->begin();
	costs_begin(own_ns);
	start = own_ns();
	one_life(&life);
	ns = own_ns() - start;
	costs_end(1);
	costs_done();
	return ns;
}

static void off_on(void *arg)
{
	struct life *life = arg;

	life->api->disable(&life->events);
	life->api->enable(&life->events);
}

static double time_off_on(const struct api *api, unsigned int nr)
{
	struct life life = { .api = api, .wish = of_self(nr, false) };
	int ret = api->open(&life.events, &life.wish);
	double ns;

	if (ret)
		fail(api->name, ret);
	ns = time_calls(off_on, &life, CALLS);
	api->close(&life.events);
	return ns;
}

/* ------------------------------------------------------------- the page -- */

struct mapped {
	int fd;
	/* false: it cannot be read so */
	bool (*first_read)(const void *page);
};

static bool read_our_page(const void *page)
{
	struct reader reader = reader_of(page);
	__u64 value;

	return !direct_read(&reader, 0, &value);
}

static bool read_their_page(const void *at)
{
	const struct perf_event_mmap_page *page = at;
	unsigned int shift = 64 - page->pmc_width;
	__u64 count, raw;
	__u32 seq, index;

	do {
		seq = READ_ONCE(page->lock);
		barrier();
		index = page->index;
		if (!index)
			return false;
		raw = pmudev_counter(index - 1);
		count = page->offset + ((__s64)(raw << shift) >> shift);
		barrier();
	} while (READ_ONCE(page->lock) != seq);
	return count;
}

static bool read_a_word(const void *page)
{
	return READ_ONCE(*(const __u32 *)page) || true;
}

static void map_read_unmap(void *arg)
{
	struct mapped *m = arg;
	void *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, m->fd, 0);

	if (page == MAP_FAILED)
		fail("mmap", -errno);
	if (!m->first_read(page))
		fail("the first read", -EAGAIN);
	munmap(page, PAGE_BYTES);
}

static double time_trivial_map(void)
{
	struct mapped m = { .fd = trivial_open(), .first_read = read_a_word };
	double ns = own_time_calls(map_read_unmap, &m, CALLS);

	close(m.fd);
	return ns;
}

/* The event is readable, and its page not mapped otherwise. */
static double time_map(const struct api *api)
{
	struct wish wish = of_self(1, true);
	struct mapped m = { .first_read = api == &pmudev_api ? read_our_page : read_their_page };
	struct events events;
	int ret = api->open(&events, &wish);
	double ns;

	if (ret)
		fail(api->name, ret);
	munmap(events.page[0], PAGE_BYTES);
	events.page[0] = NULL;
	m.fd = events.fd[0];
	ns = own_time_calls(map_read_unmap, &m, CALLS);
	api->close(&events);
	return ns;
}

static const unsigned int numbers[] = { 1, 4 };

#define NR_NUMBERS ARRAY_SIZE(numbers)

struct times {
	double cold[NR_NUMBERS];
	double warm[NR_NUMBERS];
	double off_on[NR_NUMBERS];
	double map;
};

static void measure(const struct api *api, const struct costs *trivial_map, struct times *all)
{
	struct wish one = of_self(1, false);
	unsigned int i;
	int other;

	for (i = 0; i < NR_NUMBERS; i++) {
		all->cold[i] = time_first_life(api, numbers[i]);
		costs_row(api->name, "life-cold", numbers[i]);
	}
	api->begin();
	other = sleeper_start(api, &one);
	if (other < 0)
		fail(api->name, other);
	for (i = 0; i < NR_NUMBERS; i++) {
		all->warm[i] = time_life(api, numbers[i]);
		costs_row(api->name, "life-warm", numbers[i]);
		all->off_on[i] = time_off_on(api, numbers[i]);
		costs_row(api->name, "off-on", numbers[i]);
	}
	all->map = time_map(api);
	costs_subtract(trivial_map, 1);
	costs_row(api->name, "map", 1);
	stop_child(other);
}

int main(void)
{
	struct costs trivial_map;
	struct times times[2];
	unsigned int side, i;
	double map, life, off_on;

	settle();
	trivial_begin();
	map = time_trivial_map();
	trivial_map = costs_last();
	costs_row(pmudev_api.name, "map-trivial", 0);
	life = trivial_life();
	costs_row(pmudev_api.name, "life-trivial", 0);
	off_on = trivial_off_on();
	costs_row(pmudev_api.name, "off-on-trivial", 0);
	trivial_end();
	for (side = 0; side < 2; side++)
		measure(apis[side], &trivial_map, &times[side]);
	for (i = 0; i < NR_NUMBERS; i++) {
		row("life-warm", numbers[i], times[OURS].warm[i], times[THEIRS].warm[i]);
		row("life-cold", numbers[i], times[OURS].cold[i], times[THEIRS].cold[i]);
		row("off-on", numbers[i], times[OURS].off_on[i], times[THEIRS].off_on[i]);
	}
	row("map", 1, times[OURS].map - map, times[THEIRS].map - map);
	row("map-trivial", 0, map, REFUSED);
	row("life-trivial", 0, life, REFUSED);
	row("off-on-trivial", 0, off_on, REFUSED);
	life = time_loading();
	costs_row(pmudev_api.name, "module-load", 0);
	row("module-load", 0, life, REFUSED);
	return 0;
}
