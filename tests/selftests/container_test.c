// SPDX-License-Identifier: GPL-2.0
/*
 * A container, made by an unprivileged user: namespaces of users, mounts, processes and control
 * groups, a /dev of its own with the device's node in it, nothing of the machine beside. What may
 * be * counted from there, and what is seen of others. And a group's node, in there and outside.
 */
#include "as.h"
#include "quota.h"
#include "subject.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define NO_NAMESPACES "no user or process namespaces here (CONFIG_USER_NS, CONFIG_PID_NS)"
#define ROOM	      "/tmp/pmudev-container"
#define GROUP	      4242

FIXTURE(container)
{
	struct stat node;
};

static void new_namespaces(void)
{
	/* The user first: the others are his then. */
	CHECK(!enter_user_namespace());
	CHECK(!unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWCGROUP));
}

FIXTURE_SETUP(container)
{
	if (geteuid())
		SKIP(return, "needs root");
	if (AS(NOBODY, -1, new_namespaces()))
		SKIP(return, NO_NAMESPACES);
	ASSERT_EQ(0, stat(PMUDEV_DEVICE, &self->node));
	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0666));
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_TRUE(!mkdir(ROOM, 0777) || errno == EEXIST);
	ASSERT_EQ(0, chmod(ROOM, 0777));
}

FIXTURE_TEARDOWN(container)
{
	struct pmudev_query query;

	chmod(PMUDEV_DEVICE, self->node.st_mode & 07777);
	EXPECT_EQ(0, chown(PMUDEV_DEVICE, self->node.st_uid, self->node.st_gid));
	set_user_access(false);
	rmdir(ROOM);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

/* A file system of its own, in which there is the device and /proc, and nothing else. */
static void make_room(dev_t node)
{
	int fd;

	CHECK(!mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	CHECK(!mount("none", ROOM, "tmpfs", 0, NULL));
	CHECK(!mkdir(ROOM "/dev", 0755) && !mkdir(ROOM "/proc", 0755));
	/* It cannot make a node; it can be given one. */
	CHECK(mknod(ROOM PMUDEV_DEVICE, S_IFCHR | 0666, node) && errno == EPERM);
	fd = open(ROOM PMUDEV_DEVICE, O_CREAT | O_RDWR, 0666);
	CHECK(fd >= 0 && !close(fd));
	CHECK(!mount(PMUDEV_DEVICE, ROOM PMUDEV_DEVICE, NULL, MS_BIND, NULL));
	CHECK(!mount("none", ROOM "/proc", "proc", 0, NULL));
	CHECK(!chroot(ROOM) && !chdir("/"));
}

/* Its first process returns; who called waits for that, and ends as it does. */
static void become_first(void)
{
	int first = fork(), result;

	if (!first) {
		CHECK(getpid() == 1);
		return;
	}
	result = child_result(first);
	/* Its line stays where it is. */
	_exit(result > 1 ? 2 : result);
}

static void become_container(dev_t node)
{
	new_namespaces();
	become_first();
	make_room(node);
}

/* 0 if everything in @body held, else the line. */
#define IN_CONTAINER(node, body)           \
	AS(NOBODY, -1, ({                  \
		   become_container(node); \
		   body;                   \
	   }))

/* ------------------------------------------------------------------- what it may count -- */

static void own_code(void)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_CYCLES, user_reads() ? DIRECT_READ : USER_ONLY),
		raw_event(EVENT_CYCLES, PMUDEV_EXCLUDE_HV),
	};
	struct reader reader;
	__u64 value, read;
	int fd = pm_set(events, 1, true);

	CHECK(fd >= 0);
	if (user_reads()) {
		reader = reader_of(pm_map(fd));
		/* Its own number is the one that it has in there. */
		CHECK(reader.page && reader.page->owner == 1);
		loop(1000);
		CHECK(!direct_read(&reader, 0, &value) && value >= 1000);
		read = pm_value(fd, 0);
		CHECK(read >= value && read != ~0ULL);
	}
	CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_KERNEL, pm_add(fd, &events[1], 1));
	close(fd);
}

static void own_child(void)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct subject child;
	__u64 value;
	int fd;

	CHECK(!prctl(PR_SET_DUMPABLE, 1));
	CHECK(!subject_fork(&child));
	CHECK(child.pid == 2);
	fd = pm_attach(2, 0, &event, 1, true);
	CHECK(fd >= 0);
	CHECK(!subject_work(&child, 1000));
	value = pm_value(fd, 0);
	CHECK(value >= 1000 && value != ~0ULL);
	close(fd);
	CHECK(!subject_end(&child));
}

static void nothing_else(int outside)
{
	int fd = pm_open();

	CHECK(fd >= 0);
	CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_CPU, pm_bind(fd, PMUDEV_TARGET_CPU, 0, 0));
	/* Who is outside has no number in here. */
	CHECK_REFUSED(ESRCH, PMUDEV_WHY_NO_TASK, pm_bind(fd, PMUDEV_TARGET_TASK, outside, 0));
	CHECK_REFUSED(ESRCH, PMUDEV_WHY_NO_TASK, pm_bind(fd, PMUDEV_TARGET_PROCESS, outside, 0));
	CHECK(set_user_access(false) == -EACCES || set_user_access(false) == -EPERM);
	CHECK(set_limit(1000000) == -EACCES || set_limit(1000000) == -EPERM);
	close(fd);
}

TEST_F(container, may_count_itself)
{
	EXPECT_EQ(0, IN_CONTAINER(self->node.st_rdev, own_code()));
	EXPECT_EQ(0, IN_CONTAINER(self->node.st_rdev, own_child()));
}

TEST_F(container, may_count_nothing_else)
{
	/* A number that nobody has in there. */
	int outside = getpid();

	ASSERT_GT(outside, 3);
	EXPECT_EQ(0, IN_CONTAINER(self->node.st_rdev, nothing_else(outside)));
}

/* What it was given from outside was made with rights that it has not. */
static void use_what_is_bound(int fd)
{
	struct pmudev_event_attr kernel = raw_event(EVENT_CYCLES, PMUDEV_EXCLUDE_HV);

	CHECK(pm_value(fd, 0) != ~0ULL);
	CHECK(!pm_disable(fd, 0) && !pm_remove(fd, 0));
	CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_KERNEL, pm_add(fd, &kernel, 1));
	CHECK_REFUSED(EBUSY, PMUDEV_WHY_BOUND, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
}

TEST_F(container, a_set_from_outside)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd = pm_set(&event, 1, true);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, IN_CONTAINER(self->node.st_rdev, use_what_is_bound(fd)));
	close(fd);
}

/* ------------------------------------------------------------------ whose numbers it sees -- */

/* Sets until there is no counter left: who has them? */
static int fill(int tid)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int i, fd = 0;

	for (i = 0; i <= PMUDEV_MAX_EVENTS && fd >= 0; i++)
		fd = pm_attach(tid, 0, &event, 1, true);
	return fd == -EBUSY && why.code == PMUDEV_WHY_HELD ? why.holder.pid : fd;
}

TEST_F(container, its_own_number)
{
	EXPECT_EQ(0, IN_CONTAINER(self->node.st_rdev, CHECK(fill(0) == 1)));
}

/* Its counters are held by a set from outside, of whose maker it is told nothing. */
static void held_from_outside(int sets)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int i, fd = -1;

	/* Bound in here, but opened out there. */
	for (i = 0; i < sets; i++) {
		CHECK(!pm_bind(100 + i, PMUDEV_TARGET_TASK, 0, 0));
		CHECK(!pm_add(100 + i, &event, 1));
		if (pm_enable(100 + i, 0))
			break;
		fd = i;
	}
	CHECK(fd > 0 && i < sets);
	CHECK(why.code == PMUDEV_WHY_HELD && why.holder.kind == PMUDEV_HOLDER_TASK_SET);
	CHECK(why.holder.pid == 0);
}

TEST_F(container, no_number_of_others)
{
	int i, fd = pm_open();

	for (i = 0; i < PMUDEV_MAX_EVENTS; i++, fd = pm_open()) {
		ASSERT_EQ(100 + i, dup2(fd, 100 + i));
		close(fd);
	}
	close(fd);
	EXPECT_EQ(0, IN_CONTAINER(self->node.st_rdev, held_from_outside(PMUDEV_MAX_EVENTS)));
	for (i = 0; i < PMUDEV_MAX_EVENTS; i++)
		close(100 + i);
}

static void held_by(int pid)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);

	CHECK_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_set(&event, 1, true));
	CHECK(why.holder.kind == PMUDEV_HOLDER_CPU_SET && why.holder.pid == pid);
}

static void held_by_nobody_here(void)
{
	CHECK(!unshare(CLONE_NEWPID));
	become_first();
	held_by(0);
}

static void held_by_myself(void)
{
	CHECK(!unshare(CLONE_NEWPID));
	become_first();
	CHECK(fill(0) == 1);
}

/*
 * With CAP_PERFMON, but in a process namespace of its own: of those outside there is no number; of
 * those inside there is, the one in here.
 */
TEST_F(container, numbers_are_the_namespaces)
{
	struct pmudev_event_attr events[PMUDEV_MAX_EVENTS];
	struct pmudev_query query;
	unsigned int i, nr;
	int cpu_set, maker;

	ASSERT_EQ(0, pm_query(&query));
	nr = __builtin_popcountll(cycle_counters(query.available));
	for (i = 0; i < nr; i++)
		events[i] = raw_event(EVENT_CYCLES, USER_ONLY);
	cpu_set = pm_cpu_set(0, 0, events, nr);
	ASSERT_GE(cpu_set, 0);
	maker = getpid();
	EXPECT_EQ(0, AS(0, CAP_PERFMON, held_by(maker)));
	EXPECT_EQ(0, AS(0, CAP_SYS_ADMIN, held_by_nobody_here()));
	close(cpu_set);
	EXPECT_EQ(0, AS(0, CAP_SYS_ADMIN, held_by_myself()));
}

/* --------------------------------------------------------------------- a group -- */

static void in_groups(gid_t also)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd = pm_open();

	if (!also) {
		CHECK(fd == -EACCES);
		return;
	}
	CHECK(fd >= 0 && !close(fd));
	fd = pm_set(&event, 1, true);
	loop(1000);
	CHECK(fd >= 0 && pm_value(fd, 0) >= 1000);
	CHECK(pm_bind(pm_open(), PMUDEV_TARGET_CPU, 0, 0) == -EPERM);
}

/* As the packages have it: mode 0660, and a group. */
TEST_F(container, a_groups_node)
{
	gid_t group = GROUP;

	ASSERT_EQ(0, chown(PMUDEV_DEVICE, 0, GROUP));
	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0660));
	ASSERT_EQ(0, setgroups(0, NULL));
	EXPECT_EQ(0, AS(NOBODY, -1, in_groups(0)));
	ASSERT_EQ(0, setgroups(1, &group));
	EXPECT_EQ(0, AS(NOBODY, -1, in_groups(GROUP)));
	/* It goes along into a container, but nobody gets it there who has it not. */
	EXPECT_EQ(0, IN_CONTAINER(self->node.st_rdev, own_code()));
	ASSERT_EQ(0, setgroups(0, NULL));
	EXPECT_EQ(0, IN_CONTAINER(self->node.st_rdev, in_groups(0)));
}

TEST_HARNESS_MAIN
