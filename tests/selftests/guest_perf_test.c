// SPDX-License-Identifier: GPL-2.0
/*
 * perf's host and guest, and pmudev's: all combinations of the five exclude bits, counted by perf
 * and then by pmudev over the same, on one CPU. Where the kernel's own code is not counted, both
 * count the same to the instruction; it differs by what the KVM entry and exit hooks execute. On
 * nVHE perf counts EL2 without the kernel, too; pmudev does not.
 */
#include "guest_group.h"
#include "kselftest_harness.h"

#define ROUNDS	     4
#define COMBINATIONS 32

/* Two by calls and one by the exit. What is to be told apart is more than they cost. */
#define TRANSITIONS 3

static const struct guest_work work = { .el1 = 4000, .calls = 2, .el0 = 9000 };

/* Instructions of the kernel that pmudev's probes take, of each transition. */
#define PROBES (debug_kernel() ? 10000 : 600)

struct counted {
	int ret;
	__u64 value;
	struct pmudev_refusal why;
};

FIXTURE(guest_perf)
{
	enum shape shape;
	struct guest guest;
	struct guest_vcpu *vcpu; /* NULL: no guests here */
};

FIXTURE_SETUP(guest_perf)
{
	self->guest.vm = -1;
	if (!exact_clock())
		SKIP(return, "needs exact counts and one CPU");
	ASSERT_EQ(0, pin_to(0));
	self->shape = machine_shape();
	if (self->shape == SHAPE_EL1)
		return;
	ASSERT_EQ(0, guest_open(&self->guest));
	self->vcpu = &self->guest.vcpu[0];
	ASSERT_EQ(0, vcpu_set_work(self->vcpu, work));
	ASSERT_EQ(0, vcpu_run(self->vcpu));
}

FIXTURE_TEARDOWN(guest_perf)
{
	if (self->guest.vm >= 0)
		guest_close(&self->guest);
}

static void count_one(struct _test_data_guest_perf *self, bool perf, int cpu, __u32 flags,
		      struct counted *c)
{
	struct guest_group group;

	c->ret = group_open(&group, perf, cpu, &flags, 1);
	c->why = why;
	if (c->ret)
		return;
	c->ret = group_rounds(&group, self->vcpu, ROUNDS, &c->value);
	group_close(&group);
}

static void count_all(struct _test_data_guest_perf *self, bool perf, int cpu, struct counted *all)
{
	__u32 flags;

	/* Those that do not tell host and guest apart come first: there are no probes then. */
	for (flags = 0; flags < COMBINATIONS; flags++)
		count_one(self, perf, cpu, flags, &all[flags]);
}

/* What pmudev has nothing to count for, or on a machine without EL2 no guest. */
static bool is_refused(enum shape shape, __u32 flags)
{
	if ((flags & (U | K)) == (U | K))
		return true;
	return shape == SHAPE_EL1 ? flags & H : (flags & (H | G)) == (H | G);
}

/* Does perf count EL2 and pmudev not? */
static bool is_perfs_el2(enum shape shape, __u32 flags)
{
	return shape == SHAPE_NVHE && (flags & (K | V | H)) == K;
}

/* EL2 is what is counted more without EXCLUDE_HV. */
static __u64 el2_alone(struct _test_data_guest_perf *self, int cpu, __u32 side)
{
	const __u32 flags[] = { side, side | V };
	__u64 values[ARRAY_SIZE(flags)];
	struct guest_group s;
	int ret;

	if (group_open(&s, false, cpu, flags, ARRAY_SIZE(flags)))
		return ~0ULL;
	ret = group_rounds(&s, self->vcpu, ROUNDS, values);
	group_close(&s);
	return ret ? ~0ULL : values[0] - values[1];
}

/*
 * Does perf count EL2 as pmudev does, to the unit, where it counts nothing else? @perf: as it was
 * counted. On debug kernels rounds have ticks, each of which enters EL2 once more.
 */
static bool el2_agrees(struct _test_data_guest_perf *self, int cpu, __u32 flags,
		       struct counted *perf)
{
	int tries = debug_kernel() ? 10 : 1;

	while (perf->ret || el2_alone(self, cpu, flags & G) != perf->value) {
		if (!--tries)
			return false;
		count_one(self, true, cpu, flags, perf);
	}
	return true;
}

static bool counts_kernel(__u32 flags)
{
	return !(flags & (K | H));
}

static const char *name_of(__u32 flags)
{
	static char name[6];
	unsigned int i;

	for (i = 0; i < 5; i++)
		name[i] = flags & 1U << i ? "UKVHG"[i] : '-';
	return name;
}

static void compare(struct __test_metadata *_metadata, struct _test_data_guest_perf *self, int cpu)
{
	static struct counted perf[COMBINATIONS], ours[COMBINATIONS];
	/* Where the kernel checks its locks, no window is without a tick. */
	__s64 more, most = PROBES * TRANSITIONS * ROUNDS * (debug_kernel() ? 4 : 1);
	__u32 f;

	ASSERT_TRUE(WAIT_FOR(!guest_hooked()));
	count_all(self, true, cpu, perf);
	count_all(self, false, cpu, ours);
	TH_LOG("instructions of %d rounds, %s", ROUNDS, cpu < 0 ? "of the thread" : "of the CPU");
	for (f = 0; f < COMBINATIONS; f++) {
		bool el2 = is_perfs_el2(self->shape, f);

		ASSERT_EQ(0, perf[f].ret) TH_LOG("perf, %s", name_of(f));
		if (is_refused(self->shape, f)) {
			/* perf counts it, and comes to nothing else. */
			EXPECT_TRUE(el2 ? el2_agrees(self, cpu, f, &perf[f]) : !perf[f].value);
			TH_LOG("%s perf %8llu, pmudev refuses: %d, %u", name_of(f), perf[f].value,
			       ours[f].ret, ours[f].why.code);
			EXPECT_GT(0, ours[f].ret);
			continue;
		}
		if (el2) {
			EXPECT_GT(perf[f].value, perf[f | V].value);
			perf[f] = perf[f | V];
		}
		EXPECT_EQ(0, ours[f].ret) TH_LOG("%s: reason %u", name_of(f), ours[f].why.code);
		more = ours[f].value - perf[f].value;
		TH_LOG("%s perf %8llu, pmudev %8llu: %+lld a transition", name_of(f), perf[f].value,
		       ours[f].value, more / ROUNDS / TRANSITIONS);
		if (counts_kernel(f)) {
			EXPECT_LE(more, most);
			EXPECT_GE(more, -most / 10);
		} else {
			EXPECT_EQ(perf[f].value, ours[f].value);
		}
	}
}

TEST_F(guest_perf, of_a_thread)
{
	compare(_metadata, self, -1);
}

TEST_F(guest_perf, of_a_cpu)
{
	compare(_metadata, self, 0);
}

TEST_HARNESS_MAIN
