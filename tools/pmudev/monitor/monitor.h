/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `pmudev monitor` counts, and the ways to show it: lines, a live table, CSV and JSON. One
 * view is chosen at the start.
 */
#ifndef MONITOR_H
#define MONITOR_H

#include <stdio.h>

#include <pmudev_set_array.h>

#include "../common/events.h"

/**
 * struct watched - one CPU
 * @cpu: its number
 * @start: what had been counted when it began
 * @before: when the interval began
 * @now: the last reading
 */
struct watched {
	unsigned int cpu;
	union pmudev_record_buffer start;
	union pmudev_record_buffer before;
	union pmudev_record_buffer now;
};

/**
 * struct monitor - all of them
 * @command: as it was called
 * @list: the events, the same on each
 * @cpus_text: the CPUs as they were given
 * @interval: ns
 * @nr: how many CPUs
 * @cpus: the CPUs
 * @missed: intervals that went by unseen before the last reading
 */
struct monitor {
	const char *command;
	const struct event_list *list;
	const char *cpus_text;
	uint64_t interval;
	unsigned int nr;
	struct watched *cpus;
	uint64_t missed;
};

/**
 * struct view - a way to show it
 * @begin: before the first interval
 * @show: an interval has ended
 * @resized: the terminal has another size, or is ours again; NULL: nothing to do
 * @end: counting ends, with @now of that moment
 */
struct view {
	void (*begin)(const struct monitor *monitor);
	void (*show)(const struct monitor *monitor);
	void (*resized)(const struct monitor *monitor);
	void (*end)(const struct monitor *monitor);
};

/* What --help shows. */
extern const char monitor_help[];
extern const char verify_help[];

extern const struct view view_lines;
extern const struct view view_csv;
extern const struct view view_json;
extern const struct view view_live;

static inline double seconds_since_start(const struct watched *w)
{
	return (w->now.record.time - w->start.record.time) / 1e9;
}

/* Can a live table be shown: is stdout a terminal that can be more than dumb? */
bool live_possible(void);

/* Gives the terminal back, if the live table has it: before anything else is written there. */
void live_leave(void);

/* One picture of the live table, for a terminal of this size. */
void live_draw(FILE *out, const struct monitor *monitor, unsigned int rows, unsigned int width);

#endif /* MONITOR_H */
