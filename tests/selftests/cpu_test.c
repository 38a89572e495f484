// SPDX-License-Identifier: GPL-2.0
/*
 * Sets that count a CPU, beside those that count threads, and over the CPU's going and coming back.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pthread.h>

#define N 100000

static __u64 value(int fd, unsigned int slot)
{
	union record record;

	return pm_read(fd, &record) ? ~0ULL : record.r.counts[slot].value;
}

/* Everything that runs on the CPU is counted, whichever task. */
TEST(counts_every_task_there)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	__u64 before;
	int fd, child;

	ASSERT_EQ(0, pin_to(0));
	fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(fd, 0);
	before = value(fd, 0);
	loop(N);
	child = fork();
	if (!child) {
		loop(N);
		_exit(0);
	}
	ASSERT_EQ(0, child_result(child));
	EXPECT_GE(value(fd, 0), before + 2 * N);
	close(fd);
}

/* CPU sets and thread sets take counters from one stock: neither is ever on the other's. */
TEST(share_no_counter)
{
	struct pmudev_event_attr events[64];
	struct pmudev_query query;
	unsigned int i, nr;
	__s32 mine[64], its[64];
	int cpu_fd, fd;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = raw_event(EVENT_CYCLES, USER_ONLY);
	cpu_fd = pm_cpu_set(0, 0, events, 2);
	ASSERT_GE(cpu_fd, 0);
	ASSERT_EQ(0, pm_query(&query));
	nr = __builtin_popcountll(cycle_counters(query.available));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_set(events, nr - 1, true));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_CPU_SET, why.holder.kind);
	EXPECT_EQ(0, why.holder.cpu);
	EXPECT_EQ(getpid(), why.holder.pid);
	fd = pm_set(events, nr - 2, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_place(cpu_fd, NULL, 0, its));
	ASSERT_EQ(0, pm_place(fd, NULL, 0, mine));
	for (i = 0; i < nr - 2; i++) {
		EXPECT_NE(its[0], mine[i]);
		EXPECT_NE(its[1], mine[i]);
	}
	/* And the other way round. */
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_cpu_set(0, 0, events, 1));
	events[0].allowed = 1ULL << mine[0];
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_cpu_set(1, 0, events, 1));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, why.holder.kind);
	EXPECT_EQ(-1, why.holder.cpu);
	close(cpu_fd);
	close(fd);
}

/* Nobody reads directly what others do on the CPU: refused both ways, unless the set says so. */
TEST(not_visible_to_readers)
{
	struct pmudev_event_attr cpu_event = raw_event(EVENT_CYCLES, 0);
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	struct pmudev_query query;
	struct pmudev_page *page;
	int cpu_fd, fd;
	__s32 counter;

	ASSERT_EQ(0, pm_query(&query));
	if (query.features & PMUDEV_HAS_HIDING)
		SKIP(return, "user reads see nobody else's counters here");
	ASSERT_EQ(0, set_user_access(true));

	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_USER_READABLE, pm_cpu_set(0, 0, &cpu_event, 1));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, why.holder.kind);
	EXPECT_EQ(-1, why.holder.cpu);
	EXPECT_EQ(getpid(), why.holder.pid);
	cpu_fd = pm_cpu_set(0, PMUDEV_BIND_SHARED, &cpu_event, 1);
	EXPECT_GE(cpu_fd, 0);
	close(cpu_fd);
	/* A dry run says so, and names the same. */
	cpu_fd = pm_open();
	ASSERT_GE(cpu_fd, 0);
	ASSERT_EQ(0, pm_bind(cpu_fd, PMUDEV_TARGET_CPU, 0, 0));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_USER_READABLE, pm_place(cpu_fd, &cpu_event, 1, &counter));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, why.holder.kind);
	EXPECT_EQ(getpid(), why.holder.pid);
	ASSERT_EQ(0, pm_add(cpu_fd, &cpu_event, 1));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_USER_READABLE, pm_place(cpu_fd, NULL, 0, &counter));
	close(cpu_fd);
	pm_unmap(page);
	close(fd);

	cpu_fd = pm_cpu_set(cpus_online() - 1, 0, &cpu_event, 1);
	ASSERT_GE(cpu_fd, 0);
	fd = pm_set(&event, 1, false);
	ASSERT_GE(fd, 0);
	/* Whether the page or the counter comes first: one of them is refused. */
	page = pm_map(fd);
	if (page)
		EXPECT_REFUSED(EBUSY, PMUDEV_WHY_USER_READABLE, pm_enable(fd, 0));
	else
		EXPECT_EQ((__u32)PMUDEV_WHY_USER_READABLE, why.code);
	EXPECT_EQ((__u32)PMUDEV_HOLDER_CPU_SET, why.holder.kind);
	EXPECT_EQ(cpus_online() - 1, why.holder.cpu);
	close(cpu_fd);
	EXPECT_EQ(0, pm_enable(fd, 0));
	close(fd);
	EXPECT_EQ(0, set_user_access(false));
}

/* A CPU's page cannot be mapped, nor its events ask for user reads. */
TEST(no_user_reads)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);

	ASSERT_EQ(0, set_user_access(true));
	EXPECT_EQ(-EOPNOTSUPP, pm_cpu_set(0, 0, &event, 1));
	EXPECT_TRUE(why.code == PMUDEV_WHY_MODULE || why.code == PMUDEV_WHY_HARDWARE);
	EXPECT_EQ((__u64)PMUDEV_USER_READ, why.limit);
	EXPECT_EQ(0, set_user_access(false));
}

/* ------------------------------------------------------------ several CPUs -- */

FIXTURE(cpus)
{
	int spinner; /* a child pinned to CPU 1 that runs again and again */
};

static int spin_on(int cpu)
{
	int child = fork_bound();

	if (!child) {
		pin_to(cpu);
		/* Busy, but not all the time: an emulator gives each busy CPU a long turn. */
		for (;;) {
			loop(20000);
			pause_ns(30000);
		}
	}
	return child;
}

FIXTURE_SETUP(cpus)
{
	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	if (set_cpu_online(1, true))
		SKIP(return, "CPU 1 cannot be taken offline");
	ASSERT_EQ(0, pin_to(0));
	self->spinner = spin_on(1);
}

FIXTURE_TEARDOWN(cpus)
{
	set_cpu_online(1, true);
	stop_child(self->spinner);
}

TEST_F(cpus, each_counts_its_own)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	__u64 here, there;
	int fd[2];

	fd[0] = pm_cpu_set(0, 0, &event, 1);
	fd[1] = pm_cpu_set(1, 0, &event, 1);
	ASSERT_GE(fd[0], 0);
	ASSERT_GE(fd[1], 0);
	/* The spinner stays on CPU 1: the count there grows, whatever CPU 0 does. */
	there = value(fd[1], 0);
	EXPECT_TRUE(WAIT_FOR(value(fd[1], 0) > there + 10 * N));
	there = value(fd[1], 0);
	here = value(fd[0], 0);
	loop(N);
	EXPECT_GE(value(fd[0], 0), here + N);
	EXPECT_GE(value(fd[1], 0), there);
	close(fd[0]);
	close(fd[1]);
}

TEST_F(cpus, none_while_offline)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, set_cpu_online(1, false));
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_CPU_OFFLINE, pm_bind(fd, PMUDEV_TARGET_CPU, 1, 0));
	ASSERT_EQ(0, set_cpu_online(1, true));
	/* The refusal has bound nothing. */
	EXPECT_EQ(0, pm_bind(fd, PMUDEV_TARGET_CPU, 1, 0));
	EXPECT_EQ(0, pm_add(fd, &event, 1));
	EXPECT_EQ(0, pm_enable(fd, 0));
	close(fd);
}

/* Taken offline, a CPU stops counting and says so; back again, it goes on where it stopped. */
TEST_F(cpus, going_and_coming_back)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	union record before, gone, later, back;
	__s32 counter;
	int fd, i;

	fd = pm_cpu_set(1, 0, &event, 1);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(WAIT_FOR(!pm_read(fd, &before) && before.r.counts[0].value > N));
		ASSERT_EQ(0, set_cpu_online(1, false));
		ASSERT_EQ(0, pm_read(fd, &gone));
		EXPECT_TRUE(gone.r.flags & PMUDEV_RECORD_OFFLINE);
		EXPECT_TRUE(gone.r.flags & PMUDEV_RECORD_ENABLED);
		EXPECT_GE(gone.r.counts[0].value, before.r.counts[0].value);
		loop(N);
		ASSERT_EQ(0, pm_read(fd, &later));
		EXPECT_EQ(gone.r.counts[0].value, later.r.counts[0].value);
		EXPECT_EQ(gone.r.counts[0].time_running, later.r.counts[0].time_running);
		ASSERT_EQ(0, set_cpu_online(1, true));
		/* Its affinity fell back to the other CPUs when this one went. */
		stop_child(self->spinner);
		self->spinner = spin_on(1);
		EXPECT_TRUE(WAIT_FOR(!pm_read(fd, &back) &&
				     back.r.counts[0].value > later.r.counts[0].value + N));
		EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, back.r.flags);
		EXPECT_GT(back.r.counts[0].time_running, later.r.counts[0].time_running);
	}
	/* Offline, it can be read, stopped and closed. */
	ASSERT_EQ(0, set_cpu_online(1, false));
	EXPECT_EQ(0, pm_disable(fd, 0));
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_CPU_OFFLINE, pm_place(fd, NULL, 0, &counter));
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_CPU_OFFLINE, pm_place(fd, &event, 1, &counter));
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_CPU_OFFLINE, pm_enable(fd, 0));
	EXPECT_EQ(0, pm_read(fd, &later));
	close(fd);
	ASSERT_EQ(0, set_cpu_online(1, true));
}

/* A thread whose CPU goes away under it is counted on, on another one. */
struct pushed {
	int fd;
	bool started, stop;
	int wrong;
	__u64 last;
};

static void *be_pushed(void *arg)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	struct pushed *pushed = arg;
	struct reader reader;
	__u64 value;

	pin_to(1);
	pushed->fd = pm_set(&event, 1, true);
	reader = reader_of(pushed->fd < 0 ? NULL : pm_map(pushed->fd));
	if (!reader.page)
		pushed->wrong = 1;
	__atomic_store_n(&pushed->started, true, __ATOMIC_RELEASE);
	while (!READ_ONCE(pushed->stop) && !pushed->wrong) {
		loop(1000);
		if (read_either(pushed->fd, &reader, 0, &value, NULL))
			pushed->wrong = 2;
		else if (value < pushed->last + 1000)
			pushed->wrong = 3;
		WRITE_ONCE(pushed->last, value);
		pause_ns(20000);
	}
	return NULL;
}

TEST_F(cpus, a_thread_is_pushed_off)
{
	struct pushed pushed = { 0 };
	pthread_t thread;
	union record r;
	__u64 seen;
	int i;

	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pthread_create(&thread, NULL, be_pushed, &pushed));
	ASSERT_TRUE(WAIT_FOR(__atomic_load_n(&pushed.started, __ATOMIC_ACQUIRE)));
	for (i = 0; i < 3 && !pushed.wrong; i++) {
		EXPECT_EQ(0, set_cpu_online(1, false));
		seen = READ_ONCE(pushed.last);
		EXPECT_TRUE(WAIT_FOR(READ_ONCE(pushed.last) > seen + 10000));
		EXPECT_EQ(0, set_cpu_online(1, true));
	}
	EXPECT_EQ(0, pm_read(pushed.fd, &r));
	EXPECT_EQ(r.r.time_enabled, r.r.time_running);
	WRITE_ONCE(pushed.stop, true);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, pushed.wrong);
	close(pushed.fd);
	EXPECT_EQ(0, set_user_access(false));
}

TEST_HARNESS_MAIN
