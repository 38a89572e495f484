// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev run --limit`: a program with its threads and child processes counts so much, is killed
 * then, and leaves nothing behind. Run is this program, with the name of a part to play.
 */
#include "json_valid.h"
#include "run_command.h"
#include "kselftest_harness.h"

#include <signal.h>

#define ORPHAN "/tmp/run_limit_test.pid"
/*
 * What is executed until it is noticed, and until all are killed by a process like others. A CPU
 * that has taken as many interrupts as it may (dev.pmudev.max_overflows) notices at its next tick:
 * after 4 ms, of an instruction per ns, in the emulator.
 */
#define UNNOTICED (4000000ULL + 1000000)
#define LATE	  1000000000ULL

/* ------------------------------------------------------------------- the parts -- */

static long rounds;

static void *be_thread(void *unused)
{
	(void)unused;
	loop(rounds);
	return NULL;
}

static int play_children(void)
{
	int child[PEOPLE], i;

	for (i = 0; i < PEOPLE; i++) {
		child[i] = fork();
		if (!child[i]) {
			loop(rounds);
			_exit(0);
		}
	}
	for (i = 0; i < PEOPLE; i++)
		if (child_result(child[i]))
			return 1;
	return 7;
}

/* One that has left its parent, its session and its group. */
static int play_orphan(void)
{
	FILE *file;

	if (!fork()) {
		setsid();
		if (fork())
			_exit(0);
		file = fopen(ORPHAN ".new", "w");
		fprintf(file, "%d\n", (int)getpid());
		fclose(file);
		rename(ORPHAN ".new", ORPHAN);
		for (;;)
			loop(1000000);
	}
	if (!WAIT_FOR(!access(ORPHAN, F_OK)))
		return 1;
	loop(rounds);
	return 7;
}

static int play(int argc, char **argv)
{
	rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	if (!strcmp(argv[1], "threads"))
		return play_threads(be_thread);
	if (!strcmp(argv[1], "children"))
		return play_children();
	if (!strcmp(argv[1], "orphan"))
		return play_orphan();
	loop(rounds);
	return 7;
}

/* --------------------------------------------------------------------- a command -- */

FIXTURE(limit)
{
	struct pmudev_query query;
};

FIXTURE_SETUP(limit)
{
	const char *missing = cannot_follow(&self->query);

	ASSERT_TRUE(!missing || *missing);
	if (missing)
		SKIP(return, "%s", missing);
}

FIXTURE_TEARDOWN(limit)
{
	unlink(ORPHAN);
}

static void run_part(const char *limits, const char *part, long n)
{
	run(&output, "pmudev run %s -j -- %s --play %s %ld", limits, program, part, n);
}

static void expect_killed(struct __test_metadata *_metadata, __u64 wanted)
{
	EXPECT_EQ(REACHED, output.status) TH_LOG("%s", output.text);
	EXPECT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"reached\": true"));
	EXPECT_EQ(1, times_in(&output, "\"killed\": true"));
	EXPECT_EQ(1, times_in(&output, "\"complete\": true"));
	EXPECT_LE(wanted, reported("noticed", 0));
	EXPECT_GT(wanted + (debug_kernel() ? 10 : 1) * UNNOTICED, reported("noticed", 0))
	TH_LOG("%s", output.text);
	EXPECT_LE(reported("noticed", 0), reported("count", 0));
	EXPECT_GT(wanted + LATE, reported("count", 0)) TH_LOG("%s", output.text);
}

TEST_F(limit, of_one)
{
	run_part("--limit instructions=5e6", "loop", 1000000000);
	expect_killed(_metadata, 5000000);
	if (exact_instructions())
		EXPECT_EQ(5000000ULL, reported("noticed", 0));
}

TEST_F(limit, of_threads)
{
	run_part("--limit instructions:u=3e7", "threads", 1000000000);
	expect_killed(_metadata, 30000000);
}

TEST_F(limit, of_children)
{
	run_part("--limit instructions=3e7", "children", 1000000000);
	expect_killed(_metadata, 30000000);
}

TEST_F(limit, ends_before)
{
	run_part("--limit instructions=1e9", "children", 100000);
	EXPECT_EQ(7, output.status) TH_LOG("%s", output.text);
	EXPECT_TRUE(json_lines_valid(output.text));
	EXPECT_EQ(1, times_in(&output, "\"reached\": false"));
	EXPECT_EQ(1, times_in(&output, "\"noticed\": null"));
	EXPECT_LE(PEOPLE * 100000ULL * LOOP_INSTRUCTIONS, reported("count", 0));
}

/* The first of two that is reached. */
TEST_F(limit, several)
{
	run_part("--limit cycles=1e12 --limit instructions=5e6", "loop", 1000000000);
	EXPECT_EQ(REACHED, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"noticed\": null"));
	EXPECT_EQ(1000000000000ULL, reported("limit", 0));
	EXPECT_LE(5000000ULL, reported("noticed", 1));
}

/* Nothing outlives it, wherever it went. */
TEST_F(limit, leaves_nothing)
{
	char text[32];
	FILE *file;
	int pid;

	run_part("--limit instructions=1e11", "orphan", 1000);
	EXPECT_EQ(7, output.status) TH_LOG("%s", output.text);
	file = fopen(ORPHAN, "r");
	ASSERT_NE(NULL, file);
	ASSERT_NE(NULL, fgets(text, sizeof(text), file));
	fclose(file);
	pid = strtol(text, NULL, 10);
	ASSERT_LT(1, pid);
	EXPECT_EQ(-1, kill(pid, 0));
	EXPECT_EQ(ESRCH, errno);
}

/* Nor does it outlive its limit: who stops pmudev stops it. */
TEST_F(limit, told_to_end)
{
	static const char *const signals[] = { "TERM", "HUP" };
	char text[32];
	FILE *file;
	size_t i;

	for (i = 0; i < 2; i++) {
		unlink(ORPHAN);
		run(&output,
		    "pmudev run --limit instructions=1e13 -- %s --play orphan 1000000000000 & "
		    "until [ -e " ORPHAN " ]; do :; done; kill -%s $!; wait $!",
		    program, signals[i]);
		EXPECT_EQ(128 + (i ? SIGHUP : SIGTERM), output.status) TH_LOG("%s", output.text);
		file = fopen(ORPHAN, "r");
		ASSERT_NE(NULL, file);
		ASSERT_NE(NULL, fgets(text, sizeof(text), file));
		fclose(file);
		EXPECT_EQ(-1, kill(strtol(text, NULL, 10), 0));
		EXPECT_EQ(ESRCH, errno);
	}
}

TEST_F(limit, text)
{
	run(&output, "pmudev run --limit instructions=5e6 -- %s --play loop 1000000000", program);
	EXPECT_EQ(REACHED, output.status);
	EXPECT_EQ(1, times_in(&output, "was killed: it reached its limit\n"))
	TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, " of 5,000,000, reached\n")) TH_LOG("%s", output.text);
	run(&output, "pmudev run --limit instructions=1e9 -- %s --play loop 10", program);
	EXPECT_EQ(7, output.status);
	EXPECT_EQ(1, times_in(&output, "ended within its limits\n")) TH_LOG("%s", output.text);
}

TEST_F(limit, what_is_wrong)
{
	run(&output, "pmudev run --limit instructions -- /bin/true");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "'instructions' is not EVENT=N")) TH_LOG("%s", output.text);
	run(&output, "pmudev run --limit nosuch=1e6 -- /bin/true");
	EXPECT_EQ(126, output.status) TH_LOG("%s", output.text);
	run(&output, "pmudev run --limit instructions=1e6 --instructions 5 -- /bin/true");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev run --limit instructions=1e6 -- /nosuch");
	EXPECT_EQ(127, output.status) TH_LOG("%s", output.text);
}

/* A shell's child is its child, and would be killed. */
TEST_F(limit, other_children)
{
	int pid;

	run(&output,
	    "sleep 1000 >/dev/null 2>&1 & echo $!; exec pmudev run --limit instructions=1e6 -- %s --play loop 9",
	    program);
	EXPECT_EQ(126, output.status) TH_LOG("%s", output.text);
	pid = strtol(output.text, NULL, 10);
	ASSERT_LT(1, pid);
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(1, times_in(&output, "has children already, which a limit would kill"))
	TH_LOG("%s", output.text);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play"))
		return play(argc - 1, argv + 1);
	return test_harness_run(argc, argv);
}
