/* SPDX-License-Identifier: GPL-2.0 */
/* What was executed between two moments, by class: for costs.c of each bare program. */
#ifndef COUNTED_H
#define COUNTED_H

#include "costs.h"

/* Of this CPU, without being counted; each architecture's */
static void read_costs(u64 cost[NR_COSTS]);

static u64 before[NR_COSTS];

static void begin(void)
{
	read_costs(before);
}

/* What was executed since begin() is this and nothing else. */
static void counted(const char *what, const u32 want[NR_COSTS])
{
	u64 got[NR_COSTS];
	int same = 1, i;

	read_costs(got);
	for (i = 0; i < NR_COSTS; i++)
		same &= got[i] - before[i] == want[i];
	check(what, same);
	for (i = 0; i < NR_COSTS && !same; i++)
		note("class by class", got[i] - before[i]);
}

#define COUNTED(what, ...)                                      \
	do {                                                    \
		static const u32 want_[NR_COSTS] = __VA_ARGS__; \
		counted(what, want_);                           \
	} while (0)

#endif /* COUNTED_H */
