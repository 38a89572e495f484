// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev list`, and what -e makes of the names that it shows: events, terms and PMUs count what
 * their codes do, and where they are said to.
 */
#include "as.h"
#include "command.h"
#include "common.h"
#include "kinds.h"
#include "kselftest_harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOT   "/sys/class/pmudev"
#define ROUNDS 100000

#if defined(__x86_64__)
#define INSTRUCTIONS "instructions"
#else
#define INSTRUCTIONS "inst_retired"
#endif

static struct output output;
static char program[256];

FIXTURE(list)
{
	struct pmudev_query query;
	char pmu[33]; /* number 0's */
};

FIXTURE_SETUP(list)
{
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	ASSERT_GT(len, 0);
	ASSERT_EQ(0, pm_query(&self->query));
	snprintf(self->pmu, sizeof(self->pmu), "%.32s", self->query.name);
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	if (!(self->query.generic & 1ULL << PMUDEV_INSTRUCTIONS))
		SKIP(return, "this CPU does not count instructions");
}

FIXTURE_TEARDOWN(list)
{
}

/* The first file of a PMU's folder that is no row of what was printed; "" if each is one. */
static const char *missing_row(const char *pmu, const char *folder, unsigned int *nr)
{
	static char name[128];
	char path[128], row[80];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), ROOT "/%s/%s", pmu, folder);
	snprintf(name, sizeof(name), "%s", path);
	*nr = 0;
	dir = opendir(path);
	if (!dir)
		return name;
	for (name[0] = '\0'; !*name && (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		++*nr;
		snprintf(row, sizeof(row), "\n  %.60s ", entry->d_name);
		if (!times_in(&output, row))
			snprintf(name, sizeof(name), "%.99s", entry->d_name);
	}
	closedir(dir);
	return name;
}

TEST_F(list, all_that_sysfs_has)
{
	unsigned int events, terms;
	char title[64];

	run(&output, "pmudev list");
	EXPECT_EQ(0, output.status);
	snprintf(title, sizeof(title), "%s: CPUs ", self->pmu);
	EXPECT_EQ(1, times_in(&output, title)) TH_LOG("%s", output.text);
	EXPECT_EQ(self->query.nr_pmus, times_in(&output, ": CPUs "));
	EXPECT_STREQ("", missing_row(self->pmu, "events", &events)) TH_LOG("%s", output.text);
	EXPECT_STREQ("", missing_row(self->pmu, "format", &terms)) TH_LOG("%s", output.text);
	EXPECT_GT(events, 1U);
	EXPECT_GT(terms, 1U);
	EXPECT_EQ(self->query.nr_pmus, times_in(&output, "\n  cycles  "));
	EXPECT_EQ(!self->query.threshold_max, !times_in(&output, "\n  threshold "));
}

TEST_F(list, some_of_it)
{
	run(&output, "pmudev list '%c*'", INSTRUCTIONS[0]);
	EXPECT_EQ(0, output.status);
	EXPECT_LE(self->query.nr_pmus, times_in(&output, "\n  " INSTRUCTIONS " "));
	EXPECT_EQ(0, times_in(&output, "\n  counters "));
	run(&output, "pmudev list nonsense");
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1, times_in(&output, "nothing here has 'nonsense' in its name"));
}

/* Who may not open the device sees it all the same. */
TEST_F(list, anybody)
{
	EXPECT_EQ(0, AS(NOBODY, -1, CHECK(!system("pmudev list >/dev/null"))));
	EXPECT_EQ(0, AS(NOBODY, -1, CHECK(system("pmudev stat -- true 2>/dev/null"))));
}

/* Three ways to say the same, on counters together. */
TEST_F(list, names_are_codes)
{
	char by_name[64], by_code[64], anywhere[64];
	__u64 a, b, c;

	snprintf(by_name, sizeof(by_name), "%s/" INSTRUCTIONS "/:u", self->pmu);
	snprintf(by_code, sizeof(by_code), "%s/event=%#x/:u", self->pmu, EVENT_INSTRUCTIONS);
	snprintf(anywhere, sizeof(anywhere), "cpu/event=%#x/:u", EVENT_INSTRUCTIONS);
	ASSERT_EQ(0, pin_to(0));
	run(&output, "pmudev stat -e '{%s,%s,%s}' -- %s --play %d", by_name, by_code, anywhere,
	    program, ROUNDS);
	ASSERT_EQ(0, output.status) TH_LOG("%s", output.text);
	ASSERT_TRUE(stat_value(&output, by_name, &a, NULL)) TH_LOG("%s", output.text);
	ASSERT_TRUE(stat_value(&output, by_code, &b, NULL)) TH_LOG("%s", output.text);
	ASSERT_TRUE(stat_value(&output, anywhere, &c, NULL)) TH_LOG("%s", output.text);
	EXPECT_EQ(a, b);
	EXPECT_EQ(a, c);
	EXPECT_GE(a, (__u64)ROUNDS * LOOP_INSTRUCTIONS);
}

TEST_F(list, what_is_wrong_and_where)
{
	run(&output, "pmudev stat -e cycles,%s/event=1,wyvern=2/ -- true", self->pmu);
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, " has no term or event 'wyvern'; its terms are "))
	TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "and name\n  cycles,")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat -e intructions -- true");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "did you mean instructions? `pmudev list` shows all"))
	TH_LOG("%s", output.text);
	run(&output, "pmudev stat -e nonsense/event=1/ -- true");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "unknown event or PMU 'nonsense'"));
}

/* perf's names: of events that the CPU has, and why not of others. */
TEST_F(list, cache_events)
{
	const char *name = "L1-dcache-loads:u";
	char path[128];
	__u64 value;

	snprintf(path, sizeof(path), ROOT "/%s/events/l1d_cache", self->pmu);
	run(&output, "pmudev stat -e %s -- true", name);
	if (self->query.arch == PMUDEV_ARCH_ARM64 && access(path, F_OK)) {
		EXPECT_EQ(2, output.status);
		EXPECT_EQ(1, times_in(&output, "this CPU has no event for L1-dcache-loads; "))
		TH_LOG("%s", output.text);
		return;
	}
	EXPECT_EQ(0, output.status);
	EXPECT_TRUE(stat_value(&output, name, &value, NULL)) TH_LOG("%s", output.text);
	run(&output, "pmudev list L1-dcache-loads");
	EXPECT_EQ(self->query.nr_pmus, times_in(&output, "\n  L1-dcache-loads "));
	if (self->query.arch == PMUDEV_ARCH_AMD)
		EXPECT_EQ(1, times_in(&output, "/event=0x40,umask=0x00/\n"))
		TH_LOG("%s", output.text);
	if (self->query.arch != PMUDEV_ARCH_INTEL)
		return;
	EXPECT_EQ(self->query.nr_pmus, times_in(&output, "/event=0xd0,umask=0x81/\n"))
	TH_LOG("%s", output.text);
	run(&output, "pmudev stat -e LLC-loads -- true");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "LLC-loads needs a second register on this CPU"))
	TH_LOG("%s", output.text);
}

/* Where the hardware counts the cycles that pass, and no more, it is done and said. */
TEST_F(list, thresholds)
{
	run(&output, "pmudev stat -e instructions/threshold=2/ -- true");
	if (!self->query.threshold_max) {
		EXPECT_EQ(2, output.status);
		EXPECT_EQ(1, times_in(&output, "has no thresholds (threshold_max is 0)"));
		return;
	}
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	if (self->query.arch != PMUDEV_ARCH_ARM64) {
		EXPECT_EQ(1, times_in(&output, " instructions/threshold=2,threshold_count/\n"))
		TH_LOG("%s", output.text);
		EXPECT_EQ(1, times_in(&output, "Cycles that pass the threshold are counted"));
	} else {
		EXPECT_EQ(1, times_in(&output, " instructions/threshold=2/"));
	}
	run(&output, "pmudev stat -e instructions/threshold=%u/ -- true",
	    self->query.threshold_max + 1);
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "the highest threshold is "));
}

/* An event of one PMU counts on its CPUs and nowhere else. */
TEST_F(list, one_kind_of_cpus)
{
	struct pmudev_query query;
	char name[2][64], all[64];
	struct kinds k;
	__u64 here, both;
	int i;

	if (!kinds_find(&k))
		SKIP(return, "all CPUs are of one kind");
	snprintf(all, sizeof(all), "cpu/event=%#x/:u", EVENT_INSTRUCTIONS);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pm_query_pmu(k.cpu[i][0], PMUDEV_QUERY_CPU, &query));
		snprintf(name[i], sizeof(name[i]), "%.32s/" INSTRUCTIONS "/:u", query.name);
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pin_to(k.cpu[i][0]));
		run(&output, "pmudev stat -e '%s,{%s,%s}' -- %s --play %d", name[!i], name[i], all,
		    program, ROUNDS);
		ASSERT_EQ(0, output.status) TH_LOG("%s", output.text);
		ASSERT_TRUE(stat_value(&output, name[i], &here, NULL)) TH_LOG("%s", output.text);
		ASSERT_TRUE(stat_value(&output, all, &both, NULL)) TH_LOG("%s", output.text);
		EXPECT_EQ(both, here);
		EXPECT_GE(here, (__u64)ROUNDS * LOOP_INSTRUCTIONS);
		EXPECT_EQ(1, times_in(&output, "the target was not on these CPUs"))
		TH_LOG("%s", output.text);
	}
	run(&output, "pmudev stat -C %d -e %s -- true", k.cpu[0][0], name[1]);
	EXPECT_EQ(126, output.status);
	EXPECT_EQ(1, times_in(&output, "none of these CPUs belongs to ")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat --multiplex -e %s -- true", name[1]);
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "cannot be multiplexed")) TH_LOG("%s", output.text);
	run(&output, "pmudev monitor -c %d -n 1 -e %s", k.cpu[0][0], name[1]);
	EXPECT_EQ(2, output.status) TH_LOG("%s", output.text);
	run(&output, "pmudev explain -e %s", name[1]);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1, times_in(&output, "none of these events is counted there\n"));
	EXPECT_EQ(1, times_in(&output, "It fits.\n")) TH_LOG("%s", output.text);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play")) {
		loop(strtol(argv[2], NULL, 10));
		return 0;
	}
	return test_harness_run(argc, argv);
}
