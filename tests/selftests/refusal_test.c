// SPDX-License-Identifier: GPL-2.0
/*
 * What is refused, with which errno and which reason. All of it is tried on a set that is counting
 * meanwhile; the teardown of each test proves that it still counts and holds nothing new.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <sys/ioctl.h>

/* EVENT() and ADD() below: the default first, what the test wants after it. */
#pragma GCC diagnostic ignored "-Woverride-init"

FIXTURE(set)
{
	int fd;
	struct pmudev_query query;
	union record before;
};

FIXTURE_SETUP(set)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);

	ASSERT_EQ(0, pm_query(&self->query));
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_read(self->fd, &self->before));
}

FIXTURE_TEARDOWN(set)
{
	union record after;

	loop(1000);
	EXPECT_EQ(0, pm_read(self->fd, &after));
	EXPECT_EQ(1ULL, after.r.present);
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, after.r.flags);
	EXPECT_GE(after.r.counts[0].value, self->before.r.counts[0].value + 1000);
	EXPECT_EQ(after.r.counts[0].time_enabled, after.r.counts[0].time_running);
	close(self->fd);
}

/* An event that would do, but for what is said after. */
#define EVENT(...)                   \
	((struct pmudev_event_attr){ \
		.type = PMUDEV_TYPE_RAW, .flags = USER_ONLY, .config = EVENT_CYCLES, __VA_ARGS__ })

/* ADD and PLACE refuse alike. The wrong event stands behind a right one: the refusal names it. */
static void bad_event(struct __test_metadata *_metadata, int fd, int line, int error, __u32 reason,
		      __u64 limit, struct pmudev_event_attr event)
{
	struct pmudev_event_attr both[2] = { EVENT(.group = 1), event };
	__s32 counters[2];
	int i, ret;

	if (!event.group)
		both[1].group = 2;
	for (i = 0; i < 2; i++) {
		ret = i ? pm_place(fd, both, 2, counters) : pm_add(fd, both, 2);
		EXPECT_EQ(-error, ret) TH_LOG("line %d", line);
		EXPECT_EQ(reason, why.code) TH_LOG("line %d", line);
		EXPECT_EQ(limit, why.limit) TH_LOG("line %d", line);
		EXPECT_EQ(1, why.event) TH_LOG("line %d", line);
	}
}

#define EXPECT_BAD_EVENT(...) bad_event(_metadata, self->fd, __LINE__, __VA_ARGS__)

TEST_F(set, malformed_events)
{
	int i;

	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_TYPE, PMUDEV_TYPE_RAW, EVENT(.type = 2));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_TYPE, PMUDEV_TYPE_RAW, EVENT(.type = ~0U));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_FLAGS, PMUDEV_EVENT_FLAGS,
			 EVENT(.flags = USER_ONLY | 1U << 12));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_FLAGS, PMUDEV_EVENT_FLAGS,
			 EVENT(.flags = USER_ONLY | 1U << 31));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_GROUP, PMUDEV_MAX_GROUPS - 1, EVENT(.group = 64));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_GROUP, PMUDEV_MAX_GROUPS - 1, EVENT(.group = ~0U));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_CONFIG, RAW_CONFIG, EVENT(.config = 0x10000));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_CONFIG, RAW_CONFIG, EVENT(.config = 1ULL << 63));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_CONFIG, PMUDEV_GENERIC_MAX - 1,
			 EVENT(.type = PMUDEV_TYPE_GENERIC, .config = PMUDEV_GENERIC_MAX));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_THRESHOLD, PMUDEV_MAX_THRESHOLD,
			 EVENT(.threshold = PMUDEV_MAX_THRESHOLD + 1));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_COMPARE, PMUDEV_LESS,
			 EVENT(.threshold = 1, .threshold_compare = 4));
	for (i = 0; i < 5; i++) {
		struct pmudev_event_attr event = EVENT();

		event.reserved[i] = 1;
		EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_RESERVED, 0, event);
	}
}

TEST_F(set, contradictory_events)
{
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_ALL_EXCLUDED, 0,
			 EVENT(.flags = USER_ONLY | PMUDEV_EXCLUDE_USER));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_COMBINATION, PMUDEV_DIRECT | PMUDEV_USER_READ,
			 EVENT(.flags = USER_ONLY | PMUDEV_DIRECT));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_COMBINATION, PMUDEV_DIRECT | PMUDEV_MULTIPLEX,
			 EVENT(.flags = DIRECT_READ | PMUDEV_DIRECT | PMUDEV_MULTIPLEX));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_COMBINATION,
			 PMUDEV_CHAIN_READ | PMUDEV_LONG | PMUDEV_USER_READ,
			 EVENT(.flags = DIRECT_READ | PMUDEV_CHAIN_READ));
	/* One group, one answer to the question whether it shares counters. */
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_GROUP_FLAGS, 0,
			 EVENT(.flags = USER_ONLY | PMUDEV_MULTIPLEX, .group = 1));
}

TEST_F(set, wrong_counters)
{
	/* Counter 30 would be the 31st programmable one. */
	if (self->query.counters & 1ULL << 30)
		SKIP(return, "every counter exists here");
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_COUNTER, 0, EVENT(.counter = 1));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_COUNTER, 63,
			 EVENT(.flags = USER_ONLY | PMUDEV_COUNTER, .counter = 64));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_COUNTER, 0,
			 EVENT(.flags = USER_ONLY | PMUDEV_COUNTER, .counter = 30));
	/* The refusal says which ones would do: for cycles all. */
	EXPECT_EQ(cycle_counters(self->query.counters), why.allowed);
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_COUNTER, 0, EVENT(.allowed = 1ULL << 30));
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_COUNTER, 0,
			 EVENT(.flags = USER_ONLY | PMUDEV_COUNTER, .counter = 2,
			       .allowed = 1ULL << 3));
	if (!(self->query.generic & 1ULL << PMUDEV_INSTRUCTIONS) || !self->query.width_fixed)
		return;
	/* A fixed counter counts its own event only. */
	EXPECT_BAD_EVENT(EINVAL, PMUDEV_WHY_COUNTER, 0,
			 EVENT(.config = FIXED_EVENT ^ EVENT_CYCLES ^ EVENT_INSTRUCTIONS,
			       .flags = USER_ONLY | PMUDEV_COUNTER, .counter = FIXED_COUNTER));
}

/* Right by the ABI, but not to be had: refused, and by name. */
TEST_F(set, what_is_not_offered)
{
	__u64 has = self->query.features;

	if (!(has & PMUDEV_HAS_MULTIPLEX))
		EXPECT_BAD_EVENT(EOPNOTSUPP, PMUDEV_WHY_MODULE, PMUDEV_MULTIPLEX,
				 EVENT(.flags = USER_ONLY | PMUDEV_MULTIPLEX));
	if (!(has & PMUDEV_HAS_GUEST))
		EXPECT_BAD_EVENT(EOPNOTSUPP, PMUDEV_WHY_NO_GUEST, 0,
				 EVENT(.flags = USER_ONLY | PMUDEV_EXCLUDE_HOST));
	if (!(has & PMUDEV_HAS_THRESHOLD)) {
		EXPECT_BAD_EVENT(EOPNOTSUPP, PMUDEV_WHY_THRESHOLD, 0, EVENT(.threshold = 1));
		EXPECT_BAD_EVENT(EOPNOTSUPP, PMUDEV_WHY_THRESHOLD, 0,
				 EVENT(.threshold = PMUDEV_MAX_THRESHOLD));
		EXPECT_EQ(0U, self->query.threshold_max);
	}
	if (!(has & (PMUDEV_HAS_LONG | PMUDEV_HAS_CHAIN)) &&
	    (self->query.generic & 1ULL << PMUDEV_INSTRUCTIONS))
		EXPECT_BAD_EVENT(EOPNOTSUPP, PMUDEV_WHY_WIDTH, long_limit(&self->query),
				 EVENT(.config = EVENT_INSTRUCTIONS,
				       .flags = USER_ONLY | PMUDEV_LONG));
}

/* User reads that are not possible; user access is enabled, so it is not the reason. */
TEST_F(set, user_reads_not_offered)
{
	__u64 has = self->query.features;
	long user_access = read_number(USER_ACCESS);

	ASSERT_EQ(0, set_user_access(true));
	if (!user_reads()) {
		EXPECT_BAD_EVENT(EOPNOTSUPP, PMUDEV_WHY_HARDWARE, PMUDEV_USER_READ,
				 EVENT(.flags = DIRECT_READ));
		EXPECT_EQ(0, set_user_access(user_access));
		return;
	}
	if (!(has & PMUDEV_HAS_DIRECT))
		EXPECT_BAD_EVENT(EOPNOTSUPP, PMUDEV_WHY_WIDTH, self->query.width,
				 EVENT(.flags = DIRECT_READ | PMUDEV_DIRECT));
	if (!(has & PMUDEV_HAS_LONG) && (self->query.generic & 1ULL << PMUDEV_INSTRUCTIONS)) {
		EXPECT_BAD_EVENT(EOPNOTSUPP, PMUDEV_WHY_WIDTH, long_limit(&self->query),
				 EVENT(.config = EVENT_INSTRUCTIONS,
				       .flags = DIRECT_READ | PMUDEV_LONG));
		EXPECT_BAD_EVENT(EOPNOTSUPP, PMUDEV_WHY_WIDTH, long_limit(&self->query),
				 EVENT(.config = EVENT_INSTRUCTIONS,
				       .flags = DIRECT_READ | PMUDEV_LONG | PMUDEV_DIRECT |
						PMUDEV_CHAIN_READ));
	}
	if (!(has & (PMUDEV_HAS_LONG | PMUDEV_HAS_CHAIN)) &&
	    (self->query.generic & 1ULL << PMUDEV_INSTRUCTIONS))
		EXPECT_BAD_EVENT(EOPNOTSUPP, PMUDEV_WHY_WIDTH, long_limit(&self->query),
				 EVENT(.config = EVENT_INSTRUCTIONS,
				       .flags = DIRECT_READ | PMUDEV_LONG | PMUDEV_CHAIN_READ));
	EXPECT_EQ(0, set_user_access(user_access));
}

/* PLACE and the query say the same of each generic event. */
TEST_F(set, generic_events)
{
	__s32 counter;
	__u64 i;

	for (i = 0; i < PMUDEV_GENERIC_MAX; i++) {
		struct pmudev_event_attr event =
			EVENT(.type = PMUDEV_TYPE_GENERIC, .config = i, .group = 1);
		int ret = pm_place(self->fd, &event, 1, &counter);

		EXPECT_EQ(self->query.generic & 1ULL << i ? 0 : -ENOENT, ret)
		TH_LOG("generic event %llu", i);
		if (ret)
			EXPECT_EQ((__u32)PMUDEV_WHY_EVENT, why.code);
	}
}

TEST_F(set, more_events_than_counters)
{
	unsigned int i, nr = __builtin_popcountll(self->query.counters) + 1;
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	__s32 counters[PMUDEV_MAX_EVENTS];

	for (i = 0; i < nr; i++)
		events[i] = EVENT(.group = 1);
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_add(self->fd, events, nr));
	EXPECT_GE(why.event, 0);
	EXPECT_LT(why.event, (__s32)nr);
	EXPECT_NE(0ULL, why.allowed);
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_place(self->fd, events, nr, counters));

	/* As many as a call takes, in one group with those there are, and in one of their own. */
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		events[i] = EVENT(.group = 1);
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_place(self->fd, events, 64, counters));
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_add(self->fd, events, 63));
	ASSERT_EQ(0, pm_add(self->fd, events, 1));
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_add(self->fd, events, 62));
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_place(self->fd, events, 64, counters));
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		events[i] = EVENT(.group = i);
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_place(self->fd, events, 64, counters));
	ASSERT_EQ(0, pm_remove(self->fd, 1));

	/* Two events that both want the same one. */
	events[0] = EVENT(.group = 1, .flags = USER_ONLY | PMUDEV_COUNTER, .counter = 3);
	events[1] = EVENT(.group = 1, .allowed = 1ULL << 3);
	EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_add(self->fd, events, 2));
	EXPECT_EQ(1, why.event);
	EXPECT_EQ(1ULL << 3, why.allowed);
}

TEST_F(set, array_of_events)
{
	struct {
		struct pmudev_event_attr event;
		__u64 tail;
	} longer[2] = { 0 };
	struct pmudev_add add;
	__u32 slots[65];
	unsigned int i;

#define ADD(...)                                                                \
	({                                                                      \
		add = (struct pmudev_add){ .size = sizeof(add),                 \
					   .nr = 2,                             \
					   .event_size = sizeof(longer[0]),     \
					   .events = (uintptr_t)longer,         \
					   __VA_ARGS__ };                       \
		int __ret = ioctl(self->fd, PMUDEV_IOC_ADD, &add) ? -errno : 0; \
		why = add.refusal;                                              \
		__ret;                                                          \
	})
	for (i = 0; i < 2; i++)
		longer[i].event = EVENT(.group = 5);

	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_NUMBER, ADD(.nr = 0));
	EXPECT_EQ((__u64)PMUDEV_MAX_EVENTS, why.limit);
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_NUMBER, ADD(.nr = PMUDEV_MAX_EVENTS + 1));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_NUMBER, ADD(.nr = ~0U));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_SIZE, ADD(.event_size = 47));
	EXPECT_EQ(48ULL, why.limit);
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_SIZE, ADD(.event_size = 0));
	EXPECT_REFUSED(EFAULT, PMUDEV_WHY_POINTER, ADD(.events = 0));
	EXPECT_REFUSED(EFAULT, PMUDEV_WHY_POINTER, ADD(.events = ~0ULL << 12));
	/* Slots that cannot be written: the events are not kept. */
	EXPECT_REFUSED(EFAULT, PMUDEV_WHY_POINTER, ADD(.slots = 16));
	longer[1].tail = 1;
	EXPECT_REFUSED(E2BIG, PMUDEV_WHY_TAIL, ADD());
	EXPECT_EQ(1, why.event);
	longer[1].tail = 0;
	/* A zero tail is fine, and the slots are the first that are free. */
	EXPECT_EQ(0, ADD(.slots = (uintptr_t)slots));
	EXPECT_EQ(1U, slots[0]);
	EXPECT_EQ(2U, slots[1]);
	EXPECT_EQ(0, pm_remove(self->fd, 5));
#undef ADD
}

TEST_F(set, a_full_set)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	unsigned int i;

	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		events[i] = EVENT(.group = 1 + i % 63);
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_NUMBER, pm_add(self->fd, events, PMUDEV_MAX_EVENTS));
	EXPECT_EQ(0, pm_add(self->fd, events, PMUDEV_MAX_EVENTS - 1));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_NUMBER, pm_add(self->fd, events, 1));
	for (i = 1; i < PMUDEV_MAX_GROUPS; i++)
		EXPECT_EQ(0, pm_remove(self->fd, i));
}

TEST_HARNESS_MAIN
