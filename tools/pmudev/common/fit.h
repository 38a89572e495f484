/* SPDX-License-Identifier: GPL-2.0 */
/* Which events of a list fit beside each other: found out by dry runs. */
#ifndef FIT_H
#define FIT_H

#include <stdbool.h>
#include <stdint.h>

#include <pmudev.h>

#include "events.h"

/**
 * struct fit - how the events of a list fit
 * @fits: mask of those that are on counters beside each other
 * @counter: where these are, else -1
 * @may: mask of the counters that each may be on
 */
struct fit {
	uint64_t fits;
	int32_t counter[PMUDEV_MAX_EVENTS];
	uint64_t may[PMUDEV_MAX_EVENTS];
};

static inline uint64_t bit(unsigned int i)
{
	return 1ULL << i;
}

/*
 * Finds out. @counters: those that there are. False if something else than counters is missing; the
 * set knows what.
 */
bool fit_find(struct pmudev *set, const struct event_list *list, uint64_t counters,
	      struct fit *fit);

/* How many events do not fit. */
unsigned int fit_misfits(const struct event_list *list, const struct fit *fit);

bool fit_same(const struct event_list *list, const struct fit *a, const struct fit *b);

/* Would they fit if all groups were multiplexed? */
bool fit_multiplexed(struct pmudev *set, const struct event_list *list);

#endif /* FIT_H */
