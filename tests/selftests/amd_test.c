// SPDX-License-Identifier: GPL-2.0
/*
 * What is AMD's own: how counters are numbered and read, what the bits for host and guest do where
 * no guest can run, and how far the counts of a group are apart.
 */
#include "command.h"
#include "common.h"
#include "kselftest_harness.h"

#if defined(__x86_64__)

#define N 1000ULL

#define NOT_EXACT "events are not counted exactly here (emulated, PMUDEV_EXACT)"

FIXTURE(amd)
{
	struct pmudev_query query;
	unsigned int nr; /* counters */
};

FIXTURE_SETUP(amd)
{
	ASSERT_EQ(0, pm_query(&self->query));
	ASSERT_EQ((__u32)PMUDEV_ARCH_AMD, self->query.arch);
	self->nr = __builtin_popcountll(self->query.counters);
}

FIXTURE_TEARDOWN(amd)
{
	set_user_access(false);
}

/* CPUID 8000_0001H, ECX[23]: six instead of four; 8000_0022H, EAX[0]: PerfMonV2. */
TEST_F(amd, described_as_by_cpuid)
{
	__u32 eax, ebx, ecx = 0, edx, v2 = 0;

	ASSERT_TRUE(__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx));
	__get_cpuid(0x80000022, &v2, &ebx, &eax, &edx);
	EXPECT_EQ(ecx >> 23 & 1 ? 0x3fULL : 0xfULL, self->query.counters);
	EXPECT_EQ(1U + (v2 & 1), self->query.arch_version);
	EXPECT_EQ(48U, self->query.width);
	EXPECT_EQ(0U, self->query.width_fixed);
	EXPECT_EQ(127U, self->query.threshold_max);
	EXPECT_EQ(0ULL, self->query.features & (PMUDEV_HAS_LONG | PMUDEV_HAS_HIDING));
	EXPECT_NE(0ULL, self->query.features & PMUDEV_HAS_GUEST);
	EXPECT_NE(0ULL, self->query.features & PMUDEV_HAS_DEADLINE);
}

static int measure(struct pmudev_event_attr attr, __u64 *count)
{
	__u64 less = 0, more = 0;
	int fd = pm_set(&attr, 1, true), ret;

	if (fd < 0)
		return fd;
	/* The first one brings in the pages. */
	ret = measure_read(fd, 0, N, &less);
	if (!ret)
		ret = measure_read(fd, 0, N, &less);
	if (!ret)
		ret = measure_read(fd, 0, 10 * N, &more);
	close(fd);
	*count = more - less;
	return ret;
}

TEST_F(amd, each_counter_counts)
{
	struct pmudev_event_attr attr = raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_COUNTER);
	__u64 count;

	if (!exact_cycles())
		SKIP(return, NOT_EXACT);
	for (attr.counter = 0; attr.counter < self->nr; attr.counter++) {
		attr.config = EVENT_INSTRUCTIONS;
		ASSERT_EQ(0, measure(attr, &count));
		EXPECT_EQ(9 * N * LOOP_INSTRUCTIONS, count) TH_LOG("counter %u", attr.counter);
		attr.config = EVENT_CYCLES;
		ASSERT_EQ(0, measure(attr, &count));
		EXPECT_EQ(9 * N * LOOP_INSTRUCTIONS * EMULATED_CYCLES, count);
		attr.config = EVENT_BRANCHES;
		ASSERT_EQ(0, measure(attr, &count));
		EXPECT_EQ(9 * N * LOOP_BRANCHES, count);
	}
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_COUNTER, pm_set(&attr, 1, true));
}

/* The operand of RDPMC is the number of the counter. */
TEST_F(amd, each_counter_is_read)
{
	struct pmudev_event_attr attr = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ | PMUDEV_COUNTER);
	struct pmudev_page *page;
	struct reader reader;
	__u64 less, more;
	int fd;

	if (!exact_instructions() || !user_reads())
		SKIP(return, NOT_EXACT);
	ASSERT_EQ(0, set_user_access(true));
	for (attr.counter = 0; attr.counter < self->nr; attr.counter++) {
		fd = pm_set(&attr, 1, true);
		ASSERT_GE(fd, 0);
		page = pm_map(fd);
		ASSERT_NE(NULL, page);
		EXPECT_EQ(attr.counter, page->slots[0].operand);
		EXPECT_EQ(16U, page->slots[0].shift);
		reader = reader_of(page);
		EXPECT_EQ(0, measure_direct(&reader, 0, N, &less));
		EXPECT_EQ(0, measure_direct(&reader, 0, 10 * N, &more));
		EXPECT_EQ(9 * N * LOOP_INSTRUCTIONS, more - less);
		pm_unmap(page);
		close(fd);
	}
}

/* While EFER.SVME is 0, the bit for the host only would count nothing. */
TEST_F(amd, host_and_guest_without_guests)
{
	__u64 count;

	if (!exact_instructions())
		SKIP(return, NOT_EXACT);
	ASSERT_EQ(0,
		  measure(raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_EXCLUDE_GUEST), &count));
	EXPECT_EQ(9 * N * LOOP_INSTRUCTIONS, count);
	ASSERT_EQ(0,
		  measure(raw_event(EVENT_INSTRUCTIONS, USER_ONLY | PMUDEV_EXCLUDE_HOST), &count));
	EXPECT_EQ(0ULL, count);
}

/* Events of user mode are equal to the unit, also where counters start one after another. */
TEST_F(amd, a_group_in_user_mode)
{
	struct pmudev_event_attr events[6];
	union record r;
	unsigned int i, round;
	int fd;

	if (!exact_instructions())
		SKIP(return, NOT_EXACT);
	for (i = 0; i < self->nr; i++)
		events[i] = raw_event(EVENT_INSTRUCTIONS, USER_ONLY);
	fd = pm_set(events, self->nr, true);
	ASSERT_GE(fd, 0);
	for (round = 0; round < 20; round++) {
		loop(N);
		pause_ns(1000);
		ASSERT_EQ(0, pm_read(fd, &r));
		for (i = 1; i < self->nr; i++)
			EXPECT_EQ(r.r.counts[0].value, r.r.counts[i].value);
	}
	close(fd);
}

/*
 * The same holds for the kernel: with PerfMonV2 because of its global register, else because each
 * counter starts and stops by the same code, so that all count for as many instructions.
 */
TEST_F(amd, a_group_in_the_kernel)
{
	struct pmudev_event_attr events[6];
	unsigned int i, round;
	union record r;
	int fd;

	if (!exact_instructions())
		SKIP(return, NOT_EXACT);
	for (i = 0; i < self->nr; i++)
		events[i] = raw_event(EVENT_INSTRUCTIONS, PMUDEV_EXCLUDE_USER);
	fd = pm_set(events, self->nr, true);
	ASSERT_GE(fd, 0);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 20; i++)
			pause_ns(1000);
		ASSERT_EQ(0, pm_disable(fd, 0));
		ASSERT_EQ(0, pm_read(fd, &r));
		ASSERT_EQ(0, pm_enable(fd, 0));
		EXPECT_LT(2000ULL, r.r.counts[0].value);
		for (i = 1; i < self->nr; i++)
			EXPECT_EQ(r.r.counts[0].value, r.r.counts[i].value);
	}
	close(fd);
}

/* What the manual says of an event of this CPU's is said next to it. */
TEST_F(amd, errata_are_told)
{
	const bool zen = (cpu_id() >> 20 & 0xff) >= 8;
	struct output output;

	if (!have_command())
		SKIP(return, "no pmudev command");
	run(&output, "pmudev info");
	EXPECT_EQ(zen, times_in(&output, "SpecLockMap")) TH_LOG("%s", output.text);
	EXPECT_EQ(1U, times_in(&output, zen ? "each interrupt and exception counts as a branch" :
					      "each interrupt and exception counts as an instr"))
	TH_LOG("%s", output.text);
	EXPECT_EQ(1U, times_in(&output, "late interrupts"));
	run(&output, "pmudev explain -e instructions:u,r0d1:u");
	EXPECT_EQ(zen ? 1U : 0U, times_in(&output, "r0d1:u: not the same in each run"))
	TH_LOG("%s", output.text);
	EXPECT_EQ(zen ? 0U : 1U, times_in(&output, "instructions:u: each interrupt"));
	run(&output, "pmudev explain -e L1-icache-loads:u,r0081:u");
	EXPECT_EQ(zen ? 1U : 0U, times_in(&output, "L1-icache-loads:u: wrong"))
	TH_LOG("%s", output.text);
	EXPECT_EQ(zen ? 1U : 0U, times_in(&output, "r0081:u: too low"));
	run(&output, "pmudev stat -e r0d1:u,instructions:u -- true");
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1U, times_in(&output, zen ? "r0d1:u: not the same" : "instructions:u: each"))
	TH_LOG("%s", output.text);
}

#else

TEST(amd)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
