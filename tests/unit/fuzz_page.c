// SPDX-License-Identifier: GPL-2.0
/* The page's slots and the arithmetic of counts, times and terms, against plain 128 bits. */
#include <pmudev/count.h>
#include <pmudev/names.h>

#include "fuzz.h"
#include "slot.h"

static u64 modulo(u64 value, unsigned int width)
{
	return (__uint128_t)value % ((__uint128_t)1 << width);
}

static void check_slot(struct input *in)
{
	unsigned int width = 1 + take_below(in, 64), counter = take_below(in, 64);
	unsigned int group = take_below(in, PMUDEV_MAX_GROUPS);
	u64 count = take_mask(in) + take(in, 8), events = modulo(take(in, 8), width);
	u64 above = width < 64 ? take(in, 8) << width : 0;
	u64 raw = modulo(count + events, width);
	struct pmudev_slot slot;

	memset(&slot, 0xa5, sizeof(slot));
	pmudev_page_slot(&slot, count, counter, counter, width, group);
	HOLDS(slot.index == counter + 1 && slot.shift < 64 && slot.group == group);
	/* What is above the width is UNKNOWN. */
	HOLDS(slot_value(&slot, raw | above) == count + events);
	HOLDS(pmudev_advance(count, raw | above, width) == count + events);
	pmudev_page_slot_inactive(&slot, count, group);
	HOLDS(!slot.index && slot.count == count && slot.flags == PMUDEV_SLOT_USED);
}

static void check_times(struct input *in)
{
	u64 ticks = take_mask(in) + take(in, 8);
	u32 mult = take(in, 4), shift = take_below(in, 64), width = 31 + take_below(in, 34);
	__uint128_t exact = (__uint128_t)ticks * mult >> shift;
	u64 ns = pmudev_fold_ns(width);

	HOLDS(pmudev_ticks_to_ns(ticks, mult, shift) == (u64)exact);
	HOLDS(!ns == (width == 64) && ns <= 60000000000ULL);
	/* Fewer than a quarter of its range, at 2^36 a second. */
	HOLDS(width == 64 || (__uint128_t)ns << 36 <= ((__uint128_t)1000000000 << width) / 4);
}

/* Chained counters that count between the reads: the result is a value that they had. */
static void check_pair(struct input *in)
{
	u64 value = take_mask(in), at[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		at[i] = value;
		value += take(in, 2);
	}
	value = pmudev_chained_raw(at[0] >> 32, at[1], at[2] >> 32, at[3]);
	HOLDS(value == at[1] || value == at[3]);
}

static void check_term(struct input *in)
{
	u64 config = take(in, 8), bits = take_mask(in), value = pmudev_term_value(config, bits);
	unsigned int i, n = 0;

	for (i = 0; i < 64; i++) {
		if (!(bits >> i & 1))
			continue;
		HOLDS((value >> n & 1) == (config >> i & 1));
		n++;
	}
	HOLDS(n == 64 || !(value >> n));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };

	check_slot(&in);
	check_times(&in);
	check_pair(&in);
	check_term(&in);
	return 0;
}
