// SPDX-License-Identifier: GPL-2.0
/*
 * What stands in the hardware when counters are set and wrap: the count modulo 2^width. With
 * full-width writes that are 48 bits; without, a programmable counter is written with 31, because
 * the 32nd would be copied into all above it. wrap_test.c looks at the counts alone.
 */
#include "intel.h"
#include "interrupts.h"
#include "kselftest_harness.h"

#include <stdio.h>

#if defined(__x86_64__)

#define ROUNDS 1000

static const __u64 starts[] = {
	0,
	(1ULL << 31) - 1000,
	(1ULL << 31) - 1,
	1ULL << 31,
	0xdeadbeefULL,
	(1ULL << 32) - 1000,
	0xffffffffULL,
	1ULL << 32,
	3ULL << 31,
	1ULL << 47,
	(1ULL << 47) + (1ULL << 31),
	(1ULL << 48) - 1000,
	(1ULL << 48) - 1,
	1ULL << 48,
	0xffffffff80000000ULL,
	-1000ULL,
};

FIXTURE(wrap)
{
	int fd;
	struct pmudev_page *page;
	struct reader reader;
	unsigned int width;
	__u32 operand;
	struct turns turns;
	int child; /* counts on the same counter */
};

FIXTURE_VARIANT(wrap)
{
	int counter; /* -1: the last programmable one */
};

/* clang-format off */
FIXTURE_VARIANT_ADD(wrap, first) {
	0
};

FIXTURE_VARIANT_ADD(wrap, last) {
	-1
};

FIXTURE_VARIANT_ADD(wrap, fixed) {
	FIXED_INSTRUCTIONS
};

/* clang-format on */

/* Somebody else on the counter: at each of its turns with another value in it. */
static void be_another(struct turns *turns, struct pmudev_event_attr *event)
{
	int fd, i;

	event->flags = USER_ONLY | PMUDEV_COUNTER;
	fd = pm_set(event, 1, true);
	for (i = 0; fd >= 0; i++) {
		turn_wait(turns, 1);
		pm_reset(fd, 0, starts[i % ARRAY_SIZE(starts)] ^ 0x5555555555555555ULL);
		loop(ROUNDS);
		turn_give(turns, 1);
	}
	_exit(1);
}

FIXTURE_SETUP(wrap)
{
	struct pmudev_event_attr event = raw_event(EVENT_INSTRUCTIONS, DIRECT_READ);
	struct pmudev_query query;
	struct intel_pmu pmu;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	intel_pmu(&pmu);
	event.flags |= PMUDEV_COUNTER;
	event.counter = variant->counter < 0 ? pmu.gp - 1 : (unsigned int)variant->counter;
	ASSERT_EQ(0, pm_query(&query));
	self->width = event.counter < PMUDEV_FIXED_BASE ? query.width : query.width_fixed;
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, turns_init(&self->turns));
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
	self->reader = reader_of(self->page);
	self->operand = READ_ONCE(self->page->slots[0].operand);
	EXPECT_EQ(operand_of(event.counter), self->operand);
	self->child = fork_bound();
	if (!self->child)
		be_another(&self->turns, &event);
}

FIXTURE_TEARDOWN(wrap)
{
	stop_child(self->child);
	if (self->page) {
		pm_unmap(self->page);
		close(self->fd);
	}
	set_user_access(false);
}

static __u64 modulo(const struct _test_data_wrap *self, __u64 value)
{
	return value & ((1ULL << self->width) - 1);
}

TEST_F(wrap, what_is_written)
{
	unsigned int i;
	__u64 raw, all;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		ASSERT_EQ(0, pm_reset(self->fd, 0, starts[i]));
		raw = counter(self->operand);
		EXPECT_EQ(0ULL, raw >> 48);
		/* What was set, and a few instructions more. */
		EXPECT_LT(modulo(self, raw - starts[i]), 5000ULL)
		TH_LOG("%#llx: the counter has %#llx", starts[i], raw);
		/* All of it, or its low bits; sign-extended there would be ones up to bit 47. */
		all = (starts[i] + ((raw - starts[i]) & 0x7fffffff)) & ((1ULL << 48) - 1);
		EXPECT_TRUE(raw == all || raw < (1ULL << 31) + 5000)
		TH_LOG("%#llx: the counter has %#llx", starts[i], raw);
	}
}

/* The same reset, loop and reads for each start. */
static __attribute__((noinline)) int run(struct _test_data_wrap *self, __u64 start, bool away,
					 __u64 *direct, __u64 *by_call)
{
	union record record;
	long got;
	int ret;

	memset(&record, 0, sizeof(record));
	self->reader.retries = 0;
	ret = pm_reset(self->fd, 0, start);
	loop(ROUNDS);
	if (away)
		turn_pass(&self->turns, 0);
	loop(ROUNDS);
	ret |= direct_read(&self->reader, 0, direct);
	got = raw_read(self->fd, &record);
	*direct -= start;
	*by_call = record.r.counts[0].value - start;
	return ret ? ret : got < 0 ? (int)got : self->reader.retries ? -EINTR : 0;
}

static int run_undisturbed(struct _test_data_wrap *self, __u64 start, bool away, __u64 *direct,
			   __u64 *by_call)
{
	int tries, ret = -EINTR;

	for (tries = 0; tries < 10 && ret == -EINTR; tries++)
		ret = run(self, start, away, direct, by_call);
	return ret;
}

static void every_start(struct __test_metadata *_metadata, struct _test_data_wrap *self, bool away)
{
	__u64 direct, by_call, c_direct = 0, c_call = 0, n = 2 * LOOP_INSTRUCTIONS * ROUNDS;
	unsigned int i;

	/* The first two for the pages, and for what lies around the loops. */
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, run_undisturbed(self, 0, away, &direct, &by_call));
		c_direct = direct - n;
		c_call = by_call - n;
	}
	EXPECT_LT(c_call, 1000ULL);
	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		ASSERT_EQ(0, run_undisturbed(self, starts[i], away, &direct, &by_call));
		EXPECT_EQ(n + c_direct, direct) TH_LOG("start %#llx", starts[i]);
		EXPECT_EQ(n + c_call, by_call) TH_LOG("start %#llx", starts[i]);
		/* The hardware has the count, modulo its width, still. */
		EXPECT_EQ(0ULL, counter(self->operand) >> 48);
	}
}

TEST_F(wrap, nothing_is_lost)
{
	every_start(_metadata, self, false);
}

/* In the midst the thread leaves its CPU to one that sets the same counter. */
TEST_F(wrap, nor_across_a_switch)
{
	every_start(_metadata, self, true);
}

/*
 * The edge itself: before it the counter is high, after it low (48 bits: it has wrapped) or one bit
 * longer (31: it goes on until it is written anew, which a switch does).
 */
TEST_F(wrap, over_the_edge)
{
	__u64 edge = 1ULL << self->width, value;

	ASSERT_EQ(0, pm_reset(self->fd, 0, edge - 10000));
	EXPECT_GE(counter(self->operand), edge - 10000);
	EXPECT_LT(counter(self->operand), edge);
	loop(10000);
	EXPECT_LT(counter(self->operand), (self->width == 48 ? 0 : edge) + 100000);
	ASSERT_EQ(0, direct_read(&self->reader, 0, &value));
	EXPECT_GE(value, edge + 10000);
	EXPECT_LT(value, edge + 100000);
	turn_pass(&self->turns, 0);
	EXPECT_LT(counter(self->operand), 100000ULL);
	ASSERT_EQ(0, direct_read(&self->reader, 0, &value));
	EXPECT_GE(value, edge + 10000);
	EXPECT_LT(value, edge + 100000);
}

/* Overflows interrupt nobody, and are acknowledged: none is left for whoever has the PMU next. */
TEST_F(wrap, without_an_interrupt)
{
	long nmis = interrupts_so_far("NMI:", -1), pmis = interrupts_so_far("PMI:", -1);
	__u64 direct, by_call;
	int i;

	if (nmis < 0)
		SKIP(return, "no NMIs in /proc/interrupts");
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, run_undisturbed(self, (1ULL << 48) - 1000, true, &direct, &by_call));
	EXPECT_EQ(nmis, interrupts_so_far("NMI:", -1));
	EXPECT_EQ(pmis, interrupts_so_far("PMI:", -1));
}

#else

TEST(intel)
{
	SKIP(return, "another architecture");
}

#endif

TEST_HARNESS_MAIN
