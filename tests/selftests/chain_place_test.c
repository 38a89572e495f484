// SPDX-License-Identifier: GPL-2.0
/*
 * Placement of chained events: by counter, by mask, several until no more fit, moved
 * out of the way and moving others, multiplexed, at random; and what is refused.
 */
#include "chain.h"
#include "deadline.h"
#include "mux.h"
#include "kselftest_harness.h"

FIXTURE(chained)
{
	int fd;
	struct pmudev_query query; /* while the PMU is ours */
	__u64 free;		   /* programmable counters */
	__u64 even;		   /* those that can be chained */
	__u32 p[16];		   /* these */
	unsigned int nr;
};

FIXTURE_SETUP(chained)
{
	__u64 rest;

	self->fd = -1;
	ASSERT_EQ(0, pm_query(&self->query));
	if (!(self->query.features & PMUDEV_HAS_CHAIN))
		SKIP(return, "no chained counters: they have 64 bits, or there is no CHAIN event");
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	self->fd = pm_set((struct pmudev_event_attr[]){ long_event(0, USER_ONLY) }, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_query(&self->query));
	self->free = self->query.available & PROGRAMMABLE;
	self->even = even_of(self->free);
	for (rest = self->even; rest; rest &= rest - 1)
		self->p[self->nr++] = __builtin_ctzll(rest);
	ASSERT_GE(self->nr, 2U);
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_remove(self->fd, 0));
}

FIXTURE_TEARDOWN(chained)
{
	struct pmudev_query query;

	close(self->fd);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

static int add_enabled(int fd, __u64 allowed, __u32 flags, __u32 group)
{
	struct pmudev_event_attr event = in_group(long_event(allowed, flags), group);
	int ret = pm_add(fd, &event, 1);

	return ret ? ret : pm_enable(fd, group);
}

/* The counter of a slot, for a chained event the even one. */
static int place(int fd, unsigned int slot)
{
	__s32 counter[PMUDEV_MAX_EVENTS];

	return pm_place(fd, NULL, 0, counter) ? -1 : counter[slot];
}

#define BOTH(i) (3ULL << self->p[i])

/* ----------------------------------------------------------------- one of them -- */

TEST_F(chained, by_hand)
{
	struct pmudev_event_attr event = long_event(0, LONG_ONLY | PMUDEV_COUNTER);
	struct pmudev_query query;
	unsigned int i;
	__s32 counter;

	for (i = 0; i < self->nr; i++) {
		event.counter = self->p[i];
		ASSERT_EQ(0, pm_place(self->fd, &event, 1, &counter));
		EXPECT_EQ((int)self->p[i], counter);
		ASSERT_EQ(0, pm_add(self->fd, &event, 1));
		ASSERT_EQ(0, pm_enable(self->fd, 0));
		EXPECT_EQ((int)self->p[i], place(self->fd, 0));
		ASSERT_EQ(0, pm_query(&query));
		EXPECT_EQ(BOTH(i), query.busy);
		loop(1000);
		EXPECT_GE(pm_value(self->fd, 0), 1000ULL * LOOP_INSTRUCTIONS);
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		ASSERT_EQ(0, pm_remove(self->fd, 0));
		/* The odd one is not how it is called. */
		event.counter++;
		EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COUNTER, pm_add(self->fd, &event, 1));
		EXPECT_EQ(self->query.counters & PROGRAMMABLE, why.allowed);
	}
	/* Both have to be allowed. */
	event = long_event(1ULL << self->p[0], LONG_ONLY);
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_WIDTH, pm_add(self->fd, &event, 1));
	EXPECT_EQ(32ULL, why.limit);
	EXPECT_EQ(self->query.counters & PROGRAMMABLE, why.allowed);
	event.allowed = 6ULL << self->p[0];
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_WIDTH, pm_add(self->fd, &event, 1));
	event.allowed = 7ULL << self->p[0];
	EXPECT_EQ(0, pm_add(self->fd, &event, 1));
}

/* The cycle counter has 64 bits: cycles take it, if they may. */
TEST_F(chained, not_for_cycles)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, LONG_ONLY);
	__s32 counter;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, pm_place(self->fd, &event, 1, &counter));
	EXPECT_EQ(FIXED_COUNTER, counter);
	event.flags = CHAIN_USER;
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pm_place(self->fd, &event, 1, &counter));
	EXPECT_EQ(FIXED_COUNTER, counter);
	event.allowed = PROGRAMMABLE;
	ASSERT_EQ(0, pm_place(self->fd, &event, 1, &counter));
	EXPECT_NE(0ULL, self->even & 1ULL << counter);
	/*
	 * One instruction cannot read a chained event: user reads need CHAIN_READ, bare reads
	 * cannot.
	 */
	event.flags = DIRECT_READ | PMUDEV_LONG;
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_WIDTH, pm_place(self->fd, &event, 1, &counter));
	EXPECT_EQ(1ULL << FIXED_COUNTER, why.allowed);
	event.flags = CHAIN_USER | PMUDEV_DIRECT;
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_WIDTH, pm_place(self->fd, &event, 1, &counter));
	EXPECT_EQ(0, set_user_access(false));
}

/* ----------------------------------------------------------------- as many as fit -- */

TEST_F(chained, until_they_do_not_fit)
{
	struct pmudev_event_attr events[17];
	struct pmudev_holder holders[64];
	unsigned int i, room = 64;
	__u64 held = 0;
	union record a, b;

	for (i = 0; i < self->nr; i++) {
		ASSERT_EQ(0, add_enabled(self->fd, 0, LONG_ONLY, i));
		held |= 3ULL << place(self->fd, i);
	}
	EXPECT_EQ(self->even | self->even << 1, held);
	ASSERT_EQ(0, pm_read(self->fd, &a));
	loop(1000);
	ASSERT_EQ(0, pm_read(self->fd, &b));
	for (i = 0; i < self->nr; i++)
		EXPECT_EQ(b.r.counts[0].value - a.r.counts[0].value,
			  b.r.counts[i].value - a.r.counts[i].value);
	events[0] = in_group(long_event(0, LONG_ONLY), i);
	ASSERT_EQ(0, pm_add(self->fd, events, 1));
	EXPECT_EQ(-EBUSY, pm_enable_holders(self->fd, i, holders, &room));
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, why.code);
	EXPECT_EQ(self->query.counters & PROGRAMMABLE, why.allowed);
	EXPECT_EQ(held, why.busy);
	EXPECT_EQ(2 * self->nr, room);
	for (i = 0; i < room; i++) {
		EXPECT_TRUE(held & 1ULL << holders[i].counter);
		held &= ~(1ULL << holders[i].counter);
		EXPECT_EQ((__u32)PMUDEV_HOLDER_SET, holders[i].kind);
	}
	EXPECT_EQ(0ULL, held);
	/* One group of more than there are, whoever has them. */
	for (i = 0; i <= self->nr; i++)
		events[i] = in_group(long_event(0, LONG_ONLY), 40);
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_add(self->fd, events, i));
}

/* Single events make room, as far as they may. */
TEST_F(chained, move_what_is_in_the_way)
{
	struct pmudev_event_attr chosen = long_event(0, USER_ONLY | PMUDEV_COUNTER);
	union record a, b;
	unsigned int i;
	__u64 behind;

	/* One event on each two counters, which could be on others. */
	for (i = 0; i < self->nr; i++) {
		ASSERT_EQ(0, add_enabled(self->fd, BOTH(i) | BOTH(0), USER_ONLY, i));
		if (i)
			EXPECT_NE(0ULL, (BOTH(i) | BOTH(0)) & 1ULL << place(self->fd, i));
	}
	ASSERT_EQ(0, pm_read(self->fd, &a));
	/* Single events on two pairs of counters leave only the others for a chained event. */
	ASSERT_EQ(0, add_enabled(self->fd, BOTH(1), LONG_ONLY, 20));
	EXPECT_EQ((int)self->p[1], place(self->fd, i));
	EXPECT_NE(0ULL, BOTH(0) & 1ULL << place(self->fd, 1));
	loop(1000);
	ASSERT_EQ(0, pm_read(self->fd, &b));
	behind = b.r.counts[0].value - a.r.counts[0].value;
	for (i = 1; i < self->nr; i++)
		EXPECT_EQ(behind, b.r.counts[i].value - a.r.counts[i].value);
	/* One that was put where it is stays. */
	ASSERT_EQ(0, pm_disable(self->fd, 20));
	ASSERT_EQ(0, pm_disable(self->fd, 1));
	chosen.counter = self->p[1] + 1;
	chosen.group = 21;
	ASSERT_EQ(0, pm_add(self->fd, &chosen, 1));
	ASSERT_EQ(0, pm_enable(self->fd, 21));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(self->fd, 20));
	EXPECT_EQ(BOTH(1), why.allowed);
	EXPECT_TRUE(why.busy & 2ULL << self->p[1]);
}

/* A chained event moves as a whole, and its count continues over a carry. */
TEST_F(chained, are_moved)
{
	struct pmudev_event_attr chosen = long_event(0, USER_ONLY | PMUDEV_COUNTER);
	union record r;
	__u64 behind = 0;
	int i, here;

	ASSERT_EQ(0, add_enabled(self->fd, 0, LONG_ONLY, 0));
	ASSERT_EQ(0, add_enabled(self->fd, 1ULL << FIXED_COUNTER | PROGRAMMABLE, USER_ONLY, 1));
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, pm_reset(self->fd, 0, ((__u64)i << 32) - 100 * i));
		ASSERT_EQ(0, pm_reset(self->fd, 1, 0));
		ASSERT_EQ(0, pm_read(self->fd, &r));
		behind = r.r.counts[0].value - r.r.counts[1].value;
		here = place(self->fd, 0);
		chosen.counter = here + i % 2;
		chosen.group = 2;
		ASSERT_EQ(0, pm_add(self->fd, &chosen, 1));
		ASSERT_EQ(0, pm_enable(self->fd, 2));
		ASSERT_NE(here, place(self->fd, 0));
		loop(1000);
		ASSERT_EQ(0, pm_read(self->fd, &r));
		ASSERT_EQ(behind, r.r.counts[0].value - r.r.counts[1].value);
		ASSERT_EQ(0, pm_disable(self->fd, 2));
		ASSERT_EQ(0, pm_remove(self->fd, 2));
	}
}

/* ------------------------------------------------------------------- multiplexed -- */

#define MANY 5

TEST_F(chained, take_turns)
{
	struct pmudev_event_attr events[MANY];
	__u64 cost = subject_cost(), n = 15 * 1000000 / LOOP_INSTRUCTIONS;
	union record before, after;
	struct subject s;
	unsigned int i;
	int fd;

	ASSERT_NE(0ULL, cost);
	ASSERT_EQ(0, subject_fork(&s));
	for (i = 0; i < MANY; i++)
		events[i] = in_group(long_event(0, LONG_ONLY | PMUDEV_MULTIPLEX), i);
	fd = pm_attach(s.pid, 0, events, MANY, true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, pm_reset(fd, i, ((__u64)i << 32) - 1000 * (i + 1)));
	ASSERT_EQ(0, pm_read(fd, &before));
	ASSERT_EQ(0, subject_work(&s, n));
	ASSERT_EQ(0, pm_read(fd, &after));
	/* At any time as many are active as there are chained counters for them. */
	EXPECT_EQ((self->nr - LEFT_TO_PERF) * (LOOP_INSTRUCTIONS * n + cost),
		  sum_since(&before, &after, 0, MANY).value);
	for (i = 0; i < MANY; i++)
		EXPECT_LT(n / MANY, since(&before, &after, i).value);
	close(fd);
	EXPECT_EQ(0, subject_end(&s));
}

/* --------------------------------------------------------------------- at random -- */

enum {
	EVENTS = 10,
	TRIES = 1500,
};

struct wish {
	__u64 allowed; /* for a chained event the even ones */
	bool chained;
};

/* Can those of @which, from event @i on, be on counters of @free together? By trying all. */
static bool can_be(const struct wish *wish, __u32 which, unsigned int i, __u64 free)
{
	__u64 rest, takes;

	while (i < EVENTS && !(which & 1U << i))
		i++;
	if (i == EVENTS)
		return true;
	for (rest = wish[i].allowed & free; rest; rest &= rest - 1) {
		takes = (wish[i].chained ? 3 : 1) * (rest & -rest);
		if ((takes & free) == takes && can_be(wish, which, i + 1, free & ~takes))
			return true;
	}
	return false;
}

TEST_F(chained, at_random)
{
	unsigned int i, j, seed = 1, refused = 0, admitted = 0, with_chained = 0;
	struct wish wish[EVENTS];
	struct pmudev_event_attr event;
	__u64 behind[EVENTS];
	union record r;
	__u32 on = 1;

	/* Event 0 counts all the time, and moves like the others. */
	for (i = 0; i < EVENTS; i++) {
		wish[i].chained = i % 3 == 1;
		wish[i].allowed = i ? 0 : self->free;
		event = in_group(long_event(0, wish[i].chained ? LONG_ONLY : USER_ONLY), i);
		for (j = 0; !wish[i].allowed || j < 2; j++) {
			seed = seed * 1103515245 + 12345;
			wish[i].allowed |= 1ULL << (seed >> 16) % 6 &
					   (wish[i].chained ? self->even : self->free);
		}
		event.allowed = wish[i].allowed | (wish[i].chained ? wish[i].allowed << 1 : 0);
		ASSERT_EQ(0, pm_add(self->fd, &event, 1));
	}
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	for (i = 0; i < TRIES; i++) {
		seed = seed * 1103515245 + 12345;
		j = 1 + (seed >> 16) % (EVENTS - 1);
		if (on & 1U << j) {
			ASSERT_EQ(0, pm_disable(self->fd, j));
			on &= ~(1U << j);
		} else if (!pm_enable(self->fd, j)) {
			admitted++;
			with_chained += wish[j].chained;
			on |= 1U << j;
			ASSERT_TRUE(can_be(wish, on, 0, self->free));
			if (wish[j].chained)
				ASSERT_EQ(0, pm_reset(self->fd, j, ((__u64)i << 32) - 300));
			ASSERT_EQ(0, pm_read(self->fd, &r));
			behind[j] = r.r.counts[0].value - r.r.counts[j].value;
		} else {
			refused++;
			ASSERT_EQ((__u32)PMUDEV_WHY_HELD, why.code);
			ASSERT_FALSE(can_be(wish, on | 1U << j, 0, self->free))
			TH_LOG("try %u", i);
		}
		ASSERT_EQ(0, pm_read(self->fd, &r));
		for (j = 1; j < EVENTS; j++)
			if (on & 1U << j)
				ASSERT_EQ(behind[j], r.r.counts[0].value - r.r.counts[j].value)
		TH_LOG("try %u, event %u", i, j);
	}
	EXPECT_GT(admitted, TRIES / 10U);
	EXPECT_GT(with_chained, TRIES / 50U);
	EXPECT_GT(refused, TRIES / 50U);
}

/*
 * A chained event interrupts by its high half. The same event on the even counter alone comes after
 * it on the same CPU, and must interrupt there.
 */
TEST_F(chained, leave_interrupts_to_the_next)
{
	const __u64 once = 20000;
	struct pmudev_event_attr event = long_event(BOTH(0), LONG_ONLY);
	struct pmudev_report report;

	if (!overflows_interrupt())
		SKIP(return, NO_INTERRUPTS);
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, pm_add(self->fd, &event, 1));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, 1ULL << 40, 0));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	ASSERT_EQ((int)self->p[0], place(self->fd, 0));
	loop(1000);
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_remove(self->fd, 0));

	event = event_on(self->p[0], USER_ONLY);
	event.config = EVENT_INSTRUCTIONS;
	ASSERT_EQ(0, pm_add(self->fd, &event, 1));
	ASSERT_EQ(0, pm_deadline(self->fd, 0, 0, once, 0));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	loop(10 * once);
	ASSERT_EQ(1, pm_reports(self->fd, &report, 1));
	EXPECT_EQ(once, report.value);
	EXPECT_LE(once, report.count);
	/* Found at the interrupt, not when this thread asked. */
	EXPECT_GT(2 * once, report.count);
}

TEST_HARNESS_MAIN
