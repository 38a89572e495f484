// SPDX-License-Identifier: GPL-2.0
/*
 * perf's events next to a reservation on arm64: they exist and never run, and whatever perf does to
 * the PMU meanwhile is restored before it has an effect.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "perf.h"

#include <fcntl.h>

#if defined(__aarch64__)

#define PERF_ACCESS   "/proc/sys/kernel/perf_user_access"
#define CONFIG1_RDPMC 2 /* config1 of arm64's PMU: the event is to be read by user mode */

/* How many reads a reader does while perf is at work. */
#define READS 1000000

FIXTURE(perf)
{
	struct pmudev_query query;
	int fd; /* a set on this thread */
	int perf[16];
	int nr;
	int child; /* that does something to perf all the time */
	long access;
};

FIXTURE_SETUP(perf)
{
	int fd;

	ASSERT_EQ(0, pm_query(&self->query));
	self->fd = -1;
	self->access = read_number(PERF_ACCESS);
	fd = perf_open(EVENT_CYCLES, 0, 0, -1);
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
	stop_child(self->child);
	while (self->nr)
		close(self->perf[--self->nr]);
	if (self->fd >= 0)
		close(self->fd);
	if (self->access >= 0)
		write_file(PERF_ACCESS, self->access ? "1" : "0");
	set_user_access(false);
}

static int add_perf(struct _test_data_perf *self, __u64 config, pid_t pid, int cpu, bool rdpmc)
{
	int fd = perf_open(config, rdpmc ? CONFIG1_RDPMC : 0, pid, cpu);

	if (fd >= 0)
		self->perf[self->nr++] = fd;
	return fd;
}

static int add_set(struct _test_data_perf *self, __u64 config, __u32 flags)
{
	struct pmudev_event_attr event = raw_event(config, flags);

	self->fd = pm_set(&event, 1, true);
	return self->fd;
}

/* While pmudev has the PMU, perf's events exist but never run; afterwards they do. */
static void expect_starved_then_fed(struct __test_metadata *_metadata, struct _test_data_perf *self)
{
	struct perf_count count;
	struct pmudev_query query;
	int i;

	for (i = 0; i < self->nr; i++) {
		count = perf_count(self->perf[i]);
		EXPECT_EQ(0ULL, count.value);
		EXPECT_EQ(0ULL, count.running);
		EXPECT_GT(count.enabled, 0ULL);
	}
	EXPECT_EQ(0, pm_query(&query));
	EXPECT_TRUE(query.state & PMUDEV_STATE_RESERVED);
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	for (i = 0; i < self->nr; i++) {
		EXPECT_TRUE(WAIT_FOR((loop(10000), count = perf_count(self->perf[i]),
				      count.running && count.value)));
	}
}

TEST_F(perf, gets_it_back)
{
	ASSERT_GE(add_set(self, EVENT_CYCLES, USER_ONLY), 0);
	ASSERT_GE(add_perf(self, EVENT_CYCLES, 0, -1, false), 0);
	ASSERT_GE(add_perf(self, EVENT_CYCLES, -1, 0, false), 0);
	loop(1000000);
	expect_starved_then_fed(_metadata, self);
	/* New ones as well, at once. */
	ASSERT_GE(add_perf(self, EVENT_CYCLES, 0, -1, false), 0);
	loop(100000);
	EXPECT_GE(perf_count(self->perf[self->nr - 1]).value, 1ULL);
}

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
	       query.perf_restores - self->query.perf_restores);
	if (restores)
		EXPECT_GT(query.perf_restores, self->query.perf_restores);
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
	expect_starved_then_fed(_metadata, self);
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
	expect_starved_then_fed(_metadata, self);
}

static void toggle_access(struct __test_metadata *_metadata, struct _test_data_perf *self)
{
	struct turns turns;
	unsigned int i;
	int fd;

	ASSERT_EQ(0, turns_init(&turns));
	self->child = fork_bound();
	if (!self->child) {
		pin_to(cpus_online() - 1);
		fd = open(PERF_ACCESS, O_WRONLY | O_CLOEXEC);
		for (i = 0;; i++) {
			if (pwrite(fd, i & 1 ? "0" : "1", 1, 0) != 1)
				_exit(1);
			if (i == 1)
				turn_give(&turns, 1);
			pause_ns(50000 + i % 11 * 9001);
		}
	}
	turn_wait(&turns, 0);
}

/*
 * Each 0 takes the right to read away on every CPU, behind everybody's back. (On a single one the
 * reader is not running when it happens: it gets user access again anyway, and there is nothing to
 * restore.)
 */
TEST_F(perf, user_access_toggled)
{
	if (self->access < 0)
		SKIP(return, "no sysctl kernel.perf_user_access");
	count_beside(_metadata, self, toggle_access, cpus_online() > 1);
}

static void both(struct __test_metadata *_metadata, struct _test_data_perf *self)
{
	multiplexed(_metadata, self);
	toggle_access(_metadata, self);
}

TEST_F(perf, everything_at_once)
{
	if (self->access < 0)
		SKIP(return, "no sysctl kernel.perf_user_access");
	count_beside(_metadata, self, both, true);
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

/*
 * What perf grants its own readers while pmudev has the PMU is nothing: they would read pmudev's
 * counters. The child's exit code is how often it could.
 */
TEST_F(perf, a_reader_of_perfs_sees_nothing)
{
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
			n += !counter_faults(0) + !counter_faults(3);
		}
		_exit(n);
	}
	loop(1000000);
	EXPECT_EQ(0, child_result(child));
}

/*
 * perf zeroes what it does not use when a reader of its own comes to a CPU: also counters that were
 * loaded for a thread that is not running now, and comes back to them.
 */
TEST_F(perf, zeroes_what_is_not_loaded)
{
	struct pmudev_event_attr events[3];
	__u64 first[ARRAY_SIZE(events)], count;
	union record before, after;
	struct pmudev_query query;
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
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_GT(query.perf_restores, self->query.perf_restores);
	turns_end(&turns);
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
	EXPECT_GT(count.enabled, 0ULL);
	EXPECT_EQ(0ULL, count.running);
	EXPECT_EQ(0ULL, count.value);
	/* And is given back like the others. */
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(WAIT_FOR((loop(10000), perf_count(self->perf[0]).value > 0)));
}

#else

TEST(arm64)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
