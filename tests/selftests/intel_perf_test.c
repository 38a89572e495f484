// SPDX-License-Identifier: GPL-2.0
/*
 * What perf still does to a reserved PMU, and whom it lets read counters: nobody sees what
 * others counted, and counters that are stopped stay so.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "perf.h"

#include <sys/mman.h>

#if defined(__x86_64__)

#define RDPMC "/sys/bus/event_source/devices/cpu/rdpmc"

FIXTURE(reserved)
{
	struct turns turns;
	int fd;
};

FIXTURE_SETUP(reserved)
{
	self->fd = -1;
	ASSERT_EQ(0, turns_init(&self->turns));
	ASSERT_EQ(0, pin_to(0));
}

FIXTURE_TEARDOWN(reserved)
{
	if (self->fd >= 0)
		close(self->fd);
	write_file(RDPMC, "1");
	set_user_access(false);
}

/* The counters that do not show 0. */
static __u64 seen(__u64 counters)
{
	__u64 mask = 0;

	for (; counters; counters &= counters - 1)
		if (counter(operand_of(__builtin_ctzll(counters))))
			mask |= counters & -counters;
	return mask;
}

/* User access is disabled and nothing is mapped, but perf lets all users read. */
TEST_F(reserved, shows_nothing_to_everybody)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct pmudev_query query;
	int i, child;

	ASSERT_EQ(0, write_file(RDPMC, "2"));
	ASSERT_EQ(0, pm_query(&query));
	child = fork();
	if (!child) {
		for (i = 0; i < 20; i++) {
			turn_wait(&self->turns, 1);
			if (seen(query.available))
				_exit(1);
			turn_give(&self->turns, 1);
		}
		_exit(0);
	}
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	for (i = 0; i < 20; i++) {
		loop(123456);
		EXPECT_EQ(!(query.features & PMUDEV_HAS_HIDING), !!seen(query.available));
		turn_pass(&self->turns, 0);
	}
	EXPECT_EQ(0, child_result(child));
}

/*
 * Root lets all read when somebody has left his counts: they are gone when the next who is counted
 * leaves that CPU.
 */
TEST_F(reserved, shows_nothing_from_before_for_long)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_COUNTER);
	struct turns turns[2];
	int child[2], i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, turns_init(&turns[i]));
		child[i] = fork_bound();
		if (child[i]) {
			turn_wait(&turns[i], 0);
			continue;
		}
		event.counter = i;
		if (pm_set(&event, 1, true) < 0)
			_exit(1);
		for (;;) {
			loop(1000);
			turn_give(&turns[i], 1);
			turn_wait(&turns[i], 1);
		}
	}
	ASSERT_EQ(0, write_file(RDPMC, "2"));
	turn_pass(&turns[1], 0);
	EXPECT_EQ(0ULL, seen(3));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, waitpid(child[i], NULL, WNOHANG));
		stop_child(child[i]);
	}
}

/*
 * A software event that was opened in a hardware event's group stays in the hardware's context when
 * that has gone: at each switch of its task perf stops and starts the PMU.
 */
static void leave_software_event(struct turns *turns)
{
	int leader = perf_open(EVENT_INSTRUCTIONS, 0, 0, -1), event;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	};

	event = syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
	if (leader < 0 || event < 0)
		_exit(1);
	close(leader);
	for (;;) {
		turn_give(turns, 1);
		turn_wait(turns, 1);
		loop(777);
	}
}

TEST_F(reserved, stopped_stays_stopped)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	struct pmudev_event_attr other = raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_COUNTER);
	struct pmudev_page *page;
	int i, child, fd;

	child = fork_bound();
	if (!child)
		leave_software_event(&self->turns);
	turn_wait(&self->turns, 0);
	ASSERT_EQ(0, set_user_access(true));
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	page = pm_map(self->fd);
	ASSERT_NE(NULL, page);
	other.counter = 3;
	fd = pm_set(&other, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_disable(fd, 0));
	for (i = 0; i < 20; i++) {
		loop(1000);
		EXPECT_EQ(0ULL, counter(operand_of(3)));
		turn_pass(&self->turns, 0);
		EXPECT_EQ(0ULL, counter(operand_of(3)));
	}
	stop_child(child);
	pm_unmap(page);
	close(fd);
}

/* perf forbids reading: a page that comes then gives no right, and readers of it fall back. */
TEST_F(reserved, forbidden_is_forbidden)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	struct pmudev_page *page;
	struct reader reader;
	__u64 value;

	ASSERT_EQ(0, write_file(RDPMC, "0"));
	ASSERT_EQ(0, set_user_access(true));
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	page = pm_map(self->fd);
	ASSERT_NE(NULL, page);
	reader = reader_of(page);
	EXPECT_EQ(-EAGAIN, direct_read(&reader, 0, &value));
	EXPECT_EQ(1, all_fault());
	pm_unmap(page);
}

/*
 * perf remembers which counters its events left behind on a CPU, and clears them when the first
 * reader comes there. By then they count for us.
 */
#define CPUS 8
#define SAME 3 /* counters that count the same; perf had some of them */

static int perf_was_here(int cpu)
{
	int fd[2], i;

	if (pin_to(cpu))
		return -EINVAL;
	for (i = 0; i < 2; i++)
		fd[i] = perf_open(EVENT_BRANCHES, 0, -1, cpu);
	loop(1000);
	for (i = 0; i < 2; i++)
		if (fd[i] < 0 || close(fd[i]))
			return -EIO;
	return 0;
}

static int count_cpu(int cpu)
{
	struct pmudev_event_attr events[SAME];
	int i, fd;

	for (i = 0; i < SAME; i++) {
		events[i] = raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_COUNTER);
		events[i].counter = i;
	}
	fd = pm_cpu_set(cpu, PMUDEV_BIND_SHARED, events, SAME);
	/* A count of 0 would not show that it was cleared. */
	if (fd >= 0 && !pin_to(cpu))
		loop(1000);
	return fd;
}

static void expect_same(struct __test_metadata *_metadata, int fd, __u64 least)
{
	union record record;
	int i;

	ASSERT_EQ(0, pm_read(fd, &record));
	/* A counter that is cleared by others seems to have wrapped: that is 2^31 or more. */
	EXPECT_GE(record.r.counts[0].value, least);
	EXPECT_LT(record.r.counts[0].value, 1ULL << 30);
	for (i = 1; i < SAME; i++)
		EXPECT_EQ(record.r.counts[0].value, record.r.counts[i].value) TH_LOG("%d", i);
}

TEST_F(reserved, counts_where_perf_counted_before)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	int cpu, cpus = cpus_online() < CPUS ? cpus_online() : CPUS, fd[CPUS];
	struct pmudev_page *page;
	struct reader reader;
	__u64 value;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, set_user_access(true));
	for (cpu = 0; cpu < cpus; cpu++)
		ASSERT_EQ(0, perf_was_here(cpu));
	for (cpu = 0; cpu < cpus; cpu++) {
		fd[cpu] = count_cpu(cpu);
		ASSERT_GE(fd[cpu], 0);
		expect_same(_metadata, fd[cpu], 1000 * LOOP_INSTRUCTIONS);
	}
	/*
	 * The right comes to the CPU where the thread runs now, and to the others when it goes
	 * there.
	 */
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	page = pm_map(self->fd);
	ASSERT_NE(NULL, page);
	reader = reader_of(page);
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, pin_to(cpu));
		EXPECT_EQ(0, direct_read(&reader, 0, &value));
		loop(1000);
		expect_same(_metadata, fd[cpu], 2000 * LOOP_INSTRUCTIONS);
	}
	for (cpu = 0; cpu < cpus; cpu++)
		close(fd[cpu]);
	pm_unmap(page);
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
