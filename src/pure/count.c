// SPDX-License-Identifier: GPL-2.0
/* How often counters are folded. */
#include <pmudev/count.h>

#define EVENTS_PER_SECOND_LOG2	36
#define SECOND_NS		1000000000ULL
#define MINUTE_NS		(60 * SECOND_NS)

u64 pmudev_fold_ns(unsigned int width)
{
	unsigned int quarter = width - 2;
	u64 ns;

	if (width == 64)
		return 0;
	/* 2^quarter events take at least 2^(quarter - 36) seconds. */
	if (quarter >= EVENTS_PER_SECOND_LOG2 + 6)
		return MINUTE_NS;
	if (quarter >= EVENTS_PER_SECOND_LOG2)
		ns = SECOND_NS << (quarter - EVENTS_PER_SECOND_LOG2);
	else
		ns = SECOND_NS >> (EVENTS_PER_SECOND_LOG2 - quarter);
	return ns < MINUTE_NS ? ns : MINUTE_NS;
}
