// SPDX-License-Identifier: GPL-2.0
/* Sets of cgroups on several CPUs, and beside perf's. */
#include "cgroup_set.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#define N 20000

FIXTURE(cgroup_cpus)
{
	struct cgroup_pair pair;
};

FIXTURE_SETUP(cgroup_cpus)
{
	int ret;

	if (geteuid())
		SKIP(return, "needs root");
	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	ret = cgroup_pair_start(&self->pair);
	if (ret == -ENODEV)
		SKIP(return, NO_CGROUPS);
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(cgroup_cpus)
{
	EXPECT_EQ(0, cgroup_pair_end(&self->pair));
}

/* perf counts the same, where both can count at a time. */
TEST_F(cgroup_cpus, as_perf)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_RAW,
		.config = self->pair.event.config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	__u64 before, now, own;
	int i, fd, perf, directory;

	/* The kernel's perf knows groups only after some controller was enabled. */
	if (cgroup_write(&cgroup_root, "cgroup.subtree_control", "+pids"))
		SKIP(return, "no controller to enable in this kernel (CONFIG_CGROUP_PIDS)");
	directory = open(self->pair.group.path, O_RDONLY | O_DIRECTORY);
	ASSERT_GE(directory, 0);
	fd = cgroup_set(&self->pair.group, 0, &self->pair.event, 1);
	ASSERT_GE(fd, 0);
	perf = syscall(SYS_perf_event_open, &attr, directory, 0, -1, PERF_FLAG_PID_CGROUP);
	close(directory);
	if (perf < 0) {
		close(fd);
		SKIP(return, "perf cannot count a cgroup beside pmudev here");
	}
	ASSERT_EQ(sizeof(before), read(perf, &before, sizeof(before)));
	own = pm_value(fd, 0);
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(0, subject_work(&self->pair.in, N));
		EXPECT_EQ(0, subject_work(&self->pair.out, N));
	}
	ASSERT_EQ(sizeof(now), read(perf, &now, sizeof(now)));
	EXPECT_EQ(now - before, pm_value(fd, 0) - own);
	EXPECT_WORK(&self->pair, 10 * N, 10, now - before);
	close(perf);
	close(fd);
}

/* Wherever its thread runs: the sum over all CPUs is what the thread has executed. */
TEST_F(cgroup_cpus, sum_of_cpus)
{
	int fd[64], cpu, nr = cpus_online(), own, round;
	__u64 sum = 0, mine;

	own = pm_attach(self->pair.in.pid, 0, &self->pair.event, 1, true);
	ASSERT_GE(own, 0);
	for (cpu = 0; cpu < nr; cpu++) {
		fd[cpu] = cgroup_set(&self->pair.group, cpu, &self->pair.event, 1);
		ASSERT_GE(fd[cpu], 0);
		sum -= pm_value(fd[cpu], 0);
	}
	mine = pm_value(own, 0);
	for (round = 0; round < 5 * nr; round++) {
		EXPECT_EQ(0, subject_do(&self->pair.in, stay_on, round % nr));
		EXPECT_EQ(0, subject_work(&self->pair.in, N));
	}
	for (cpu = 0; cpu < nr; cpu++)
		sum += pm_value(fd[cpu], 0);
	EXPECT_EQ(pm_value(own, 0) - mine, sum);
	EXPECT_LE(5 * nr * LOOP_INSTRUCTIONS * (__u64)N, sum);
	for (cpu = 0; cpu < nr; cpu++)
		close(fd[cpu]);
	close(own);
	EXPECT_EQ(0, subject_do(&self->pair.in, stay_on, 0));
}

/* Rounds of a spinner: less than the microseconds until its CPU switches for another reason */
#define SOON 1000

/* Moved while it runs on CPU 1, it is counted, or not, from then on. */
static void move_to_and_fro(struct __test_metadata *_metadata, struct cgroup_pair *pair,
			    const struct spinner *spinner)
{
	__u64 seen, rounds;
	int i, fd;

	fd = cgroup_set(&pair->group, 1, &pair->event, 1);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 5; i++) {
		seen = pm_value(fd, 0);
		ASSERT_EQ(0, cgroup_move(&pair->group, spinner->pid));
		/* Soon: its CPU was told, and did not have to switch. */
		rounds = READ_ONCE(*spinner->rounds);
		EXPECT_TRUE(WAIT_FOR(READ_ONCE(*spinner->rounds) > rounds + SOON));
		EXPECT_GT(pm_value(fd, 0), seen);
		EXPECT_TRUE(WAIT_FOR(pm_value(fd, 0) > seen + N));
		ASSERT_EQ(0, cgroup_move(&cgroup_root, spinner->pid));
		/* The interrupt may be on its way. */
		EXPECT_TRUE(WAIT_FOR((seen = pm_value(fd, 0)) == pm_value(fd, 0)));
		seen = READ_ONCE(*spinner->rounds);
		EXPECT_TRUE(WAIT_FOR(READ_ONCE(*spinner->rounds) > seen + 1));
		seen = pm_value(fd, 0);
		loop(N);
		EXPECT_EQ(seen, pm_value(fd, 0));
	}
	close(fd);
}

TEST_F(cgroup_cpus, moved_while_it_runs)
{
	struct spinner spinner;

	ASSERT_EQ(0, pin_to(1));
	ASSERT_EQ(0, spinner_start(&spinner));
	ASSERT_EQ(0, pin_to(0));
	move_to_and_fro(_metadata, &self->pair, &spinner);
	spinner_stop(&spinner);
}

/* A process of so many threads that the module does not ask where each of them is. */
TEST_F(cgroup_cpus, moved_with_many_threads)
{
	struct spinner spinner;

	ASSERT_EQ(0, pin_to(1));
	ASSERT_EQ(0, spinner_start_among(&spinner, 100));
	ASSERT_EQ(0, pin_to(0));
	move_to_and_fro(_metadata, &self->pair, &spinner);
	spinner_stop(&spinner);
}

/* Its CPU goes and comes back. */
TEST_F(cgroup_cpus, hotplug)
{
	union record record;
	__u64 before;
	int i, fd, other;

	if (set_cpu_online(1, true))
		SKIP(return, "CPU 1 cannot be taken offline");
	fd = cgroup_set(&self->pair.group, 1, &self->pair.event, 1);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, subject_do(&self->pair.in, stay_on, 1));
		before = pm_value(fd, 0);
		EXPECT_EQ(0, subject_work(&self->pair.in, N));
		EXPECT_WORK(&self->pair, N, 1, pm_value(fd, 0) - before);
		ASSERT_EQ(0, set_cpu_online(1, false));
		EXPECT_REFUSED(ENODEV, PMUDEV_WHY_CPU_OFFLINE,
			       cgroup_set(&self->pair.group, 1, &self->pair.event, 1));
		ASSERT_EQ(0, pm_read(fd, &record));
		EXPECT_TRUE(record.r.flags & PMUDEV_RECORD_OFFLINE);
		before = record.r.counts[0].value;
		EXPECT_EQ(0, subject_work(&self->pair.in, N));
		EXPECT_EQ(before, pm_value(fd, 0));
		ASSERT_EQ(0, set_cpu_online(1, true));
		ASSERT_EQ(0, pm_read(fd, &record));
		EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, record.r.flags);
	}
	/* Closed while the CPU is away, and nothing is left when it comes back. */
	other = cgroup_set(&self->pair.group, 1, &self->pair.event, 1);
	ASSERT_GE(other, 0);
	ASSERT_EQ(0, set_cpu_online(1, false));
	close(other);
	close(fd);
	ASSERT_EQ(0, set_cpu_online(1, true));
	EXPECT_EQ(0, subject_do(&self->pair.in, stay_on, 1));
	EXPECT_EQ(0, subject_work(&self->pair.in, N));
	EXPECT_EQ(0, subject_do(&self->pair.in, stay_on, 0));
}

TEST_HARNESS_MAIN
