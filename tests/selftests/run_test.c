// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev run`: a program stops after exactly so many instructions, always at the same one, and is
 * none the worse for it. Run is this program, with the name of a part to play.
 */
#include "json_valid.h"
#include "run_command.h"
#include "kselftest_harness.h"

#include <signal.h>
#include <sys/wait.h>

#define REPORT "/tmp/run_test.json"

/* ------------------------------------------------------------------- the parts -- */

/* A sum that a lost or repeated instruction would change. */
static int play_sum(long rounds)
{
	__u32 sum = 1;

	while (rounds-- > 0)
		sum = sum * 1664525 + 1013904223;
	return sum >> 24;
}

static int signals;

static void on_signal(int signal)
{
	(void)signal;
	__atomic_fetch_add(&signals, 1, __ATOMIC_RELAXED);
}

/* Signals of its own, all others blocked. */
static int play_signals(long rounds)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGUSR1);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGUSR1, on_signal);
	while (rounds-- > 0) {
		raise(SIGUSR1);
		loop(10);
	}
	return __atomic_load_n(&signals, __ATOMIC_RELAXED);
}

static int play(int argc, char **argv)
{
	long number = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	if (!strcmp(argv[1], "loop"))
		loop(number);
	else if (!strcmp(argv[1], "sum"))
		return play_sum(number);
	else if (!strcmp(argv[1], "signals"))
		return play_signals(number);
	return 0;
}

/* --------------------------------------------------------------------- a command -- */

FIXTURE(run)
{
	struct pmudev_query query;
};

FIXTURE_SETUP(run)
{
	const char *missing = cannot_run(&self->query);

	ASSERT_TRUE(!missing || *missing);
	if (missing)
		SKIP(return, "%s", missing);
	if (!exact_instructions())
		SKIP(return, "needs exact counts of each CPU");
}

FIXTURE_TEARDOWN(run)
{
}

static void run_for(__u64 wanted, const char *options, const char *part, long rounds)
{
	run(&output, "pmudev run --instructions %llu -j %s -- %s --play %s %ld", wanted, options,
	    program, part, rounds);
}

/* Exactly so many, and none of them twice. Return: where it stopped. */
static __u64 exactly(struct __test_metadata *_metadata, __u64 wanted, const char *options)
{
	run_for(wanted, options, "loop", 100000000);
	EXPECT_EQ(REACHED, output.status) TH_LOG("%s", output.text);
	EXPECT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	EXPECT_EQ(wanted, reported("instructions", 0)) TH_LOG("%s", output.text);
	return reported("pc", 0);
}

TEST_F(run, stops_exactly)
{
	static const __u64 wanted[] = { 1, 2, 3, 10, 999, 1000, 1001, 1002, 54321, 1000000 };
	unsigned int i, step = ARRAY_SIZE(wanted) / few(ARRAY_SIZE(wanted));
	__u64 pc;

	for (i = 0; i < ARRAY_SIZE(wanted); i += step) {
		pc = exactly(_metadata, wanted[i], "");
		EXPECT_EQ(pc, exactly(_metadata, wanted[i], "--skid 20"));
	}
	EXPECT_GE(20ULL, reported("steps", 0));
}

/* Where the interrupt is on time, no step is needed. */
TEST_F(run, without_a_step)
{
	__u64 pc = exactly(_metadata, 1000000, "--skid 0");

	if (reported("steps", 0))
		TH_LOG("%llu steps", reported("steps", 0));
	EXPECT_EQ(pc, exactly(_metadata, 1000000, "--skid 300"));
	EXPECT_EQ(300ULL, reported("steps", 0));
}

TEST_F(run, any_number)
{
	unsigned int i, nr = few(20);
	__u64 wanted;

	srand(1);
	for (i = 0; i < nr; i++) {
		wanted = 1 + (__u64)rand() * rand() % 10000000;
		exactly(_metadata, wanted, i & 1 ? "--skid 100" : "--skid 7");
	}
}

TEST_F(run, ends_before)
{
	__u64 whole;

	run_for(1000000000000, "", "sum", 1000);
	EXPECT_EQ(play_sum(1000), output.status);
	EXPECT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"reached\": false"));
	whole = reported("instructions", 0);
	/*
	 * Its last instruction ends it; it can be stopped before that. Without steps, which would
	 * have it repeat what a load-exclusive begins.
	 */
	run_for(whole - 1, "--skid 0", "sum", 1000);
	EXPECT_EQ(REACHED, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(whole - 1, reported("instructions", 0));
	run_for(whole, "--skid 0", "sum", 1000);
	EXPECT_EQ(play_sum(1000), output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(whole, reported("instructions", 0));
}

#define SIGNALS 50

/* Single steps change nothing in what the program does. */
TEST_F(run, goes_on)
{
	char options[64];
	__u64 half;

	run_for(50000, "--then continue", "sum", 100000);
	EXPECT_EQ(play_sum(100000), output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(50000ULL, reported("instructions", 0));
	/* Half of it by single steps. */
	run_for(100000000, "", "signals", SIGNALS);
	EXPECT_EQ(SIGNALS, output.status) TH_LOG("%s", output.text);
	half = reported("instructions", 0) / 2;
	snprintf(options, sizeof(options), "--then continue --skid %llu", half);
	run_for(2 * half - 100, options, "signals", SIGNALS);
	EXPECT_EQ(SIGNALS, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(2 * half - 100, reported("instructions", 0));
}

/* It stays, stopped, when the command has ended. */
TEST_F(run, stays_stopped)
{
	char path[64], state = 0;
	FILE *stat;
	pid_t pid;

	/* What it has open of ours would have us wait for it. */
	run(&output,
	    "pmudev run --instructions 50000 --then stop -j -o %s -- %s --play loop 100000000 "
	    ">/dev/null 2>&1; echo $? >>%s; cat %s; rm %s",
	    REPORT, program, REPORT, REPORT, REPORT);
	EXPECT_EQ(1, times_in(&output, "\n124\n")) TH_LOG("%s", output.text);
	pid = reported("pid", 0);
	ASSERT_LT(1, pid);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	stat = fopen(path, "r");
	ASSERT_NE(NULL, stat);
	EXPECT_EQ(1, fscanf(stat, "%*d (%*[^)]) %c", &state));
	fclose(stat);
	EXPECT_EQ('T', state);
	EXPECT_EQ(0, kill(pid, SIGKILL));
}

TEST_F(run, what_is_wrong)
{
	run(&output, "pmudev run --instructions 1000 -- /nosuch");
	EXPECT_EQ(127, output.status) TH_LOG("%s", output.text);
	run(&output, "pmudev run -- %s --play loop 10", program);
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev run --instructions 1.5 -- %s --play loop 10", program);
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "'1.5' is not a number of instructions"));
	run(&output, "pmudev run --instructions 1e3 -- %s --play loop 1000000", program);
	EXPECT_EQ(REACHED, output.status);
	EXPECT_EQ(1, times_in(&output, "was killed after exactly 1,000 instructions"))
	TH_LOG("%s", output.text);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play"))
		return play(argc - 1, argv + 1);
	return test_harness_run(argc, argv);
}
