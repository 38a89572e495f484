// SPDX-License-Identifier: GPL-2.0
/*
 * What a program does behind the C library's close(): descriptors that are gone, whose numbers are
 * other files'. And pointers to memory that is not there.
 */
#include "perf_abi.h"

#include <spawn.h>
#include <stdio.h>
#include <sys/uio.h>

static const char text[] = "nobody else reads this";

/* Without any library */
static __attribute__((noinline)) long raw_close(long fd)
{
#if defined(__aarch64__)
	register long x0 __asm__("x0") = fd;
	register long x8 __asm__("x8") = SYS_close;

	__asm__ __volatile__("svc 0" : "+r"(x0) : "r"(x8) : "memory");
	return x0;
#else
	long ret;

	__asm__ __volatile__("syscall"
			     : "=a"(ret)
			     : "0"(SYS_close), "D"(fd)
			     : "rcx", "r11", "memory");
	return ret;
#endif
}

/* A pipe with @text, whose end to be read is @fd */
static int put_pipe(int fd)
{
	int ends[2];

	if (pipe(ends) || ends[0] != fd)
		return -1;
	return write(ends[1], text, sizeof(text)) == sizeof(text) ? ends[1] : -1;
}

static int open_on(const struct perf_event_attr *attr)
{
	struct perf_event_attr on = *attr;

	on.disabled = 0;
	return open_event(&on, 0, -1, -1, 0);
}

TEST_F(perf_abi, number_of_a_pipe)
{
	char got[sizeof(text)] = "";
	int fd = open_on(&self->attr), end;

	ASSERT_LE(0, fd);
	EXPECT_NE(~0ULL, value(fd));
	ASSERT_EQ(0, raw_close(fd));
	end = put_pipe(fd);
	ASSERT_LE(0, end);
	/* Each call is the first one on a pipe that was an event's. */
	ASSERT_EQ((ssize_t)sizeof(text), read(fd, got, sizeof(got)));
	EXPECT_STREQ(text, got);
	close(fd);
	close(end);
}

/* The same of an event that became perf's, and whose identifier the library keeps. */
TEST_F(perf_abi, number_of_one_with_an_identifier)
{
	struct perf_event_attr clock = event(PERF_COUNT_SW_TASK_CLOCK);
	char got[sizeof(text)] = "";
	uint64_t id;
	int fd, end;

	clock.type = PERF_TYPE_SOFTWARE;
	self->attr.read_format = ALL;
	fd = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ID, &id));
	self->fd[0] = open_event(&clock, 0, -1, fd, 0);
	ASSERT_LE(0, self->fd[0]) TH_LOG("%s", strerror(errno));
	ASSERT_EQ(0, raw_close(fd));
	end = put_pipe(fd);
	ASSERT_LE(0, end);
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_ID, &id));
	ASSERT_EQ((ssize_t)sizeof(text), read(fd, got, sizeof(got)));
	EXPECT_STREQ(text, got);
	close(fd);
	close(end);
}

TEST_F(perf_abi, other_calls_on_it)
{
	char got[sizeof(text)] = "";
	int fd[5], end, i;

	for (i = 0; i < 5; i++) {
		fd[i] = open_on(&self->attr);
		ASSERT_LE(0, fd[i]) TH_LOG("%d: %s", i, strerror(errno));
	}
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, raw_close(fd[i]));
	/* Closed is closed, and then a file is a file. */
	EXPECT_EQ(-1, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(EBADF, errno);
	end = put_pipe(fd[0]);
	ASSERT_EQ(fd[1], end);
	EXPECT_EQ(-1, ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(ENOTTY, errno);
	ASSERT_EQ(fd[2], dup(fd[0]));
	EXPECT_EQ((ssize_t)sizeof(text), read(fd[2], got, sizeof(got)));
	EXPECT_EQ(-1, open_event(&self->attr, 0, -1, fd[3], 0));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(0, fcntl(fd[0], F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-1, read(fd[0], &end, sizeof(end)));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(-1, close(fd[4]));
	EXPECT_EQ(EBADF, errno);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, close(fd[i]));
}

/* The next event gets the number, and is another one. */
TEST_F(perf_abi, number_of_an_event)
{
	int fd = open_on(&self->attr);

	ASSERT_LE(0, fd);
	loop(10 * N);
	ASSERT_EQ(0, raw_close(fd));
	self->fd[0] = open_on(&self->attr);
	ASSERT_EQ(fd, self->fd[0]);
	EXPECT_EQ(!!getenv("PMUDEV_PERF"), served_by_pmudev(fd));
	EXPECT_GT(10 * N, value(fd));
	loop(N);
	EXPECT_LE(2 * N, value(fd));
	/* A copy that is left counts on. */
	self->fd[1] = dup(fd);
	ASSERT_EQ(0, raw_close(fd));
	loop(N);
	EXPECT_LE(4 * N, value(self->fd[1]));
	self->fd[0] = -1;
}

TEST_F(perf_abi, closed_by_stdio)
{
	char got[sizeof(text)] = "";
	int fd = open_on(&self->attr), end;
	FILE *file;

	ASSERT_LE(0, fd);
	file = fdopen(fd, "r");
	ASSERT_NE(NULL, file);
	ASSERT_EQ(0, fclose(file));
	EXPECT_EQ(-1, read(fd, got, sizeof(got)));
	EXPECT_EQ(EBADF, errno);
	end = put_pipe(fd);
	ASSERT_LE(0, end);
	EXPECT_EQ((ssize_t)sizeof(text), read(fd, got, sizeof(got)));
	close(fd);
	close(end);
}

/* What a child closes of its own is no business of its parent's. */
TEST_F(perf_abi, closed_by_children)
{
	posix_spawn_file_actions_t actions;
	char nothing[] = "--nothing", *args[] = { nothing, nothing, NULL };
	uint64_t word;
	int status;
	pid_t pid;

	self->fd[0] = open_on(&self->attr);
	ASSERT_LE(0, self->fd[0]);
	pid = vfork();
	if (!pid) {
		raw_close(self->fd[0]);
		_exit(read(self->fd[0], &word, sizeof(word)) != -1 || errno != EBADF);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addclose(&actions, self->fd[0]);
	ASSERT_EQ(0, posix_spawn(&pid, "/proc/self/exe", &actions, NULL, args, environ));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	loop(N);
	EXPECT_LE(2 * N, value(self->fd[0]));
	EXPECT_NE(~0ULL, value(self->fd[0]));
}

/* Other calls that read */
TEST_F(perf_abi, parts_and_places)
{
	uint64_t word[3] = { 0 };
	struct iovec parts[3] = {
		{ .iov_base = &word[0], .iov_len = 8 },
		{ .iov_base = &word[1], .iov_len = 8 },
		{ .iov_base = &word[2], .iov_len = 4 },
	};

	self->fd[0] = open_on(&self->attr);
	ASSERT_LE(0, self->fd[0]);
	loop(N);
	ASSERT_EQ(16, readv(self->fd[0], parts, 3));
	EXPECT_LE(2 * N, word[0]);
	EXPECT_LE(word[0], word[1]);
	EXPECT_GT(4 * N, word[1]);
	EXPECT_EQ(-1, readv(self->fd[0], &parts[2], 1));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ(8, preadv2(self->fd[0], parts, 1, -1, 0));
	EXPECT_EQ(-1, pread(self->fd[0], word, 8, 0));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, preadv(self->fd[0], parts, 1, 0));
	EXPECT_EQ(ESPIPE, errno);
}

/* Of one flag of several */
TEST_F(perf_abi, flags_of_files)
{
	self->attr.sample_period = N;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(0, fcntl(self->fd[0], F_SETSIG, SIGUSR1));
	ASSERT_EQ(0, fcntl(self->fd[0], F_SETFL, fcntl(self->fd[0], F_GETFL) | O_ASYNC));
	ASSERT_EQ(0, fcntl(self->fd[0], F_SETFL, fcntl(self->fd[0], F_GETFL) | O_NONBLOCK));
	EXPECT_TRUE(fcntl(self->fd[0], F_GETFL) & O_ASYNC);
	EXPECT_EQ(SIGUSR1, fcntl(self->fd[0], F_GETSIG));
}

TEST_F(perf_abi, bad_pointers)
{
	const size_t page_size = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	struct perf_event_attr *at_end;

	ASSERT_NE(MAP_FAILED, pages);
	ASSERT_EQ(0, mprotect(pages + page_size, page_size, PROT_NONE));
	at_end = (void *)(pages + page_size - 16);
	memcpy(at_end, &self->attr, 16);
	EXPECT_EQ(-1, open_event((void *)8, 0, -1, -1, 0));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, open_event((void *)(pages + page_size), 0, -1, -1, 0));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, open_event(at_end, 0, -1, -1, 0));
	EXPECT_EQ(EFAULT, errno);
	self->fd[0] = open_on(&self->attr);
	ASSERT_LE(0, self->fd[0]);
	EXPECT_EQ(-1, read(self->fd[0], pages + page_size, 8));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, read(self->fd[0], pages + page_size - 4, 8));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(8, read(self->fd[0], pages + page_size - 8, 8));
	EXPECT_LT(0ULL, *(uint64_t *)(pages + page_size - 8));
	EXPECT_EQ(-1, ioctl(self->fd[0], PERF_EVENT_IOC_ID, pages + page_size));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(self->fd[0], PERF_EVENT_IOC_PERIOD, NULL));
	EXPECT_EQ(EFAULT, errno);
	munmap(pages, 2 * page_size);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--nothing"))
		return 0;
	return test_harness_run(argc, argv);
}
