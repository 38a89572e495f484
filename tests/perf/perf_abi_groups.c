// SPDX-License-Identifier: GPL-2.0
/* Groups, and more events than there are counters */
#include "perf_abi.h"

/* The leader switches all of them, a member itself only. */
TEST_F(perf_abi, group)
{
	uint64_t words[3 + 2 * MANY], id[MANY];
	int i;

	self->attr.read_format = ALL | PERF_FORMAT_GROUP;
	for (i = 0; i < MANY; i++) {
		self->fd[i] = open_event(&self->attr, 0, -1, i ? self->fd[0] : -1, 0);
		ASSERT_LE(0, self->fd[i]) TH_LOG("%d: %s", i, strerror(errno));
		ASSERT_EQ(0, ioctl(self->fd[i], PERF_EVENT_IOC_ID, &id[i]));
		self->attr.disabled = i == MANY - 2;
	}
	/* The last one is off. */
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(N);
	ASSERT_EQ(0, ioctl(self->fd[1], PERF_EVENT_IOC_DISABLE, 0));
	loop(N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ((ssize_t)sizeof(words), read(self->fd[0], words, sizeof(words)));
	EXPECT_EQ((uint64_t)MANY, words[0]);
	EXPECT_LT(0ULL, words[1]);
	EXPECT_EQ(words[1], words[2]);
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(id[i], words[3 + 2 * i + 1]);
	EXPECT_LE(4 * N, words[3]);
	EXPECT_LE(2 * N, words[5]);
	EXPECT_GT(4 * N, words[5]);
	EXPECT_LE(4 * N, words[7]);
	EXPECT_EQ(0ULL, words[9]);
	/* A member answers for all, too. */
	ASSERT_EQ((ssize_t)sizeof(words), read(self->fd[2], words, sizeof(words)));
	EXPECT_EQ((uint64_t)MANY, words[0]);
	EXPECT_EQ(id[0], words[4]);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	ASSERT_LT(0, read(self->fd[0], words, sizeof(words)));
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(0ULL, words[3 + 2 * i]);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	loop(N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_LT(0, read(self->fd[0], words, sizeof(words)));
	for (i = 0; i < MANY; i++)
		EXPECT_LE(2 * N, words[3 + 2 * i]);
}

/* Without its leader a member counts for itself. */
TEST_F(perf_abi, leader_is_closed)
{
	uint64_t before;

	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	self->attr.disabled = 0;
	self->fd[1] = open_event(&self->attr, 0, -1, self->fd[0], 0);
	ASSERT_LE(0, self->fd[1]);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(N);
	ASSERT_EQ(0, close(self->fd[0]));
	self->fd[0] = -1;
	before = value(self->fd[1]);
	EXPECT_LE(2 * N, before);
	loop(N);
	EXPECT_LE(before + 2 * N, value(self->fd[1]));
	ASSERT_EQ(0, ioctl(self->fd[1], PERF_EVENT_IOC_DISABLE, 0));
	before = value(self->fd[1]);
	loop(N);
	EXPECT_EQ(before, value(self->fd[1]));
}

/* More than there are counters: they take turns, and the times say for how long. */
TEST_F(perf_abi, more_than_counters)
{
	uint64_t words[3], before;
	int fd[40], i;

	self->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	self->attr.disabled = 0;
	for (i = 0; i < 40; i++) {
		fd[i] = open_event(&self->attr, 0, -1, -1, 0);
		ASSERT_LE(0, fd[i]) TH_LOG("%d: %s", i, strerror(errno));
	}
	for (i = 0; i < 60; i++)
		loop(10 * N);
	for (i = 0; i < 40; i++) {
		ASSERT_EQ((ssize_t)sizeof(words), read(fd[i], words, sizeof(words)));
		EXPECT_LT(0ULL, words[1]);
		EXPECT_GE(words[1], words[2]);
	}
	/* Off and on again: it goes on to count. */
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ((ssize_t)sizeof(words), read(fd[0], words, sizeof(words)));
	before = words[0];
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	/* It has to wait for its turn, on a busy host for longer. */
	for (i = 0; i < 100000 && words[0] == before; i++) {
		loop(10 * N);
		ASSERT_EQ((ssize_t)sizeof(words), read(fd[0], words, sizeof(words)));
	}
	EXPECT_LT(before, words[0]);
	/* One that is closed makes room for another, more often than there are slots. */
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(0, close(fd[39]));
		fd[39] = open_event(&self->attr, 0, -1, -1, 0);
		ASSERT_LE(0, fd[39]) TH_LOG("%d: %s", i, strerror(errno));
	}
	for (i = 0; i < 40; i++)
		close(fd[i]);
}

/* Those that were opened when others had turns already get as many as these. */
TEST_F(perf_abi, opened_last)
{
	enum {
		FIRST = 12,
		LATER = 3,
		NR = FIRST + LATER
	};
	uint64_t words[3], before[NR], ran[NR], sum = 0;
	int fd[NR], i;

	self->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	self->attr.disabled = 0;
	for (i = 0; i < NR; i++) {
		if (i == FIRST)
			loop(10 * N);
		fd[i] = open_event(&self->attr, 0, -1, -1, 0);
		ASSERT_LE(0, fd[i]) TH_LOG("%d: %s", i, strerror(errno));
	}
	for (i = 0; i < NR; i++) {
		ASSERT_EQ((ssize_t)sizeof(words), read(fd[i], words, sizeof(words)));
		before[i] = words[2];
	}
	/* Some rounds of perf's turns, which are four milliseconds long. */
	loop(1500 * N);
	for (i = 0; i < NR; i++) {
		ASSERT_EQ((ssize_t)sizeof(words), read(fd[i], words, sizeof(words)));
		ran[i] = words[2] - before[i];
		sum += ran[i];
	}
	for (i = 0; i < NR; i++) {
		EXPECT_LT(sum / NR / 2, ran[i]) TH_LOG("%d of %d", i, NR);
		EXPECT_GT(sum / NR * 3 / 2, ran[i]) TH_LOG("%d of %d", i, NR);
		close(fd[i]);
	}
}

/* The same, of a program that is executed and its children: perf stat with many events. */
TEST_F(perf_abi, more_of_children)
{
	int fd[20], go[2], status, i;
	uint64_t words[3];
	pid_t pid = fork_to_exec(go, 1, "--loops");

	ASSERT_LT(0, pid);
	self->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	self->attr.enable_on_exec = 1;
	self->attr.inherit = 1;
	for (i = 0; i < 20; i++) {
		fd[i] = open_event(&self->attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
		ASSERT_LE(0, fd[i]) TH_LOG("%d: %s", i, strerror(errno));
	}
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ((ssize_t)sizeof(words), read(fd[i], words, sizeof(words)));
		EXPECT_LT(0ULL, words[0]);
		EXPECT_LT(0ULL, words[2]);
		EXPECT_GE(words[1], words[2]);
		close(fd[i]);
	}
	close(go[0]);
	close(go[1]);
}

/* What perf refuses at once: groups that can never count, members of members. */
TEST_F(perf_abi, wrong_groups)
{
	int fd[40], i;

	for (i = 0; i < 40; i++) {
		fd[i] = open_event(&self->attr, 0, -1, i ? fd[0] : -1, 0);
		if (fd[i] < 0)
			break;
		self->attr.disabled = 0;
	}
	/* AMD has no other than four counters, or six. */
	EXPECT_LE(4, i);
	EXPECT_GT(20, i);
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, open_event(&self->attr, 0, -1, fd[1], 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, open_event(&self->attr, -1, 0, fd[0], 0));
	EXPECT_EQ(EINVAL, errno);
	while (i--)
		close(fd[i]);
}

/* A leader that counts nothing, and events that it switches: Rust's perf-event does that. */
TEST_F(perf_abi, led_by_a_dummy)
{
	struct perf_event_attr dummy = software(PERF_COUNT_SW_DUMMY);
	uint64_t words[3 + 2 * 3], again[3 + 2 * 3];
	int i;

	self->attr.disabled = 0;
	self->fd[0] = open_event(&dummy, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	for (i = 1; i < 3; i++) {
		self->fd[i] = open_event(&self->attr, 0, -1, self->fd[0], 0);
		ASSERT_LE(0, self->fd[i]);
	}
	EXPECT_EQ(!!getenv("PMUDEV_PERF"), served_by_pmudev(self->fd[1]));
	loop(N);
	ASSERT_EQ((ssize_t)sizeof(words), read(self->fd[0], words, sizeof(words)));
	EXPECT_EQ(3ULL, words[0]);
	EXPECT_EQ(0ULL, words[3]);
	EXPECT_EQ(0ULL, words[5]);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	loop(N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ((ssize_t)sizeof(words), read(self->fd[0], words, sizeof(words)));
	loop(N);
	ASSERT_EQ((ssize_t)sizeof(again), read(self->fd[0], again, sizeof(again)));
	EXPECT_EQ(0, memcmp(words, again, sizeof(words)));
	EXPECT_EQ(0ULL, words[3]);
	EXPECT_LE(2 * N, words[5]);
	EXPECT_GT(4 * N, words[5]);
	EXPECT_EQ(words[5], words[7]);
	EXPECT_LT(0ULL, words[1]);
	EXPECT_EQ(words[1], words[2]);
}

/* Long enough for all to have a turn */
static int loops(void)
{
	int i, status;
	pid_t pid = fork();

	for (i = 0; i < 60; i++)
		loop(10 * N);
	return pid ? waitpid(pid, &status, 0) != pid : 0;
}

/* What perf refuses, whoever counts */
TEST_F(perf_abi, what_is_refused)
{
	struct {
		struct perf_event_attr attr;
		char more[64];
	} large = { .attr = self->attr };
	struct perf_event_attr attr = self->attr;

	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	EXPECT_EQ(-1, open_event(&attr, 0, -1, -2, 0));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(-1, open_event(&attr, 0, -1, self->fd[0], 1UL << 20));
	EXPECT_EQ(EINVAL, errno);
	attr.__reserved_2 = 1;
	EXPECT_EQ(-1, open_event(&attr, 0, -1, -1, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, open_event(&attr, 0, -1, self->fd[0], 0));
	EXPECT_EQ(EINVAL, errno);
	attr = self->attr;
	attr.__reserved_1 = 1U << 25;
	EXPECT_EQ(-1, open_event(&attr, 0, -1, -1, 0));
	EXPECT_EQ(EINVAL, errno);
	attr = self->attr;
	attr.sample_type = 1ULL << 40;
	EXPECT_EQ(-1, open_event(&attr, 0, -1, -1, 0));
	EXPECT_EQ(EINVAL, errno);
	attr = self->attr;
	attr.exclusive = 1;
	EXPECT_EQ(-1, open_event(&attr, 0, -1, self->fd[0], 0));
	EXPECT_EQ(EINVAL, errno);
	/* The kernel says what it knows. */
	large.attr.size = sizeof(large);
	large.more[63] = 1;
	EXPECT_EQ(-1, open_event(&large.attr, 0, -1, self->fd[0], 0));
	EXPECT_EQ(E2BIG, errno);
	EXPECT_NE(sizeof(large), large.attr.size);
	/* None of that has made the leader another one. */
	EXPECT_EQ(!!getenv("PMUDEV_PERF"), served_by_pmudev(self->fd[0]));
}

/* It is given a leader, and is in no group. */
TEST_F(perf_abi, in_no_group)
{
	struct perf_event_attr clock = software(PERF_COUNT_SW_TASK_CLOCK);

	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	self->attr.disabled = 0;
	self->fd[1] = open_event(&self->attr, 0, -1, self->fd[0], PERF_FLAG_FD_NO_GROUP);
	ASSERT_LE(0, self->fd[1]) TH_LOG("%s", strerror(errno));
	self->fd[2] = open_event(&clock, 0, -1, self->fd[0], PERF_FLAG_FD_NO_GROUP);
	EXPECT_LE(0, self->fd[2]) TH_LOG("%s", strerror(errno));
	loop(N);
	EXPECT_EQ(0ULL, value(self->fd[0]));
	EXPECT_LE(2 * N, value(self->fd[1]));
	EXPECT_EQ(!!getenv("PMUDEV_PERF"), served_by_pmudev(self->fd[0]));
	EXPECT_EQ(-1, open_event(&self->attr, 0, -1, 0, PERF_FLAG_FD_NO_GROUP));
	EXPECT_EQ(EBADF, errno);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--loops"))
		return loops();
	return test_harness_run(argc, argv);
}
