// SPDX-License-Identifier: GPL-2.0
/*
 * ON_EXEC with INHERIT: each of the target's children begins to be counted when it executes a
 * program, and the target when it does so itself; until then they wait, each for itself.
 */
#include "again.h"
#include "kselftest_harness.h"

FIXTURE(children)
{
	struct pmudev_event_attr event;
	struct subject s;
	int fd;	 /* waits for exec */
	int all; /* counts the same children all the time */
};

FIXTURE_SETUP(children)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	ASSERT_EQ(0, subject_fork(&self->s));
	self->fd = pm_attach(self->s.pid, PMUDEV_BIND_ON_EXEC | PMUDEV_BIND_INHERIT, &self->event,
			     1, true);
	self->all = pm_attach(self->s.pid, PMUDEV_BIND_INHERIT, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_GE(self->all, 0);
}

FIXTURE_TEARDOWN(children)
{
	struct pmudev_query query;

	close(self->fd);
	close(self->all);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

/*
 * A set that counts all children all the time counts as much more as the target takes to make a
 * child and the child to execute: the same each time, to the instruction.
 */
static void of_children(struct __test_metadata *_metadata, struct _test_data_children *self,
			long (*order)(long n))
{
	__u64 n, value, all, before = 0, sum = 0, sum_all = 0;
	union record r;

	ASSERT_EQ(0, subject_work(&self->s, 1000));
	EXPECT_EQ(0ULL, pm_value(self->fd, 0));
	for (n = 0x100; n <= 0x100000; n *= 16) {
		sum = pm_value(self->fd, 0);
		sum_all = pm_value(self->all, 0);
		ASSERT_EQ(0, subject_do(&self->s, order, n));
		value = pm_value(self->fd, 0) - sum;
		all = pm_value(self->all, 0) - sum_all;
		EXPECT_GT(value, LOOP_INSTRUCTIONS * n);
		EXPECT_LT(value, LOOP_INSTRUCTIONS * n + START_MAX);
		/* The first one brings in pages. */
		if (n <= 0x1000)
			before = all - value;
		EXPECT_EQ(before, all - value);
		/* The target itself still waits. */
		EXPECT_EQ(0, pm_read(self->fd, &r));
		EXPECT_TRUE(r.r.flags & PMUDEV_RECORD_ARMED);
		ASSERT_EQ(0, subject_work(&self->s, 1000));
		EXPECT_EQ(sum + value, pm_value(self->fd, 0));
	}
	/* And then it does it, too. */
	value = pm_value(self->fd, 0);
	subject_tell(&self->s, exec_loop, 0x2000);
	ASSERT_EQ(0, child_result(self->s.pid));
	EXPECT_TRUE(WAIT_FOR(!pm_read(self->fd, &r) && r.r.flags == PMUDEV_RECORD_ENDED));
	EXPECT_GT(r.r.counts[0].value, value + LOOP_INSTRUCTIONS * 0x2000);
	EXPECT_LT(r.r.counts[0].value, value + LOOP_INSTRUCTIONS * 0x2000 + START_MAX);
}

TEST_F(children, of_a_forked_child)
{
	of_children(_metadata, self, fork_and_exec);
}

TEST_F(children, of_a_vforked_child)
{
	of_children(_metadata, self, vfork_and_exec);
}

/* Several children wait and begin at their own times; one that executes nothing adds nothing. */
static long children_of_all_kinds(long n)
{
	int child[3], i;

	for (i = 0; i < 3; i++) {
		child[i] = fork();
		if (!child[i]) {
			loop(n);
			if (i)
				exec_loop(n);
			_exit(0);
		}
	}
	for (i = 0; i < 3; i++)
		if (child_result(child[i]))
			return i + 1;
	return 0;
}

TEST_F(children, each_for_itself)
{
	__u64 n = 1000000;
	union record r;

	ASSERT_EQ(0, subject_do(&self->s, children_of_all_kinds, n));
	ASSERT_EQ(0, pm_read(self->fd, &r));
	/* Two of three, the second halves of what they did. */
	EXPECT_GT(r.r.counts[0].value, 2 * LOOP_INSTRUCTIONS * n);
	EXPECT_LT(r.r.counts[0].value, 2 * (LOOP_INSTRUCTIONS * n + START_MAX));
	EXPECT_GT(pm_value(self->all, 0), 5 * LOOP_INSTRUCTIONS * n);
	EXPECT_EQ((__u32)(PMUDEV_RECORD_ENABLED | PMUDEV_RECORD_ARMED), r.r.flags);
	/* Taken back, it begins to count for nobody. */
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, subject_do(&self->s, children_of_all_kinds, n));
	EXPECT_EQ(r.r.counts[0].value, pm_value(self->fd, 0));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	ASSERT_EQ(0, subject_do(&self->s, children_of_all_kinds, n));
	EXPECT_GT(pm_value(self->fd, 0), 4 * LOOP_INSTRUCTIONS * n);
	EXPECT_LT(pm_value(self->fd, 0), 4 * (LOOP_INSTRUCTIONS * n + START_MAX));
	EXPECT_EQ(0, subject_end(&self->s));
}

int main(int argc, char **argv)
{
	play(argc, argv);
	return test_harness_run(argc, argv);
}
