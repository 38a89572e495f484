/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf's software events in the list of `pmudev stat`: the kernel counts them without a counter of
 * the PMU.
 */
#ifndef SOFTWARE_H
#define SOFTWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "events.h"
#include "software_events.h"

/**
 * struct software - those of a list
 * @nr: how many
 * @events: which they are
 * @names: as they were written
 * @user_only: the kernel is left out
 * @kernel_only: user mode is left out
 * @order: of all events the one that is shown nth: below @hardware one of the PMU's, else one of
 *	these, from @hardware on
 * @hardware: how many the PMU's are
 */
struct software {
	unsigned int nr;
	const struct software_event *events[PMUDEV_MAX_EVENTS];
	char names[PMUDEV_MAX_EVENTS][EVENT_NAME];
	bool user_only[PMUDEV_MAX_EVENTS];
	bool kernel_only[PMUDEV_MAX_EVENTS];
	unsigned int hardware;
	unsigned int order[PMUDEV_MAX_EVENTS];
};

/*
 * Takes the software events out of the list. @rest: what is left, allocated; "" if nothing is.
 * False if the list is wrong, which has been told on stderr.
 */
bool software_split(const char *text, char **rest, struct software *software);

/* Puts them behind the PMU's events of the list. */
void software_append(const struct software *software, struct event_list *list);

/* Is this event of the list one that counts CPU time? */
bool software_is_clock(const struct event_list *list, unsigned int i);

/* Does it count a time, in ns? */
bool software_is_time(const struct event_list *list, unsigned int i);

#endif /* SOFTWARE_H */
