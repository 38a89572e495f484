// SPDX-License-Identifier: GPL-2.0
/*
 * A process as a target: all its threads, those it has and those it gets, and with INHERIT its
 * children; against the account of all CPUs, to the instruction.
 */
#include "subject.h"
#include "kselftest_harness.h"

#include <signal.h>
#include <linux/membarrier.h>
#include <sys/mman.h>

FIXTURE(process)
{
	__u64 cost;
	struct pmudev_event_attr event;
	struct account account;
	struct tally before, after;
	struct subject s;
	int fd[2]; /* on the process of the subject, and on the caller */
};

static int bind_process(int pid, __u32 flags, const struct pmudev_event_attr *event)
{
	int fd = pm_open();
	int ret = pm_bind(fd, PMUDEV_TARGET_PROCESS, pid, flags);

	if (!ret)
		ret = pm_add(fd, event, 1);
	if (!ret)
		ret = pm_enable(fd, 0);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

FIXTURE_SETUP(process)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	self->fd[0] = -1;
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	self->cost = subject_cost();
	ASSERT_NE(0ULL, self->cost);
	ASSERT_EQ(0, subject_fork(&self->s));
	ASSERT_EQ(0, account_open(&self->account));
	self->fd[1] = pm_set(&self->event, 1, true);
	ASSERT_GE(self->fd[1], 0);
}

FIXTURE_TEARDOWN(process)
{
	struct pmudev_query query;

	account_close(&self->account);
	close(self->fd[0]);
	close(self->fd[1]);
	stop_child(self->s.pid);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

#define WORK(n) (LOOP_INSTRUCTIONS * (__u64)(n) + self->cost)

/* Between BEGIN and END every instruction of user mode was counted by one of the two sets. */
#define BEGIN() ASSERT_EQ(0, account_read(&self->account, self->fd, 2, &self->before))
#define END()                                                                          \
	do {                                                                           \
		ASSERT_EQ(0, account_read(&self->account, self->fd, 2, &self->after)); \
		EXPECT_EQ(self->after.cpus - self->before.cpus,                        \
			  self->after.sets - self->before.sets);                       \
	} while (0)

/* ------------------------------------------------------- what the subject is told to do -- */

#define THREADS 20

static struct subject threads[THREADS];

static long start_threads(long n)
{
	int i, ret = 0;

	for (i = 0; i < THREADS && !ret; i++)
		if (!threads[i].pid && n-- > 0)
			ret = subject_thread(&threads[i]);
	return ret;
}

/* All threads there are work one after another. */
static long have_threads_work(long n)
{
	int i, ret = 0;

	for (i = 0; i < THREADS && !ret; i++)
		if (threads[i].pid)
			ret = subject_work(&threads[i], n + i);
	return ret;
}

/* All at once: none is waited for until the last one has been told. */
static long work(long n)
{
	loop(n);
	return 0;
}

static long have_threads_work_at_once(long n)
{
	int i, ret = 0;

	for (i = 0; i < THREADS; i++)
		if (threads[i].pid)
			subject_tell(&threads[i], work, n + i);
	for (i = 0; i < THREADS; i++)
		if (threads[i].pid)
			ret |= subject_finish(&threads[i]);
	return ret;
}

static long end_threads(long n)
{
	int i, ret = 0;

	for (i = 0; i < THREADS && !ret && n; i++) {
		if (!threads[i].pid)
			continue;
		ret = subject_end(&threads[i]);
		threads[i].pid = 0;
		n--;
	}
	return ret;
}

static long have_a_child(long n)
{
	int child = fork();

	if (!child) {
		loop(n);
		raw_call(SYS_exit_group, 0, 0, 0);
	}
	return child_result(child);
}

/* ---------------------------------------------------------------------------------- tests -- */

/* Threads that were there before, that came later, and that ended meanwhile. */
static void all_threads(struct __test_metadata *_metadata, struct _test_data_process *self,
			__u32 flags)
{
	struct subject *s = &self->s;
	union record r;
	int i;

	ASSERT_EQ(0, subject_do(s, start_threads, THREADS / 2));
	self->fd[0] = bind_process(s->pid, flags, &self->event);
	ASSERT_GE(self->fd[0], 0);
	EXPECT_EQ(0ULL, pm_value(self->fd[0], 0));
	BEGIN();
	ASSERT_EQ(0, subject_work(s, 1000));
	END();
	EXPECT_EQ(WORK(1000), pm_value(self->fd[0], 0));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, subject_do(s, have_threads_work, 1000));
		END();
		ASSERT_EQ(0, subject_do(s, start_threads, THREADS / 4));
		END();
		ASSERT_EQ(0, subject_do(s, have_threads_work_at_once, 10000));
		END();
		ASSERT_EQ(0, subject_do(s, end_threads, THREADS / 4));
		END();
	}
	EXPECT_GT(pm_value(self->fd[0], 0), 5 * 10 * LOOP_INSTRUCTIONS * 11000ULL);
	ASSERT_EQ(0, pm_read(self->fd[0], &r));
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, r.r.flags);
	EXPECT_EQ(r.r.counts[0].time_enabled, r.r.counts[0].time_running);
}

TEST_F(process, all_its_threads)
{
	__u64 value;

	all_threads(_metadata, self, 0);
	/* A child is another process. */
	value = pm_value(self->fd[0], 0);
	ASSERT_EQ(0, subject_do(&self->s, have_a_child, 1000000));
	EXPECT_LT(pm_value(self->fd[0], 0), value + 1000000);
}

TEST_F(process, and_its_children)
{
	all_threads(_metadata, self, PMUDEV_BIND_INHERIT);
	BEGIN();
	ASSERT_EQ(0, subject_do(&self->s, have_a_child, 1000000));
	END();
	EXPECT_GT(self->after.sets - self->before.sets, 1000000ULL * LOOP_INSTRUCTIONS);
}

/* Of this very process: 0 names it; the caller's set on itself is there, too. */
TEST_F(process, of_the_caller)
{
	struct subject t;
	__u64 alone;

	ASSERT_EQ(0, subject_thread(&t));
	self->fd[0] = bind_process(0, 0, &self->event);
	ASSERT_GE(self->fd[0], 0);
	ASSERT_EQ(0, account_read(&self->account, self->fd, 1, &self->before));
	alone = pm_value(self->fd[1], 0);
	ASSERT_EQ(0, subject_work(&t, 5000));
	ASSERT_EQ(0, account_read(&self->account, self->fd, 1, &self->after));
	EXPECT_EQ(self->after.cpus - self->before.cpus, self->after.sets - self->before.sets);
	/* Of that, the caller's was all but the thread's. */
	EXPECT_GT(self->after.sets - self->before.sets, pm_value(self->fd[1], 0) - alone);
	EXPECT_EQ(0, subject_end(&t));
}

TEST_F(process, controlled)
{
	__u64 value;
	int i;

	ASSERT_EQ(0, subject_do(&self->s, start_threads, THREADS));
	self->fd[0] = bind_process(self->s.pid, 0, &self->event);
	ASSERT_GE(self->fd[0], 0);
	for (i = 0; i < 5; i++) {
		BEGIN();
		ASSERT_EQ(0, subject_do(&self->s, have_threads_work, 1000));
		END();
		ASSERT_EQ(0, pm_disable(self->fd[0], 0));
		value = pm_value(self->fd[0], 0);
		ASSERT_EQ(0, subject_do(&self->s, have_threads_work_at_once, 1000));
		EXPECT_EQ(value, pm_value(self->fd[0], 0));
		ASSERT_EQ(0, pm_reset(self->fd[0], 0, i));
		EXPECT_EQ((__u64)i, pm_value(self->fd[0], 0));
		ASSERT_EQ(0, pm_enable(self->fd[0], 0));
	}
}

/* The name of a process is its first thread's; those of the others are of threads. */
TEST_F(process, names)
{
	struct subject t;
	int fd = pm_open();

	ASSERT_EQ(0, subject_thread(&t));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_NO_TASK, pm_bind(fd, PMUDEV_TARGET_PROCESS, t.pid, 0));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_NO_TASK, pm_bind(fd, PMUDEV_TARGET_PROCESS, -1, 0));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_NO_TASK,
		       pm_bind(fd, PMUDEV_TARGET_PROCESS, 0x7fffffff, 0));
	EXPECT_EQ(0, subject_end(&t));
	close(fd);
}

/* No user reads, for the same reason as with INHERIT. */
TEST_F(process, no_user_reads)
{
	struct pmudev_event_attr direct = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	int fd = pm_open();

	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_PROCESS, 0, 0));
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_INHERITED, pm_add(fd, &direct, 1));
	close(fd);
	EXPECT_EQ(0, set_user_access(false));
}

/* --------------------------------------------------------------------------------- its end -- */

static long leave_the_others(long unused)
{
	(void)unused;
	raw_call(SYS_exit, 0, 0, 0);
	return 0;
}

/* Its first thread ends, the others do not: it has not ended, and is counted on. */
TEST_F(process, first_thread_ends_first)
{
	struct subject *others = mmap(NULL, sizeof(*others), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pmudev_event_attr more = in_group(self->event, 1);
	union record r;
	__u64 value;

	/* A thread of the subject that this process can tell what to do, too. */
	ASSERT_NE(MAP_FAILED, others);
	ASSERT_EQ(0, subject_prepare(others));
	ASSERT_EQ(0, subject_end(&self->s));
	ASSERT_EQ(0, subject_fork(&self->s));
	ASSERT_EQ(0, subject_do(&self->s, subject_start_prepared, (long)others));
	self->fd[0] = bind_process(self->s.pid, 0, &self->event);
	ASSERT_GE(self->fd[0], 0);
	BEGIN();
	subject_tell(&self->s, leave_the_others, 0);
	ASSERT_TRUE(WAIT_FOR(task_state(self->s.pid) == 'Z'));
	END();
	ASSERT_EQ(0, pm_read(self->fd[0], &r));
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, r.r.flags);
	value = r.r.counts[0].value;
	ASSERT_EQ(0, subject_work(others, 1000));
	EXPECT_EQ(value + WORK(1000), pm_value(self->fd[0], 0));
	ASSERT_EQ(0, pm_disable(self->fd[0], 0));
	ASSERT_EQ(0, subject_work(others, 1000));
	ASSERT_EQ(0, pm_enable(self->fd[0], 0));
	ASSERT_EQ(0, subject_work(others, 1000));
	EXPECT_EQ(value + 2 * WORK(1000), pm_value(self->fd[0], 0));
	/* A zombie's name is a process's as long as it has threads. */
	close(self->fd[0]);
	self->fd[0] = bind_process(self->s.pid, 0, &self->event);
	ASSERT_GE(self->fd[0], 0);
	ASSERT_EQ(0, subject_work(others, 1000));
	EXPECT_EQ(WORK(1000), pm_value(self->fd[0], 0));
	/* The last one. */
	kill(self->s.pid, SIGKILL);
	ASSERT_EQ(1000 + SIGKILL, child_result(self->s.pid));
	EXPECT_TRUE(WAIT_FOR(!pm_read(self->fd[0], &r) && r.r.flags & PMUDEV_RECORD_ENDED));
	EXPECT_EQ(WORK(1000), r.r.counts[0].value);
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_add(self->fd[0], &more, 1));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_enable(self->fd[0], 0));
	self->s.pid = 0;
}

/* ------------------------------------------------------- sets that outlive a thread -- */

static struct turns turns;

static __u32 read_flags(int fd)
{
	union record record;

	return pm_read(fd, &record) ? 0 : record.r.flags;
}

static void *with_its_own(void *arg)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int *fd = arg;

	turn_wait(&turns, 1);
	*fd = pm_set(&event, 1, true);
	turn_pass(&turns, 1);
	return NULL;
}

/*
 * What the thread counted of the process is freed when it ends, beside what its own set has:
 * kernels with KASAN see whether that is looked at when the set is closed.
 */
TEST_F(process, a_thread_with_its_own_set_ends)
{
	pthread_t thread;
	int own = -1;

	ASSERT_EQ(0, turns_init(&turns));
	ASSERT_EQ(0, pthread_create(&thread, NULL, with_its_own, &own));
	turn_pass(&turns, 0);
	ASSERT_GE(own, 0);
	self->fd[0] = bind_process(0, 0, &self->event);
	ASSERT_GE(self->fd[0], 0);
	turn_give(&turns, 0);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_TRUE(WAIT_FOR(read_flags(own) & PMUDEV_RECORD_ENDED));
	/* A grace period or two: then it is free. */
	ASSERT_EQ(0, syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0));
	pause_ns(100000000);
	close(own);
	turns_end(&turns);
}

TEST_HARNESS_MAIN
