// SPDX-License-Identifier: GPL-2.0
/* pmudev_assign(): finds a placement whenever one exists, and the highest free counter first. */
#include "assign.h"

#define RANDOM_INSTANCES 1000000
#define LARGE_INSTANCES	 20000

/* --------------------------------------------------------- small: all -- */

/* Counters 0..4 stand for these: both ends, and where programmable and fixed ones meet. */
static const u8 spread[COUNTERS_MAX] = { 0, 1, 31, 32, 63 };

static void compare_with_brute_force(const u64 *allowed, unsigned int nr)
{
	int wanted = brute_force(allowed, nr);
	u64 elsewhere[COUNTERS_MAX];
	unsigned int i, c;
	u8 counter[64];

	if (proven_assign(allowed, nr, counter) != wanted)
		fail_instance(allowed, nr, "not what brute force says");
	for (i = 0; i < nr; i++)
		for (c = 0, elsewhere[i] = 0; c < COUNTERS_MAX; c++)
			elsewhere[i] |= (allowed[i] >> c & 1) << spread[c];
	if (proven_assign(elsewhere, nr, counter) != wanted)
		fail_instance(elsewhere, nr, "not what brute force says");
}

/* Every choice of masks, also of empty ones. */
static unsigned int every_instance(unsigned int counters, unsigned int nr)
{
	unsigned int instance, i, mask = (1U << counters) - 1;
	u64 allowed[COUNTERS_MAX];

	for (instance = 0; instance < 1U << (counters * nr); instance++) {
		for (i = 0; i < nr; i++)
			allowed[i] = instance >> (i * counters) & mask;
		compare_with_brute_force(allowed, nr);
	}
	return instance;
}

static void every_instance_of_up_to_4_events_on_5_counters(void)
{
	unsigned int nr, instances = 0;

	for (nr = 0; nr <= 4; nr++)
		instances += every_instance(5, nr);
	printf("# %u instances\n", instances);
}

static void every_instance_of_5_events_on_4_counters(void)
{
	printf("# %u instances\n", every_instance(4, 5));
}

/* The masks in rising and in falling order, and shuffled. */
static void in_three_orders(const u64 *sorted)
{
	u64 allowed[5];
	unsigned int i;

	compare_with_brute_force(sorted, 5);
	for (i = 0; i < 5; i++)
		allowed[i] = sorted[4 - i];
	compare_with_brute_force(allowed, 5);
	for (i = 4; i; i--) {
		unsigned int j = unit_below(i + 1);
		u64 mask = allowed[i];

		allowed[i] = allowed[j];
		allowed[j] = mask;
	}
	compare_with_brute_force(allowed, 5);
}

static void every_choice_of_5_masks_on_5_counters(void)
{
	unsigned int choices = 0;
	u64 m[5];

	for (m[0] = 0; m[0] < 32; m[0]++)
		for (m[1] = m[0]; m[1] < 32; m[1]++)
			for (m[2] = m[1]; m[2] < 32; m[2]++)
				for (m[3] = m[2]; m[3] < 32; m[3]++)
					for (m[4] = m[3]; m[4] < 32; m[4]++, choices++)
						in_three_orders(m);
	EXPECT_EQ(376992, choices); /* 36 over 5 */
}

/* ----------------------------------------------------- larger: random -- */

/* Of @counters counters with stride and start of its own, each there with some chance in 16. */
static void random_instance(u64 *allowed, unsigned int nr, unsigned int counters)
{
	unsigned int stride = counters > 32 ? 1 : 1 + unit_below(63 / counters);
	unsigned int start = unit_below(64 - (counters - 1) * stride);
	u32 chance = 1 + unit_below(12);
	unsigned int i, c;

	for (i = 0; i < nr; i++) {
		u64 dice = 0;

		allowed[i] = 0;
		for (c = 0; c < counters; c++, dice >>= 4) {
			if (c % 16 == 0)
				dice = unit_random();
			if ((dice & 15) < chance)
				allowed[i] |= BIT_ULL(start + c * stride);
		}
	}
}

static void random_instances(unsigned int instances, unsigned int most)
{
	unsigned int i, refused = 0, tight = 0;
	u64 allowed[64];
	u8 counter[64];

	for (i = 0; i < instances; i++) {
		unsigned int counters = 1 + unit_below(most);
		unsigned int nr = 1 + unit_below(most);

		/* Half of them with as many events as counters, or nearly: the hard ones. */
		if (i % 2)
			nr = counters < 3 ? counters : counters - unit_below(3);
		random_instance(allowed, nr, counters);
		if (proven_assign(allowed, nr, counter) >= 0)
			refused++;
		else if (nr == counters)
			tight++;
	}
	printf("# %u instances, %u of them refused, %u using every counter\n", instances, refused,
	       tight);
	EXPECT_TRUE(refused > instances / 8 && refused < instances - instances / 8);
	EXPECT_TRUE(tight > instances / 32);
}

static void random_instances_up_to_16_on_16(void)
{
	random_instances(RANDOM_INSTANCES, 16);
}

static void random_instances_up_to_64_on_64(void)
{
	random_instances(LARGE_INSTANCES, 64);
}

/* ------------------------------------------------------- largest: built -- */

static void no_events(void)
{
	u8 counter[64];

	EXPECT_EQ(-1ULL, assign_masks(NULL, 0, counter));
}

static void an_event_without_counters(void)
{
	u64 allowed[64] = { 3, 0, 3 };
	u8 counter[64];

	EXPECT_EQ(1, proven_assign(allowed, 3, counter));
	EXPECT_EQ(0, proven_assign(allowed + 1, 1, counter));
}

static void all_64_on_64(void)
{
	u64 allowed[64];
	unsigned int i;
	u8 counter[64];

	/* all alike */
	memset(allowed, 0xff, sizeof(allowed));
	unit_row("any");
	EXPECT_EQ(-1ULL, proven_assign(allowed, 64, counter));

	/* to each its own */
	for (i = 0; i < 64; i++)
		allowed[i] = BIT_ULL(i * 37 % 64);
	unit_row("one each");
	EXPECT_EQ(-1ULL, proven_assign(allowed, 64, counter));

	/* Stairs up and down: one placement each. Up, every event takes the last one's place. */
	for (i = 0; i < 64; i++)
		allowed[i] = ~0ULL >> (63 - i);
	unit_row("stairs up");
	EXPECT_EQ(-1ULL, proven_assign(allowed, 64, counter));
	for (i = 0; i < 64; i++)
		allowed[i] = ~0ULL >> i;
	unit_row("stairs down");
	EXPECT_EQ(-1ULL, proven_assign(allowed, 64, counter));
	for (i = 0; i < 64; i++)
		allowed[i] = ~0ULL << i;
	unit_row("stairs down from above");
	EXPECT_EQ(-1ULL, proven_assign(allowed, 64, counter));

	/* Two events, one counter; the last makes it impossible. */
	for (i = 0; i < 64; i++)
		allowed[i] = ~0ULL;
	allowed[10] = 1;
	allowed[63] = 1;
	unit_row("two on one");
	EXPECT_EQ(63, proven_assign(allowed, 64, counter));
	for (i = 0; i < 64; i++)
		allowed[i] = ~0ULL >> 1;
	unit_row("one too many");
	EXPECT_EQ(63, proven_assign(allowed, 64, counter));
}

/* Event i is on counter i + 1 and accepts i. The last one accepts only counter 63: all move. */
static void all_move_for_the_last(void)
{
	u64 allowed[64];
	unsigned int i;
	u8 counter[64];

	for (i = 0; i < 63; i++)
		allowed[i] = 3ULL << i;
	allowed[63] = 1ULL << 63;
	EXPECT_EQ(-1ULL, proven_assign(allowed, 63, counter));
	for (i = 0; i < 63; i++)
		EXPECT_EQ(i + 1, counter[i]);
	EXPECT_EQ(-1ULL, proven_assign(allowed, 64, counter));
	for (i = 0; i < 64; i++)
		EXPECT_EQ(i, counter[i]);

	/* The search visits all of them in vain if counter 0 is not accepted either. */
	allowed[0] = 2;
	EXPECT_EQ(63, proven_assign(allowed, 64, counter));
}

/* Nothing is written beyond the last event. */
static void only_the_events_places_are_written(void)
{
	u64 allowed[3] = { 1, 3, 7 };
	u8 counter[64];
	unsigned int i;

	EXPECT_EQ(-1ULL, proven_assign(allowed, 3, counter));
	for (i = 3; i < 64; i++)
		EXPECT_EQ(0xee, counter[i]);
}

/* ---------------------------------------------------------- preference -- */

/* Of @can a fixed counter, then one whose neighbour is taken, then the highest. */
static u8 preferred(u64 can, u64 free)
{
	u64 even = 0x5555555555555555;
	u64 alone = can & ~((free & even) << 1) & ~(free >> 1 & even);

	return fls64(can >> 32 || !alone ? can : alone) - 1;
}

/*
 * If a counter that the last event accepts is free, it gets the preferred one, and no other event
 * moves. If none is free, one more counter is used than before, and all used ones remain used.
 */
static void expect_preference(const u64 *allowed, unsigned int nr)
{
	struct pmudev_constraint constraint[64];
	u64 used, free, all = 0;
	u8 before[64], after[64];
	unsigned int i;

	if (assign_masks(allowed, nr - 1, before) >= 0)
		return;
	for (i = 0; i < nr; i++) {
		all |= allowed[i];
		constraint[i] = (struct pmudev_constraint){
			.allowed = allowed[i],
			.now = i < nr - 1 ? before[i] : PMUDEV_NO_COUNTER,
		};
	}
	if (pmudev_assign(constraint, nr, after) >= 0)
		return;
	used = used_by_placement(allowed, nr - 1, before);
	free = allowed[nr - 1] & ~used;
	if (free && after[nr - 1] != preferred(free, all & ~used))
		fail_instance(allowed, nr, "the last is not on the preferred counter");
	if (free && memcmp(before, after, nr - 1))
		fail_instance(allowed, nr, "moved for nothing");
	if (used & ~used_by_placement(allowed, nr, after))
		fail_instance(allowed, nr, "a counter is not in use any more");
}

static void the_highest_free_counter_first(void)
{
	unsigned int i, nr;
	u64 allowed[64];

	for (i = 0; i < 64; i++) {
		u8 counter[64];

		allowed[0] = ~0ULL >> (63 - i);
		unit_row("counters up to %u", i);
		EXPECT_EQ(-1ULL, assign_masks(allowed, 1, counter));
		EXPECT_EQ(i, counter[0]);
	}
	unit_row("random");
	for (i = 0; i < RANDOM_INSTANCES / 20; i++) {
		nr = 1 + unit_below(16);
		random_instance(allowed, nr, 1 + unit_below(16));
		expect_preference(allowed, nr);
	}
}

/*
 * Six programmable counters and a fixed one for cycles, 32: in any order, it is used if an event
 * accepts it, and the other events get the programmable ones.
 */
static void fixed_before_programmable(void)
{
	const u64 programmable = 0x3f, cycles = programmable | BIT_ULL(32);
	unsigned int order, nr, i;

	for (nr = 1; nr <= 7; nr++) {
		for (order = 0; order < 1U << nr; order++) {
			u64 allowed[7], used;
			u8 counter[64];

			for (i = 0; i < nr; i++)
				allowed[i] = order & 1U << i ? cycles : programmable;
			unit_row("%u events, cycles are %#x", nr, order);
			if (nr == 7 && !order) {
				EXPECT_EQ(6, proven_assign(allowed, nr, counter));
				continue;
			}
			EXPECT_EQ(-1ULL, proven_assign(allowed, nr, counter));
			used = used_by_placement(allowed, nr, counter);
			EXPECT_EQ(!!order, used >> 32);
			EXPECT_EQ(nr - !!order, hweight64(used & programmable));
		}
	}
}

/* The fixed counter makes room for the event that can be nowhere else. */
static void fixed_is_given_to_who_needs_it(void)
{
	u64 allowed[2] = { BIT_ULL(32) | 0x3f, BIT_ULL(32) };
	u8 counter[64];

	EXPECT_EQ(-1ULL, proven_assign(allowed, 1, counter));
	EXPECT_EQ(32, counter[0]);
	EXPECT_EQ(-1ULL, proven_assign(allowed, 2, counter));
	EXPECT_EQ(5, counter[0]);
	EXPECT_EQ(32, counter[1]);
}

int main(void)
{
	unit_seed(0xa5516);
	RUN(no_events);
	RUN(an_event_without_counters);
	RUN(every_instance_of_up_to_4_events_on_5_counters);
	RUN(every_instance_of_5_events_on_4_counters);
	RUN(every_choice_of_5_masks_on_5_counters);
	RUN(random_instances_up_to_16_on_16);
	RUN(random_instances_up_to_64_on_64);
	RUN(all_64_on_64);
	RUN(all_move_for_the_last);
	RUN(only_the_events_places_are_written);
	RUN(the_highest_free_counter_first);
	RUN(fixed_before_programmable);
	RUN(fixed_is_given_to_who_needs_it);
	return unit_end();
}
