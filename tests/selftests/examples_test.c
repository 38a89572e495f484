// SPDX-License-Identifier: GPL-2.0
/*
 * The programs of examples/, as people run them: what they print is right, to the instruction where
 * the machine is exact, and each refusal says what to do. They stand beside this program, in the
 * folder `examples`.
 */
#include "command.h"
#include "common.h"
#include "deadline.h"
#include "kselftest_harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define FEW	100000
#define MANY	300000
#define JOBS	1000
#define ROUNDS	(10ULL * JOBS * (JOBS - 1) / 2) /* of all jobs of thread_pool */
#define LETTERS 2600				/* that function_cost counts */
#define FILE_OF_DAEMON "/tmp/cpu_daemon.out"

static struct output output;
static char program[256], examples[256];

/* The number that stands before these words, ~0 if they are not there. */
static __u64 number_before(const char *words)
{
	const char *at = strstr(output.text, words);

	if (!at)
		return ~0ULL;
	while (at > output.text && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return strtoull(at, NULL, 10);
}

FIXTURE(examples)
{
	bool user_access; /* can it be opened to any purpose? */
};

FIXTURE_SETUP(examples)
{
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	ASSERT_GT(len, 0);
	snprintf(examples, sizeof(examples), "%.*s/examples",
		 (int)(strrchr(program, '/') - program), program);
	if (access(examples, X_OK))
		SKIP(return, "the programs of examples/ are not beside this one");
	self->user_access = user_reads();
	ASSERT_EQ(0, set_user_access(self->user_access));
}

FIXTURE_TEARDOWN(examples)
{
	set_user_access(false);
}

TEST_F(examples, self_monitor)
{
	if (!self->user_access)
		SKIP(return, NO_USER_READS);
	run(&output, "%s/self_monitor", examples);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	EXPECT_GE(number_before(" instructions, "), 2000000ULL) TH_LOG("%s", output.text);
	EXPECT_LT(number_before(" instructions, "), 5000000ULL) TH_LOG("%s", output.text);

	ASSERT_EQ(0, set_user_access(false));
	run(&output, "%s/self_monitor", examples);
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1, times_in(&output, "sysctl dev.pmudev.user_access=1"))
	TH_LOG("%s", output.text);
}

/* Whichever way it reads, what reading takes is subtracted: the function costs the same. */
TEST_F(examples, function_cost)
{
	__u64 open, closed;

	run(&output, "%s/function_cost", examples);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	if (self->user_access)
		EXPECT_EQ(0, times_in(&output, "by a system call")) TH_LOG("%s", output.text);
	open = number_before(" instructions, ");
	EXPECT_GE(open, 3 * LETTERS) TH_LOG("%s", output.text);
	EXPECT_LE(open, 12 * LETTERS) TH_LOG("%s", output.text);

	ASSERT_EQ(0, set_user_access(false));
	run(&output, "%s/function_cost", examples);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "by a system call"));
	closed = number_before(" instructions, ");
	if (exact_instructions())
		EXPECT_EQ(open, closed) TH_LOG("%s", output.text);
}

TEST_F(examples, thread_pool)
{
	const int threads[] = { 1, 4 };
	__u64 count;
	size_t i;
	int user_access;

	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		for (user_access = self->user_access; user_access >= 0; user_access--) {
			ASSERT_EQ(0, set_user_access(user_access));
			run(&output, "%s/thread_pool %d", examples, threads[i]);
			EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
			EXPECT_EQ(threads[i], times_in(&output, "thread "));
			EXPECT_EQ(1, times_in(&output, "all:      1000 jobs, "))
			TH_LOG("%s", output.text);
			/* A round is two or three instructions; two reads are never so many. */
			count = number_before(" instructions, ");
			EXPECT_GE(count, 2 * ROUNDS) TH_LOG("%s", output.text);
			EXPECT_LE(count, 3 * ROUNDS + JOBS * 5000ULL) TH_LOG("%s", output.text);
		}
	}
	run(&output, "%s/thread_pool 0", examples);
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1, times_in(&output, "usage: ")) TH_LOG("%s", output.text);
}

/* Of two runs that differ in the rounds of a loop only, the difference is known. */
TEST_F(examples, child_process)
{
	__u64 few, many;

	run(&output, "%s/child_process %s --play %d", examples, program, FEW);
	EXPECT_EQ(0, output.status);
	few = number_before(" instructions");
	run(&output, "%s/child_process sh -c '%s --play %d; exit 3'", examples, program, FEW);
	EXPECT_EQ(3, output.status);
	EXPECT_GT(number_before(" instructions"), few) TH_LOG("%s", output.text);
	run(&output, "%s/child_process %s --play %d", examples, program, MANY);
	many = number_before(" instructions");
	EXPECT_GT(many, few);
	if (exact_instructions())
		EXPECT_EQ((MANY - FEW) * LOOP_INSTRUCTIONS, many - few) TH_LOG("%s", output.text);

	run(&output, "%s/child_process /no/such/program", examples);
	EXPECT_EQ(127, output.status);
	EXPECT_EQ(1, times_in(&output, "cannot run /no/such/program: No such file"));
}

/* ----------------------------------------------------------------- deadlines */

static bool have_deadlines(void)
{
	struct pmudev_query query;

	return !pm_query(&query) && query.features & PMUDEV_HAS_DEADLINE && overflows_interrupt();
}

/* Three instructions a round of one, five of the other, of which there are a third as many. */
TEST_F(examples, sampling_profiler)
{
	__u64 all;

	if (!have_deadlines())
		SKIP(return, NO_INTERRUPTS);
	run(&output, "%s/sampling_profiler", examples);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	all = number_before(" samples");
	EXPECT_GE(all, 80ULL) TH_LOG("%s", output.text);
	EXPECT_LE(all, 300ULL) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "%  turn")) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "  0.0%  (elsewhere)")) TH_LOG("%s", output.text);
	EXPECT_EQ(0, times_in(&output, "  0.0%  shift")) TH_LOG("%s", output.text);
}

TEST_F(examples, instruction_budget)
{
	if (!have_deadlines())
		SKIP(return, NO_INTERRUPTS);
	run(&output, "%s/instruction_budget 2000000 %s --play %d", examples, program, 100000000);
	EXPECT_EQ(124, output.status) TH_LOG("%s", output.text);
	EXPECT_GE(number_before(" instructions"), 2000000ULL) TH_LOG("%s", output.text);
	if (exact_instructions())
		EXPECT_EQ(2000000ULL, number_before(" instructions")) TH_LOG("%s", output.text);
	run(&output, "%s/instruction_budget 100000000 sh -c '%s --play 10; exit 3'", examples,
	    program);
	EXPECT_EQ(3, output.status) TH_LOG("%s", output.text);
	run(&output, "%s/instruction_budget 1000 /no/such/program", examples);
	EXPECT_EQ(127, output.status) TH_LOG("%s", output.text);
}

/* Slices of a million, to which what reads the count belongs. */
TEST_F(examples, fair_threads)
{
	const char *at;
	__u64 count;
	int i;

	if (!have_deadlines())
		SKIP(return, NO_INTERRUPTS);
	run(&output, "%s/fair_threads", examples);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	at = output.text;
	for (i = 0; i < 3; i++) {
		at = strstr(at, ": ");
		ASSERT_NE(NULL, at) TH_LOG("%s", output.text);
		count = strtoull(at + 2, NULL, 10);
		EXPECT_LE(19990000ULL, count) TH_LOG("%s", output.text);
		EXPECT_GE(20010000ULL, count) TH_LOG("%s", output.text);
		at += 2;
	}
}

/* ------------------------------------------------------------------- the daemon */

static unsigned int lines_of_daemon(void)
{
	unsigned int lines = 0;
	ssize_t len;
	char *at;
	int fd;

	output.text[0] = '\0';
	fd = open(FILE_OF_DAEMON, O_RDONLY | O_CLOEXEC);
	len = read(fd, output.text, sizeof(output.text) - 1);
	close(fd);
	output.text[len > 0 ? len : 0] = '\0';
	for (at = output.text; *at; at++)
		lines += *at == '\n';
	return lines;
}

static int start_daemon(const char *cpu)
{
	char path[300];
	int fd, pid;

	snprintf(path, sizeof(path), "%s/cpu_daemon", examples);
	pid = fork();
	if (pid)
		return pid;
	fd = open(FILE_OF_DAEMON, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
	dup2(fd, 1);
	dup2(fd, 2);
	execl(path, "cpu_daemon", cpu, "1", "65534", (char *)NULL);
	_exit(127);
}

TEST_F(examples, cpu_daemon)
{
	int pid, status = -1, cpu = cpus_online() - 1;
	char text[80];

	unlink(FILE_OF_DAEMON);
	snprintf(text, sizeof(text), "%d", cpu);
	pid = start_daemon(text);
	ASSERT_GT(pid, 0);
	EXPECT_TRUE(WAIT_FOR(lines_of_daemon() >= 3)) TH_LOG("%s", output.text);
	snprintf(text, sizeof(text), "counting CPU %d as user 65534\n", cpu);
	EXPECT_EQ(1, times_in(&output, text)) TH_LOG("%s", output.text);
	EXPECT_LE(2U, times_in(&output, " instructions, ")) TH_LOG("%s", output.text);
	run(&output, "grep -E '^(Uid|Groups|CapEff):' /proc/%d/status", pid);
	EXPECT_EQ(1, times_in(&output, "65534\t65534\t65534\t65534")) TH_LOG("%s", output.text);
	EXPECT_EQ(1, times_in(&output, "CapEff:\t0000000000000000")) TH_LOG("%s", output.text);

	if (cpu) {
		EXPECT_EQ(0, set_cpu_online(cpu, false));
		EXPECT_TRUE(WAIT_FOR(lines_of_daemon() && times_in(&output, "the CPU is offline")))
		TH_LOG("%s", output.text);
		EXPECT_EQ(0, set_cpu_online(cpu, true));
	}
	EXPECT_EQ(0, kill(pid, SIGTERM));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(examples, cpu_daemon_is_refused)
{
	run(&output, "%s/cpu_daemon 4095 1 65534", examples);
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1, times_in(&output, "counting this CPU: there is no such CPU"))
	TH_LOG("%s", output.text);
	run(&output, "%s/cpu_daemon 0", examples);
	EXPECT_EQ(2, output.status);
	/* What is no number is not taken for CPU 0 or root. */
	run(&output, "%s/cpu_daemon 0 1 nobody", examples);
	EXPECT_EQ(2, output.status);
	run(&output, "%s/cpu_daemon 0 1 0", examples);
	EXPECT_EQ(2, output.status);
	run(&output, "%s/cpu_daemon x 1 65534", examples);
	EXPECT_EQ(2, output.status);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--play")) {
		loop(strtoul(argv[2], NULL, 10));
		return 0;
	}
	return test_harness_run(argc, argv);
}
