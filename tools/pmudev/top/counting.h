/* SPDX-License-Identifier: GPL-2.0 */
/* What `pmudev top` counts: the same events on each CPU or process, all of them in one group. */
#ifndef COUNTING_H
#define COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include <pmudev_set_array.h>

#include "../common/chosen.h"
#include "../common/events.h"

#define COUNTING_NOTE 256

/**
 * struct counting - the events
 * @list: the events
 * @pmus: of each event the PMUs that it is for, by number
 * @metrics: those of -M, whose events come first
 * @by_default: nobody named events: what is missing is left out
 * @user_only: no CAP_PERFMON: the kernel is not counted
 * @note: what was left out, "" if nothing
 */
struct counting {
	struct event_list list;
	uint32_t pmus[PMUDEV_MAX_EVENTS];
	struct metrics metrics;
	bool by_default;
	bool user_only;
	char note[COUNTING_NOTE];
};

/*
 * @events, @metrics: what -e and -M gave, or NULL. False has been told on stderr. The caller frees
 * them in any case.
 */
bool counting_choose(struct counting *counting, const char *events, const char *metrics);
void counting_free(struct counting *counting);

/*
 * Adds the events to an array that was opened, and enables them. Return: 0 or a negative errno; the
 * array knows why.
 */
int counting_start(struct counting *counting, struct pmudev_set_array *array);

/*
 * Leaves out the last event, if counters were missing and nobody named the events. True: what was
 * refused may be tried again, with a new array.
 */
bool counting_give_up_event(struct counting *counting, struct pmudev_set_array *array);

/* Why the array's last call was refused, with the event's name. */
void counting_explain(const struct counting *counting, struct pmudev_set_array *array, char *text,
		      size_t len);

/* The place of a generic event on the levels that all are counted on, or -1. */
int counting_find(const struct counting *counting, enum pmudev_generic event);

#endif /* COUNTING_H */
