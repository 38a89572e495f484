// SPDX-License-Identifier: GPL-2.0
/*
 * Host and guest told apart: what is counted of a guest that executes a known number of
 * instructions, and of the host that runs it.
 */
#include <stdio.h>
#include "guest_group.h"
#include "kselftest_harness.h"

/* Of windows without the timer; of windows with it. */
#define FEW   10
#define MANY  400

/* So often the kernel is given the chance to have no work of its own. */
#define CHANCES 40
/* Of the kernel, a round, at most: a guest's is 20,000. */
#define STEPS 10LL

static const struct guest_work works[] = {
	{ .el1 = 1000 },
	{ .el0 = 1000 },
	{ .el1 = 700, .el0 = 1300 },
	{ .el1 = 10, .calls = 7 },
	{ .el1 = 20000, .calls = 1, .el0 = 30000 },
};

FIXTURE(guest_count)
{
	struct guest guest;
	struct guest_vcpu *vcpu;
};

FIXTURE_SETUP(guest_count)
{
	int ret;

	if (!exact_instructions())
		SKIP(return, "needs exact counts of each CPU");
	ASSERT_EQ(0, pin_to(0));
	ret = guest_open(&self->guest);
	if (ret == -ENOENT)
		SKIP(return, "needs /dev/kvm on arm64");
	ASSERT_EQ(0, ret);
	self->vcpu = &self->guest.vcpu[0];
}

FIXTURE_TEARDOWN(guest_count)
{
	guest_close(&self->guest);
}

static void set_work(struct __test_metadata *_metadata, struct _test_data_guest_count *self,
		     struct guest_work work)
{
	ASSERT_EQ(0, vcpu_set_work(self->vcpu, work));
	/* Whatever KVM does once only is done. */
	ASSERT_EQ(0, vcpu_run(self->vcpu));
}

/* ------------------------------------------------------------------- guests -- */

static void exact_guest(struct __test_metadata *_metadata, struct _test_data_guest_count *self,
			int cpu)
{
	static const __u32 flags[] = { H, H | U, H | K, H | V, H | V | K };
	__u64 values[ARRAY_SIZE(flags)];
	struct guest_count round;
	struct guest_group group;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(works); i++) {
		set_work(_metadata, self, works[i]);
		round = guest_round(works[i]);
		ASSERT_EQ(0, group_open(&group, false, cpu, flags, ARRAY_SIZE(flags)));
		ASSERT_EQ(0, group_window(&group, self->vcpu, MANY));
		ASSERT_EQ(0, group_values(&group, values));
		group_close(&group);
		EXPECT_EQ(MANY * (round.el1 + round.el0), values[0]) TH_LOG("work %u", i);
		EXPECT_EQ(MANY * round.el1, values[1]) TH_LOG("work %u", i);
		EXPECT_EQ(MANY * round.el0, values[2]) TH_LOG("work %u", i);
		EXPECT_EQ(values[0], values[3]) TH_LOG("work %u", i);
		EXPECT_EQ(values[2], values[4]) TH_LOG("work %u", i);
	}
}

/* To the instruction, whatever the timer interrupts; of the host nothing. */
TEST_F(guest_count, guest_of_a_thread)
{
	exact_guest(_metadata, self, -1);
}

TEST_F(guest_count, guest_of_a_cpu)
{
	exact_guest(_metadata, self, 0);
}

/* Nothing is excluded but levels: host and guest together. */
TEST_F(guest_count, user_of_both)
{
	static const __u32 flags[] = { K | V, K | V | G, K | V | H };
	__u64 values[ARRAY_SIZE(flags)];
	struct guest_count round = guest_round(works[2]);
	struct guest_group group;

	set_work(_metadata, self, works[2]);
	ASSERT_EQ(0, group_open(&group, false, -1, flags, ARRAY_SIZE(flags)));
	ASSERT_EQ(0, group_window(&group, self->vcpu, MANY));
	ASSERT_EQ(0, group_values(&group, values));
	group_close(&group);
	EXPECT_EQ(values[0], values[1] + values[2]);
	EXPECT_EQ(MANY * round.el0, values[2]);
	EXPECT_LT(MANY * GROUP_LOOPS * LOOP_INSTRUCTIONS, values[1]);
}

/* -------------------------------------------------------------------- hosts -- */

/* The host did the same in user mode and in the kernel, and the guest did what it was told to. */
static bool host_did_the_same(const __u64 *small, const __u64 *large, __u64 guest)
{
	return !memcmp(small, large, 4 * sizeof(*small)) && large[4] - small[4] == guest;
}

/*
 * The guest does a hundred times as much, and the host what it did: to the instruction, in the
 * kernel as well where no timer interrupts (all of it is less than a tick). For some rounds the
 * kernel may have more to do, for a grace period of RCU for example, so both are measured until the
 * least of each is the same: a count that depends on the guest never is.
 *
 * Rarely the kernel's part stays some steps longer beside one of the two (6 instructions a round
 * were seen, as of a walk over a list). Then all events that count it say so, to the instruction.
 */
static void host_stays(struct __test_metadata *_metadata, struct _test_data_guest_count *self,
		       int cpu)
{
	static const __u32 flags[] = { G | K | V, G, G | U, G | V, 0 };
	struct guest_work work = { .el1 = 50, .calls = 2, .el0 = 50 };
	struct guest_work more = { .el1 = 5000, .calls = 2, .el0 = 5000 };
	struct guest_count one = guest_round(work), hundred = guest_round(more);
	__u64 guest = FEW * (hundred.el1 + hundred.el0 - one.el1 - one.el0);
	struct group_least of_small = group_nothing_yet(), of_large = group_nothing_yet();
	__u64 small[ARRAY_SIZE(flags)], large[ARRAY_SIZE(flags)];
	struct guest_group group;
	unsigned int i, try;
	__s64 steps;

	ASSERT_EQ(0, group_open(&group, false, cpu, flags, ARRAY_SIZE(flags)));
	for (try = 0; try < CHANCES; try++) {
		set_work(_metadata, self, work);
		ASSERT_EQ(0, group_rounds_more(&group, self->vcpu, FEW, &of_small, small));
		set_work(_metadata, self, more);
		ASSERT_EQ(0, group_rounds_more(&group, self->vcpu, FEW, &of_large, large));
		/* Where the kernel checks its locks, no window is without a tick. */
		if (debug_kernel() || host_did_the_same(small, large, guest))
			break;
	}
	group_close(&group);
	EXPECT_EQ(small[0], large[0]);
	steps = large[1] - small[1];
	for (i = 1; i < 4 && !debug_kernel(); i++)
		EXPECT_EQ(steps, (__s64)(large[i] - small[i])) TH_LOG("flags %#x", flags[i]);
	if (!debug_kernel()) {
		EXPECT_EQ(guest + steps, large[4] - small[4]);
		EXPECT_LE(-STEPS * FEW, steps);
		EXPECT_GE(STEPS * FEW, steps);
	}
	TH_LOG("each round, of guest %llu or %llu: host %llu, user mode %llu; %u tries, %lld steps",
	       one.el1 + one.el0, hundred.el1 + hundred.el0, large[1] / FEW, large[0] / FEW,
	       try + 1, (long long)steps);
}

TEST_F(guest_count, host_of_a_thread)
{
	if (!exact_clock())
		SKIP(return, "needs one CPU");
	host_stays(_metadata, self, -1);
}

TEST_F(guest_count, host_of_a_cpu)
{
	if (!exact_clock())
		SKIP(return, "needs one CPU");
	host_stays(_metadata, self, 0);
}

/*
 * Over many ticks, user mode does what it did. What the kernel does more, it does for ticks: in a
 * loop of the host's that takes as long they are measured without a guest. Out of a guest a tick
 * is an exit and an entry, too, and these cost less than two ticks; on kernels that watch what they
 * do, where much of a tick is not watched, less than four.
 */
TEST_F(guest_count, host_over_ticks)
{
	static const __u32 flags[] = { G | U | V, G | K | V, H };
	__u64 small[3], large[3], alone, ticks = debug_kernel() ? 5 : 3;
	struct guest_work work = { .el1 = 1000, .el0 = 1000 };
	struct guest_group group;

	ASSERT_EQ(0, group_open(&group, false, -1, flags, ARRAY_SIZE(flags)));
	set_work(_metadata, self, work);
	ASSERT_EQ(0, group_more(&group, self->vcpu, MANY, small));
	work.el1 *= 100;
	work.el0 *= 100;
	set_work(_metadata, self, work);
	ASSERT_EQ(0, group_more(&group, self->vcpu, MANY, large));
	ASSERT_EQ(0, pm_reset(group.fd[0], PMUDEV_ALL, 0));
	ASSERT_EQ(0, pm_enable(group.fd[0], PMUDEV_ALL));
	loop(MANY * (guest_round(work).el1 + guest_round(work).el0) / LOOP_INSTRUCTIONS);
	ASSERT_EQ(0, pm_disable(group.fd[0], PMUDEV_ALL));
	alone = pm_value(group.fd[0], 0);
	group_close(&group);
	EXPECT_EQ(small[1], large[1]);
	EXPECT_EQ(MANY * (guest_round(work).el1 + guest_round(work).el0), large[2]);
	TH_LOG("the guest %llu more, the kernel %llu; the kernel %llu in as long a loop",
	       large[2] - small[2], large[0] - small[0], alone);
	EXPECT_LE(large[0], small[0] + ticks * alone);
	/* Which is next to nothing of what the guest did more. */
	EXPECT_LT(ticks * alone * (debug_kernel() ? 10 : 100), large[2]);
}

/* --------------------------------------------------------------------- sums -- */

/* Together they are everything, to the instruction: no window between them. */
static void sum_is_all(struct __test_metadata *_metadata, struct _test_data_guest_count *self,
		       int cpu)
{
	static const __u32 vhe[] = { 0, G | K, G | U, H };
	static const __u32 nvhe[] = { V, G | V | K, G | V | U, H };
	const __u32 *flags = machine_shape() == SHAPE_NVHE ? nvhe : vhe;
	struct guest_group group;
	__u64 values[4];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(works); i++) {
		set_work(_metadata, self, works[i]);
		ASSERT_EQ(0, group_open(&group, false, cpu, flags, 4));
		ASSERT_EQ(0, group_window(&group, self->vcpu, MANY));
		ASSERT_EQ(0, group_values(&group, values));
		group_close(&group);
		EXPECT_LT(0ULL, values[1]);
		EXPECT_LT(0ULL, values[2]);
		EXPECT_LT(0ULL, values[3]);
		EXPECT_EQ(values[0], values[1] + values[2] + values[3])
		TH_LOG("work %u: %llu = %llu + %llu + %llu", i, values[0], values[1], values[2],
		       values[3]);
	}
}

/* Host user, host kernel, guest; on nVHE without EL2, which is on no side of the window. */
TEST_F(guest_count, sum_of_a_thread)
{
	sum_is_all(_metadata, self, -1);
}

TEST_F(guest_count, sum_of_a_cpu)
{
	sum_is_all(_metadata, self, 0);
}

/* ----------------------------------------------------------- what is refused -- */

static int try_to_add(__u32 flags)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, flags);
	int fd = pm_set(&event, 1, false);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* Neither host nor guest, neither user mode nor kernel: nor is EL2 then, where it is another. */
TEST(nothing_to_count)
{
	enum shape shape = machine_shape();

	if (shape == SHAPE_UNKNOWN)
		SKIP(return, "needs a machine of the tests: who runs where is known there");
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_ALL_EXCLUDED, try_to_add(H | G));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_ALL_EXCLUDED, try_to_add(H | G | V));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_ALL_EXCLUDED, try_to_add(U | K));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_ALL_EXCLUDED, try_to_add(U | K | G));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_ALL_EXCLUDED, try_to_add(U | K | V));
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_ALL_EXCLUDED, try_to_add(U | K | V | G));
	if (shape == SHAPE_EL1)
		return;
	EXPECT_REFUSED(EINVAL, PMUDEV_WHY_ALL_EXCLUDED, try_to_add(U | K | H));
}

/* A kernel at EL1 has no guests: to count them alone is refused, to exclude them is no work. */
TEST(without_guests)
{
	static const __u32 flags[] = { K | V, K | V | G, V, V | G };
	__u64 values[ARRAY_SIZE(flags)];
	enum shape shape = machine_shape();
	struct pmudev_query query;
	struct guest_group group;

	if (!exact_instructions() || shape == SHAPE_UNKNOWN)
		SKIP(return, "needs exact counts, and to know where the kernel runs");
	ASSERT_EQ(0, pm_query(&query));
	EXPECT_EQ(shape != SHAPE_EL1, !!(query.features & PMUDEV_HAS_GUEST));
	if (shape != SHAPE_EL1)
		SKIP(return, "there are guests here");
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_NO_GUEST, try_to_add(H));
	EXPECT_REFUSED(EOPNOTSUPP, PMUDEV_WHY_NO_GUEST, try_to_add(H | K | V));
	ASSERT_EQ(0, group_open(&group, false, -1, flags, ARRAY_SIZE(flags)));
	ASSERT_EQ(0, group_window(&group, NULL, MANY));
	ASSERT_EQ(0, group_values(&group, values));
	group_close(&group);
	EXPECT_EQ(values[0], values[1]);
	EXPECT_EQ(values[2], values[3]);
	EXPECT_LT(MANY * GROUP_LOOPS * LOOP_INSTRUCTIONS, values[0]);
	EXPECT_LT(values[0], values[2]);
}

TEST_HARNESS_MAIN
