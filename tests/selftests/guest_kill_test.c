// SPDX-License-Identifier: GPL-2.0
/* Processes that are killed while they are in a guest, and what is counted beside them. */
#include "runner.h"
#include "guest_group.h"
#include "storm.h"
#include "kselftest_harness.h"

#include <signal.h>

#define ROUNDS (debug_kernel() ? 20 : few(100))
#define KILLS  (6 * (int)storm_factor())
#define WORK   100000

static const struct guest_work work = { .el1 = 3000, .calls = 1, .el0 = 5000 };

/* Guests, and user mode of the host. */
static const struct pmudev_event_attr events[] = {
	{ .type = PMUDEV_TYPE_RAW, .config = EVENT_INSTRUCTIONS, .flags = H },
	{ .type = PMUDEV_TYPE_RAW, .config = EVENT_INSTRUCTIONS, .flags = G | K | V },
};

FIXTURE(guest_kill)
{
	int cpu;
	struct guest guest;
	struct runner beside;
	int mine; /* what counts @beside */
	int all;  /* and its CPU */
};

FIXTURE_SETUP(guest_kill)
{
	int ret;

	self->guest.vm = -1;
	if (!exact_instructions())
		SKIP(return, "needs exact counts of each CPU");
	ret = guest_open(&self->guest);
	if (ret == -ENOENT)
		SKIP(return, "needs /dev/kvm on arm64");
	ASSERT_EQ(0, ret);
	self->cpu = cpus_online() - 1;
	ASSERT_EQ(0, vcpu_set_work(&self->guest.vcpu[0], work));
	ASSERT_EQ(0, runner_start(&self->beside, &self->guest.vcpu[0]));
	ASSERT_EQ(0, pin_task_to(self->beside.thread.pid, self->cpu));
	self->mine = pm_attach(self->beside.thread.pid, 0, events, 2, true);
	ASSERT_GE(self->mine, 0);
	self->all = pm_cpu_set(self->cpu, 0, events, 2);
	ASSERT_GE(self->all, 0);
}

FIXTURE_TEARDOWN(guest_kill)
{
	if (self->guest.vm < 0)
		return;
	close(self->all);
	close(self->mine);
	runner_end(&self->beside);
	guest_close(&self->guest);
}

/* On this CPU, in the guest until it is killed; with counters of its own or without. */
static int run_endless(int cpu, bool counted)
{
	struct guest guest;

	if (pin_to(cpu) || guest_open(&guest))
		return 1;
	if (counted && pm_set(events, 2, true) < 0)
		return 2;
	vcpu_set_work(&guest.vcpu[0], (struct guest_work){ .el0 = GUEST_ENDLESS });
	vcpu_run(&guest.vcpu[0]);
	return 3;
}

/* Half of the rounds before the process is killed, half while it is; or all without one. */
static void run_beside(struct __test_metadata *_metadata, struct _test_data_guest_kill *self,
		       int victim)
{
	if (victim)
		ASSERT_TRUE(count_grows(self->all, 0));
	runner_go(&self->beside, ROUNDS);
	ASSERT_EQ(0, runner_wait(&self->beside));
	if (victim)
		ASSERT_TRUE(count_grows(self->all, 0));
	runner_go(&self->beside, ROUNDS);
	if (victim) {
		ASSERT_EQ(0, kill(victim, SIGKILL));
		EXPECT_EQ(1000 + SIGKILL, child_result(victim));
	}
	ASSERT_EQ(0, runner_wait(&self->beside));
}

/* No guest is there now: nothing is a guest's, and what is done is the host's. */
static void expect_host(struct __test_metadata *_metadata, struct _test_data_guest_kill *self)
{
	__u64 guest = pm_value(self->all, 0), host = pm_value(self->all, 1);

	ASSERT_EQ(0, subject_work(&self->beside.thread, WORK));
	EXPECT_EQ(guest, pm_value(self->all, 0));
	EXPECT_LE(host + WORK * LOOP_INSTRUCTIONS, pm_value(self->all, 1));
}

/* What is counted beside is as it was before, and will be after. */
TEST_F(guest_kill, beside)
{
	struct guest_count round = guest_round(work);
	__u64 guest, host, all, alone = 0;
	int i, victim;

	/* First without; the very first brings in the pages. */
	for (i = -2; i < KILLS; i++) {
		guest = pm_value(self->mine, 0);
		host = pm_value(self->mine, 1);
		all = pm_value(self->all, 1);
		victim = i < 0 ? 0 : fork_bound();
		if (!victim && i >= 0)
			_exit(run_endless(self->cpu, i % 2));
		ASSERT_LE(0, victim);
		run_beside(_metadata, self, victim);
		EXPECT_EQ(2 * ROUNDS * (round.el1 + round.el0), pm_value(self->mine, 0) - guest);
		host = pm_value(self->mine, 1) - host;
		if (i < 0)
			alone = host;
		EXPECT_EQ(alone, host) TH_LOG("kill %d", i);
		/* No part of it is the guest's, and none of what the CPU's host did. */
		EXPECT_LT(host, 2 * ROUNDS * round.el0);
		EXPECT_LT(pm_value(self->all, 1) - all, 2 * ROUNDS * round.el0);
		expect_host(_metadata, self);
	}
}

TEST_HARNESS_MAIN
