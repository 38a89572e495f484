/* SPDX-License-Identifier: GPL-2.0 */
/* perf's software events: the kernel counts them without a counter of the PMU. */
#ifndef SOFTWARE_EVENTS_H
#define SOFTWARE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct software_event - one that can be counted
 * @name: perf's
 * @alias: perf's short name, NULL: none
 * @config: PERF_COUNT_SW_*
 * @clock: it counts ns of CPU time
 * @wall: it counts ns of the clock, and is no event of the kernel's
 * @about: what it counts
 */
struct software_event {
	const char *name;
	const char *alias;
	uint64_t config;
	bool clock;
	bool wall;
	const char *about;
};

/* By a name of so many letters, or NULL. */
const struct software_event *software_event_find(const char *text, size_t len);

/* The nth, or NULL. */
const struct software_event *software_event_nth(unsigned int n);

#endif /* SOFTWARE_EVENTS_H */
