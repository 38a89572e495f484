// SPDX-License-Identifier: GPL-2.0
/*
 * INHERIT: one set counts a task and all that it makes. The sum is, to the instruction, what the
 * CPUs executed in user mode while nobody else ran, whether those counted run, sleep or are gone.
 */
#include "subject.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define CHILDREN 50

FIXTURE(inherit)
{
	__u64 cost;
	struct pmudev_event_attr event;
	struct account account;
	struct tally before, after;
	int fd; /* on the caller, inherited */
};

FIXTURE_SETUP(inherit)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	self->cost = subject_cost();
	ASSERT_NE(0ULL, self->cost);
	ASSERT_EQ(0, account_open(&self->account));
	self->fd = pm_attach(0, PMUDEV_BIND_INHERIT, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(inherit)
{
	struct pmudev_query query;

	account_close(&self->account);
	close(self->fd);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

#define WORK(n) (LOOP_INSTRUCTIONS * (__u64)(n) + self->cost)

/* Between BEGIN and END every instruction of user mode was counted by the set, once. */
#define BEGIN() ASSERT_EQ(0, account_read(&self->account, &self->fd, 1, &self->before))
#define END()                                                                           \
	do {                                                                            \
		ASSERT_EQ(0, account_read(&self->account, &self->fd, 1, &self->after)); \
		EXPECT_EQ(self->after.cpus - self->before.cpus,                         \
			  self->after.sets - self->before.sets);                        \
	} while (0)
#define COUNTED() (self->after.sets - self->before.sets)

/* ------------------------------------------------------------------ many of them -- */

static void check_times(struct __test_metadata *_metadata, int fd)
{
	union record r;

	EXPECT_EQ(0, pm_read(fd, &r));
	EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, r.r.flags);
	EXPECT_EQ(r.r.counts[0].time_enabled, r.r.counts[0].time_running);
	EXPECT_EQ(r.r.time_enabled, r.r.time_running);
	EXPECT_EQ(r.r.time_enabled, r.r.counts[0].time_enabled);
	/* A nanosecond an instruction is the emulator's pace: those of all of them together. */
	if (emulated())
		EXPECT_GE(r.r.time_enabled, r.r.counts[0].value);
}

static void fifty(struct __test_metadata *_metadata, struct _test_data_inherit *self,
		  int (*start)(struct subject *s))
{
	struct subject s[CHILDREN];
	__u64 work = 0;
	int i;

	BEGIN();
	for (i = 0; i < CHILDREN; i++) {
		ASSERT_EQ(0, start(&s[i]));
		ASSERT_EQ(0, subject_work(&s[i], 1000 * i + 1));
		work += WORK(1000 * i + 1);
	}
	/* All of them live. */
	END();
	EXPECT_GT(COUNTED(), work);
	for (i = 0; i < CHILDREN; i++) {
		ASSERT_EQ(0, subject_work(&s[i], 1000));
		work += WORK(1000);
		END();
	}
	check_times(_metadata, self->fd);
	/* Half of them. */
	for (i = 0; i < CHILDREN; i += 2)
		ASSERT_EQ(0, subject_end(&s[i]));
	END();
	for (i = 1; i < CHILDREN; i += 2) {
		ASSERT_EQ(0, subject_work(&s[i], 1000));
		work += WORK(1000);
		ASSERT_EQ(0, subject_end(&s[i]));
	}
	/* None. */
	END();
	EXPECT_GT(COUNTED(), work);
	check_times(_metadata, self->fd);
}

TEST_F(inherit, fifty_processes)
{
	fifty(_metadata, self, subject_fork);
}

TEST_F(inherit, fifty_threads)
{
	fifty(_metadata, self, subject_thread);
}

/* All at once, on all CPUs, none waiting for another. */
TEST_F(inherit, fifty_at_once)
{
	int child[CHILDREN], i, hold[2];
	char byte;

	BEGIN();
	ASSERT_EQ(0, pipe(hold));
	for (i = 0; i < CHILDREN; i++) {
		child[i] = fork_bound();
		if (!child[i]) {
			close(hold[1]);
			read(hold[0], &byte, 1);
			loop(10000 * i + 1);
			_exit(0);
		}
	}
	close(hold[1]);
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, child_result(child[i]));
	END();
	EXPECT_GT(COUNTED(), 10000ULL * LOOP_INSTRUCTIONS * CHILDREN * (CHILDREN - 1) / 2);
	close(hold[0]);
}

static void *many_loops(void *arg)
{
	int i;

	for (i = 0; i < 20; i++) {
		loop((long)arg);
		sched_yield();
	}
	return NULL;
}

TEST_F(inherit, threads_at_once)
{
	pthread_t thread[CHILDREN];
	long i;

	BEGIN();
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, many_loops, (void *)(1000 * i + 1)));
	for (i = 0; i < CHILDREN; i++)
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
	END();
	EXPECT_GT(COUNTED(), 20 * 1000ULL * LOOP_INSTRUCTIONS * CHILDREN * (CHILDREN - 1) / 2);
}

/* ------------------------------------------------------------- and their children -- */

/* Each makes the next one, and may end before it. */
static void ten_generations(void)
{
	int depth = 9;

	while (depth && !fork())
		depth--;
	loop(10000 * (depth + 1));
	_exit(0);
}

TEST_F(inherit, generations)
{
	int child, i;

	/* Orphans are ours, and not another process's, which would run to collect them. */
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	BEGIN();
	child = fork();
	if (!child)
		ten_generations();
	for (i = 0; i < 10; i++)
		ASSERT_LT(0, wait(NULL));
	ASSERT_EQ(-1, wait(NULL));
	END();
	EXPECT_GT(COUNTED(), 10000ULL * LOOP_INSTRUCTIONS * 55);
}

/* A program that a child executes, which shared its parent's memory until then. */
TEST_F(inherit, vfork_and_exec)
{
	int child, i;

	BEGIN();
	for (i = 0; i < 3; i++) {
		child = vfork();
		if (!child) {
			execl("/proc/self/exe", "inherit_test", "--play", "1000000", NULL);
			_exit(126);
		}
		ASSERT_EQ(0, child_result(child));
		END();
	}
	EXPECT_GT(COUNTED(), 3 * 1000000ULL * LOOP_INSTRUCTIONS);
}

/* ------------------------------------------------------------------ of another task -- */

static void *work_thread(void *arg)
{
	loop((long)arg);
	return NULL;
}

static long have_children(long n)
{
	pthread_t thread;
	int child = fork();

	if (!child) {
		if (pthread_create(&thread, NULL, work_thread, (void *)n))
			_exit(1);
		loop(n);
		pthread_join(thread, NULL);
		_exit(0);
	}
	if (pthread_create(&thread, NULL, work_thread, (void *)n))
		return -1;
	pthread_join(thread, NULL);
	return child_result(child);
}

/* The target's children, not those of whoever attached. */
TEST_F(inherit, attached)
{
	struct subject s, other;
	int fd[2];

	/* The caller is counted, too, but without its children. */
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, subject_fork(&s));
	fd[0] = pm_attach(s.pid, PMUDEV_BIND_INHERIT, &self->event, 1, true);
	fd[1] = pm_set(&self->event, 1, true);
	ASSERT_GE(fd[0], 0);
	ASSERT_GE(fd[1], 0);
	ASSERT_EQ(0, account_read(&self->account, fd, 2, &self->before));
	ASSERT_EQ(0, subject_do(&s, have_children, 100000));
	ASSERT_EQ(0, account_read(&self->account, fd, 2, &self->after));
	EXPECT_EQ(self->after.cpus - self->before.cpus, COUNTED());
	EXPECT_GT(pm_value(fd[0], 0), 3 * LOOP_INSTRUCTIONS * 100000ULL);

	ASSERT_EQ(0, subject_fork(&other));
	ASSERT_EQ(0, account_read(&self->account, fd, 2, &self->before));
	ASSERT_EQ(0, subject_work(&other, 1000));
	ASSERT_EQ(0, account_read(&self->account, fd, 2, &self->after));
	EXPECT_EQ(self->after.cpus - self->before.cpus, COUNTED() + WORK(1000));
	EXPECT_EQ(0, subject_end(&other));
	EXPECT_EQ(0, subject_end(&s));
	close(fd[0]);
	close(fd[1]);
}

/* Whoever was there before the set was bound is not counted, nor what it makes. */
TEST_F(inherit, from_then_on)
{
	struct subject older, younger;

	close(self->fd);
	ASSERT_EQ(0, subject_fork(&older));
	self->fd = pm_attach(0, PMUDEV_BIND_INHERIT, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, subject_fork(&younger));
	BEGIN();
	ASSERT_EQ(0, subject_work(&younger, 5000));
	END();
	EXPECT_GT(COUNTED(), WORK(5000));
	BEGIN();
	ASSERT_EQ(0, subject_work(&older, 3000));
	ASSERT_EQ(0, account_read(&self->account, &self->fd, 1, &self->after));
	EXPECT_EQ(self->after.cpus - self->before.cpus, COUNTED() + WORK(3000));
	EXPECT_EQ(0, subject_end(&older));
	EXPECT_EQ(0, subject_end(&younger));
}

/* ------------------------------------------------------------------- several events -- */

TEST_F(inherit, records_of_several_events)
{
	struct pmudev_event_attr events[3] = { self->event, self->event, self->event };
	struct subject s[5];
	union record r;
	int fd, i;

	close(self->fd);
	self->fd = -1;
	events[2].group = 1;
	fd = pm_attach(0, PMUDEV_BIND_INHERIT, events, 3, true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, subject_fork(&s[i]));
		ASSERT_EQ(0, subject_work(&s[i], 1000));
		ASSERT_EQ(0, pm_read(fd, &r));
		EXPECT_EQ(r.r.counts[0].value, r.r.counts[1].value);
		EXPECT_EQ(r.r.counts[0].value, r.r.counts[2].value);
		EXPECT_EQ(r.r.counts[0].time_enabled, r.r.counts[2].time_enabled);
	}
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, subject_end(&s[i]));
		ASSERT_EQ(0, pm_read(fd, &r));
		EXPECT_EQ(r.r.counts[0].value, r.r.counts[1].value);
		EXPECT_EQ(r.r.counts[0].value, r.r.counts[2].value);
	}
	close(fd);
}

/* No user reads for what children count as well: refused when the event is added. */
TEST_F(inherit, no_user_reads)
{
	struct pmudev_event_attr direct = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);

	ASSERT_EQ(0, set_user_access(true));
	direct.group = 1;
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_INHERITED, pm_add(self->fd, &direct, 1));
	EXPECT_EQ(0, why.event);
	EXPECT_EQ(NULL, pm_map(self->fd));
	EXPECT_EQ((__u32)PMUDEV_WHY_NO_USER_READ, why.code);
	EXPECT_EQ(0, set_user_access(false));
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play")) {
		loop(atol(argv[2]));
		return 0;
	}
	return test_harness_run(argc, argv);
}
