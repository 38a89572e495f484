// SPDX-License-Identifier: MIT
/* What `pmudev info` says of a CPU. */
#include "../pmudev/info/identity.h"
#include "tap.h"

static const struct {
	unsigned int eax;
	const char *text;
} signatures[] = {
	/* Skylake-SP, Core 2, Pentium 4, one with an extended family, the oldest of family 6 */
	{ 0x50654, "family 6, model 85, stepping 4 (CPUID signature 0x50654)" },
	{ 0x6fb, "family 6, model 15, stepping 11 (CPUID signature 0x6fb)" },
	{ 0xf43, "family 15, model 4, stepping 3 (CPUID signature 0xf43)" },
	{ 0x00a20f10, "family 25, model 33, stepping 0 (CPUID signature 0xa20f10)" },
	{ 0x1400f12, "family 35, model 1, stepping 2 (CPUID signature 0x1400f12)" },
	{ 0x619, "family 6, model 1, stepping 9 (CPUID signature 0x619)" },
	/* The extended model means nothing in family 5. */
	{ 0x10543, "family 5, model 4, stepping 3 (CPUID signature 0x10543)" },
};

static void test_models(void)
{
	struct pmudev_query q = { .arch = PMUDEV_ARCH_INTEL, .arch_version = 4 };
	char text[256];
	size_t i;

	architecture_text(&q, text, sizeof(text));
	is(text, "Intel, architectural perfmon version 4", "Intel");
	for (i = 0; i < sizeof(signatures) / sizeof(*signatures); i++) {
		q.cpu_id = signatures[i].eax;
		model_text(&q, text, sizeof(text));
		is(text, signatures[i].text, signatures[i].text);
	}
	q = (struct pmudev_query){
		.arch = PMUDEV_ARCH_ARM64,
		.arch_version = 6,
		.cpu_id = 0x410fd083,
	};
	architecture_text(&q, text, sizeof(text));
	is(text, "arm64, PMUv3, PMUVer 6", "arm64");
	model_text(&q, text, sizeof(text));
	is(text, "MIDR 0x410fd083", "  its model");
	q.arch = 77;
	architecture_text(&q, text, sizeof(text));
	is(text, "77, version 6", "an architecture of the future");
}

static void expect_widths(__u32 arch, __u64 counters, __u32 width, __u32 fixed, const char *text)
{
	const struct pmudev_query q = {
		.arch = arch,
		.counters = counters,
		.width = width,
		.width_fixed = fixed,
	};
	char got[256];

	widths_text(&q, got, sizeof(got));
	is(got, text, text);
}

#define CYCLES ": the cycle counter"

static void test_widths(void)
{
	expect_widths(PMUDEV_ARCH_INTEL, 0x7000000ff, 48, 48, "0-7 (48 bits), fixed 0-2 (48 bits)");
	expect_widths(PMUDEV_ARCH_INTEL, 0x70000000f, 31, 40,
		      "0-3 (31 bits, as there are no full-width writes), fixed 0-2 (40 bits)");
	expect_widths(PMUDEV_ARCH_INTEL, 0x2900000003, 40, 48,
		      "0-1 (40 bits), fixed 0 3 5 (48 bits)");
	expect_widths(PMUDEV_ARCH_INTEL, 0xf, 48, 0, "0-3 (48 bits)");
	expect_widths(PMUDEV_ARCH_INTEL, 1ULL << 33, 0, 48, "none, fixed 1 (48 bits)");
	expect_widths(PMUDEV_ARCH_ARM64, 0x10000003f, 32, 64,
		      "0-5 (32 bits), fixed 0 (64 bits" CYCLES ")");
	expect_widths(PMUDEV_ARCH_ARM64, 0x300000007, 64, 64,
		      "0-2 (64 bits), fixed 0-1 (64 bits" CYCLES " and the instruction counter)");
	expect_widths(PMUDEV_ARCH_ARM64, ~0ULL >> 31, 31, 64,
		      "0-31 (31 bits), fixed 0 (64 bits" CYCLES ")");
}

static void test_counters(void)
{
	char text[64], small[4];

	is(counters_text(0, text, sizeof(text)), "none", "no counter");
	is(counters_text(0x8000000000000001ULL, text, sizeof(text)), "0, fixed 31",
	   "the first and the last");
	is(counters_text(~0ULL, text, sizeof(text)), "0-31, fixed 0-31", "all");
	is(counters_text(0x700000000, text, sizeof(text)), "fixed 0-2", "fixed ones alone");
	is(counters_text(0x70000000f, text, sizeof(text)), "0-3, fixed 0-2", "both kinds");
	is(counter_text(31, text, sizeof(text)), "counter 31", "a counter");
	is(counter_text(33, text, sizeof(text)), "fixed 1", "a fixed one");
	is_number(counters_mask("0-3,32-34"), 0x70000000f, "sysfs' list is a mask");
	is_number(counters_mask("1-5,7,32"), 0x1000000be, "  with holes");
	is_number(counters_mask(""), 0, "  or empty");
	is_number(counters_mask("0-63"), ~0ULL, "  or full");
	is(counters_text(0x5555, small, sizeof(small)), "0 2", "what fits");
}

int main(void)
{
	test_models();
	test_widths();
	test_counters();
	return tap_end();
}
