// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that wrap. A reset sets the hardware counter, so that it can be made to wrap within a
 * test for real: a counter of 31, 32 or 48 bits alike. Counts are 64 bits and know nothing of it:
 * from whatever start, a run of n rounds adds the same 2n + c.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <sys/resource.h>

#define ROUNDS 1000000

/* Just below each edge that a counter, a fold or a sign could have, and nowhere near one. */
static const __u64 starts[] = {
	0,
	1,
	(1ULL << 31) - 100,
	1ULL << 31,
	(1ULL << 32) - 100,
	(1ULL << 32) - 1,
	1ULL << 32,
	(1ULL << 33) - 100,
	0x123456789abcdef0ULL,
	(1ULL << 47) - 100,
	1ULL << 47,
	(1ULL << 48) - 1000,
	(1ULL << 48) - 100,
	(1ULL << 63) - 100,
	1ULL << 63,
	-100ULL,
	-1ULL,
};

FIXTURE(wrap)
{
	int fd;
	struct pmudev_page *page;
	struct reader reader;
	struct pmudev_query query;
};

FIXTURE_VARIANT(wrap)
{
	__u64 event;
	__u64 allowed; /* 0: the fixed counter */
	__u32 flags;
};

#define PROGRAMMABLE 0xffffffffULL
#define FIXED	     (1ULL << FIXED_COUNTER)

/* clang-format off */
FIXTURE_VARIANT_ADD(wrap, programmable) {
	EVENT_INSTRUCTIONS, PROGRAMMABLE, DIRECT_READ
};

FIXTURE_VARIANT_ADD(wrap, programmable_long) {
	EVENT_INSTRUCTIONS, PROGRAMMABLE, DIRECT_READ | PMUDEV_LONG
};

FIXTURE_VARIANT_ADD(wrap, fixed) {
	FIXED_EVENT, 0, DIRECT_READ
};

/* clang-format on */

FIXTURE_SETUP(wrap)
{
	struct pmudev_event_attr event = raw_event(variant->event, variant->flags);
	bool wide;

	event.allowed = variant->allowed ?: FIXED;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, pm_query(&self->query));
	if (!variant->allowed && !self->query.width_fixed)
		SKIP(return, NO_FIXED_COUNTER);
	if (variant->event == EVENT_CYCLES && !exact_cycles())
		SKIP(return, "cycles are not counted exactly here (emulated, PMUDEV_EXACT)");
	wide = self->query.features & PMUDEV_HAS_LONG;
	if (variant->flags & PMUDEV_LONG && !wide)
		SKIP(return, "no 64-bit programmable counter");
	ASSERT_EQ(0, set_user_access(true));
	if (!user_reads())
		event.flags &= ~PMUDEV_USER_READ;
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	if (!user_reads())
		return;
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
	self->reader = reader_of(self->page);
}

FIXTURE_TEARDOWN(wrap)
{
	if (self->page)
		pm_unmap(self->page);
	if (self->fd > 0)
		close(self->fd);
	set_user_access(false);
}

static unsigned int width(const struct _test_data_wrap *self)
{
	/* What is not read by users is narrow for certain if all is. */
	if (!self->page)
		return self->query.width;
	return 64 - READ_ONCE(self->page->slots[0].shift);
}

/* Where the counter wraps; one of 64 bits does not, and is to be seamless where others do. */
static __u64 edge(const struct _test_data_wrap *self)
{
	return 1ULL << (width(self) < 64 ? width(self) : 32);
}

/* From reset(start): what is counted by the end of the loop, by read(2) and directly. */
static __attribute__((noinline)) int run(struct _test_data_wrap *self, __u64 start, __u64 n,
					 __u64 *by_call, __u64 *direct)
{
	union record record;
	long got;
	int ret;

	memset(&record, 0, sizeof(record));
	self->reader.retries = 0;
	ret = pm_reset(self->fd, 0, start);
	if (ret)
		return ret;
	loop(n);
	got = raw_read(self->fd, &record);
	if (got < 0)
		return got;
	*by_call = record.r.counts[0].value - start;
	if (!self->page) {
		*direct = *by_call;
		return 0;
	}
	ret = direct_read(&self->reader, 0, direct);
	*direct -= start;
	return ret ? ret : self->reader.retries ? -EINTR : 0;
}

static int read_now(struct _test_data_wrap *self, __u64 *value)
{
	union record record;
	int ret;

	if (self->page)
		return read_either(self->fd, &self->reader, 0, value, NULL);
	ret = pm_read(self->fd, &record);
	*value = record.r.counts[0].value;
	return ret;
}

static int run_undisturbed(struct _test_data_wrap *self, __u64 start, __u64 n, __u64 *by_call,
			   __u64 *direct)
{
	int tries, ret = -EINTR;

	for (tries = 0; tries < 10 && ret == -EINTR; tries++)
		ret = run(self, start, n, by_call, direct);
	return ret;
}

TEST_F(wrap, any_start)
{
	__u64 by_call, direct, c_call, c_direct, each = 1;
	unsigned int i;

	/* Once for the pages, once for what lies around the loop. */
	ASSERT_EQ(0, run_undisturbed(self, 0, 1000, &by_call, &direct));
	ASSERT_EQ(0, run_undisturbed(self, 0, 1000, &by_call, &direct));
	if (variant->event == EVENT_CYCLES)
		each = by_call / (LOOP_INSTRUCTIONS * 1000);
	c_call = by_call - each * LOOP_INSTRUCTIONS * 1000;
	c_direct = direct - each * LOOP_INSTRUCTIONS * 1000;
	EXPECT_LT(c_call, 200 * each);
	EXPECT_LT(c_direct, 400 * each);
	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		ASSERT_EQ(0, run_undisturbed(self, starts[i], ROUNDS, &by_call, &direct));
		EXPECT_EQ(each * LOOP_INSTRUCTIONS * ROUNDS + c_call, by_call)
		TH_LOG("start %#llx", starts[i]);
		EXPECT_EQ(each * LOOP_INSTRUCTIONS * ROUNDS + c_direct, direct)
		TH_LOG("start %#llx", starts[i]);
	}
}

/* The counter itself carries the count modulo its width, so that it did wrap above. */
TEST_F(wrap, hardware_is_set)
{
	unsigned int i;
	__u64 raw, value, distance;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	EXPECT_EQ(variant->allowed ? self->query.width : self->query.width_fixed, width(self));
	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		ASSERT_EQ(0, pm_reset(self->fd, 0, starts[i]));
		raw = counter(READ_ONCE(self->page->slots[0].operand));
		ASSERT_EQ(0, direct_read(&self->reader, 0, &value));
		distance = (value - raw) << (64 - width(self)) >> (64 - width(self));
		EXPECT_LT(distance, 10000ULL) TH_LOG("start %#llx", starts[i]);
		EXPECT_LT(value - starts[i], 10000ULL);
	}
}

/* Many wraps, one after another, of one and the same count. */
TEST_F(wrap, twenty_times)
{
	__u64 by_call, direct, expected = 0;
	int i;

	for (i = 0; i < 22; i++) {
		__u64 start = i * edge(self) - 100;

		ASSERT_EQ(0, run_undisturbed(self, start, 1000, &by_call, &direct));
		if (i < 2)
			expected = by_call;
		else
			EXPECT_EQ(expected, by_call);
		EXPECT_GE(direct, by_call);
	}
}

/* Counted without a reset between: one count passes the edge. */
TEST_F(wrap, count_goes_on_over_the_edge)
{
	__u64 last = 0, value = 0, start = edge(self) - 15000000;
	int i;

	ASSERT_EQ(0, pm_reset(self->fd, 0, start));
	last = start;
	for (i = 0; i < 3000; i++) {
		loop(5000);
		ASSERT_EQ(0, self->page ? direct_read(&self->reader, 0, &value) :
					  read_now(self, &value));
		ASSERT_GE(value, last + 5000 * LOOP_INSTRUCTIONS);
		if (variant->event == EVENT_INSTRUCTIONS)
			ASSERT_LE(value, last + 5000 * LOOP_INSTRUCTIONS + 1000);
		last = value;
	}
	EXPECT_GT(value, edge(self));
}

/*
 * A narrow counter is folded into the page while its thread runs on and on, without a call or a
 * switch: the page's count never falls so far behind that a wrap could be missed.
 */
TEST_F(wrap, folded_while_it_runs)
{
	struct rusage before, after;
	__u32 seq, changed = 0;
	int i;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	if (width(self) > 32)
		SKIP(return, "a counter this wide is seldom folded, or never");
	for (i = 0; i < 10; i++) {
		getrusage(RUSAGE_SELF, &before);
		seq = READ_ONCE(self->page->seq);
		loop(15000000);
		changed = READ_ONCE(self->page->seq) - seq;
		getrusage(RUSAGE_SELF, &after);
		/* A switch writes the page, too. */
		if (before.ru_nvcsw == after.ru_nvcsw && before.ru_nivcsw == after.ru_nivcsw)
			break;
	}
	ASSERT_LT(i, 10);
	EXPECT_GE(changed, 2U);
	EXPECT_EQ(0U, changed & 1);
}

/* Past the wrap the thread leaves its CPU, and another one counts there on the same counter. */
TEST_F(wrap, switches_on_both_sides)
{
	struct pmudev_event_attr event = raw_event(variant->event, variant->flags);
	__u64 undisturbed, counted, value;
	struct turns turns;
	int i, child;

	event.allowed = variant->allowed ?: FIXED;
	if (!user_reads())
		event.flags &= ~PMUDEV_USER_READ;

	ASSERT_EQ(0, turns_init(&turns));
	child = fork();
	if (!child) {
		int fd = pm_set(&event, 1, true);

		turn_wait(&turns, 1);
		for (i = 0; i < 40; i++) {
			pm_reset(fd, 0, (__u64)i << 30);
			loop(100);
			turn_pass(&turns, 1);
		}
		_exit(fd < 0);
	}
	undisturbed = 0;
	for (i = 0; i < 40; i++) {
		/* The first half stays away from the edge, the second passes it in mid-run. */
		__u64 start = i < 20 ? 0 : edge(self) - 400;

		ASSERT_EQ(0, pm_reset(self->fd, 0, start));
		loop(100);
		turn_pass(&turns, 0);
		loop(100);
		ASSERT_EQ(0, read_now(self, &value));
		counted = value - start;
		if (i == 1)
			undisturbed = counted;
		if (i > 1 && variant->event == EVENT_INSTRUCTIONS) {
			EXPECT_GE(counted, undisturbed - 100);
			EXPECT_LE(counted, undisturbed + 100);
		}
		EXPECT_GE(counted, 400ULL);
		EXPECT_LT(counted, 100000ULL);
	}
	turn_give(&turns, 0);
	EXPECT_EQ(0, child_result(child));
}

/* ------------------------------------------------------------------- width -- */

/* LONG is a counter of 64 bits or a refusal, never a promise. */
TEST(long_events)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_LONG);
	__u32 flags = PMUDEV_LONG | (user_reads() ? DIRECT_READ : USER_ONLY);
	struct pmudev_event_attr direct = raw_event(EVENT_INSTRUCTIONS, flags);
	struct pmudev_event_attr cycles[2];
	struct pmudev_query query;
	union record record;
	int fd;

	ASSERT_EQ(0, pm_query(&query));
	ASSERT_EQ(0, set_user_access(true));
	if (query.generic & 1ULL << PMUDEV_INSTRUCTIONS) {
		if (query.features & PMUDEV_HAS_LONG) {
			fd = pm_set(&event, 1, true);
			ASSERT_GE(fd, 0);
			close(fd);
			fd = pm_set(&direct, 1, true);
			ASSERT_GE(fd, 0);
			close(fd);
		} else if (user_reads()) {
			EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_WIDTH, pm_set(&direct, 1, true));
			EXPECT_EQ(long_limit(&query), why.limit);
		}
		if (!(query.features & (PMUDEV_HAS_LONG | PMUDEV_HAS_CHAIN))) {
			EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_WIDTH, pm_set(&event, 1, true));
			EXPECT_EQ(long_limit(&query), why.limit);
		}
	}

	cycles[0] = raw_event(EVENT_CYCLES, flags);
	cycles[1] = cycles[0];
	if (query.width_fixed < 64) {
		EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_WIDTH, pm_set(cycles, 1, true));
		EXPECT_EQ(0, set_user_access(false));
		return;
	}
	/* One counter at least has 64 bits. */
	fd = pm_set(cycles, 1, true);
	ASSERT_GE(fd, 0);
	loop(1000);
	EXPECT_EQ(0, pm_read(fd, &record));
	EXPECT_GE(record.r.counts[0].value, 1000ULL);
	close(fd);
	if (!(query.features & (PMUDEV_HAS_LONG | (user_reads() ? 0 : PMUDEV_HAS_CHAIN)))) {
		EXPECT_REFUSED(ENOSPC, PMUDEV_WHY_NO_COUNTER, pm_set(cycles, 2, true));
		EXPECT_EQ(1ULL << FIXED_COUNTER, why.allowed);
	}
	EXPECT_EQ(0, set_user_access(false));
}

TEST_HARNESS_MAIN
