/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of assign_masks() share: answers that are proven, and brute force.
 */
#ifndef UNIT_ASSIGN_H
#define UNIT_ASSIGN_H

#include <pmudev/assign.h>

#include "unit.h"

#define COUNTERS_MAX 5 /* of brute force */

static inline void fail_instance(const u64 *allowed, unsigned int nr, const char *what)
{
	unsigned int i, at = 0;
	char text[1500];

	for (i = 0; i < nr; i++)
		at += snprintf(text + at, sizeof(text) - at, " %#llx",
			       (unsigned long long)allowed[i]);
	FAIL("%s: %u events of%s", what, nr, text);
}

/* pmudev_assign() for single events that are on no counter yet. */
static inline int assign_masks(const u64 *allowed, unsigned int nr, u8 *counter)
{
	struct pmudev_constraint constraint[64];
	unsigned int i;

	for (i = 0; i < nr; i++)
		constraint[i] = (struct pmudev_constraint){ .allowed = allowed[i],
							    .now = PMUDEV_NO_COUNTER };
	return pmudev_assign(constraint, nr, counter);
}

/* Each event is on a counter that it may use, and no two are on the same. Or 0. */
static inline u64 used_by_placement(const u64 *allowed, unsigned int nr, const u8 *counter)
{
	unsigned int i;
	u64 used = 0;

	for (i = 0; i < nr; i++) {
		if (counter[i] > 63 || !(allowed[i] & BIT_ULL(counter[i])) ||
		    (used & BIT_ULL(counter[i])))
			return 0;
		used |= BIT_ULL(counter[i]);
	}
	return used;
}

/*
 * Hall's theorem: no placement exists if there are more events that can do with nothing but @among
 * than counters in it.
 */
static inline bool too_many_for(const u64 *allowed, unsigned int nr, u64 among)
{
	unsigned int i, events = 0;

	for (i = 0; i < nr; i++)
		events += !(allowed[i] & ~among);
	return events > hweight64(among);
}

/*
 * The counters that event @nr could get directly or by moving those before it, which are placed: a
 * set as the theorem wants it, if there is one at all.
 */
static inline u64 within_reach(const u64 *allowed, unsigned int nr, const u8 *counter)
{
	u64 reach = allowed[nr], before = 0;
	unsigned int i;

	while (reach != before) {
		before = reach;
		for (i = 0; i < nr; i++)
			if (reach & BIT_ULL(counter[i]))
				reach |= allowed[i];
	}
	return reach;
}

/*
 * Asks for a placement of all events, and demands a proof of the answer. A placement proves itself.
 * "Event i does not fit" takes a placement of those before it and a set of counters that too many
 * of events 0..i want. Returns the answer.
 */
static inline int proven_assign(const u64 *allowed, unsigned int nr, u8 *counter)
{
	int bad;

	memset(counter, 0xee, 64);
	bad = assign_masks(allowed, nr, counter);
	if (bad < -1 || bad >= (int)nr) {
		fail_instance(allowed, nr, "no answer");
		return bad;
	}
	if (bad >= 0) {
		if (assign_masks(allowed, bad, counter) != -1) {
			fail_instance(allowed, nr, "an event before the one named does not fit");
			return bad;
		}
		nr = bad;
	}
	if (nr && !used_by_placement(allowed, nr, counter))
		fail_instance(allowed, nr, "not a placement");
	else if (bad >= 0 && !too_many_for(allowed, nr + 1, within_reach(allowed, nr, counter)))
		fail_instance(allowed, nr + 1, "refused, but the last event fits");
	return bad;
}

/*
 * Brute force. A set of counters in use is a number, a set of such sets a mask by that number: all
 * that some placement of the events so far uses. Empty: there is no placement.
 */
static inline u32 place_one_more(u32 sets, u64 allowed)
{
	/* By counter: the sets without it. */
	static const u32 without[COUNTERS_MAX] = {
		0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff,
	};
	unsigned int c;
	u32 more = 0;

	for (c = 0; c < COUNTERS_MAX; c++)
		if (allowed & BIT_ULL(c))
			more |= (sets & without[c]) << (1U << c);
	return more;
}

/* The first event that does not fit beside those before it, -1 if all do. */
static inline int brute_force(const u64 *allowed, unsigned int nr)
{
	u32 sets = 1; /* none in use */
	unsigned int i;

	for (i = 0; i < nr; i++) {
		sets = place_one_more(sets, allowed[i]);
		if (!sets)
			return i;
	}
	return -1;
}

#endif /* UNIT_ASSIGN_H */
