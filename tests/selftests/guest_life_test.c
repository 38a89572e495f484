// SPDX-License-Identifier: GPL-2.0
/*
 * Guests that come, go and move while sets tell them from the host, and sets that come, go and
 * change while guests run: each count is exact all the same.
 */
#include "runner.h"
#include "guest_group.h"
#include "kselftest_harness.h"
#include "perf.h"

#define ROUNDS (debug_kernel() ? 40 : few(200))

#define PERF_RIGHT "/proc/sys/kernel/perf_user_access"
#define PERF_READ  2 /* config1: to be read by the thread itself */

static const struct guest_work work = { .el1 = 3000, .calls = 1, .el0 = 5000 };

/* Guest, its kernel, its user mode; user mode of the host. */
static const __u32 parts[] = { H, H | U, H | K, G | K | V };

enum {
	GUEST,
	GUEST_EL1,
	GUEST_EL0,
	HOST_USER,
	PARTS
};

FIXTURE(guest_life)
{
	int cpus;
	struct guest guest;
	struct runner runner[GUEST_VCPUS];
	unsigned int runners;
	int fd[16];
	unsigned int fds;
};

FIXTURE_SETUP(guest_life)
{
	int ret;

	self->guest.vm = -1;
	if (!exact_instructions())
		SKIP(return, "needs exact counts of each CPU");
	self->cpus = cpus_online();
	ret = guest_open_vcpus(&self->guest, GUEST_VCPUS);
	if (ret == -ENOENT)
		SKIP(return, "needs /dev/kvm on arm64");
	ASSERT_EQ(0, ret);
	for (; self->runners < GUEST_VCPUS; self->runners++) {
		ASSERT_EQ(0, vcpu_set_work(&self->guest.vcpu[self->runners], work));
		ASSERT_EQ(0, runner_start(&self->runner[self->runners],
					  &self->guest.vcpu[self->runners]));
	}
}

FIXTURE_TEARDOWN(guest_life)
{
	while (self->fds)
		close(self->fd[--self->fds]);
	while (self->runners)
		runner_end(&self->runner[--self->runners]);
	if (self->guest.vm >= 0)
		guest_close(&self->guest);
}

static int count_parts(struct __test_metadata *_metadata, struct _test_data_guest_life *self,
		       __u32 target, int id)
{
	struct pmudev_event_attr events[PARTS];
	int fd = pm_open(), i;

	EXPECT_GE(fd, 0);
	self->fd[self->fds++] = fd;
	for (i = 0; i < PARTS; i++)
		events[i] = raw_event(EVENT_INSTRUCTIONS, parts[i]);
	EXPECT_EQ(0, pm_bind(fd, target, id, 0));
	EXPECT_EQ(0, pm_add(fd, events, PARTS));
	EXPECT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	return fd;
}

/* Several sets' counts, and what the guests executed. */
static void expect_guest(struct __test_metadata *_metadata, const int *fd, int nr,
			 struct guest_count c)
{
	__u64 sum[PARTS] = { 0 };
	union record r;
	int i, j;

	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, pm_read(fd[i], &r));
		for (j = 0; j < PARTS; j++)
			sum[j] += r.r.counts[j].value;
	}
	EXPECT_EQ(c.el1 + c.el0, sum[GUEST]);
	EXPECT_EQ(c.el1, sum[GUEST_EL1]);
	EXPECT_EQ(c.el0, sum[GUEST_EL0]);
}

static struct guest_count times(struct guest_count c, __u64 n)
{
	return (struct guest_count){ c.el1 * n, c.el0 * n };
}

/* ------------------------------------------------------------ who comes first -- */

/* Each thread has its own set, and none sees what the others do. */
TEST_F(guest_life, several_vcpus)
{
	struct guest_work w = work;
	__u64 user;
	int i, fd[GUEST_VCPUS];

	for (i = 0; i < GUEST_VCPUS; i++) {
		w.el1 = work.el1 + 100 * i;
		ASSERT_EQ(0, vcpu_set_work(&self->guest.vcpu[i], w));
		fd[i] = count_parts(_metadata, self, PMUDEV_TARGET_TASK,
				    self->runner[i].thread.pid);
	}
	for (i = 0; i < GUEST_VCPUS; i++)
		runner_go(&self->runner[i], ROUNDS + i);
	for (i = 0; i < GUEST_VCPUS; i++)
		ASSERT_EQ(0, runner_wait(&self->runner[i]));
	for (i = 0; i < GUEST_VCPUS; i++)
		expect_guest(_metadata, &fd[i], 1,
			     times(guest_round(self->guest.vcpu[i].work), ROUNDS + i));
	/* The host's part of each round is always the same. */
	user = pm_value(fd[1], HOST_USER) - pm_value(fd[0], HOST_USER);
	EXPECT_EQ(user, pm_value(fd[2], HOST_USER) - pm_value(fd[1], HOST_USER));
	EXPECT_EQ(user, pm_value(fd[3], HOST_USER) - pm_value(fd[2], HOST_USER));
}

/* A process is the sum of its vcpus. */
TEST_F(guest_life, process)
{
	int i, fd = count_parts(_metadata, self, PMUDEV_TARGET_PROCESS, 0);

	for (i = 0; i < GUEST_VCPUS; i++)
		runner_go(&self->runner[i], ROUNDS);
	for (i = 0; i < GUEST_VCPUS; i++)
		ASSERT_EQ(0, runner_wait(&self->runner[i]));
	expect_guest(_metadata, &fd, 1, times(guest_round(work), ROUNDS * GUEST_VCPUS));
}

/* It enters the guest on another CPU each time. */
TEST_F(guest_life, migrating)
{
	struct runner *r = &self->runner[0];
	int fd = count_parts(_metadata, self, PMUDEV_TARGET_TASK, r->thread.pid);
	__u64 first, second;

	r->cpus = self->cpus;
	runner_go(r, ROUNDS);
	ASSERT_EQ(0, runner_wait(r));
	expect_guest(_metadata, &fd, 1, times(guest_round(work), ROUNDS));
	first = pm_value(fd, HOST_USER);
	runner_go(r, ROUNDS);
	ASSERT_EQ(0, runner_wait(r));
	expect_guest(_metadata, &fd, 1, times(guest_round(work), 2 * ROUNDS));
	second = pm_value(fd, HOST_USER) - first;
	runner_go(r, ROUNDS);
	ASSERT_EQ(0, runner_wait(r));
	EXPECT_EQ(second, pm_value(fd, HOST_USER) - second - first);
}

/* All CPUs' sets together are all guests, wherever they ran. */
TEST_F(guest_life, cpus)
{
	int i, fd[16];

	ASSERT_GE((int)ARRAY_SIZE(fd), self->cpus);
	for (i = 0; i < self->cpus; i++)
		fd[i] = count_parts(_metadata, self, PMUDEV_TARGET_CPU, i);
	for (i = 0; i < GUEST_VCPUS; i++) {
		self->runner[i].cpus = i % 2 ? self->cpus : 0;
		runner_go(&self->runner[i], ROUNDS);
	}
	for (i = 0; i < GUEST_VCPUS; i++)
		ASSERT_EQ(0, runner_wait(&self->runner[i]));
	expect_guest(_metadata, fd, self->cpus, times(guest_round(work), ROUNDS * GUEST_VCPUS));
}

/* KVM is in use before the set is enabled, and after; between, the set is not. */
TEST_F(guest_life, enabled_now_and_then)
{
	struct runner *r = &self->runner[0];
	int i, fd;

	runner_go(r, 10);
	ASSERT_EQ(0, runner_wait(r));
	fd = count_parts(_metadata, self, PMUDEV_TARGET_TASK, r->thread.pid);
	for (i = 0; i < 10; i++) {
		runner_go(r, 10);
		ASSERT_EQ(0, runner_wait(r));
		ASSERT_EQ(0, pm_disable(fd, PMUDEV_ALL));
		runner_go(r, 10);
		ASSERT_EQ(0, runner_wait(r));
		ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
	}
	expect_guest(_metadata, &fd, 1, times(guest_round(work), 100));
}

/*
 * perf rotates its events on the other counters, and stops the PMU for it; for a reader of its own
 * it clears what nobody uses. Our counters that stand still until the guest runs are not among
 * those.
 */
TEST_F(guest_life, beside_perf)
{
	struct runner *r = &self->runner[0];
	int fd, i, perf[11], rounds = 0;

	if (write_file(PERF_RIGHT, "1"))
		SKIP(return, "needs " PERF_RIGHT);
	ASSERT_EQ(0, pin_task_to(r->thread.pid, 0));
	fd = count_parts(_metadata, self, PMUDEV_TARGET_TASK, r->thread.pid);
	perf[0] = perf_open(EVENT_CYCLES, PERF_READ, r->thread.pid, -1);
	for (i = 1; i < (int)ARRAY_SIZE(perf); i++)
		perf[i] = perf_open(EVENT_CYCLES, 0, -1, 0);
	for (i = 0; i < (int)ARRAY_SIZE(perf); i++)
		EXPECT_LE(0, perf[i]);
	/* Until each of perf's has had a turn, or it had time for dozens. */
	do {
		runner_go(r, ROUNDS);
		ASSERT_EQ(0, runner_wait(r));
		rounds += ROUNDS;
		for (i = 1; i < (int)ARRAY_SIZE(perf) && perf_count(perf[i]).running; i++)
			;
	} while (rounds < 5 * ROUNDS || (i < (int)ARRAY_SIZE(perf) && rounds < 50 * ROUNDS));
	expect_guest(_metadata, &fd, 1, times(guest_round(work), rounds));
	for (i = 0; i < (int)ARRAY_SIZE(perf); i++) {
		/* perf has those of the thread wait for those of the CPU. */
		if (i)
			EXPECT_LT(0ULL, perf_count(perf[i]).running) TH_LOG("no. %d", i);
		close(perf[i]);
	}
	EXPECT_EQ(0, write_file(PERF_RIGHT, "0"));
}

/* ---------------------------------------------------------- while in the guest -- */

/* Nothing is installed for sets that do not ask; what is goes with the last that does. */
TEST_F(guest_life, watched_if_asked)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, 0);
	int other, fd;

	ASSERT_TRUE(WAIT_FOR(!guest_hooked()));
	other = pm_set(&event, 1, true);
	ASSERT_GE(other, 0);
	EXPECT_FALSE(guest_hooked());
	fd = count_parts(_metadata, self, PMUDEV_TARGET_TASK, self->runner[0].thread.pid);
	EXPECT_TRUE(guest_hooked());
	ASSERT_EQ(0, pm_disable(fd, PMUDEV_ALL));
	ASSERT_EQ(0, pm_remove(fd, PMUDEV_ALL));
	EXPECT_TRUE(WAIT_FOR(!guest_hooked()));
	close(other);
}

/* What is installed goes while a thread is in the guest. What comes after is counted right. */
TEST_F(guest_life, unwatched_in_guest)
{
	struct runner *in = &self->runner[0], *next = &self->runner[1];
	int fd, cpu = self->cpus - 1;
	struct guest_count c;
	__u64 cost;

	cost = subject_cost();
	ASSERT_TRUE(cost);
	ASSERT_EQ(0, pin_task_to(next->thread.pid, cpu));
	ASSERT_EQ(0, vcpu_set_work(in->vcpu, (struct guest_work){ .el0 = GUEST_ENDLESS }));
	fd = count_parts(_metadata, self, PMUDEV_TARGET_TASK, in->thread.pid);
	ASSERT_EQ(0, runner_enter(in, cpu));
	ASSERT_TRUE(count_grows(fd, GUEST));
	close(self->fd[--self->fds]);
	ASSERT_TRUE(WAIT_FOR(!guest_hooked()));
	fd = count_parts(_metadata, self, PMUDEV_TARGET_TASK, next->thread.pid);
	ASSERT_EQ(0, subject_work(&next->thread, 1000));
	EXPECT_EQ(1000 * LOOP_INSTRUCTIONS + cost, pm_value(fd, HOST_USER));
	runner_go(next, ROUNDS);
	ASSERT_EQ(0, runner_wait(next));
	expect_guest(_metadata, &fd, 1, times(guest_round(work), ROUNDS));
	ASSERT_EQ(0, runner_leave(in, &c));
}

/*
 * A set is enabled, disabled, reset, its events removed and added while the thread is in the guest.
 * Another one has been there before, and has all of it.
 */
static void change_in_loop(struct __test_metadata *_metadata, struct _test_data_guest_life *self,
			   struct guest_work endless)
{
	struct pmudev_event_attr events[PARTS];
	struct runner *r = &self->runner[0];
	int all, fd, i, cpu = self->cpus - 1;
	struct guest_count c;
	union record rec;
	__u64 value;

	for (i = 0; i < PARTS; i++)
		events[i] = raw_event(EVENT_INSTRUCTIONS, parts[i]);
	ASSERT_EQ(0, vcpu_set_work(r->vcpu, endless));
	/* One counter is perf's, and two are left for what changes. */
	events[1].flags = parts[HOST_USER];
	all = pm_attach(r->thread.pid, 0, events, 2, true);
	ASSERT_GE(all, 0);
	self->fd[self->fds++] = all;
	ASSERT_EQ(0, runner_enter(r, cpu));
	ASSERT_TRUE(count_grows(all, 0));
	value = pm_value(all, 1);
	fd = pm_open();
	ASSERT_GE(fd, 0);
	self->fd[self->fds++] = fd;
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, r->thread.pid, 0));
	events[0] = raw_event(EVENT_INSTRUCTIONS, endless.el0 ? H | K : H | U);
	for (i = 0; i < ROUNDS / 10; i++) {
		ASSERT_EQ(0, pm_add(fd, events, 2));
		ASSERT_EQ(0, pm_enable(fd, PMUDEV_ALL));
		ASSERT_TRUE(count_grows(fd, 0));
		ASSERT_EQ(0, pm_reset(fd, PMUDEV_ALL, 1ULL << 50));
		ASSERT_TRUE(count_grows(fd, 0));
		ASSERT_EQ(0, pm_disable(fd, PMUDEV_ALL));
		ASSERT_EQ(0, pm_read(fd, &rec));
		EXPECT_LT(1ULL << 50, rec.r.counts[0].value);
		/* Of the host's user mode there is none: it stays in the guest. */
		EXPECT_EQ(1ULL << 50, rec.r.counts[1].value);
		ASSERT_TRUE(count_grows(all, 0));
		EXPECT_EQ(rec.r.counts[0].value, pm_value(fd, 0));
		ASSERT_EQ(0, pm_remove(fd, PMUDEV_ALL));
	}
	EXPECT_EQ(value, pm_value(all, 1));
	ASSERT_EQ(0, runner_leave(r, &c));
	/* The first round's last step was before it was counted: a store that does not retire. */
	EXPECT_EQ(c.el1 + c.el0, pm_value(all, 0));
	EXPECT_LT(value, pm_value(all, 1));
}

TEST_F(guest_life, changes_in_el1)
{
	change_in_loop(_metadata, self, (struct guest_work){ .el1 = GUEST_ENDLESS });
}

TEST_F(guest_life, changes_in_el0)
{
	change_in_loop(_metadata, self, (struct guest_work){ .el1 = 100, .el0 = GUEST_ENDLESS });
}

/* Interrupted and gone on with, on another CPU each time, it executes what it executes. */
TEST_F(guest_life, interrupted)
{
	struct guest_work endless = { .el1 = 100, .el0 = GUEST_ENDLESS };
	struct runner *r = &self->runner[0];
	int fd = count_parts(_metadata, self, PMUDEV_TARGET_TASK, r->thread.pid), i;
	struct guest_count c;

	ASSERT_EQ(0, vcpu_set_work(r->vcpu, endless));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, runner_enter(r, i % self->cpus));
		ASSERT_TRUE(count_grows(fd, GUEST_EL0));
		ASSERT_EQ(0, runner_leave(r, &c));
		expect_guest(_metadata, &fd, 1, c);
	}
}

TEST_HARNESS_MAIN
