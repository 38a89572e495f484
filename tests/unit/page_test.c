// SPDX-License-Identifier: GPL-2.0
/*
 * Slots of the user page: what the kernel writes there, and that the reader's arithmetic makes the
 * true count of it. Where the fields are is layout_test's.
 */
#include <pmudev/count.h>

#include "slot.h"
#include "unit.h"

#define READS 100000

static const unsigned int widths[] = { 32, 40, 48, 63, 64 };

/* ---------------------------------------------------------------- images -- */

/* A slot that held something else before: every byte is written. */
static struct pmudev_slot old_slot(void)
{
	struct pmudev_slot slot;

	memset(&slot, 0xa5, sizeof(slot));
	return slot;
}

static void images_of_slots_on_a_counter(void)
{
	unsigned int i, counter, group;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		for (counter = 0; counter < 64; counter++) {
			for (group = 0; group < 64; group += 21) {
				struct pmudev_slot slot = old_slot();
				u64 count = unit_random();
				u32 operand = unit_random();

				unit_row("width %u, counter %u, group %u", widths[i], counter,
					 group);
				pmudev_page_slot(&slot, count, counter, operand, widths[i], group);
				EXPECT_EQ(count, slot.count);
				EXPECT_EQ(operand, slot.operand);
				EXPECT_EQ(counter + 1, slot.index);
				EXPECT_EQ(64 - widths[i], slot.shift);
				EXPECT_EQ(group, slot.group);
				EXPECT_EQ(PMUDEV_SLOT_USED, slot.flags);
			}
		}
	}
}

static void images_of_slots_off(void)
{
	unsigned int group;

	for (group = 0; group < 64; group++) {
		struct pmudev_slot slot = old_slot();
		u64 count = unit_random();

		unit_row("group %u", group);
		pmudev_page_slot_inactive(&slot, count, group);
		EXPECT_EQ(count, slot.count);
		EXPECT_EQ(0, slot.operand);
		EXPECT_EQ(0, slot.index);
		EXPECT_EQ(0, slot.shift);
		EXPECT_EQ(group, slot.group);
		EXPECT_EQ(PMUDEV_SLOT_USED, slot.flags);
	}
}

/* No byte of a slot is left as it was: an image depends on nothing but its arguments. */
static void images_are_whole(void)
{
	struct pmudev_slot a, b;

	EXPECT_EQ(16, sizeof(a));
	memset(&a, 0x00, sizeof(a));
	memset(&b, 0xff, sizeof(b));
	pmudev_page_slot(&a, 0x123456789abcdef0, 5, 5, 32, 7);
	pmudev_page_slot(&b, 0x123456789abcdef0, 5, 5, 32, 7);
	EXPECT_TRUE(!memcmp(&a, &b, sizeof(a)));
	memset(&b, 0xff, sizeof(b));
	pmudev_page_slot_inactive(&a, 0x123456789abcdef0, 7);
	pmudev_page_slot_inactive(&b, 0x123456789abcdef0, 7);
	EXPECT_TRUE(!memcmp(&a, &b, sizeof(a)));
}

/* ---------------------------------------------------------------- values -- */

static void expect_value(const struct pmudev_slot *slot, u64 raw, unsigned int width, u64 truth)
{
	if (slot_value(slot, raw) != truth || pmudev_advance(slot->count, raw, width) != truth)
		FAIL("slot %#llx, counter %#llx: header %#llx, wanted %#llx",
		     (unsigned long long)slot->count, (unsigned long long)raw,
		     (unsigned long long)slot_value(slot, raw), (unsigned long long)truth);
}

static void values_of_random_slots(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		unit_row("width %u", widths[i]);
		for (j = 0; j < READS; j++) {
			u64 count = unit_random_length();
			u64 by = unit_random_length() & pmudev_width_mask(widths[i]);
			/* Above its width a counter may show anything. */
			u64 junk = unit_random() & ~pmudev_width_mask(widths[i]);
			struct pmudev_slot slot = old_slot();
			u64 raw = unit_shown((__uint128_t)count + by, widths[i]);

			pmudev_page_slot(&slot, count, 0, 0, widths[i], 0);
			expect_value(&slot, raw, widths[i], count + by);
			expect_value(&slot, raw | junk, widths[i], count + by);
		}
	}
}

static void values_at_the_ends(void)
{
	unsigned int i, j, k;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		u64 max = pmudev_width_mask(widths[i]);
		const u64 counts[] = { 0, 1, max - 1, max, max + 1, ~0ULL - max, ~0ULL - 1, ~0ULL };
		const u64 by[] = { 0, 1, max / 2, max - 1, max };

		for (j = 0; j < ARRAY_SIZE(counts); j++) {
			for (k = 0; k < ARRAY_SIZE(by); k++) {
				struct pmudev_slot slot = old_slot();

				unit_row("width %u, count %u, by %u", widths[i], j, k);
				pmudev_page_slot(&slot, counts[j], 0, 0, widths[i], 0);
				expect_value(&slot, unit_shown(counts[j] + by[k], widths[i]),
					     widths[i], counts[j] + by[k]);
			}
		}
	}
}

/*
 * An event's life: it counts, the kernel writes the slot anew before 2^width more have passed,
 * takes it off, resets it, and puts it on a counter of another width. Whatever the reader sees is
 * the true count.
 */
static void the_life_of_an_event(void)
{
	unsigned int i, reads = 0, written = 0, width = widths[0];
	struct pmudev_slot slot = old_slot();
	__uint128_t truth = 0;
	u64 rest = 0;

	pmudev_page_slot_inactive(&slot, truth, 3);
	for (i = 0; i < 4 * READS; i++) {
		switch (unit_below(16)) {
		case 0:
			pmudev_page_slot_inactive(&slot, truth, 3);
			EXPECT_EQ(truth, slot.count);
			break;
		case 1:
			truth = unit_random_length();
			pmudev_page_slot_inactive(&slot, truth, 3);
			break;
		case 2:
		case 3:
		case 4:
			width = widths[unit_below(ARRAY_SIZE(widths))];
			rest = pmudev_width_mask(width);
			pmudev_page_slot(&slot, truth, unit_below(33), 0, width, 3);
			written++;
			break;
		default:
			if (slot.index) {
				u64 by = unit_random_length();

				by = by < rest ? by : rest;
				rest -= by;
				truth += by;
				expect_value(&slot, unit_shown(truth, width), width, truth);
				reads++;
			} else {
				EXPECT_EQ((u64)truth, slot.count);
			}
			break;
		}
	}
	EXPECT_TRUE(reads > READS && written > READS / 2);
}

/* ---------------------------------------------------------- perf's layout -- */

/* What perf's readers make of it. */
static u64 perf_value(const struct pmudev_page_perf *perf, u64 raw)
{
	const unsigned int shift = 64 - perf->width;

	return perf->offset + (u64)((s64)(raw << shift) >> shift);
}

static unsigned int lag_of(unsigned int width)
{
	return width > 44 ? 43 : width - (width > 31 ? 1 : 2);
}

static void expect_perf(u64 count, u64 by, unsigned int width)
{
	struct pmudev_page_perf perf;

	EXPECT_EQ(1, pmudev_page_perf(count, width, &perf));
	EXPECT_EQ(count, perf_value(&perf, unit_shown(count, width)));
	EXPECT_EQ(count + by, perf_value(&perf, unit_shown(count + by, width)));
}

/* Whatever is counted until the counter is folded is right. */
static void perfs_sum_is_the_count(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		unit_row("width %u", widths[i]);
		for (j = 0; j < READS; j++)
			expect_perf(unit_random_length(), unit_random() >> (64 - lag_of(widths[i])),
				    widths[i]);
	}
}

static void perfs_sum_near_the_sign(void)
{
	struct pmudev_page_perf perf;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		const unsigned int width = widths[i];
		const u64 half = 1ULL << (width - 1), lag = 1ULL << lag_of(width);
		const u64 counts[] = {
			half - lag - 1, half - lag,	half - lag + 1, half - 1,
			half,		half + 1,	2 * half - lag, 2 * half - lag - 1,
			2 * half - 1,	3 * half - lag, 3 * half - 1,	0
		};

		unit_row("width %u", width);
		for (j = 0; j < ARRAY_SIZE(counts); j++) {
			expect_perf(counts[j], 0, width);
			expect_perf(counts[j], lag - 1, width);
		}
	}
	/* Above 31 bits a counter may show anything: there it has no such sum. */
	EXPECT_EQ(1, pmudev_page_perf((1ULL << 29) - 1, 31, &perf));
	EXPECT_EQ(0, pmudev_page_perf(1ULL << 29, 31, &perf));
	EXPECT_EQ(0, pmudev_page_perf((1ULL << 30) - 1, 31, &perf));
	EXPECT_EQ(1, pmudev_page_perf(1ULL << 30, 31, &perf));
}

int main(void)
{
	unit_seed(0x9a6e);
	RUN(images_of_slots_on_a_counter);
	RUN(images_of_slots_off);
	RUN(images_are_whole);
	RUN(values_of_random_slots);
	RUN(values_at_the_ends);
	RUN(the_life_of_an_event);
	RUN(perfs_sum_is_the_count);
	RUN(perfs_sum_near_the_sign);
	return unit_end();
}
