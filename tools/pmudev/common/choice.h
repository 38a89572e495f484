/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `pmudev stat` counts, and `pmudev explain` tells of: the events of -e and -M, or perf's by
 * default as far as the CPU has them.
 */
#ifndef CHOICE_H
#define CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "chosen.h"
#include "events.h"
#include "software.h"

/**
 * struct choice - what was asked for, and what that is
 * @events: the list of -e, allocated; NULL: none. The whole list afterwards
 * @names: those of -M; NULL: none
 * @multiplex: the events of each metric are a group of their own
 * @detailed: more events, the more the higher
 * @all_user: events that say nothing else are of user mode
 * @all_kernel: the same, of the kernel
 * @instructions: by default no other event of the CPU than instructions of user mode
 * @list: the events, those of the kernel behind the PMU's
 * @software: those of the kernel, and the order of all
 * @metrics: those of -M
 * @by_default: nobody named events
 * @optional: how many of the PMU's events at the end of the list can be left out
 * @missing: names of those that it would have and this CPU has not, "" if none
 * @missing_size: of that text
 */
struct choice {
	char **events;
	const char *names;
	bool multiplex;
	unsigned int detailed;
	bool all_user;
	bool all_kernel;
	bool instructions;
	struct event_list *list;
	struct software *software;
	struct metrics *metrics;
	bool by_default;
	unsigned int optional;
	char *missing;
	size_t missing_size;
};

/* False: the events are wrong, which was told on stderr. */
bool choose_events(struct choice *choice);

#endif /* CHOICE_H */
