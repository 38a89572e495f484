// SPDX-License-Identifier: GPL-2.0
/*
 * What `pmudev top` prints without a screen: the rows of processes and of CPUs, as text and as
 * JSON. Counts are whole and exact, rates are made of them.
 */
#include "as.h"
#include "command.h"
#include "common.h"
#include "json_valid.h"
#include "kselftest_harness.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define ROUNDS 3000000
#define LIMIT  "/proc/sys/dev/pmudev/max_sets_per_user"

static struct output output;

/* Sleeps until it is told, runs so many rounds, and ends. */
struct sleeper {
	int pid;
	int pipe[2];
};

FIXTURE(top)
{
	struct sleeper sleeper;
	int busy;
};

FIXTURE_SETUP(top)
{
	struct pmudev_query query;

	self->sleeper.pid = -1;
	self->busy = -1;
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
	ASSERT_EQ(0, pm_query(&query));
	if (!(query.generic & 1 << PMUDEV_INSTRUCTIONS && query.generic & 1 << PMUDEV_CYCLES))
		SKIP(return, "this CPU does not count instructions and cycles");
}

FIXTURE_TEARDOWN(top)
{
	stop_child(self->sleeper.pid);
	stop_child(self->busy);
}

static bool start_sleeper(struct sleeper *sleeper)
{
	char c;

	if (pipe(sleeper->pipe))
		return false;
	sleeper->pid = fork_bound();
	if (!sleeper->pid) {
		if (read(sleeper->pipe[0], &c, 1) == 1)
			loop(ROUNDS);
		_exit(0);
	}
	return sleeper->pid > 0 && WAIT_FOR(task_state(sleeper->pid) == 'S');
}

static int start_busy(int cpu)
{
	const int child = fork_bound();

	if (!child) {
		pin_to(cpu);
		for (;;)
			loop(10000);
	}
	return child;
}

/* Instructions of user mode, in all threads of a process. */
static int own_set(int pid)
{
	struct pmudev_event_attr event = { .type = PMUDEV_TYPE_GENERIC,
					   .config = PMUDEV_INSTRUCTIONS,
					   .flags = PMUDEV_EXCLUDE_KERNEL };
	const int fd = pm_open();

	if (fd < 0 || pm_bind(fd, PMUDEV_TARGET_PROCESS, pid, 0) || pm_add(fd, &event, 1) ||
	    pm_enable(fd, 0))
		return -1;
	return fd;
}

/* ----------------------------------------------------------------------- its lines -- */

/* The number behind the first "key": after @at, or -1. */
static double number_after(const char *at, const char *key)
{
	char text[64];

	snprintf(text, sizeof(text), "\"%s\": ", key);
	at = at ? strstr(at, text) : NULL;
	return at ? strtod(at + strlen(text), NULL) : -1;
}

/* The object of a process or CPU in a line, or NULL; and its end. */
static const char *row_of(const char *line, const char *what, int id)
{
	char text[64];

	snprintf(text, sizeof(text), "{\"%s\": %d, ", what, id);
	return strstr(line, text);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 0.000001 + fabs(a) / 1000000000;
}

/* Columns are what the row's own integers make. */
static bool columns_hold(const char *row)
{
	const double seconds = number_after(row, "elapsed-ns") / 1000000000;
	const double instructions = number_after(row, "instructions");
	const double cycles = number_after(row, "cycles");

	return near(instructions / seconds, number_after(row, "insn/s")) &&
	       near(cycles / seconds, number_after(row, "cycles/s")) &&
	       (!cycles || near(instructions / cycles, number_after(row, "IPC")));
}

/* ----------------------------------------------------------------------- processes -- */

/*
 * The sum of all intervals is what another set has counted, to the instruction; the last row of a
 * process says that it has ended, and then there is nothing left to count.
 */
TEST_F(top, counts_are_exact)
{
	double sum = 0;
	int ended = 0, lines = 0, fd;
	char line[4096];
	const char *row;
	FILE *pipe;

	ASSERT_TRUE(start_sleeper(&self->sleeper));
	fd = own_set(self->sleeper.pid);
	ASSERT_GE(fd, 0) TH_LOG("refused: reason %u", why.code);
	snprintf(line, sizeof(line), "pmudev top --json -i 0.005 -e instructions:u -p %d",
		 self->sleeper.pid);
	pipe = popen(line, "r");
	ASSERT_NE(NULL, pipe);
	while (fgets(line, sizeof(line), pipe)) {
		EXPECT_TRUE(json_lines_valid(line)) TH_LOG("%s", line);
		row = row_of(line, "pid", self->sleeper.pid);
		if (!lines++) {
			EXPECT_EQ(0, number_after(row, "instructions:u"));
			ASSERT_EQ(1, write(self->sleeper.pipe[1], "x", 1));
			close(self->sleeper.pipe[1]);
			self->sleeper.pipe[1] = -1;
		}
		ASSERT_NE(NULL, row) TH_LOG("%s", line);
		EXPECT_EQ(0, ended);
		sum += number_after(row, "instructions:u");
		ended += !!strstr(row, "\"ended\": true");
		/* It is a zombie until then, which is no end. */
		if (number_after(row, "instructions:u") > 0)
			EXPECT_EQ(number_after(row, "enabled-ns"), number_after(row, "running-ns"));
	}
	EXPECT_EQ(0, WEXITSTATUS(pclose(pipe)));
	EXPECT_EQ(1, ended);
	EXPECT_EQ((double)pm_value(fd, 0), sum);
	EXPECT_GE(sum, (double)ROUNDS * LOOP_INSTRUCTIONS);
	EXPECT_LT(sum, (double)ROUNDS * LOOP_INSTRUCTIONS + 10000);
	close(fd);
}

/* The busy process is the first row, and the rates are the counts of the time that passed. */
TEST_F(top, the_busiest_is_first)
{
	const char *line, *row;
	char first[64];
	int lines = 0;

	self->busy = start_busy(0);
	ASSERT_GT(self->busy, 0);
	run(&output,
	    "pmudev top --json -i 0.05 -n 3 -e instructions,cycles -s instructions/s -p %d,%d",
	    getpid(), self->busy);
	EXPECT_EQ(0, output.status) TH_LOG("%s", output.text);
	EXPECT_TRUE(json_lines_valid(output.text));
	run(&output, "pmudev top --json -i 0.05 -n 3 -p %d,%d 2>/dev/null", getpid(), self->busy);
	ASSERT_EQ(0, output.status) TH_LOG("%s", output.text);
	EXPECT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	snprintf(first, sizeof(first), "\"processes\": [{\"pid\": %d, ", self->busy);
	for (line = strtok(output.text, "\n"); line; line = strtok(NULL, "\n")) {
		lines++;
		EXPECT_NE(NULL, strstr(line, first)) TH_LOG("%s", line);
		row = row_of(line, "pid", self->busy);
		EXPECT_TRUE(columns_hold(row)) TH_LOG("%s", line);
		EXPECT_LE(0.95 * 50000000, number_after(row, "elapsed-ns"));
		EXPECT_LT(50, number_after(row, "%CPU"));
		EXPECT_NE(NULL, row_of(line, "pid", getpid()));
	}
	EXPECT_EQ(3, lines);
	run(&output, "pmudev top --json -r -i 0.05 -n 1 -p %d,%d 2>/dev/null", getpid(),
	    self->busy);
	EXPECT_EQ(NULL, strstr(output.text, first)) TH_LOG("%s", output.text);
}

static bool row_ended(const char *row)
{
	const char *next = strstr(row, "{\"pid\": "), *flag = strstr(row, "\"ended\": true");

	next = next == row ? strstr(row + 1, "{\"pid\": ") : next;
	return flag && (!next || flag < next);
}

/* One that begins later is found, and one that has ended is shown once more. */
TEST_F(top, they_come_and_go)
{
	int lines = 0, rows = 0, ended = 0;
	static char line[1 << 18];
	const char *row;
	FILE *pipe;

	pipe = popen("exec pmudev top --json -i 0.05 -n 40 -e instructions:u", "r");
	ASSERT_NE(NULL, pipe);
	while (fgets(line, sizeof(line), pipe)) {
		if (!lines++) {
			EXPECT_NE(NULL, row_of(line, "pid", getpid())) TH_LOG("%s", line);
			ASSERT_TRUE(start_sleeper(&self->sleeper));
		}
		row = row_of(line, "pid", self->sleeper.pid);
		if (!row && rows)
			break;
		if (!row)
			continue;
		EXPECT_EQ(0, ended) TH_LOG("%s", line);
		ended += row_ended(row);
		if (!rows++)
			stop_child(self->sleeper.pid);
	}
	pclose(pipe);
	EXPECT_LE(2, rows);
	EXPECT_EQ(1, ended);
	EXPECT_GT(40, lines);
	self->sleeper.pid = -1;
}

/* Those that may not be counted are counted as such. */
TEST_F(top, who_may_not)
{
	mode_t mode;
	int line;

	ASSERT_EQ(0, open_to_all(&mode));
	line = AS(NOBODY, -1, {
		run(&output, "pmudev top --json -i 0.02 -n 1");
		CHECK(output.status == 0);
		CHECK(strstr(output.text, "\"user-only\": true"));
		CHECK(strstr(output.text, "\"instructions:u\": "));
		CHECK(!row_of(output.text, "pid", 1));
		CHECK(strstr(output.text, "{\"why\": \"counting another user's process, "));
		CHECK(number_after(strstr(output.text, "left-out"), "processes") >= 2);
		run(&output, "pmudev top -b -i 0.02 -n 1");
		CHECK(strstr(output.text, "user mode only: no CAP_PERFMON"));
		CHECK(strstr(output.text, ": left out: "));
		run(&output, "pmudev top --json -n 1 -p 1");
		CHECK(output.status == 1);
		CHECK(strstr(output.text, "another user's process"));
		run(&output, "pmudev top --json -n 1 -a");
		CHECK(output.status == 1);
		CHECK(strstr(output.text, "counting a CPU needs CAP_PERFMON"));
	});
	chmod(PMUDEV_DEVICE, mode);
	EXPECT_EQ(0, line);
}

/* The user's limit leaves some out, and says how many. */
TEST_F(top, the_users_limit)
{
	const long limit = read_number(LIMIT);
	mode_t mode;
	int line;

	ASSERT_EQ(0, open_to_all(&mode));
	ASSERT_EQ(0, write_file(LIMIT, "2"));
	line = AS(NOBODY, -1, {
		run(&output, "for i in 1 2 3; do sleep 100 >/dev/null 2>&1 & p=\"$p $!\"; done; "
			     "pmudev top --json -i 0.02 -n 1; kill $p");
		CHECK(strstr(output.text, "{\"why\": \"this user has the maximum number of sets"));
	});
	snprintf(output.text, sizeof(output.text), "%ld", limit);
	write_file(LIMIT, output.text);
	chmod(PMUDEV_DEVICE, mode);
	EXPECT_EQ(0, line);
}

/* ---------------------------------------------------------------------------- CPUs -- */

TEST_F(top, cpus)
{
	const int cpu = cpus_online() - 1;
	const char *line, *row;
	char first[64];
	int lines = 0, i;

	self->busy = start_busy(cpu);
	ASSERT_GT(self->busy, 0);
	run(&output, "pmudev top --json -a -i 0.05 -n 3 2>/dev/null");
	ASSERT_EQ(0, output.status) TH_LOG("%s", output.text);
	EXPECT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	snprintf(first, sizeof(first), "\"CPUs\": [{\"cpu\": %d, ", cpu);
	for (line = strtok(output.text, "\n"); line; line = strtok(NULL, "\n")) {
		lines++;
		EXPECT_NE(NULL, strstr(line, first)) TH_LOG("%s", line);
		for (i = 0; i <= cpu; i++) {
			row = row_of(line, "cpu", i);
			ASSERT_NE(NULL, row) TH_LOG("%s", line);
			EXPECT_TRUE(columns_hold(row)) TH_LOG("%s", line);
		}
	}
	EXPECT_EQ(3, lines);
}

/* ---------------------------------------------------------------------------- text -- */

TEST_F(top, text)
{
	const char *row;
	double cpu;
	int pid;

	self->busy = start_busy(0);
	ASSERT_GT(self->busy, 0);
	run(&output, "pmudev top -i 0.05 -n 2 -M IPC -s %%cpu -p %d,%d", self->busy, getpid());
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1U, times_in(&output, "# processes, every 0.05 s, by %CPU\n"))
	TH_LOG("%s", output.text);
	EXPECT_EQ(2U, times_in(&output, "#   PID    %CPU     IPC  COMMAND\n"));
	row = strstr(output.text, "COMMAND\n");
	ASSERT_NE(NULL, row);
	ASSERT_TRUE(sscanf(row, "COMMAND\n%d %lf", &pid, &cpu) == 2);
	EXPECT_EQ(self->busy, pid);
	EXPECT_LT(50, cpu);
}

TEST_F(top, what_is_refused)
{
	run(&output, "pmudev top -b -s bogus");
	EXPECT_EQ(2, output.status);
	EXPECT_EQ(1U, times_in(&output, "no column 'bogus' to sort by; there are %CPU, insn/s"))
	TH_LOG("%s", output.text);
	run(&output, "pmudev top -b -p 1 -a");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev top -b -p 0");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev top -b -p 4194304");
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1U, times_in(&output, "there is no such process")) TH_LOG("%s", output.text);
	run(&output, "pmudev top -b -C 4000");
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1U, times_in(&output, "CPU 4000: there is no such CPU"));
	run(&output, "pmudev top -b true");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev top -b -e task-clock");
	EXPECT_EQ(2, output.status);
}

TEST_HARNESS_MAIN
