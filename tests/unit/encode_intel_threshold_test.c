// SPDX-License-Identifier: GPL-2.0
/* intel_encode(): thresholds, in pmudev's vocabulary. */
#include "encode_intel.h"

static const char *const compares[] = { "!=", "==", ">=", "<" };
static const u64 bits[] = { EQ | INV, EQ, 0, INV };

/* CMASK is n; INV is "less than", and with EQ "not equal". No fixed counter compares anything. */
static void every_threshold(void)
{
	struct intel_caps caps = everything();
	unsigned int n, compare;

	for (compare = 0; compare < ARRAY_SIZE(bits); compare++) {
		for (n = 1; n <= 255; n++) {
			u64 with = (u64)n << 24 | bits[compare] | ALL;

			unit_row("%s %u", compares[compare], n);
			expect_code(&caps, threshold(raw(OTHER), n, compare), OTHER | with, FIRST);
			expect_code(&caps, threshold(raw(OTHER | EDGE), n, compare),
				    OTHER | EDGE | with, FIRST);
			expect_code(&caps, threshold(raw(INSTRUCTIONS), n, compare),
				    INSTRUCTIONS | with, PROGRAMMABLE);
			expect_code(&caps, threshold(generic(PMUDEV_CYCLES), n, compare),
				    CYCLES | with, PROGRAMMABLE);
		}
	}
}

static void too_high(void)
{
	static const u16 thresholds[] = { 256, 257, 511, 512, 4095 };
	struct intel_caps caps = everything();
	unsigned int i, compare;

	for (i = 0; i < ARRAY_SIZE(thresholds); i++) {
		for (compare = 0; compare < ARRAY_SIZE(bits); compare++) {
			unit_row("%s %u", compares[compare], thresholds[i]);
			expect_refused(&caps, threshold(raw(INSTRUCTIONS), thresholds[i], compare),
				       EINVAL, PMUDEV_WHY_THRESHOLD, 255, 0);
		}
	}
}

static void equality_needs_eq(void)
{
	struct intel_caps caps = version4();
	unsigned int n, compare;

	for (n = 1; n <= 255; n++) {
		for (compare = 0; compare < ARRAY_SIZE(bits); compare++) {
			struct pmudev_event_attr attr = threshold(raw(OTHER), n, compare);

			unit_row("%s %u", compares[compare], n);
			if (bits[compare] & EQ)
				expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_COMPARE, 0, 0);
			else
				expect_code(&caps, attr, OTHER | (u64)n << 24 | bits[compare] | ALL,
					    FIRST);
		}
	}
}

/* The hardware counts cycles: what they had cannot be added up. */
static void only_cycles_are_counted(void)
{
	struct intel_caps caps = everything();
	unsigned int n, compare;

	for (n = 1; n <= 255; n += 127) {
		for (compare = 0; compare < ARRAY_SIZE(bits); compare++) {
			struct pmudev_event_attr attr = threshold(raw(OTHER), n, compare);

			attr.flags = 0;
			unit_row("%s %u", compares[compare], n);
			expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_HARDWARE,
				       PMUDEV_THRESHOLD_COUNT, 0);
		}
	}
}

/* Without a threshold neither comparison nor cycles mean anything. */
static void no_threshold(void)
{
	struct intel_caps caps = version4();
	unsigned int compare;

	for (compare = 0; compare < ARRAY_SIZE(bits); compare++) {
		struct pmudev_event_attr attr = raw(INSTRUCTIONS);

		unit_row("%s", compares[compare]);
		expect_code(&caps, threshold(attr, 0, compare), INSTRUCTIONS | ALL,
			    PROGRAMMABLE | FIXED(0));
		attr.threshold_compare = compare;
		expect_code(&caps, attr, INSTRUCTIONS | ALL, PROGRAMMABLE | FIXED(0));
		/* Nor do they beside fields of the event's own. */
		expect_code(&caps, threshold(raw(INSTRUCTIONS | 0x02000000), 0, compare),
			    INSTRUCTIONS | 0x02000000 | ALL, PROGRAMMABLE);
	}
}

/* Said twice: the fields by themselves and a threshold. */
static void thresholds_and_raw_fields(void)
{
	static const u64 fields[] = { INV,	   EQ,	     0x01000000, 0x80000000,  CMASK,
				      CMASK | INV, EQ | INV, 0x02800000, 0x1002000000 };
	struct intel_caps caps = everything();
	unsigned int i, compare;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		for (compare = 0; compare < ARRAY_SIZE(bits); compare++) {
			struct pmudev_event_attr attr = raw(OTHER | fields[i]);

			unit_row("fields %#llx, %s 2", (unsigned long long)fields[i],
				 compares[compare]);
			expect_refused(&caps, threshold(attr, 2, compare), EINVAL,
				       PMUDEV_WHY_COMBINATION, 0, 0);
		}
	}
}

/* Fixed counter 2 takes none, and another counter's reference cycles are other ones. */
static void reference_cycles(void)
{
	struct intel_caps caps = everything();
	unsigned int n;

	for (n = 1; n <= 256; n += 51) {
		struct pmudev_event_attr attr =
			threshold(generic(PMUDEV_REF_CYCLES), n, PMUDEV_GREATER_EQUAL);

		unit_row(">= %u", n);
		caps.counters |= FIXED(2);
		expect_refused(&caps, attr, EOPNOTSUPP, PMUDEV_WHY_THRESHOLD, 0, 0);
		caps.counters &= ~FIXED(2);
		if (n < 256)
			expect_code(&caps, attr, 0x013c | (u64)n << 24 | ALL, PROGRAMMABLE);
	}
}

int main(void)
{
	RUN(every_threshold);
	RUN(too_high);
	RUN(equality_needs_eq);
	RUN(only_cycles_are_counted);
	RUN(no_threshold);
	RUN(thresholds_and_raw_fields);
	RUN(reference_cycles);
	return unit_end();
}
