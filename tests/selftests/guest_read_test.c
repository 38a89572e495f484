// SPDX-License-Identifier: GPL-2.0
/*
 * A thread that runs a vcpu reads its own counters, of which some count the host only and some the
 * guest: checked, bare, and by calls where they take turns.
 */
#include "direct.h"
#include "mux.h"
#include "guest_group.h"
#include "kselftest_harness.h"

#include <string.h>

#define ROUNDS 200

FIXTURE(guest_read)
{
	struct guest guest;
	struct guest_vcpu *vcpu;
	int fd;
	struct pmudev_page *page;
};

FIXTURE_SETUP(guest_read)
{
	int ret;

	self->guest.vm = -1;
	self->fd = -1;
	if (!exact_instructions())
		SKIP(return, "needs exact counts of each CPU");
	ret = guest_open(&self->guest);
	if (ret == -ENOENT)
		SKIP(return, "needs /dev/kvm on arm64");
	ASSERT_EQ(0, ret);
	self->vcpu = &self->guest.vcpu[0];
	ASSERT_EQ(0, set_user_access(true));
}

FIXTURE_TEARDOWN(guest_read)
{
	if (self->page)
		pm_unmap(self->page);
	if (self->fd >= 0)
		close(self->fd);
	if (self->guest.vm >= 0)
		guest_close(&self->guest);
	set_user_access(false);
}

static void set_work(struct __test_metadata *_metadata, struct _test_data_guest_read *self,
		     struct guest_work work)
{
	ASSERT_EQ(0, vcpu_set_work(self->vcpu, work));
	ASSERT_EQ(0, vcpu_run(self->vcpu));
}

static void open_set(struct __test_metadata *_metadata, struct _test_data_guest_read *self,
		     const struct pmudev_event_attr *events, unsigned int nr)
{
	self->fd = pm_set(events, nr, true);
	ASSERT_GE(self->fd, 0);
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
}

/* ------------------------------------------------------------------ checked -- */

/* What a slot's direct reads before and after a round differ by. */
static __attribute__((noinline)) int over_round(struct reader *reader, unsigned int slot,
						struct guest_vcpu *v, __u64 *count)
{
	__u64 before = 0, after = 0;
	int ret = direct_read(reader, slot, &before);

	if (!ret)
		ret = vcpu_run(v);
	if (!ret)
		ret = direct_read(reader, slot, &after);
	*count = after - before;
	return ret;
}

/* The host's is the same whatever the guest does, the guest's is what it executes. */
TEST_F(guest_read, checked)
{
	static const struct guest_work works[] = { { .el1 = 10, .el0 = 10 },
						   { .el1 = 2000, .calls = 1, .el0 = 5000 } };
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ | G),
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ | H),
		raw_event(EVENT_INSTRUCTIONS, H | U | PMUDEV_USER_READ),
	};
	struct guest_count round;
	struct reader reader;
	__u64 count, host = 0;
	unsigned int i, w;

	open_set(_metadata, self, events, ARRAY_SIZE(events));
	reader = reader_of(self->page);
	for (w = 0; w < ARRAY_SIZE(works); w++) {
		set_work(_metadata, self, works[w]);
		round = guest_round(works[w]);
		/* A read that is interrupted is done again: those are left out. */
		for (i = 0; i < ROUNDS; i++) {
			reader.retries = 0;
			ASSERT_EQ(0, over_round(&reader, 0, self->vcpu, &count));
			if (!host)
				host = count;
			if (!reader.retries)
				ASSERT_EQ(host, count) TH_LOG("work %u, round %u", w, i);
			ASSERT_EQ(0, over_round(&reader, 1, self->vcpu, &count));
			ASSERT_EQ(round.el0, count);
			ASSERT_EQ(0, over_round(&reader, 2, self->vcpu, &count));
			ASSERT_EQ(round.el1, count);
			/* No guest is between these two. */
			ASSERT_EQ(0, measure_direct(&reader, 1, 100, &count));
			ASSERT_EQ(0ULL, count);
		}
	}
	TH_LOG("%llu instructions of the host's user mode a round", host);
}

/* --------------------------------------------------------------------- bare -- */

static __attribute__((noinline)) int bare_over_round(bool fixed, struct guest_vcpu *v, __u64 *count)
{
	__u64 before = bare(fixed);
	int ret = vcpu_run(v);

	*count = bare(fixed) - before;
	return ret;
}

static void read_bare(struct __test_metadata *_metadata, struct _test_data_guest_read *self,
		      bool fixed)
{
	struct pmudev_event_attr event = bare_event(fixed, DIRECT_FLAGS | G);
	struct guest_work work = { .el0 = 10 };
	struct pmudev_query query;
	__u64 count, host = 0;
	unsigned int i;

	ASSERT_EQ(0, pm_query(&query));
	if (!can_be_direct(&query, fixed))
		SKIP(return, "programmable counters carry %u bits here", query.width);
	if (fixed && !exact_cycles())
		SKIP(return, "cycles are not exact here");
	open_set(_metadata, self, &event, 1);
	for (i = 0; i < ROUNDS; i++) {
		if (i == ROUNDS / 2)
			work.el0 *= 100;
		set_work(_metadata, self, work);
		ASSERT_EQ(0, bare_over_round(fixed, self->vcpu, &count));
		if (!host)
			host = count;
		ASSERT_EQ(host, count) TH_LOG("round %u", i);
	}
}

TEST_F(guest_read, bare)
{
	read_bare(_metadata, self, false);
}

TEST_F(guest_read, bare_fixed)
{
	read_bare(_metadata, self, true);
}

/* -------------------------------------------------------------------- turns -- */

static void attach_turns(struct __test_metadata *_metadata, struct _test_data_guest_read *self,
			 const struct pool *pool, __u32 flags)
{
	struct pmudev_event_attr events[GROUPS];
	int i;

	for (i = 0; i < GROUPS; i++) {
		events[i] = mux_event(pool, i);
		events[i].flags |= flags;
	}
	self->fd = pm_set(events, GROUPS, true);
	ASSERT_GE(self->fd, 0);
}

/* All groups' counts together over so many rounds; each has had a turn. */
static __u64 sum_of_rounds(struct __test_metadata *_metadata, struct _test_data_guest_read *self,
			   unsigned int rounds)
{
	union record before, after;
	__u64 sum = 0;
	unsigned int i;

	memset(&after, 0, sizeof(after));
	EXPECT_LT(0, raw_read(self->fd, &before));
	for (i = 0; i < rounds; i++)
		if (vcpu_run(self->vcpu))
			return 0;
	EXPECT_LT(0, raw_read(self->fd, &after));
	for (i = 0; i < GROUPS; i++) {
		sum += since(&before, &after, i).value;
		EXPECT_LT(0ULL, since(&before, &after, i).time_running) TH_LOG("group %u", i);
	}
	return sum;
}

/* As many groups are on as there are counters for it, all the time: so often is all counted. */
TEST_F(guest_read, turns)
{
	struct guest_work work = { .el0 = 50000 };
	unsigned int nr;
	struct pool pool;
	__u64 host;

	ASSERT_EQ(0, pool_find(&pool));
	nr = pool.nr;
	ASSERT_LT(1U, nr);
	set_work(_metadata, self, work);
	attach_turns(_metadata, self, &pool, H);
	EXPECT_EQ(nr * guest_round(work).el0 * ROUNDS, sum_of_rounds(_metadata, self, ROUNDS));
	close(self->fd);
	attach_turns(_metadata, self, &pool, G);
	host = sum_of_rounds(_metadata, self, ROUNDS);
	EXPECT_EQ(0ULL, host % nr);
	work.el0 *= 2;
	set_work(_metadata, self, work);
	EXPECT_EQ(host, sum_of_rounds(_metadata, self, ROUNDS));
	TH_LOG("%u counters, %llu of the host's a round", nr, host / nr / ROUNDS);
}

TEST_HARNESS_MAIN
