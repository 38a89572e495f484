// SPDX-License-Identifier: GPL-2.0
/*
 * What is done to a set that inherits while children live reaches all of them; what ends, of the
 * target, its children and the set, leaves the others as they are.
 */
#include "subject.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CHILDREN 10

FIXTURE(children)
{
	__u64 cost;
	struct pmudev_event_attr event;
	int fd; /* on the parent, inherited */
	struct subject parent;
	struct subject s[CHILDREN]; /* its children: threads of its process */
};

/* The children run in a process of this test; the parent is one of its threads. */
static struct subject *to_start;

static long start_child(long i)
{
	return subject_thread(&to_start[i]);
}

FIXTURE_SETUP(children)
{
	int i;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	self->cost = subject_cost();
	ASSERT_NE(0ULL, self->cost);
	ASSERT_EQ(0, subject_thread(&self->parent));
	self->fd = pm_attach(self->parent.pid, PMUDEV_BIND_INHERIT, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	to_start = self->s;
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, subject_do(&self->parent, start_child, i));
}

FIXTURE_TEARDOWN(children)
{
	struct pmudev_query query;

	close(self->fd);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

#define WORK(n) (LOOP_INSTRUCTIONS * (__u64)(n) + self->cost)

static void end_children(struct __test_metadata *_metadata, struct _test_data_children *self)
{
	int i;

	for (i = 0; i < CHILDREN; i++)
		EXPECT_EQ(0, subject_end(&self->s[i]));
}

/* All of them work, the parent first: what the set counted of it, against what it should. */
static void all_work(struct __test_metadata *_metadata, struct _test_data_children *self, __u64 n,
		     bool counted)
{
	__u64 value = pm_value(self->fd, 0);
	int i;

	ASSERT_EQ(0, subject_work(&self->parent, n));
	value += counted * WORK(n);
	EXPECT_EQ(value, pm_value(self->fd, 0));
	for (i = 0; i < CHILDREN; i++) {
		ASSERT_EQ(0, subject_work(&self->s[i], n + i));
		value += counted * WORK(n + i);
		EXPECT_EQ(value, pm_value(self->fd, 0));
	}
}

TEST_F(children, disable_and_enable_reach_all)
{
	int i;

	for (i = 0; i < 5; i++) {
		all_work(_metadata, self, 1000, true);
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		all_work(_metadata, self, 1000, false);
		ASSERT_EQ(0, pm_enable(self->fd, 0));
	}
	all_work(_metadata, self, 1000, true);
	end_children(_metadata, self);
	EXPECT_EQ(0, subject_end(&self->parent));
}

/* A count is set for all together, also for those who had ended by then. */
TEST_F(children, reset_reaches_all)
{
	static const __u64 values[] = { 0, 5, 0xffffffffULL, 1ULL << 63, ~0ULL - 1000000 };
	unsigned int i;

	all_work(_metadata, self, 1000, true);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		EXPECT_EQ(0, subject_end(&self->s[i]));
		ASSERT_EQ(0, subject_do(&self->parent, start_child, i));
		ASSERT_EQ(0, pm_reset(self->fd, 0, values[i]));
		EXPECT_EQ(values[i], pm_value(self->fd, 0));
		all_work(_metadata, self, 1000, true);
		EXPECT_EQ(values[i] + 11 * WORK(1000) + 45 * LOOP_INSTRUCTIONS,
			  pm_value(self->fd, 0));
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		ASSERT_EQ(0, pm_reset(self->fd, PMUDEV_ALL, values[i]));
		EXPECT_EQ(values[i], pm_value(self->fd, 0));
		ASSERT_EQ(0, pm_enable(self->fd, 0));
	}
	end_children(_metadata, self);
	EXPECT_EQ(0, subject_end(&self->parent));
}

/* Made while the group is disabled, a child is counted from ENABLE on. */
TEST_F(children, made_while_disabled)
{
	struct subject late;
	__u64 value;

	ASSERT_EQ(0, pm_disable(self->fd, 0));
	EXPECT_EQ(0, subject_end(&self->s[0]));
	ASSERT_EQ(0, subject_do(&self->parent, start_child, 0));
	/* A grandchild. */
	to_start = &late;
	ASSERT_EQ(0, subject_do(&self->s[1], start_child, 0));
	value = pm_value(self->fd, 0);
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	EXPECT_EQ(value, pm_value(self->fd, 0));
	all_work(_metadata, self, 1000, true);
	value = pm_value(self->fd, 0);
	ASSERT_EQ(0, subject_work(&late, 1000));
	EXPECT_EQ(value + WORK(1000), pm_value(self->fd, 0));
	EXPECT_EQ(0, subject_end(&late));
	end_children(_metadata, self);
	EXPECT_EQ(0, subject_end(&self->parent));
}

/* Groups that are added later are children's, too. */
TEST_F(children, added_later)
{
	struct pmudev_event_attr more = in_group(self->event, 1);
	__u64 value;
	int i;

	all_work(_metadata, self, 1000, true);
	ASSERT_EQ(0, pm_add(self->fd, &more, 1));
	all_work(_metadata, self, 1000, true);
	EXPECT_EQ(0ULL, pm_value(self->fd, 1));
	ASSERT_EQ(0, pm_enable(self->fd, 1));
	value = pm_value(self->fd, 0);
	for (i = 0; i < 3; i++) {
		all_work(_metadata, self, 1000 * i + 1, true);
		EXPECT_EQ(pm_value(self->fd, 0) - value, pm_value(self->fd, 1));
	}
	/* One group goes, the other stays. */
	ASSERT_EQ(0, pm_disable(self->fd, 1));
	value = pm_value(self->fd, 1);
	all_work(_metadata, self, 1000, true);
	EXPECT_EQ(value, pm_value(self->fd, 1));
	ASSERT_EQ(0, pm_remove(self->fd, 1));
	all_work(_metadata, self, 1000, true);
	end_children(_metadata, self);
	EXPECT_EQ(0, subject_end(&self->parent));
}

TEST_F(children, closed_while_children_live)
{
	struct pmudev_query query;
	int i, fd;

	all_work(_metadata, self, 1000, true);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, pm_query(&query));
	EXPECT_EQ(0ULL, query.busy);
	/* They go on, can be counted anew, and are none the worse for what was. */
	for (i = 0; i < CHILDREN; i++) {
		ASSERT_EQ(0, subject_work(&self->s[i], 1000));
		fd = pm_attach(self->s[i].pid, 0, &self->event, 1, true);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, subject_work(&self->s[i], 1000));
		EXPECT_EQ(WORK(1000), pm_value(fd, 0));
		close(fd);
	}
	end_children(_metadata, self);
	EXPECT_EQ(0, subject_end(&self->parent));
}

/* The set counts until the last child has ended. */
TEST_F(children, target_ends_first)
{
	struct pmudev_event_attr more = in_group(self->event, 1);
	union record r;
	__u64 value;
	int i;

	all_work(_metadata, self, 1000, true);
	EXPECT_EQ(0, subject_end(&self->parent));
	EXPECT_TRUE(WAIT_FOR(!task_state(self->parent.pid)));
	ASSERT_EQ(0, pm_read(self->fd, &r));
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, r.r.flags);
	value = r.r.counts[0].value;
	for (i = 0; i < CHILDREN; i++) {
		ASSERT_EQ(0, subject_work(&self->s[i], 1000));
		value += WORK(1000);
		EXPECT_EQ(value, pm_value(self->fd, 0));
	}
	/* It can be controlled, too, for their sake. */
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, subject_work(&self->s[3], 1000));
	EXPECT_EQ(value, pm_value(self->fd, 0));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	ASSERT_EQ(0, subject_work(&self->s[3], 1000));
	value += WORK(1000);
	EXPECT_EQ(value, pm_value(self->fd, 0));
	for (i = 0; i < CHILDREN; i++) {
		ASSERT_EQ(0, pm_read(self->fd, &r));
		EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, r.r.flags);
		EXPECT_EQ(0, subject_end(&self->s[i]));
	}
	EXPECT_TRUE(WAIT_FOR(!pm_read(self->fd, &r) && r.r.flags & PMUDEV_RECORD_ENDED));
	EXPECT_GT(r.r.counts[0].value, value);
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_enable(self->fd, 0));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_add(self->fd, &more, 1));
	EXPECT_EQ(r.r.counts[0].value, pm_value(self->fd, 0));
}

/* The last child holds its counters, also while it is being read. */
TEST_F(children, the_last_one)
{
	struct pmudev_query query;
	union record r;
	int i, reader;

	EXPECT_EQ(0, subject_end(&self->parent));
	EXPECT_TRUE(WAIT_FOR(!task_state(self->parent.pid)));
	for (i = 1; i < CHILDREN; i++)
		EXPECT_EQ(0, subject_end(&self->s[i]));
	reader = fork();
	if (!reader)
		while (!pm_read(self->fd, &r) && r.r.flags == PMUDEV_RECORD_ENABLED)
			;
	if (!reader)
		_exit(0);
	ASSERT_GT(reader, 0);
	for (i = 0; i < 3000; i++) {
		ASSERT_EQ(0, pm_query(&query));
		ASSERT_NE(0ULL, query.busy);
	}
	/* Whoever reads has seen nothing else either. */
	EXPECT_EQ(0, waitpid(reader, NULL, WNOHANG));
	EXPECT_EQ(0, subject_end(&self->s[0]));
	EXPECT_EQ(0, child_result(reader));
}

/* ------------------------------------------------------------ sets beside each other -- */

/* One of the children has a set of its own, besides the one that it inherited. */
TEST_F(children, a_childs_own_set)
{
	struct pmudev_holder holders[64];
	unsigned int nr, nr_holders = ARRAY_SIZE(holders), i;
	__u64 used = 0, value;
	__s32 counter;
	int fd[64];

	ASSERT_EQ(0, pm_place(self->fd, NULL, 0, &counter));
	used = 1ULL << counter;
	for (nr = 0; nr < 64; nr++) {
		fd[nr] = pm_attach(self->s[2].pid, nr & 1 ? PMUDEV_BIND_INHERIT : 0, &self->event,
				   1, true);
		if (fd[nr] < 0)
			break;
		ASSERT_EQ(0, pm_place(fd[nr], NULL, 0, &counter));
		EXPECT_EQ(0ULL, used & 1ULL << counter);
		used |= 1ULL << counter;
	}
	ASSERT_EQ(-EBUSY, fd[nr]);
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, why.code);
	ASSERT_GE(nr, 2U);
	fd[nr] = pm_attach(self->s[2].pid, 0, &self->event, 1, false);
	ASSERT_GE(fd[nr], 0);
	EXPECT_EQ(-EBUSY, pm_enable_holders(fd[nr], 0, holders, &nr_holders));
	EXPECT_EQ((unsigned int)__builtin_popcountll(why.busy), nr_holders);
	EXPECT_EQ(used, used & why.busy);
	close(fd[nr]);

	value = pm_value(self->fd, 0);
	ASSERT_EQ(0, subject_work(&self->s[2], 5000));
	value += WORK(5000);
	EXPECT_EQ(value, pm_value(self->fd, 0));
	for (i = 0; i < nr; i++)
		EXPECT_EQ(WORK(5000), pm_value(fd[i], 0));
	/* Other children's counts belong only to the inherited set. */
	ASSERT_EQ(0, subject_work(&self->s[3], 1000));
	ASSERT_EQ(0, subject_work(&self->parent, 1000));
	EXPECT_EQ(value + 2 * WORK(1000), pm_value(self->fd, 0));
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(WORK(5000), pm_value(fd[i], 0));
		close(fd[i]);
	}
	end_children(_metadata, self);
	EXPECT_EQ(0, subject_end(&self->parent));
}

/* The inherited set cannot get a counter that a child's own set holds, and vice versa. */
TEST_F(children, a_childs_counter)
{
	struct pmudev_event_attr chosen;
	struct pmudev_query query;
	__s32 counter;
	int fd;

	ASSERT_EQ(0, pm_query(&query));
	ASSERT_EQ(0, pm_place(self->fd, NULL, 0, &counter));
	chosen = event_on(counter, USER_ONLY);
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_remove(self->fd, 0));
	/* The child is first. */
	fd = pm_attach(self->s[4].pid, 0, &chosen, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_add(self->fd, &chosen, 1));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(self->fd, 0));
	EXPECT_EQ(1ULL << counter, why.busy);
	EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, why.holder.kind);
	EXPECT_EQ(getpid(), why.holder.pid);
	/* The inherited set is first. */
	ASSERT_EQ(0, pm_disable(fd, 0));
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_enable(fd, 0));
	EXPECT_EQ(1ULL << counter, why.busy);
	close(fd);
	/* On somebody who is none of it the counter is free. */
	EXPECT_GE(fd = pm_set(&chosen, 1, true), 0);
	close(fd);
	end_children(_metadata, self);
	EXPECT_EQ(0, subject_end(&self->parent));
}

/* Nested inheritance: a child of both sets is counted by both. */
TEST_F(children, inherited_twice)
{
	struct subject grandchild;
	__u64 value;
	int fd;

	fd = pm_attach(self->s[5].pid, PMUDEV_BIND_INHERIT, &self->event, 1, true);
	ASSERT_GE(fd, 0);
	to_start = &grandchild;
	ASSERT_EQ(0, subject_do(&self->s[5], start_child, 0));
	value = pm_value(self->fd, 0);
	ASSERT_EQ(0, pm_reset(fd, 0, 0));
	ASSERT_EQ(0, subject_work(&grandchild, 1000));
	ASSERT_EQ(0, subject_work(&self->s[5], 3000));
	ASSERT_EQ(0, subject_work(&self->s[6], 7000));
	EXPECT_EQ(value + WORK(1000) + WORK(3000) + WORK(7000), pm_value(self->fd, 0));
	EXPECT_EQ(WORK(1000) + WORK(3000), pm_value(fd, 0));
	/* The smaller one goes. */
	close(fd);
	ASSERT_EQ(0, subject_work(&grandchild, 1000));
	EXPECT_EQ(value + 2 * WORK(1000) + WORK(3000) + WORK(7000), pm_value(self->fd, 0));
	EXPECT_EQ(0, subject_end(&grandchild));
	end_children(_metadata, self);
	EXPECT_EQ(0, subject_end(&self->parent));
}

TEST_HARNESS_MAIN
