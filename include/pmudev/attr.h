/* SPDX-License-Identifier: GPL-2.0 */
/* Checks of event attributes (struct pmudev_event_attr). */
#ifndef _PMUDEV_ATTR_H
#define _PMUDEV_ATTR_H

#include <pmudev/code.h>

/* All return 0, or an error and set @why. */

/* Check an event, as the user passed it, for errors that do not depend on the machine: -EINVAL. */
int pmudev_attr_check(const struct pmudev_event_attr *attr, struct pmudev_refusal *why);

/*
 * Check an event's threshold; 0 means none and is always valid. @highest: that of its counters, 0
 * if they have no threshold: -EOPNOTSUPP. Above @highest: -EINVAL.
 */
int pmudev_attr_threshold(const struct pmudev_event_attr *attr, u32 highest,
			  struct pmudev_refusal *why);

/*
 * Check that the events of each group agree on PMUDEV_MULTIPLEX: -EINVAL with
 * PMUDEV_WHY_GROUP_FLAGS; @bad is then the index of the first event that disagrees with an earlier
 * one. @attr: all @nr events of the call, 1..PMUDEV_MAX_EVENTS.
 */
int pmudev_group_check(const struct pmudev_event_attr *attr, unsigned int nr, unsigned int *bad,
		       struct pmudev_refusal *why);

/* Counters that can count an event, whatever its attributes allow */
struct pmudev_candidates {
	u64 any;	/* all of them */
	u64 wide;	/* those of any that have 64 bits */
	u64 chained;	/* even counters of any that have 64 bits together with the next one */
	u64 direct;	/* those of any whose raw value PMUDEV_DIRECT readers can use */
	unsigned int width; /* of the narrowest of any, 31..64; the limit that a refusal names */
};

/*
 * Find the counters that an event may be on: its flags, counter and allowed restrict the
 * candidates. Sets allowed (never empty) and chained of @code. An event is chained only if no
 * single counter will do. -ENOSPC, -EOPNOTSUPP or -EINVAL.
 */
int pmudev_attr_counters(const struct pmudev_event_attr *attr,
			 const struct pmudev_candidates *candidates, struct pmudev_code *code,
			 struct pmudev_refusal *why);

#endif /* _PMUDEV_ATTR_H */
