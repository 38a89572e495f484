// SPDX-License-Identifier: GPL-2.0
/*
 * What a read costs in instructions, by the counter that is read. Each form stands three times in a
 * row, then six times: the difference is three reads, with all that the compiler makes of them and nothing
 * else.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pmudev.h>

#ifdef __aarch64__
#define DIRECT_CONSTANT	1
#define DIRECT_LEARNT	5
#else
#define DIRECT_CONSTANT	4
#define DIRECT_LEARNT	4
#endif

/* Values, by the number of events; and what both times add to that. */
#define ONE	16
#define FOUR	45
#define SIX	64
#define TIMES	12
/* And where arm64 has counters of 32 bits, for each event. */
#define NARROW	6

#define MOST	6
#define TRIES	20

/* A counter that every machine of the matrix has beside perf's: where what is read is known before. */
#define KNOWN_COUNTER	1

#define THRICE(read) read read read

/* A value that is wanted in a register, and values that are wanted in memory. */
#define USE(value)  asm volatile("" : : "r"(value))
#define USE_AT(ptr) asm volatile("" : : "r"(ptr) : "memory")

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

struct marks {
	struct pmudev_reader *clock;
	uint64_t at[4];
	unsigned int nr;
	bool failed;
};

/* The same instructions each time, around it as well. */
static __attribute__((noinline)) void mark(struct marks *marks)
{
	if (pmudev_reader_count(marks->clock, &marks->at[marks->nr++]))
		marks->failed = true;
}

/* Thrice the instructions of a read, if the page stayed as it is for all of them; else 0. */
#define COST_OF(reader, page, read)                                                 \
	({                                                                          \
		struct marks __marks = { .clock = reader };                         \
		__u32 __seq;                                                        \
                                                                                    \
		THRICE(read)                                                           \
		mark(&__marks);                                                     \
		__seq = READ_ONCE((page)->seq);                                     \
		mark(&__marks);                                                     \
		THRICE(read)                                                           \
		mark(&__marks);                                                     \
		THRICE(read)                                                           \
		THRICE(read)                                                           \
		mark(&__marks);                                                     \
		if (READ_ONCE((page)->seq) != __seq)                                \
			__marks.failed = true;                                      \
		__marks.failed ? 0 :                                                \
				 (long)(__marks.at[3] - 2 * __marks.at[2] + __marks.at[1]); \
	})

#define COST(name, read)                                                                   \
	static __attribute__((noinline)) long cost_of_##name(struct pmudev *set,             \
							     struct pmudev_reader *clock,     \
							     struct pmudev_reader *reader)    \
	{                                                                                  \
		const struct pmudev_page *page = set->page;                                \
		struct pmudev_direct direct = { .operand = page->slots[0].operand };        \
		uint64_t v[MOST] = { 0 };                                                  \
		struct pmudev_ticks t = { 0 };                                             \
		long cost = 0;                                                             \
		int tries;                                                                 \
                                                                                           \
		for (tries = 0; tries < TRIES && !cost; tries++)                           \
			cost = COST_OF(clock, page, read);                                 \
		(void)reader;                                                              \
		(void)t;                                                                   \
		(void)v;                                                                   \
		(void)direct;                                                              \
		return cost;                                                               \
	}

COST(nothing, asm volatile("nop");)
COST(one, { uint64_t w; if (!pmudev_reader_count(reader, &w)) USE(w); })
COST(one_kept, pmudev_reader_counts(reader, v, 1); USE_AT(v);)
COST(four, pmudev_reader_counts(reader, v, 4); USE_AT(v);)
COST(six, pmudev_reader_counts(reader, v, 6); USE_AT(v);)
COST(one_ticks, pmudev_reader_counts_ticks(reader, v, 1, &t); USE_AT(v); USE_AT(&t);)
COST(four_ticks, pmudev_reader_counts_ticks(reader, v, 4, &t); USE_AT(v); USE_AT(&t);)
COST(six_ticks, pmudev_reader_counts_ticks(reader, v, 6, &t); USE_AT(v); USE_AT(&t);)
COST(constant, USE(PMUDEV_DIRECT_READ(KNOWN_COUNTER));)
COST(learnt, USE(pmudev_direct_value(&direct));)
COST(page_one, { uint64_t w; if (!pmudev_read_count(set, 0, &w)) USE(w); })
COST(set_four, pmudev_read_counts(set, v, 4); USE_AT(v);)

#define cost_of(name) cost_of_##name(&self->set, &self->clock, &self->reader)

#define EXPECT_COST(most, name)                                                      \
	do {                                                                         \
		long __cost = cost_of(name);                                         \
		TH_LOG("%s: %ld instructions", #name, __cost / 3); \
		EXPECT_LT(0, __cost);                                                \
		EXPECT_EQ(0, __cost % 3);                                            \
		EXPECT_LE(__cost, (most) * 3L);                                     \
	} while (0)

/* The measure itself: one instruction is one. */
TEST_F(cost, of_one_instruction)
{
	EXPECT_EQ(3, cost_of(nothing));
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
	EXPECT_COST(one / 3 + TIMES, one_ticks);
	EXPECT_COST(four / 3 + TIMES, four_ticks);
	if (self->nr >= 6) {
		six = cost_of(six);
		EXPECT_COST(six / 3 + TIMES, six_ticks);
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
