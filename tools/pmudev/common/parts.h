/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which events of a list are for which PMU. The list knows PMUs by sysfs, the module by number; the
 * name is what both have.
 */
#ifndef PARTS_H
#define PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <pmudev_set_array.h>

#include "events.h"

/*
 * Of each event the mask of its PMUs' numbers, as pmudev_set_array_add_on() takes it. False if the
 * module does not tell; the set knows why.
 */
bool parts_find(struct pmudev *set, const struct event_list *list, uint32_t *pmus);

/* The events that are for the PMU with this number. @index: their places in @list */
void parts_list(const struct event_list *list, const uint32_t *pmus, unsigned int pmu,
		struct event_list *part, unsigned int *index);

/*
 * Can groups be multiplexed? For events of some of a target's CPUs only, the time spent waiting and
 * the time on other CPUs cannot be told apart, so there is no estimate. parts_check_rotate()
 * reports the error.
 */
bool parts_can_rotate(const struct pmudev_set_array *array, const struct event_list *list);
bool parts_check_rotate(const struct pmudev_set_array *array, const struct event_list *list);

/* The PMU of an array's set. False if the module does not tell; the set knows why. */
bool parts_query(struct pmudev_set_array *array, unsigned int i, struct pmudev_query *query);

/* Names of the PMUs that an event is for, all or some, as "a, b". */
const char *parts_names(const struct event_list *list, unsigned int i, char *buf, size_t len);

#endif /* PARTS_H */
