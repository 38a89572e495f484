// SPDX-License-Identifier: GPL-2.0
/* Overflows that are told by a signal: F_SETSIG, F_SETOWN_EX, O_ASYNC */
#include "perf_abi.h"

/* Not so often that pmudev, or perf, would make them fewer */
#define PERIOD 250000ULL
/* So much may be counted between an overflow and the end of its handling. */
#define LATE   2000ULL

static int told;
static int told_fd;
static int told_code;
static pid_t told_thread;

static void on_overflow(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	__atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
	told_fd = info->si_fd;
	told_code = info->si_code;
	told_thread = syscall(SYS_gettid);
}

/* As of now: a handler changes it. */
static int nr_told(void)
{
	return __atomic_load_n(&told, __ATOMIC_RELAXED);
}

static void forget(void)
{
	__atomic_store_n(&told, 0, __ATOMIC_RELAXED);
}

static int signal_to(int fd, int type, pid_t whom)
{
	struct sigaction action = {
		.sa_sigaction = on_overflow,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	struct f_owner_ex owner = { .type = type, .pid = whom };

	forget();
	sigaction(SIGRTMIN + 3, &action, NULL);
	return fcntl(fd, F_SETOWN_EX, &owner) || fcntl(fd, F_SETSIG, SIGRTMIN + 3) ||
	       fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
}

static bool interrupts(void)
{
	return getenv("PMUDEV_INTERRUPTS");
}

/* Do counters interrupt, and is each overflow told once? Else perf's are only looked at. */
static bool is_each_told(void)
{
	return getenv("PMUDEV_PERF") && getenv("PMUDEV_INTERRUPTS");
}

TEST_F(perf_abi, each_overflow_is_told)
{
	uint64_t counted;

	self->attr.sample_period = PERIOD;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]) TH_LOG("%s", strerror(errno));
	EXPECT_EQ(!!getenv("PMUDEV_PERF"), served_by_pmudev(self->fd[0]));
	ASSERT_EQ(0, signal_to(self->fd[0], F_OWNER_TID, syscall(SYS_gettid)))
	TH_LOG("%s", strerror(errno));
	loop(40 * N);
	EXPECT_EQ(0, nr_told());
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(40 * N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	counted = value(self->fd[0]);
	/* perf stops an event that interrupts more often than it likes. */
	if (is_each_told())
		EXPECT_LE(80 * N, counted);
	if (is_each_told()) {
		EXPECT_EQ(counted / PERIOD, (uint64_t)nr_told());
		EXPECT_EQ(self->fd[0], told_fd);
		EXPECT_EQ((pid_t)syscall(SYS_gettid), told_thread);
	}
	loop(40 * N);
	EXPECT_EQ(counted, value(self->fd[0]));
}

/* A reset changes the count, not when the next one comes; PERIOD does. */
TEST_F(perf_abi, reset_and_period)
{
	uint64_t period = 10 * PERIOD, counted;

	self->attr.sample_period = PERIOD;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(0, signal_to(self->fd[0], F_OWNER_TID, syscall(SYS_gettid)));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(PERIOD * 3 / 8);
	EXPECT_EQ(0, nr_told());
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_RESET, 0));
	loop(PERIOD / 4);
	if (is_each_told())
		EXPECT_EQ(1, nr_told());
	EXPECT_GT(PERIOD, value(self->fd[0]));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_PERIOD, &period));
	forget();
	loop(4 * PERIOD);
	EXPECT_EQ(0, nr_told());
	loop(8 * PERIOD);
	if (is_each_told())
		EXPECT_EQ(2, nr_told());
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	counted = value(self->fd[0]);
	if (is_each_told())
		EXPECT_LE(24 * PERIOD, counted);
	period = 0;
	EXPECT_EQ(-1, ioctl(self->fd[0], PERF_EVENT_IOC_PERIOD, &period));
	EXPECT_EQ(EINVAL, errno);
	/* Told no more */
	forget();
	ASSERT_EQ(0, fcntl(self->fd[0], F_SETFL, 0));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(10 * PERIOD);
	EXPECT_EQ(0, nr_told());
}

static void *count_here(void *arg)
{
	struct perf_event_attr attr = event(PERF_COUNT_HW_INSTRUCTIONS);
	pid_t me = syscall(SYS_gettid);
	int fd;

	attr.sample_period = PERIOD;
	fd = open_event(&attr, 0, -1, -1, 0);
	if (fd < 0 || signal_to(fd, F_OWNER_TID, me))
		return "an event";
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return "enable";
	loop(40 * N);
	close(fd);
	if (is_each_told() && (told_thread != me || nr_told() < 32))
		return arg;
	return NULL;
}

TEST_F(perf_abi, a_thread_is_told)
{
	pthread_t thread;
	void *wrong;

	ASSERT_EQ(0, pthread_create(&thread, NULL, count_here, "another thread was told"));
	ASSERT_EQ(0, pthread_join(thread, &wrong));
	EXPECT_EQ(NULL, wrong) TH_LOG("%s", (const char *)wrong);
}

/* Whom pmudev cannot tell perf does: another thread than the counted one. */
TEST_F(perf_abi, another_is_told)
{
	self->attr.sample_period = PERIOD;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(0, signal_to(self->fd[0], F_OWNER_PID, getpid()));
	EXPECT_FALSE(served_by_pmudev(self->fd[0]));
	EXPECT_EQ(SIGRTMIN + 3, fcntl(self->fd[0], F_GETSIG));
	EXPECT_TRUE(!!(fcntl(self->fd[0], F_GETFL) & O_ASYNC));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(40 * N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_LE(PERIOD, value(self->fd[0]));
}

/* Does pmudev stop an event after so many overflows? On debug kernels, too, where that is late. */
static bool stops_here(void)
{
	return getenv("PMUDEV_PERF") && (interrupts() || getenv("PMUDEV_THROTTLED"));
}

/* So many overflows, then none, and the count is that of the last one. */
TEST_F(perf_abi, refresh)
{
	uint64_t counted;
	int i;

	self->attr.sample_period = PERIOD;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(0, signal_to(self->fd[0], F_OWNER_TID, syscall(SYS_gettid)));
	for (i = 1; i <= 4; i++) {
		forget();
		ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_REFRESH, i & 1 ? 1 : 3))
		TH_LOG("%s", strerror(errno));
		loop(40 * N);
		counted = value(self->fd[0]);
		loop(40 * N);
		/* Without interrupts perf's goes on. */
		if (!interrupts())
			continue;
		EXPECT_EQ(counted, value(self->fd[0]));
		EXPECT_EQ(POLL_HUP, told_code);
		EXPECT_EQ(self->fd[0], told_fd);
		EXPECT_EQ(i & 1 ? 1 : 3, nr_told());
		/* 1, 4, 5 and 8 of them, and how late the interrupt is */
		EXPECT_LE((i & 1 ? 2 * i - 1 : 2 * i) * PERIOD, counted);
		EXPECT_GT((i & 1 ? 2 * i - 1 : 2 * i) * PERIOD + LATE, counted);
	}
	EXPECT_EQ(stops_here(), served_by_pmudev(self->fd[0]));
	/* Without a limit again: each is told. */
	forget();
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(4 * PERIOD);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	if (is_each_told())
		EXPECT_LE(7, nr_told());
	counted = value(self->fd[0]);
	EXPECT_LE(8 * PERIOD, counted);
	/* Each period begins where the last one has ended. */
	counted = (counted / PERIOD + 1) * PERIOD;
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_REFRESH, 1));
	loop(2 * PERIOD);
	if (interrupts()) {
		EXPECT_LE(counted, value(self->fd[0]));
		EXPECT_GT(counted + LATE, value(self->fd[0]));
	}
}

/* Nobody is told; two calls add up. */
TEST_F(perf_abi, refresh_in_silence)
{
	uint64_t counted;

	self->attr.sample_period = PERIOD;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_REFRESH, 1));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_REFRESH, 1));
	loop(40 * N);
	counted = value(self->fd[0]);
	EXPECT_LE(2 * PERIOD, counted);
	loop(40 * N);
	if (interrupts()) {
		EXPECT_GT(2 * PERIOD + LATE, counted);
		EXPECT_EQ(counted, value(self->fd[0]));
	}
}

/* As PAPI has it: a ring, each overflow told, and REFRESH in the handler. */
static struct perf_event_mmap_page *sampled;

static void on_sample(int signal, siginfo_t *info, void *context)
{
	on_overflow(signal, info, context);
	if (nr_told() < 5)
		ioctl(info->si_fd, PERF_EVENT_IOC_REFRESH, 1);
}

static void check_ring(struct __test_metadata *_metadata, FIXTURE_DATA(perf_abi) * self,
		       bool told_first)
{
	struct sigaction action = { .sa_sigaction = on_sample, .sa_flags = SA_SIGINFO };
	const size_t page = sysconf(_SC_PAGESIZE), loop_begin = (size_t)loop;
	const uint64_t *data;
	uint64_t head, i;

	self->attr.sample_period = PERIOD;
	self->attr.sample_type = PERF_SAMPLE_IP;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	if (told_first)
		ASSERT_EQ(0, signal_to(self->fd[0], F_OWNER_TID, syscall(SYS_gettid)));
	/* It has counted before, as PAPI tries events. */
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_RESET, 0));
	sampled = mmap(NULL, 9 * page, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd[0], 0);
	ASSERT_NE(MAP_FAILED, sampled);
	if (!told_first)
		ASSERT_EQ(0, signal_to(self->fd[0], F_OWNER_TID, syscall(SYS_gettid)));
	sigaction(SIGRTMIN + 3, &action, NULL);
	EXPECT_EQ(stops_here(), served_by_pmudev(self->fd[0]));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_REFRESH, 1));
	loop(80 * N);
	head = __atomic_load_n(&sampled->data_head, __ATOMIC_ACQUIRE);
	if (interrupts()) {
		EXPECT_EQ(5, nr_told());
		/* A header and an address each */
		ASSERT_EQ(5 * 16ULL, head);
		data = (const uint64_t *)((const char *)sampled + page);
		for (i = 0; i < 5; i++) {
			EXPECT_EQ(PERF_RECORD_SAMPLE | 2ULL << 32 | 16ULL << 48, data[2 * i]);
			EXPECT_LE(loop_begin, data[2 * i + 1]);
			EXPECT_GT(loop_begin + 64, data[2 * i + 1]);
		}
		/* The first period may have begun before. */
		EXPECT_LE(5 * PERIOD - 2 * N - LATE, value(self->fd[0]));
		EXPECT_GT(5 * PERIOD + 5 * LATE, value(self->fd[0]));
	}
	munmap(sampled, 9 * page);
	forget();
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_REFRESH, 1));
	loop(40 * N);
	EXPECT_LE(PERIOD, value(self->fd[0]));
}

TEST_F(perf_abi, refresh_with_a_ring)
{
	check_ring(_metadata, self, true);
}

/* As PAPI does: first the ring, and then who is told */
TEST_F(perf_abi, refresh_with_a_ring_mapped_first)
{
	check_ring(_metadata, self, false);
}

/* The library writes it, until a process is to be told: then it is perf's, at the same place. */
TEST_F(perf_abi, ring_that_becomes_perfs)
{
	const size_t page = sysconf(_SC_PAGESIZE);

	self->attr.sample_period = PERIOD;
	self->attr.sample_type = PERF_SAMPLE_IP;
	self->fd[0] = open_event(&self->attr, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_EQ(0, signal_to(self->fd[0], F_OWNER_TID, syscall(SYS_gettid)));
	sampled = mmap(NULL, 9 * page, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd[0], 0);
	ASSERT_NE(MAP_FAILED, sampled);
	EXPECT_EQ(stops_here(), served_by_pmudev(self->fd[0]));
	ASSERT_EQ(0, signal_to(self->fd[0], F_OWNER_PID, getpid()));
	EXPECT_FALSE(served_by_pmudev(self->fd[0]));
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0));
	loop(20 * N);
	ASSERT_EQ(0, ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	if (interrupts())
		EXPECT_LE(16ULL, __atomic_load_n(&sampled->data_head, __ATOMIC_ACQUIRE));
	munmap(sampled, 9 * page);
}

int main(int argc, char **argv)
{
	return test_harness_run(argc, argv);
}
