// SPDX-License-Identifier: GPL-2.0
/*
 * ON_EXEC: what is enabled waits for the target's next exec and counts from there on: the new
 * program from its first instruction, nothing of the old one.
 */
#include "again.h"
#include "kselftest_harness.h"

#include <fcntl.h>

#define NONE "/no/such/program"

static long try_exec(long unused)
{
	(void)unused;
	exec_again(NONE, 1, -1);
	return 0;
}

FIXTURE(onexec)
{
	__u64 cost;
	struct pmudev_event_attr event;
	struct subject s;
	int fd;
};

FIXTURE_SETUP(onexec)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	self->cost = subject_cost();
	ASSERT_NE(0ULL, self->cost);
	ASSERT_EQ(0, subject_fork(&self->s));
	self->fd = pm_attach(self->s.pid, PMUDEV_BIND_ON_EXEC, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(onexec)
{
	struct pmudev_query query;

	close(self->fd);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

#define WORK(n) (LOOP_INSTRUCTIONS * (__u64)(n) + self->cost)

/* It holds counters and counts nothing. */
static void check_armed(struct __test_metadata *_metadata, int fd)
{
	struct pmudev_query query;
	union record r;

	EXPECT_EQ(0, pm_read(fd, &r));
	EXPECT_EQ((__u32)(PMUDEV_RECORD_ENABLED | PMUDEV_RECORD_ARMED), r.r.flags);
	EXPECT_EQ(0ULL, r.r.counts[0].value);
	EXPECT_EQ(0ULL, r.r.counts[0].time_enabled);
	EXPECT_EQ(0ULL, r.r.counts[0].time_running);
	EXPECT_EQ(0ULL, r.r.time_enabled);
	EXPECT_EQ(0, pm_query(&query));
	EXPECT_NE(0ULL, query.busy);
}

/* The subject executes the new program, which ends: its final record. */
static void run(struct __test_metadata *_metadata, struct subject *s, int fd, long n,
		union record *r)
{
	subject_tell(s, exec_loop, n);
	ASSERT_EQ(0, child_result(s->pid));
	EXPECT_TRUE(WAIT_FOR(!pm_read(fd, r) && r->r.flags & PMUDEV_RECORD_ENDED));
	EXPECT_EQ(0U, r->r.flags & PMUDEV_RECORD_ARMED);
	EXPECT_EQ(r->r.counts[0].time_enabled, r->r.counts[0].time_running);
}

/* What was done before makes no difference, what is done after all of it. */
TEST_F(onexec, from_the_first_instruction)
{
	__s64 start = 0, more;
	union record r;
	__u64 n;

	for (n = 0x1000; n <= 0x100000; n *= 16) {
		if (n > 0x1000) {
			ASSERT_EQ(0, subject_fork(&self->s));
			self->fd =
				pm_attach(self->s.pid, PMUDEV_BIND_ON_EXEC, &self->event, 1, true);
			ASSERT_GE(self->fd, 0);
		}
		check_armed(_metadata, self->fd);
		ASSERT_EQ(0, subject_work(&self->s, 77 * n));
		check_armed(_metadata, self->fd);
		run(_metadata, &self->s, self->fd, n, &r);
		more = r.r.counts[0].value - LOOP_INSTRUCTIONS * n;
		if (n == 0x1000)
			start = more;
		EXPECT_LE(more, start + START_VARIES);
		EXPECT_GE(more, start - START_VARIES);
		if (emulated())
			EXPECT_GE(r.r.time_enabled, r.r.counts[0].value);
		close(self->fd);
	}
	EXPECT_GT(start, START_VARIES);
	EXPECT_LT(start, START_MAX);
	self->fd = -1;
}

/* A set that counted all the time has counted all that this one has, and what was before. */
TEST_F(onexec, beside_one_that_counts)
{
	__u64 before[2], work;
	union record all, r;
	int i, fd;

	for (i = 0; i < 2; i++) {
		if (i) {
			ASSERT_EQ(0, subject_fork(&self->s));
			self->fd =
				pm_attach(self->s.pid, PMUDEV_BIND_ON_EXEC, &self->event, 1, true);
			ASSERT_GE(self->fd, 0);
		}
		fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
		ASSERT_GE(fd, 0);
		work = i ? 100000 : 10;
		ASSERT_EQ(0, subject_work(&self->s, work));
		EXPECT_EQ(WORK(work), pm_value(fd, 0));
		run(_metadata, &self->s, self->fd, 5000, &r);
		EXPECT_TRUE(WAIT_FOR(!pm_read(fd, &all) && all.r.flags & PMUDEV_RECORD_ENDED));
		/* From the subject's last sleep to the exec: the same whatever the program does. */
		before[i] = all.r.counts[0].value - WORK(work) - r.r.counts[0].value;
		EXPECT_GT(before[i], 0ULL);
		EXPECT_LT(before[i], 10000ULL);
		close(fd);
		close(self->fd);
	}
	EXPECT_EQ(before[0], before[1]);
	self->fd = -1;
}

/* One that fails is none. */
TEST_F(onexec, failed_exec)
{
	union record r;

	ASSERT_EQ(0, subject_do(&self->s, try_exec, 0));
	check_armed(_metadata, self->fd);
	ASSERT_EQ(0, subject_work(&self->s, 1000));
	check_armed(_metadata, self->fd);
	run(_metadata, &self->s, self->fd, 1000, &r);
	EXPECT_GT(r.r.counts[0].value, 1000ULL * LOOP_INSTRUCTIONS);
}

TEST_F(onexec, disable_takes_it_back)
{
	struct pmudev_query query;
	union record r;

	ASSERT_EQ(0, pm_disable(self->fd, 0));
	ASSERT_EQ(0, pm_read(self->fd, &r));
	EXPECT_EQ(0U, r.r.flags);
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(0ULL, query.busy);
	run(_metadata, &self->s, self->fd, 1000, &r);
	EXPECT_EQ(0ULL, r.r.counts[0].value);
	EXPECT_EQ(0ULL, r.r.time_enabled);
}

TEST_F(onexec, armed_again)
{
	union record r;
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		ASSERT_EQ(0, subject_work(&self->s, 1000));
		ASSERT_EQ(0, pm_enable(self->fd, 0));
		ASSERT_EQ(0, subject_work(&self->s, 1000));
		check_armed(_metadata, self->fd);
	}
	/* A value that is set while it waits is where it starts. */
	ASSERT_EQ(0, pm_reset(self->fd, 0, 1ULL << 40));
	EXPECT_EQ(1ULL << 40, pm_value(self->fd, 0));
	ASSERT_EQ(0, subject_work(&self->s, 1000));
	EXPECT_EQ(1ULL << 40, pm_value(self->fd, 0));
	run(_metadata, &self->s, self->fd, 1000, &r);
	EXPECT_GT(r.r.counts[0].value, (1ULL << 40) + 1000 * LOOP_INSTRUCTIONS);
	EXPECT_LT(r.r.counts[0].value, (1ULL << 40) + 1000 * LOOP_INSTRUCTIONS + START_MAX);
}

/* Closed while it waits: nothing is left that could begin to count. */
TEST_F(onexec, closed_while_armed)
{
	struct pmudev_query query;

	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(0ULL, query.busy);
	subject_tell(&self->s, exec_loop, 1000);
	ASSERT_EQ(0, child_result(self->s.pid));
}

/* A target that ends without having executed anything has counted nothing. */
TEST_F(onexec, ends_while_armed)
{
	union record r;

	ASSERT_EQ(0, subject_end(&self->s));
	EXPECT_TRUE(WAIT_FOR(!pm_read(self->fd, &r) && r.r.flags & PMUDEV_RECORD_ENDED));
	EXPECT_EQ(0U, r.r.flags & PMUDEV_RECORD_ARMED);
	EXPECT_EQ(0ULL, r.r.counts[0].value);
}

/* What waits for an exec is not removed, nor is what it enables; whenever it comes. */
TEST_F(onexec, not_removed_meanwhile)
{
	union record r;
	int ret;

	subject_tell(&self->s, exec_loop, 100000);
	do {
		ret = pm_remove(self->fd, 0);
		ASSERT_EQ(0, pm_read(self->fd, &r));
	} while (ret == -EBUSY && !(r.r.flags & PMUDEV_RECORD_ENDED));
	EXPECT_EQ(-EBUSY, ret);
	ASSERT_EQ(0, child_result(self->s.pid));
	EXPECT_LE(WORK(100000), r.r.counts[0].value);
	EXPECT_EQ(0, pm_disable(self->fd, PMUDEV_ALL));
	EXPECT_EQ(0, pm_remove(self->fd, 0));
}

/* --------------------------------------------------------------- of oneself, after it -- */

/* Bound to itself, the process executes, and the new program reads the set it inherited. */
TEST(of_oneself)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	int child, fd;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	child = fork();
	if (!child) {
		fd = pm_attach(0, PMUDEV_BIND_ON_EXEC, &event, 1, true);
		if (fd < 0 || fcntl(fd, F_SETFD, 0))
			_exit(125);
		loop(10000000);
		exec_again(SELF, 1000, fd);
		_exit(126);
	}
	EXPECT_EQ(0, child_result(child));
}

/* After the exec ENABLE acts at once: also for a group that waited for nothing. */
static long exec_subject(long number)
{
	char text[24];
	char *const args[] = { "onexec_test", "--subject", text, NULL };

	snprintf(text, sizeof(text), "%ld", number);
	execv(SELF, args);
	_exit(126);
}

/* The new program sleeps until it is told to go, loops, and sleeps again. */
static int be_a_subject(int to, int from)
{
	char byte = 0;

	for (;;) {
		if (raw_call(SYS_read, to, (long)&byte, 1) != 1)
			return 0;
		loop(1000);
		raw_call(SYS_write, from, (long)&byte, 1);
	}
}

TEST_F(onexec, enabled_after)
{
	struct pmudev_event_attr more[2] = { in_group(self->event, 1), in_group(self->event, 2) };
	__u64 round = 0, last;
	union record r;
	int i, pipes[4];
	char byte = 0;

	/* The subject is another one: it has the pipes. */
	ASSERT_EQ(0, subject_end(&self->s));
	close(self->fd);
	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, pipe(pipes + 2));
	ASSERT_EQ(0, subject_fork(&self->s));
	self->fd = pm_attach(self->s.pid, PMUDEV_BIND_ON_EXEC, &self->event, 1, true);
	ASSERT_EQ(0, pm_add(self->fd, more, 2));
	/* One is enabled before the exec with the first one, one after it. */
	ASSERT_EQ(0, pm_enable(self->fd, 1));
	subject_tell(&self->s, exec_subject, pipes[0] * 100 + pipes[3]);
	EXPECT_TRUE(WAIT_FOR(!pm_read(self->fd, &r) && !(r.r.flags & PMUDEV_RECORD_ARMED)));
	for (i = 0; i < 10; i++) {
		if (i == 5) {
			ASSERT_EQ(0, pm_enable(self->fd, 2));
			EXPECT_EQ(0, pm_read(self->fd, &r));
			EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, r.r.flags);
		}
		last = pm_value(self->fd, 0);
		ASSERT_EQ(1, write(pipes[1], &byte, 1));
		ASSERT_EQ(1, read(pipes[2], &byte, 1));
		ASSERT_TRUE(WAIT_FOR(task_state(self->s.pid) == 'S'));
		if (i < 2)
			round = pm_value(self->fd, 0) - last;
		EXPECT_EQ(round, pm_value(self->fd, 0) - last);
		EXPECT_EQ(pm_value(self->fd, 0), pm_value(self->fd, 1));
		EXPECT_EQ(i < 5 ? 0 : (i - 4) * round, pm_value(self->fd, 2));
	}
	EXPECT_GT(round, 1000ULL * LOOP_INSTRUCTIONS);
	EXPECT_LT(round, 1000ULL * LOOP_INSTRUCTIONS + SUBJECT_COST_MAX);
	stop_child(self->s.pid);
}

/* A second exec changes nothing. */
TEST_F(onexec, twice)
{
	__u64 once;
	union record r;

	run(_metadata, &self->s, self->fd, 1000, &r);
	once = r.r.counts[0].value;
	close(self->fd);
	ASSERT_EQ(0, subject_fork(&self->s));
	self->fd = pm_attach(self->s.pid, PMUDEV_BIND_ON_EXEC, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	subject_tell(&self->s, exec_subject, 1000);
	ASSERT_EQ(0, child_result(self->s.pid));
	EXPECT_TRUE(WAIT_FOR(!pm_read(self->fd, &r) && r.r.flags & PMUDEV_RECORD_ENDED));
	/* The second program is the one of above; the first one only led to it. */
	EXPECT_GT(r.r.counts[0].value, once + START_VARIES);
	EXPECT_LT(r.r.counts[0].value, once + START_MAX);
}

int main(int argc, char **argv)
{
	long number;

	play(argc, argv);
	if (argc > 2 && !strcmp(argv[1], "--subject")) {
		number = atol(argv[2]);
		/* The plain number is a loop, after one more exec. */
		if (number == 1000)
			exec_loop(number);
		return be_a_subject(number / 100, number % 100);
	}
	return test_harness_run(argc, argv);
}
