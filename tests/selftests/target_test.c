// SPDX-License-Identifier: GPL-2.0
/*
 * A set on another task: it counts what that one executes from ENABLE's return on, to the
 * instruction, whether it sleeps, runs or is halted at that moment, and nothing that anybody else
 * does, the one who attached included. Several sets and targets are in target_many_test.c.
 */
#include "subject.h"
#include "kselftest_harness.h"
#include "target.h"

TEST_F(target, asleep)
{
	__u64 n, sum = 0;
	union record r;
	int fd;

	fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0ULL, pm_value(fd, 0));
	for (n = 1; n <= 1000000; n *= 10) {
		ASSERT_EQ(0, subject_work(&self->s, n));
		sum += WORK(n);
		EXPECT_EQ(sum, pm_value(fd, 0));
		/* What the caller does is not counted. */
		loop(n);
		EXPECT_EQ(sum, pm_value(fd, 0));
	}
	EXPECT_EQ(0, pm_read(fd, &r));
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, r.r.flags);
	EXPECT_EQ(r.r.counts[0].time_enabled, r.r.counts[0].time_running);
	EXPECT_EQ(r.r.time_enabled, r.r.counts[0].time_enabled);
	close(fd);
}

/* The target's time only: a nanosecond an instruction at least, and none while it sleeps. */
TEST_F(target, times)
{
	union record before, slept, after;
	int fd;

	if (!exact_clock())
		SKIP(return, "the clock does not count instructions here (one CPU, -icount)");
	fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, subject_work(&self->s, 1000));
	ASSERT_EQ(0, pm_read(fd, &before));
	loop(10000000);
	ASSERT_EQ(0, pm_read(fd, &slept));
	EXPECT_EQ(before.r.time_enabled, slept.r.time_enabled);
	EXPECT_EQ(before.r.time_running, slept.r.time_running);
	EXPECT_EQ(before.r.counts[0].time_enabled, slept.r.counts[0].time_enabled);
	ASSERT_EQ(0, subject_work(&self->s, 1000000));
	ASSERT_EQ(0, pm_read(fd, &after));
	EXPECT_GE(after.r.time_enabled - slept.r.time_enabled, WORK(1000000));
	EXPECT_LE(after.r.time_enabled - slept.r.time_enabled, 2 * WORK(1000000));
	EXPECT_EQ(after.r.time_enabled, after.r.time_running);
	close(fd);
}

TEST_F(target, detached_and_attached_again)
{
	int fd, i;

	for (i = 0; i < 20; i++) {
		fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
		ASSERT_GE(fd, 0);
		EXPECT_EQ(0ULL, pm_value(fd, 0));
		ASSERT_EQ(0, subject_work(&self->s, 1000 + i));
		EXPECT_EQ(WORK(1000 + i), pm_value(fd, 0));
		close(fd);
		ASSERT_EQ(0, subject_work(&self->s, 100));
	}
}

/* Added, but not enabled; stopped, set to a value, and going on. */
TEST_F(target, controlled)
{
	__u64 value = (1ULL << 63) - 5;
	int fd;

	fd = pm_attach(self->s.pid, 0, &self->event, 1, false);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, subject_work(&self->s, 1000));
	EXPECT_EQ(0ULL, pm_value(fd, 0));
	ASSERT_EQ(0, pm_enable(fd, 0));
	ASSERT_EQ(0, subject_work(&self->s, 1000));
	EXPECT_EQ(WORK(1000), pm_value(fd, 0));
	ASSERT_EQ(0, pm_reset(fd, 0, value));
	EXPECT_EQ(value, pm_value(fd, 0));
	ASSERT_EQ(0, subject_work(&self->s, 1000));
	EXPECT_EQ(value + WORK(1000), pm_value(fd, 0));
	ASSERT_EQ(0, pm_disable(fd, 0));
	ASSERT_EQ(0, subject_work(&self->s, 1000));
	EXPECT_EQ(value + WORK(1000), pm_value(fd, 0));
	ASSERT_EQ(0, pm_enable(fd, 0));
	ASSERT_EQ(0, subject_work(&self->s, 1000));
	EXPECT_EQ(value + 2 * WORK(1000), pm_value(fd, 0));
	ASSERT_EQ(0, pm_disable(fd, 0));
	ASSERT_EQ(0, pm_remove(fd, 0));
	/* Once it is no longer counted, it can be counted anew. */
	ASSERT_EQ(0, pm_add(fd, &self->event, 1));
	ASSERT_EQ(0, pm_enable(fd, 0));
	ASSERT_EQ(0, subject_work(&self->s, 1000));
	EXPECT_EQ(WORK(1000), pm_value(fd, 0));
	close(fd);
}

TEST_F(target, a_thread_of_this_process)
{
	struct subject t;
	__u64 n, sum = 0;
	int fd;

	ASSERT_EQ(0, subject_thread(&t));
	ASSERT_NE(getpid(), t.pid);
	fd = pm_attach(t.pid, 0, &self->event, 1, true);
	ASSERT_GE(fd, 0);
	for (n = 1; n <= 100000; n *= 10) {
		ASSERT_EQ(0, subject_work(&t, n));
		loop(n);
		sum += WORK(n);
		EXPECT_EQ(sum, pm_value(fd, 0));
	}
	close(fd);
	EXPECT_EQ(0, subject_end(&t));
}

static struct reader reader;

static long read_directly(long n)
{
	__u64 count;
	int ret;

	reader.tid = my_tid();
	ret = measure_direct(&reader, 0, n, &count);
	return ret ? ret : (long)count;
}

/* Its page is that thread's to read from, whoever bound the set and mapped it. */
TEST_F(target, a_threads_page)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	struct pmudev_page *page;
	struct subject t;
	__u64 value;
	long cost;
	int fd;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, subject_thread(&t));
	fd = pm_attach(t.pid, 0, &event, 1, true);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	reader.page = page;
	EXPECT_EQ(-EAGAIN, read_directly(1000));
	cost = subject_do(&t, read_directly, 1000) - 1000 * LOOP_INSTRUCTIONS;
	EXPECT_GT(cost, 0);
	EXPECT_LT(cost, 150);
	EXPECT_EQ(100000 * LOOP_INSTRUCTIONS + cost, subject_do(&t, read_directly, 100000));
	value = pm_value(fd, 0);
	ASSERT_EQ(0, subject_work(&t, 1000));
	EXPECT_EQ(value + WORK(1000), pm_value(fd, 0));
	pm_unmap(page);
	/* Of another process it is nobody's but that one's to map. */
	close(fd);
	fd = pm_attach(self->s.pid, 0, &event, 1, true);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(NULL, pm_map(fd));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ((__u32)PMUDEV_WHY_NOT_OWNER, why.code);
	close(fd);
	EXPECT_EQ(0, subject_end(&t));
	EXPECT_EQ(0, set_user_access(false));
}

/* Who counts and who is counted have nothing to do with each other. */
TEST_F(target, from_outside)
{
	int pipes[2][2], child, fd;
	__u64 value = 0;
	char byte;

	ASSERT_EQ(0, pipe(pipes[0]));
	ASSERT_EQ(0, pipe(pipes[1]));
	child = fork_bound();
	if (!child) {
		fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
		write(pipes[0][1], &byte, 1);
		read(pipes[1][0], &byte, 1);
		value = pm_value(fd, 0);
		write(pipes[0][1], &value, sizeof(value));
		_exit(0);
	}
	ASSERT_EQ(1, read(pipes[0][0], &byte, 1));
	ASSERT_EQ(0, subject_work(&self->s, 5000));
	ASSERT_EQ(1, write(pipes[1][1], &byte, 1));
	ASSERT_EQ((ssize_t)sizeof(value), read(pipes[0][0], &value, sizeof(value)));
	EXPECT_EQ(WORK(5000), value);
	EXPECT_EQ(0, child_result(child));
}

/* Its children, threads or processes, are not counted with it. */
static void *spin_thread(void *arg)
{
	loop((long)arg);
	return NULL;
}

static long have_children(long n)
{
	pthread_t thread;
	int child = fork();

	if (!child) {
		loop(n);
		_exit(0);
	}
	if (pthread_create(&thread, NULL, spin_thread, (void *)n))
		return -1;
	pthread_join(thread, NULL);
	return child_result(child);
}

TEST_F(target, without_children)
{
	__u64 none, many;
	int fd;

	fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, subject_do(&self->s, have_children, 1));
	none = pm_value(fd, 0);
	ASSERT_EQ(0, subject_do(&self->s, have_children, 10000000));
	many = pm_value(fd, 0) - none;
	EXPECT_LT(none, 100000ULL);
	EXPECT_LT(many, 100000ULL);
	close(fd);
}

/* Where it is woken is not where it slept. */
TEST_F(target, moved_while_asleep)
{
	__u64 sum = 0;
	int fd, i;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, pin_task_to(self->s.pid, i % cpus_online()));
		ASSERT_EQ(0, subject_work(&self->s, 1000 + i));
		sum += WORK(1000 + i);
		ASSERT_EQ(sum, pm_value(fd, 0));
	}
	close(fd);
}

TEST_HARNESS_MAIN
