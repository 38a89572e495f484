// SPDX-License-Identifier: GPL-2.0
/* Names of events and terms: encode accepts what sysfs shows. */
#include <pmudev/amd.h>
#include <pmudev/intel.h>
#include <pmudev/pmuv3.h>

#include "unit.h"

/* Numbers that PMCEID<n>_EL0 does not speak of, or that the Arm ARM (D13) leaves reserved. */
static bool has_no_name(u64 event)
{
	static const u16 reserved[] = { 0x4007, 0x4008, 0x4014, 0x4015, 0x4016, 0x4017,
					0x401c, 0x401d, 0x401e, 0x401f, 0x4023 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reserved); i++)
		if (event == reserved[i])
			return true;
	return event == PMUV3_CHAIN || (event > 0x3f && event < 0x4000) || event > 0x4026;
}

/* What is a file's name, and a word in a list of terms. */
static void expect_word(const char *name)
{
	EXPECT_TRUE(name[0] >= 'a' && name[0] <= 'z');
	EXPECT_EQ(strlen(name), strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-"));
	EXPECT_TRUE(strlen(name) < 32);
}

static u64 all_bits(const struct pmudev_term *terms, bool selecting)
{
	u64 bits = 0;

	for (; terms->name; terms++)
		if (terms->select || !selecting)
			bits |= terms->bits;
	return bits;
}

static void expect_terms(const struct pmudev_term *terms)
{
	const struct pmudev_term *t, *before;

	for (t = terms; t->name; t++) {
		unit_row("%s", t->name);
		expect_word(t->name);
		EXPECT_TRUE(t->bits);
		for (before = terms; before < t; before++) {
			EXPECT_TRUE(strcmp(t->name, before->name));
			EXPECT_EQ(0, t->bits & before->bits);
		}
	}
}

static void expect_events(const struct pmudev_name *events, unsigned int nr,
			  const struct pmudev_term *terms)
{
	u64 bits = all_bits(terms, true);
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		unit_row("%s", events[i].name);
		expect_word(events[i].name);
		/* The terms that are written say all of it. */
		EXPECT_EQ(0, events[i].config & ~bits);
		for (j = 0; j < i; j++) {
			EXPECT_TRUE(strcmp(events[i].name, events[j].name));
			EXPECT_TRUE(events[i].config != events[j].config);
		}
	}
}

/* ---------------------------------------------------------------- arm64 -- */

static struct pmuv3_caps every_event(void)
{
	return (struct pmuv3_caps){
		.version = 6,
		.shape = PMUV3_VHE,
		.counters = 0x3f | BIT_ULL(PMUV3_CYCLE_COUNTER),
		.pmceid = ~0ULL,
		.pmceid_ext = ~0ULL,
	};
}

static int encode_pmuv3(const struct pmuv3_caps *caps, u64 config)
{
	struct pmudev_event_attr attr = { .type = PMUDEV_TYPE_RAW, .config = config };
	struct pmudev_refusal why = unit_refusal();
	struct pmudev_code code;

	return pmuv3_encode(caps, &attr, &code, &why);
}

static void pmuv3_tables(void)
{
	expect_terms(pmuv3_terms);
	EXPECT_EQ(0xffff, all_bits(pmuv3_terms, false));
	expect_events(pmuv3_events, pmuv3_nr_events, pmuv3_terms);
}

/* In order, complete, and without CHAIN. */
static void pmuv3_names_all(void)
{
	u64 event;
	unsigned int i = 0;

	for (event = 0; event < 0x4040; event++) {
		if (has_no_name(event))
			continue;
		unit_row("%#llx", (unsigned long long)event);
		if (EXPECT_TRUE(i < pmuv3_nr_events))
			EXPECT_EQ(event, pmuv3_events[i++].config);
	}
	EXPECT_EQ(pmuv3_nr_events, i);
}

/* Each is there with its bit of PMCEID, and not without. */
static void pmuv3_encodes_what_is_there(void)
{
	unsigned int i;

	for (i = 0; i < pmuv3_nr_events; i++) {
		u64 config = pmuv3_events[i].config, bit = BIT_ULL(config & 0x3f);
		struct pmuv3_caps caps = every_event();

		unit_row("%s", pmuv3_events[i].name);
		EXPECT_EQ(0, encode_pmuv3(&caps, config));
		*(config < 0x4000 ? &caps.pmceid : &caps.pmceid_ext) &= ~bit;
		EXPECT_EQ(ENOENT, -encode_pmuv3(&caps, config));
	}
}

/* ---------------------------------------------------------------- Intel -- */

static int encode_intel(const struct intel_caps *caps, u64 config, u64 *limit)
{
	struct pmudev_event_attr attr = { .type = PMUDEV_TYPE_RAW, .config = config };
	struct pmudev_refusal why = unit_refusal();
	struct pmudev_code code;
	int ret = intel_encode(caps, &attr, &code, &why);

	*limit = why.limit;
	return ret;
}

static void intel_tables(void)
{
	struct intel_caps caps = { .version = 6, .width = 48, .width_hw = 48, .counters = 0xff };
	unsigned int i;
	u64 limit;

	expect_terms(intel_terms);
	expect_events(intel_events, INTEL_NR_EVENTS, intel_terms);
	unit_row("all");
	/* Together the terms are what encode takes, with and without what newer CPUs have. */
	EXPECT_EQ(EINVAL, -encode_intel(&caps, ~0ULL, &limit));
	EXPECT_EQ(limit, all_bits(intel_terms, false) & 0xffffffff);
	caps.eq = true;
	caps.umask2 = true;
	EXPECT_EQ(EINVAL, -encode_intel(&caps, ~0ULL, &limit));
	EXPECT_EQ(limit, all_bits(intel_terms, false));
	for (i = 0; i < INTEL_NR_EVENTS; i++) {
		unit_row("%s", intel_events[i].name);
		EXPECT_EQ(0, encode_intel(&caps, intel_events[i].config, &limit));
		caps.missing = BIT(i);
		EXPECT_EQ(ENOENT, -encode_intel(&caps, intel_events[i].config, &limit));
		caps.missing = 0;
	}
}

/* ------------------------------------------------------------------ AMD -- */

static void amd_tables(void)
{
	static const u32 families[] = { 0x06, 0x0f, 0x16, 0x17, 0x1a };
	unsigned int i, j, nr;

	expect_terms(amd_terms);
	for (i = 0; i < ARRAY_SIZE(families); i++) {
		struct amd_caps caps = { .version = 1, .family = families[i], .counters = 0xf };
		struct pmudev_event_attr attr = { .type = PMUDEV_TYPE_RAW, .config = ~0ULL };
		const struct pmudev_name *events = amd_events(&caps, &nr);
		struct pmudev_refusal why = unit_refusal();
		struct pmudev_code code;

		expect_events(events, nr, amd_terms);
		EXPECT_EQ(EINVAL, -amd_encode(&caps, &attr, &code, &why));
		EXPECT_EQ(why.limit, all_bits(amd_terms, false));
		for (j = 0; j < nr; j++) {
			unit_row("family %#x, %s", families[i], events[j].name);
			attr.config = events[j].config;
			EXPECT_EQ(0, -amd_encode(&caps, &attr, &code, &why));
		}
	}
}

/* --------------------------------------------------------------- values -- */

static void values_of_terms(void)
{
	static const struct {
		u64 config, bits, value;
	} rows[] = {
		{ 0x11, 0xffff, 0x11 },
		{ 0x4f2e, 0xff, 0x2e },
		{ 0x4f2e, 0xff00, 0x4f },
		{ 0x4f2e, 0xff000000ff00, 0x4f },
		{ 0xab0000004f2e, 0xff000000ff00, 0xab4f },
		{ ~0ULL, 0xff000000ff00, 0xffff },
		{ ~0ULL, BIT_ULL(36), 1 },
		{ ~BIT_ULL(36), BIT_ULL(36), 0 },
		{ ~0ULL, 0, 0 },
		{ ~0ULL, ~0ULL, ~0ULL },
		{ 0x8000000000000001, ~0ULL, 0x8000000000000001 },
		{ 0x8000000000000001, 0x8000000000000001, 3 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		unit_row("%u", i);
		EXPECT_EQ(rows[i].value, pmudev_term_value(rows[i].config, rows[i].bits));
	}
}

int main(void)
{
	RUN(pmuv3_tables);
	RUN(pmuv3_names_all);
	RUN(pmuv3_encodes_what_is_there);
	RUN(intel_tables);
	RUN(amd_tables);
	RUN(values_of_terms);
	return unit_end();
}
