// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev_assign(): what it places is a placement; what it refuses has none; and nobody moves if
 * nobody has to. Brute force says so of few events on few counters, pairs among them.
 */
#include <pmudev/assign.h>

#include "fuzz.h"

#define FEW	 6
#define COUNTERS 8

static u64 counters_of(const struct pmudev_constraint *want, unsigned int counter)
{
	return pmudev_place_counters(counter, want->chained);
}

static void check_placement(const struct pmudev_constraint *want, unsigned int nr,
			    const u8 *counter)
{
	unsigned int i;
	u64 used = 0;

	for (i = 0; i < nr; i++) {
		HOLDS(counter[i] < 64 && want[i].allowed & BIT_ULL(counter[i]));
		HOLDS(!(used & counters_of(&want[i], counter[i])));
		used |= counters_of(&want[i], counter[i]);
	}
}

/* Those of @which, all of them, beside what is used. With @stay, where they are. */
static bool fits(const struct pmudev_constraint *want, unsigned int nr, u64 which, u64 used,
		 bool stay)
{
	unsigned int event, c;
	u64 rest;

	if (!which)
		return true;
	event = __ffs64(which);
	which &= which - 1;
	for (rest = want[event].allowed; rest; rest &= rest - 1) {
		c = __ffs64(rest);
		if (used & counters_of(&want[event], c))
			continue;
		if (stay && want[event].now != PMUDEV_NO_COUNTER &&
		    want[event].allowed & BIT_ULL(want[event].now) && want[event].now != c)
			continue;
		if (fits(want, nr, which, used | counters_of(&want[event], c), stay))
			return true;
	}
	return false;
}

/* Before @bad came those that are on where they may be, those that may not, and newcomers. */
static unsigned int rank(const struct pmudev_constraint *want)
{
	if (want->now == PMUDEV_NO_COUNTER)
		return 2;
	return want->allowed & BIT_ULL(want->now) ? 0 : 1;
}

static void check_refusal(const struct pmudev_constraint *want, unsigned int nr, unsigned int bad)
{
	unsigned int i;
	u64 which = BIT_ULL(bad);

	HOLDS(bad < nr);
	for (i = 0; i < nr; i++)
		if (rank(&want[i]) < rank(&want[bad]) ||
		    (rank(&want[i]) == rank(&want[bad]) && i < bad))
			which |= BIT_ULL(i);
	HOLDS(!fits(want, nr, which, 0, false));
	HOLDS(fits(want, nr, which & ~BIT_ULL(bad), 0, false));
}

/* Events that are on are on counters of their own. */
static u64 take_now(struct input *in, struct pmudev_constraint *want, u64 taken,
		    unsigned int counters)
{
	u32 c = take_below(in, counters);

	want->now = PMUDEV_NO_COUNTER;
	if (want->chained)
		c &= ~1U;
	if (!take_below(in, 2) || taken & counters_of(want, c))
		return taken;
	want->now = c;
	return taken | counters_of(want, c);
}

static void few(struct input *in)
{
	struct pmudev_constraint want[FEW];
	unsigned int i, nr = 1 + take_below(in, FEW);
	u8 counter[FEW];
	u64 taken = 0;
	int bad;

	for (i = 0; i < nr; i++) {
		want[i].chained = !take_below(in, 3);
		want[i].allowed = take(in, 1) & (want[i].chained ? 0x55 : 0xff);
		taken = take_now(in, &want[i], taken, COUNTERS);
	}
	bad = pmudev_assign(want, nr, counter);
	if (bad >= 0) {
		check_refusal(want, nr, bad);
		return;
	}
	HOLDS(bad == -1);
	check_placement(want, nr, counter);
	if (fits(want, nr, BIT_ULL(nr) - 1, 0, true))
		for (i = 0; i < nr; i++)
			HOLDS(rank(&want[i]) || counter[i] == want[i].now);
}

static void many(struct input *in)
{
	struct pmudev_constraint want[PMUDEV_ASSIGN_MAX];
	unsigned int i, nr = take_below(in, PMUDEV_ASSIGN_MAX + 1);
	u8 counter[PMUDEV_ASSIGN_MAX];
	u64 taken = 0;
	int bad;

	for (i = 0; i < nr; i++) {
		want[i].chained = !take_below(in, 4);
		want[i].allowed = take_below(in, 2) ? take_mask(in) : take(in, 8);
		if (want[i].chained)
			want[i].allowed &= 0x55555555;
		taken = take_now(in, &want[i], taken, want[i].chained ? 32 : 64);
	}
	bad = pmudev_assign(want, nr, counter);
	HOLDS(bad >= -1 && bad < (int)nr);
	if (bad < 0)
		check_placement(want, nr, counter);
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
