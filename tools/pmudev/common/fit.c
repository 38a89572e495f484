// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "fit.h"
#include "holders.h"

/* The dry run with some of the events. @bad: the event that was refused, -1: none */
static int try_events(struct pmudev *set, const struct event_list *list, uint64_t some,
		      int32_t *counter, int *bad)
{
	struct pmudev_event_attr attrs[PMUDEV_MAX_EVENTS];
	unsigned int index[PMUDEV_MAX_EVENTS], nr = 0, i;
	int32_t got[PMUDEV_MAX_EVENTS];
	struct pmudev_refusal why;
	int error;

	*bad = -1;
	for (i = 0; i < list->nr; i++) {
		counter[i] = -1;
		if (!(some & bit(i)))
			continue;
		attrs[nr] = list->attrs[i];
		index[nr++] = i;
	}
	if (!nr)
		return 0;
	error = pmudev_place(set, attrs, nr, got);
	if (error && pmudev_why(set, &why) && why.event >= 0 && (unsigned int)why.event < nr)
		*bad = index[why.event];
	for (i = 0; i < nr && !error; i++)
		counter[index[i]] = got[i];
	return error;
}

/* Did the last dry run fail because counters were missing? */
static bool wants_counters(struct pmudev *set)
{
	struct pmudev_refusal why = { .code = PMUDEV_OK };

	pmudev_why(set, &why);
	return why.code == PMUDEV_WHY_NO_COUNTER || why.code == PMUDEV_WHY_HELD;
}

/*
 * Removes events until the others fit, then adds those back that fit after all. False if the reason
 * is not missing counters.
 */
static bool leave_out(struct pmudev *set, const struct event_list *list, struct fit *fit)
{
	uint64_t all = ~0ULL >> (64 - list->nr), some = all;
	int32_t counter[PMUDEV_MAX_EVENTS];
	unsigned int i;
	int bad;

	while (try_events(set, list, some, fit->counter, &bad)) {
		if (!wants_counters(set) || bad < 0)
			return false;
		some &= ~bit(bad);
	}
	for (i = 0; i < list->nr; i++) {
		if (some & bit(i) || try_events(set, list, some | bit(i), counter, &bad))
			continue;
		some |= bit(i);
		memcpy(fit->counter, counter, sizeof(counter));
	}
	fit->fits = some;
	return true;
}

bool fit_find(struct pmudev *set, const struct event_list *list, uint64_t counters, struct fit *fit)
{
	struct pmudev_holder holder;
	unsigned int i, c;

	memset(fit, 0, sizeof(*fit));
	if (!leave_out(set, list, fit))
		return false;
	for (i = 0; i < list->nr; i++)
		for (c = 0; c < 64; c++)
			if (counters & bit(c) &&
			    counter_state(set, &list->attrs[i], c, &holder) != COUNTER_UNFIT)
				fit->may[i] |= bit(c);
	return true;
}

unsigned int fit_misfits(const struct event_list *list, const struct fit *fit)
{
	return list->nr - __builtin_popcountll(fit->fits);
}

bool fit_same(const struct event_list *list, const struct fit *a, const struct fit *b)
{
	return a->fits == b->fits &&
	       !memcmp(a->counter, b->counter, list->nr * sizeof(*a->counter)) &&
	       !memcmp(a->may, b->may, list->nr * sizeof(*a->may));
}

bool fit_multiplexed(struct pmudev *set, const struct event_list *list)
{
	struct pmudev_event_attr attrs[PMUDEV_MAX_EVENTS];
	int32_t counter[PMUDEV_MAX_EVENTS];
	unsigned int i;

	memcpy(attrs, list->attrs, sizeof(attrs));
	for (i = 0; i < list->nr; i++)
		attrs[i].flags |= PMUDEV_MULTIPLEX;
	return !pmudev_place(set, attrs, list->nr, counter);
}
