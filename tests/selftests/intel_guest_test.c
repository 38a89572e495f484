// SPDX-License-Identifier: GPL-2.0
/*
 * Host/guest filter at KVM entry and exit. Guests are made up (tests/modules/fake_kvm.c): a loop
 * of known length in the kernel, irqs off, between KVM's tracepoints.
 * The counters that count them are in intel_guest_counters_test.c.
 */
#include "common.h"
#include "kselftest_harness.h"
#include "intel_guest.h"

#if defined(__x86_64__)

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
	EXPECT_ALIKE(cost * LOOP_INSTRUCTIONS * (LONG - SHORT), many.guest - few.guest);
	EXPECT_EQ(few.all, few.host + few.guest);
	EXPECT_EQ(many.all, many.host + many.guest);
	few.guest -= cost * LOOP_INSTRUCTIONS * SHORT;
	EXPECT_LE(few.guest, cost * ENTRY_AND_EXIT + MORE_OR_LESS);
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
	EXPECT_ALIKE(few, many);
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

#else

TEST(guest)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
