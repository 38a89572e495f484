// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation fails once, as in fail_nth_test.c, for sets on others: a CPU, a process of many
 * threads, a thread's children; and for a user who has a limit.
 */
#include "as.h"
#include "quota.h"
#include "kselftest_harness.h"
#include "fail_nth.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define THREADS 5

/* ----------------------------------------------------------------- other targets -- */

TEST_F_TIMEOUT(fail, cpu, 300)
{
	struct pmudev_event_attr events[10]; /* a few need no memory */
	unsigned int nth, i;
	union record r;
	bool failed;
	int fd;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = in_group(steady(USER_ONLY), i);
	fault_rounds(nth, failed, nr_failing >= 2) {
		fault_arm(nth);
		fd = STEP(pm_open());
		STEP(pm_bind(fd, PMUDEV_TARGET_CPU, 0, 0));
		STEP(pm_add(fd, events, ARRAY_SIZE(events)));
		STEP(pm_enable(fd, 0));
		loop(WORK);
		STEP(pm_read(fd, &r));
		EXPECT_LE(LOOP_INSTRUCTIONS * WORK, r.r.counts[0].value);
		close(fd);
		failed = fault_disarm();
		check_idle(_metadata, self);
	}
	tell(_metadata, "a CPU", nth, 2);
}

/* Slot 0 counts each of the threads. */
static void check_work(struct __test_metadata *_metadata, struct _test_data_fail *self, int fd,
		       struct subject *s)
{
	__u64 value = pm_value(fd, 0);
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, subject_work(&s[i], WORK));
		value += LOOP_INSTRUCTIONS * WORK + self->cost;
		EXPECT_EQ(value, pm_value(fd, 0));
	}
}

/* In memory that is shared: what starts them is another process. */
static struct subject *many_subjects(void)
{
	struct subject *s = mmap(NULL, THREADS * sizeof(*s), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int i;

	for (i = 0; s != MAP_FAILED && i < THREADS; i++)
		if (subject_prepare(&s[i]))
			return MAP_FAILED;
	return s;
}

/* A process of many threads: all of them or none. Then what is added reaches all, or is told. */
TEST_F_TIMEOUT(fail, process, 300)
{
	struct pmudev_event_attr events[5], event = steady(USER_ONLY);
	struct subject leader, *s = many_subjects();
	unsigned int nth, i, incomplete = 0;
	union record r;
	bool failed;
	int fd;

	ASSERT_NE(MAP_FAILED, s);
	ASSERT_EQ(0, subject_fork(&leader));
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, subject_do(&leader, subject_start_prepared, (long)&s[i]));
	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = in_group(mux_event(&self->pool, 0), i + 1);
	fault_rounds(nth, failed, nr_failing >= 4) {
		fault_arm(nth);
		fd = STEP(pm_open());
		STEP(pm_bind(fd, PMUDEV_TARGET_PROCESS, leader.pid, 0));
		STEP(pm_add(fd, &event, 1));
		STEP(pm_enable(fd, 0));
		STEP(pm_read(fd, &r));
		STEP(pm_add(fd, events, ARRAY_SIZE(events)));
		STEP(pm_enable(fd, PMUDEV_ALL));
		STEP(pm_read(fd, &r));
		failed = fault_disarm();
		/* One thread had no memory for the new events; what it had goes on. */
		incomplete += !!(r.r.flags & PMUDEV_RECORD_INCOMPLETE);
		check_work(_metadata, self, fd, s);
		close(fd);
		check_idle(_metadata, self);
	}
	EXPECT_GT(incomplete, 0U);
	tell(_metadata, "a process", nth, 4);
	EXPECT_EQ(0, subject_end(&leader));
}

/* --------------------------------------------------------------------------- children -- */

/* A child either is counted, or the record says that some is not: its work, and no more. */
TEST_F_TIMEOUT(fail, children, 300)
{
	struct pmudev_event_attr event = steady(USER_ONLY);
	unsigned int nth, missing = 0;
	__u64 before, after;
	union record r;
	int fd, child;
	bool failed;

	fault_rounds(nth, failed, missing >= 2) {
		fd = pm_attach(0, PMUDEV_BIND_INHERIT, &event, 1, true);
		ASSERT_GE(fd, 0);
		before = pm_value(fd, 0);
		fault_arm(nth);
		child = fork();
		if (!child) {
			loop(100 * WORK);
			_exit(0);
		}
		failed = fault_disarm();
		ASSERT_GT(child, 0);
		ASSERT_EQ(0, child_result(child));
		ASSERT_EQ(0, pm_read(fd, &r));
		after = r.r.counts[0].value;
		if (r.r.flags & PMUDEV_RECORD_INCOMPLETE) {
			missing++;
			EXPECT_TRUE(failed);
			EXPECT_GT(LOOP_INSTRUCTIONS * 50 * WORK, after - before);
		} else {
			EXPECT_LT(LOOP_INSTRUCTIONS * 100 * WORK, after - before);
			EXPECT_GT(LOOP_INSTRUCTIONS * 110 * WORK, after - before);
		}
		/* The next one is counted. */
		child = fork_bound();
		if (!child) {
			loop(100 * WORK);
			_exit(0);
		}
		ASSERT_EQ(0, child_result(child));
		EXPECT_LT(LOOP_INSTRUCTIONS * 100 * WORK, pm_value(fd, 0) - after);
		close(fd);
		check_idle(_metadata, self);
	}
	/*
	 * The child and its context: both failed once, or what the allocator needed for one of
	 * them. Of all allocations its own are some, which come or do not, so that one of the two
	 * may be jumped over.
	 */
	EXPECT_LE(variant->own ? 2U : 1U, missing);
	printf("# %u children were missing, and it was told\n", missing);
	tell(_metadata, "a fork", nth, 0);
}

/* ------------------------------------------------------------------------- other users -- */

/* 0, 1 if memory was lacking the first time, or -errno. */
static long bind_and_close(long flags)
{
	int fd = pm_open(), ret;

	ret = fd < 0 ? fd : pm_bind(fd, PMUDEV_TARGET_TASK, 0, flags);
	if (fd >= 0 && ret == -ENOMEM && why.code == PMUDEV_WHY_MEMORY)
		ret = pm_bind(fd, PMUDEV_TARGET_TASK, 0, flags) ?: 1;
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Who is not exempt from the limit has an account, which takes memory as well, and is balanced. */
TEST_F_TIMEOUT(fail, somebody, 300)
{
	long limit = read_number(LIMIT), ret;
	unsigned int nth;
	struct stat stat_;
	struct subject s;
	bool failed;
	mode_t mode;

	ASSERT_EQ(0, stat(PMUDEV_DEVICE, &stat_));
	mode = stat_.st_mode & 07777;
	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0666));
	ASSERT_EQ(0, set_limit(MOST));
	ASSERT_EQ(0, subject_fork(&s));
	ASSERT_EQ(0, subject_do(&s, become_user, NOBODY));
	fault_rounds(nth, failed, failures >= 3) {
		fault_arm_task(s.pid, nth);
		ret = subject_do(&s, bind_and_close, 0);
		failed = fault_disarm_task(s.pid);
		EXPECT_TRUE(ret == 0 || (failed && (ret == 1 || ret == -ENOMEM)))
		TH_LOG("allocation %u: %ld", nth, ret);
		failures += !!ret;
	}
	/* The file; who pays for it, and what is followed. Of all, one may be jumped over. */
	EXPECT_LE(variant->own ? 3U : 2U, failures);
	EXPECT_EQ(0, room_of(NOBODY, MOST));
	tell(_metadata, "somebody", nth, 0);
	EXPECT_EQ(0, subject_end(&s));
	set_limit(limit);
	chmod(PMUDEV_DEVICE, mode);
}

TEST_HARNESS_MAIN
