// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev record`: every sample is where the program was, in the file that it executed then,
 * however short it lived. Recorded is this program, with the name of a part to play.
 */
#include "record_table.h"
#include "kselftest_harness.h"

#include <signal.h>

#define PERIOD 10007

/* ------------------------------------------------------------------- the parts -- */

static long rounds;

static void *be_thread(void *unused)
{
	(void)unused;
	known_loop(rounds);
	return NULL;
}

static void be_loop(const char *file)
{
	char n[24];

	snprintf(n, sizeof(n), "%ld", rounds);
	execl(file, file, "--play", "loop", n, NULL);
	_exit(1);
}

/* One after the other, each as another program. */
static int play_children(void)
{
	int i, child;

	for (i = 0; i < PEOPLE; i++) {
		child = fork();
		if (!child) {
			known_loop(rounds);
			be_loop(program);
		}
		if (child_result(child) != 7)
			return 1;
	}
	return 7;
}

/* The same addresses in two files. */
static int play_exec(void)
{
	known_loop(rounds);
	be_loop(OTHER);
	return 1;
}

static sig_atomic_t signals;

static void count_signal(int signal)
{
	(void)signal;
	signals++;
}

/* Signals arrive, and it can be stopped and continued. */
static int play_signals(void)
{
	int status, child = fork();

	if (!child) {
		signal(SIGUSR1, count_signal);
		raise(SIGUSR1);
		raise(SIGSTOP);
		known_loop(rounds);
		raise(SIGUSR1);
		_exit(signals == 2 ? 0 : 1);
	}
	if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status))
		return 2;
	kill(child, SIGCONT);
	return child_result(child) ? 3 : 7;
}

static int play_calls(void)
{
	for (; rounds; rounds--)
		getppid();
	return 7;
}

static int play(int argc, char **argv)
{
	rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) <= 0)
		return 1;
	if (!strcmp(argv[1], "threads"))
		return play_threads(be_thread);
	if (!strcmp(argv[1], "children"))
		return play_children();
	if (!strcmp(argv[1], "exec"))
		return play_exec();
	if (!strcmp(argv[1], "signals"))
		return play_signals();
	if (!strcmp(argv[1], "calls"))
		return play_calls();
	known_loop(rounds);
	return 7;
}

/* --------------------------------------------------------------------- a command -- */

FIXTURE(record)
{
	struct pmudev_query query;
};

FIXTURE_SETUP(record)
{
	const char *missing = cannot_follow(&self->query);

	ASSERT_TRUE(!missing || *missing);
	if (missing)
		SKIP(return, "%s", missing);
	ASSERT_EQ(0, limit_overflows(false));
}

FIXTURE_TEARDOWN(record)
{
	limit_overflows(true);
	unlink(TABLE);
	unlink(OTHER);
}

static void record_part(const char *options, const char *part, long n)
{
	run(&output, "pmudev record -e instructions:u -c %d -o " TABLE " %s -- %s --play %s %ld",
	    PERIOD, options, program, part, n);
}

/* All of it was recorded; samples of @alone threads do not add up to a period. */
static void expect_all(struct __test_metadata *_metadata, unsigned int alone)
{
	EXPECT_EQ(7, output.status) TH_LOG("%s", output.text);
	ASSERT_TRUE(read_table()) TH_LOG("%s", output.text);
	EXPECT_EQ(0ULL, table.dropped);
	EXPECT_EQ(0U, table.unknown) TH_LOG("%s", table.first);
	EXPECT_GE(table.total / PERIOD, table.samples);
	EXPECT_LE(table.total / PERIOD, table.samples + alone);
}

TEST_F(record, of_one)
{
	record_part("", "loop", 5000000);
	expect_all(_metadata, 1);
	EXPECT_EQ(0U, table.uneven);
	EXPECT_EQ(1U, table.nr_tids);
	/* What it executes before and after takes less than a sixteenth. */
	EXPECT_LE(10000000U / PERIOD - 1, table.inside);
	EXPECT_LT(table.samples - table.inside, table.samples / 16);
	EXPECT_EQ(1, times_in(&output, "samples in " TABLE "\n")) TH_LOG("%s", output.text);
}

TEST_F(record, of_threads)
{
	record_part("", "threads", 1000000);
	expect_all(_metadata, 1 + PEOPLE);
	EXPECT_EQ(1U + PEOPLE, table.nr_tids);
	EXPECT_LE(PEOPLE * (2000000U / PERIOD - 1), table.inside);
}

/* Each is a process, and then another program, and ends at once. */
TEST_F(record, of_children)
{
	record_part("", "children", 100000);
	expect_all(_metadata, 1 + PEOPLE);
	EXPECT_LE(2 * PEOPLE * (200000U / PERIOD - 1), table.inside);
}

TEST_F(record, of_two_programs)
{
	run(&output, "cp %s " OTHER, program);
	ASSERT_EQ(0, output.status);
	record_part("", "exec", 500000);
	expect_all(_metadata, 1);
	EXPECT_LE(1000000U / PERIOD - 1, table.inside);
	EXPECT_LE(1000000U / PERIOD - 1, table.other);
	EXPECT_GE(1000000U / PERIOD + 1, table.inside);
	EXPECT_GE(1000000U / PERIOD + 1, table.other);
}

/* Not traced, and long enough to be looked at. */
TEST_F(record, not_traced)
{
	record_part("--no-ptrace", "loop", 50000000);
	EXPECT_EQ(7, output.status) TH_LOG("%s", output.text);
	ASSERT_TRUE(read_table());
	EXPECT_EQ(0ULL, table.dropped);
	EXPECT_LT(table.samples / 2, table.inside);
	EXPECT_EQ(table.unknown ? 1U : 0U, times_in(&output, "unknown in which file"));
}

TEST_F(record, waits_for_room)
{
	record_part("--lossless -m 1", "threads", 1000000);
	expect_all(_metadata, 1 + PEOPLE);
	EXPECT_LE(PEOPLE * (2000000U / PERIOD - 1), table.inside);
}

/* What has no room is dropped, counted, and told. */
TEST_F(record, drops_and_tells)
{
	run(&output,
	    "pmudev record -e instructions:u -c 101 -m 1 -o " TABLE " -- %s --play threads %d",
	    program, 1000000);
	EXPECT_EQ(7, output.status) TH_LOG("%s", output.text);
	ASSERT_TRUE(read_table());
	/* Of several that are due at once one is written. */
	if (interrupts_on_time())
		EXPECT_LE(PEOPLE * 2000000U / 101, table.samples + table.dropped);
	EXPECT_EQ(table.dropped ? 1U : 0U, times_in(&output, "more were dropped"));
}

TEST_F(record, of_a_process)
{
	struct running running;
	int child = fork_bound();

	if (!child)
		for (;;)
			known_loop(1000);
	running = start("exec pmudev record -e instructions:u -c %d -o - -p %d >" TABLE, PERIOD,
			child);
	ASSERT_TRUE(WAIT_FOR(read_table() && table.samples > 100));
	stop_child(child);
	finish(running, &output);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	ASSERT_TRUE(read_table());
	EXPECT_EQ(1U, table.nr_tids);
	EXPECT_EQ(child, table.tid[0]);
	EXPECT_EQ(0U, table.unknown);
	/* It is called each 2000 instructions. */
	EXPECT_LE(table.samples - table.samples / 50, table.inside);
	EXPECT_LT(100U, table.inside);
}

TEST_F(record, of_the_kernel)
{
	/* An interrupt can take more instructions of the kernel than a period has. */
	ASSERT_EQ(0, limit_overflows(true));
	run(&output,
	    "pmudev record -e instructions:k -c 20011 -o " TABLE " -- %s --play calls 100000",
	    program);
	EXPECT_EQ(7, output.status) TH_LOG("%s", output.text);
	ASSERT_TRUE(read_table());
	EXPECT_LT(20U, table.kernel);
	EXPECT_EQ(table.kernel, table.named);
}

TEST_F(record, signals)
{
	record_part("", "signals", 100000);
	expect_all(_metadata, 2);
}

/* Other events' counts stand beside, and the same as JSON. */
TEST_F(record, json)
{
	run(&output,
	    "pmudev record -e instructions:u,instructions:u/name=again/ -c 1000003 -j -o - "
	    "-- %s --play loop 5000000",
	    program);
	if (output.status == 126)
		run(&output,
		    "pmudev record -e instructions:u,cycles:u -c 1000003 -j -o - -- %s --play loop 5000000",
		    program);
	EXPECT_EQ(7, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(11U, times_in(&output, "\"mode\": \"")) TH_LOG("%s", output.text);
}

TEST_F(record, report)
{
	record_part("", "loop", 5000000);
	ASSERT_EQ(7, output.status);
	run(&output, "pmudev report --by file " TABLE);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1, times_in(&output, program)) TH_LOG("%s", output.text);
	/* Of the rows; the samples may stand for all that was counted, too. */
	EXPECT_EQ(1, times_in(&output, "100.00%  ")) TH_LOG("%s", output.text);
}

TEST_F(record, what_is_wrong)
{
	run(&output, "pmudev record -o " TABLE);
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev record -p 1 -- /bin/true");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev record -c 0 -- /bin/true");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev record -e nosuch -o " TABLE " -- /bin/true");
	EXPECT_EQ(126, output.status) TH_LOG("%s", output.text);
	run(&output, "pmudev record -o " TABLE " -- /nosuch");
	EXPECT_EQ(127, output.status) TH_LOG("%s", output.text);
	run(&output, "pmudev record -o /nosuch/file -- /bin/true");
	EXPECT_EQ(126, output.status) TH_LOG("%s", output.text);
	run(&output, "pmudev record -o " TABLE " -p 99999999");
	EXPECT_EQ(126, output.status) TH_LOG("%s", output.text);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play"))
		return play(argc - 1, argv + 1);
	return test_harness_run(argc, argv);
}
