// SPDX-License-Identifier: GPL-2.0
/*
 * Who may count another's task: the threads of its process; who has CAP_PERFMON; and whose user and
 * group id are the real, effective and saved ones of a target that is dumpable, or who has
 * CAP_SYS_PTRACE if it is. Every other combination is refused, and nothing of it depends on who
 * opened the file. sysctl dev.pmudev.attach leaves the first two.
 */
#include "as.h"
#include "subject.h"
#include "kselftest_harness.h"

#include <signal.h>
#include <sys/stat.h>

#define SOMEBODY 65533

#define ATTACH "/proc/sys/dev/pmudev/attach"

FIXTURE(credentials)
{
	mode_t mode;
};

FIXTURE_SETUP(credentials)
{
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, open_to_all(&self->mode));
}

FIXTURE_TEARDOWN(credentials)
{
	struct pmudev_query query;

	chmod(PMUDEV_DEVICE, self->mode);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

/* ------------------------------------------------------------------ the target -- */

struct who {
	uid_t uid[3]; /* real, effective, saved */
	gid_t gid[3];
	bool dumpable;
};

/* A process that has become somebody and sleeps. */
static int somebody(const struct who *who)
{
	int child = fork_bound();

	if (child)
		return WAIT_FOR(task_state(child) == 'T') ? child : -ETIMEDOUT;
	if (setresgid(who->gid[0], who->gid[1], who->gid[2]) ||
	    setresuid(who->uid[0], who->uid[1], who->uid[2]) ||
	    prctl(PR_SET_DUMPABLE, who->dumpable) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(1);
	for (;;)
		raise(SIGSTOP);
}

/* ---------------------------------------------------------------- who attaches -- */

static int add_cycles(int fd, __u32 flags)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, flags);

	return pm_add(fd, &event, 1);
}

static int add_user(int fd)
{
	return add_cycles(fd, USER_ONLY);
}

static int add_kernel(int fd)
{
	return add_cycles(fd, PMUDEV_EXCLUDE_HV);
}

static void attach(int pid, bool allowed, bool kernel)
{
	static const __u32 flags[] = { 0, PMUDEV_BIND_INHERIT, PMUDEV_BIND_ON_EXEC };
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		fd = pm_open();
		CHECK(fd >= 0);
		if (!allowed) {
			CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_TASK,
				      pm_bind(fd, PMUDEV_TARGET_TASK, pid, flags[i]));
			/* The refusal has bound nothing. */
			CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
			close(fd);
			continue;
		}
		CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, pid, flags[i]));
		CHECK(!add_user(fd));
		CHECK(!pm_enable(fd, 0));
		if (kernel)
			CHECK(!pm_remove(fd, !pm_disable(fd, 0) ? 0 : 1) && !add_kernel(fd) &&
			      !pm_enable(fd, 0));
		else
			CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_KERNEL, add_kernel(fd));
		close(fd);
	}
}

/* Of nobody's; who attaches is nobody with this capability. */
static void check_who(struct __test_metadata *_metadata, const struct who *who, bool allowed)
{
	int pid = somebody(who);

	ASSERT_GT(pid, 0);
	EXPECT_EQ(0, AS(NOBODY, -1, attach(pid, allowed, false)));
	EXPECT_EQ(0, AS(NOBODY, CAP_SYS_PTRACE, attach(pid, who->dumpable, false)));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, attach(pid, true, true)));
	EXPECT_EQ(0, AS(NOBODY, CAP_SYS_ADMIN, attach(pid, true, true)));
	/* root without capabilities is a user like any other. */
	EXPECT_EQ(0, AS(0, -1, attach(pid, false, false)));
	EXPECT_EQ(0, AS(0, CAP_PERFMON, attach(pid, true, true)));
	stop_child(pid);
}

#define ALL_OF(id)   { id, id, id }
#define SAME	     { ALL_OF(NOBODY), ALL_OF(NOBODY), true }

TEST_F(credentials, same_in_everything)
{
	static const struct who who = SAME;

	check_who(_metadata, &who, true);
}

TEST_F(credentials, not_dumpable)
{
	struct who who = SAME;

	who.dumpable = false;
	check_who(_metadata, &who, false);
}

/* The administrator wants none of that. */
static void attach_refused(int pid)
{
	int fd = pm_open();

	CHECK(fd >= 0);
	CHECK_REFUSED(EPERM, PMUDEV_WHY_ATTACH, pm_bind(fd, PMUDEV_TARGET_TASK, pid, 0));
	CHECK_REFUSED(EPERM, PMUDEV_WHY_ATTACH, pm_bind(fd, PMUDEV_TARGET_PROCESS, pid, 0));
	/* Its own threads are no others. */
	CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	close(fd);
}

TEST_F(credentials, nobody_attaches)
{
	static const struct who who = SAME;
	int pid = somebody(&who);

	ASSERT_GT(pid, 0);
	ASSERT_EQ(1, read_number(ATTACH));
	ASSERT_EQ(0, write_file(ATTACH, "0"));
	EXPECT_EQ(0, AS(NOBODY, -1, attach_refused(pid)));
	EXPECT_EQ(0, AS(NOBODY, CAP_SYS_PTRACE, attach_refused(pid)));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, attach(pid, true, true)));
	ASSERT_EQ(0, write_file(ATTACH, "1"));
	EXPECT_EQ(0, AS(NOBODY, -1, attach(pid, true, false)));
	stop_child(pid);
}

/* One of the six ids is another. */
TEST_F(credentials, other_ids)
{
	struct who who;
	int i;

	for (i = 0; i < 3; i++) {
		who = (struct who)SAME;
		who.uid[i] = SOMEBODY;
		check_who(_metadata, &who, false);
		who = (struct who)SAME;
		who.uid[i] = 0;
		check_who(_metadata, &who, false);
		who = (struct who)SAME;
		who.gid[i] = SOMEBODY;
		check_who(_metadata, &who, false);
	}
	who = (struct who){ ALL_OF(SOMEBODY), ALL_OF(SOMEBODY), true };
	check_who(_metadata, &who, false);
}

/* root's own and the first process. */
TEST_F(credentials, others_altogether)
{
	int self_ = getpid();

	EXPECT_EQ(0, AS(NOBODY, -1, attach(1, false, false)));
	EXPECT_EQ(0, AS(NOBODY, -1, attach(self_, false, false)));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, attach(self_, true, true)));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, attach(1, true, true)));
}

/* The real ids of the one who attaches decide, not the effective ones. */
TEST_F(credentials, attached_by_a_set_uid_program)
{
	static const struct who who = SAME;
	int pid = somebody(&who), child;

	ASSERT_GT(pid, 0);
	child = fork();
	if (!child) {
		CHECK(!setresgid(SOMEBODY, NOBODY, NOBODY) && !setresuid(SOMEBODY, NOBODY, NOBODY));
		attach(pid, false, false);
		_exit(0);
	}
	EXPECT_EQ(0, line_of(child));
	stop_child(pid);
}

/* --------------------------------------------------------------- one's own process -- */

static void attach_to_a_thread(void)
{
	struct subject t;

	/* Nobody else could: the process has changed its ids, and is not dumpable. */
	CHECK(prctl(PR_GET_DUMPABLE) == 0);
	CHECK(!subject_thread(&t));
	attach(t.pid, true, false);
	attach(getpid(), true, false);
	CHECK(!subject_end(&t));
}

TEST_F(credentials, threads_of_ones_own_process)
{
	EXPECT_EQ(0, AS(NOBODY, -1, attach_to_a_thread()));
}

/* A child is another process: what holds for all others holds for it. */
static void attach_to_a_child(bool dumpable)
{
	int child;

	CHECK(!prctl(PR_SET_DUMPABLE, dumpable));
	child = fork_bound();
	if (!child)
		for (;;)
			pause();
	attach(child, dumpable, false);
	stop_child(child);
}

TEST_F(credentials, ones_own_child)
{
	EXPECT_EQ(0, AS(NOBODY, -1, attach_to_a_child(true)));
	EXPECT_EQ(0, AS(NOBODY, -1, attach_to_a_child(false)));
}

/* --------------------------------------------------------------------- afterwards -- */

/* A set that was bound by who could goes on counting, whoever has it. */
TEST_F(credentials, bound_is_bound)
{
	static const struct who who = SAME;
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int pid = somebody(&who), fd;

	ASSERT_GT(pid, 0);
	fd = pm_attach(pid, 0, &event, 1, false);
	ASSERT_GE(fd, 0);
	/* Who has got it may use it; what needs a right of its own needs it still. */
	EXPECT_EQ(0, AS(SOMEBODY, -1, ({
				CHECK(!pm_enable(fd, 0));
				CHECK(pm_value(fd, 0) == 0);
				CHECK(!pm_disable(fd, 0) && !pm_remove(fd, 0));
				CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_KERNEL, add_kernel(fd));
				CHECK(!add_user(fd));
			})));
	close(fd);
	stop_child(pid);
}

TEST_HARNESS_MAIN
