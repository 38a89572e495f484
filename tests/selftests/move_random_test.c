// SPDX-License-Identifier: GPL-2.0
/*
 * Placement is exact: whenever there is one, with what is on moved as need be, a newcomer is
 * admitted; and whatever moves, no count is lost.
 */
#include "mux.h"
#include "kselftest_harness.h"

static __u64 nth(__u64 mask, unsigned int n)
{
	while (n--)
		mask &= mask - 1;
	return mask & -mask;
}

/* Whether the events can be on counters all at once: each in turn, those before it giving way. */
static bool gives_way(const __u64 *allowed, int i, int *owner, __u64 *seen)
{
	__u64 rest;
	int c;

	for (rest = allowed[i]; rest; rest &= rest - 1) {
		c = __builtin_ctzll(rest);
		if (*seen & 1ULL << c)
			continue;
		*seen |= 1ULL << c;
		if (owner[c] < 0 || gives_way(allowed, owner[c], owner, seen)) {
			owner[c] = i;
			return true;
		}
	}
	return false;
}

static bool can_be(const __u64 *allowed, __u32 which)
{
	int owner[64], i;
	__u64 seen;

	memset(owner, -1, sizeof(owner));
	for (i = 0; i < 32; i++) {
		seen = 0;
		if (which & 1U << i && !gives_way(allowed, i, owner, &seen))
			return false;
	}
	return true;
}

/* Groups of one event come and go; slot 0 counts all the time, and moves like the others. */
TEST(at_random)
{
	enum {
		EVENTS = 12,
		ROUNDS = 2000,
	};
	__u64 allowed[EVENTS], behind[EVENTS] = { 0 }, p[MOST_COUNTERS];
	struct pmudev_event_attr event;
	unsigned int i, j, seed = 1, refused = 0, admitted = 0;
	__u32 on = 1;
	struct pool pool;
	union record r;
	int fd;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, pool_find(&pool));
	for (i = 0; i < pool.nr; i++)
		p[i] = nth(pool.mask, i);
	fd = pm_open();
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	for (i = 0; i < EVENTS; i++) {
		allowed[i] = pool.mask;
		/* Up to three counters each. */
		if (i)
			allowed[i] = p[i % pool.nr] | p[i * 7 / 3 % pool.nr] | p[i * i % pool.nr];
		event = strict_event(&pool, i);
		event.allowed = allowed[i];
		ASSERT_EQ(0, pm_add(fd, &event, 1));
	}
	ASSERT_EQ(0, pm_enable(fd, 0));
	for (i = 0; i < ROUNDS; i++) {
		seed = seed * 1103515245 + 12345;
		j = 1 + (seed >> 16) % (EVENTS - 1);
		if (on & 1U << j) {
			ASSERT_EQ(0, pm_disable(fd, j));
			on &= ~(1U << j);
		} else if (!pm_enable(fd, j)) {
			admitted++;
			on |= 1U << j;
			ASSERT_TRUE(can_be(allowed, on));
			ASSERT_EQ(0, pm_read(fd, &r));
			behind[j] = r.r.counts[0].value - r.r.counts[j].value;
		} else {
			refused++;
			ASSERT_EQ((__u32)PMUDEV_WHY_HELD, why.code);
			/* Exact: it was not refused because nobody had looked well enough. */
			ASSERT_FALSE(can_be(allowed, on | 1U << j)) TH_LOG("round %u", i);
		}
		ASSERT_EQ(0, pm_read(fd, &r));
		for (j = 1; j < EVENTS; j++)
			if (on & 1U << j)
				ASSERT_EQ(behind[j], r.r.counts[0].value - r.r.counts[j].value);
	}
	TH_LOG("%u admitted, %u refused", admitted, refused);
	EXPECT_GT(admitted, (unsigned int)ROUNDS / 10);
	EXPECT_GT(refused, (unsigned int)ROUNDS / 100);
	EXPECT_EQ(r.r.counts[0].time_enabled, r.r.counts[0].time_running);
	close(fd);
}

TEST_HARNESS_MAIN
