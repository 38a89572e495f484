// SPDX-License-Identifier: GPL-2.0
/*
 * Events by libpfm4's names: on this machine's PMU they have the codes of the CPUs' manuals, and
 * count what these codes count.
 */
#include "common.h"
#include "kselftest_harness.h"

#include <pmudev.h>
#include <pmudev_events.h>

#include "../../tools/tests/names.h"

FIXTURE(names)
{
	struct pmudev_pmus *pmus;
	struct pmudev set;
};

static int stop(const struct pmudev_name_info *info, void *arg)
{
	(void)info;
	(void)arg;
	return 1;
}

FIXTURE_SETUP(names)
{
	ASSERT_EQ(0, pmudev_pmus_load(&self->pmus, NULL));
	ASSERT_LT(0U, pmudev_pmus_nr(self->pmus));
	ASSERT_EQ(0, pmudev_open(&self->set));
	ASSERT_EQ(0, pmudev_bind_self(&self->set));
}

/*
 * Is libpfm4 there? It looks at the environment now, and for the first time: each test is a process
 * of its own.
 */
static bool has_names(const struct pmudev_pmus *pmus, const char *variable, const char *value)
{
	setenv(variable, value, 1);
	return pmudev_names_each(pmus, 0, stop, NULL) != -EOPNOTSUPP;
}

FIXTURE_TEARDOWN(names)
{
	pmudev_close(&self->set);
	pmudev_pmus_free(self->pmus);
}

TEST_F(names, are_the_codes_of_the_manuals)
{
	struct pmudev_events_error error;
	struct pmudev_events *events;
	char name[128];
	size_t i;

	if (!has_names(self->pmus, "LIBPFM_ENCODE_INACTIVE", "1"))
		SKIP(return, "the library was built without libpfm4");
	for (i = 0; i < NR_TABLES * NR_NAMES; i++) {
		uint64_t config = ~0ULL;

		snprintf(name, sizeof(name), "%s::%s", name_tables[i / NR_NAMES],
			 known_names[i % NR_NAMES].name);
		ASSERT_EQ(0, pmudev_events_parse(name, self->pmus, &events, &error))
		TH_LOG("%s: %s", name, error.text);
		EXPECT_EQ((__u32)PMUDEV_TYPE_RAW, pmudev_events_attrs(events)->type);
		EXPECT_EQ(known_names[i % NR_NAMES].config, pmudev_events_attrs(events)->config)
		TH_LOG("%s", name);
		pmudev_events_free(events);
		EXPECT_TRUE(asked_of_libpfm(name, &config)) TH_LOG("%s", name);
		EXPECT_EQ(known_names[i % NR_NAMES].config, config) TH_LOG("%s", name);
	}
}

/* A name that libpfm4 has for such a CPU, and the CPU's code. */
static const struct {
	const char *name;
	const char *code;
} same[] = {
#if !defined(__aarch64__) && !defined(__arm__)
	{ "amd64_fam17h_zen1::RETIRED_INSTRUCTIONS", "r00c0" },
	{ "amd64_fam17h_zen1::CYCLES_NOT_IN_HALT", "r0076" },
	{ "amd64_fam19h_zen4::RETIRED_BRANCH_INSTRUCTIONS", "r00c2" },
	{ "ix86arch::INSTRUCTION_RETIRED", "r00c0" },
	{ "ix86arch::UNHALTED_CORE_CYCLES", "r003c" },
	{ "ix86arch::BRANCH_INSTRUCTIONS_RETIRED", "r00c4" },
	{ "ix86arch::INSTRUCTION_RETIRED:e:c=1", "r10400c0" },
#else
	{ "arm_n1::INST_RETIRED", "r08" },
	{ "arm_n1::CPU_CYCLES", "r11" },
	{ "arm_n1::SW_INCR", "r00" },
#endif
};

/* Both in one group: they are on counters for the same instructions. */
TEST_F(names, count_what_the_code_counts)
{
	struct pmudev_query query;
	uint64_t counts[2];
	char text[160];
	size_t i;

	if (!has_names(self->pmus, "LIBPFM_ENCODE_INACTIVE", "1"))
		SKIP(return, "the library was built without libpfm4");
	ASSERT_EQ(0, pm_query(&query));
	for (i = 0; i < ARRAY_SIZE(same); i++) {
		struct pmudev_events_error error;
		struct pmudev_events *events;
		struct pmudev set;

		/* libpfm4 has these events only on CPUs that list them (CPUID 0AH). */
		if (!strncmp(same[i].name, "ix86arch", 8) && query.arch != PMUDEV_ARCH_INTEL)
			continue;
		snprintf(text, sizeof(text), "{%s,%s}:u", same[i].name, same[i].code);
		ASSERT_EQ(0, pmudev_events_parse(text, self->pmus, &events, &error))
		TH_LOG("%s: %s", text, error.text);
		ASSERT_EQ(0, pmudev_open(&set));
		ASSERT_EQ(0, pmudev_bind_self(&set));
		ASSERT_EQ(0, pmudev_add(&set, pmudev_events_attrs(events), pmudev_events_nr(events),
					NULL));
		ASSERT_EQ(0, pmudev_enable(&set, PMUDEV_ALL));
		loop(100000);
		ASSERT_EQ(0, pmudev_disable(&set, PMUDEV_ALL));
		ASSERT_EQ(0, pmudev_read_counts(&set, counts, 2));
		EXPECT_EQ(counts[1], counts[0]) TH_LOG("%s", text);
		if (!i)
			EXPECT_LE(LOOP_INSTRUCTIONS * 100000ULL, counts[0]);
		TH_LOG("%s: %llu", text, (unsigned long long)counts[0]);
		pmudev_close(&set);
		pmudev_events_free(events);
	}
}

static int count_names(const struct pmudev_name_info *info, void *arg)
{
	(void)info;
	++*(unsigned int *)arg;
	return 0;
}

/* By the names alone. libpfm4 is told that it knows this CPU. */
TEST_F(names, of_this_cpu_need_no_table)
{
	const char *code = NAMES_ARCH[0] == 'i' ? "r00c0" : "r08", *name;
	static const char *const instructions[] = { "INSTRUCTION_RETIRED", "INST_RETIRED" };
	struct pmudev_events_error error;
	struct pmudev_events *events;
	uint64_t counts[2];
	unsigned int nr = 0;
	char text[64];
	int i, ret = -1;

	if (!has_names(self->pmus, "LIBPFM_FORCE_PMU",
		       NAMES_ARCH[0] == 'i' ? "ix86arch" : "arm_n1"))
		SKIP(return, "the library was built without libpfm4");
	EXPECT_EQ(0, pmudev_names_each(self->pmus, 0, count_names, &nr));
	EXPECT_LE(7U, nr);
	for (i = 0; i < 2 && ret; i++) {
		name = instructions[i];
		snprintf(text, sizeof(text), "{%s,%s}:u", name, code);
		ret = pmudev_events_parse(text, self->pmus, &events, &error);
	}
	ASSERT_EQ(0, ret) TH_LOG("%s", error.text);
	ASSERT_EQ(0, pmudev_add(&self->set, pmudev_events_attrs(events), 2, NULL));
	ASSERT_EQ(0, pmudev_enable(&self->set, PMUDEV_ALL));
	loop(100000);
	ASSERT_EQ(0, pmudev_disable(&self->set, PMUDEV_ALL));
	ASSERT_EQ(0, pmudev_read_counts(&self->set, counts, 2));
	EXPECT_EQ(counts[1], counts[0]);
	EXPECT_LE(LOOP_INSTRUCTIONS * 100000ULL, counts[0]);
	TH_LOG("%s: %llu, and %u names", text, (unsigned long long)counts[0], nr);
	pmudev_events_free(events);
}

TEST_HARNESS_MAIN
