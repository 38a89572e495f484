// SPDX-License-Identifier: GPL-2.0
/*
 * `pmudev stat`: what it counts of children, processes and CPUs, to the instruction where the
 * machine is exact. Counted is this program, with the name of a part to play. Of two runs that
 * differ in the rounds of a loop only, all else is the same, and the difference is known.
 */
#include "command.h"
#include "common.h"
#include "kselftest_harness.h"
#include "server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHILDREN 5
/* Numbers with as many digits take as long to read. */
#define FEW  100000
#define MANY 300000
#define MORE ((__u64)(MANY - FEW) * LOOP_INSTRUCTIONS)

static struct output output;
static char program[256];
static char event[16];

/* ------------------------------------------------------------------- the parts -- */

/* Children that have a child each; all of them loop, and this process does not. */
static int play_children(long rounds)
{
	int i, status, pid;

	for (i = 0; i < CHILDREN; i++) {
		if (plain_fork())
			continue;
		pid = plain_fork();
		loop(rounds);
		if (pid)
			plain_wait(&status);
		plain_exit();
	}
	for (i = 0; i < CHILDREN; i++)
		plain_wait(&status);
	return 0;
}

/* Waits until some set is enabled. */
static int play_busy(void)
{
	struct pmudev_query query;

	return WAIT_FOR(!pm_query(&query) && query.busy) ? 0 : 1;
}

static int play(int argc, char **argv)
{
	long number = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	if (!strcmp(argv[1], "loop"))
		loop(number);
	else if (!strcmp(argv[1], "children"))
		return play_children(number);
	else if (!strcmp(argv[1], "ask"))
		return ask_server(atoi(argv[3]), number) ? 1 : 0;
	else if (!strcmp(argv[1], "busy"))
		return play_busy();
	else if (!strcmp(argv[1], "end"))
		return end_server(number) ? 1 : 0;
	return 0;
}

/* --------------------------------------------------------------------- a command -- */

FIXTURE(stat)
{
	int server;
};

FIXTURE_SETUP(stat)
{
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	self->server = -1;
	ASSERT_GT(len, 0);
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	snprintf(event, sizeof(event), "r%llx:u", steady_event());
}

FIXTURE_TEARDOWN(stat)
{
	stop_child(self->server);
}

/* What is counted more when the loops of this part have more rounds. */
static long long counted_more(const char *options, const char *part)
{
	__u64 few, many;

	run(&output, "pmudev stat %s -e %s -- %s --play %s %d", options, event, program, part, FEW);
	if (output.status || !stat_value(&output, event, &few, NULL))
		return -1;
	run(&output, "pmudev stat %s -e %s -- %s --play %s %d", options, event, program, part,
	    MANY);
	if (output.status || !stat_value(&output, event, &many, NULL))
		return -1;
	return many - few;
}

/* Is that so many loops more? Where counts are not exact, loops are at least counted. */
static bool is_more(int loops, long long more)
{
	return exact_programs() ? more == (long long)(loops * MORE) :
				  more > loops * (MANY - FEW) / 2;
}

#define EXPECT_MORE(loops, more)                              \
	do {                                                  \
		long long __more = more;                      \
		EXPECT_TRUE(is_more(loops, __more))           \
		TH_LOG("%lld more; %s", __more, output.text); \
	} while (0)

TEST_F(stat, a_program)
{
	EXPECT_MORE(1, counted_more("", "loop"));
	EXPECT_MORE(1, counted_more("-i", "loop"));
}

TEST_F(stat, children_and_theirs)
{
	EXPECT_MORE(2 * CHILDREN, counted_more("", "children"));
}

TEST_F(stat, no_children)
{
	if (!exact_programs())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	EXPECT_EQ(0, counted_more("--no-inherit", "children")) TH_LOG("%s", output.text);
}

TEST_F(stat, how_the_command_ended)
{
	run(&output, "pmudev stat -- sh -c 'exit 3'");
	EXPECT_EQ(3, output.status);
	run(&output, "pmudev stat -- sh -c 'kill -9 $$'");
	EXPECT_EQ(128 + SIGKILL, output.status);
	EXPECT_EQ(1, times_in(&output, "was ended by signal 9")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat -- /nowhere");
	EXPECT_EQ(127, output.status);
	run(&output, "pmudev stat -- /dev/null");
	EXPECT_EQ(126, output.status);
	EXPECT_EQ(1, times_in(&output, "cannot run '/dev/null'")) TH_LOG("%s", output.text);
	run(&output, "pmudev stat");
	EXPECT_EQ(2, output.status);
}

/* ------------------------------------------------------------------- a process -- */

/* The same of the server while it is asked. */
static long long asked_more(const char *option, int pid)
{
	long long rounds[] = { FEW, MANY };
	__u64 value[2];
	int i;

	for (i = 0; i < 2; i++) {
		run(&output, "pmudev stat %s %d -e %s -- %s --play ask %lld %d", option, pid, event,
		    program, rounds[i], pid);
		if (output.status || !stat_value(&output, event, &value[i], NULL))
			return -1;
	}
	return value[1] - value[0];
}

TEST_F(stat, a_running_process)
{
	self->server = start_server();
	ASSERT_GT(self->server, 0);
	/* All its threads, and a child that it makes each time. */
	EXPECT_MORE(SERVER_THREADS + 1, asked_more("-p", self->server));
	EXPECT_MORE(SERVER_THREADS, asked_more("-i -p", self->server));
	/* Its main thread makes the child, and does not loop. */
	EXPECT_MORE(1, asked_more("-t", self->server));
	if (exact_instructions())
		EXPECT_EQ(0, asked_more("-i -t", self->server)) TH_LOG("%s", output.text);
	/* Every thread is another target, at once counted as before. */
	EXPECT_MORE(SERVER_THREADS + 1, asked_more("-p", self->server));
}

/* Without a command: until the process is no more. */
TEST_F(stat, until_the_process_ends)
{
	struct running running;
	char title[64];
	__u64 value;

	self->server = start_server();
	ASSERT_GT(self->server, 0);
	running = start("pmudev stat -e %s -p %d", event, self->server);
	ASSERT_EQ(0, play_busy());
	EXPECT_EQ(0, ask_server(self->server, MANY));
	stop_child(self->server);
	finish(running, &output);
	EXPECT_EQ(0, output.status);
	snprintf(title, sizeof(title), "for 'process %d':", self->server);
	EXPECT_EQ(1, times_in(&output, title)) TH_LOG("%s", output.text);
	ASSERT_TRUE(stat_value(&output, event, &value, NULL));
	EXPECT_GE(value, (SERVER_THREADS + 1) * (__u64)MANY);
	self->server = -1;
}

TEST_F(stat, the_process_ends_first)
{
	__u64 value;

	self->server = start_server();
	ASSERT_GT(self->server, 0);
	run(&output, "pmudev stat -p %d -e %s -- sh -c '%s --play ask %d %d; %s --play end %d'",
	    self->server, event, program, MANY, self->server, program, self->server);
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1, times_in(&output, "The process ended before the command did."))
	TH_LOG("%s", output.text);
	ASSERT_TRUE(stat_value(&output, event, &value, NULL));
	EXPECT_GE(value, (SERVER_THREADS + 1) * (__u64)MANY);
	/* Then there is nothing to count. */
	run(&output, "pmudev stat -p %d -e %s -- true", self->server, event);
	EXPECT_EQ(126, output.status) TH_LOG("%s", output.text);
}

/* ------------------------------------------------------------------------ CPUs -- */

TEST_F(stat, a_cpu)
{
	__u64 here, there;

	ASSERT_EQ(0, pin_to(0));
	run(&output, "pmudev stat -C 0 -e %s -- %s --play loop %d", event, program, MANY);
	EXPECT_EQ(0, output.status);
	ASSERT_TRUE(stat_value(&output, event, &here, NULL)) TH_LOG("%s", output.text);
	EXPECT_GE(here, (__u64)MANY);
	if (cpus_online() < 2)
		return;
	run(&output, "pmudev stat -C 0-1 -e %s -- %s --play loop %d", event, program, MANY);
	EXPECT_EQ(1, times_in(&output, "for 'CPUs 0-1' during '")) TH_LOG("%s", output.text);
	ASSERT_TRUE(stat_value(&output, event, &here, NULL));
	EXPECT_GE(here, (__u64)MANY);
	/* In user mode nothing runs there. */
	run(&output, "pmudev stat -C 1 -e %s -- %s --play loop %d", event, program, MANY);
	ASSERT_TRUE(stat_value(&output, event, &there, NULL)) TH_LOG("%s", output.text);
	EXPECT_LT(there, (__u64)MANY);
}

/* Until it is told to end: a shell's background jobs ignore Ctrl-C, so it is another signal. */
TEST_F(stat, until_a_signal)
{
	__u64 value;

	run(&output,
	    "pmudev stat -C 0 -e %s & %s --play busy; %s --play loop %d; kill -TERM $!; wait $!",
	    event, program, program, MANY);
	EXPECT_EQ(0, output.status);
	EXPECT_TRUE(stat_value(&output, event, &value, NULL)) TH_LOG("%s", output.text);
}

/* All CPUs or none; and which one it is that refuses. */
TEST_F(stat, one_cpu_refuses)
{
	struct pmudev_event_attr attr = event_on(FIXED_COUNTER, USER_ONLY);
	int fd;

	if (cpus_online() < 2)
		SKIP(return, "needs two CPUs");
	fd = pm_cpu_set(1, 0, &attr, 1);
	ASSERT_GE(fd, 0);
	run(&output, "pmudev stat -C 0-1 -e r%x@%s%u:u -- %s --play loop 1", FIXED_EVENT,
	    FIXED_COUNTER < PMUDEV_FIXED_BASE ? "" : "fixed", FIXED_COUNTER % PMUDEV_FIXED_BASE,
	    program);
	EXPECT_EQ(126, output.status);
	EXPECT_EQ(1, times_in(&output, "pmudev: CPU 1: r")) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, ", which counts CPU 1"));
	close(fd);
}

/* ---------------------------------------------------------------- multiplexing -- */

/* So many times the same event, each a group of its own, on programmable counters. */
static const char *many_events(unsigned int nr)
{
	static char list[2048];
	size_t used = 0;

	while (nr--)
		used += snprintf(list + used, sizeof(list) - used, "%s%.*s@0-31:u", used ? "," : "",
				 (int)strcspn(event, ":"), event);
	return list;
}

static unsigned int programmable(void)
{
	struct pmudev_query query;

	return pm_query(&query) ? 0 : __builtin_popcountll(query.available & 0xffffffff);
}

TEST_F(stat, too_many)
{
	unsigned int nr = programmable() + 1;

	unlink("/tmp/ran");
	run(&output, "pmudev stat -e %s -- touch /tmp/ran", many_events(nr));
	EXPECT_EQ(126, output.status);
	EXPECT_EQ(1, times_in(&output, "--multiplex lets the events share counters"))
	TH_LOG("%s", output.text);
	EXPECT_EQ(-1, access("/tmp/ran", F_OK));
	/* That does not help one group. */
	run(&output, "pmudev stat -e '{%s}' -- touch /tmp/ran", many_events(nr));
	EXPECT_EQ(126, output.status);
	EXPECT_EQ(0, times_in(&output, "--multiplex")) TH_LOG("%s", output.text);
	EXPECT_EQ(-1, access("/tmp/ran", F_OK));
}

#define LONG_LOOP 20000000

/* How near: where turns take long, one may take longer than another. */
#define NEAR (debug_kernel() ? 5 : 30)

/* Each group has its share, and is told to have counted for that; estimates are near the truth. */
TEST_F(stat, multiplexed)
{
	unsigned int nr = programmable() + 3, on = programmable() - LEFT_TO_PERF, i;
	double percent, sum = 0;
	__u64 truth, value;
	char name[32];

	if (!exact_instructions())
		SKIP(return, "instructions are not counted exactly here (PMUDEV_EXACT)");
	run(&output, "pmudev stat -e %s -- %s --play loop %d", event, program, LONG_LOOP);
	ASSERT_TRUE(stat_value(&output, event, &truth, &percent)) TH_LOG("%s", output.text);
	EXPECT_EQ(100, percent);
	EXPECT_EQ(0, times_in(&output, "shared counters"));
	run(&output, "pmudev stat --multiplex -e %s -- %s --play loop %d", many_events(nr), program,
	    LONG_LOOP);
	EXPECT_EQ(0, output.status);
	snprintf(name, sizeof(name), "%.*s@0-31:u", (int)strcspn(event, ":"), event);
	for (i = 0; i < nr; i++) {
		ASSERT_TRUE(stat_nth_value(&output, name, i, &value, &percent))
		TH_LOG("%s", output.text);
		EXPECT_LT(percent, 100);
		EXPECT_LT(llabs((long long)(value - truth)), (long long)(truth / NEAR))
		TH_LOG("%llu, estimated %llu (%.2f %%)", truth, value, percent);
		sum += percent;
	}
	EXPECT_LT(sum, 100 * on * 1.03) TH_LOG("sum %.2f: %s", sum, output.text);
	EXPECT_GT(sum, 100 * on * 0.97);
	EXPECT_EQ(1, times_in(&output, "shared counters"));
}

/* What had no turn is not counted, which is not 0. */
TEST_F(stat, not_counted)
{
	unsigned int nr = 60, counted = 0, missing;
	__u64 value, all = 0;
	char name[32];

	run(&output, "pmudev stat --multiplex -e %s -- %s --play loop 1", many_events(nr), program);
	EXPECT_EQ(0, output.status);
	missing = times_in(&output, "<not counted>");
	EXPECT_GE(missing, 1U) TH_LOG("%s", output.text);
	EXPECT_EQ(missing, times_in(&output, "rotation did not reach it"));
	snprintf(name, sizeof(name), "%.*s@0-31:u", (int)strcspn(event, ":"), event);
	/* The last one may have had its turn when only the kernel was left to count. */
	while (stat_nth_value(&output, name, counted, &value, NULL)) {
		all += value;
		counted++;
	}
	EXPECT_GT(all, 0ULL);
	EXPECT_EQ(nr, missing + counted) TH_LOG("%s", output.text);
}

/* Where all fit there is nothing to share, and nothing to estimate. */
TEST_F(stat, multiplexed_without_need)
{
	double percent;
	__u64 value;

	EXPECT_MORE(1, counted_more("--multiplex", "loop"));
	EXPECT_TRUE(stat_value(&output, event, &value, &percent));
	EXPECT_EQ(100, percent);
	EXPECT_EQ(0, times_in(&output, "shared counters"));
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play"))
		return play(argc - 1, argv + 1);
	return test_harness_run(argc, argv);
}
