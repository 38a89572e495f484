// SPDX-License-Identifier: GPL-2.0
/*
 * Who may count what. One's own user code: whoever may open the device. The kernel, a CPU, another
 * user's task: CAP_PERFMON (or CAP_SYS_ADMIN).
 */
#include "as.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

FIXTURE(perm)
{
	mode_t mode;
};

FIXTURE_SETUP(perm)
{
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, open_to_all(&self->mode));
	ASSERT_EQ(0, set_user_access(true));
}

FIXTURE_TEARDOWN(perm)
{
	chmod(PMUDEV_DEVICE, self->mode);
	set_user_access(false);
}

TEST(device_is_roots)
{
	struct stat stat_;

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, stat(PMUDEV_DEVICE, &stat_));
	EXPECT_TRUE(S_ISCHR(stat_.st_mode));
	EXPECT_EQ(0600U, stat_.st_mode & 07777);
	EXPECT_EQ(0U, stat_.st_uid);
	EXPECT_EQ(0, AS(NOBODY, -1, CHECK(pm_open() == -EACCES)));
	/* Capabilities to count are not rights to the device. */
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, CHECK(pm_open() == -EACCES)));
}

static void count_myself(void)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_CYCLES, DIRECT_READ),
		raw_event(EVENT_CYCLES, USER_ONLY),
	};
	union record record;
	struct reader reader;
	__u64 value;
	int fd;

	fd = pm_set(events, 2, true);
	CHECK(fd >= 0);
	reader = reader_of(pm_map(fd));
	CHECK(reader.page);
	loop(1000);
	CHECK(!direct_read(&reader, 0, &value));
	CHECK(value >= 1000);
	CHECK(!pm_read(fd, &record));
	CHECK(record.r.counts[1].value >= value);
	CHECK(!pm_disable(fd, 0) && !pm_reset(fd, 0, 0) && !pm_remove(fd, 0));
	CHECK(!close(fd));
}

TEST_F(perm, own_user_code)
{
	if (!user_reads())
		SKIP(return, NO_USER_READS);
	EXPECT_EQ(0, AS(NOBODY, -1, count_myself()));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, count_myself()));
	EXPECT_EQ(0, AS(0, -1, count_myself()));
}

/* A thread of one's own process is one's own, and a child is, too. */
static void bind_a_sibling(int tid)
{
	int fd = pm_open();

	CHECK(fd >= 0);
	CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, my_tid(), 0));
	close(fd);
	fd = pm_open();
	CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, tid, 0));
	close(fd);
}

TEST_F(perm, own_tasks)
{
	EXPECT_EQ(0, AS(NOBODY, -1, bind_a_sibling(getpid())));
	EXPECT_EQ(0, AS(NOBODY, -1, ({
				int sibling;

				/* Who has changed user is not dumpable until it says so. */
				CHECK(!prctl(PR_SET_DUMPABLE, 1));
				sibling = fork_bound();
				if (!sibling)
					for (;;)
						pause();
				bind_a_sibling(sibling);
				stop_child(sibling);
			})));
}

static void count_the_kernel(bool allowed)
{
	static const __u32 flags[] = {
		0,
		PMUDEV_EXCLUDE_HV,
		PMUDEV_EXCLUDE_USER,
		PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_HV,
	};
	struct pmudev_event_attr events[2];
	unsigned int i;
	__s32 counters[2];
	int fd;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		events[0] = raw_event(EVENT_CYCLES, USER_ONLY);
		events[1] = raw_event(EVENT_CYCLES, flags[i]);
		fd = pm_open();
		CHECK(fd >= 0);
		CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
		if (allowed) {
			CHECK(!pm_add(fd, events, 2));
			CHECK(!pm_enable(fd, 0));
		} else {
			CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_KERNEL, pm_add(fd, events, 2));
			CHECK(why.event == 1);
			CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_KERNEL,
				      pm_place(fd, events, 2, counters));
		}
		close(fd);
	}
}

TEST_F(perm, the_kernel)
{
	EXPECT_EQ(0, AS(NOBODY, -1, count_the_kernel(false)));
	EXPECT_EQ(0, AS(0, -1, count_the_kernel(false)));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, count_the_kernel(true)));
	EXPECT_EQ(0, AS(NOBODY, CAP_SYS_ADMIN, count_the_kernel(true)));
	EXPECT_EQ(0, AS(NOBODY, CAP_SYS_PTRACE, count_the_kernel(false)));
}

/*
 * The same on each machine, whether there is a hypervisor's level below the kernel or not: without
 * the kernel it is user mode, to the unit.
 */
static void count_some_levels(void)
{
	enum {
		LEVELS = PMUDEV_EXCLUDE_USER | USER_ONLY,
		BOTH = PMUDEV_EXCLUDE_USER | PMUDEV_EXCLUDE_KERNEL,
		HOST_ONLY = PMUDEV_EXCLUDE_GUEST,
	};
	struct pmudev_event_attr event = raw_event(steady_event(), 0);
	__u64 some, more;
	int fd;

	for (event.flags = 0; event.flags <= (LEVELS | HOST_ONLY); event.flags++) {
		if (event.flags & ~(LEVELS | HOST_ONLY))
			continue;
		fd = pm_set(&event, 1, true);
		if ((event.flags & BOTH) == BOTH) {
			CHECK_REFUSED(EINVAL, PMUDEV_WHY_ALL_EXCLUDED, fd);
		} else if (!(event.flags & PMUDEV_EXCLUDE_KERNEL)) {
			CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_KERNEL, fd);
		} else {
			CHECK(fd >= 0);
			CHECK(!measure_read(fd, 0, 1000, &some));
			CHECK(!measure_read(fd, 0, 10000, &more));
			CHECK(!exact_instructions() || more - some == 9000 * LOOP_INSTRUCTIONS);
			close(fd);
		}
	}
}

TEST_F(perm, levels)
{
	EXPECT_EQ(0, AS(NOBODY, -1, count_some_levels()));
}

static void count_a_cpu(bool allowed)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	union record record;
	int fd = pm_open();

	CHECK(fd >= 0);
	if (!allowed) {
		CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_CPU, pm_bind(fd, PMUDEV_TARGET_CPU, 0, 0));
	} else {
		CHECK(!pm_bind(fd, PMUDEV_TARGET_CPU, 0, 0));
		CHECK(!pm_add(fd, &event, 1));
		CHECK(!pm_enable(fd, 0));
		CHECK(!pm_read(fd, &record));
	}
	close(fd);
}

TEST_F(perm, a_cpu)
{
	EXPECT_EQ(0, AS(NOBODY, -1, count_a_cpu(false)));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, count_a_cpu(true)));
	EXPECT_EQ(0, AS(NOBODY, CAP_SYS_ADMIN, count_a_cpu(true)));
}

static void bind_anothers(int pid, bool allowed)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	struct pmudev_query query;
	int fd = pm_open();
	int ret;

	CHECK(fd >= 0);
	ret = pm_bind(fd, PMUDEV_TARGET_TASK, pid, allowed ? 0 : PMUDEV_BIND_ON_EXEC);
	if (!allowed) {
		CHECK(ret == -EPERM && why.code == PMUDEV_WHY_CAP_TASK);
		/* Nothing of it has stayed: the set does not wait for an exec. */
		CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0) && !pm_add(fd, &event, 1));
		CHECK(!pm_enable(fd, PMUDEV_ALL) && pm_value(fd, 0) > 0);
	} else {
		CHECK(!pm_query(&query));
		if (query.features & PMUDEV_HAS_OTHER_TASKS)
			CHECK(!ret);
		else
			CHECK(ret == -EOPNOTSUPP && why.code == PMUDEV_WHY_MODULE);
	}
	close(fd);
}

TEST_F(perm, anothers_task)
{
	int roots = getpid();

	EXPECT_EQ(0, AS(NOBODY, -1, bind_anothers(roots, false)));
	EXPECT_EQ(0, AS(NOBODY, -1, bind_anothers(1, false)));
	EXPECT_EQ(0, AS(NOBODY - 1, -1, bind_anothers(roots, false)));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, bind_anothers(roots, true)));
	EXPECT_EQ(0, AS(NOBODY, CAP_SYS_ADMIN, bind_anothers(roots, true)));
}

/* The file is not the right: what root has opened gives a stranger nothing more. */
TEST_F(perm, inherited_file)
{
	struct pmudev_event_attr kernel = raw_event(EVENT_CYCLES, 0);
	int fd = pm_open();

	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, AS(NOBODY, -1, ({
				CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_CPU,
					      pm_bind(fd, PMUDEV_TARGET_CPU, 0, 0));
				CHECK(!pm_bind(fd, PMUDEV_TARGET_TASK, 0, 0));
				CHECK_REFUSED(EPERM, PMUDEV_WHY_CAP_KERNEL, pm_add(fd, &kernel, 1));
			})));
	close(fd);
}

/* ------------------------------------------------------------- who is in the way -- */

static void held_by(int pid)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);

	CHECK_REFUSED(EBUSY, PMUDEV_WHY_HELD, pm_set(&event, 1, true));
	CHECK(why.holder.kind == PMUDEV_HOLDER_CPU_SET);
	CHECK(why.holder.cpu == 0);
	CHECK(why.holder.pid == pid);
}

/* That root holds the counters is said, but who exactly only to those who may know. */
TEST_F(perm, holders_names)
{
	struct pmudev_event_attr events[64];
	struct pmudev_query query;
	unsigned int i, nr;
	int fd;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = raw_event(EVENT_CYCLES, USER_ONLY);
	fd = pm_cpu_set(0, 0, events, 1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, pm_query(&query));
	nr = __builtin_popcountll(cycle_counters(query.available));
	close(fd);
	fd = pm_cpu_set(0, 0, events, nr);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, AS(NOBODY, -1, held_by(0)));
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, held_by(getppid())));
	close(fd);
}

static void fill_and_try(void)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, USER_ONLY);
	int i, fd = 0;

	for (i = 0; i < 64 && fd >= 0; i++)
		fd = pm_set(&event, 1, true);
	CHECK(fd == -EBUSY && why.code == PMUDEV_WHY_HELD);
	CHECK(why.holder.kind == PMUDEV_HOLDER_TASK_SET && why.holder.pid == getpid());
}

/* One's own name is no secret. */
TEST_F(perm, own_name)
{
	EXPECT_EQ(0, AS(NOBODY, -1, fill_and_try()));
}

/* A reader's page keeps CPU sets off, where counters cannot be hidden. */
static void visible_to(int cpu_fd, int pid)
{
	CHECK_REFUSED(EBUSY, PMUDEV_WHY_USER_READABLE, pm_enable(cpu_fd, 0));
	CHECK(why.holder.kind == PMUDEV_HOLDER_TASK_SET);
	CHECK(why.holder.cpu == -1);
	CHECK(why.holder.pid == pid);
}

static void visible_to_myself(int cpu_fd)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	int fd = pm_set(&event, 1, false);
	struct pmudev_page *page;

	CHECK(fd >= 0);
	page = pm_map(fd);
	CHECK(page);
	visible_to(cpu_fd, getpid());
	pm_unmap(page);
	CHECK(!pm_enable(cpu_fd, 0));
	CHECK(!pm_disable(cpu_fd, 0));
	close(fd);
}

/* And a CPU set readers' pages. What is kept of a refusal, mmap(2)'s are, has no process. */
static void would_see(void)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ);
	int fd = pm_set(&event, 1, true);

	CHECK(fd >= 0);
	CHECK(!pm_map(fd));
	CHECK(why.code == PMUDEV_WHY_USER_READABLE);
	CHECK(why.holder.kind == PMUDEV_HOLDER_CPU_SET);
	CHECK(why.holder.cpu == 0);
	CHECK(why.holder.pid == 0);
	close(fd);
}

TEST_F(perm, who_would_be_seen)
{
	struct pmudev_event_attr event = raw_event(EVENT_CYCLES, DIRECT_READ), cpu_event = event;
	int fd, cpu_fd, me = getpid();
	struct pmudev_query query;
	struct pmudev_page *page;

	if (!user_reads())
		SKIP(return, NO_USER_READS);
	ASSERT_EQ(0, pm_query(&query));
	if (query.features & PMUDEV_HAS_HIDING)
		SKIP(return, "user reads see nobody else's counters here");
	cpu_event.flags = USER_ONLY;
	cpu_fd = pm_open();
	ASSERT_EQ(0, pm_bind(cpu_fd, PMUDEV_TARGET_CPU, 0, 0));
	ASSERT_EQ(0, pm_add(cpu_fd, &cpu_event, 1));

	EXPECT_EQ(0, AS(NOBODY, -1, visible_to_myself(cpu_fd)));
	fd = pm_set(&event, 1, true);
	ASSERT_GE(fd, 0);
	page = pm_map(fd);
	ASSERT_NE(NULL, page);
	EXPECT_REFUSED(EBUSY, PMUDEV_WHY_USER_READABLE, pm_enable(cpu_fd, 0));
	EXPECT_EQ((__u32)PMUDEV_HOLDER_TASK_SET, why.holder.kind);
	EXPECT_EQ(-1, why.holder.cpu);
	EXPECT_EQ(me, why.holder.pid);
	EXPECT_EQ(0, AS(NOBODY, CAP_PERFMON, visible_to(cpu_fd, me)));
	EXPECT_EQ(0, AS(NOBODY, -1, visible_to(cpu_fd, 0)));
	pm_unmap(page);

	ASSERT_EQ(0, pm_enable(cpu_fd, 0));
	EXPECT_EQ(0, AS(0, CAP_PERFMON, would_see()));
	EXPECT_EQ(0, AS(NOBODY, -1, would_see()));
	close(cpu_fd);
	close(fd);
}

TEST_F(perm, user_access_sysctl)
{
	EXPECT_EQ(0, AS(NOBODY, -1, CHECK(set_user_access(true) == -EACCES)));
	EXPECT_EQ(0, AS(NOBODY, -1, CHECK(read_number(USER_ACCESS) == 1)));
}

TEST_HARNESS_MAIN
