// SPDX-License-Identifier: GPL-2.0
/*
 * pmudev and perf on one PMU: nothing of either is disturbed by the other. Where perf shares the
 * PMU both count (more in arm64_perf_test.c); elsewhere whoever counts first keeps it, and the
 * other one is told (more in intel_reserve_test.c).
 */
#include "common.h"
#include "kselftest_harness.h"
#include "perf.h"
#include "subject.h"

FIXTURE(perf)
{
	struct pmudev_query query;
	int fd; /* a set on this thread */
	int perf[4];
	int nr;
};

FIXTURE_SETUP(perf)
{
	int fd;

	ASSERT_EQ(0, pm_query(&self->query));
	self->fd = -1;
	fd = perf_open(EVENT_CYCLES, 0, 0, -1);
	/* The PMU was not given back. */
	ASSERT_NE(-EBUSY, fd);
	if (fd < 0)
		SKIP(return, "perf does not count cycles here");
	close(fd);
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, set_user_access(true));
	/* What perf had to tidy up is done: the PMU is free for whoever comes. */
	ASSERT_FALSE(self->query.state & PMUDEV_STATE_RESERVED);
}

FIXTURE_TEARDOWN(perf)
{
	while (self->nr)
		close(self->perf[--self->nr]);
	if (self->fd >= 0)
		close(self->fd);
	set_user_access(false);
}

static int add_perf(struct _test_data_perf *self, pid_t pid, int cpu)
{
	int fd = perf_open(EVENT_CYCLES, 0, pid, cpu);

	if (fd >= 0)
		self->perf[self->nr++] = fd;
	return fd;
}

static int add_set(struct _test_data_perf *self, __u32 flags)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, flags);

	self->fd = pm_set(&event, 1, true);
	return self->fd;
}

/* ------------------------------------------------------------- perf is first -- */

/* perf counts as if the set were not there. */
static void expect_both(struct __test_metadata *_metadata, struct _test_data_perf *self, int perf)
{
	struct perf_count before, after;
	union record record;

	before = perf_count(perf);
	ASSERT_GE(add_set(self, USER_ONLY), 0);
	loop(10000);
	ASSERT_EQ(0, pm_read(self->fd, &record));
	EXPECT_GE(record.r.counts[0].value, 10000ULL);
	EXPECT_EQ(record.r.time_enabled, record.r.time_running);
	close(self->fd);
	self->fd = -1;
	after = perf_count(perf);
	EXPECT_GE(after.value, before.value + 10000);
	EXPECT_EQ(after.enabled, after.running);
}

static void expect_refused(struct __test_metadata *_metadata, struct _test_data_perf *self,
			   int perf)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct perf_count before, after;
	struct pmudev_query query;
	__s32 counter[1];
	int fd;

	loop(10000);
	if (BESIDE_PERF) {
		expect_both(_metadata, self, perf);
		return;
	}
	before = perf_count(perf);
	EXPECT_GT(before.value, 0ULL);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_PMU_HELD, pm_set(&event, 1, true));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_PERF, why.holder.kind);
	/* A dry run says the same. */
	fd = pm_set(&event, 1, false);
	ASSERT_GE(fd, 0);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_PMU_HELD, pm_place(fd, NULL, 0, counter));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_PERF, why.holder.kind);
	close(fd);
	loop(10000);
	after = perf_count(perf);
	EXPECT_GE(after.value, before.value + 10000);
	/* Not for a moment was it off its counter. */
	EXPECT_EQ(after.enabled, after.running);
	EXPECT_EQ(0, pm_query(&query));
	EXPECT_FALSE(query.state & PMUDEV_STATE_RESERVED);
	EXPECT_EQ(0ULL, query.busy);
	EXPECT_EQ(self->query.reservations, query.reservations);
}

TEST_F(perf, counts_this_thread)
{
	int perf = add_perf(self, 0, -1);

	ASSERT_GE(perf, 0);
	expect_refused(_metadata, self, perf);
	/* Everything but ENABLE is possible meanwhile; and when perf is gone, that is too. */
	close(self->perf[--self->nr]);
	ASSERT_GE(add_set(self, USER_ONLY), 0);
}

TEST_F(perf, counts_a_cpu)
{
	int cpu = cpus_online() - 1;
	int perf = add_perf(self, -1, cpu);

	ASSERT_GE(perf, 0);
	/* The set's thread may come to any CPU: perf on the last one is in its way, too. */
	ASSERT_EQ(0, pin_to(cpu));
	expect_refused(_metadata, self, perf);
	ASSERT_EQ(0, pin_to(0));
	if (!BESIDE_PERF)
		EXPECT_EQ(-EBUSY, add_set(self, USER_ONLY));
	close(self->perf[--self->nr]);
	ASSERT_GE(add_set(self, USER_ONLY), 0);
}

/* Whose events are on a counter only while it runs, wherever that is. */
TEST_F(perf, counts_another_thread)
{
	struct perf_count count;
	struct spinner spinner;
	int i, perf;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, spinner_start(&spinner));
	ASSERT_EQ(0, pin_task_to(spinner.pid, cpus_online() - 1));
	perf = add_perf(self, spinner.pid, -1);
	ASSERT_GE(perf, 0);
	EXPECT_TRUE(WAIT_FOR(perf_count(perf).value > 0));
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(BESIDE_PERF, add_set(self, USER_ONLY) >= 0);
		if (self->fd >= 0)
			close(self->fd);
	}
	count = perf_count(perf);
	EXPECT_EQ(count.enabled, count.running);
	close(self->perf[--self->nr]);
	spinner_stop(&spinner);
	ASSERT_GE(add_set(self, USER_ONLY), 0);
}

/* Software events have no counter: they are in nobody's way, and nobody is in theirs. */
TEST_F(perf, software_events_go_on)
{
	struct perf_count before, after;
	int fd = perf_open_clock();

	ASSERT_GE(fd, 0);
	self->perf[self->nr++] = fd;
	ASSERT_GE(add_set(self, USER_ONLY), 0);
	before = perf_count(fd);
	loop(100000);
	after = perf_count(fd);
	EXPECT_GT(after.value, before.value);
	EXPECT_EQ(after.enabled, after.running);
	/* Also those that are made meanwhile. */
	fd = perf_open_clock();
	ASSERT_GE(fd, 0);
	self->perf[self->nr++] = fd;
	loop(100000);
	EXPECT_GT(perf_count(fd).value, 0ULL);
}

/* --------------------------------------------------------------- taking turns -- */

/* However often the PMU changes hands: who has it counts all of its own, from the first moment. */
TEST_F(perf, in_turns)
{
	struct perf_count count;
	struct pmudev_query query;
	union record record;
	int i, fd;

	for (i = 0; i < 20; i++) {
		fd = perf_open(EVENT_CYCLES, 0, i & 1 ? -1 : 0, i & 1 ? 0 : -1);
		ASSERT_GE(fd, 0);
		loop(10000);
		count = perf_count(fd);
		EXPECT_GE(count.value, 10000ULL);
		EXPECT_EQ(count.enabled, count.running);
		if (!BESIDE_PERF)
			EXPECT_EQ(-EBUSY, add_set(self, USER_ONLY));
		close(fd);
		ASSERT_GE(add_set(self, USER_ONLY), 0);
		loop(10000);
		ASSERT_EQ(0, pm_read(self->fd, &record));
		EXPECT_GE(record.r.counts[0].value, 10000ULL);
		EXPECT_EQ(record.r.time_enabled, record.r.time_running);
		close(self->fd);
		self->fd = -1;
		EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	}
	EXPECT_EQ(self->query.reservations + 20, query.reservations);
}

TEST_HARNESS_MAIN
