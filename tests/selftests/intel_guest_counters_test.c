// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that count guests, made up as in intel_guest_test.c: after other events, when they wrap,
 * and when threads and CPUs with guests take turns.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "intel_guest.h"

#include <fcntl.h>

#if defined(__x86_64__)

#define MSR_GLOBAL_STATUS 0x38e

/* Entry and exit execute 56 instructions, on several CPUs sometimes one or two more. */
#define SELDOM_MORE(times) (kcsan_kernel() ? (times) : (times) / 10)

/* @fd: how many guests of that length are entered, with about the same at entry and exit */
static void expect_guests(struct __test_metadata *_metadata, int fd, unsigned int slot,
			  unsigned int times, __u64 rounds)
{
	__u64 count = pm_value(fd, slot), around = count - times * LOOP_INSTRUCTIONS * rounds;

	EXPECT_LE(around % times, SELDOM_MORE(times))
	TH_LOG("%llu, %u times %llu", count, times, rounds);
	EXPECT_LE(around / times, ENTRY_AND_EXIT);
}

static int count_on(struct __test_metadata *_metadata, struct _test_data_guest *self,
		    unsigned int counter)
{
	struct pmudev_event_attr event =
		event_among(EVENT_INSTRUCTIONS, 1ULL << counter, PMUDEV_EXCLUDE_USER | GUEST);

	if (self->fd >= 0)
		close(self->fd);
	self->fd = pm_set(&event, 1, true);
	EXPECT_GE(self->fd, 0);
	return self->fd;
}

static const unsigned int kinds_of_counters[] = { 0, FIXED_INSTRUCTIONS };

/* A counter that counted the same event, for both filters, before: selectors do not tell. */
TEST_F(guest, after_the_same_for_both)
{
	struct pmudev_event_attr keep = event_among(EVENT_CYCLES, PROGRAMMABLE, USER_ONLY);
	int keeps = pm_set(&keep, 1, true), fd;
	struct pmudev_event_attr both;
	unsigned int i, n;

	/* As long as it is enabled nobody begins with counters that are cleared. */
	ASSERT_GE(keeps, 0);
	for (n = 0; n < 4; n++) {
		i = kinds_of_counters[n % 2];
		/* The first of them is @keep's. */
		i = i ?: 1;
		both = event_among(EVENT_INSTRUCTIONS, 1ULL << i, PMUDEV_EXCLUDE_USER);
		fd = pm_set(&both, 1, true);
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, fake_enter(self->fake, SHORT, 0));
		EXPECT_GE(pm_value(fd, 0), LOOP_INSTRUCTIONS * SHORT);
		close(fd);
		fd = count_on(_metadata, self, i);
		loop(100000);
		pause_ns(1000000);
		EXPECT_EQ(0ULL, pm_value(fd, 0)) TH_LOG("counter %u", i);
		ASSERT_EQ(0, fake_enter(self->fake, SHORT, 0));
		expect_guests(_metadata, fd, 0, 1, SHORT);
		pause_ns(1000000);
		expect_guests(_metadata, fd, 0, 1, SHORT);
	}
	close(keeps);
}

/* Counters that wrap in a guest. */
TEST_F(guest, wraps_there)
{
	__u64 start, width, first;
	unsigned int i;
	int fd;

	for (i = 0; i < 2; i++) {
		fd = count_on(_metadata, self, kinds_of_counters[i]);
		/* Without full-width writes the upper half of the counter is not to be had. */
		for (width = 31; width <= 48; width += 17) {
			ASSERT_EQ(0, pm_reset(fd, 0, 0));
			ASSERT_EQ(0, fake_enter(self->fake, LONG, 0));
			first = pm_value(fd, 0);
			start = (1ULL << width) - LONG;
			ASSERT_EQ(0, pm_reset(fd, 0, start));
			ASSERT_EQ(0, fake_enter(self->fake, LONG, 0));
			EXPECT_ALIKE(start + first, pm_value(fd, 0));
		}
	}
}

static __u64 overflow_status(int msr)
{
	__u64 status;

	if (pread(msr, &status, sizeof(status), MSR_GLOBAL_STATUS) != sizeof(status))
		return ~0ULL;
	return status;
}

/* A guest in which a counter wraps. Its overflow is seen, unless a switch was in between. */
static __u64 see_overflow(struct __test_metadata *_metadata, int fake, int fd, int msr, __u64 bit)
{
	__u64 seen = 0;
	int i;

	for (i = 0; i < 20 && !seen; i++) {
		ASSERT_EQ(0, pm_reset(fd, 0, (1ULL << 48) - LONG));
		ASSERT_EQ(0, fake_enter(fake, LONG, 0));
		seen = overflow_status(msr) & bit;
	}
	return seen;
}

/* Their overflow is acknowledged when they are read or saved. */
TEST_F(guest, wraps_are_acknowledged)
{
	int msr, fd, saved;
	__u64 bit, count;

	load_module_file(MSR_KO);
	msr = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	if (msr < 0)
		SKIP(return, "no /dev/cpu/0/msr (CONFIG_X86_MSR)");
	for (saved = 0; saved < 2; saved++) {
		bit = 1ULL << FIXED_INSTRUCTIONS;
		fd = count_on(_metadata, self, FIXED_INSTRUCTIONS);
		EXPECT_EQ(bit, see_overflow(_metadata, self->fake, fd, msr, bit));
		count = saved ? 0 : pm_value(fd, 0);
		ASSERT_EQ(0, saved ? pm_disable(fd, 0) : 0);
		EXPECT_EQ(0ULL, overflow_status(msr) & bit);
		EXPECT_LT(1ULL << 48, count ?: pm_value(fd, 0));
	}
	close(msr);
	unload_module_named("msr");
}

/* ----------------------------------------------------- beside each other -- */

static int run_guests(struct turns *turns, int me, int fake, __u64 rounds, unsigned int times)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_USER | GUEST),
		raw_event(EVENT_INSTRUCTIONS, USER_ONLY),
	};
	int fd = pm_set(events, 2, true), ret = fd < 0 ? fd : 0;
	unsigned int i;
	__u64 count;

	for (i = 0; !ret && i < times; i++) {
		turn_wait(turns, me);
		ret = fake_enter(fake, rounds, 0);
		turn_give(turns, me);
	}
	count = ret ? 0 : pm_value(fd, 0) - times * LOOP_INSTRUCTIONS * rounds;
	if (!ret && (count % times > SELDOM_MORE(times) || count / times > ENTRY_AND_EXIT))
		ret = -EDOM;
	if (!ret && !pm_value(fd, 1))
		ret = -ENODATA;
	close(fd);
	return ret;
}

/* Threads with guests, and one with none, take turns on a CPU, and so do their counters. */
TEST_F(guest, threads_take_turns)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	const unsigned int times = 200;
	struct turns turns;
	__u64 before;
	unsigned int i;
	int child;

	ASSERT_EQ(0, turns_init(&turns));
	child = fork_bound();
	if (!child)
		_exit(-run_guests(&turns, 1, self->fake, LONG / 10, times));
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	for (i = 0; i < times; i++) {
		before = pm_value(self->fd, 0);
		loop(100);
		ASSERT_LE(pm_value(self->fd, 0) - before, 2000ULL);
		turn_pass(&turns, 0);
	}
	EXPECT_EQ(0, child_result(child));
	turns_end(&turns);
}

/* CPUs' sets: of each its guests, whoever runs them. */
TEST_F(guest, every_cpu_has_its_own)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_USER | GUEST),
		raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_USER | HOST),
		raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_USER),
	};
	int cpus = cpus_online(), fd[16], child[16], cpu, i, round;

	ASSERT_LE(cpus, 16);
	for (cpu = 0; cpu < cpus; cpu++) {
		fd[cpu] = pm_cpu_set(cpu, 0, events, 3);
		ASSERT_GE(fd[cpu], 0);
		ASSERT_EQ(0, pm_enable(fd[cpu], 0));
	}
	for (round = 1; round <= 2; round++) {
		for (cpu = 0; cpu < cpus; cpu++) {
			child[cpu] = fork_bound();
			if (child[cpu])
				continue;
			if (pin_to(cpu))
				_exit(1);
			for (i = 0; i < 100; i++)
				if (fake_enter(self->fake, SHORT * (cpu + 1), 0))
					_exit(2);
			_exit(0);
		}
		for (cpu = 0; cpu < cpus; cpu++)
			EXPECT_EQ(0, child_result(child[cpu]));
		for (cpu = 0; cpu < cpus; cpu++)
			expect_guests(_metadata, fd[cpu], 0, 100 * round, SHORT * (cpu + 1));
		/* Its counters are taken anew. */
		if (cpus > 1 && round == 1) {
			ASSERT_EQ(0, set_cpu_online(1, false));
			ASSERT_EQ(0, set_cpu_online(1, true));
		}
	}
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, pm_disable(fd[cpu], 0));
		EXPECT_EQ(pm_value(fd[cpu], 2), pm_value(fd[cpu], 0) + pm_value(fd[cpu], 1));
		close(fd[cpu]);
	}
}

#else

TEST(guest)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
