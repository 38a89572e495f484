// SPDX-License-Identifier: GPL-2.0
/*
 * Deadlines and samples of a 32-bit program on a 64-bit kernel: each action once, and counts that
 * need all 64 bits. Like compat32_test it shares nothing with the other programs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <pmudev_deadline.h>
#include <pmudev_samples.h>
#include "kselftest_harness.h"

#define USER_ONLY (PMUDEV_EXCLUDE_KERNEL | PMUDEV_EXCLUDE_HV)
#define LARGE	  0x7edcba9800000000ULL
#define PERIOD	  10007U
#define ID	  0x7654321

FIXTURE(deadline32)
{
	struct pmudev set;
	struct pmudev_samples samples;
};

/* Interrupts without limit, or with that which the module begins with. */
static int limit_overflows(bool limited)
{
	const char *text = limited ? "25" : "1000000000";
	int fd = open("/proc/sys/dev/pmudev/max_overflows", O_WRONLY | O_CLOEXEC);
	ssize_t done = write(fd, text, strlen(text));

	close(fd);
	return done > 0 ? 0 : -EIO;
}

FIXTURE_SETUP(deadline32)
{
	const struct pmudev_event_attr instructions = {
		.type = PMUDEV_TYPE_GENERIC,
		.config = PMUDEV_INSTRUCTIONS,
		.flags = USER_ONLY,
	};
	struct pmudev_query query;
	struct utsname name;

	memset(self, 0, sizeof(*self));
	self->set.fd = -1;
	if (sizeof(long) != 4)
		SKIP(return, "not built as a 32-bit program (CC32)");
	ASSERT_EQ(0, uname(&name));
	if (!strstr(name.machine, "64") && strcmp(name.machine, "armv8l"))
		SKIP(return, "the kernel is a 32-bit one");
	ASSERT_EQ(0, pmudev_open(&self->set));
	ASSERT_EQ(0, pmudev_query(&self->set, 0, &query));
	if (!(query.features & PMUDEV_HAS_DEADLINE))
		SKIP(return, "no deadlines on this kernel");
	ASSERT_EQ(0, limit_overflows(false));
	ASSERT_EQ(0, pmudev_start(&self->set, &instructions, 1, NULL));
}

FIXTURE_TEARDOWN(deadline32)
{
	pmudev_samples_close(&self->samples);
	if (self->set.fd >= 0)
		pmudev_close(&self->set);
	limit_overflows(true);
}

/* Several instructions each time */
static __attribute__((noinline, noclone)) void work(unsigned int n)
{
	while (n--)
		__asm__ __volatile__("");
}

static bool exact(void)
{
	const char *is = getenv("PMUDEV_EXACT");

	return is && !strcmp(is, "1");
}

static int signalled;
static siginfo_t info;

static int signals(void)
{
	return __atomic_load_n(&signalled, __ATOMIC_RELAXED);
}

static void on_signal(int number, siginfo_t *with, void *context)
{
	(void)number;
	(void)context;
	info = *with;
	__atomic_fetch_add(&signalled, 1, __ATOMIC_RELAXED);
}

/* Poll, the eventfd and the signal tell of it; the report has all bits of the count. */
TEST_F(deadline32, actions)
{
	const struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_SIGNAL | PMUDEV_DEADLINE_EVENTFD,
		.value = LARGE + 50000,
		.signal = SIGUSR1,
		.id = ID,
	};
	struct pmudev_report report;
	uint64_t told, count;
	int i;

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, pmudev_reset_slot(&self->set, 0, LARGE));
	deadline.eventfd = eventfd(0, EFD_NONBLOCK);
	ASSERT_EQ(0, pmudev_deadline_set(&self->set, &deadline, 1));
	EXPECT_EQ(0, signals());
	for (i = 0; i < 1000 && !signals(); i++)
		work(50000);
	EXPECT_EQ(1, signals());
	EXPECT_EQ(ID, info.si_fd);
	EXPECT_EQ(SI_SIGIO, info.si_code);
	ASSERT_EQ(1, pmudev_deadline_wait(&self->set, &report, 1, 10000));
	EXPECT_EQ(LARGE + 50000, report.value);
	EXPECT_LE(report.value, report.count);
	EXPECT_EQ((long)report.count, info.si_band);
	EXPECT_EQ(1ULL, report.reached);
	if (exact())
		EXPECT_EQ(report.value, report.count);
	EXPECT_EQ((ssize_t)sizeof(told), read(deadline.eventfd, &told, sizeof(told)));
	EXPECT_EQ(1ULL, told);
	close(deadline.eventfd);
	ASSERT_EQ(0, pmudev_read_count_slow(&self->set, 0, &count));
	EXPECT_LT(report.count, count);
	deadline.value = 1ULL << 63;
	EXPECT_EQ(-EINVAL, pmudev_deadline_set(&self->set, &deadline, 1));
}

static bool in_work(uint64_t ip)
{
	return ip - (uintptr_t)work < 64;
}

/* Their ring is where a 32-bit mmap() can ask for it. */
TEST_F(deadline32, samples)
{
	const struct pmudev_deadline deadline = {
		.flags = PMUDEV_DEADLINE_SAMPLE | PMUDEV_DEADLINE_RELATIVE |
			 PMUDEV_DEADLINE_PERIODIC,
		.value = PERIOD,
		.period = PERIOD,
	};
	const struct pmudev_sample *sample;
	uint64_t value = LARGE;
	int nr = 0, inside = 0;

	ASSERT_EQ(0, pmudev_reset_slot(&self->set, 0, LARGE));
	ASSERT_EQ(0, pmudev_samples_open(&self->samples, &self->set, 1 << 16));
	ASSERT_EQ(0, pmudev_deadline_set(&self->set, &deadline, 1));
	work(100 * PERIOD);
	ASSERT_EQ(0, pmudev_disable(&self->set, PMUDEV_ALL));
	for (; (sample = pmudev_samples_next(&self->samples)); nr++) {
		ASSERT_EQ(sizeof(*sample) + sizeof(uint64_t), sample->size);
		EXPECT_EQ(getpid(), sample->pid);
		EXPECT_LE(sample->value, sample->counts[0]);
		if (nr)
			EXPECT_EQ(value + PERIOD, sample->value);
		value = sample->value;
		inside += in_work(sample->ip);
	}
	EXPECT_LT(LARGE, value);
	EXPECT_LE(100, nr);
	if (exact())
		EXPECT_LE(nr - 3, inside);
	EXPECT_EQ(0ULL, pmudev_samples_dropped(&self->samples));
}

TEST_HARNESS_MAIN
