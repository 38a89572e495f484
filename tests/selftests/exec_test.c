// SPDX-License-Identifier: GPL-2.0
/*
 * What a plain exec does to a set: it changes nothing for the counts, and ends the right to read
 * directly. The program executed is this one, with the name of a part to play. Programs that gain
 * privileges are in exec_setuid_test.c.
 */
#include "exec.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <pthread.h>

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

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play"))
		return play(argc - 1, argv + 1);
	return test_harness_run(argc, argv);
}
