// SPDX-License-Identifier: GPL-2.0
/*
 * The window at guest entry and exit: what is executed between host and guest, and counted in
 * neither, in instructions a transition; perf's and pmudev's, measured the same way in the same
 * boot. On VHE there is none. On nVHE it is the part of KVM's code at EL2 that runs while the
 * counters are the guest's.
 */
#include "guest_group.h"
#include "kselftest_harness.h"

#define WINDOWS 20
#define ROUNDS	20
#define CALLS	10

/* Instructions at EL2 a transition (to the guest and back). */
#define BOUND 1500

/* A window is less than a tick, where the kernel does not check its locks. */
#define TICKS (debug_kernel() ? 8 : 1)

struct window {
	__u64 least, most; /* lost in so many rounds */
	__u64 guest;	   /* counted as guest's beyond what it executes, of all */
};

FIXTURE(guest_window)
{
	struct guest guest;
};

FIXTURE_SETUP(guest_window)
{
	int ret;

	if (!exact_clock())
		SKIP(return, "needs exact counts and one CPU");
	ASSERT_EQ(0, pin_to(0));
	ret = guest_open(&self->guest);
	if (ret == -ENOENT)
		SKIP(return, "needs /dev/kvm on arm64");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(guest_window)
{
	guest_close(&self->guest);
}

static int measure(struct guest_vcpu *v, bool perf, struct guest_work work, struct window *w)
{
	static const __u32 flags[] = { 0, G, H };
	struct guest_count round = guest_round(work);
	__u64 more[ARRAY_SIZE(flags)], lost;
	struct guest_group group;
	int ret, i;

	ret = vcpu_set_work(v, work);
	if (!ret)
		ret = vcpu_run(v);
	if (!ret)
		ret = group_open(&group, perf, -1, flags, ARRAY_SIZE(flags));
	if (ret)
		return ret;
	*w = (struct window){ .least = ~0ULL };
	for (i = 0; i < WINDOWS && !ret; i++) {
		ret = group_more(&group, v, ROUNDS, more);
		lost = more[0] - more[1] - more[2];
		if (lost < w->least)
			w->least = lost;
		if (lost > w->most)
			w->most = lost;
		w->guest += more[2] - ROUNDS * (round.el1 + round.el0);
	}
	group_close(&group);
	return ret;
}

static void window(struct __test_metadata *_metadata, struct _test_data_guest_window *self,
		   bool perf, __u64 *an_exit, __u64 *a_call)
{
	struct guest_work work = { .el1 = 500, .el0 = 500 };
	struct window exits, calls;

	ASSERT_EQ(0, measure(&self->guest.vcpu[0], perf, work, &exits));
	work.calls = CALLS;
	ASSERT_EQ(0, measure(&self->guest.vcpu[0], perf, work, &calls));
	*an_exit = exits.least / ROUNDS;
	*a_call = (calls.least - exits.least) / ROUNDS / CALLS;
	TH_LOG("%s: %llu instructions an exit, %llu a call; %llu too many taken for the guest's",
	       perf ? "perf" : "pmudev", *an_exit, *a_call, exits.guest + calls.guest);
	/* Each transition is like the other, */
	EXPECT_EQ(0ULL, exits.least % ROUNDS);
	EXPECT_EQ(0ULL, (calls.least - exits.least) % (ROUNDS * CALLS));
	/* a window has more if the timer interrupts the guest, */
	EXPECT_LE(exits.most, exits.least + TICKS * BOUND);
	EXPECT_LE(calls.most, calls.least + TICKS * BOUND);
	/* and nothing of the host's goes to the guest. */
	EXPECT_EQ(0ULL, exits.guest);
	EXPECT_EQ(0ULL, calls.guest);
}

TEST_F(guest_window, beside_perf)
{
	__u64 perf[2], ours[2];

	window(_metadata, self, true, &perf[0], &perf[1]);
	window(_metadata, self, false, &ours[0], &ours[1]);
	EXPECT_LE(ours[0], perf[0]);
	EXPECT_LE(ours[1], perf[1]);
	if (machine_shape() == SHAPE_VHE) {
		EXPECT_EQ(0ULL, ours[0]);
		EXPECT_EQ(0ULL, ours[1]);
	} else {
		EXPECT_GT(BOUND, ours[0]);
		EXPECT_GT(BOUND, ours[1]);
	}
}

TEST_HARNESS_MAIN
