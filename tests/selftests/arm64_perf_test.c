// SPDX-License-Identifier: GPL-2.0
/*
 * perf's events beside pmudev's on arm64: each has counters of its own and counts exactly, whatever
 * the other does to the PMU meanwhile.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "perf.h"
#include "storm.h"

#include <sys/ioctl.h>
#include <sys/resource.h>

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

static __u64 cycles_of(int fd, __u64 n)
{
	__s64 count = perf_loop(fd, n);

	return count < 0 ? 0 : count;
}

/* While pmudev counts, perf's events do; and when it has gone they still do. */
static void expect_fed(struct __test_metadata *_metadata, struct _test_data_perf *self)
{
	struct perf_count count;
	struct pmudev_query query;
	int i;

	for (i = 0; i < self->nr; i++) {
		count = perf_count(self->perf[i]);
		EXPECT_GT(count.value, 0ULL) TH_LOG("no. %d", i);
		EXPECT_GT(count.running, 0ULL) TH_LOG("no. %d", i);
	}
	EXPECT_EQ(0, pm_query(&query));
	EXPECT_TRUE(query.state & PMUDEV_STATE_RESERVED);
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	for (i = 0; i < self->nr; i++) {
		__u64 before = perf_count(self->perf[i]).value;

		EXPECT_TRUE(WAIT_FOR((loop(10000), perf_count(self->perf[i]).value > before)));
	}
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
