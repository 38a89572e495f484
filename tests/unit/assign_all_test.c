// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev_assign() against brute force: every instance of five events on five counters, all 2^25.
 * Compiled for speed, without the sanitizers that assign_test has.
 */
#include "assign.h"

#define EVENTS 5

static u64 allowed[EVENTS];
static unsigned int instances, placed;

static void compare(int wanted)
{
	u8 counter[64];
	int got;

	got = assign_masks(allowed, EVENTS, counter);
	if (got != wanted)
		fail_instance(allowed, EVENTS, "not what brute force says");
	else if (got < 0 && !used_by_placement(allowed, EVENTS, counter))
		fail_instance(allowed, EVENTS, "not a placement");
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
}

int main(void)
{
	RUN(every_instance_of_5_events_on_5_counters);
	return unit_end();
}
