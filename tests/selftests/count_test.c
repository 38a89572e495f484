// SPDX-License-Identifier: GPL-2.0
/*
 * Counts, to the unit. The measured block is a loop of two instructions a round: n rounds are
 * 2n + c instructions, where c is what lies between the counter's two readings besides the loop.
 * c may be what it likes, but it is the same for every n: a count that is lost or doubled anywhere
 * changes it.
 */
#include <sys/resource.h>

#include "common.h"
#include "kselftest_harness.h"

#define N_MIN 1000
#define N_MAX 10000000

/* More than the readers' code is long: a c that is not this code's is not accepted. */
#define C_MAX_DIRECT 150
#define C_MAX_READ   50

FIXTURE(exact)
{
	int fd;
	struct pmudev_page *page;
	struct reader reader;
	struct pmudev_query query;
};

FIXTURE_SETUP(exact)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pm_query(&self->query));
	self->fd = -1;
	if (!(__u32)self->query.available)
		SKIP(return, "no event counters here, only %#llx", self->query.available);
}

FIXTURE_TEARDOWN(exact)
{
	if (self->page)
		pm_unmap(self->page);
	if (self->fd >= 0)
		close(self->fd);
	set_user_access(false);
}

static int start(struct _test_data_exact *self, const struct pmudev_event_attr *events,
		 unsigned int nr)
{
	self->fd = pm_set(events, nr, true);
	if (self->fd < 0)
		return self->fd;
	self->page = pm_map(self->fd);
	if (!self->page)
		return -errno;
	self->reader = reader_of(self->page);
	return 0;
}

TEST_F(exact, direct_read)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	__u64 count, n, c = 0;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, start(self, &event, 1));
	for (n = N_MIN; n <= N_MAX; n *= 10) {
		ASSERT_EQ(0, measure_direct(&self->reader, 0, n, &count));
		if (n == N_MIN)
			c = count - LOOP_INSTRUCTIONS * n;
		EXPECT_EQ(LOOP_INSTRUCTIONS * n + c, count);
	}
	EXPECT_LE(c, (__u64)C_MAX_DIRECT);
}

TEST_F(exact, read_call)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	__u64 count, n, c = 0;

	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	for (n = N_MIN; n <= N_MAX; n *= 10) {
		ASSERT_EQ(0, measure_read(self->fd, 0, n, &count));
		if (n == N_MIN)
			c = count - LOOP_INSTRUCTIONS * n;
		EXPECT_EQ(LOOP_INSTRUCTIONS * n + c, count);
	}
	EXPECT_LE(c, (__u64)C_MAX_READ);
}

/* Both ways to read look at one and the same count: each lies between two of the other kind. */
TEST_F(exact, both_ways_are_one_count)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	__u64 before, between, after;
	union record record;
	int i;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, start(self, &event, 1));
	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(0, direct_read(&self->reader, 0, &before));
		ASSERT_EQ(0, pm_read(self->fd, &record));
		between = record.r.counts[0].value;
		ASSERT_EQ(0, direct_read(&self->reader, 0, &after));
		ASSERT_LT(before, between);
		ASSERT_LT(between, after);
		ASSERT_LT(after - before, 1000ULL);
	}
}

/* Counters that count user mode only stand still while the kernel starts and reads them. */
TEST_F(exact, counters_on_one_event_agree)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
	};
	union record record;
	__u64 n, count[2];

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, start(self, events, 3));
	for (n = N_MIN; n <= N_MAX; n *= 10) {
		loop(n);
		ASSERT_EQ(0, pm_read(self->fd, &record));
		EXPECT_GE(record.r.counts[0].value, LOOP_INSTRUCTIONS * n);
		EXPECT_EQ(record.r.counts[0].value, record.r.counts[1].value);
		EXPECT_EQ(record.r.counts[0].value, record.r.counts[2].value);
	}
	ASSERT_EQ(0, measure_direct(&self->reader, 0, N_MIN, &count[0]));
	for (n = 1; n < 3; n++) {
		/* Which counter it is decides the way through the reader's switch. */
		ASSERT_EQ(0, measure_direct(&self->reader, n, N_MIN, &count[1]));
		EXPECT_LE(count[1], count[0] + 20);
		EXPECT_LE(count[0], count[1] + 20);
	}
}

/*
 * One run, counted in user mode, in the kernel, and in both: what the two parts lack to the whole
 * is the same for a record after nothing and for one after ten million rounds, as the kernel reads
 * the three always in the same order. Interrupts and switches stop and start them together.
 */
TEST_F(exact, parts_add_up_to_the_whole)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
		raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_HV),
		raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_HV),
	};
	/* KCSAN has code of its own, and waits, between the counters. */
	const __s64 usual = kcsan_kernel() ? 800000 : 64;
	__s64 least = 0, most = 0, gap;
	union record a, b;
	__u64 user, kernel, whole, n;
	int i;

	self->fd = pm_set(events, 3, true);
	ASSERT_GE(self->fd, 0);
	memset(&b, 0, sizeof(b));
#define PARTS()                                                     \
	do {                                                        \
		user = b.r.counts[0].value - a.r.counts[0].value;   \
		kernel = b.r.counts[1].value - a.r.counts[1].value; \
		whole = b.r.counts[2].value - a.r.counts[2].value;  \
		gap = whole - user - kernel;                        \
	} while (0)
	/* What the test itself costs: the empty pair. */
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pm_read(self->fd, &a));
		ASSERT_EQ(0, pm_read(self->fd, &b));
		PARTS();
		if (!i || gap < least)
			least = gap;
		if (!i || gap > most)
			most = gap;
		EXPECT_GT(kernel, 0ULL);
	}
	EXPECT_LE(most - least, usual / 4);
	for (n = N_MIN; n <= N_MAX; n *= 10) {
		ASSERT_EQ(0, pm_read(self->fd, &a));
		loop(n);
		ASSERT_EQ(0, pm_read(self->fd, &b));
		PARTS();
		EXPECT_GE(user, LOOP_INSTRUCTIONS * n);
		EXPECT_LE(user, LOOP_INSTRUCTIONS * n + 200);
		/* Each switch (rare here) may add its own stop and start. */
		EXPECT_GE(gap + usual, least);
		EXPECT_LE(gap, most + usual);
	}
#undef PARTS
}

/*
 * The emulator's cycles are its virtual nanoseconds, a fixed number of which is one instruction: a
 * second event and, for cycles, a second kind of counter that must agree with the first.
 */
TEST_F(exact, cycles_are_instructions)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
		raw_event(EVENT_CYCLES, USER_ONLY),
		raw_event(EVENT_CYCLES, USER_ONLY),
	};
	__u64 n, instructions, cycles[2], each = 0;
	union record a, b;

	if (!exact_cycles())
		SKIP(return, "cycles are not counted exactly here (emulated, PMUDEV_EXACT)");
	self->fd = pm_set(events, 3, true);
	ASSERT_GE(self->fd, 0);
	memset(&b, 0, sizeof(b));
	for (n = N_MIN; n <= N_MAX; n *= 10) {
		ASSERT_EQ(0, pm_read(self->fd, &a));
		loop(n);
		ASSERT_EQ(0, pm_read(self->fd, &b));
		instructions = b.r.counts[0].value - a.r.counts[0].value;
		cycles[0] = b.r.counts[1].value - a.r.counts[1].value;
		cycles[1] = b.r.counts[2].value - a.r.counts[2].value;
		if (!each)
			each = cycles[0] / instructions;
		EXPECT_EQ(instructions * each, cycles[0]);
		EXPECT_EQ(cycles[0], cycles[1]);
	}
	EXPECT_GE(each, 1ULL);
}

/* The same code both times: it is the same way from one read of each set to its next. */
static __attribute__((noinline)) int read_both(int cpu_fd, int fd, union record *cpu,
					       union record *thread)
{
	int ret = pm_read(cpu_fd, cpu);

	return ret ? ret : pm_read(fd, thread);
}

/* How often the caller has left its CPU for another thread. */
static long switches(void)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* In user mode, what a thread counts while it has a CPU for itself the CPU counts. */
TEST_F(exact, a_cpu_beside_a_thread)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	union record cpu[2] = { 0 }, thread[2] = { 0 };
	__u64 of_cpu, of_thread;
	int cpu_fd, tries = 100;
	long before;

	ASSERT_EQ(0, pin_to(0));
	cpu_fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(cpu_fd, 0);
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	/* Whoever takes the CPU meanwhile (the reader of our output, say) is counted with it. */
	do {
		ASSERT_GT(tries--, 0);
		before = switches();
		ASSERT_EQ(0, read_both(cpu_fd, self->fd, &cpu[0], &thread[0]));
		loop(N_MAX);
		ASSERT_EQ(0, read_both(cpu_fd, self->fd, &cpu[1], &thread[1]));
		of_cpu = cpu[1].r.counts[0].value - cpu[0].r.counts[0].value;
		of_thread = thread[1].r.counts[0].value - thread[0].r.counts[0].value;
		EXPECT_GE(of_cpu, of_thread);
	} while (switches() != before);
	EXPECT_GE(of_cpu, LOOP_INSTRUCTIONS * (__u64)N_MAX);
	EXPECT_EQ(of_cpu, of_thread);
	close(cpu_fd);
}

/* The reserved fields of a record, its times, and that it is a moment of CLOCK_MONOTONIC. */
TEST_F(exact, record_is_complete)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
		in_group(raw_event(EVENT_CYCLES, USER_ONLY), 9),
	};
	__u64 before, after;
	union record record;

	events[0].tag = 0x0123456789abcdefULL;
	events[1].tag = ~0ULL;
	self->fd = pm_set(events, 2, true);
	ASSERT_GE(self->fd, 0);
	loop(100000);
	before = now_ns();
	ASSERT_EQ(0, pm_read(self->fd, &record));
	after = now_ns();
	EXPECT_EQ(2U, record.r.nr);
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, record.r.flags);
	EXPECT_GE(record.r.time, before);
	EXPECT_LE(record.r.time, after);
	EXPECT_EQ(3ULL, record.r.present);
	EXPECT_EQ(0ULL, record.r.multiplexed);
	EXPECT_EQ(0ULL, record.r.reserved);
	EXPECT_EQ(events[0].tag, record.r.counts[0].tag);
	EXPECT_EQ(events[1].tag, record.r.counts[1].tag);
	/* Strict groups run whenever they are enabled; both were enabled by one call. */
	EXPECT_EQ(record.r.time_enabled, record.r.time_running);
	EXPECT_EQ(record.r.time_enabled, record.r.counts[0].time_enabled);
	EXPECT_EQ(record.r.time_enabled, record.r.counts[0].time_running);
	EXPECT_EQ(record.r.time_enabled, record.r.counts[1].time_running);
	EXPECT_LE(record.r.time_enabled, record.r.time);
	/* A nanosecond an instruction at least is the emulator's pace. */
	if (emulated())
		EXPECT_GE(record.r.time_enabled, 2 * 100000ULL);
}

/* The page's clock tells the same times, without a call. */
TEST_F(exact, times_in_the_page)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	__u64 clock, enabled, running, group, group_running, ns;
	union record before, after;
	__u32 seq;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, start(self, &event, 1));
	if (!(READ_ONCE(self->page->flags) & PMUDEV_PAGE_TIMES))
		SKIP(return, "no PMUDEV_PAGE_TIMES");
	ASSERT_EQ(0, pm_read(self->fd, &before));
	do {
		seq = READ_ONCE(self->page->seq);
		barrier();
		clock = READ_ONCE(self->page->clock) + read_clock();
		enabled = READ_ONCE(self->page->time_enabled) + clock;
		running = READ_ONCE(self->page->time_running) + clock;
		group = READ_ONCE(self->page->times[0].enabled) + clock;
		group_running = READ_ONCE(self->page->times[0].running) + clock;
		barrier();
	} while (READ_ONCE(self->page->seq) != seq);
	ASSERT_EQ(0, pm_read(self->fd, &after));
	EXPECT_EQ(enabled, running);
	EXPECT_EQ(enabled, group);
	EXPECT_EQ(enabled, group_running);
	ASSERT_LT(enabled, 1ULL << 32);
	ns = enabled * self->page->time_mult >> self->page->time_shift;
	/* A tick of the clock is up to 16 ns long; conversions round by as much. */
	EXPECT_GE(ns + 32, before.r.time_enabled);
	EXPECT_LE(ns, after.r.time_enabled + 32);
}

TEST_HARNESS_MAIN
