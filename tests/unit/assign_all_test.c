// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev_assign() against brute force: every instance of five events on five counters, all 2^25.
 * Compiled for speed, without the sanitizers that assign_test has.
 */
#include "assign.h"

#define EVENTS 5

static u64 allowed[EVENTS];
static unsigned int instances, placed, plain;

/* The short way finds the same, or says that it does not know. */
static void compare_at_once(int wanted, const u8 *counter)
{
	struct pmudev_constraint want[EVENTS];
	u8 at_once[EVENTS];
	unsigned int i;

	for (i = 0; i < EVENTS; i++)
		want[i] = (struct pmudev_constraint){ .allowed = allowed[i] | 0xe0 };
	if (!pmudev_assign_at_once(0x1f, want, EVENTS, at_once))
		return;
	plain++;
	if (wanted >= 0 || memcmp(at_once, counter, EVENTS))
		fail_instance(allowed, EVENTS, "not the same at once");
}

static void compare(int wanted)
{
	u8 counter[64];
	int got;

	got = assign_masks(allowed, EVENTS, counter);
	if (got != wanted)
		fail_instance(allowed, EVENTS, "not what brute force says");
	else if (got < 0 && !used_by_placement(allowed, EVENTS, counter))
		fail_instance(allowed, EVENTS, "not a placement");
	compare_at_once(wanted, counter);
	instances++;
	placed += got < 0;
}

/* All masks of @event and of those after it; @sets and @bad tell how those before it fit. */
static void every_mask(unsigned int event, u32 sets, int bad)
{
	u64 mask;

	for (mask = 0; mask < 32; mask++) {
		u32 now = place_one_more(sets, mask);
		int answer = bad < 0 && !now ? (int)event : bad;

		allowed[event] = mask;
		if (event == EVENTS - 1)
			compare(answer);
		else
			every_mask(event + 1, now, answer);
	}
}

static void every_instance_of_5_events_on_5_counters(void)
{
	every_mask(0, 1, -1);
	EXPECT_EQ(1U << 25, instances);
	/* So many 5 x 5 matrices of zeroes and ones have a permanent above 0: OEIS A227414. */
	EXPECT_EQ(23191071, placed);
	/* Many are plain, and not all: who chose first may have what another needs. */
	EXPECT_TRUE(plain > placed / 4 && plain < placed);
}

int main(void)
{
	RUN(every_instance_of_5_events_on_5_counters);
	return unit_end();
}
