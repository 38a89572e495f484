// SPDX-License-Identifier: GPL-2.0
/*
 * DIRECT events at the edges of their counters: bare reads one after the other, each so many events
 * after the one before, modulo 2^width, while the counter goes round between two of them.
 */
#include "direct.h"
#include "kselftest_harness.h"

#define STEPS 2000
#define STEP_ROUNDS 3

FIXTURE(wrap)
{
	int fd;
	struct pmudev_page *page;
	struct pmudev_query query;
	unsigned int width;
	__u64 mask;
	struct turns turns;
	int child; /* counts on the same counter */
};

FIXTURE_VARIANT(wrap)
{
	bool fixed;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(wrap, programmable) {
	false
};

FIXTURE_VARIANT_ADD(wrap, fixed) {
	true
};

/* clang-format on */

static void be_another(struct turns *turns, bool fixed)
{
	struct pmudev_event_attr event = bare_event(fixed, USER_ONLY);
	__u64 value = -1000ULL;
	int fd = pm_set(&event, 1, true);

	for (; fd >= 0; value ^= 0x5555555555555555ULL) {
		turn_wait(turns, 1);
		pm_reset(fd, 0, value);
		loop(1000);
		turn_give(turns, 1);
	}
	_exit(1);
}

FIXTURE_SETUP(wrap)
{
	struct pmudev_event_attr event = bare_event(variant->fixed, DIRECT_FLAGS);

	self->fd = -1;
	if (!exact_instructions() || (bare_each(variant->fixed) != 1 && !exact_cycles()))
		SKIP(return, "counts are not exact here (PMUDEV_EXACT)");
	ASSERT_EQ(0, pm_query(&self->query));
	if (variant->fixed && !self->query.width_fixed)
		SKIP(return, NO_FIXED_COUNTER);
	if (!can_be_direct(&self->query, variant->fixed))
		SKIP(return, "programmable counters carry %u bits here", self->query.width);
	self->width = bare_width(&self->query, variant->fixed);
	self->mask = bare_mask(&self->query, variant->fixed);
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, turns_init(&self->turns));
	self->fd = pm_set(&event, 1, true);
	ASSERT_GE(self->fd, 0);
	self->page = pm_map(self->fd);
	ASSERT_NE(NULL, self->page);
	self->child = fork_bound();
	if (!self->child)
		be_another(&self->turns, variant->fixed);
}

FIXTURE_TEARDOWN(wrap)
{
	stop_child(self->child);
	if (self->page) {
		pm_unmap(self->page);
		turns_end(&self->turns);
	}
	close(self->fd);
	set_user_access(false);
}

struct steps {
	__u64 raw[STEPS];
};

static inline __attribute__((always_inline)) void walk(struct steps *steps, bool fixed)
{
	int i;

	for (i = 0; i < STEPS; i++) {
		steps->raw[i] = fixed ? counter(FIXED_OPERAND) : counter(BARE_COUNTER);
		loop(STEP_ROUNDS);
	}
}

/* Each with the one instruction, and no choice. */
static __attribute__((noinline)) void walk_programmable(struct steps *steps)
{
	walk(steps, false);
}

static __attribute__((noinline)) void walk_fixed(struct steps *steps)
{
	walk(steps, true);
}

/* Every step is as long as the first: returns how often the counter went round, or -1. */
static int rounds(const struct steps *steps, __u64 mask)
{
	__u64 step = (steps->raw[1] - steps->raw[0]) & mask;
	int i, wraps = 0;

	for (i = 1; i < STEPS; i++) {
		if (((steps->raw[i] - steps->raw[i - 1]) & mask) != step)
			return -1;
		wraps += steps->raw[i] < steps->raw[i - 1];
	}
	return step > 50ULL * 2 ? -1 : wraps;
}

static struct steps steps;

static void step_over(struct __test_metadata *_metadata, struct _test_data_wrap *self, bool fixed,
		      unsigned int edge, bool away)
{
	__u64 start = (edge < 64 ? 1ULL << edge : 0) - 4000;
	union record record;
	int i;

	memset(&steps, 0, sizeof(steps));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, pm_reset(self->fd, 0, start - 100 * i));
		/* What stands in the counter has to survive being elsewhere, too. */
		if (away)
			turn_pass(&self->turns, 0);
		if (fixed)
			walk_fixed(&steps);
		else
			walk_programmable(&steps);
		ASSERT_EQ(edge >= self->width, rounds(&steps, self->mask))
		TH_LOG("edge %u, try %d", edge, i);
		ASSERT_EQ(0, pm_read(self->fd, &record));
		/* Nothing of it was lost, and the count does not go round with its counter. */
		ASSERT_LT(record.r.counts[0].value - start, 100000ULL);
		ASSERT_GT(record.r.counts[0].value - start, 4000ULL);
	}
}

TEST_F(wrap, in_the_midst_of_reads)
{
	static const unsigned int edges[] = { 31, 32, 33, 47, 48, 63, 64 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(edges); i++)
		/* Beyond its width nothing ends there for it: it goes round at each multiple. */
		step_over(_metadata, self, variant->fixed, edges[i], false);
}

TEST_F(wrap, after_a_switch)
{
	static const unsigned int edges[] = { 32, 48, 64 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(edges); i++)
		step_over(_metadata, self, variant->fixed, edges[i], true);
}

/* The switch itself takes place at every distance from the edge, on either side. */
TEST_F(wrap, while_away)
{
	__u64 before, passed, first = 0, edge = self->width < 64 ? 1ULL << self->width : 0;
	int i;

	for (i = 0; i < 400; i++) {
		ASSERT_EQ(0, pm_reset(self->fd, 0, edge - 400 + i));
		before = bare(variant->fixed);
		turn_pass(&self->turns, 0);
		passed = (bare(variant->fixed) - before) & self->mask;
		if (i == 1)
			first = passed;
		if (i)
			ASSERT_EQ(first, passed) TH_LOG("%d before the edge", 400 - i);
	}
	EXPECT_LT(first, 200ULL * bare_each(variant->fixed));
}

TEST_HARNESS_MAIN
