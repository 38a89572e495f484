// SPDX-License-Identifier: GPL-2.0
/* What a read costs in instructions, by the counter that is read. */
#include "common.h"
#include "cost.h"
#include "kselftest_harness.h"

#include <pmudev.h>
#include <stdlib.h>

#define MOST 6

/* A counter that every machine of the matrix has beside perf's. */
#define KNOWN_COUNTER 1

enum kind {
	ARM64_WIDE,
	ARM64_NARROW, /* 32 bits */
	X86,
	NR_KINDS
};

enum form {
	ONE,
	ONE_KEPT,
	FOUR,
	SIX,
	ONE_TICKS,
	FOUR_TICKS,
	SIX_TICKS,
	CONSTANT,
	LEARNT,
	PAGE_ONE,
	SET_TWO,
	SET_FOUR,
	SET_SIX,
	SET_ONE_NS,
	SET_TWO_NS,
	SET_FOUR_NS,
	SET_SIX_NS,
	NR_FORMS
};

/* What both times may add, and a counter of 32 bits. */
#define TIMES  12
#define NARROW 6

/*
 * Instructions: today's figure, which is to be changed with docs/reads.md when the code or the
 * compiler changes, and the bar, above which it never may be.
 */
static const struct cost {
	long figure;
	long bar;
} costs[NR_FORMS][NR_KINDS] = {
	/* arm64, 64 bits; 32 bits; x86 */
	[ONE] = { { 16, 16 }, { 21, 16 + NARROW }, { 16, 16 } },
	[ONE_KEPT] = { { 17, 17 }, { 22, 17 + NARROW }, { 17, 17 } },
	[FOUR] = { { 36, 45 }, { 55, 45 + 4 * NARROW }, { 44, 45 } },
	[SIX] = { { 54, 64 }, { 84, 64 + 6 * NARROW }, { 62, 64 } },
	[ONE_TICKS] = { { 22, 17 + TIMES }, { 27, 17 + TIMES + NARROW }, { 26, 17 + TIMES } },
	[FOUR_TICKS] = { { 42, 45 + TIMES }, { 62, 45 + TIMES + 4 * NARROW }, { 53, 45 + TIMES } },
	[SIX_TICKS] = { { 59, 64 + TIMES }, { 88, 64 + TIMES + 6 * NARROW }, { 71, 64 + TIMES } },
	[CONSTANT] = { { 1, 1 }, { 1, 1 }, { 3, 4 } },
	[LEARNT] = { { 5, 5 }, { 5, 5 }, { 3, 4 } },
	/* 0.75 of the loop that perf's header describes; with times in ns 0.45 of libperf. */
	[PAGE_ONE] = { { 23, 24 }, { 23, 24 }, { 24, 27 } },
	[SET_TWO] = { { 39, 46 }, { 39, 46 }, { 38, 52 } },
	[SET_FOUR] = { { 69, 93 }, { 69, 93 }, { 64, 105 } },
	[SET_SIX] = { { 99, 139 }, { 99, 139 }, { 90, 157 } },
	[SET_ONE_NS] = { { 54, 64 }, { 54, 64 }, { 62, 69 } },
	[SET_TWO_NS] = { { 69, 128 }, { 69, 128 }, { 75, 138 } },
	[SET_FOUR_NS] = { { 99, 257 }, { 99, 257 }, { 101, 277 } },
	[SET_SIX_NS] = { { 129, 386 }, { 129, 386 }, { 127, 415 } },
};

/* Another compiler has other figures, under the same bars. */
#if defined(__clang__) || __GNUC__ != 12 || !defined(__OPTIMIZE__)
#define HAS_FIGURES false
#else
#define HAS_FIGURES true
#endif

FIXTURE(cost)
{
	struct pmudev set;
	struct pmudev_reader reader;
	struct pmudev_reader clock;
	struct pmudev_direct direct;
	struct pmudev_query query;
	unsigned int nr;
	enum kind kind;
};

/* As many of the events as fit beside each other, four at least: not all counters take them. */
static int start(struct _test_data_cost *self, const struct pmudev_event_attr *events)
{
	struct pmudev *set = &self->set;
	int ret;

	ret = pmudev_open(set) ?: pmudev_bind_self(set) ?: pmudev_add(set, events, self->nr, NULL);
	while (ret == -ENOSPC && --self->nr >= 4)
		ret = pmudev_add(set, events, self->nr, NULL);
	ret = ret ?: pmudev_enable(set, PMUDEV_ALL) ?: pmudev_map(set);
	ret = ret ?: pmudev_reader_init(&self->reader, set, NULL, self->nr);
	return ret ?: pmudev_reader_init(&self->clock, set, NULL, 1);
}

FIXTURE_SETUP(cost)
{
	struct pmudev_event_attr events[MOST];
	unsigned int i;

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	ASSERT_EQ(0, set_user_access(true));
	ASSERT_EQ(0, pm_query(&self->query));
	self->kind = PMU_ARCH != PMUDEV_ARCH_ARM64 ? X86 :
		     self->query.width == 64	   ? ARM64_WIDE :
						     ARM64_NARROW;
	self->nr = __builtin_popcountll(self->query.available);
	if (self->nr > MOST)
		self->nr = MOST;
	ASSERT_GE(self->nr, 4U);
	for (i = 0; i < MOST; i++)
		events[i] = raw_event(i % 2 ? EVENT_CYCLES : EVENT_INSTRUCTIONS, DIRECT_READ);
	ASSERT_EQ(0, start(self, events));
}

FIXTURE_TEARDOWN(cost)
{
	pmudev_close(&self->set);
	set_user_access(false);
}

static uint64_t now(void *clock)
{
	uint64_t value = 0;

	/* A failure makes no sense of the result. */
	if (pmudev_reader_count(clock, &value))
		abort();
	return value;
}

/* The value in a register. */
static inline __attribute__((always_inline)) void use_one(struct pmudev_reader *reader)
{
	uint64_t value;

	if (!pmudev_reader_count(reader, &value))
		use(value);
}

static inline __attribute__((always_inline)) void use_slot(struct pmudev *set)
{
	uint64_t value;

	if (!pmudev_read_count(set, 0, &value))
		use(value);
}

#define COST(form, read)                                                                       \
	static __attribute__((noinline)) long cost_of_##form(                                  \
		struct pmudev *set, struct pmudev_reader *clock, struct pmudev_reader *reader, \
		struct pmudev_direct direct)                                                   \
	{                                                                                      \
		struct pmudev_ticks t = { 0 };                                                 \
		struct pmudev_times ns = { 0 };                                                \
		uint64_t v[MOST] = { 0 };                                                      \
		long cost = COST_OF(now, clock, read);                                         \
											       \
		(void)set;                                                                     \
		(void)reader;                                                                  \
		(void)direct;                                                                  \
		(void)t;                                                                       \
		(void)ns;                                                                      \
		(void)v;                                                                       \
		return cost;                                                                   \
	}

/* clang-format off */
COST(NOTHING, asm volatile("nop"))
COST(ONE, use_one(reader))
COST(ONE_KEPT, pmudev_reader_counts(reader, v, 1); use_at(v))
COST(FOUR, pmudev_reader_counts(reader, v, 4); use_at(v))
COST(SIX, pmudev_reader_counts(reader, v, 6); use_at(v))
COST(ONE_TICKS, pmudev_reader_counts_ticks(reader, v, 1, &t); use_at(v); use_at(&t))
COST(FOUR_TICKS, pmudev_reader_counts_ticks(reader, v, 4, &t); use_at(v); use_at(&t))
COST(SIX_TICKS, pmudev_reader_counts_ticks(reader, v, 6, &t); use_at(v); use_at(&t))
COST(CONSTANT, use(PMUDEV_DIRECT_READ(KNOWN_COUNTER)))
COST(LEARNT, use(pmudev_direct_value(&direct)))
COST(PAGE_ONE, use_slot(set))
COST(SET_TWO, pmudev_read_counts(set, v, 2); use_at(v))
COST(SET_FOUR, pmudev_read_counts(set, v, 4); use_at(v))
COST(SET_SIX, pmudev_read_counts(set, v, 6); use_at(v))
COST(SET_ONE_NS, pmudev_read_counts_times(set, v, 1, &ns); use_at(v); use_at(&ns))
COST(SET_TWO_NS, pmudev_read_counts_times(set, v, 2, &ns); use_at(v); use_at(&ns))
COST(SET_FOUR_NS, pmudev_read_counts_times(set, v, 4, &ns); use_at(v); use_at(&ns))
COST(SET_SIX_NS, pmudev_read_counts_times(set, v, 6, &ns); use_at(v); use_at(&ns))
/* clang-format on */

#define cost_of(form) cost_of_##form(&self->set, &self->clock, &self->reader, self->direct)

#define EXPECT_COST(form)                                                                   \
	do {                                                                                \
		const struct cost *__wanted = &costs[form][self->kind];                     \
		long __cost = cost_of(form);                                                \
		TH_LOG("%s: %ld instructions, at most %ld", #form, __cost, __wanted->bar);  \
		EXPECT_LT(0, __cost);                                                       \
		EXPECT_LE(__cost, __wanted->bar);                                           \
		if (HAS_FIGURES)                                                            \
			EXPECT_EQ(__wanted->figure, __cost);                                \
	} while (0)

/* The measure itself: one instruction is one. */
TEST_F(cost, of_one_instruction)
{
	EXPECT_EQ(1, cost_of(NOTHING));
}

TEST_F(cost, of_values)
{
	EXPECT_COST(ONE);
	EXPECT_COST(ONE_KEPT);
	EXPECT_COST(FOUR);
	if (self->nr >= 6)
		EXPECT_COST(SIX);
}

TEST_F(cost, of_times)
{
	EXPECT_COST(ONE_TICKS);
	EXPECT_LE(cost_of(ONE_TICKS), cost_of(ONE_KEPT) + TIMES);
	EXPECT_COST(FOUR_TICKS);
	EXPECT_LE(cost_of(FOUR_TICKS), cost_of(FOUR) + TIMES);
	if (self->nr >= 6) {
		EXPECT_COST(SIX_TICKS);
		EXPECT_LE(cost_of(SIX_TICKS), cost_of(SIX) + TIMES);
	}
}

/* Where no such event can be DIRECT, the same instructions read another one. */
TEST_F(cost, of_direct_reads)
{
	struct pmudev_event_attr events[] = {
		raw_event(EVENT_INSTRUCTIONS, DIRECT_READ),
		event_on(KNOWN_COUNTER, DIRECT_READ | PMUDEV_DIRECT),
	};
	uint64_t from, to;
	int ret;

	pmudev_close(&self->set);
	self->nr = 2;
	ret = start(self, events);
	if (self->query.width > 32) {
		ASSERT_EQ(0, ret);
		ASSERT_TRUE(pmudev_direct_begin(&self->set, 1, &self->direct));
	} else {
		ASSERT_EQ(-EOPNOTSUPP, ret);
		TH_LOG("not DIRECT: the counters have %u bits", self->query.width);
		pmudev_close(&self->set);
		events[1].flags &= ~PMUDEV_DIRECT;
		ASSERT_EQ(0, start(self, events));
		self->direct.operand = self->set.page->slots[1].operand;
	}
	EXPECT_EQ(operand_of(KNOWN_COUNTER), self->direct.operand);
	from = PMUDEV_DIRECT_READ(KNOWN_COUNTER);
	EXPECT_COST(CONSTANT);
	EXPECT_COST(LEARNT);
	to = pmudev_direct_value(&self->direct);
	if (self->query.width > 32) {
		EXPECT_TRUE(pmudev_direct_holds(&self->direct));
		EXPECT_LT(0ULL, pmudev_direct_since(&self->direct, from, to));
	}
}

/* What keeps nothing between two reads. */
TEST_F(cost, of_reads_without_a_reader)
{
	EXPECT_COST(PAGE_ONE);
	EXPECT_COST(SET_TWO);
	EXPECT_COST(SET_FOUR);
	if (self->nr >= 6)
		EXPECT_COST(SET_SIX);
	EXPECT_COST(SET_ONE_NS);
	EXPECT_COST(SET_TWO_NS);
	EXPECT_COST(SET_FOUR_NS);
	if (self->nr >= 6)
		EXPECT_COST(SET_SIX_NS);
}

TEST_HARNESS_MAIN
