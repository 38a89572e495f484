// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev stat -G` and --for-each-cgroup. The command enters a cgroup for a loop: of two runs the
 * difference is known.
 */
#include "cgroup_set.h"
#include "kselftest_harness.h"
#include "stat_loop.h"

#include <stdlib.h>

static struct cgroup busy, idle;

static const char *name_of(const struct cgroup *group)
{
	return strrchr(group->path, '/') + 1;
}

/* Counted are the loop and the system call that ends it. */
static int play_in(const char *path, long rounds)
{
	struct cgroup group;

	snprintf(group.path, sizeof(group.path), "%s", path);
	loop(FEW);
	if (cgroup_enter(&group))
		return 1;
	loop(rounds);
	return cgroup_enter(&cgroup_root) ? 1 : 0;
}

FIXTURE(stat_cgroup)
{
	int unused;
};

FIXTURE_SETUP(stat_cgroup)
{
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	ASSERT_GT(len, 0);
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	if (cgroup_make(&busy, NULL) || cgroup_make(&idle, NULL))
		SKIP(return, "no control groups in this kernel (CONFIG_CGROUPS)");
	snprintf(event, sizeof(event), "r%llx:u", steady_event());
}

FIXTURE_TEARDOWN(stat_cgroup)
{
	EXPECT_EQ(0, cgroup_end(&busy));
	EXPECT_EQ(0, cgroup_end(&idle));
}

/* With -x , the number at the beginning of the line with this cgroup; ~0: there is none. */
static __u64 value_of(const struct cgroup *group)
{
	const char *line = output.text, *end;
	char field[64];

	snprintf(field, sizeof(field), ",%s,", name_of(group));
	for (; line; line = end ? end + 1 : NULL) {
		end = strchr(line, '\n');
		if (*line >= '0' && *line <= '9' && end &&
		    memmem(line, end - line, field, strlen(field)))
			return strtoull(line, NULL, 10);
	}
	return ~0ULL;
}

static void count(struct __test_metadata *_metadata, const char *options, long rounds)
{
	run(&output, "pmudev stat -x , %s -e %s -- %s --play in %s %ld", options, event, program,
	    busy.path, rounds);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
}

/* `pmudev explain` takes them, too. */
TEST_F(stat_cgroup, explained)
{
	char text[96];

	run(&output, "pmudev explain -C 0 -G %s -e %s", name_of(&busy), event);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	run(&output, "pmudev explain --json -C 0 --for-each-cgroup %s,%s -e %s", name_of(&busy),
	    name_of(&idle), event);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	snprintf(text, sizeof(text), "{\"target\": \"%s\", ", name_of(&idle));
	EXPECT_EQ(1, times_in(&output, text)) TH_LOG("%s", output.text);
}

TEST_F(stat_cgroup, one)
{
	char options[64];
	__u64 few, many;

	snprintf(options, sizeof(options), "-G %s", name_of(&busy));
	count(_metadata, options, FEW);
	few = value_of(&busy);
	count(_metadata, options, MANY);
	many = value_of(&busy);
	if (exact_programs())
		EXPECT_EQ(MORE, many - few);
	EXPECT_LE(MORE, many - few);
	/* The loop outside is none of its. */
	EXPECT_LE(FEW * LOOP_INSTRUCTIONS, few);
	EXPECT_GT(FEW * LOOP_INSTRUCTIONS + 10000ULL, few);
	snprintf(options, sizeof(options), "-a -G %s", name_of(&idle));
	count(_metadata, options, FEW);
	EXPECT_EQ(0ULL, value_of(&idle));
	run(&output, "pmudev stat -G %s -e %s -- true", name_of(&idle), event);
	EXPECT_EQ(1U, times_in(&output, ", cgroup pmudev-")) TH_LOG("%s", output.text);
}

TEST_F(stat_cgroup, each)
{
	char options[160];
	__u64 few;

	snprintf(options, sizeof(options), "--for-each-cgroup %s,%s", name_of(&idle),
		 name_of(&busy));
	count(_metadata, options, FEW);
	few = value_of(&busy);
	EXPECT_EQ(0ULL, value_of(&idle)) TH_LOG("%s", output.text);
	count(_metadata, options, MANY);
	EXPECT_EQ(0ULL, value_of(&idle)) TH_LOG("%s", output.text);
	EXPECT_LE(MORE, value_of(&busy) - few);
	if (exact_programs())
		EXPECT_EQ(MORE, value_of(&busy) - few);
	run(&output, "pmudev stat %s -j -e %s -- true", options, event);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(2U, times_in(&output, "\"cgroup\"")) TH_LOG("%s", output.text);
}

/* The time of a cgroup is that of its threads; perf's events are those of the cgroup, too. */
TEST_F(stat_cgroup, software)
{
	/* The kernel's perf knows groups only after some controller was enabled. */
	if (cgroup_write(&cgroup_root, "cgroup.subtree_control", "+pids"))
		SKIP(return, "no controller to enable in this kernel (CONFIG_CGROUP_PIDS)");
	run(&output, "pmudev stat -G %s -e %s,task-clock,context-switches -- %s --play in %s %d",
	    name_of(&busy), event, program, busy.path, MANY);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(1U, times_in(&output, " task-clock"));
	EXPECT_EQ(1U, times_in(&output, " context-switches")) TH_LOG("%s", output.text);
}

TEST_F(stat_cgroup, refused)
{
	static const struct {
		const char *options, *words;
	} cases[] = {
		{ "-G a,b -- true", "of several: --for-each-cgroup a,b" },
		{ "-G no-such -- true", "/tmp/cgroup2/no-such: No such file or directory" },
		{ "--for-each-cgroup , -- true", "',' names no cgroup" },
		{ "-G / --for-each-cgroup / -- true", "only one of -G and --for-each-cgroup" },
		{ "-G / -p 1", "count on CPUs: leave out -p and -t" },
		{ "-A --for-each-cgroup / -- true", "only one of -A, --per-thread" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		run(&output, "pmudev stat %s", cases[i].options);
		EXPECT_EQ(2, output.status) TH_LOG("%s", cases[i].options);
		EXPECT_EQ(1U, times_in(&output, cases[i].words))
		TH_LOG("%s: %s", cases[i].options, output.text);
	}
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "--play"))
		return play_in(argv[3], number(argv[4]));
	return test_harness_run(argc, argv);
}
