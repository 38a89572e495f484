/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzz targets of src/pure share. A target is a file with LLVMFuzzerTestOneInput(): with
 * clang libFuzzer feeds it (make fuzz), else fuzz_driver.c with random bytes, always the same.
 */
#ifndef UNIT_FUZZ_H
#define UNIT_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include <pmudev/types.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* What does not hold ends the program: libFuzzer keeps the input, the driver says its number. */
#define HOLDS(condition)                                                                        \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                \
		}                                                                               \
	} while (0)

/* The input, from its beginning; zeroes after its end. */
struct input {
	const u8 *at;
	size_t left;
};

static inline u64 take(struct input *in, unsigned int bytes)
{
	u64 value = 0;

	for (; bytes; bytes--) {
		value <<= 8;
		if (in->left) {
			value |= *in->at++;
			in->left--;
		}
	}
	return value;
}

/* 0..@below - 1 */
static inline u32 take_below(struct input *in, u32 below)
{
	return take(in, 2) % below;
}

/* Mostly short, or of a few bits: whole random words are all alike. */
static inline u64 take_mask(struct input *in)
{
	u32 how = take_below(in, 8);

	switch (how) {
	case 0:
		return 0;
	case 1:
		return ~0ULL;
	case 2:
		return take(in, 8);
	case 3:
		return BIT_ULL(take_below(in, 64));
	case 4:
		return take(in, 1) | take(in, 1) << PMUDEV_FIXED_BASE;
	default:
		return take(in, 1);
	}
}

#endif /* UNIT_FUZZ_H */
