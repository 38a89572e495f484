// SPDX-License-Identifier: GPL-2.0
/* Sets of cgroups: who is counted, who may, and which counters they have. */
#include "as.h"
#include "cgroup_set.h"
#include "deadline.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define N 20000

FIXTURE(cgroup_target)
{
	struct cgroup_pair pair;
};

FIXTURE_SETUP(cgroup_target)
{
	int ret;

	if (geteuid())
		SKIP(return, "needs root");
	ret = cgroup_pair_start(&self->pair);
	if (ret == -ENODEV)
		SKIP(return, NO_CGROUPS);
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(cgroup_target)
{
	EXPECT_EQ(0, cgroup_pair_end(&self->pair));
}

/* Its threads are counted, and no others, though they take turns on the CPU. */
TEST_F(cgroup_target, its_threads_alone)
{
	int i, fd = cgroup_set(&self->pair.group, 0, &self->pair.event, 1);
	__u64 before;

	ASSERT_GE(fd, 0);
	before = pm_value(fd, 0);
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(0, subject_work(&self->pair.in, N));
		EXPECT_EQ(0, subject_work(&self->pair.out, 3 * N));
	}
	EXPECT_WORK(&self->pair, 10 * N, 10, pm_value(fd, 0) - before);
	close(fd);
}

/* Times advance while its threads run. */
TEST_F(cgroup_target, times)
{
	int fd = cgroup_set(&self->pair.group, 0, &self->pair.event, 1);
	union record before, after;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_read(fd, &before));
	EXPECT_EQ(0, subject_work(&self->pair.out, 50 * N));
	ASSERT_EQ(0, pm_read(fd, &after));
	EXPECT_EQ(before.r.counts[0].value, after.r.counts[0].value);
	EXPECT_EQ(before.r.counts[0].time_enabled, after.r.counts[0].time_enabled);
	EXPECT_EQ(0, subject_work(&self->pair.in, N));
	ASSERT_EQ(0, pm_read(fd, &after));
	EXPECT_LT(before.r.counts[0].time_enabled, after.r.counts[0].time_enabled);
	EXPECT_EQ(after.r.counts[0].time_enabled - before.r.counts[0].time_enabled,
		  after.r.counts[0].time_running - before.r.counts[0].time_running);
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, after.r.flags);
	close(fd);
}

/* Groups below it belong to it; one beside it does not. */
TEST_F(cgroup_target, those_below)
{
	struct cgroup below;
	__u64 before, there;
	int above, fd;

	ASSERT_EQ(0, cgroup_below(&below, &self->pair.group));
	ASSERT_EQ(0, cgroup_move(&below, self->pair.out.pid));
	above = cgroup_set(&self->pair.group, 0, &self->pair.event, 1);
	fd = cgroup_set(&below, 0, &self->pair.event, 1);
	ASSERT_GE(above, 0);
	ASSERT_GE(fd, 0);
	before = pm_value(above, 0);
	there = pm_value(fd, 0);
	EXPECT_EQ(0, subject_work(&self->pair.in, N));
	EXPECT_EQ(0, subject_work(&self->pair.out, 2 * N));
	EXPECT_WORK(&self->pair, 3 * N, 2, pm_value(above, 0) - before);
	EXPECT_WORK(&self->pair, 2 * N, 1, pm_value(fd, 0) - there);
	close(above);
	close(fd);
	ASSERT_EQ(0, cgroup_move(&cgroup_root, self->pair.out.pid));
	EXPECT_EQ(0, cgroup_end(&below));
}

/* Threads that are moved while they sleep. */
TEST_F(cgroup_target, coming_and_going)
{
	int i, fd = cgroup_set(&self->pair.group, 0, &self->pair.event, 1);
	__u64 before;

	ASSERT_GE(fd, 0);
	before = pm_value(fd, 0);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, cgroup_move(&cgroup_root, self->pair.in.pid));
		ASSERT_EQ(0, cgroup_move(&self->pair.group, self->pair.out.pid));
		EXPECT_EQ(0, subject_work(&self->pair.in, 3 * N));
		EXPECT_EQ(0, subject_work(&self->pair.out, N));
		ASSERT_EQ(0, cgroup_move(&self->pair.group, self->pair.in.pid));
		ASSERT_EQ(0, cgroup_move(&cgroup_root, self->pair.out.pid));
		EXPECT_EQ(0, subject_work(&self->pair.out, 3 * N));
		EXPECT_EQ(0, subject_work(&self->pair.in, N));
	}
	EXPECT_WORK(&self->pair, 10 * N, 10, pm_value(fd, 0) - before);
	close(fd);
}

static struct cgroup entered;

static long enter_and_leave(long rounds)
{
	int ret = cgroup_enter(&entered);

	if (ret)
		return ret;
	loop(rounds);
	ret = cgroup_enter(&cgroup_root);
	loop(3 * rounds);
	return ret;
}

/* A thread that moves itself is counted from then on, without having been switched. */
TEST_F(cgroup_target, moving_oneself)
{
	struct subject s;
	__u64 before;
	int fd;

	entered = self->pair.group;
	ASSERT_EQ(0, subject_fork(&s));
	ASSERT_EQ(0, subject_do(&s, stay_on, 0));
	fd = cgroup_set(&self->pair.group, 0, &self->pair.event, 1);
	ASSERT_GE(fd, 0);
	before = pm_value(fd, 0);
	EXPECT_EQ(0, subject_do(&s, enter_and_leave, N));
	EXPECT_LE(LOOP_INSTRUCTIONS * (__u64)N, pm_value(fd, 0) - before);
	EXPECT_GT(2 * LOOP_INSTRUCTIONS * (__u64)N, pm_value(fd, 0) - before);
	close(fd);
	EXPECT_EQ(0, subject_end(&s));
}

/* Children begin in their parent's group. */
static long fork_and_work(long rounds)
{
	int child = fork();

	if (!child) {
		loop(rounds);
		_exit(0);
	}
	return child_result(child);
}

TEST_F(cgroup_target, children)
{
	int fd = cgroup_set(&self->pair.group, 0, &self->pair.event, 1);
	__u64 before;

	ASSERT_GE(fd, 0);
	before = pm_value(fd, 0);
	EXPECT_EQ(0, subject_do(&self->pair.in, fork_and_work, 10 * N));
	EXPECT_LE(10 * LOOP_INSTRUCTIONS * (__u64)N, pm_value(fd, 0) - before);
	EXPECT_GT(11 * LOOP_INSTRUCTIONS * (__u64)N, pm_value(fd, 0) - before);
	close(fd);
}

/* Sets of a cgroup and of its CPU can be on at the same time: none is on another's counter. */
TEST_F(cgroup_target, share_no_counter)
{
	struct pmudev_event_attr events[64];
	struct pmudev_query query;
	__s32 its[64], cpus[64];
	unsigned int i, nr;
	int fd, cpu_fd, last;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = raw_event(EVENT_CYCLES, USER_ONLY);
	fd = cgroup_set(&self->pair.group, 0, events, 2);
	cpu_fd = pm_cpu_set(0, 0, events, 1);
	ASSERT_GE(fd, 0);
	ASSERT_GE(cpu_fd, 0);
	ASSERT_EQ(0, pm_place(fd, NULL, 0, its));
	ASSERT_EQ(0, pm_place(cpu_fd, NULL, 0, cpus));
	EXPECT_NE(its[0], cpus[0]);
	EXPECT_NE(its[1], cpus[0]);
	ASSERT_EQ(0, pm_query(&query));
	nr = __builtin_popcountll(cycle_counters(query.available));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, cgroup_set(&cgroup_root, 0, events, nr - 2));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_CPU_SET, why.holder.kind);
	EXPECT_EQ(0, why.holder.cpu);
	last = cgroup_set(&cgroup_root, 0, events, nr - 3);
	EXPECT_GE(last, 0);
	/* Threads run on every CPU, also on this. */
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_set(events, 1, true));
	close(last);
	close(cpu_fd);
	close(fd);
}

TEST_F(cgroup_target, refused)
{
	struct pmudev_bind bind = { .size = sizeof(bind), .cgroup = 1 };
	int directory = open(self->pair.group.path, O_RDONLY | O_DIRECTORY);
	int other = open("/", O_RDONLY | O_DIRECTORY), fd = pm_open();

	ASSERT_GE(directory, 0);
	ASSERT_GE(fd, 0);
	EXPECT_REFUSED(EBADF, PMUDEV_WHY_CGROUP, cgroup_bind(fd, -1, 0, 0));
	EXPECT_REFUSED(EBADF, PMUDEV_WHY_CGROUP, cgroup_bind(fd, other, 0, 0));
	EXPECT_REFUSED(EBADF, PMUDEV_WHY_CGROUP, cgroup_bind(fd, fd, 0, 0));
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_NO_CPU, cgroup_bind(fd, directory, -1, 0));
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_NO_CPU, cgroup_bind(fd, directory, 1 << 20, 0));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COMBINATION,
		       cgroup_bind(fd, directory, 0, PMUDEV_BIND_INHERIT));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COMBINATION,
		       cgroup_bind(fd, directory, 0, PMUDEV_BIND_ON_EXEC));
	/* A descriptor is for a cgroup. */
	EXPECT_EQ(-1, ioctl(fd, PMUDEV_IOC_BIND, &bind));
	EXPECT_EQ((__u32)PMUDEV_WHY_RESERVED, bind.refusal.code);
	/* After all that it is not bound, and can be bound to what is not a CPU. */
	EXPECT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	EXPECT_EQ(0, pm_add(fd, &self->pair.event, 1));
	EXPECT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	close(fd);
	close(other);
	close(directory);
}

/* Switches walk them: a CPU has a limited number. */
TEST_F(cgroup_target, limited)
{
	int directory = open(self->pair.group.path, O_RDONLY | O_DIRECTORY);
	int fd[65], i;

	ASSERT_GE(directory, 0);
	for (i = 0; i < 65; i++) {
		fd[i] = pm_open();
		ASSERT_GE(fd[i], 0);
		if (i == 64)
			break;
		ASSERT_EQ(0, cgroup_bind(fd[i], directory, 0, 0)) TH_LOG("set %d", i);
	}
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_NUMBER, cgroup_bind(fd[64], directory, 0, 0));
	EXPECT_EQ(64ULL, why.limit);
	close(fd[0]);
	EXPECT_EQ(0, cgroup_bind(fd[64], directory, 0, 0));
	for (i = 1; i < 65; i++)
		close(fd[i]);
	close(directory);
}

static int given;

static long bind_it(long capability)
{
	int fd, ret = become(NOBODY, capability);

	if (ret)
		return ret;
	fd = pm_open();
	ret = fd < 0 ? fd : cgroup_bind(fd, given, 0, 0);
	close(fd);
	return ret < 0 ? why.code : 0;
}

/* A cgroup has others' threads: counting it needs the right to count a CPU. */
TEST_F(cgroup_target, permission)
{
	struct subject plain, able;
	mode_t mode;

	ASSERT_EQ(0, open_to_all(&mode));
	given = open(self->pair.group.path, O_RDONLY | O_DIRECTORY);
	ASSERT_GE(given, 0);
	ASSERT_EQ(0, subject_fork(&plain));
	ASSERT_EQ(0, subject_fork(&able));
	EXPECT_EQ(PMUDEV_WHY_CAP_CPU, subject_do(&plain, bind_it, -1));
	EXPECT_EQ(0, subject_do(&able, bind_it, CAP_PERFMON));
	EXPECT_EQ(0, subject_end(&plain));
	EXPECT_EQ(0, subject_end(&able));
	close(given);
	chmod(PMUDEV_DEVICE, mode);
}

/* Deadlines are of the group's threads. */
TEST_F(cgroup_target, deadline)
{
	struct pmudev_report report;
	struct pmudev_query query;
	int fd;

	ASSERT_EQ(0, pm_query(&query));
	if (!(query.features & PMUDEV_HAS_DEADLINE))
		SKIP(return, "this PMU does not interrupt");
	fd = cgroup_set(&self->pair.group, 0, &self->pair.event, 1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_deadline(fd, 0, PMUDEV_DEADLINE_RELATIVE, 3 * LOOP_INSTRUCTIONS * (__u64)N,
				 0));
	EXPECT_EQ(0, subject_work(&self->pair.out, 10 * N));
	EXPECT_EQ(0, subject_work(&self->pair.in, 2 * N));
	EXPECT_EQ(0, pm_reports(fd, &report, 1));
	EXPECT_EQ(0, subject_work(&self->pair.out, 10 * N));
	EXPECT_EQ(0, subject_work(&self->pair.in, 2 * N));
	ASSERT_EQ(1, pm_reports(fd, &report, 1));
	EXPECT_EQ(1ULL, report.reached);
	EXPECT_EQ(0, subject_work(&self->pair.in, 10 * N));
	EXPECT_EQ(0, pm_reports(fd, &report, 1));
	close(fd);
}

/* More events than counters take turns while its threads run. */
TEST_F(cgroup_target, turns)
{
	struct pmudev_event_attr events[64];
	struct pmudev_query query;
	unsigned int i, nr;
	union record r;
	int fd;

	ASSERT_EQ(0, pm_query(&query));
	nr = __builtin_popcountll(cycle_counters(query.available)) + 1;
	ASSERT_GT(ARRAY_SIZE(events), nr);
	for (i = 0; i < nr; i++) {
		events[i] = raw_event(EVENT_CYCLES, USER_ONLY | PMUDEV_MULTIPLEX);
		events[i].group = i;
	}
	fd = cgroup_set(&self->pair.group, 0, events, nr);
	ASSERT_GE(fd, 0);
	/* Some 30 turns, of a millisecond each. */
	for (i = 0; i < 15; i++)
		EXPECT_EQ(0, subject_work(&self->pair.in, 1000000));
	ASSERT_EQ(0, pm_read(fd, &r));
	for (i = 0; i < nr; i++) {
		EXPECT_LT(0ULL, r.r.counts[i].time_running) TH_LOG("event %u", i);
		EXPECT_GE(r.r.counts[i].time_enabled, r.r.counts[i].time_running);
		EXPECT_LT(0ULL, r.r.counts[i].value) TH_LOG("event %u", i);
	}
	close(fd);
}

/* A group that is removed counts no more; what it counted stays. */
TEST_F(cgroup_target, removed)
{
	struct cgroup gone;
	__u64 before;
	int fd;

	ASSERT_EQ(0, cgroup_make(&gone, NULL));
	fd = cgroup_set(&gone, 0, &self->pair.event, 1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, cgroup_move(&gone, self->pair.out.pid));
	before = pm_value(fd, 0);
	EXPECT_EQ(0, subject_work(&self->pair.out, N));
	ASSERT_EQ(0, cgroup_move(&cgroup_root, self->pair.out.pid));
	EXPECT_EQ(0, cgroup_end(&gone));
	EXPECT_EQ(0, subject_work(&self->pair.out, N));
	EXPECT_WORK(&self->pair, N, 1, pm_value(fd, 0) - before);
	EXPECT_EQ(0, pm_disable(fd, PMUDEV_ALL));
	EXPECT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	EXPECT_EQ(0, subject_work(&self->pair.in, N));
	EXPECT_WORK(&self->pair, N, 1, pm_value(fd, 0) - before);
	close(fd);
}

TEST_HARNESS_MAIN
