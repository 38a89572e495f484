// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev stat --repeatability`: it finds what the instructions of runs go with, to the unit. A
 * program that is run again and again counts its runs in a file, and does something else in each.
 */
#include "command.h"
#include "common.h"
#include "kselftest_harness.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define COUNTER "/tmp/stat_repeat"
#define RUNS	16
#define CYCLE	4
#define PAGE	65536 /* no page is larger */

static struct output output;
static char program[256];
static char event[16];

/* ------------------------------------------------------------------- the parts -- */

/* The number of this run, 0 to 7, and again; it takes as many instructions for each. */
static int next_run(void)
{
	char digit = '0', next;
	int fd = open(COUNTER, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || read(fd, &digit, 1) < 0)
		return -1;
	next = '0' + ((digit - '0' + 1) & 7);
	if (pwrite(fd, &next, 1, 0) != 1)
		return -1;
	close(fd);
	return digit - '0';
}

/* Touches a page for the first time, and loops. */
static int play_faults(int times, long rounds)
{
	char *pages = mmap(NULL, CYCLE * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	/* EINVAL: this kernel has no huge pages. */
	if (madvise(pages, CYCLE * PAGE, MADV_NOHUGEPAGE) < 0 && errno != EINVAL)
		return 1;
	while (times--) {
		pages[times * PAGE] = 1;
		__asm__ __volatile__("" : : "r"(pages) : "memory");
		loop(rounds);
	}
	return 0;
}

static long handler_rounds;

static void handle(int signal)
{
	(void)signal;
	loop(handler_rounds);
}

static int play_signals(int times, long rounds)
{
	handler_rounds = rounds;
	if (signal(SIGUSR1, handle) == SIG_ERR)
		return 1;
	while (times--)
		kill(getpid(), SIGUSR1);
	return 0;
}

/* Something that none of the candidates is about. */
static int play_odd(int run)
{
	static const int rounds[] = { 70, 30, 90, 20, 80, 10, 50, 40 };

	loop(rounds[run]);
	return 0;
}

static int play(const char *part, long rounds)
{
	int run = next_run();

	if (run < 0)
		return 1;
	if (!strcmp(part, "faults"))
		return play_faults(run % CYCLE, rounds);
	if (!strcmp(part, "signals"))
		return play_signals(run % CYCLE, rounds);
	return strcmp(part, "odd") ? 0 : play_odd(run);
}

/* --------------------------------------------------------------------- a command -- */

FIXTURE(repeat)
{
	char unused;
};

FIXTURE_SETUP(repeat)
{
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	ASSERT_GT(len, 0);
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	snprintf(event, sizeof(event), "r%llx:u", steady_event());
	unlink(COUNTER);
	/* Files are cached then, and the counter is there. */
	run(&output, "%s --play same 0; %s --play same 0", program, program);
}

FIXTURE_TEARDOWN(repeat)
{
	unlink(COUNTER);
}

static void run_repeated(const char *options, const char *part, long rounds)
{
	run(&output, "pmudev stat -r %d --repeatability %s -- %s --play %s %ld", RUNS, options,
	    program, part, rounds);
}

TEST_F(repeat, equal_to_the_unit)
{
	if (!exact_programs())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	run_repeated("", "same", 1000);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1, times_in(&output, " instructions:u is repeatable: "))
	TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, " in each of 16 runs.\n"));
	EXPECT_EQ(0, times_in(&output, "page-faults:"));
	run_repeated("--json", "same", 1000);
	EXPECT_EQ(1, times_in(&output, "\"runs\": 16, \"repeatable\": true, "))
	TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"goes-with\": []"));
}

/* What each of these costs, by the last object. -1: they do not go with it to the unit */
static long long price(const char *candidate)
{
	char name[64], *at;

	snprintf(name, sizeof(name), "\"goes-with\": [\"%s\"]", candidate);
	if (!strstr(output.text, name))
		return -1;
	snprintf(name, sizeof(name), "\"name\": \"%s\"", candidate);
	at = strstr(output.text, name);
	at = at ? strstr(at, "\"each\": ") : NULL;
	return at ? strtoll(at + strlen("\"each\": "), NULL, 10) : -1;
}

/* A part whose runs differ in one of the candidates; all else is the same for each number. */
static long long cost_of(const char *part, const char *candidate, long rounds)
{
	char options[64];

	snprintf(options, sizeof(options), "--json -e %s", event);
	run_repeated(options, part, rounds);
	return output.status ? -1 : price(candidate);
}

#define EXPECT_COST(part, candidate)                                                          \
	do {                                                                                  \
		long long __few = cost_of(part, candidate, 1000), __many;                     \
		char __text[80];                                                              \
		EXPECT_GT(__few, 1000LL * LOOP_INSTRUCTIONS) TH_LOG("%s", output.text);       \
		__many = cost_of(part, candidate, 3000);                                      \
		EXPECT_EQ(2000LL * LOOP_INSTRUCTIONS, __many - __few)                         \
		TH_LOG("%s", output.text);                                                    \
		snprintf(__text, sizeof(__text), "-e %s", event);                             \
		run_repeated(__text, part, 1000);                                             \
		EXPECT_EQ(1, times_in(&output, " Counts go with " candidate ", to the unit")) \
		TH_LOG("%s", output.text);                                                    \
		EXPECT_EQ(1, times_in(&output, " for each, to the unit\n"));                  \
		EXPECT_EQ(1, times_in(&output, " That is a correlation"));                    \
		EXPECT_EQ(0, times_in(&output, "None of these"));                             \
	} while (0)

TEST_F(repeat, page_faults)
{
	if (!exact_programs())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	EXPECT_COST("faults", "page-faults");
}

TEST_F(repeat, signals)
{
	if (!exact_programs())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	if (access("/sys/kernel/debug/tracing/events/signal/signal_deliver/id", R_OK))
		SKIP(return, "this kernel has no tracepoint of signals");
	EXPECT_COST("signals", "signals");
}

TEST_F(repeat, something_else)
{
	if (!exact_programs())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	run_repeated("", "odd", 0);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1, times_in(&output, "8 different counts, ")) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, " None of these explains it.\n"));
	EXPECT_EQ(0, times_in(&output, "Counts go with"));
	/* run() switches randomization off. */
	EXPECT_EQ(0, times_in(&output, "setarch"));
	run_repeated("--json", "odd", 0);
	EXPECT_EQ(1, times_in(&output, "\"random-addresses\": false")) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "\"goes-with\": []"));
}

TEST_F(repeat, refused)
{
	static const char *const calls[][2] = {
		{ "--repeatability -- true", "it needs -r and a number above 2" },
		{ "-r 2 --repeatability -- true", "it needs -r and a number above 2" },
		{ "-r 5 --repeatability -p 1 -- true", "--repeatability is of a command" },
		{ "-r 5 --repeatability -n -- true", "leave out -n, --multiplex" },
		{ "-r 5 --repeatability --multiplex -- true", "leave out -n, --multiplex" },
		{ "-r 5 --repeatability --timeout 100 -- true", "leave out -n, --multiplex" },
		{ "-r 5 --repeatability --csv -- true", "or with --json" },
		{ "-r 5 --repeatability --metric-only -- true", "leave out --metric-only" },
		{ "-r 5 --repeatability -e page-faults -- true", "an event of the CPU" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		run(&output, "pmudev stat %s", calls[i][0]);
		EXPECT_EQ(2, output.status) TH_LOG("%s", calls[i][0]);
		EXPECT_EQ(1, times_in(&output, calls[i][1])) TH_LOG("%s", output.text);
	}
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "--play"))
		return play(argv[2], strtol(argv[3], NULL, 10));
	return test_harness_run(argc, argv);
}
