// SPDX-License-Identifier: GPL-2.0
/*
 * perf's events beside pmudev's on arm64: each has counters of its own and counts exactly, makes
 * room for the other, or keeps what it has. Readers are in arm64_perf_read_test.c.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "arm64_perf.h"
#include "storm.h"

#include <sys/ioctl.h>

#if defined(__aarch64__)

static __u64 cycles_of(int fd, __u64 n)
{
	__s64 count = perf_loop(fd, n);

	return count < 0 ? 0 : count;
}

TEST_F(perf, both_count)
{
	__u64 event = steady_event(), alone, n = 100000;
	struct perf_count count;
	int fd = add_perf(self, event, 0, -1, false);

	ASSERT_GE(fd, 0);
	alone = cycles_of(fd, n);
	EXPECT_GE(alone, n);
	ASSERT_GE(add_set(self, event, USER_ONLY), 0);
	ASSERT_GE(add_perf(self, EVENT_CYCLES, -1, 0, false), 0);
	if (exact_instructions())
		EXPECT_EQ(alone, cycles_of(fd, n));
	count = perf_count(fd);
	EXPECT_EQ(count.enabled, count.running);
	expect_fed(_metadata, self);
	if (exact_instructions())
		EXPECT_EQ(alone, cycles_of(fd, n));
}

/*
 * Perf's flexible events have every counter; they leave those that a set needs, and share the rest.
 */
TEST_F(perf, makes_room)
{
	struct pmudev_event_attr events[4];
	__u64 count[2];
	int i, round;

	for (i = 0; i < (int)ARRAY_SIZE(self->perf); i++)
		ASSERT_GE(add_perf(self, i ? EVENT_INSTRUCTIONS : EVENT_CYCLES, -1, 0, false), 0);
	for (i = 0; i < (int)ARRAY_SIZE(events); i++)
		events[i] = raw_event(steady_event(), USER_ONLY);
	for (round = 0; round < 2; round++) {
		self->fd = pm_set(events, ARRAY_SIZE(events), true);
		ASSERT_GE(self->fd, 0);
		count[round] = set_loop(self->fd, 1000000);
		EXPECT_TRUE(WAIT_FOR((loop(10000), pm_value(self->fd, 3) > 50000000)));
		if (!round)
			close(self->fd);
	}
	if (exact_instructions())
		EXPECT_EQ(count[0], count[1]);
	expect_fed(_metadata, self);
}

/* Pinned events keep their counters: the refusal says which, and where. */
TEST_F(perf, pinned_events_stay)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	unsigned int i, nr = __builtin_popcountll((__u32)self->query.available);
	unsigned int pinned = 1 + __builtin_popcountll(self->query.available >> FIXED_COUNTER);
	int cpu = cpus_online() - 1;
	struct perf_count count;

	if (nr > ARRAY_SIZE(self->perf))
		SKIP(return, "more event counters than this test has events for");
	for (i = 0; i < nr; i++) {
		events[i] = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
		events[i].allowed = (__u32)self->query.available;
	}
	/* The first is on the instruction counter if there is one. */
	for (i = 0; i < pinned; i++) {
		self->perf[self->nr] = perf_open_pinned(EVENT_INSTRUCTIONS, cpu);
		ASSERT_GE(self->perf[self->nr++], 0);
	}
	/* All but two fit, as often as one likes. */
	self->fd = pm_set(events, nr - 2, true);
	ASSERT_GE(self->fd, 0);
	close(self->fd);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, self->fd = pm_set(events, nr - 1, true));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_PERF, why.holder.kind);
	EXPECT_EQ(cpu, why.holder.cpu);
	EXPECT_TRUE(why.busy & 1ULL << why.holder.counter);
	EXPECT_EQ(2, __builtin_popcountll(why.busy));
	ASSERT_EQ(0, pin_to(cpu));
	loop(100000);
	for (i = 0; i < pinned; i++) {
		count = perf_count(self->perf[i]);
		EXPECT_GE(count.value, 100000ULL);
		EXPECT_EQ(count.enabled, count.running);
	}
	while (self->nr)
		close(self->perf[--self->nr]);
	self->fd = pm_set(events, nr, true);
	EXPECT_GE(self->fd, 0);
}

/* How many of a set's multiplexed groups are on at a time, for the next while. */
static double groups_on(int fd, unsigned int nr)
{
	union record before, after;
	double running = 0;
	unsigned int i;

	if (pm_read(fd, &before))
		return -1;
	loop(10000000);
	if (pm_read(fd, &after))
		return -1;
	for (i = 0; i < nr; i++)
		running += after.r.counts[i].time_running - before.r.counts[i].time_running;
	return running / (after.r.time_enabled - before.r.time_enabled);
}

/*
 * Multiplexed groups borrow what is free, and perf gets it for a group that does not fit into what
 * is left to it. When perf has gone they borrow again.
 */
TEST_F(perf, gets_what_is_borrowed)
{
	struct pmudev_event_attr events[12];
	unsigned int i, nr = ARRAY_SIZE(events);
	int left = __builtin_popcountll((__u32)self->query.available) - LEFT_TO_PERF;

	if (left < 5)
		SKIP(return, "too few counters");
	for (i = 0; i < nr; i++)
		events[i] =
			in_group(raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_MULTIPLEX), i);
	self->fd = pm_set(events, nr, true);
	ASSERT_GE(self->fd, 0);
	EXPECT_LT(left - 0.1, groups_on(self->fd, nr));
	for (i = 0; i < 4; i++) {
		self->perf[i] = perf_open_excluding(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_KERNEL, 0,
						    i ? self->perf[0] : -1);
		ASSERT_GE(self->perf[i], 0);
		self->nr++;
	}
	ASSERT_EQ(0, ioctl(self->perf[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	EXPECT_TRUE(WAIT_FOR((loop(100000), perf_count(self->perf[3]).running)));
	/* Those that are guaranteed go on. */
	EXPECT_LT(0.9, groups_on(self->fd, nr));
	EXPECT_GT(left - 3 + 0.1, groups_on(self->fd, nr));
	while (self->nr)
		close(self->perf[--self->nr]);
	EXPECT_TRUE(WAIT_FOR(groups_on(self->fd, nr) > left - 0.1));
}

/* A CPU that was offline for a while comes back under the same reservation. */
TEST_F(perf, a_cpu_comes_back)
{
	struct perf_count count;

	if (cpus_online() < 2 || set_cpu_online(1, true))
		SKIP(return, "needs a second CPU that can be taken offline");
	ASSERT_GE(add_set(self, EVENT_CYCLES, USER_ONLY), 0);
	ASSERT_EQ(0, set_cpu_online(1, false));
	ASSERT_EQ(0, set_cpu_online(1, true));
	ASSERT_GE(add_perf(self, EVENT_CYCLES, -1, 1, false), 0);
	ASSERT_EQ(0, pin_to(1));
	loop(1000000);
	count = perf_count(self->perf[0]);
	EXPECT_EQ(count.enabled, count.running);
	EXPECT_GE(count.value, 1000000ULL);
	EXPECT_GE(set_loop(self->fd, 1000000), 1000000ULL);
	expect_fed(_metadata, self);
}

#else

TEST(arm64)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
