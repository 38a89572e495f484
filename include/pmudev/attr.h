/* SPDX-License-Identifier: GPL-2.0 */
/* Checks of event attributes (struct pmudev_event_attr). */
#ifndef _PMUDEV_ATTR_H
#define _PMUDEV_ATTR_H

#include <pmudev/code.h>
#include <pmudev/refusal.h>

/**
 * pmudev_attr_check - check an event for errors that do not depend on the machine
 * @attr: the event as the user passed it
 * @why: set on error
 *
 * Return: 0, or -EINVAL with the reason.
 */
int pmudev_attr_check(const struct pmudev_event_attr *attr, struct pmudev_refusal *why);

/**
 * pmudev_attr_threshold - check an event's threshold
 * @attr: the event; a threshold of 0 means none and is always valid
 * @highest: the highest threshold of its counters, 0 if they have no threshold
 * @why: set on error
 *
 * Return: 0; -EOPNOTSUPP if @highest is 0, -EINVAL above @highest, with the reason.
 */
int pmudev_attr_threshold(const struct pmudev_event_attr *attr, u32 highest,
			  struct pmudev_refusal *why);

/**
 * pmudev_group_check - check that the events of each group agree on PMUDEV_MULTIPLEX
 * @attr: all events of the call
 * @nr: number of events, 1..PMUDEV_MAX_EVENTS
 * @bad: set on error: index of the first event that disagrees with an earlier one
 * @why: set on error
 *
 * Return: 0, or -EINVAL with PMUDEV_WHY_GROUP_FLAGS.
 */
int pmudev_group_check(const struct pmudev_event_attr *attr, unsigned int nr, unsigned int *bad,
		       struct pmudev_refusal *why);

/**
 * struct pmudev_candidates - counters that can count an event, whatever its attributes allow
 * @any: all of them
 * @wide: those of @any that have 64 bits
 * @chained: even counters of @any that have 64 bits together with the next one
 * @direct: those of @any whose raw value PMUDEV_DIRECT readers can use
 * @width: bits of the narrowest counter of @any, 31..64; the limit that a refusal names
 */
struct pmudev_candidates {
	u64 any;
	u64 wide;
	u64 chained;
	u64 direct;
	unsigned int width;
};

/**
 * pmudev_attr_counters - find the counters that an event may be on
 * @attr: the event: its flags, @counter and @allowed restrict the candidates
 * @candidates: counters that can count it
 * @code: @allowed (never empty) and @chained are set on success. An event is chained only if no
 *	single counter will do.
 * @why: set on error
 *
 * Return: 0; -ENOSPC, -EOPNOTSUPP or -EINVAL with the reason.
 */
int pmudev_attr_counters(const struct pmudev_event_attr *attr,
			 const struct pmudev_candidates *candidates, struct pmudev_code *code,
			 struct pmudev_refusal *why);

#endif /* _PMUDEV_ATTR_H */
