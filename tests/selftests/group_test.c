// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: enable, disable, reset, remove; that a group is on counters whole or not at all; that a
 * dry run says what enabling does; and who stands in the way if it does not.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <sys/ioctl.h>

FIXTURE(groups)
{
	struct pmudev_query query;
	__u64 available;       /* counters that events of cycles can get */
	unsigned int counters; /* how many */
	int fd;
};

FIXTURE_SETUP(groups)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);

	/* What is available is known once perf has said which counter it keeps. */
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_query(&self->query));
	self->available = cycle_counters(self->query.available);
	self->counters = __builtin_popcountll(self->available);
	EXPECT_TRUE(self->query.state & PMUDEV_STATE_RESERVED);
	EXPECT_EQ(1, __builtin_popcountll(self->query.busy));
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_remove(self->fd, 0));
}

/* Nothing stays held: the file was the last of its kind. */
FIXTURE_TEARDOWN(groups)
{
	struct pmudev_query query;

	close(self->fd);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

static __u64 value(int fd, unsigned int slot)
{
	union record record;

	return pm_read(fd, &record) ? ~0ULL : record.r.counts[slot].value;
}

TEST_F(groups, disable_stops_enable_resumes)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	union record stopped, later, again;

	ASSERT_EQ(0, pm_add(self->fd, &event, 1));
	EXPECT_EQ(0ULL, value(self->fd, 0));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	loop(1000);
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_read(self->fd, &stopped));
	EXPECT_EQ(0U, stopped.r.flags);
	EXPECT_GE(stopped.r.counts[0].value, 1000ULL);
	EXPECT_GT(stopped.r.counts[0].time_enabled, 0ULL);
	loop(100000);
	ASSERT_EQ(0, pm_read(self->fd, &later));
	EXPECT_EQ(stopped.r.counts[0].value, later.r.counts[0].value);
	EXPECT_EQ(stopped.r.counts[0].time_enabled, later.r.counts[0].time_enabled);
	EXPECT_EQ(stopped.r.time_enabled, later.r.time_enabled);
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	loop(1000);
	ASSERT_EQ(0, pm_read(self->fd, &again));
	EXPECT_GE(again.r.counts[0].value, stopped.r.counts[0].value + 1000);
	/* The time in between is not counted either. */
	if (emulated())
		EXPECT_LT(again.r.counts[0].value, stopped.r.counts[0].value + 100000);
	EXPECT_EQ(again.r.counts[0].time_enabled, again.r.counts[0].time_running);
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, again.r.flags);
}

TEST_F(groups, reset)
{
	static const __u64 values[] = { 0, 1, 1ULL << 31, 0xffffffff, 1ULL << 32, 1ULL << 63 };
	struct pmudev_event_attr events[3] = {
		raw_event(EVENT_CYCLES, USER_ONLY),
		raw_event(EVENT_CYCLES, USER_ONLY),
		in_group(raw_event(EVENT_CYCLES, USER_ONLY), 7),
	};
	union record record;
	unsigned int i;

	ASSERT_EQ(0, pm_add(self->fd, events, 3));
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		/* One slot, stopped: exactly. */
		EXPECT_EQ(0, pm_reset(self->fd, 1, values[i]));
		EXPECT_EQ(values[i], value(self->fd, 1));
		EXPECT_EQ(0ULL, value(self->fd, 0));
	}
	/* One group. */
	EXPECT_EQ(0, pm_ctl(self->fd, PMUDEV_IOC_RESET, 0, PMUDEV_ALL, 77));
	EXPECT_EQ(77ULL, value(self->fd, 0));
	EXPECT_EQ(77ULL, value(self->fd, 1));
	EXPECT_EQ(0ULL, value(self->fd, 2));
	/* The whole set. */
	EXPECT_EQ(0, pm_reset(self->fd, PMUDEV_ALL, 5));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(5ULL, value(self->fd, i));
	/* While it counts; the times are left alone. */
	ASSERT_EQ(0, pm_enable(self->fd, PMUDEV_ALL));
	loop(100000);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		EXPECT_EQ(0, pm_reset(self->fd, 2, values[i]));
		ASSERT_EQ(0, pm_read(self->fd, &record));
		EXPECT_GT(record.r.counts[2].value, values[i]);
		EXPECT_LT(record.r.counts[2].value, values[i] + 100000);
		EXPECT_GE(record.r.counts[1].value, 5 + 100000ULL);
	}
	EXPECT_EQ(record.r.counts[0].time_enabled, record.r.counts[2].time_enabled);
	EXPECT_GE(record.r.counts[2].time_enabled, 1000ULL);
}

TEST_F(groups, remove_frees_slots)
{
	struct pmudev_event_attr events[3] = {
		in_group(raw_event(EVENT_CYCLES, USER_ONLY), 0),
		in_group(raw_event(EVENT_CYCLES, USER_ONLY), 1),
		in_group(raw_event(EVENT_CYCLES, USER_ONLY), 2),
	};
	union record record;

	ASSERT_EQ(0, pm_add(self->fd, events, 3));
	ASSERT_EQ(0, pm_enable(self->fd, 2));
	ASSERT_EQ(0, pm_remove(self->fd, 1));
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(5ULL, record.r.present);
	EXPECT_EQ(3U, record.r.nr);
	EXPECT_EQ(0ULL, record.r.counts[1].value);
	EXPECT_EQ(0ULL, record.r.counts[1].tag);
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_GROUP, pm_enable(self->fd, 1));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_SLOT, pm_reset(self->fd, 1, 0));
	/* The free slot is the next one's, whichever its group. */
	events[0].tag = 42;
	events[0].group = 63;
	ASSERT_EQ(0, pm_add(self->fd, events, 1));
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(7ULL, record.r.present);
	EXPECT_EQ(42ULL, record.r.counts[1].tag);
	EXPECT_EQ(0ULL, record.r.counts[1].value);
	EXPECT_EQ(0ULL, record.r.counts[1].time_enabled);
	EXPECT_GT(record.r.counts[2].value, 0ULL);
}

/* All numbers of groups, each counting in its turn on whatever counters are there. */
TEST_F(groups, sixty_four_of_them)
{
	struct pmudev_event_attr events[PMUDEV_MAX_GROUPS];
	union record record;
	unsigned int i, j;

	for (i = 0; i < PMUDEV_MAX_GROUPS; i++) {
		events[i] = in_group(raw_event(EVENT_CYCLES, USER_ONLY), i);
		events[i].tag = 1000 + i;
	}
	ASSERT_EQ(0, pm_add(self->fd, events, PMUDEV_MAX_GROUPS));
	for (i = 0; i < PMUDEV_MAX_GROUPS; i += self->counters) {
		for (j = i; j < i + self->counters && j < PMUDEV_MAX_GROUPS; j++)
			ASSERT_EQ(0, pm_enable(self->fd, j));
		/* One more than there are counters. */
		if (j < PMUDEV_MAX_GROUPS) {
			EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(self->fd, j));
			EXPECT_EQ(self->available, why.busy);
			EXPECT_EQ((__u32)PMUDEV_HOLDER_SET, why.holder.kind);
		}
		loop(1000);
		for (j = i; j < i + self->counters && j < PMUDEV_MAX_GROUPS; j++)
			ASSERT_EQ(0, pm_disable(self->fd, j));
	}
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_EQ(64U, record.r.nr);
	EXPECT_EQ(~0ULL, record.r.present);
	for (i = 0; i < PMUDEV_MAX_GROUPS; i++) {
		EXPECT_GE(record.r.counts[i].value, 1000ULL);
		EXPECT_EQ(1000ULL + i, record.r.counts[i].tag);
		EXPECT_EQ(record.r.counts[i].time_enabled, record.r.counts[i].time_running);
	}
	/* All at once can never be. */
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_enable(self->fd, PMUDEV_ALL));
	for (i = 0; i < PMUDEV_MAX_GROUPS; i++)
		ASSERT_EQ(record.r.counts[i].value, value(self->fd, i));
}

/* A dry run names a counter for each event, no counter twice, and changes nothing. */
TEST_F(groups, place_says_what_enable_does)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	__s32 tried[PMUDEV_MAX_EVENTS], got[PMUDEV_MAX_EVENTS];
	struct pmudev_query query;
	unsigned int i;
	__u64 used = 0;

	for (i = 0; i < self->counters; i++)
		events[i] = raw_event(EVENT_CYCLES, USER_ONLY);
	ASSERT_EQ(0, pm_place(self->fd, events, self->counters, tried));
	for (i = 0; i < self->counters; i++) {
		ASSERT_GE(tried[i], 0);
		used |= 1ULL << tried[i];
	}
	EXPECT_EQ(self->available, used);
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(0ULL, query.busy);

	ASSERT_EQ(0, pm_add(self->fd, events, self->counters));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	ASSERT_EQ(0, pm_place(self->fd, NULL, 0, got));
	for (i = 0; i < self->counters; i++)
		EXPECT_EQ(tried[i], got[i]);
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(self->available, query.busy);
	events[0].group = 1;
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_place(self->fd, events, 1, tried));
}

TEST_F(groups, a_counter_of_choice)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY | PMUDEV_COUNTER);
	__u64 left = self->available;
	__s32 got;

	for (; left; left &= left - 1) {
		event.counter = __builtin_ctzll(left);
		ASSERT_EQ(0, pm_add(self->fd, &event, 1));
		ASSERT_EQ(0, pm_enable(self->fd, 0));
		ASSERT_EQ(0, pm_place(self->fd, NULL, 0, &got));
		EXPECT_EQ((__s32)event.counter, got);
		loop(1000);
		EXPECT_GE(value(self->fd, 0), 1000ULL);
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		ASSERT_EQ(0, pm_remove(self->fd, 0));
	}
}

/*
 * Sets of one thread never share a counter, so that together they can have no more than there are.
 * What is refused is refused whole, with the names of those in the way.
 */
TEST_F(groups, all_or_nothing)
{
	struct pmudev_event_attr one = raw_event(EVENT_CYCLES, USER_ONLY);
	struct pmudev_event_attr rest[PMUDEV_MAX_EVENTS];
	struct pmudev_holder holders[PMUDEV_MAX_EVENTS];
	struct pmudev_ctl ctl = { .size = sizeof(ctl), .slot = PMUDEV_ALL };
	unsigned int i;
	int other;

	other = pm_set(&one, 1, true);
	ASSERT_GE(other, 0);
	for (i = 0; i < self->counters; i++)
		rest[i] = raw_event(EVENT_CYCLES, USER_ONLY);
	ASSERT_EQ(0, pm_add(self->fd, rest, self->counters));
	ctl.refusal.holders = (uintptr_t)holders;
	ctl.refusal.nr_holders = ARRAY_SIZE(holders);
	EXPECT_EQ(-1, ioctl(self->fd, PMUDEV_IOC_ENABLE, &ctl));
	EXPECT_EQ(EBUSY, errno);
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, ctl.refusal.code);
	EXPECT_EQ(1, __builtin_popcountll(ctl.refusal.busy & self->available));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, ctl.refusal.holder.kind);
	EXPECT_EQ(getpid(), ctl.refusal.holder.pid);
	EXPECT_EQ(-1, ctl.refusal.holder.cpu);
	ASSERT_EQ(1U, ctl.refusal.nr_holders);
	EXPECT_EQ(0, memcmp(&ctl.refusal.holder, &holders[0], sizeof(holders[0])));
	loop(1000);
	for (i = 0; i < self->counters; i++)
		EXPECT_EQ(0ULL, value(self->fd, i));
	EXPECT_GE(value(other, 0), 1000ULL);
	/* The other set goes, and there is room. */
	close(other);
	EXPECT_EQ(0, pm_enable(self->fd, 0));
	loop(1000);
	for (i = 0; i < self->counters; i++)
		EXPECT_GE(value(self->fd, i), 1000ULL);
}

/*
 * The second event needs the only free counter, and the first fits on what others hold: it is the
 * first that lacks a counter.
 */
TEST_F(groups, names_the_event_whose_counters_are_held)
{
	const __u64 held = self->available & (self->available - 1);
	const __u32 flags = USER_ONLY | PMUDEV_COUNTER;
	struct pmudev_event_attr others[PMUDEV_MAX_EVENTS], events[2];
	unsigned int nr = 0;
	__u64 left;
	int other;

	if (!held)
		SKIP(return, "two counters are needed");
	for (left = held; left; left &= left - 1) {
		others[nr] = raw_event(EVENT_CYCLES, flags);
		others[nr++].counter = __builtin_ctzll(left);
	}
	other = pm_set(others, nr, true);
	ASSERT_GE(other, 0);
	events[0] = raw_event(EVENT_CYCLES, USER_ONLY);
	events[1] = raw_event(EVENT_CYCLES, flags);
	events[1].counter = __builtin_ctzll(self->available);
	ASSERT_EQ(0, pm_add(self->fd, events, 2));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(self->fd, PMUDEV_ALL));
	EXPECT_EQ(0, why.event);
	EXPECT_EQ(held, why.busy & self->available);
	EXPECT_EQ(getpid(), why.holder.pid);
	EXPECT_EQ((__u32)__builtin_ctzll(held), why.holder.counter);
	close(other);
	EXPECT_EQ(0, pm_enable(self->fd, PMUDEV_ALL));
}

/* The list of holders is as long as the caller has room; the refusal stands without it. */
TEST_F(groups, room_for_holders)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	struct pmudev_ctl ctl = { .size = sizeof(ctl), .slot = PMUDEV_ALL };
	struct pmudev_holder holders[2] = { 0 };
	struct pmudev_why answer;
	unsigned int i;
	int other;

	for (i = 0; i < self->counters; i++)
		events[i] = raw_event(EVENT_CYCLES, USER_ONLY);
	other = pm_set(events, self->counters, true);
	ASSERT_GE(other, 0);
	ASSERT_EQ(0, pm_add(self->fd, events, 1));

	ctl.refusal.holders = (uintptr_t)holders;
	ctl.refusal.nr_holders = 1;
	EXPECT_EQ(-1, ioctl(self->fd, PMUDEV_IOC_ENABLE, &ctl));
	EXPECT_EQ(EBUSY, errno);
	EXPECT_EQ(self->available, ctl.refusal.busy & self->available);
	EXPECT_GE(ctl.refusal.nr_holders, self->counters);
	EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, holders[0].kind);
	EXPECT_EQ((__u32)PMUDEV_HOLDER_NONE, holders[1].kind);

	ctl.refusal.holders = ~0ULL << 12;
	ctl.refusal.nr_holders = 64;
	EXPECT_EQ(-1, ioctl(self->fd, PMUDEV_IOC_ENABLE, &ctl));
	EXPECT_EQ(EBUSY, errno);
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, ctl.refusal.code);
	EXPECT_EQ(0U, ctl.refusal.nr_holders);

	/* Whoever has the file can ask again, so that names are not kept. */
	EXPECT_EQ(0, pm_why(self->fd, &answer));
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, answer.refusal.code);
	EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, answer.refusal.holder.kind);
	EXPECT_EQ(0, answer.refusal.holder.pid);
	close(other);
	EXPECT_EQ(0, pm_enable(self->fd, 0));
}

/* Several sets of one thread, each with its own count, enabled and disabled independently. */
TEST_F(groups, sets_of_one_thread)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd[PMUDEV_MAX_EVENTS];
	unsigned int i;

	for (i = 0; i < self->counters; i++) {
		fd[i] = pm_set(&event, 1, true);
		ASSERT_GE(fd[i], 0);
		loop(1000);
	}
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_set(&event, 1, true));
	for (i = 0; i + 1 < self->counters; i++)
		EXPECT_GE(value(fd[i], 0), value(fd[i + 1], 0) + 1000);
	for (i = 0; i < self->counters; i++)
		close(fd[i]);
}

TEST_HARNESS_MAIN
