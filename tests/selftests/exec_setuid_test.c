// SPDX-License-Identifier: GPL-2.0
/*
 * An exec that gains privileges ends the sets on the process, so that nobody watches a program run
 * that is not theirs. The program executed is this one, with the name of a part to play.
 */
#include "as.h"
#include "exec.h"
#include "subject.h"
#include "kselftest_harness.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

/* ------------------------------------------------------------------ set-uid -- */

FIXTURE(setuid)
{
	char path[64];
};

FIXTURE_SETUP(setuid)
{
	struct statvfs fs;
	char command[128];

	if (geteuid())
		SKIP(return, "needs root");
	if (statvfs("/tmp", &fs) || fs.f_flag & ST_NOSUID)
		SKIP(return, "/tmp does not let programs gain privileges");
	snprintf(self->path, sizeof(self->path), "/tmp/pmudev-setuid-%d", getpid());
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(), self->path);
	ASSERT_EQ(0, system(command));
	ASSERT_EQ(0, chmod(self->path, 04755));
}

FIXTURE_TEARDOWN(setuid)
{
	unlink(self->path);
}

/* As nobody, with a set on itself that the parent holds as well, executes the set-uid program. */
static int as_nobody(const char *path, const char *part, int fd)
{
	int child = fork();

	if (!child) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(124);
		if (start(fd, USER_ONLY))
			_exit(125);
		loop(1000);
		exec_self(path, part, -1);
	}
	return child_result(child);
}

TEST_F(setuid, gaining_privileges_ends_the_set)
{
	union record record;
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	/* Does it gain them at all? */
	ASSERT_EQ(0, as_nobody(self->path, "euid", fd));
	close(fd);

	fd = pm_open();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, as_nobody(self->path, "loop", fd));
	ASSERT_EQ(0, pm_read(fd, &record));
	EXPECT_TRUE(record.r.flags & PMUDEV_RECORD_ENDED);
	/* What it did before is there; nothing of what the privileged program did. */
	EXPECT_GE(record.r.counts[0].value, 1000ULL);
	if (exact_instructions())
		EXPECT_LT(record.r.counts[0].value, (__u64)N);
	EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_enable(fd, 0));
	close(fd);
}

/* ------------------------------------------------------ sets from outside -- */

static char *setuid_path;

static long become_nobody(long unused)
{
	(void)unused;
	return setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) ? -errno : 0;
}

static long exec_setuid(long unused)
{
	(void)unused;
	exec_self(setuid_path, "loop", -1);
	return -1;
}

static long exec_setuid_and_wait(long unused)
{
	(void)unused;
	exec_self(setuid_path, "halt", -1);
	return -1;
}

/* A child, of which it is the same. */
static long child_execs_setuid(long unused)
{
	int child = fork();

	if (!child)
		exec_setuid(unused);
	return child_result(child);
}

/* Every set on it ends, whoever bound it and with whatever rights. */
TEST_F(setuid, ends_sets_from_outside)
{
	static const __u32 flags[] = { 0, PMUDEV_BIND_INHERIT, PMUDEV_BIND_ON_EXEC,
				       PMUDEV_BIND_ON_EXEC | PMUDEV_BIND_INHERIT };
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	struct pmudev_query query;
	union record record;
	struct subject s;
	unsigned int i;
	int fd[4];

	setuid_path = self->path;
	ASSERT_EQ(0, subject_fork(&s));
	ASSERT_EQ(0, subject_do(&s, become_nobody, 0));
	for (i = 0; i < 4; i++) {
		fd[i] = pm_attach(s.pid, flags[i], &event, 1, true);
		ASSERT_GE(fd[i], 0);
	}
	ASSERT_EQ(0, subject_work(&s, 1000));
	subject_tell(&s, exec_setuid, 0);
	ASSERT_EQ(0, child_result(s.pid));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pm_read(fd[i], &record));
		EXPECT_EQ((__u32)PMUDEV_RECORD_ENDED, record.r.flags);
		EXPECT_EQ(i < 2, record.r.counts[0].value >= 1000);
		EXPECT_EQ(i >= 2, record.r.counts[0].value == 0);
		if (exact_instructions())
			EXPECT_LT(record.r.counts[0].value, (__u64)N);
		EXPECT_REFUSED(ESRCH, PMUDEV_WHY_ENDED, pm_enable(fd[i], 0));
	}
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(0ULL, query.busy);
	for (i = 0; i < 4; i++)
		close(fd[i]);
}

/* Of a child: its part, and no more; the others are counted on. */
TEST_F(setuid, ends_a_childs_part)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	union record before, after;
	struct subject s;
	int fd, i;

	setuid_path = self->path;
	ASSERT_EQ(0, subject_fork(&s));
	ASSERT_EQ(0, subject_do(&s, become_nobody, 0));
	fd = pm_attach(s.pid, PMUDEV_BIND_INHERIT, &event, 1, true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pm_read(fd, &before));
		ASSERT_EQ(0, subject_do(&s, child_execs_setuid, 0));
		ASSERT_EQ(0, pm_read(fd, &after));
		EXPECT_EQ((__u32)PMUDEV_RECORD_ENABLED, after.r.flags);
		EXPECT_GT(after.r.counts[0].value, before.r.counts[0].value);
		if (exact_instructions())
			EXPECT_LT(after.r.counts[0].value, before.r.counts[0].value + N);
		ASSERT_EQ(0, subject_work(&s, N));
		ASSERT_EQ(0, pm_read(fd, &before));
		EXPECT_GE(before.r.counts[0].value, after.r.counts[0].value + N);
	}
	/* Without the bit all of the child is counted. */
	ASSERT_EQ(0, chmod(self->path, 0755));
	ASSERT_EQ(0, subject_do(&s, child_execs_setuid, 0));
	ASSERT_EQ(0, pm_read(fd, &after));
	EXPECT_GE(after.r.counts[0].value, before.r.counts[0].value + N);
	EXPECT_EQ(0, subject_end(&s));
	close(fd);
}

/* While it is in that program nobody who could not count root's tasks can count it. */
TEST_F(setuid, is_not_to_be_counted)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	struct subject s;

	setuid_path = self->path;
	ASSERT_EQ(0, subject_fork(&s));
	ASSERT_EQ(0, subject_do(&s, become_nobody, 0));
	subject_tell(&s, exec_setuid_and_wait, 0);
	ASSERT_TRUE(WAIT_FOR(task_state(s.pid) == 'T'));
	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0666));
	EXPECT_EQ(0, AS(NOBODY, -1,
			CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_TASK,
				      pm_attach(s.pid, 0, &event, 1, true))));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, CHECK(pm_attach(s.pid, 0, &event, 1, true) >= 0)));
	ASSERT_EQ(0, chmod(PMUDEV_DEVICE, 0600));
	stop_child(s.pid);
}

/* The same program without the bit is nothing special. */
TEST_F(setuid, without_the_bit_it_is_counted)
{
	union record record;
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, chmod(self->path, 0755));
	ASSERT_EQ(0, as_nobody(self->path, "loop", fd));
	EXPECT_TRUE(WAIT_FOR(!pm_read(fd, &record) && record.r.flags & PMUDEV_RECORD_ENDED));
	EXPECT_GE(record.r.counts[0].value, (__u64)N);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play"))
		return play(argc - 1, argv + 1);
	return test_harness_run(argc, argv);
}
