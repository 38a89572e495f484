// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev_assign(): its result is valid, a refusal is correct, and no event moves without need.
 * Compared with brute force for few single and chained events on few counters.
 */
#include <pmudev/assign.h>

#include "fuzz.h"

#define FEW	 6
#define COUNTERS 8

static u64 counters_of(const struct pmudev_constraint *constraint, unsigned int counter)
{
	return pmudev_place_counters(counter, constraint->chained);
}

static void check_placement(const struct pmudev_constraint *constraint, unsigned int nr,
			    const u8 *counter)
{
	unsigned int i;
	u64 used = 0;

	for (i = 0; i < nr; i++) {
		HOLDS(counter[i] < 64 && constraint[i].allowed & BIT_ULL(counter[i]));
		HOLDS(!(used & counters_of(&constraint[i], counter[i])));
		used |= counters_of(&constraint[i], counter[i]);
	}
}

/* Those of @which, all of them, beside what is used. With @stay, where they are. */
static bool fits(const struct pmudev_constraint *constraint, unsigned int nr, u64 which, u64 used,
		 bool stay)
{
	unsigned int event, c;
	u64 rest;

	if (!which)
		return true;
	event = __ffs64(which);
	which &= which - 1;
	for (rest = constraint[event].allowed; rest; rest &= rest - 1) {
		c = __ffs64(rest);
		if (used & counters_of(&constraint[event], c))
			continue;
		if (stay && constraint[event].now != PMUDEV_NO_COUNTER &&
		    constraint[event].allowed & BIT_ULL(constraint[event].now) &&
		    constraint[event].now != c)
			continue;
		if (fits(constraint, nr, which, used | counters_of(&constraint[event], c), stay))
			return true;
	}
	return false;
}

/* Before @bad came those that are on where they may be, those that may not, and newcomers. */
static unsigned int rank(const struct pmudev_constraint *constraint)
{
	if (constraint->now == PMUDEV_NO_COUNTER)
		return 2;
	return constraint->allowed & BIT_ULL(constraint->now) ? 0 : 1;
}

static void check_refusal(const struct pmudev_constraint *constraint, unsigned int nr,
			  unsigned int bad)
{
	unsigned int i;
	u64 which = BIT_ULL(bad);

	HOLDS(bad < nr);
	for (i = 0; i < nr; i++)
		if (rank(&constraint[i]) < rank(&constraint[bad]) ||
		    (rank(&constraint[i]) == rank(&constraint[bad]) && i < bad))
			which |= BIT_ULL(i);
	HOLDS(!fits(constraint, nr, which, 0, false));
	HOLDS(fits(constraint, nr, which & ~BIT_ULL(bad), 0, false));
}

/* Events that are on are on counters of their own. */
static u64 take_now(struct input *in, struct pmudev_constraint *constraint, u64 taken,
		    unsigned int counters)
{
	u32 c = take_below(in, counters);

	constraint->now = PMUDEV_NO_COUNTER;
	if (constraint->chained)
		c &= ~1U;
	if (!take_below(in, 2) || taken & counters_of(constraint, c))
		return taken;
	constraint->now = c;
	return taken | counters_of(constraint, c);
}

static void few(struct input *in)
{
	struct pmudev_constraint constraint[FEW];
	unsigned int i, nr = 1 + take_below(in, FEW);
	u8 counter[FEW];
	u64 taken = 0;
	int bad;

	for (i = 0; i < nr; i++) {
		constraint[i].chained = !take_below(in, 3);
		constraint[i].allowed = take(in, 1) & (constraint[i].chained ? 0x55 : 0xff);
		taken = take_now(in, &constraint[i], taken, COUNTERS);
	}
	bad = pmudev_assign(constraint, nr, counter);
	if (bad >= 0) {
		check_refusal(constraint, nr, bad);
		return;
	}
	HOLDS(bad == -1);
	check_placement(constraint, nr, counter);
	if (fits(constraint, nr, BIT_ULL(nr) - 1, 0, true))
		for (i = 0; i < nr; i++)
			HOLDS(rank(&constraint[i]) || counter[i] == constraint[i].now);
}

static void many(struct input *in)
{
	struct pmudev_constraint constraint[PMUDEV_ASSIGN_MAX];
	unsigned int i, nr = take_below(in, PMUDEV_ASSIGN_MAX + 1);
	u8 counter[PMUDEV_ASSIGN_MAX];
	u64 taken = 0;
	int bad;

	for (i = 0; i < nr; i++) {
		constraint[i].chained = !take_below(in, 4);
		constraint[i].allowed = take_below(in, 2) ? take_mask(in) : take(in, 8);
		if (constraint[i].chained)
			constraint[i].allowed &= 0x55555555;
		taken = take_now(in, &constraint[i], taken, constraint[i].chained ? 32 : 64);
	}
	bad = pmudev_assign(constraint, nr, counter);
	HOLDS(bad >= -1 && bad < (int)nr);
	if (bad < 0)
		check_placement(constraint, nr, counter);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };

	if (take_below(&in, 4))
		few(&in);
	else
		many(&in);
	return 0;
}
