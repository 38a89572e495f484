// SPDX-License-Identifier: GPL-2.0
/*
 * What taking turns costs: 12 events that only the programmable counters can count, of which there
 * are 6 (5 for pmudev on arm64, where one is left to perf), while a loop of known length runs. Half
 * of them count in user mode only, so most that take a counter find another selector in it. The
 * timer's interrupt is part of it.
 */
#include "api.h"
#include "costs.h"
#include "perf.h"

#include <stdio.h>
#include <string.h>

#define NR_EVENTS 12
/* A fifth of a second. */
#define ROUNDS	100000000ULL
#define SAMPLES	  3

#if defined(__x86_64__)
#define EVENT EVENT_BRANCHES
#else
#define EVENT EVENT_INSTRUCTIONS
#endif

/* How long a turn is: src/context/pmu.c has ours, open_perf() sets perf's. */
static const double turn_ns[] = { [OURS] = 1116034, [THEIRS] = 1000000 };

static int fds[NR_EVENTS];

static bool user_only(unsigned int event)
{
	return event < NR_EVENTS / 2;
}

static double time_loop(void)
{
	double samples[SAMPLES];
	unsigned int i;
	__u64 start;

	for (i = 0; i < SAMPLES; i++) {
		costs_begin(now_ns);
		start = now_ns();
		loop(ROUNDS);
		samples[i] = now_ns() - start;
		costs_end(1);
	}
	costs_done();
	return median(samples, SAMPLES);
}

static unsigned int open_pmudev(void)
{
	struct pmudev_event_attr attr[NR_EVENTS];
	unsigned int i;
	__u32 flags;

	for (i = 0; i < NR_EVENTS; i++) {
		flags = PMUDEV_MULTIPLEX | (user_only(i) ? USER_ONLY : 0);
		attr[i] = in_group(raw_event(EVENT, flags), i);
	}
	fds[0] = pm_set(attr, NR_EVENTS, true);
	if (fds[0] < 0)
		fail("the set", fds[0]);
	return 1;
}

static bool pmudev_all_counted(void)
{
	union record record;
	unsigned int i;

	if (pm_read(fds[0], &record))
		return false;
	for (i = 0; i < NR_EVENTS; i++)
		if (!record.r.counts[i].value)
			return false;
	return true;
}

static unsigned int open_perf(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = EVENT,
		.exclude_hv = 1,
	};
	unsigned int i;

	/* In ms; no other number is nearer to ours. */
	if (perf_set_turns(1))
		fail("perf_event_mux_interval_ms", -ENOENT);
	for (i = 0; i < NR_EVENTS; i++) {
		attr.exclude_kernel = user_only(i);
		fds[i] = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (fds[i] < 0)
			fail("perf_event_open", -errno);
	}
	return NR_EVENTS;
}

static bool perf_all_counted(void)
{
	unsigned int i;
	__u64 value;

	for (i = 0; i < NR_EVENTS; i++)
		if (read(fds[i], &value, sizeof(value)) != sizeof(value) || !value)
			return false;
	return true;
}

int main(void)
{
	const struct api *api;
	unsigned int side, nr;
	double with, without, cost[2];
	struct costs alone;

	settle();
	for (side = 0; side < 2; side++) {
		api = apis[side];
		api->begin();
		without = time_loop();
		alone = costs_last();
		nr = api == &pmudev_api ? open_pmudev() : open_perf();
		with = time_loop();
		costs_subtract(&alone, with / turn_ns[side]);
		if (!(api == &pmudev_api ? pmudev_all_counted() : perf_all_counted()))
			fail("an event had no turn", -EIO);
		while (nr--)
			close(fds[nr]);
		cost[side] = (with - without) / (with / turn_ns[side]);
		costs_row(api->name, "rotation", NR_EVENTS);
		say("%s: the loop took %.0f, with turns %.0f", api->name, without, with);
	}
	row("rotation", NR_EVENTS, cost[OURS], cost[THEIRS]);
	return 0;
}
