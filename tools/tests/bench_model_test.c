// SPDX-License-Identifier: MIT
/* The model of `pmudev bench`: its numbers, what is wrong with a file, and the installed one. */
#include "../pmudev/bench/model.h"
#include "hear.h"
#include "tap.h"

#define SKYLAKE_X 0x50654
#define ICE_LAKE  0x706e5
#define ZEN_4	  0xa10f11
#define A_CPU	  0x417f1231 /* IMPLEMENTER 41H, PART 123H */

static const char *const small = "# a comment\n"
				 "source s somewhere\n"
				 "source s and more of it\n"
				 "source t elsewhere\n"
				 "\n"
				 "cpu sky x86 6:0x55,0x17:1-2 The first\n"
				 "latency sky rdpmc 40 RDPMC [s]\n"
				 "latency sky rdpmc,barrier 20.5-30 RDPMC, a barrier [s] and [t]\n"
				 "cpu arm arm64 0x41:0x123 A second one\n"
				 "latency arm counter_read 0-96 MRS [t]\n"
				 "latency arm serialize 30 ISB [t]\n"
				 "latency arm locked 13-14 atomics [t]\n"
				 "latency sky control_write 100-200 WRMSR [s]\n"
				 "cpu none arm64 0x41:0x124 Without figures\n";

static bool load(struct model *model, const char *text, __u32 arch, __u64 cpu_id)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	const bool fine = model_load(model, in, "FILE", arch, cpu_id);

	fclose(in);
	return fine;
}

/* ------------------------------------------------------------------------- numbers -- */

static void expect(const struct model *model, enum model_path path, unsigned int events,
		   const char *cycles, const char *half)
{
	const struct estimate estimate = model_estimate(model, path, events);
	char text[64];

	is(estimate_text(&estimate, 1, 1, text, sizeof(text)), cycles, cycles);
	is(estimate_text(&estimate, 2, 2, text, sizeof(text)), half, "  in another unit");
}

static void test_numbers(void)
{
	struct model model;

	ok(load(&model, small, PMUDEV_ARCH_INTEL, SKYLAKE_X), "an x86 CPU");
	is(model.name, "The first", "  its name");
	expect(&model, MODEL_USER_READ, 1, "20.5 - 40.0", "10.25 - 20.00");
	expect(&model, MODEL_USER_READ, 6, "123.0 - 240.0", "61.50 - 120.00");
	/* Four counters and a barrier; one and a control register. */
	expect(&model, MODEL_READ_CALL, 4, ">= 102.5", ">= 51.25");
	expect(&model, MODEL_SWITCH, 1, ">= 120.5", ">= 60.25");
	expect(&model, MODEL_NO_PATH, 1, "-", "-");

	ok(load(&model, small, PMUDEV_ARCH_ARM64, A_CPU), "an arm64 CPU");
	is(model.name, "A second one", "  its name");
	expect(&model, MODEL_USER_READ, 1, "0.0 - 96.0", "0.00 - 48.00");
	/* 0 for a counter, 2 * 30, 13, and a barrier that is unknown. */
	expect(&model, MODEL_READ_CALL, 1, ">= 73.0", ">= 36.50");
	expect(&model, MODEL_SWITCH, 4, ">= 28.0", ">= 14.00");

	ok(load(&model, small, PMUDEV_ARCH_ARM64, 0x410f1240), "a CPU without a figure");
	is(model.name, "Without figures", "  its name");
	expect(&model, MODEL_USER_READ, 1, "-", "-");
	expect(&model, MODEL_SWITCH, 1, "-", "-");
}

/* A figure without an interval is one number. */
static void test_one_number(void)
{
	struct model model;

	ok(load(&model, "source s x\ncpu c x86 6:85 C\nlatency c rdpmc 7 RDPMC [s]",
		PMUDEV_ARCH_INTEL, SKYLAKE_X),
	   "a figure without an interval");
	expect(&model, MODEL_USER_READ, 3, "21.0", "10.50");
}

static void expect_name(__u32 arch, __u64 cpu_id, const char *name, const char *what)
{
	struct model model;

	ok(load(&model, small, arch, cpu_id), what);
	is(model.name, name, "  its name");
}

static void test_cpus(void)
{
	expect_name(PMUDEV_ARCH_AMD, 0x810f10, "", "family 17H, model 11H");
	expect_name(PMUDEV_ARCH_AMD, 0x800f10, "The first", "family 17H, model 1");
	expect_name(PMUDEV_ARCH_AMD, 0x800f20, "The first", "  model 2");
	expect_name(PMUDEV_ARCH_AMD, 0x800f30, "", "  model 3");
	expect_name(PMUDEV_ARCH_INTEL, 0x654, "", "family 6, model 5");
	expect_name(PMUDEV_ARCH_ARM64, 0x511f1230, "", "another implementer");
	expect_name(PMUDEV_ARCH_ARM64, SKYLAKE_X, "", "an x86 CPU's number on arm64");
	expect_name(77, 0, "", "an architecture of the future");
}

/* --------------------------------------------------------------------------- wrong -- */

#define FIRST "source s x\ncpu c x86 6:85 C\n"

static const struct {
	const char *text;
	const char *error;
} wrong[] = {
	{ "latencies c", "1: 'latencies' is none of source, cpu, latency" },
	{ "source s", "1: a source is its key and a text" },
	{ "source a-key-that-is-too-long x",
	  "1: 'a-key-that-is-too-long' is no key, or one too many" },
	{ "cpu c x87 6:85 C", "1: 'x87' is neither arm64 nor x86" },
	{ "cpu c x86 6:85", "1: a CPU's name is missing or too long" },
	{ "cpu c x86 6 C", "1: '6' is not FAMILY:MODEL or IMPLEMENTER:PART" },
	{ "cpu c x86 6:a C", "1: '6:a' is not FAMILY:MODEL or IMPLEMENTER:PART" },
	{ "cpu c x86 6:9-8 C", "1: '6:9-8' is not FAMILY:MODEL or IMPLEMENTER:PART" },
	{ "cpu c x86 6:8, C", "1: '' is not FAMILY:MODEL or IMPLEMENTER:PART" },
	{ FIRST "cpu c x86 6:86 C", "3: there is a CPU 'c' already" },
	{ FIRST "cpu d x86 6:80-90 D", "3: CPU 'd' is 'c', too" },
	{ FIRST "latency d rdpmc 1 X [s]", "3: no line before tells that CPU" },
	{ FIRST "latency c rdpmcs 1 X [s]", "3: 'rdpmcs' is no class" },
	{ FIRST "latency c rdpmc, 1 X [s]", "3: '' is no class" },
	{ FIRST "latency c rdpmc 2-1 X [s]", "3: '2-1' is no interval LOW-HIGH" },
	{ FIRST "latency c rdpmc -1 X [s]", "3: '-1' is no interval LOW-HIGH" },
	{ FIRST "latency c rdpmc 1- X [s]", "3: '1-' is no interval LOW-HIGH" },
	{ FIRST "latency c rdpmc 1-2ns X [s]", "3: '1-2ns' is no interval LOW-HIGH" },
	{ FIRST "latency c rdpmc nan X [s]", "3: 'nan' is no interval LOW-HIGH" },
	{ FIRST "latency c rdpmc 1-1e9 X [s]", "3: '1-1e9' is no interval LOW-HIGH" },
	{ FIRST "latency c rdpmc 1 X", "3: it has no [SOURCE]: 'X'" },
	{ FIRST "latency c rdpmc 1 X [s] [t]", "3: '[t]' is no source" },
};

static void test_wrong(void)
{
	struct model model;
	char wanted[256];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		hear();
		ok(!load(&model, wrong[i].text, PMUDEV_ARCH_INTEL, SKYLAKE_X), wrong[i].error);
		snprintf(wanted, sizeof(wanted), "pmudev: FILE:%s; there are no estimates\n",
			 wrong[i].error);
		is(heard(), wanted, "  which is told");
		is(model.name, "", "  nothing of it is kept");
	}
}

/* ----------------------------------------------------------------------- installed -- */

static void expect_installed(__u32 arch, __u64 cpu_id, const char *name, const char *read)
{
	const char *path = TESTS_FOLDER "/../../share/pmudev/latencies.txt";
	char text[64];
	struct estimate estimate;
	struct model model;
	FILE *in;

	in = fopen(path, "r");
	if (!ok(in && model_load(&model, in, path, arch, cpu_id), "the installed file"))
		return;
	fclose(in);
	is(model.name, name, name[0] ? name : "a CPU that it has not");
	estimate = model_estimate(&model, MODEL_USER_READ, 4);
	is(estimate_text(&estimate, 1, 0, text, sizeof(text)), read, "  a read of four events");
}

static void test_installed(void)
{
	expect_installed(PMUDEV_ARCH_INTEL, SKYLAKE_X, "Skylake", "92 - 160");
	expect_installed(PMUDEV_ARCH_INTEL, ICE_LAKE, "Ice Lake", "-");
	expect_installed(PMUDEV_ARCH_AMD, ZEN_4, "Zen 4", "-");
	expect_installed(PMUDEV_ARCH_ARM64, 0x410fd083, "Cortex-A72", "-");
	expect_installed(PMUDEV_ARCH_ARM64, 0x413fd0c1, "Neoverse N1", "-");
	expect_installed(PMUDEV_ARCH_ARM64, 0x411fd401, "Neoverse V1", "0 - 385");
	expect_installed(PMUDEV_ARCH_ARM64, 0x000f0510, "", "-");
}

int main(void)
{
	test_numbers();
	test_one_number();
	test_cpus();
	test_wrong();
	test_installed();
	return tap_end();
}
