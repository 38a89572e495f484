// SPDX-License-Identifier: GPL-2.0
/* Counts brought forward, how often they must be, and ticks to ns: against 128-bit arithmetic. */
#include <pmudev/count.h>

#include "unit.h"

#define STEPS 200000

static const unsigned int widths[] = { 1, 2, 31, 32, 40, 48, 63, 64 };

static void masks(void)
{
	unsigned int width;

	for (width = 1; width <= 64; width++) {
		unit_row("width %u", width);
		EXPECT_EQ(((__uint128_t)1 << width) - 1, pmudev_width_mask(width));
	}
}

/* --------------------------------------------------------------- counts -- */

static void nothing_happened(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		for (j = 0; j < 1000; j++) {
			u64 count = unit_random_length();

			unit_row("width %u, count %#llx", widths[i], (unsigned long long)count);
			EXPECT_EQ(count,
				  pmudev_advance(count, unit_shown(count, widths[i]), widths[i]));
		}
	}
}

/* From just before to just after every kind of wrap, by every distance up to 2^width - 1. */
static void around_wraps(void)
{
	static const s32 near[] = { -1000, -2, -1, 0, 1, 2, 1000 };
	unsigned int i, j, k, turn;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		unsigned int width = widths[i];
		__uint128_t range = (__uint128_t)1 << width;

		for (turn = 0; turn < 4 * ARRAY_SIZE(near); turn++) {
			__uint128_t from = range * (turn / ARRAY_SIZE(near) + 1) +
					   near[turn % ARRAY_SIZE(near)];

			for (j = 0; j < 3; j++) {
				for (k = 0; k < ARRAY_SIZE(near); k++) {
					/* around nothing, half a range, a whole one */
					__uint128_t by = range / 2 * j + near[k];

					if (by >= range)
						continue;
					unit_row("width %u, turn %u, %#llx more", width, turn,
						 (unsigned long long)by);
					EXPECT_EQ((u64)(from + by),
						  pmudev_advance(from, unit_shown(from + by, width),
								 width));
				}
			}
		}
	}
}

/* A counter that runs through many wraps and is looked at now and then. */
static void random_walks(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		unsigned int width = widths[i];
		__uint128_t truth = unit_random_length();
		unsigned int wraps = 0;
		u64 count = truth;

		unit_row("width %u", width);
		for (j = 0; j < STEPS; j++) {
			u64 by = unit_random_length() & pmudev_width_mask(width);

			wraps += (truth + by) >> width != truth >> width;
			truth += by;
			count = pmudev_advance(count, unit_shown(truth, width), width);
			if (count != (u64)truth) {
				FAIL("step %u by %#llx: %#llx", j, (unsigned long long)by,
				     (unsigned long long)count);
				break;
			}
		}
		/* Nearly one step in 64 is as long as the range. */
		EXPECT_TRUE(wraps > STEPS / 200);
	}
}

/* What a counter shows above its width means nothing. */
static void high_bits_do_not_matter(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		for (j = 0; j < 1000; j++) {
			u64 junk = unit_random() & ~pmudev_width_mask(widths[i]);
			u64 count = unit_random();
			u64 by = unit_random() & pmudev_width_mask(widths[i]);

			unit_row("width %u, count %#llx", widths[i], (unsigned long long)count);
			EXPECT_EQ(count + by,
				  pmudev_advance(count, unit_shown(count + by, widths[i]) | junk,
						 widths[i]));
		}
	}
}

/* --------------------------------------------------------------- folding -- */

static void folding_is_soon_enough(void)
{
	const __uint128_t second = 1000000000;
	unsigned int width;
	u64 before = 0;

	for (width = 31; width < 64; width++) {
		__uint128_t quarter = (__uint128_t)1 << (width - 2);
		u64 ns = pmudev_fold_ns(width);

		unit_row("width %u, %llu ns", width, (unsigned long long)ns);
		EXPECT_TRUE(ns > 0);
		EXPECT_TRUE(ns <= 60 * second);
		/* At 2^36 a second. */
		EXPECT_TRUE(((__uint128_t)ns << 36) <= quarter * second);
		/* Not needlessly often: twice as long would be too long. */
		EXPECT_TRUE(ns == 60 * second || ((__uint128_t)ns << 37) >= quarter * second);
		EXPECT_TRUE(ns >= before);
		before = ns;
	}
	unit_row("width 32");
	EXPECT_EQ(15625000, pmudev_fold_ns(32));
	unit_row("width 48");
	EXPECT_EQ(60 * second, pmudev_fold_ns(48));
}

static void sixty_four_bits_are_never_folded(void)
{
	EXPECT_EQ(0, pmudev_fold_ns(64));
}

/* ----------------------------------------------------------------- times -- */

static void expect_ns(u64 ticks, u32 mult, u32 shift)
{
	u64 wanted = (__uint128_t)ticks * mult >> shift;
	u64 got = pmudev_ticks_to_ns(ticks, mult, shift);

	if (got != wanted)
		FAIL("%#llx * %#x >> %u is %#llx, wanted %#llx", (unsigned long long)ticks, mult,
		     shift, (unsigned long long)got, (unsigned long long)wanted);
}

/* Around all powers of two, and at both ends. */
static void extreme_ticks(void)
{
	unsigned int i, j, shift;
	int t, m;

	for (i = 0; i < 64; i++)
		for (t = -1; t <= 1; t++)
			for (j = 0; j < 32; j++)
				for (m = -1; m <= 1; m++)
					for (shift = 0; shift < 64; shift++)
						expect_ns(BIT_ULL(i) + t, (1U << j) + m, shift);
	for (shift = 0; shift < 64; shift++) {
		expect_ns(~0ULL, ~0U, shift);
		expect_ns(~0ULL, 1, shift);
		expect_ns(1, ~0U, shift);
	}
}

static void random_ticks(void)
{
	unsigned int i, shift;

	for (shift = 0; shift < 64; shift++)
		for (i = 0; i < 20000; i++)
			expect_ns(unit_random_length(), unit_random_length(), shift);
}

/* Clocks there are, at the mult and shift that have the most bits, up to a hundred years. */
static void a_clock_of_a_hundred_years(void)
{
	static const u64 hz[] = { 1000000, 19200000, 24000000, 62500000, 1000000000, 3200000000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hz); i++) {
		const u64 seconds = 100ULL * 365 * 24 * 3600;
		u64 exact = seconds * 1000000000;
		u32 shift = 31;
		u64 mult, ns;

		while (shift && (1000000000ULL << shift) / hz[i] > 0xffffffff)
			shift--;
		mult = (1000000000ULL << shift) / hz[i];
		ns = pmudev_ticks_to_ns(seconds * hz[i], mult, shift);
		unit_row("%llu Hz", (unsigned long long)hz[i]);
		EXPECT_TRUE(ns <= exact);
		/* mult has been rounded: by less than one part in itself. */
		EXPECT_TRUE(exact - ns <= exact / mult + 1);
	}
}

/* ---------------------------------------------------- chained counters -- */

/*
 * The four reads of chained counters, with some events before each: the low one may wrap once. The
 * result is a value that the counters had at some moment between the first read and the last.
 */
static void expect_pair_raw(u64 count, const u64 *before)
{
	u64 at[4], got;
	unsigned int i;

	for (i = 0; i < 4; i++)
		at[i] = count += before[i];
	got = pmudev_chained_raw(at[0] >> 32, at[1], at[2] >> 32, at[3]);
	if (got < at[0] || got > at[3])
		FAIL("%#llx, %#llx, %#llx, %#llx: %#llx", (unsigned long long)at[0],
		     (unsigned long long)at[1], (unsigned long long)at[2],
		     (unsigned long long)at[3], (unsigned long long)got);
}

static void chained_counters_while_counting(void)
{
	u64 before[4], edge;
	unsigned int i, j;

	/* Every way in which one of five events is the one that carries. */
	for (edge = 1; edge < 5; edge++) {
		unit_row("edge %llu", (unsigned long long)edge << 32);
		for (i = 0; i < 5 * 5 * 5 * 5; i++) {
			unsigned int rest = i;

			for (j = 0; j < 4; j++, rest /= 5)
				before[j] = rest % 5;
			for (j = 0; j < 20; j++)
				expect_pair_raw((edge << 32) - j, before);
		}
	}
	unit_row("random");
	for (i = 0; i < STEPS; i++) {
		for (j = 0; j < 4; j++)
			before[j] = unit_below(1 << 29);
		expect_pair_raw(unit_random() >> 1, before);
	}
}

static void stopped_chained_counters(void)
{
	unsigned int i;

	for (i = 0; i < STEPS; i++) {
		u64 count = unit_random_length();

		EXPECT_EQ(count, pmudev_chained_raw(count >> 32, count, count >> 32, count));
	}
}

int main(void)
{
	unit_seed(0xde17a);
	RUN(masks);
	RUN(nothing_happened);
	RUN(around_wraps);
	RUN(random_walks);
	RUN(high_bits_do_not_matter);
	RUN(folding_is_soon_enough);
	RUN(sixty_four_bits_are_never_folded);
	RUN(extreme_ticks);
	RUN(random_ticks);
	RUN(a_clock_of_a_hundred_years);
	RUN(chained_counters_while_counting);
	RUN(stopped_chained_counters);
	return unit_end();
}
