// SPDX-License-Identifier: GPL-2.0
/*
 * Host/guest filter at KVM entry and exit. Guests are made up (tests/modules/fake_kvm.c): a loop
 * of known length in the kernel, irqs off, between KVM's tracepoints.
 */
#include "fake.h"
#include "intel.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <stdio.h>

#if defined(__x86_64__)

#define MSR_GLOBAL_STATUS 0x38e

#define SHORT 1000ULL
#define LONG  100000ULL

#define HOST  PMUDEV_EXCLUDE_GUEST
#define GUEST PMUDEV_EXCLUDE_HOST

/* What between the loop and the two writes of IA32_PERF_GLOBAL_CTRL is counted as the guest's. */
#define ENTRY_AND_EXIT (debug_kernel() ? 20000ULL : 1000ULL)

FIXTURE(guest)
{
	struct intel_pmu pmu;
	int fake;
	int fd;
};

FIXTURE_SETUP(guest)
{
	self->fake = -1;
	self->fd = -1;
	if (fake_lacks())
		SKIP(return, "%s", fake_lacks());
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, fake_load());
	self->fake = fake_open();
	ASSERT_GE(self->fake, 0);
	intel_pmu(&self->pmu);
}

FIXTURE_TEARDOWN(guest)
{
	if (self->fd >= 0)
		close(self->fd);
	if (self->fake < 0)
		return;
	close(self->fake);
	EXPECT_EQ(0, fake_unload());
}

/* ----------------------------------------------------------- one guest -- */

struct counts {
	__u64 all, host, guest;
};

/*
 * Events on the whole, the host's and the guest's part of what the calling thread does: in a group,
 * started by one write and stopped by one. @fixed: of them, the one that the fixed counter has.
 */
static int triple(__u64 event, unsigned int fixed, __u32 flags)
{
	const __u32 filters[] = { 0, HOST, GUEST };
	struct pmudev_event_attr events[3];
	unsigned int i;
	__u64 allowed;

	for (i = 0; i < 3; i++) {
		allowed = i == fixed ? 1ULL << FIXED_INSTRUCTIONS : PROGRAMMABLE;
		events[i] = event_among(event, allowed, flags | filters[i]);
	}
	return pm_set(events, 3, false);
}

static int count_entry(int fd, int fake, __u64 rounds, __u64 flags, struct counts *counts)
{
	int ret = pm_reset(fd, PMUDEV_ALL, 0);

	ret = ret ?: pm_enable(fd, 0);
	ret = ret ?: fake_enter(fake, rounds, flags);
	ret = ret ?: pm_disable(fd, 0);
	counts->all = pm_value(fd, 0);
	counts->host = pm_value(fd, 1);
	counts->guest = pm_value(fd, 2);
	return ret;
}

/* Of what the kernel does in the host: the least of many, without interrupts. */
static int least_host(int fd, int fake, __u64 rounds, __u64 *host)
{
	struct counts counts;
	unsigned int i;
	int ret = 0;

	*host = ~0ULL;
	for (i = 0; !ret && i < 50; i++) {
		ret = count_entry(fd, fake, rounds, 0, &counts);
		if (counts.host < *host)
			*host = counts.host;
	}
	return ret;
}

/* 3: none */
static void expect_filters(struct __test_metadata *_metadata, struct _test_data_guest *self,
			   __u64 event, unsigned int cost, unsigned int fixed, __u32 flags)
{
	struct counts few, many;

	self->fd = triple(event, fixed, flags);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, count_entry(self->fd, self->fake, SHORT, 0, &few));
	ASSERT_EQ(0, count_entry(self->fd, self->fake, LONG, 0, &many));
	EXPECT_EQ(cost * LOOP_INSTRUCTIONS * (LONG - SHORT), many.guest - few.guest);
	EXPECT_EQ(few.all, few.host + few.guest);
	EXPECT_EQ(many.all, many.host + many.guest);
	few.guest -= cost * LOOP_INSTRUCTIONS * SHORT;
	EXPECT_LE(few.guest, cost * ENTRY_AND_EXIT);
	TH_LOG("event %#llx, fixed %u: %llu at entry and exit, %llu in the host", event, fixed,
	       few.guest, few.host);
	close(self->fd);
	self->fd = -1;
}

/* To the unit, on every kind of counter, and nothing is counted twice or not at all. */
TEST_F(guest, the_whole_is_its_parts)
{
	unsigned int fixed;

	for (fixed = 0; fixed <= 3; fixed++) {
		expect_filters(_metadata, self, EVENT_INSTRUCTIONS, 1, fixed, PMUDEV_EXCLUDE_USER);
		expect_filters(_metadata, self, EVENT_INSTRUCTIONS, 1, fixed, 0);
	}
	expect_filters(_metadata, self, EVENT_CYCLES, CORE, 3, PMUDEV_EXCLUDE_USER);
}

/* A hundred times as much in the guest is nothing more in the host. */
TEST_F(guest, the_host_has_none_of_it)
{
	__u64 few, many;

	self->fd = triple(EVENT_INSTRUCTIONS, 3, PMUDEV_EXCLUDE_USER);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, least_host(self->fd, self->fake, SHORT, &few));
	ASSERT_EQ(0, least_host(self->fd, self->fake, LONG, &many));
	EXPECT_EQ(few, many);
}

/* The modes are told apart on each side: in this guest there is no user mode. */
TEST_F(guest, modes)
{
	struct counts counts;

	self->fd = triple(EVENT_INSTRUCTIONS, 1, USER_ONLY);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, count_entry(self->fd, self->fake, LONG, 0, &counts));
	EXPECT_EQ(0ULL, counts.guest);
	EXPECT_EQ(counts.all, counts.host);
	EXPECT_LT(counts.host, LONG);
}

/* Without a guest none is counted, however often the thread is switched and its set changed. */
TEST_F(guest, nothing_without)
{
	__u64 host;
	int i;

	self->fd = triple(EVENT_INSTRUCTIONS, 2, USER_ONLY);
	ASSERT_GE(self->fd, 0);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pm_enable(self->fd, 0));
		loop(1000);
		pause_ns(1000);
		host = pm_value(self->fd, 1);
		loop(1000);
		EXPECT_GE(pm_value(self->fd, 1) - host, 2000ULL);
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		EXPECT_EQ(pm_value(self->fd, 0), pm_value(self->fd, 1));
		EXPECT_EQ(0ULL, pm_value(self->fd, 2));
	}
}

/* ------------------------------------------------------ what may disturb -- */

/*
 * KVM hands on an NMI that ends a guest while its side is still the guest's, and our handler, which
 * starts what is ours after perf's has stopped it, starts that side.
 */
TEST_F(guest, nmi_in_the_midst)
{
	struct counts few, many;

	self->fd = triple(EVENT_INSTRUCTIONS, 2, PMUDEV_EXCLUDE_USER);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, count_entry(self->fd, self->fake, SHORT, FAKE_NMI, &few));
	ASSERT_EQ(0, count_entry(self->fd, self->fake, LONG, FAKE_NMI, &many));
	EXPECT_EQ(few.all, few.host + few.guest);
	EXPECT_EQ(many.all, many.host + many.guest);
	EXPECT_GE(few.guest, LOOP_INSTRUCTIONS * SHORT);
	EXPECT_GE(many.guest, LOOP_INSTRUCTIONS * LONG);
	/* Kernels with debugging write to the console meanwhile that they do not know this NMI. */
	if (!debug_kernel())
		EXPECT_LT(many.host, LOOP_INSTRUCTIONS * LONG);
}

/* An entry that fails has no exit. What is saved and loaded next is the host's again. */
TEST_F(guest, entry_without_exit)
{
	struct counts counts;
	__u64 before;

	self->fd = triple(EVENT_INSTRUCTIONS, 2, 0);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, count_entry(self->fd, self->fake, SHORT, FAKE_NO_EXIT, &counts));
	EXPECT_EQ(counts.all, counts.host + counts.guest);
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	before = pm_value(self->fd, 2);
	loop(100000);
	EXPECT_EQ(before, pm_value(self->fd, 2));
	/* Or the next exit on this CPU does it; one without an entry is nothing. */
	ASSERT_EQ(0, fake_enter(self->fake, SHORT, FAKE_NO_EXIT));
	ASSERT_EQ(0, fake_enter(self->fake, SHORT, FAKE_NO_ENTRY));
	before = pm_value(self->fd, 2);
	ASSERT_EQ(0, fake_enter(self->fake, LONG, FAKE_NO_ENTRY));
	loop(100000);
	EXPECT_EQ(before, pm_value(self->fd, 2));
	ASSERT_EQ(0, pm_disable(self->fd, 0));
	EXPECT_EQ(pm_value(self->fd, 0), pm_value(self->fd, 1) + pm_value(self->fd, 2));
}

/* Entry and exit execute 56 instructions, on several CPUs sometimes one or two more. */
#define SELDOM_MORE(times) ((times) / 10)

/* @fd: how many guests of that length are entered, with about the same at entry and exit */
static void expect_guests(struct __test_metadata *_metadata, int fd, unsigned int slot,
			  unsigned int times, __u64 rounds)
{
	__u64 count = pm_value(fd, slot), around = count - times * LOOP_INSTRUCTIONS * rounds;

	EXPECT_LE(around % times, SELDOM_MORE(times))
	TH_LOG("%llu, %u times %llu", count, times, rounds);
	EXPECT_LE(around / times, ENTRY_AND_EXIT);
}

/* Nor does what runs then, whatever NMIs come: the thread was switched meanwhile. */
TEST_F(guest, switched_after_an_entry_without_exit)
{
	__u64 before, host;

	self->fd = triple(EVENT_INSTRUCTIONS, 2, 0);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pm_enable(self->fd, 0));
	ASSERT_EQ(0, fake_enter(self->fake, SHORT, FAKE_NO_EXIT));
	pause_ns(1000000);
	before = pm_value(self->fd, 2);
	host = pm_value(self->fd, 1);
	ASSERT_EQ(0, fake_enter(self->fake, SHORT, FAKE_NO_ENTRY | FAKE_NO_EXIT | FAKE_NMI));
	loop(100000);
	EXPECT_EQ(before, pm_value(self->fd, 2));
	EXPECT_GE(pm_value(self->fd, 1) - host, 100000 * (__u64)LOOP_INSTRUCTIONS);
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
			EXPECT_EQ(start + first, pm_value(fd, 0));
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
