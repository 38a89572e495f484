// SPDX-License-Identifier: GPL-2.0
/* Single events: counts, formats, children, copies of descriptors, threads, what is refused */
#include "perf_abi.h"

TEST_F(perf_abi, counts)
{
	uint64_t once, twice;

	self->fd[0] = open_event(&self->attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ASSERT_LE(0, self->fd[0]) TH_LOG("%s", strerror(errno));
	EXPECT_EQ(!!getenv("PMUDEV_PERF"), served_by_pmudev(self->fd[0]));
	EXPECT_EQ(FD_CLOEXEC, fcntl(self->fd[0], F_GETFD));
	loop(N);
	EXPECT_EQ(0ULL, value(self->fd[0]));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	window(self->fd[0], N);
	once = window(self->fd[0], N);
	twice = window(self->fd[0], 2 * N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_LE(2 * N, once);
	if (exact())
		EXPECT_EQ(2 * N, twice - once);
	EXPECT_EQ(0ULL, window(self->fd[0], N));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0ULL, value(self->fd[0]));
}

TEST_F(perf_abi, read_formats)
{
	uint64_t words[6] = { 0 }, id = 0;

	self->attr.read_format = ALL;
	self->attr.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ID, &id));
	loop(N);
	EXPECT_EQ(-1, read(self->fd[0], words, 24));
	EXPECT_EQ(ENOSPC, errno);
	ASSERT_EQ(32, read(self->fd[0], words, sizeof(words)));
	EXPECT_LE(2 * N, words[0]);
	EXPECT_LT(0ULL, words[1]);
	EXPECT_EQ(words[1], words[2]);
	EXPECT_EQ(id, words[3]);
}

static pid_t child_loop(uint64_t n)
{
	pid_t pid = fork();

	if (!pid) {
		loop(n);
		_exit(0);
	}
	return pid;
}

/* arm64: whether perf's readers may see counters. Elsewhere nothing. */
static void set_user_access(const char *word)
{
	int fd = open("/proc/sys/kernel/perf_user_access", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, word, 1) != 1)
		perror("perf_user_access");
	close(fd);
}

TEST_F(perf_abi, of_a_cpu)
{
	cpu_set_t cpus;
	int i;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpus), &cpus));
	for (i = 0; i < 2; i++) {
		set_user_access(i ? "1" : "0");
		self->fd[i] = open_event(&self->attr, -1, 0, -1, 0);
		EXPECT_LE(0, self->fd[i]) TH_LOG("%s", strerror(errno));
		EXPECT_EQ(0, ioctl(self->fd[i], PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_EQ(!!getenv("PMUDEV_PERF"), served_by_pmudev(self->fd[i]));
		EXPECT_LE(2 * N, window(self->fd[i], N));
		EXPECT_NE(~0ULL, value(self->fd[i]));
	}
	set_user_access("0");
}

TEST_F(perf_abi, inherit)
{
	pid_t pid;

	self->attr.inherit = 1;
	self->attr.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	pid = child_loop(10 * N);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_LE(20 * N, value(self->fd[0]));
	self->attr.inherit = 0;
	self->fd[1] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[1]);
	pid = child_loop(10 * N);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_GT(20 * N, value(self->fd[1]));
}

/* A child that waits, and counts from its exec on. @off: it is disabled and reset by hand before */
static void from_the_exec(struct __test_metadata *_metadata, FIXTURE_DATA(perf_abi) * self,
			  bool off)
{
	int go[2], status;
	uint64_t counted;
	pid_t pid = fork_to_exec(go, 100 * N, "--loop");

	ASSERT_LT(0, pid);
	self->attr.enable_on_exec = 1;
	self->attr.inherit = 1;
	self->fd[0] = open_event(&self->attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ASSERT_LE(0, self->fd[0]);
	if (off) {
		ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_RESET, 0));
	}
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	counted = value(self->fd[0]);
	EXPECT_LE(2 * N, counted);
	EXPECT_GT(200 * N, counted);
	close(go[0]);
	close(go[1]);
}

/* As perf stat does it */
TEST_F(perf_abi, on_exec)
{
	from_the_exec(_metadata, self, false);
}

TEST_F(perf_abi, off_before_the_exec)
{
	from_the_exec(_metadata, self, true);
}

/* An event that waits for an exec counts at once when it is enabled, as one that is not off. */
TEST_F(perf_abi, on_before_the_exec)
{
	self->attr.enable_on_exec = 1;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	EXPECT_EQ(0ULL, window(self->fd[0], N));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_LE(2 * N, window(self->fd[0], N));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0ULL, window(self->fd[0], N));
	self->attr.disabled = 0;
	self->fd[1] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[1]);
	EXPECT_LE(2 * N, window(self->fd[1], N));
	close(self->fd[0]);
	close(self->fd[1]);
	self->fd[0] = -1;
	self->fd[1] = -1;
	/* The same of one in a group that does not wait. */
	self->attr = event(PERF_COUNT_HW_INSTRUCTIONS);
	self->fd[2] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[2]);
	self->attr.enable_on_exec = 1;
	self->fd[3] = open_event(&self->attr, 0, -1, self->fd[2], 0);
	ASSERT_LE(0, self->fd[3]);
	ASSERT_EQ(0, ioctl(self->fd[2], PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(0ULL, window(self->fd[3], N));
	ASSERT_EQ(0, ioctl(self->fd[3], PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_LE(2 * N, window(self->fd[3], N));
}

TEST_F(perf_abi, copies)
{
	uint64_t before;
	int fd, status;
	pid_t pid;

	self->attr.disabled = 0;
	fd = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, fd);
	self->fd[0] = dup(fd);
	self->fd[1] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
	EXPECT_LE(100, self->fd[1]);
	self->fd[2] = open("/dev/null", O_RDONLY);
	EXPECT_EQ(self->fd[2], dup2(fd, self->fd[2]));
	before = value(fd);
	close(fd);
	loop(N);
	EXPECT_LE(before + 2 * N, value(self->fd[0]));
	EXPECT_LE(value(self->fd[0]), value(self->fd[1]));
	EXPECT_LE(value(self->fd[1]), value(self->fd[2]));
	/* The number is another file's now. */
	EXPECT_EQ(fd, open("/dev/null", O_RDONLY));
	EXPECT_EQ(0, read(fd, &before, sizeof(before)));
	close(fd);
	/* A child has them too; what it counts it does not. */
	before = value(self->fd[0]);
	pid = fork();
	if (!pid) {
		status = value(self->fd[1]) < before || value(self->fd[1]) == ~0ULL;
		for (fd = 0; fd < 3; fd++)
			close(self->fd[fd]);
		_exit(status);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	/* Which has closed its own only. */
	loop(N);
	EXPECT_LE(before + 2 * N, value(self->fd[0]));
	/* One of vfork(2)'s closes its own. */
	pid = vfork();
	if (!pid) {
		close(self->fd[0]);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_NE(~0ULL, value(self->fd[0]));
}

static void *count_thread(void *arg)
{
	struct perf_event_attr attr = event(PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t *counted = arg, n = *counted;
	int fd = open_event(&attr, 0, -1, -1, 0);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return NULL;
	*counted = window(fd, n);
	close(fd);
	return NULL;
}

TEST_F(perf_abi, threads)
{
	uint64_t counted[MANY];
	pthread_t thread[MANY];
	int i, round;

	for (round = 0; round < 10; round++) {
		for (i = 0; i < MANY; i++) {
			counted[i] = (i + 1) * N;
			ASSERT_EQ(0, pthread_create(&thread[i], NULL, count_thread, &counted[i]));
		}
		for (i = 0; i < MANY; i++)
			ASSERT_EQ(0, pthread_join(thread[i], NULL));
		for (i = 0; i < MANY; i++)
			EXPECT_LE(2 * (i + 1) * N, counted[i]);
		if (exact())
			EXPECT_EQ(2 * N, counted[2] - counted[1]);
	}
}

static int handler_fd;
static uint64_t handler_value;

static void on_signal(int signal)
{
	(void)signal;
	__atomic_store_n(&handler_value, value(handler_fd), __ATOMIC_RELAXED);
}

TEST_F(perf_abi, read_in_a_handler)
{
	int i;

	self->attr.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	handler_fd = self->fd[0];
	ASSERT_LE(0, handler_fd);
	signal(SIGUSR1, on_signal);
	for (i = 0; i < 20; i++) {
		raise(SIGUSR1);
		EXPECT_NE(~0ULL, __atomic_load_n(&handler_value, __ATOMIC_RELAXED));
		ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	}
}

TEST_F(perf_abi, of_the_thread)
{
	uint64_t before;

	self->attr.disabled = 0;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_DISABLE));
	before = value(self->fd[0]);
	loop(N);
	EXPECT_EQ(before, value(self->fd[0]));
	ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_ENABLE));
	loop(N);
	EXPECT_LE(before + 2 * N, value(self->fd[0]));
}

TEST_F(perf_abi, refusals)
{
	struct perf_event_attr software = {
		.size = sizeof(software),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
	};
	int status;
	pid_t pid;

	/* Software events are perf's. */
	self->fd[0] = open_event(&software, 0, -1, -1, 0);
	EXPECT_LE(0, self->fd[0]);
	EXPECT_FALSE(served_by_pmudev(self->fd[0]));
	EXPECT_EQ(-1, open_event(&self->attr, -1, -1, -1, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, open_event(&self->attr, 999999, -1, -1, 0));
	EXPECT_EQ(ESRCH, errno);
	EXPECT_EQ(-1, open_event(NULL, 0, -1, -1, 0));
	EXPECT_EQ(EFAULT, errno);
	self->attr.config = 99;
	EXPECT_EQ(-1, open_event(&self->attr, 0, -1, -1, 0));
	EXPECT_TRUE(errno == EINVAL || errno == ENOENT);
	self->attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	self->fd[1] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[1]);
	EXPECT_EQ(-1, ioctl(self->fd[1], PERF_EVENT_IOC_REFRESH, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->fd[1], 0x1234, 0));
	EXPECT_EQ(ENOTTY, errno);
	/* Somebody else's */
	pid = fork();
	if (!pid) {
		if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
			_exit(1);
		_exit(open_event(&self->attr, 1, -1, -1, 0) != -1 ||
		      (errno != EACCES && errno != EPERM));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--loop")) {
		loop(N);
		return 0;
	}
	return test_harness_run(argc, argv);
}
