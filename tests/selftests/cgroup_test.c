// SPDX-License-Identifier: GPL-2.0
/*
 * Control groups that decide about the device and its users: the devices controller, the freezer.
 * For memory: memcg_test.c.
 */
#include "as.h"
#include "cgroup.h"
#include "subject.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

FIXTURE(cgroup)
{
	struct stat node;
};

FIXTURE_SETUP(cgroup)
{
	mode_t mode;

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, stat(PMUDEV_DEVICE, &self->node));
	ASSERT_EQ(0, open_to_all(&mode));
}

FIXTURE_TEARDOWN(cgroup)
{
	struct pmudev_query query;

	chmod(PMUDEV_DEVICE, self->node.st_mode & 07777);
	EXPECT_TRUE(WAIT_FOR(!pm_query(&query) && !(query.state & PMUDEV_STATE_RESERVED)));
	EXPECT_EQ(0ULL, query.busy);
}

/* -------------------------------------------------------- the devices controller -- */

static const struct cgroup *to_enter;

static long enter(long capability)
{
	int ret = cgroup_enter(to_enter);

	return ret ? ret : become(NOBODY, capability);
}

static long try_to_open(long flags)
{
	int fd = open(PMUDEV_DEVICE, O_RDWR | flags);

	return fd < 0 ? -errno : close(fd);
}

TEST_F(cgroup, devices)
{
	struct cgroup group;
	struct subject s;
	char node[64];
	int fd;

	if (cgroup_legacy(&group, "devices"))
		SKIP(return, "no devices controller of cgroup v1 here (CONFIG_CGROUP_DEVICE)");
	snprintf(node, sizeof(node), "c %u:%u rwm", major(self->node.st_rdev),
		 minor(self->node.st_rdev));
	fd = pm_open();
	ASSERT_GE(fd, 0);
	to_enter = &group;
	ASSERT_EQ(0, subject_fork(&s));
	ASSERT_EQ(0, subject_do(&s, enter, -1));
	EXPECT_EQ(0, subject_do(&s, try_to_open, 0));
	ASSERT_EQ(0, cgroup_write(&group, "devices.deny", node));
	EXPECT_EQ(-EPERM, subject_do(&s, try_to_open, 0));
	/* What is open already is a file like any other. */
	EXPECT_EQ(0, subject_do(&s, count_yourself, fd));
	EXPECT_EQ(0, try_to_open(0));
	ASSERT_EQ(0, cgroup_write(&group, "devices.allow", node));
	EXPECT_EQ(0, subject_do(&s, try_to_open, 0));
	EXPECT_EQ(0, subject_end(&s));
	EXPECT_EQ(0, cgroup_end(&group));
	close(fd);
}

/* ----------------------------------------------------------------- the freezer -- */

static long go_to(const struct cgroup *group, int pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return cgroup_write(group, "cgroup.procs", text);
}

static bool set_frozen(const struct cgroup *group, bool frozen)
{
	return !cgroup_write(group, "cgroup.freeze", frozen ? "1" : "0") &&
	       WAIT_FOR(cgroup_read(group, "cgroup.events", "frozen") == frozen);
}

static long work(long rounds)
{
	loop(rounds);
	return 0;
}

static bool *stop;

static long toggle_a_set(long group)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd = pm_set(&event, 1, false), ret = fd < 0 ? fd : 0;

	while (!ret && !READ_ONCE(*stop)) {
		ret = pm_enable(fd, group);
		if (!ret)
			ret = pm_disable(fd, group);
	}
	close(fd);
	return ret;
}

/* Whoever is frozen is counted as if it slept, and holds nobody up, whatever it was about. */
TEST_F(cgroup, frozen)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct subject asleep, busy;
	struct cgroup group;
	__u64 before;
	int i, fd, own;

	if (cgroup_make(&group, NULL))
		SKIP(return, "no control groups in this kernel (CONFIG_CGROUPS)");
	stop = mmap(NULL, sizeof(*stop), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, stop);
	ASSERT_EQ(0, subject_fork(&asleep));
	ASSERT_EQ(0, subject_fork(&busy));
	ASSERT_EQ(0, go_to(&group, asleep.pid));
	ASSERT_EQ(0, go_to(&group, busy.pid));
	subject_tell(&busy, toggle_a_set, 0);
	for (i = 0; i < 10; i++) {
		ASSERT_TRUE(set_frozen(&group, true));
		/* Bound, enabled and read while it is. */
		fd = pm_attach(asleep.pid, 0, &event, 1, true);
		ASSERT_GE(fd, 0);
		own = pm_set(&event, 1, true);
		ASSERT_GE(own, 0);
		before = pm_value(fd, 0);
		subject_tell(&asleep, work, 1000);
		loop(1000);
		EXPECT_GE(pm_value(own, 0), 1000ULL);
		EXPECT_EQ(before, pm_value(fd, 0));
		close(own);
		ASSERT_TRUE(set_frozen(&group, false));
		turn_wait(&asleep.turns, 0);
		EXPECT_GE(pm_value(fd, 0), before + 1000);
		close(fd);
	}
	WRITE_ONCE(*stop, true);
	turn_wait(&busy.turns, 0);
	EXPECT_EQ(0, busy.order->result);
	EXPECT_EQ(0, subject_end(&asleep));
	EXPECT_EQ(0, subject_end(&busy));
	EXPECT_EQ(0, cgroup_end(&group));
	munmap(stop, sizeof(*stop));
}

TEST_HARNESS_MAIN
