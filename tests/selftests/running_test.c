// SPDX-License-Identifier: GPL-2.0
/*
 * A set on a task that never sleeps. Halted, the task tells how many instructions it has executed,
 * from its rounds and where in a round it is: between any two halts the count is exactly that.
 */
#include "subject.h"
#include "kselftest_harness.h"

FIXTURE(running)
{
	struct pmudev_event_attr event;
	struct spinner s;
	int fd;
	/* At the last halt. */
	__u64 executed;
	__u64 count;
};

FIXTURE_SETUP(running)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	ASSERT_EQ(0, spinner_start(&self->s));
}

FIXTURE_TEARDOWN(running)
{
	spinner_stop(&self->s);
	close(self->fd);
}

/* Until the spinner has gone round once more at least. */
static bool goes_on(struct spinner *s)
{
	__u64 rounds = READ_ONCE(*s->rounds);

	return WAIT_FOR(READ_ONCE(*s->rounds) != rounds);
}

/* At a halt: what was executed and what was counted since the one before. */
static int halt(struct _test_data_running *self, __u64 *executed, __u64 *counted)
{
	int ret = spinner_halt(&self->s);
	__s64 now = ret ? ret : spinner_executed(&self->s);
	__u64 count = pm_value(self->fd, 0);

	if (now < 0)
		return now;
	*executed = now - self->executed;
	*counted = count - self->count;
	self->executed = now;
	self->count = count;
	return 0;
}

TEST_F(running, attached_while_halted)
{
	__u64 executed, counted;
	int i;

	ASSERT_EQ(0, spinner_halt(&self->s));
	self->fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(0ULL, pm_value(self->fd, 0));
	self->executed = spinner_executed(&self->s);
	for (i = 0; i < few(100); i++) {
		ASSERT_EQ(0, spinner_go(&self->s));
		EXPECT_TRUE(goes_on(&self->s));
		ASSERT_EQ(0, halt(self, &executed, &counted));
		EXPECT_GT(executed, 0ULL);
		ASSERT_EQ(executed, counted);
	}
}

/* The rounds before and after a call bound what was executed until it took effect. */
TEST_F(running, attached_while_running)
{
	__u64 before, after, executed, counted;
	int i;

	for (i = 0; i < few(50); i++) {
		self->fd = pm_attach(self->s.pid, 0, &self->event, 1, false);
		ASSERT_GE(self->fd, 0);
		/* What it executes between BIND and ENABLE is not counted. */
		EXPECT_TRUE(goes_on(&self->s));
		EXPECT_EQ(0ULL, pm_value(self->fd, 0));
		before = READ_ONCE(*self->s.rounds);
		ASSERT_EQ(0, pm_enable(self->fd, 0));
		after = READ_ONCE(*self->s.rounds);
		EXPECT_TRUE(goes_on(&self->s));
		self->executed = 0;
		self->count = 0;
		ASSERT_EQ(0, halt(self, &executed, &counted));
		EXPECT_LE(counted, executed - SPIN_INSTRUCTIONS * before + SPIN_INSTRUCTIONS);
		EXPECT_GE(counted, executed - SPIN_INSTRUCTIONS * after - SPIN_INSTRUCTIONS);
		ASSERT_EQ(0, spinner_go(&self->s));
		EXPECT_TRUE(goes_on(&self->s));
		ASSERT_EQ(0, halt(self, &executed, &counted));
		EXPECT_EQ(executed, counted);
		ASSERT_EQ(0, spinner_go(&self->s));
		EXPECT_TRUE(goes_on(&self->s));
		close(self->fd);
	}
}

TEST_F(running, read_while_running)
{
	__u64 before, after, value, last = 0, executed, counted;
	int i;

	ASSERT_EQ(0, spinner_halt(&self->s));
	self->fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	self->executed = spinner_executed(&self->s);
	ASSERT_EQ(0, spinner_go(&self->s));
	for (i = 0; i < few(300); i++) {
		before = READ_ONCE(*self->s.rounds);
		value = pm_value(self->fd, 0) + self->executed;
		after = READ_ONCE(*self->s.rounds);
		EXPECT_GE(value, last);
		EXPECT_GE(value + SPIN_INSTRUCTIONS, SPIN_INSTRUCTIONS * before);
		EXPECT_LE(value, SPIN_INSTRUCTIONS * (after + 1));
		last = value;
		pause_ns(i * 997 % 50000);
	}
	ASSERT_EQ(0, halt(self, &executed, &counted));
	EXPECT_EQ(executed, counted);
}

TEST_F(running, controlled_while_running)
{
	__u64 value, after, stopped, executed, counted;
	int i;

	self->fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	for (i = 0; i < few(50); i++) {
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		stopped = pm_value(self->fd, 0);
		EXPECT_TRUE(goes_on(&self->s));
		EXPECT_EQ(stopped, pm_value(self->fd, 0));
		ASSERT_EQ(0, pm_enable(self->fd, 0));
		EXPECT_TRUE(goes_on(&self->s));
		EXPECT_GT(pm_value(self->fd, 0), stopped);
		value = READ_ONCE(*self->s.rounds);
		ASSERT_EQ(0, pm_reset(self->fd, 0, i));
		after = READ_ONCE(*self->s.rounds);
		EXPECT_TRUE(goes_on(&self->s));
		self->executed = 0;
		self->count = 0;
		ASSERT_EQ(0, halt(self, &executed, &counted));
		EXPECT_LE(counted, executed - SPIN_INSTRUCTIONS * value + SPIN_INSTRUCTIONS + i);
		EXPECT_GE(counted, executed - SPIN_INSTRUCTIONS * after - SPIN_INSTRUCTIONS + i);
		ASSERT_EQ(0, spinner_go(&self->s));
		EXPECT_TRUE(goes_on(&self->s));
		ASSERT_EQ(0, halt(self, &executed, &counted));
		EXPECT_EQ(executed, counted);
		ASSERT_EQ(0, spinner_go(&self->s));
	}
}

/* Pushed from CPU to CPU by somebody else, at any instruction of its loop. */
TEST_F(running, moved_while_running)
{
	__u64 executed, counted;
	int i;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, spinner_halt(&self->s));
	self->fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	self->executed = spinner_executed(&self->s);
	ASSERT_EQ(0, spinner_go(&self->s));
	for (i = 0; i < few(200); i++) {
		ASSERT_EQ(0, pin_task_to(self->s.pid, i % cpus_online()));
		pause_ns(i * 997 % 20000);
		if (i % 10)
			continue;
		ASSERT_EQ(0, halt(self, &executed, &counted));
		ASSERT_EQ(executed, counted) TH_LOG("after %d moves", i);
		ASSERT_EQ(0, spinner_go(&self->s));
	}
}

/* More of them than CPUs: they push each other off at every instruction, and off every CPU. */
TEST_F(running, against_each_other)
{
	enum {
		SPINNERS = 6
	};
	struct spinner s[SPINNERS];
	__u64 start[SPINNERS];
	int fd[SPINNERS], i, round;

	for (i = 0; i < SPINNERS; i++) {
		ASSERT_EQ(0, spinner_start(&s[i]));
		ASSERT_EQ(0, spinner_halt(&s[i]));
		fd[i] = pm_attach(s[i].pid, 0, &self->event, 1, true);
		ASSERT_GE(fd[i], 0);
		start[i] = spinner_executed(&s[i]);
		ASSERT_EQ(0, spinner_go(&s[i]));
	}
	for (round = 0; round < 5; round++) {
		pause_ns(20000000);
		for (i = 0; i < SPINNERS; i++) {
			ASSERT_EQ(0, spinner_halt(&s[i]));
			EXPECT_EQ(spinner_executed(&s[i]) - start[i], pm_value(fd[i], 0));
			ASSERT_EQ(0, spinner_go(&s[i]));
		}
	}
	for (i = 0; i < SPINNERS; i++) {
		EXPECT_GT(pm_value(fd[i], 0), 0ULL);
		spinner_stop(&s[i]);
		close(fd[i]);
	}
	self->fd = -1;
}

TEST_HARNESS_MAIN
