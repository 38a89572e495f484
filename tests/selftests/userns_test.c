// SPDX-License-Identifier: GPL-2.0
/*
 * User namespaces, which containers are made of: whoever is root there is nobody to the machine.
 * His capabilities count nothing, and the sets that he has are his who made the namespace.
 */
#include "as.h"
#include "quota.h"
#include "subject.h"
#include "kselftest_harness.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#define NO_NAMESPACES "no user namespaces here (CONFIG_USER_NS, user.max_user_namespaces)"

FIXTURE(userns)
{
	mode_t mode;
	long limit;
};

FIXTURE_SETUP(userns)
{
	struct stat stat_;

	if (geteuid())
		SKIP(return, "needs root");
	if (AS(NOBODY, -1, CHECK(!enter_user_namespace())))
		SKIP(return, NO_NAMESPACES);
	ASSERT_EQ(0, stat(PMUDEV_DEVICE, &stat_));
	self->mode = stat_.st_mode & 07777;
	self->limit = read_number(LIMIT);
}

FIXTURE_TEARDOWN(userns)
{
	set_limit(self->limit);
	chmod(PMUDEV_DEVICE, self->mode);
}

/* ------------------------------------------------------------------- what root may there -- */

static void try_all(int roots, int fd)
{
	struct pmudev_event_attr user = raw_event(EVENT_CYCLES, USER_ONLY);
	struct pmudev_event_attr kernel = raw_event(EVENT_CYCLES, PMUDEV_EXCLUDE_HV);

	CHECK(geteuid() == 0);
	CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_CPU, pm_bind(fd, PMUDEV_TARGET_CPU, 0, 0));
	CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_TASK, pm_bind(fd, PMUDEV_TARGET_TASK, roots, 0));
	CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_TASK, pm_bind(fd, PMUDEV_TARGET_PROCESS, roots, 0));
	CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_TASK, pm_bind(fd, PMUDEV_TARGET_TASK, 1, 0));
	CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_KERNEL, pm_add(fd, &kernel, 1));
	CHECK(!pm_add(fd, &user, 1) && !pm_enable(fd, 0));
	loop(1000);
	CHECK(pm_value(fd, 0) >= 1000 && pm_value(fd, 0) != ~0ULL);
	CHECK(set_user_access(true) == -EACCES || set_user_access(true) == -EPERM);
	CHECK(set_limit(1000000) == -EACCES || set_limit(1000000) == -EPERM);
}

/* With the device as it is there is nothing to be had, with a file of root's one's own code. */
TEST_F(userns, the_device_is_roots)
{
	int roots = getpid(), fd = pm_open();

	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, AS(NOBODY, -1, ({
				CHECK(!enter_user_namespace());
				CHECK(pm_open() == -EACCES);
				CHECK(chmod(PMUDEV_DEVICE, 0666) && errno == EPERM);
				try_all(roots, fd);
			})));
	close(fd);
}

/* The device was given to it: one's own code, and nothing else. */
TEST_F(userns, capabilities)
{
	int roots = getpid();

	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0666));
	EXPECT_EQ(0, AS(NOBODY, -1, ({
				CHECK(!enter_user_namespace());
				try_all(roots, pm_open());
			})));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, ({
				CHECK(!enter_user_namespace());
				try_all(roots, pm_open());
			})));
	/* Root's own namespace, too. */
	EXPECT_EQ(0, AS(NOBODY, CAP_SYS_ADMIN, ({
				CHECK(!enter_user_namespace());
				CHECK(!enter_user_namespace());
				try_all(roots, pm_open());
			})));
}

/* --------------------------------------------------------------- one's own tasks outside -- */

static void attach(int pid, bool allowed)
{
	int fd = pm_open();

	CHECK(fd >= 0);
	if (allowed)
		CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, pid, 0));
	else
		CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_TASK, pm_bind(fd, PMUDEV_TARGET_TASK, pid, 0));
	close(fd);
}

static long set_dumpable(long dumpable)
{
	return prctl(PR_SET_DUMPABLE, dumpable);
}

static long go_inside(long times)
{
	return times ? enter_user_namespace() : 0;
}

/*
 * The same user, on either side of a namespace's border: the one inside has capabilities there, and
 * the one outside all of them too if it is the user that made the namespace, as with ptrace.
 */
TEST_F(userns, the_same_user_on_the_other_side)
{
	struct subject outside, inside;

	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0666));
	ASSERT_EQ(0, subject_fork(&outside));
	ASSERT_EQ(0, subject_fork(&inside));
	ASSERT_EQ(0, subject_do(&outside, become_user, NOBODY));
	ASSERT_EQ(0, subject_do(&inside, become_user, NOBODY));
	ASSERT_EQ(0, subject_do(&outside, set_dumpable, 1));
	EXPECT_EQ(0, AS(NOBODY, -1, attach(outside.pid, true)));
	ASSERT_EQ(0, subject_do(&inside, set_dumpable, 1));
	EXPECT_EQ(0, AS(NOBODY, -1, attach(inside.pid, true)));
	ASSERT_EQ(0, subject_do(&inside, go_inside, 1));
	ASSERT_EQ(0, subject_do(&inside, set_dumpable, 1));
	EXPECT_EQ(0, AS(NOBODY, -1, attach(inside.pid, true)));
	EXPECT_EQ(0, AS(NOBODY, -1, ({
				CHECK(!enter_user_namespace());
				attach(outside.pid, false);
				attach(inside.pid, false);
			})));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, attach(inside.pid, true)));
	EXPECT_EQ(0, subject_end(&outside));
	EXPECT_EQ(0, subject_end(&inside));
}

/* ------------------------------------------------------------------------- the limit -- */

/* One's own namespaces, one in the other: the same user, and no capability of the machine. */
static void nest(void)
{
	int depth;

	CHECK(hold(2) == 2);
	for (depth = 0; depth < 3; depth++) {
		CHECK(!enter_user_namespace());
		CHECK(geteuid() == 0);
		CHECK(has_room_of(MOST - 2 - depth, MOST));
		CHECK(hold(1) == 1);
	}
}

TEST_F(userns, namespaces_of_ones_own)
{
	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0666));
	ASSERT_EQ(0, set_limit(MOST));
	EXPECT_EQ(0, AS(NOBODY, -1, nest()));
}

/* Many users in a namespace are, all together, who made it. */
static long become_inner_user(long uid)
{
	return setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ? -errno : 0;
}

static long leave_for_namespace(long flags)
{
	return unshare(flags) ? -errno : 0;
}

static void map_users(struct __test_metadata *_metadata, int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	ASSERT_EQ(0, write_file(path, "0 100000 65536"));
	snprintf(path, sizeof(path), "/proc/%d/gid_map", pid);
	ASSERT_EQ(0, write_file(path, "0 100000 65536"));
}

TEST_F(userns, users_of_a_namespace)
{
	struct subject s[3];
	int i;

	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0666));
	ASSERT_EQ(0, set_limit(MOST));
	/* Namespaces of root's, a user of each. */
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, subject_fork(&s[i]));
		ASSERT_EQ(0, subject_do(&s[i], leave_for_namespace, CLONE_NEWUSER));
		map_users(_metadata, s[i].pid);
		ASSERT_EQ(0, subject_do(&s[i], become_inner_user, i));
	}
	EXPECT_EQ(5, subject_do(&s[0], hold, 5));
	EXPECT_EQ(4, subject_do(&s[1], hold, 4));
	EXPECT_EQ(3, subject_do(&s[2], hold, 4));
	EXPECT_EQ(0, room_of(NOBODY, MOST));
	EXPECT_EQ(0, room_of(0, 0));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, subject_end(&s[i]));
	EXPECT_EQ(0, room_of(0, MOST));
}

TEST_HARNESS_MAIN
