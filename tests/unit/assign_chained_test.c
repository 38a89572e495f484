// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev_assign() with chained events and with active events, compared with slower algorithms.
 * Compiled for speed, without the sanitizers that assign_test has.
 */
#include <pmudev/assign.h>

#include "unit.h"

#define COUNTERS 16
#define EVENTS	 16

struct instance {
	struct pmudev_constraint constraint[EVENTS];
	unsigned int nr;
};

static void fail_at(const struct instance *in, const char *what)
{
	char text[1200] = "";
	unsigned int i, at = 0;

	for (i = 0; i < in->nr; i++)
		at += snprintf(text + at, sizeof(text) - at, " %#llx%s@%d",
			       (unsigned long long)in->constraint[i].allowed,
			       in->constraint[i].chained ? "p" : "", (s8)in->constraint[i].now);
	FAIL("%s: %u events%s", what, in->nr, text);
}

static u64 takes(const struct pmudev_constraint *constraint, unsigned int counter)
{
	return (constraint->chained ? 3ULL : 1ULL) << counter;
}

/* ------------------------------------------------------------- oracles -- */

/* By trying everything. */
static bool exists_by_force(const struct instance *in, unsigned int i, u64 used)
{
	unsigned int c;

	if (i == in->nr)
		return true;
	for (c = 0; c < COUNTERS; c++)
		if ((in->constraint[i].allowed & BIT_ULL(c)) &&
		    !(takes(&in->constraint[i], c) & used) &&
		    exists_by_force(in, i + 1, used | takes(&in->constraint[i], c)))
			return true;
	return false;
}

/* Kuhn's algorithm, for the events that take one counter. */
static bool augment(const struct instance *in, unsigned int event, u64 free, u64 *visited,
		    s8 *owner)
{
	unsigned int c;

	for (c = 0; c < COUNTERS; c++) {
		if (!(in->constraint[event].allowed & free & ~*visited & BIT_ULL(c)))
			continue;
		*visited |= BIT_ULL(c);
		if (owner[c] < 0 || augment(in, owner[c], free, visited, owner)) {
			owner[c] = event;
			return true;
		}
	}
	return false;
}

static bool singles_fit(const struct instance *in, u64 free)
{
	s8 owner[COUNTERS];
	unsigned int i;
	u64 visited;

	memset(owner, -1, sizeof(owner));
	for (i = 0; i < in->nr; i++) {
		visited = 0;
		if (!in->constraint[i].chained && !augment(in, i, free, &visited, owner))
			return false;
	}
	return true;
}

/* Try every choice of even counters for the chained events: do the others fit beside it? */
static bool exists(const struct instance *in)
{
	bool reach[256] = { true }, next[256];
	unsigned int i, set, slot;
	u64 used;

	for (i = 0; i < in->nr; i++) {
		if (!in->constraint[i].chained)
			continue;
		memset(next, 0, sizeof(next));
		for (set = 0; set < 256; set++)
			for (slot = 0; slot < 8 && reach[set]; slot++)
				if ((in->constraint[i].allowed >> (2 * slot) & 1) &&
				    !(set >> slot & 1))
					next[set | 1 << slot] = true;
		memcpy(reach, next, sizeof(reach));
	}
	for (set = 0; set < 256; set++) {
		if (!reach[set])
			continue;
		for (used = 0, slot = 0; slot < 8; slot++)
			used |= (set >> slot & 1 ? 3ULL : 0) << (2 * slot);
		if (singles_fit(in, 0xffff & ~used))
			return true;
	}
	return false;
}

/* ------------------------------------------------------------- answers -- */

static bool is_placement(const struct instance *in, unsigned int nr, const u8 *counter)
{
	unsigned int i;
	u64 used = 0;

	for (i = 0; i < nr; i++) {
		if (counter[i] > 63 || !(in->constraint[i].allowed & BIT_ULL(counter[i])) ||
		    (takes(&in->constraint[i], counter[i]) & used))
			return false;
		used |= takes(&in->constraint[i], counter[i]);
	}
	return true;
}

/* The same with those that are on, and may be, kept where they are. */
static struct instance held(const struct instance *in)
{
	struct instance fixed = *in;
	unsigned int i;

	for (i = 0; i < in->nr; i++)
		if (in->constraint[i].now != PMUDEV_NO_COUNTER &&
		    (in->constraint[i].allowed & BIT_ULL(in->constraint[i].now)))
			fixed.constraint[i].allowed = BIT_ULL(in->constraint[i].now);
	return fixed;
}

static bool has_moved(const struct instance *in, const u8 *counter)
{
	struct instance fixed = held(in);
	unsigned int i;

	for (i = 0; i < in->nr; i++)
		if (fixed.constraint[i].allowed == BIT_ULL(in->constraint[i].now & 63) &&
		    in->constraint[i].now != PMUDEV_NO_COUNTER &&
		    counter[i] != in->constraint[i].now)
			return true;
	return false;
}

/* Returns whether a placement was found. */
static bool judge(const struct instance *in, bool wanted)
{
	struct instance fixed;
	u8 counter[64];
	int got;

	memset(counter, 0xee, sizeof(counter));
	got = pmudev_assign(in->constraint, in->nr, counter);
	if (got < -1 || got >= (int)in->nr)
		fail_at(in, "no answer");
	else if ((got < 0) != wanted)
		fail_at(in, wanted ? "refused, but there is a placement" : "placed the impossible");
	else if (got < 0 && !is_placement(in, in->nr, counter))
		fail_at(in, "not a placement");
	if (got >= 0 || !has_moved(in, counter))
		return got < 0;
	fixed = held(in);
	if (exists(&fixed))
		fail_at(in, "something moved that need not");
	return true;
}

/* --------------------------------------------------------- brute force -- */

/* All constraints on five counters: 31 masks, or chained on 0 and 1, on 2 and 3, or on both. */
static struct pmudev_constraint kind(unsigned int n)
{
	static const u8 places[] = { 0x1, 0x4, 0x5 };
	bool chained = n >= 31;

	return (struct pmudev_constraint){
		.allowed = chained ? places[n - 31] : n + 1,
		.now = PMUDEV_NO_COUNTER,
		.chained = chained,
	};
}

#define KINDS 34

static unsigned int instances, placed;

/* Events of the same instance in another order are another instance: sorted, and one shuffled. */
static void every_kind(struct instance *in, unsigned int from)
{
	struct instance shuffled;
	unsigned int n, i;
	bool wanted;

	if (in->nr) {
		wanted = exists_by_force(in, 0, 0);
		if (wanted != exists(in))
			fail_at(in, "the oracles differ");
		placed += judge(in, wanted);
		instances++;
		shuffled = *in;
		for (i = in->nr - 1; i; i--) {
			unsigned int j = unit_random() % (i + 1);
			struct pmudev_constraint other = shuffled.constraint[i];

			shuffled.constraint[i] = shuffled.constraint[j];
			shuffled.constraint[j] = other;
		}
		judge(&shuffled, wanted);
	}
	if (in->nr == 5)
		return;
	for (n = from; n < KINDS; n++) {
		in->constraint[in->nr++] = kind(n);
		every_kind(in, n);
		in->nr--;
	}
}

static void every_instance_up_to_5_on_5(void)
{
	struct instance in = { .nr = 0 };

	every_kind(&in, 0);
	/* Multisets of 1 to 5 of 34 kinds: the sum of C(33 + k, k). */
	EXPECT_EQ(575756, instances);
	EXPECT_TRUE(placed > instances / 10 && placed < instances);
}

/* -------------------------------------------------------------- random -- */

static u64 random_mask(unsigned int counters, unsigned int density)
{
	u64 mask = unit_random();

	while (density--)
		mask &= unit_random();
	return mask & (BIT_ULL(counters) - 1);
}

static void random_instance(struct instance *in)
{
	unsigned int counters = 1 + unit_random() % COUNTERS, density = unit_random() % 4;
	unsigned int share = unit_random() % 4, i;

	in->nr = 1 + unit_random() % (counters < EVENTS ? counters + 1 : EVENTS);
	for (i = 0; i < in->nr; i++) {
		struct pmudev_constraint *constraint = &in->constraint[i];

		constraint->chained = counters > 1 && unit_random() % 8 < share;
		constraint->allowed =
			random_mask(counters, constraint->chained ? density / 2 : density);
		if (constraint->chained)
			constraint->allowed &= 0x5555 & (BIT_ULL(counters - 1) - 1);
		constraint->now = PMUDEV_NO_COUNTER;
	}
}

/* Some of the events are on already: as one placement has them, some of which may not stay. */
static void put_on(struct instance *in)
{
	u8 counter[64];
	unsigned int i, nr = unit_random() % (in->nr + 1);

	if (pmudev_assign(in->constraint, nr, counter) >= 0)
		return;
	for (i = 0; i < nr; i++) {
		in->constraint[i].now = counter[i];
		if (unit_random() % 8 == 0)
			in->constraint[i].allowed &= ~BIT_ULL(counter[i]);
	}
}

static void random_instances(unsigned int nr, bool on)
{
	struct instance in;
	unsigned int i, found = 0;

	for (i = 0; i < nr; i++) {
		random_instance(&in);
		if (on)
			put_on(&in);
		found += judge(&in, exists(&in));
	}
	EXPECT_TRUE(found > nr / 10 && found < nr - nr / 10);
}

static void a_million_random_ones_up_to_16_on_16(void)
{
	random_instances(1000000, false);
}

static void what_is_on_stays(void)
{
	random_instances(500000, true);
}

int main(void)
{
	unit_seed(0x5eed);
	RUN(every_instance_up_to_5_on_5);
	RUN(a_million_random_ones_up_to_16_on_16);
	RUN(what_is_on_stays);
	return unit_end();
}
