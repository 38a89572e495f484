// SPDX-License-Identifier: GPL-2.0
/*
 * Readers beside perf on arm64: direct reads of pmudev's counters, whatever perf does to the PMU
 * meanwhile; and perf's readers, which see their own counters only.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "arm64_perf.h"

#include <sys/resource.h>

#if defined(__aarch64__)

/* How many reads a reader does while perf is at work. */
#define READS 1000000

/*
 * Direct reads by the million while perf does its worst: none faults, none falls back, none is
 * less than the one before. And what is counted meanwhile is what is counted without it: 2n + c.
 */
static void read_a_lot(struct __test_metadata *_metadata, struct reader *reader)
{
	__u64 i, value, last = 0, next = 0;

	for (i = 0; i < READS; i++) {
		give_way(i, &next);
		ASSERT_EQ(0, direct_read(reader, 0, &value)) TH_LOG("read %llu", i);
		ASSERT_GE(value, last) TH_LOG("read %llu", i);
		last = value;
	}
	EXPECT_GE(value, 10ULL * READS);
}

static __u64 overhead(struct __test_metadata *_metadata, struct reader *reader, __u64 n)
{
	__u64 count = 0;

	EXPECT_EQ(0, measure_direct(reader, 0, n, &count));
	return count - LOOP_INSTRUCTIONS * n;
}

static void count_beside(struct __test_metadata *_metadata, struct _test_data_perf *self,
			 void (*disturb)(struct __test_metadata *, struct _test_data_perf *),
			 bool restores)
{
	__u64 event = exact_instructions() ? EVENT_INSTRUCTIONS : EVENT_CYCLES;
	struct pmudev_page *page;
	struct pmudev_query query;
	struct reader reader;
	__u64 c = 0, n;

	ASSERT_GE(add_set(self, event, DIRECT_READ), 0);
	page = pm_map(self->fd);
	ASSERT_NE(NULL, page);
	reader = reader_of(page);
	/* Alone. */
	if (event == EVENT_INSTRUCTIONS) {
		c = overhead(_metadata, &reader, 1000);
		EXPECT_EQ(c, overhead(_metadata, &reader, 10000));
	}
	ASSERT_EQ(0, pm_query(&self->query));
	disturb(_metadata, self);
	/* Disturbed: long enough for perf to have rotated many times. */
	read_a_lot(_metadata, &reader);
	for (n = 1000; event == EVENT_INSTRUCTIONS && n <= 10000000; n *= 10)
		EXPECT_EQ(c, overhead(_metadata, &reader, n));
	ASSERT_EQ(0, pm_query(&query));
	TH_LOG("put back what perf had changed %llu times",
	       query.perf_stops - self->query.perf_stops);
	if (restores)
		EXPECT_GT(query.perf_stops, self->query.perf_stops);
	EXPECT_EQ(self->query.reservations, query.reservations);
	pm_unmap(page);
}

static void cpu_wide(struct __test_metadata *_metadata, struct _test_data_perf *self, int nr)
{
	while (nr--)
		ASSERT_GE(add_perf(self, EVENT_CYCLES, -1, 0, false), 0);
}

/* More than there are counters: perf rotates them, by its timer, all the time. */
static void multiplexed(struct __test_metadata *_metadata, struct _test_data_perf *self)
{
	cpu_wide(_metadata, self, 10);
}

TEST_F(perf, multiplexed_on_the_readers_cpu)
{
	count_beside(_metadata, self, multiplexed, true);
	expect_fed(_metadata, self);
}

static void user_read(struct __test_metadata *_metadata, struct _test_data_perf *self)
{
	struct perf_event_mmap_page *page;
	int fd;

	ASSERT_EQ(0, write_file(PERF_ACCESS, "1"));
	fd = add_perf(self, EVENT_CYCLES, 0, -1, true);
	ASSERT_GE(fd, 0);
	page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	/* Others beside it; not so many that, later, they leave it no counter. */
	cpu_wide(_metadata, self, 3);
}

TEST_F(perf, user_read_event_of_the_reader)
{
	if (self->access < 0)
		SKIP(return, "no sysctl kernel.perf_user_access");
	count_beside(_metadata, self, user_read, true);
	expect_fed(_metadata, self);
}

/* The calling thread leaves its CPU, which a short sleep does not always make it do. */
static void switch_once(void)
{
	struct rusage before, now;

	getrusage(RUSAGE_THREAD, &before);
	do {
		pause_ns(100000);
		getrusage(RUSAGE_THREAD, &now);
	} while (now.ru_nvcsw == before.ru_nvcsw);
}

/*
 * Root takes all rights to read away: a reader may fault until it is next switched in, as perf's
 * own readers do. From then on it reads as before, and no count was lost.
 */
TEST_F(perf, user_access_withdrawn)
{
	struct pmudev_page *page;
	struct pmudev_query query;
	struct reader reader;
	__u64 value, last = 0;
	int i;

	if (self->access < 0)
		SKIP(return, "no sysctl kernel.perf_user_access");
	ASSERT_GE(add_set(self, EVENT_CYCLES, DIRECT_READ), 0);
	page = pm_map(self->fd);
	ASSERT_NE(NULL, page);
	reader = reader_of(page);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, write_file(PERF_ACCESS, i & 1 ? "0" : "1"));
		switch_once();
		ASSERT_EQ(0, direct_read(&reader, 0, &value)) TH_LOG("no. %d", i);
		EXPECT_GT(value, last);
		last = value;
	}
	/* Each 0 took it from this thread, which was running. */
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(self->query.user_access_lost + 10, query.user_access_lost);
	pm_unmap(page);
}

/* perf's events come and go; each open and close stops the PMU. */
static void open_and_close(struct __test_metadata *_metadata, struct _test_data_perf *self)
{
	struct turns turns;
	unsigned int i;
	int fd;

	ASSERT_EQ(0, turns_init(&turns));
	self->child = fork_bound();
	if (!self->child) {
		pin_to(cpus_online() - 1);
		for (i = 0;; i++) {
			fd = perf_open(EVENT_CYCLES, 0, i & 1 ? -1 : 0, i & 1 ? 0 : -1);
			if (fd < 0)
				_exit(1);
			if (i == 2)
				turn_give(&turns, 1);
			pause_ns(50000 + i % 11 * 9001);
			close(fd);
		}
	}
	turn_wait(&turns, 0);
}

TEST_F(perf, opened_and_closed)
{
	count_beside(_metadata, self, open_and_close, true);
}

static void everything(struct __test_metadata *_metadata, struct _test_data_perf *self)
{
	multiplexed(_metadata, self);
	open_and_close(_metadata, self);
}

TEST_F(perf, everything_at_once)
{
	count_beside(_metadata, self, everything, true);
	stop_child(self->child);
	self->child = 0;
	expect_fed(_metadata, self);
}

/* A thread that reads perf's counters sees its own event, and nothing of what pmudev counted. */
TEST_F(perf, a_reader_of_perfs_sees_its_own)
{
	__u64 left, seen;
	int child, fd, i, n = 0;

	if (self->access < 0)
		SKIP(return, "no sysctl kernel.perf_user_access");
	ASSERT_EQ(0, write_file(PERF_ACCESS, "1"));
	ASSERT_GE(add_set(self, EVENT_CYCLES, USER_ONLY), 0);
	child = fork_bound();
	if (!child) {
		fd = perf_open(EVENT_CYCLES, CONFIG1_RDPMC, 0, -1);
		if (fd < 0 || mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			_exit(255);
		for (i = 0; i < 50; i++) {
			pause_ns(100000);
			seen = 0;
			for (left = self->query.user; left; left &= left - 1)
				if (counter(operand_of(__builtin_ctzll(left))))
					seen |= left & -left;
			n += __builtin_popcountll(seen) != 1;
		}
		_exit(n);
	}
	loop(1000000);
	EXPECT_EQ(0, child_result(child));
}

/* A CPU's counts are not for them, and they cannot be told to look away. */
TEST_F(perf, no_private_counts_beside_perfs_readers)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd, shared;
	__s32 counter;

	if (self->access < 0)
		SKIP(return, "no sysctl kernel.perf_user_access");
	if (self->query.features & PMUDEV_HAS_HIDING)
		SKIP(return, "here each reader sees its own counters only");
	ASSERT_EQ(0, write_file(PERF_ACCESS, "1"));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_USER_READABLE, fd = pm_cpu_set(0, 0, &event, 1));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_PERF, why.holder.kind);
	shared = pm_cpu_set(0, PMUDEV_BIND_SHARED, &event, 1);
	EXPECT_GE(shared, 0);
	close(shared);
	/* A dry run says the same. */
	fd = pm_open();
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_CPU, 0, 0));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_USER_READABLE, pm_place(fd, &event, 1, &counter));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_PERF, why.holder.kind);
	ASSERT_EQ(0, write_file(PERF_ACCESS, "0"));
	EXPECT_EQ(0, pm_place(fd, &event, 1, &counter));
	ASSERT_EQ(0, pm_add(fd, &event, 1));
	EXPECT_EQ(0, pm_enable(fd, 0));
	close(fd);
}

/*
 * perf clears what nobody uses when a reader of its own comes to a CPU, and pmudev what it left in
 * its counters: the thread that comes back to those goes on from its own count.
 */
TEST_F(perf, comes_back_to_cleared_counters)
{
	struct pmudev_event_attr events[3];
	__u64 first[ARRAY_SIZE(events)], count;
	union record before, after;
	struct turns turns;
	int i, round, fd;

	if (self->access < 0)
		SKIP(return, "no sysctl kernel.perf_user_access");
	ASSERT_EQ(0, write_file(PERF_ACCESS, "1"));
	ASSERT_EQ(0, turns_init(&turns));
	self->child = fork_bound();
	for (round = 0; !self->child; round++) {
		turn_wait(&turns, 1);
		fd = round == 2 ? perf_open(EVENT_CYCLES, CONFIG1_RDPMC, 0, -1) : 0;
		if (fd && mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			_exit(1);
		turn_give(&turns, 1);
	}
	for (i = 0; i < (int)ARRAY_SIZE(events); i++)
		events[i] = raw_event(steady_event(), USER_ONLY);
	self->fd = pm_set(events, ARRAY_SIZE(events), true);
	ASSERT_GE(self->fd, 0);
	for (round = 0; round < 6; round++) {
		ASSERT_EQ(0, pm_read(self->fd, &before));
		turn_pass(&turns, 0);
		ASSERT_EQ(0, pm_read(self->fd, &after));
		for (i = 0; i < (int)ARRAY_SIZE(events); i++) {
			count = after.r.counts[i].value - before.r.counts[i].value;
			if (!round)
				first[i] = count;
			if (exact_instructions())
				EXPECT_EQ(first[i], count) TH_LOG("round %d", round);
			EXPECT_LT(count, 1000000ULL) TH_LOG("round %d", round);
		}
	}
	turns_end(&turns);
}

#else

TEST(arm64)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
