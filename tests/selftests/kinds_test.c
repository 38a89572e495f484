// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs of two kinds: what each PMU is, who is counted where, and user reads of a thread that comes
 * to CPUs whose counters are not those that it counts on.
 */
#include "kinds.h"
#include "kselftest_harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define N     1000
#define MOVES 400

FIXTURE(kinds)
{
	struct kinds k;
};

FIXTURE_SETUP(kinds)
{
	if (!kinds_find(&self->k))
		SKIP(return, "needs CPUs of two kinds");
	ASSERT_EQ(0, set_user_access(true));
}

FIXTURE_TEARDOWN(kinds)
{
	set_user_access(false);
}

TEST_F(kinds, each_is_described)
{
	struct pmudev_query q[2], of_cpu;
	unsigned int i;

	ASSERT_EQ(0, pm_query_pmu(0, 0, &q[0]));
	ASSERT_EQ(0, pm_query_pmu(1, 0, &q[1]));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(2U, q[i].nr_pmus);
		EXPECT_EQ(i, q[i].pmu);
		EXPECT_EQ(2U, q[i].nr_cpus);
		EXPECT_NE(0ULL, q[i].available);
		/* What can be read directly is there on all CPUs. */
		EXPECT_EQ(0ULL, q[i].user & ~q[!i].counters);
		ASSERT_EQ(0, pin_to(self->k.cpu[i][0]));
		EXPECT_EQ(cpu_id(), q[i].cpu_id);
	}
	EXPECT_NE(q[0].counters, q[1].counters);
	EXPECT_NE(0, strcmp(q[0].name, q[1].name));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pm_query_pmu(self->k.cpu[i / 2][i % 2], PMUDEV_QUERY_CPU, &of_cpu));
		EXPECT_EQ(i / 2, of_cpu.pmu);
	}
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_NO_PMU, pm_query_pmu(2, 0, &of_cpu));
	EXPECT_EQ(1ULL, why.limit);
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_NO_CPU, pm_query_pmu(100000, PMUDEV_QUERY_CPU, &of_cpu));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_FLAGS, pm_query_pmu(0, 2, &of_cpu));
}

TEST_F(kinds, a_task_names_its_pmu)
{
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_SEVERAL_PMUS, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	EXPECT_EQ(0ULL, why.limit);
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_SEVERAL_PMUS,
		       pm_bind(fd, PMUDEV_TARGET_PROCESS, 0, 0));
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_NO_PMU,
		       pm_bind_pmu(fd, PMUDEV_TARGET_TASK, 0, PMUDEV_BIND_PMU, 2));
	/* A CPU has the one that it has. */
	EXPECT_REFUSED(ENODEV, PMUDEV_WHY_NO_PMU,
		       pm_bind_pmu(fd, PMUDEV_TARGET_CPU, self->k.cpu[0][0], PMUDEV_BIND_PMU, 1));
	EXPECT_EQ(0, pm_bind_pmu(fd, PMUDEV_TARGET_CPU, self->k.cpu[1][0], PMUDEV_BIND_PMU, 1));
	close(fd);
}

/* On the other kind of CPU nothing is counted, and the times say so. */
TEST_F(kinds, counts_on_its_own_cpus)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	union record before, there, back;
	unsigned int pmu;
	__u64 count;
	int fd;

	for (pmu = 0; pmu < 2; pmu++) {
		ASSERT_EQ(0, pin_to(self->k.cpu[pmu][1]));
		fd = kinds_set(pmu, 0, &event, 1);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, measure_read(fd, 0, N, &count));
		EXPECT_GE(count, (__u64)LOOP_INSTRUCTIONS * N);
		EXPECT_LE(count, (__u64)LOOP_INSTRUCTIONS * N + 40);
		ASSERT_EQ(0, pin_to(self->k.cpu[!pmu][0]));
		ASSERT_EQ(0, pm_read(fd, &before));
		loop(100 * N);
		ASSERT_EQ(0, pm_read(fd, &there));
		EXPECT_EQ(before.r.counts[0].value, there.r.counts[0].value);
		EXPECT_EQ(before.r.counts[0].time_running, there.r.counts[0].time_running);
		EXPECT_EQ(before.r.time_running, there.r.time_running);
		EXPECT_GT(there.r.counts[0].time_enabled, before.r.counts[0].time_enabled);
		ASSERT_EQ(0, pin_to(self->k.cpu[pmu][0]));
		loop(N);
		ASSERT_EQ(0, pm_read(fd, &back));
		EXPECT_GE(back.r.counts[0].value, there.r.counts[0].value + LOOP_INSTRUCTIONS * N);
		EXPECT_GT(back.r.counts[0].time_running, there.r.counts[0].time_running);
		close(fd);
	}
}

/* A set on each: whatever the thread executes is in one of them, once. */
TEST_F(kinds, both_make_the_whole)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
		raw_event(EVENT_CYCLES, USER_ONLY),
	};
	static const unsigned int strides[] = { 0, 3 };
	struct both start, end;
	__u64 of[2], sum[2];
	int fd[2], i;

	ASSERT_EQ(0, pin_to(self->k.cpu[0][0]));
	for (i = 0; i < 2; i++) {
		fd[i] = kinds_set(i, 0, events, 2);
		ASSERT_GE(fd[i], 0);
	}
	/* The same instructions, but not the same CPUs: staying, and then moving. */
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, both_read(fd, &start));
		both_rounds(&self->k, MOVES, strides[i], N);
		ASSERT_EQ(0, both_read(fd, &end));
		of[0] = end.value[0] - start.value[0];
		of[1] = end.value[1] - start.value[1];
		sum[i] = of[0] + of[1];
		EXPECT_EQ(!i, !of[1]);
	}
	EXPECT_GT(of[0], (__u64)MOVES / 4 * N);
	EXPECT_GT(of[1], (__u64)MOVES / 4 * N);
	EXPECT_EQ(sum[0], sum[1]);
	/* The time of both is the thread's. */
	EXPECT_LE(llabs((__s64)(end.enabled[0] - start.enabled[0]) -
			(__s64)(end.enabled[1] - start.enabled[1])),
		  debug_kernel() ? 10000000LL : 1000000LL);
	close(fd[0]);
	close(fd[1]);
}

/* Children inherit on both. */
TEST_F(kinds, children_of_both)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct both start, end;
	__u64 count[2];
	int fd[2], i, round, pid, status;

	for (i = 0; i < 2; i++) {
		fd[i] = kinds_set(i, PMUDEV_BIND_INHERIT, &event, 1);
		ASSERT_GE(fd[i], 0);
	}
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, pin_to(self->k.cpu[0][0]));
		ASSERT_EQ(0, both_read(fd, &start));
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			/* The same, except where. */
			pin_to(self->k.cpu[0][1]);
			loop(N);
			pin_to(self->k.cpu[round][0]);
			loop(N);
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		ASSERT_EQ(0, both_read(fd, &end));
		count[round] = end.value[0] - start.value[0] + end.value[1] - start.value[1];
		EXPECT_EQ(!!round, end.value[1] - start.value[1] >= LOOP_INSTRUCTIONS * N);
	}
	EXPECT_EQ(count[0], count[1]);
	close(fd[0]);
	close(fd[1]);
}

TEST_F(kinds, what_cannot_be_read_directly)
{
	struct pmudev_event_attr event = { .type = PMUDEV_TYPE_GENERIC, .flags = DIRECT_READ };
	struct pmudev_query q[2];
	int fd = pm_open(), pmu;
	__u64 alone;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_query_pmu(0, 0, &q[0]));
	ASSERT_EQ(0, pm_query_pmu(1, 0, &q[1]));
	pmu = hweight64_of(q[0].counters) > hweight64_of(q[1].counters) ? 0 : 1;
	alone = q[pmu].available & ~q[!pmu].counters;
	ASSERT_NE(0ULL, alone);
	ASSERT_EQ(0, pm_bind_pmu(fd, PMUDEV_TARGET_TASK, 0, PMUDEV_BIND_PMU, pmu));
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_SEVERAL_PMUS, pm_add(fd, &event, 1));
	EXPECT_EQ((__u64)PMUDEV_USER_READ, why.limit);
	event = raw_event(EVENT_CYCLES, DIRECT_READ | PMUDEV_DIRECT);
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_SEVERAL_PMUS, pm_add(fd, &event, 1));
	EXPECT_EQ((__u64)PMUDEV_DIRECT, why.limit);
	/* A counter that the other kind lacks: for read(2) only. */
	event = event_on(__builtin_ctzll(alone), DIRECT_READ);
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_HARDWARE, pm_add(fd, &event, 1));
	event.flags &= ~PMUDEV_USER_READ;
	EXPECT_EQ(0, pm_add(fd, &event, 1));
	close(fd);
}

/* Elsewhere the page says so, and the instruction does not fault. */
TEST_F(kinds, reads_fall_back_elsewhere)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	struct reader reader;
	struct pmudev_page *page;
	__u64 value, count;
	__u32 operand;
	bool direct;
	int fd, i;

	ASSERT_EQ(0, pin_to(self->k.cpu[1][0]));
	fd = kinds_set(1, 0, &event, 1);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	reader = reader_of(page);
	operand = page->slots[0].operand;
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, pin_to(self->k.cpu[i & 1][i / 2 & 1]));
		ASSERT_EQ(0, read_either(fd, &reader, 0, &value, &direct));
		EXPECT_EQ(i & 1, direct);
		EXPECT_FALSE(counter_faults(operand));
		if (i & 1) {
			ASSERT_EQ(0, measure_direct(&reader, 0, N, &count));
			EXPECT_GE(count, (__u64)LOOP_INSTRUCTIONS * N);
			EXPECT_LE(count, (__u64)LOOP_INSTRUCTIONS * N + 40);
		} else {
			EXPECT_EQ(value, pm_value(fd, 0));
		}
	}
	/* The right goes with the page, wherever the thread is. */
	pm_unmap(page);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pin_to(self->k.cpu[i / 2][i % 2]));
		EXPECT_TRUE(counter_faults(operand));
	}
	close(fd);
}

/* Two pages, each of its kind: one of them holds on any CPU. */
TEST_F(kinds, a_page_of_each)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	struct pmudev_page *page[2];
	struct reader reader[2];
	__u64 value[2];
	int fd[2], i, here;

	for (i = 0; i < 2; i++) {
		fd[i] = kinds_set(i, 0, &event, 1);
		ASSERT_GE(fd[i], 0);
		page[i] = pm_map(fd[i]);
		ASSERT_NE(NULL, page[i]);
		reader[i] = reader_of(page[i]);
	}
	for (i = 0; i < 40; i++) {
		here = i >> 1 & 1;
		ASSERT_EQ(0, pin_to(self->k.cpu[here][i & 1]));
		EXPECT_EQ(0, direct_read(&reader[here], 0, &value[0]));
		EXPECT_EQ(-EAGAIN, direct_read(&reader[!here], 0, &value[1]));
		EXPECT_GT(pm_value(fd[here], 0), value[0]);
	}
	/* One right is left when the other page goes, on both kinds. */
	pm_unmap(page[0]);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pin_to(self->k.cpu[i / 2][i % 2]));
		EXPECT_FALSE(counter_faults(page[1]->slots[0].operand));
		EXPECT_EQ(i / 2 ? 0 : -EAGAIN, direct_read(&reader[1], 0, &value[1]));
	}
	close(fd[0]);
	close(fd[1]);
}

/* Perf keeps the other kind's counters, unless somebody could see them there. */
TEST_F(kinds, reserves_all)
{
	struct pmudev_event_attr plain = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	struct pmudev_event_attr readable = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	struct pmudev_query q;
	int fd, pmu;

	for (pmu = 0; pmu < 2; pmu++) {
		fd = kinds_set(pmu, 0, &plain, 1);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, pm_query_pmu(pmu, 0, &q));
		EXPECT_TRUE(q.state & PMUDEV_STATE_RESERVED);
		ASSERT_EQ(0, pm_query_pmu(!pmu, 0, &q));
		EXPECT_FALSE(q.state & PMUDEV_STATE_RESERVED);
		close(fd);
		fd = kinds_set(pmu, 0, &readable, 1);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, pm_query_pmu(!pmu, 0, &q));
		EXPECT_TRUE(q.state & PMUDEV_STATE_RESERVED);
		close(fd);
		ASSERT_EQ(0, pm_query_pmu(!pmu, 0, &q));
		EXPECT_FALSE(q.state & PMUDEV_STATE_RESERVED);
	}
}

/* A CPU of either kind goes and comes back. */
TEST_F(kinds, hotplug)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	int fd[2], i, cpu;
	__u64 count;

	for (i = 0; i < 2; i++) {
		fd[i] = kinds_set(i, 0, &event, 1);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 2; i++) {
		cpu = self->k.cpu[i][1];
		ASSERT_EQ(0, pin_to(self->k.cpu[!i][0]));
		ASSERT_EQ(0, set_cpu_online(cpu, false));
		ASSERT_EQ(0, set_cpu_online(cpu, true));
		ASSERT_EQ(0, pin_to(cpu));
		ASSERT_EQ(0, measure_read(fd[i], 0, N, &count));
		EXPECT_GE(count, (__u64)LOOP_INSTRUCTIONS * N);
		EXPECT_LE(count, (__u64)LOOP_INSTRUCTIONS * N + 40);
		ASSERT_EQ(0, measure_read(fd[!i], 0, N, &count));
		EXPECT_EQ(0ULL, count);
	}
	close(fd[0]);
	close(fd[1]);
}

/* A reader is moved in the midst of its reads: no fault, and nothing runs backwards. */
TEST_F(kinds, moved_in_mid_read)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	__u64 value, last = 0, reads = 0, directs = 0, moved;
	struct mover mover = { .kinds = &self->k };
	struct reader reader;
	bool direct;
	int fd;

	fd = kinds_set(0, 0, &event, 1);
	ASSERT_GE(fd, 0);
	reader = reader_of(pm_map(fd));
	ASSERT_NE(NULL, reader.page);
	ASSERT_EQ(0, mover_start(&mover, my_tid()));
	while (mover_moved(&mover) < MOVES) {
		ASSERT_EQ(0, read_either(fd, &reader, 0, &value, &direct));
		ASSERT_GE(value, last);
		last = value;
		reads++;
		directs += direct;
	}
	moved = mover_stop(&mover);
	EXPECT_GE(moved, (__u64)MOVES);
	EXPECT_GT(directs, 0ULL);
	EXPECT_LT(directs, reads);
	TH_LOG("%llu reads, %llu of them directly, %llu moves", reads, directs, moved);
	close(fd);
}

TEST_HARNESS_MAIN
