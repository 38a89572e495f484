// SPDX-License-Identifier: GPL-2.0
/*
 * Who may end before whom: the opener, the one who got the set through a socket, the target. What
 * each leaves behind, to the instruction; and that nothing of ours stays when all is closed.
 */
#include "subject.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

FIXTURE(life)
{
	__u64 cost;
	struct pmudev_event_attr event;
	struct subject s;
	int fd;
};

FIXTURE_SETUP(life)
{
	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	self->fd = -1;
	self->event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	self->cost = subject_cost();
	ASSERT_NE(0ULL, self->cost);
	ASSERT_EQ(0, subject_fork(&self->s));
}

FIXTURE_TEARDOWN(life)
{
	struct pmudev_query query;

	close(self->fd);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

#define WORK(n) (LOOP_INSTRUCTIONS * (__u64)(n) + self->cost)

/* ------------------------------------------------------------- the opener ends -- */

#define NO_SOCKETS "the kernel has no unix sockets"

/* A set that another process opened, bound and enabled, and that has ended since. */
static int from_one_who_has_ended(int target, const struct pmudev_event_attr *event, bool killed)
{
	int sockets[2], child, fd;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return -EAFNOSUPPORT;
	child = fork_bound();
	if (!child) {
		fd = pm_attach(target, 0, event, 1, true);
		if (fd < 0 || send_fd(sockets[1], fd))
			_exit(1);
		if (killed)
			pause();
		_exit(0);
	}
	fd = receive_fd(sockets[0]);
	if (killed)
		stop_child(child);
	else if (child_result(child))
		fd = -ECHILD;
	close(sockets[0]);
	close(sockets[1]);
	return fd;
}

TEST_F(life, opener_ends_first)
{
	int i;

	for (i = 0; i < 2; i++) {
		self->fd = from_one_who_has_ended(self->s.pid, &self->event, i);
		if (self->fd == -EAFNOSUPPORT)
			SKIP(return, NO_SOCKETS);
		ASSERT_GE(self->fd, 0);
		EXPECT_EQ(0ULL, pm_value(self->fd, 0));
		ASSERT_EQ(0, subject_work(&self->s, 1000));
		EXPECT_EQ(WORK(1000), pm_value(self->fd, 0));
		ASSERT_EQ(0, subject_work(&self->s, 100000));
		EXPECT_EQ(WORK(1000) + WORK(100000), pm_value(self->fd, 0));
		/* It can do all that the opener could. */
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		ASSERT_EQ(0, subject_work(&self->s, 1000));
		ASSERT_EQ(0, pm_reset(self->fd, 0, 7));
		ASSERT_EQ(0, pm_enable(self->fd, 0));
		ASSERT_EQ(0, subject_work(&self->s, 1000));
		EXPECT_EQ(7 + WORK(1000), pm_value(self->fd, 0));
		close(self->fd);
	}
	EXPECT_EQ(0, subject_end(&self->s));
}

/* Nobody has the set any more; the target goes on as if there had been none. */
TEST_F(life, opener_is_killed_with_the_last_descriptor)
{
	struct pmudev_query query;
	int child;

	child = fork_bound();
	if (!child) {
		if (pm_attach(self->s.pid, PMUDEV_BIND_INHERIT, &self->event, 1, true) >= 0)
			raise(SIGSTOP);
		_exit(1);
	}
	ASSERT_EQ(child, waitpid(child, NULL, WUNTRACED));
	EXPECT_EQ(0, pm_query(&query));
	EXPECT_NE(0ULL, query.busy);
	stop_child(child);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !query.busy));
	EXPECT_EQ(0, subject_work(&self->s, 1000));
	EXPECT_EQ(0, subject_end(&self->s));
}

/* Two processes have the set, and both use it. */
TEST_F(life, shared_between_processes)
{
	int sockets[2], child, fd;
	__u64 value;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		SKIP(return, NO_SOCKETS);
	child = fork_bound();
	if (!child) {
		close(sockets[0]);
		fd = receive_fd(sockets[1]);
		while (read(sockets[1], &value, sizeof(value)) == sizeof(value)) {
			value = pm_value(fd, 0);
			if (pm_reset(fd, 0, 0))
				_exit(1);
			write(sockets[1], &value, sizeof(value));
		}
		_exit(0);
	}
	close(sockets[1]);
	self->fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
	ASSERT_EQ(0, send_fd(sockets[0], self->fd));
	ASSERT_EQ(0, subject_work(&self->s, 1000));
	EXPECT_EQ(WORK(1000), pm_value(self->fd, 0));
	ASSERT_EQ((ssize_t)sizeof(value), write(sockets[0], &value, sizeof(value)));
	ASSERT_EQ((ssize_t)sizeof(value), read(sockets[0], &value, sizeof(value)));
	EXPECT_EQ(WORK(1000), value);
	EXPECT_EQ(0ULL, pm_value(self->fd, 0));
	/* This one closes; the set lives on with the other. */
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, subject_work(&self->s, 5000));
	ASSERT_EQ((ssize_t)sizeof(value), write(sockets[0], &value, sizeof(value)));
	ASSERT_EQ((ssize_t)sizeof(value), read(sockets[0], &value, sizeof(value)));
	EXPECT_EQ(WORK(5000), value);
	close(sockets[0]);
	EXPECT_EQ(0, child_result(child));
	EXPECT_EQ(0, subject_end(&self->s));
}

/* ------------------------------------------------------- threads share a set -- */

struct user {
	pthread_t thread;
	int fd;
	bool *stop;
	int wrong;
	unsigned int reads;
};

static void *read_on(void *arg)
{
	struct user *u = arg;
	__u64 value, last = 0;

	while (!READ_ONCE(*u->stop)) {
		value = pm_value(u->fd, 0);
		if (value < last || value == ~0ULL)
			u->wrong++;
		last = value;
		__atomic_fetch_add(&u->reads, 1, __ATOMIC_RELAXED);
		pause_ns(u->reads * 997 % 30000);
	}
	return NULL;
}

static bool all_read(struct user *users, unsigned int nr, unsigned int reads)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (__atomic_load_n(&users[i].reads, __ATOMIC_RELAXED) <= reads)
			return false;
	return true;
}

TEST_F(life, shared_between_threads)
{
	struct user users[4];
	bool stop = false;
	__u64 sum = 0;
	unsigned int i;

	self->fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	for (i = 0; i < ARRAY_SIZE(users); i++) {
		users[i] = (struct user){ .fd = self->fd, .stop = &stop };
		ASSERT_EQ(0, pthread_create(&users[i].thread, NULL, read_on, &users[i]));
	}
	/* A kernel without fine timers has them read once a tick. */
	for (i = 0; i < 100 || (i < 100000 && !all_read(users, ARRAY_SIZE(users), 20)); i++) {
		ASSERT_EQ(0, subject_work(&self->s, 1000 * (i % 100) + 1));
		sum += WORK(1000 * (i % 100) + 1);
		ASSERT_EQ(sum, pm_value(self->fd, 0));
	}
	WRITE_ONCE(stop, true);
	for (i = 0; i < ARRAY_SIZE(users); i++) {
		ASSERT_EQ(0, pthread_join(users[i].thread, NULL));
		EXPECT_EQ(0, users[i].wrong);
		EXPECT_GT(users[i].reads, 20U);
	}
	EXPECT_EQ(0, subject_end(&self->s));
}

/* A thread enables, another one disables: what lies between the two is counted. */
static void *disable(void *arg)
{
	struct user *u = arg;

	u->wrong = pm_disable(u->fd, 0);
	return NULL;
}

TEST_F(life, controlled_by_two_threads)
{
	struct user u;
	int i;

	self->fd = pm_attach(self->s.pid, 0, &self->event, 1, false);
	ASSERT_GE(self->fd, 0);
	u.fd = self->fd;
	for (i = 1; i <= 20; i++) {
		ASSERT_EQ(0, pm_enable(self->fd, 0));
		ASSERT_EQ(0, subject_work(&self->s, 1000));
		ASSERT_EQ(0, pthread_create(&u.thread, NULL, disable, &u));
		ASSERT_EQ(0, pthread_join(u.thread, NULL));
		ASSERT_EQ(0, u.wrong);
		ASSERT_EQ(0, subject_work(&self->s, 1000));
		EXPECT_EQ(i * WORK(1000), pm_value(self->fd, 0));
	}
	EXPECT_EQ(0, subject_end(&self->s));
}

/* ------------------------------------------------------------ the target ends -- */

static long leave(long n)
{
	loop(n);
	raw_call(SYS_exit_group, 0, 0, 0);
	return 0;
}

/* What a set can still do whose target has ended, and what not. */
static void check_ended(struct __test_metadata *_metadata, int fd, __u64 value)
{
	struct pmudev_event_attr more = in_group(raw_event(EVENT_INSTRUCTIONS, USER_ONLY), 1);
	struct pmudev_query query;
	union record r;
	__s32 counter;

	EXPECT_TRUE(WAIT_FOR(!pm_read(fd, &r) && r.r.flags & PMUDEV_RECORD_ENDED));
	EXPECT_EQ(value, r.r.counts[0].value);
	EXPECT_EQ(r.r.counts[0].time_enabled, r.r.counts[0].time_running);
	/* Its counters are others' to have, although it is open. */
	EXPECT_EQ(0, pm_query(&query));
	EXPECT_EQ(0ULL, query.busy);
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_enable(fd, 0));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_add(fd, &more, 1));
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_place(fd, &more, 1, &counter));
	EXPECT_EQ(NULL, pm_map(fd));
	EXPECT_EQ(value, pm_value(fd, 0));
	EXPECT_EQ(0, pm_disable(fd, 0));
	EXPECT_EQ(value, pm_value(fd, 0));
	EXPECT_EQ(0, pm_read(fd, &r));
	EXPECT_TRUE(r.r.flags & PMUDEV_RECORD_ENDED);
	EXPECT_EQ(0, pm_remove(fd, 0));
	EXPECT_EQ(0, pm_read(fd, &r));
	EXPECT_EQ(0ULL, r.r.present);
}

TEST_F(life, target_ends_first)
{
	__u64 n, rest = 0, value;
	union record r;

	for (n = 1000; n <= 100000; n *= 10) {
		if (n > 1000)
			ASSERT_EQ(0, subject_fork(&self->s));
		self->fd = pm_attach(self->s.pid, 0, &self->event, 1, true);
		ASSERT_GE(self->fd, 0);
		subject_tell(&self->s, leave, n);
		ASSERT_EQ(0, child_result(self->s.pid));
		EXPECT_TRUE(WAIT_FOR(!pm_read(self->fd, &r) && r.r.flags & PMUDEV_RECORD_ENDED));
		value = r.r.counts[0].value;
		/* From its last sleep to its end is the same code for every n. */
		if (n == 1000)
			rest = value - LOOP_INSTRUCTIONS * n;
		EXPECT_LE(rest, (__u64)SUBJECT_COST_MAX);
		check_ended(_metadata, self->fd, LOOP_INSTRUCTIONS * n + rest);
		close(self->fd);
	}
}

/* A thread ends, its process does not. */
TEST_F(life, target_thread_ends_first)
{
	struct subject t;
	union record r;
	__u64 value;

	ASSERT_EQ(0, subject_thread(&t));
	self->fd = pm_attach(t.pid, 0, &self->event, 1, true);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, subject_work(&t, 1000));
	value = pm_value(self->fd, 0);
	EXPECT_EQ(WORK(1000), value);
	EXPECT_EQ(0, subject_end(&t));
	EXPECT_TRUE(WAIT_FOR(!pm_read(self->fd, &r) && r.r.flags & PMUDEV_RECORD_ENDED));
	value = r.r.counts[0].value;
	EXPECT_GT(value, WORK(1000));
	EXPECT_LT(value, WORK(1000) + 20000);
	check_ended(_metadata, self->fd, value);
	EXPECT_EQ(0, subject_end(&self->s));
}

/* Killed at whatever instruction, and not collected: a zombie has ended, too. */
TEST_F(life, target_is_killed)
{
	struct spinner spinner;
	siginfo_t info;
	__s64 executed;
	int i;

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, spinner_start(&spinner));
		ASSERT_EQ(0, spinner_halt(&spinner));
		executed = spinner_executed(&spinner);
		self->fd = pm_attach(spinner.pid, 0, &self->event, 1, true);
		ASSERT_GE(self->fd, 0);
		ASSERT_EQ(0, spinner_go(&spinner));
		pause_ns(1000000 + i * 9973);
		ASSERT_EQ(0, spinner_halt(&spinner));
		executed = spinner_executed(&spinner) - executed;
		/* A halted one executes nothing more when it is killed. */
		kill(spinner.pid, SIGKILL);
		ASSERT_EQ(0, waitid(P_PID, spinner.pid, &info, WEXITED | WNOWAIT));
		check_ended(_metadata, self->fd, executed);
		spinner_stop(&spinner);
		close(self->fd);
	}
	EXPECT_EQ(0, subject_end(&self->s));
}

TEST_HARNESS_MAIN
