// SPDX-License-Identifier: GPL-2.0
/*
 * Several sets on one task, the task's own among them, and sets on several tasks: all count what
 * they should, to the instruction.
 */
#include "subject.h"
#include "kselftest_harness.h"
#include "target.h"

/* Several sets, the target's own among them: all count the same, and no two share a counter. */
TEST_F(target, several_attachers)
{
	struct pmudev_holder holders[64];
	unsigned int i, nr, nr_holders = ARRAY_SIZE(holders);
	int fd[64], own;
	__u64 used = 0, n;
	__s32 counter;

	own = pm_open();
	/* A new subject, which has the descriptor. */
	ASSERT_EQ(0, subject_end(&self->s));
	ASSERT_EQ(0, subject_fork(&self->s));
	ASSERT_EQ(0, subject_do(&self->s, count_yourself, own));
	EXPECT_EQ(0, pm_reset(own, 0, 0));
	for (nr = 0; nr < 64; nr++) {
		fd[nr] = pm_attach(self->s.pid, 0, &self->event, 1, true);
		if (fd[nr] < 0)
			break;
		ASSERT_EQ(0, pm_place(fd[nr], NULL, 0, &counter));
		EXPECT_EQ(0ULL, used & 1ULL << counter);
		used |= 1ULL << counter;
	}
	ASSERT_LT(nr, 64U);
	EXPECT_GE(nr, 2U);
	EXPECT_EQ(-EBUSY, fd[nr]);
	EXPECT_EQ((__u32)PMUDEV_WHY_HELD, why.code);
	EXPECT_EQ(used, used & why.busy);
	EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, why.holder.kind);

	ASSERT_EQ(0, pm_place(own, NULL, 0, &counter));
	EXPECT_EQ(0ULL, used & 1ULL << counter);
	used |= 1ULL << counter;
	/* Who has each of them is told. */
	fd[nr] = pm_attach(self->s.pid, 0, &self->event, 1, false);
	ASSERT_GE(fd[nr], 0);
	EXPECT_EQ(-EBUSY, pm_enable_holders(fd[nr], 0, holders, &nr_holders));
	EXPECT_EQ((unsigned int)__builtin_popcountll(why.busy), nr_holders);
	for (i = 0; i < nr_holders; i++) {
		EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, holders[i].kind);
		/* All were opened here, the subject's own before it was there. */
		EXPECT_EQ(getpid(), holders[i].pid);
		EXPECT_EQ(-1, holders[i].cpu);
		EXPECT_NE(0ULL, used & 1ULL << holders[i].counter);
	}
	close(fd[nr]);

	EXPECT_EQ(0, pm_reset(own, 0, 0));
	for (i = 0; i < nr; i++)
		EXPECT_EQ(0, pm_reset(fd[i], 0, 0));
	for (n = 1000; n <= 100000; n *= 10) {
		ASSERT_EQ(0, subject_work(&self->s, n));
		EXPECT_EQ(pm_value(own, 0), pm_value(fd[0], 0));
	}
	EXPECT_EQ(WORK(1000) + WORK(10000) + WORK(100000), pm_value(own, 0));
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(pm_value(own, 0), pm_value(fd[i], 0));
		close(fd[i]);
	}
	/* It still counts itself. */
	ASSERT_EQ(0, subject_work(&self->s, 1000));
	EXPECT_EQ(2 * WORK(1000) + WORK(10000) + WORK(100000), pm_value(own, 0));
	close(own);
}

/* Different tasks overlap freely: a full set on each of many, and on the caller. */
TEST_F(target, many_targets)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	unsigned int i, j, nr;
	struct subject s[8];
	int fd[8];

	for (nr = 0; nr < 64; nr++)
		events[nr] = self->event;
	for (nr = 64; nr; nr--) {
		fd[0] = pm_set(events, nr, true);
		if (fd[0] >= 0)
			break;
	}
	ASSERT_GE(nr, 4U);
	for (i = 1; i < ARRAY_SIZE(s); i++) {
		ASSERT_EQ(0, subject_fork(&s[i]));
		fd[i] = pm_attach(s[i].pid, 0, events, nr, true);
		ASSERT_GE(fd[i], 0);
	}
	for (j = 0; j < 3; j++)
		for (i = 1; i < ARRAY_SIZE(s); i++)
			ASSERT_EQ(0, subject_work(&s[i], 1000 * i));
	for (i = 1; i < ARRAY_SIZE(s); i++) {
		for (j = 0; j < nr; j++)
			EXPECT_EQ(3 * WORK(1000 * i), pm_value(fd[i], j));
		close(fd[i]);
		EXPECT_EQ(0, subject_end(&s[i]));
	}
	close(fd[0]);
}

/* All that was executed in user mode: by the caller, whom one set counts, and by the target. */
TEST_F(target, nothing_is_lost)
{
	struct tally before, after;
	struct account account;
	int fd[2], i;

	ASSERT_EQ(0, account_open(&account));
	fd[0] = pm_set(&self->event, 1, true);
	fd[1] = pm_attach(self->s.pid, 0, &self->event, 1, true);
	ASSERT_GE(fd[0], 0);
	ASSERT_GE(fd[1], 0);
	ASSERT_EQ(0, account_read(&account, fd, 2, &before));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, subject_work(&self->s, 1000 + i * 97));
	ASSERT_EQ(0, account_read(&account, fd, 2, &after));
	EXPECT_EQ(after.cpus - before.cpus, after.sets - before.sets);
	EXPECT_GT(after.cpus - before.cpus, 100 * WORK(1000));
	close(fd[0]);
	close(fd[1]);
	account_close(&account);
}

TEST_HARNESS_MAIN
