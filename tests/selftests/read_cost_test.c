// SPDX-License-Identifier: GPL-2.0
/* What a read costs in instructions, by the counter that is read. */
#include "common.h"
#include "cost.h"
#include "kselftest_harness.h"

#include <pmudev.h>
#include <stdlib.h>

#ifdef __aarch64__
#define DIRECT_CONSTANT 1
#define DIRECT_LEARNT	5
#else
#define DIRECT_CONSTANT 4
#define DIRECT_LEARNT	4
#endif

/* Values, by the number of events; and what both times add to that. */
#define ONE   16
#define FOUR  45
#define SIX   64
#define TIMES 12
/* And where arm64 has counters of 32 bits, for each event. */
#define NARROW 6

#define MOST 6

/*
 * A counter that every machine of the matrix has beside perf's: where what is read is known
 * before.
 */
#define KNOWN_COUNTER 1

FIXTURE(cost)
{
	struct pmudev set;
	struct pmudev_reader reader;
	struct pmudev_reader clock;
	unsigned int nr;
	bool narrow;
};

FIXTURE_SETUP(cost)
{
	struct pmudev_event_attr events[MOST];
	struct pmudev_query query;
	unsigned int i;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, set_gate(true));
	ASSERT_EQ(0, pm_query(&query));
	self->narrow = PMU_ARCH == PMUDEV_ARCH_ARM64 && query.width != 64;
	self->nr = __builtin_popcountll(query.available);
	if (self->nr > MOST)
		self->nr = MOST;
	for (i = 0; i < MOST; i++)
		events[i] = raw_event(i % 2 ? EVENT_CYCLES : EVENT_INSTRUCTIONS, DIRECT_READ);
	ASSERT_EQ(0, pmudev_open(&self->set));
	ASSERT_EQ(0, pmudev_bind_self(&self->set));
	ASSERT_EQ(0, pmudev_add(&self->set, events, self->nr, NULL));
	ASSERT_EQ(0, pmudev_enable(&self->set, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_map(&self->set));
	ASSERT_EQ(0, pmudev_reader_init(&self->reader, &self->set, NULL, self->nr));
	ASSERT_EQ(0, pmudev_reader_init(&self->clock, &self->set, NULL, 1));
}

FIXTURE_TEARDOWN(cost)
{
	pmudev_close(&self->set);
	set_gate(false);
}

static uint64_t now(void *clock)
{
	uint64_t value = 0;

	/* A failure makes no sense of the result. */
	if (pmudev_reader_count(clock, &value))
		abort();
	return value;
}

#define COST(name, read)                                                                       \
	static __attribute__((noinline)) long cost_of_##name(                                  \
		struct pmudev *set, struct pmudev_reader *clock, struct pmudev_reader *reader) \
	{                                                                                      \
		struct pmudev_direct direct = { .operand = set->page->slots[0].operand };      \
		struct pmudev_ticks t = { 0 };                                                 \
		uint64_t v[MOST] = { 0 };                                                      \
		long cost = COST_OF(now, clock, read);                                         \
                                                                                               \
		(void)reader;                                                                  \
		(void)t;                                                                       \
		(void)v;                                                                       \
		(void)direct;                                                                  \
		return cost;                                                                   \
	}

COST(nothing, asm volatile("nop");)
COST(one, {
	uint64_t w;
	if (!pmudev_reader_count(reader, &w))
		USE(w);
})
COST(one_kept, pmudev_reader_counts(reader, v, 1); USE_AT(v);)
COST(four, pmudev_reader_counts(reader, v, 4); USE_AT(v);)
COST(six, pmudev_reader_counts(reader, v, 6); USE_AT(v);)
COST(one_ticks, pmudev_reader_counts_ticks(reader, v, 1, &t); USE_AT(v); USE_AT(&t);)
COST(four_ticks, pmudev_reader_counts_ticks(reader, v, 4, &t); USE_AT(v); USE_AT(&t);)
COST(six_ticks, pmudev_reader_counts_ticks(reader, v, 6, &t); USE_AT(v); USE_AT(&t);)
COST(constant, USE(PMUDEV_DIRECT_READ(KNOWN_COUNTER));)
COST(learnt, USE(pmudev_direct_value(&direct));)
COST(page_one, {
	uint64_t w;
	if (!pmudev_read_count(set, 0, &w))
		USE(w);
})
COST(set_four, pmudev_read_counts(set, v, 4); USE_AT(v);)

#define cost_of(name) cost_of_##name(&self->set, &self->clock, &self->reader)

#define EXPECT_COST(most, name)                                \
	do {                                                   \
		long __cost = cost_of(name);                   \
		TH_LOG("%s: %ld instructions", #name, __cost); \
		EXPECT_LT(0, __cost);                          \
		EXPECT_LE(__cost, (long)(most));               \
	} while (0)

/* The measure itself: one instruction is one. */
TEST_F(cost, of_one_instruction)
{
	EXPECT_EQ(1, cost_of(nothing));
}

TEST_F(cost, of_values)
{
	if (self->narrow)
		SKIP(return, "the counters have 32 bits: see of_narrow_counters");
	EXPECT_COST(ONE, one);
	EXPECT_COST(ONE + 1, one_kept);
	ASSERT_GE(self->nr, 4U);
	EXPECT_COST(FOUR, four);
	if (self->nr >= 6)
		EXPECT_COST(SIX, six);
}

TEST_F(cost, of_times)
{
	long one, four, six;

	if (self->narrow)
		SKIP(return, "the counters have 32 bits: see of_narrow_counters");
	one = cost_of(one_kept);
	four = cost_of(four);
	EXPECT_COST(one + TIMES, one_ticks);
	EXPECT_COST(four + TIMES, four_ticks);
	if (self->nr >= 6) {
		six = cost_of(six);
		EXPECT_COST(six + TIMES, six_ticks);
	}
}

TEST_F(cost, of_narrow_counters)
{
	if (!self->narrow)
		SKIP(return, "these have 64 bits, or 48 and of_values");
	EXPECT_COST(ONE + NARROW, one);
	EXPECT_COST(FOUR + 4 * NARROW, four);
}

/* The instructions alone: whose they are does not matter to them. */
TEST_F(cost, of_direct_reads)
{
	EXPECT_COST(DIRECT_CONSTANT, constant);
	EXPECT_COST(DIRECT_LEARNT, learnt);
}

/* What keeps nothing between two reads. */
TEST_F(cost, of_reads_without_a_reader)
{
	EXPECT_COST(30, page_one);
	EXPECT_COST(130, set_four);
}

TEST_HARNESS_MAIN
