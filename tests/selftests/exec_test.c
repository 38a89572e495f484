// SPDX-License-Identifier: GPL-2.0
/*
 * What exec does to a set: a plain one changes nothing for the counts and ends the right to read
 * directly; one that gains privileges ends the set, so that nobody watches a program run that is
 * not theirs. The program executed is this one, with the name of a part to play.
 */
#include "as.h"
#include "subject.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define SELF "/proc/self/exe"
#define N    1000000

/* Argument numbers of descriptors; the parts' exit codes are tested by those who start them. */
static int play(int argc, char **argv)
{
	union record record;
	int fd = argc > 2 ? atoi(argv[2]) : -1;

	if (!strcmp(argv[1], "loop")) {
		loop(N);
		return 0;
	}
	if (!strcmp(argv[1], "halt"))
		return raise(SIGSTOP);
	if (!strcmp(argv[1], "faults")) /* is there no right to read directly? */
		return all_fault() == 1 ? 0 : 1;
	if (!strcmp(argv[1], "read")) {
		loop(N);
		return !pm_read(fd, &record) && record.r.counts[0].value >= N ? 0 : 1;
	}
	if (!strcmp(argv[1], "euid"))
		return geteuid() == 0 && getuid() != 0 ? 0 : 1;
	return 2;
}

static void exec_self(const char *path, const char *part, int fd)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	execl(path, "exec_test", "--play", part, number, NULL);
	_exit(126);
}

/* A set on this process, which outlives exec and can be read by a parent that had opened it. */
static int start(int fd, __u32 flags)
{
	struct pmudev_event_attr event = raw_event(steady_event(), flags);
	int ret;

	ret = pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0);
	if (!ret)
		ret = pm_add(fd, &event, 1);
	if (!ret)
		ret = pm_enable(fd, 0);
	return ret;
}

TEST(plain_exec_is_counted_on)
{
	union record record;
	int fd, child;

	fd = pm_open();
	ASSERT_GE(fd, 0);
	child = fork();
	if (!child) {
		if (start(fd, USER_ONLY))
			_exit(125);
		loop(N);
		exec_self(SELF, "loop", -1);
	}
	ASSERT_EQ(0, child_result(child));
	EXPECT_TRUE(WAIT_FOR(!pm_read(fd, &record) && record.r.flags & PMUDEV_RECORD_ENDED));
	/* One loop before, one after. */
	EXPECT_GE(record.r.counts[0].value, 2ULL * N * (emulated() ? LOOP_INSTRUCTIONS : 1));
	EXPECT_EQ(record.r.counts[0].time_enabled, record.r.counts[0].time_running);
	close(fd);
}

/* The new program inherits the file, and reads by it what it counts itself. */
TEST(new_program_reads_its_set)
{
	int child, fd;

	child = fork();
	if (!child) {
		fd = pm_open();
		fcntl(fd, F_SETFD, 0);
		if (fd < 0 || start(fd, USER_ONLY))
			_exit(125);
		exec_self(SELF, "read", fd);
	}
	EXPECT_EQ(0, child_result(child));
}

/* A mapping does not outlive exec, and so neither does the right to read. */
TEST(right_ends_with_exec)
{
	struct pmudev_page *page;
	union record record;
	int fd, child;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	fd = pm_open();
	ASSERT_GE(fd, 0);
	child = fork();
	if (!child) {
		if (start(fd, DIRECT_READ))
			_exit(125);
		page = pm_map(fd);
		if (!page || counter_faults(READ_ONCE(page->slots[0].operand)))
			_exit(124);
		exec_self(SELF, "faults", -1);
	}
	EXPECT_EQ(0, child_result(child));
	/* It was counted to its end. */
	EXPECT_TRUE(WAIT_FOR(!pm_read(fd, &record) && record.r.flags & PMUDEV_RECORD_ENDED));
	EXPECT_GT(record.r.counts[0].value, 0ULL);
	close(fd);
	EXPECT_EQ(0, set_user_access(false));
}

/* What a program of 64 bits may map one of 32 may not, where that would read half of a counter. */
TEST(page_of_a_32_bit_program)
{
	char number[16];
	int fd, child, result;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	child = fork();
	if (!child) {
		fd = pm_open();
		fcntl(fd, F_SETFD, 0);
		if (fd < 0 || start(fd, DIRECT_READ))
			_exit(125);
		snprintf(number, sizeof(number), "%d", fd);
		setenv("PMUDEV_GIVEN", number, 1);
		/* Its report is not part of this one's. */
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execl("./compat32_test", "compat32_test", NULL);
		_exit(126);
	}
	result = child_result(child);
	EXPECT_EQ(0, set_user_access(false));
	if (result == KSFT_SKIP || result == 126)
		SKIP(return, "no 32-bit program (CC32)");
	EXPECT_EQ(0, result);
}

/*
 * A vfork's child maps into its parent's address space, which outlives the child's exec, and the
 * mapping with it: the right does not go along into the new program.
 */
TEST(right_ends_with_exec_in_a_shared_space)
{
	struct pmudev_page *page;
	int fd, child;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, set_user_access(true));
	fd = pm_open();
	ASSERT_GE(fd, 0);
	child = vfork();
	if (!child) {
		if (start(fd, DIRECT_READ))
			_exit(125);
		page = pm_map(fd);
		if (!page || counter_faults(READ_ONCE(page->slots[0].operand)))
			_exit(124);
		exec_self(SELF, "faults", -1);
	}
	EXPECT_EQ(0, child_result(child));
	/* The parent, whose address space it is, has got it only if all its threads have. */
	EXPECT_EQ(!RIGHT_OF_THE_PROCESS, counter_faults(FIXED_OPERAND));
	if (RIGHT_OF_THE_PROCESS)
		EXPECT_EQ(0ULL, counter(FIXED_OPERAND));
	close(fd);
	EXPECT_EQ(0, set_user_access(false));
}

/* exec by another thread than the leader: the set of the thread that goes on goes on with it. */
static void *exec_from_here(void *arg)
{
	int *fd = arg;

	if (start(*fd, USER_ONLY))
		_exit(125);
	exec_self(SELF, "loop", -1);
	return NULL;
}

TEST(exec_by_a_thread)
{
	struct pmudev_event_attr event = raw_event(steady_event(), USER_ONLY);
	union record record;
	int fd, leaders, child;

	fd = pm_open();
	leaders = pm_open();
	ASSERT_GE(leaders, 0);
	child = fork();
	if (!child) {
		pthread_t thread;

		pm_bind(leaders, PMUDEV_TARGET_TASK, 0, 0);
		pm_add(leaders, &event, 1);
		pm_enable(leaders, 0);
		pthread_create(&thread, NULL, exec_from_here, &fd);
		pthread_join(thread, NULL);
		_exit(123);
	}
	ASSERT_EQ(0, child_result(child));
	EXPECT_TRUE(WAIT_FOR(!pm_read(fd, &record) && record.r.flags & PMUDEV_RECORD_ENDED));
	EXPECT_GE(record.r.counts[0].value, (__u64)N);
	/* The leader ended in favour of the other one. */
	EXPECT_TRUE(WAIT_FOR(!pm_read(leaders, &record) && record.r.flags & PMUDEV_RECORD_ENDED));
	if (exact_instructions())
		EXPECT_LT(record.r.counts[0].value, (__u64)N);
	close(leaders);
	close(fd);
}

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
