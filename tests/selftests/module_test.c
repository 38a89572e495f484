// SPDX-License-Identifier: GPL-2.0
/*
 * The module itself: it cannot go while a set is there, it comes and goes cleanly, and says one
 * line when it comes.
 */
#include "subject.h"
#include "sysfs.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <sys/stat.h>

#define NAME "pmudev"

/*
 * What a module in use answers. rmmod(8) prints it as "Module pmudev is in use"; the call's errno
 * is EAGAIN, and EBUSY means one that is just going.
 */
#define IN_USE (-EAGAIN)

FIXTURE(module)
{
	struct pmudev_event_attr event;
};

FIXTURE_SETUP(module)
{
	if (geteuid() || access(module_file(), R_OK))
		SKIP(return, "needs root and the module's file (PMUDEV_KO)");
	self->event = raw_event(EVENT_CYCLES, user_reads() ? DIRECT_READ : USER_ONLY);
	ASSERT_EQ(0, set_user_access(true));
}

/* The programs that follow need it. */
FIXTURE_TEARDOWN(module)
{
	if (access(PMUDEV_DEVICE, F_OK))
		EXPECT_EQ(0, load_module());
	set_user_access(false);
}

TEST_F(module, stays_while_a_file_is_open)
{
	int fd = pm_open();

	/* Unbound, bound, with events, counting. */
	ASSERT_GE(fd, 0);
	EXPECT_EQ(IN_USE, unload_module());
	ASSERT_EQ(0, pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
	EXPECT_EQ(IN_USE, unload_module());
	ASSERT_EQ(0, pm_add(fd, &self->event, 1));
	EXPECT_EQ(IN_USE, unload_module());
	ASSERT_EQ(0, pm_enable(fd, 0));
	EXPECT_EQ(IN_USE, unload_module());
	close(fd);
	EXPECT_EQ(0, unload_module());
}

TEST_F(module, stays_while_a_page_is_mapped)
{
	struct pmudev_page *page;
	struct reader reader;
	__u64 value;
	int fd = pm_set(&self->event, 1, true);

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	close(fd);
	EXPECT_EQ(IN_USE, unload_module());
	reader = reader_of(page);
	EXPECT_EQ(0, direct_read(&reader, 0, &value));
	pm_unmap(page);
	EXPECT_EQ(0, unload_module());
	EXPECT_TRUE(counter_faults(FIXED_OPERAND));
}

/* A child's copy of the page is a page of zeroes, and keeps nothing of ours. */
TEST_F(module, goes_when_the_owner_has_ended)
{
	struct turns turns;
	int fd, child, grandchild;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, turns_init(&turns));
	child = fork();
	if (!child) {
		fd = pm_set(&self->event, 1, true);
		if (fd < 0 || !pm_map(fd))
			_exit(1);
		grandchild = fork_bound();
		if (!grandchild)
			for (;;)
				pause();
		stop_child(grandchild);
		_exit(0);
	}
	ASSERT_EQ(0, child_result(child));
	EXPECT_EQ(0, unload_module());
}

/* ------------------------------------------------------------------ other tasks -- */

/* A set on another task, closed again: whatever that one does, it keeps nothing of ours. */
static void check_leaves(struct __test_metadata *_metadata, int pid, __u32 bind_flags)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int fd = pm_attach(pid, bind_flags, &event, 1, true);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(IN_USE, unload_module());
	close(fd);
	EXPECT_TRUE(WAIT_FOR(!unload_module()));
	ASSERT_EQ(0, load_module());
}

/* It has not run since it was bound, and sleeps as long as it is not told otherwise. */
TEST_F(module, goes_while_the_target_sleeps)
{
	struct subject s;

	ASSERT_EQ(0, subject_fork(&s));
	check_leaves(_metadata, s.pid, 0);
	check_leaves(_metadata, s.pid, PMUDEV_BIND_INHERIT);
	check_leaves(_metadata, s.pid, PMUDEV_BIND_ON_EXEC);
	EXPECT_EQ(0, subject_work(&s, 1000));
	EXPECT_EQ(0, subject_end(&s));
}

static int open_set;

static long attach_to_yourself(long flags)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int ret = pm_bind(open_set, PMUDEV_TARGET_TASK, 0, flags);

	if (!ret)
		ret = pm_add(open_set, &event, 1);
	if (!ret)
		ret = pm_enable(open_set, 0);
	return ret ? ret : close(open_set);
}

/* It has run while it was counted, also by itself, and sleeps now. */
TEST_F(module, goes_while_one_that_was_counted_sleeps)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct subject s;
	int fd, i;

	for (i = 0; i < 2; i++) {
		open_set = i ? pm_open() : -1;
		ASSERT_EQ(0, subject_fork(&s));
		/* Its own descriptor was not the last one. */
		if (i)
			ASSERT_EQ(0, subject_do(&s, attach_to_yourself, 0));
		fd = pm_attach(s.pid, PMUDEV_BIND_INHERIT, &event, 1, true);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, subject_work(&s, 100000));
		EXPECT_GE(pm_value(fd, 0), 100000ULL);
		close(fd);
		close(open_set);
		EXPECT_TRUE(WAIT_FOR(!unload_module()));
		EXPECT_EQ(0, subject_work(&s, 1000));
		ASSERT_EQ(0, load_module());
		EXPECT_EQ(0, subject_end(&s));
	}
}

/* It never sleeps; it is halted, and never goes on. */
TEST_F(module, goes_while_the_target_runs)
{
	struct spinner s;

	ASSERT_EQ(0, spinner_start(&s));
	check_leaves(_metadata, s.pid, 0);
	ASSERT_EQ(0, spinner_halt(&s));
	check_leaves(_metadata, s.pid, PMUDEV_BIND_INHERIT);
	spinner_stop(&s);
}

static long close_yours(long fd)
{
	return close(fd);
}

/* Children that were counted along sleep, and some have ended. */
TEST_F(module, goes_while_children_sleep)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct subject s[6];
	int fd, i;

	fd = pm_attach(0, PMUDEV_BIND_INHERIT, &event, 1, true);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, i & 1 ? subject_thread(&s[i]) : subject_fork(&s[i]));
		/* Processes have a descriptor of their own. Some threads have not run since. */
		if (!(i & 1))
			ASSERT_EQ(0, subject_do(&s[i], close_yours, fd));
		if (i & 1 && i < 4)
			ASSERT_EQ(0, subject_work(&s[i], 1000));
	}
	EXPECT_EQ(0, subject_end(&s[0]));
	EXPECT_EQ(0, subject_end(&s[1]));
	close(fd);
	EXPECT_TRUE(WAIT_FOR(!unload_module()));
	for (i = 2; i < 6; i++) {
		EXPECT_EQ(0, subject_work(&s[i], 1000));
		EXPECT_EQ(0, subject_end(&s[i]));
	}
}

/* ------------------------------------------------------------- coming and going -- */

TEST_F(module, gone_without_a_trace)
{
	struct stat stat_;

	ASSERT_EQ(0, unload_module());
	EXPECT_EQ(-1, stat(PMUDEV_DEVICE, &stat_));
	EXPECT_EQ(-1, stat("/sys/class/" NAME, &stat_));
	EXPECT_EQ(-1, stat("/proc/sys/dev/" NAME, &stat_));
	EXPECT_EQ(-1, stat("/sys/module/" NAME, &stat_));
	EXPECT_EQ(-ENOENT, pm_open());
	ASSERT_EQ(0, load_module());
	EXPECT_EQ(0, stat(PMUDEV_DEVICE, &stat_));
	/* User access is disabled until root enables it. */
	EXPECT_EQ(0, read_number(USER_ACCESS));
}

/* Lines of the log since the descriptor was at its end: all, and those that speak of us. */
static void new_lines(int log, int *all, int *ours, char *last, size_t size)
{
	char line[1024], *text;
	ssize_t n;

	*all = 0;
	*ours = 0;
	while ((n = read(log, line, sizeof(line) - 1)) > 0) {
		line[n] = 0;
		text = strchr(line, ';');
		if (!text)
			continue;
		(*all)++;
		if (strncmp(text + 1, NAME, strlen(NAME)))
			continue;
		(*ours)++;
		snprintf(last, size, "%s", text + 1);
	}
}

TEST_F(module, says_one_line)
{
	char line[512] = "", number[16];
	struct pmudev_query query;
	int log, all, ours;

	log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log < 0)
		SKIP(return, "no /dev/kmsg");
	ASSERT_EQ(0, unload_module());
	ASSERT_LE(0, lseek(log, 0, SEEK_END));
	ASSERT_EQ(0, load_module());
	new_lines(log, &all, &ours, line, sizeof(line));
	EXPECT_EQ(1, ours);
	/* It names the PMU and how many counters there are. */
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_NE(NULL, strstr(line, query.name)) TH_LOG("%s", line);
	snprintf(number, sizeof(number), "%d", __builtin_popcountll(query.counters & 0xffffffff));
	EXPECT_NE(NULL, strstr(line, number)) TH_LOG("%s", line);
	/* Counting, reading and leaving are silent. */
	close(pm_set(&self->event, 1, true));
	EXPECT_EQ(0, unload_module());
	new_lines(log, &all, &ours, line, sizeof(line));
	EXPECT_EQ(0, ours) TH_LOG("%s", line);
	close(log);
}

/*
 * On x86 fork copies a right to read that perf gave, so forks are followed before a CPU is counted,
 * too. Elsewhere nothing is hooked for that.
 */
TEST_F(module, follows_forks_where_they_copy_rights)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct pmudev_query query;
	char hooks[1024];
	int fd;

	ASSERT_EQ(0, unload_module());
	ASSERT_EQ(0, load_module());
	fd = pm_cpu_set(0, 0, &event, 1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_query(&query));
	ASSERT_EQ(0, sysfs_text(query.name, "hooks", hooks, sizeof(hooks)));
	EXPECT_EQ(query.arch != PMUDEV_ARCH_ARM64, !!strstr(hooks, "task_newtask"));
	/* What threads need is not installed for a CPU. */
	EXPECT_EQ(NULL, strstr(hooks, "sched_process_exit"));
	EXPECT_EQ(NULL, strstr(hooks, "preempt_notifiers"));
	close(fd);
}

TEST_F(module, comes_and_goes)
{
	union record record;
	int i, fd;

	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, unload_module());
		ASSERT_EQ(0, load_module());
		ASSERT_EQ(0, set_user_access(true));
		fd = pm_set(&self->event, 1, true);
		ASSERT_GE(fd, 0);
		loop(1000);
		ASSERT_EQ(0, pm_read(fd, &record));
		ASSERT_GE(record.r.counts[0].value, 1000ULL);
		close(fd);
	}
}

/* Unloading at any moment of somebody's opening and closing: one of them is refused. */
TEST_F(module, unloaded_under_users)
{
	int i = 0, fd, ret, unloads = 0;
	int child = fork_bound();

	if (!child) {
		for (;;) {
			fd = pm_set(&self->event, 1, true);
			if (fd >= 0)
				close(fd);
			pause_ns(50000 + ++i % 7 * 10001);
		}
	}
	for (i = 0; i < 60 && unloads < 8; i++) {
		ret = unload_module();
		EXPECT_TRUE(ret == 0 || ret == IN_USE || ret == -EBUSY) TH_LOG("it was %d", ret);
		if (!ret) {
			unloads++;
			ASSERT_EQ(0, load_module());
			ASSERT_EQ(0, set_user_access(true));
		}
		pause_ns(20000 + i % 5 * 9001);
	}
	stop_child(child);
	TH_LOG("unloaded %d times of %d", unloads, i);
	EXPECT_GT(unloads, 0);
}

TEST_HARNESS_MAIN
