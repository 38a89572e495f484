// SPDX-License-Identifier: GPL-2.0
/*
 * DIRECT events: the bare instruction shows what read(2) does, modulo 2^width, to the unit: over
 * switches, migrations, disabling and resets. What lies between the two is the same each time.
 */
#include "direct.h"
#include "kselftest_harness.h"

#include <sys/syscall.h>

#define ROUNDS 1000

FIXTURE(direct)
{
	int fd;
	struct pmudev_page *page;
	struct pmudev_query query;
	__u64 mask;
	__u64 between; /* events from the bare read to read(2)'s */
};

FIXTURE_VARIANT(direct)
{
	bool fixed;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(direct, programmable) {
	false
};

FIXTURE_VARIANT_ADD(direct, fixed) {
	true
};

/* clang-format on */

/* Both, in a fixed number of instructions. */
static __attribute__((noinline)) int both(int fd, bool fixed, __u64 *raw, __u64 *value)
{
	union record record;
	long got;

	memset(&record, 0, sizeof(record));
	*raw = bare(fixed);
	got = raw_read(fd, &record);
	*value = record.r.counts[0].value;
	return got < 0 ? got : 0;
}

FIXTURE_SETUP(direct)
{
	struct pmudev_event_attr event = bare_event(variant->fixed, DIRECT_FLAGS);
	__u64 raw, value;
	int i;

	self->fd = -1;
	if (!exact_instructions() || (bare_each(variant->fixed) != 1 && !exact_cycles()))
		SKIP(return, "counts are not exact here (PMUDEV_EXACT)");
	ASSERT_EQ(0, pm_query(&self->query));
	if (variant->fixed && !self->query.width_fixed)
		SKIP(return, NO_FIXED_COUNTER);
	if (!can_be_direct(&self->query, variant->fixed))
		SKIP(return, "programmable counters carry %u bits here", self->query.width);
	EXPECT_TRUE(self->query.features & PMUDEV_HAS_DIRECT);
	self->mask = bare_mask(&self->query, variant->fixed);
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, set_user_access(true));
	/* It may be enabled before it is mapped. */
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	loop(ROUNDS);
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
	/* The first brings in the pages. */
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, both(self->fd, variant->fixed, &raw, &value));
		self->between = (value - raw) & self->mask;
	}
	EXPECT_GT(self->between, 0ULL);
	EXPECT_LT(self->between, 40ULL * bare_each(variant->fixed));
	EXPECT_GT(value, ROUNDS * LOOP_INSTRUCTIONS * bare_each(variant->fixed));
}

FIXTURE_TEARDOWN(direct)
{
	if (self->page)
		pm_unmap(self->page);
	close(self->fd);
	set_user_access(false);
}

#define ASSERT_SAME()                                                           \
	do {                                                                    \
		__u64 __raw, __value;                                           \
		ASSERT_EQ(0, both(self->fd, variant->fixed, &__raw, &__value)); \
		ASSERT_EQ(0ULL, __raw & ~self->mask);                           \
		ASSERT_EQ(self->between, (__value - __raw) & self->mask)        \
		TH_LOG("bare %#llx, read(2) %#llx", __raw, __value);            \
	} while (0)

TEST_F(direct, what_the_page_says)
{
	const struct pmudev_slot *slot = &self->page->slots[0];

	EXPECT_EQ(variant->fixed ? FIXED_COUNTER + 1 : BARE_COUNTER + 1, slot->index);
	EXPECT_EQ((__u32)(variant->fixed ? FIXED_OPERAND : BARE_COUNTER), slot->operand);
	EXPECT_EQ(64 - bare_width(&self->query, variant->fixed), slot->shift);
	EXPECT_EQ(PMUDEV_SLOT_USED | PMUDEV_SLOT_DIRECT, slot->flags);
}

TEST_F(direct, equals_a_read)
{
	__u64 before, after, cost = 0;
	int i;

	for (i = 0; i < 100; i++) {
		ASSERT_SAME();
		loop(1 + i * i);
	}
	for (i = 0; i < 100; i++) {
		before = bare(variant->fixed);
		loop(ROUNDS);
		after = bare(variant->fixed);
		cost = after - before - ROUNDS * LOOP_INSTRUCTIONS * bare_each(variant->fixed);
		/* On x86 it is asked first whose CPU it is. */
		ASSERT_LT(cost, 16ULL * bare_each(variant->fixed));
	}
}

/* ------------------------------------------------------------- others on the counter -- */

/* A task of its own on the same counter, with another value in it at each of its turns. */
static void be_another(struct turns *turns, bool fixed)
{
	struct pmudev_event_attr event = bare_event(fixed, USER_ONLY);
	__u64 value = 0x5555555555555555ULL;
	int fd = pm_set(&event, 1, true);

	for (; fd >= 0; value = value * 0x9e3779b97f4a7c15ULL + 1) {
		turn_wait(turns, 1);
		pm_reset(fd, 0, value);
		loop(ROUNDS);
		turn_give(turns, 1);
	}
	_exit(1);
}

static __attribute__((noinline)) __u64 bare_pass(struct turns *turns, bool fixed)
{
	__u64 before = bare(fixed);

	turn_pass(turns, 0);
	return bare(fixed) - before;
}

TEST_F(direct, across_switches)
{
	__u64 passed, first = 0;
	struct turns turns;
	int i, child;

	ASSERT_EQ(0, turns_init(&turns));
	child = fork_bound();
	if (!child)
		be_another(&turns, variant->fixed);
	for (i = 0; i < 500; i++) {
		passed = bare_pass(&turns, variant->fixed) & self->mask;
		/* The first brings in its pages. */
		if (i == 1)
			first = passed;
		if (i)
			ASSERT_EQ(first, passed) TH_LOG("pass %d", i);
		ASSERT_SAME();
	}
	EXPECT_LT(first, 200ULL * bare_each(variant->fixed));
	stop_child(child);
	turns_end(&turns);
}

/* ---------------------------------------------------------------------- migrating -- */

static __attribute__((noinline)) __u64 bare_hop(const cpu_set_t *cpus, bool fixed, long *ret)
{
	__u64 before = bare(fixed);

	*ret = raw_call(SYS_sched_setaffinity, 0, sizeof(*cpus), (long)cpus);
	return bare(fixed) - before;
}

TEST_F(direct, across_migrations)
{
	int cpus = cpus_online(), i;
	__u64 passed, first = 0;
	cpu_set_t set[64];
	long ret;

	if (cpus < 2)
		SKIP(return, "one CPU");
	cpus = cpus < 64 ? cpus : 64;
	for (i = 0; i < cpus; i++) {
		CPU_ZERO(&set[i]);
		CPU_SET(i, &set[i]);
	}
	for (i = 0; i < 500; i++) {
		passed = bare_hop(&set[(i + 1) % cpus], variant->fixed, &ret) & self->mask;
		ASSERT_EQ(0, ret);
		ASSERT_EQ((i + 1) % cpus, sched_getcpu());
		if (i == 1)
			first = passed;
		if (i)
			ASSERT_EQ(first, passed) TH_LOG("hop %d", i);
		ASSERT_SAME();
	}
	EXPECT_LT(first, 40ULL * bare_each(variant->fixed));
}

/* ------------------------------------------------------------- disabled and reset -- */

TEST_F(direct, across_disabling)
{
	__u64 before, off, value;
	int i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pm_reset(self->fd, 0, 0x123456789aULL << i));
		before = bare(variant->fixed);
		ASSERT_EQ(0, pm_disable(self->fd, 0));
		EXPECT_EQ(0, READ_ONCE(self->page->slots[0].index));
		EXPECT_EQ(0ULL, bare(variant->fixed));
		value = pm_value(self->fd, 0);
		loop(ROUNDS);
		ASSERT_EQ(value, pm_value(self->fd, 0));
		ASSERT_EQ(0, pm_enable(self->fd, 0));
		off = (bare(variant->fixed) - before) & self->mask;
		/* What was counted of disabling and enabling. */
		EXPECT_LT(off, 500ULL * bare_each(variant->fixed));
		EXPECT_LT((bare(variant->fixed) - value) & self->mask,
			  500ULL * bare_each(variant->fixed));
		ASSERT_SAME();
	}
}

TEST_F(direct, across_resets)
{
	static const __u64 values[] = {
		0,
		1,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		1ULL << 32,
		0x123456789abcdef0ULL,
		(1ULL << 47) - 100,
		1ULL << 47,
		(1ULL << 48) - 100,
		(1ULL << 48) - 1,
		1ULL << 63,
		-100ULL,
		-1ULL,
	};
	__u64 raw;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		ASSERT_EQ(0, pm_reset(self->fd, 0, values[i]));
		raw = bare(variant->fixed);
		EXPECT_LT((raw - values[i]) & self->mask, 500ULL * bare_each(variant->fixed));
		ASSERT_SAME();
		loop(ROUNDS);
		ASSERT_SAME();
	}
}

TEST_HARNESS_MAIN
