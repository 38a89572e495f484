// SPDX-License-Identifier: GPL-2.0
/*
 * What `pmudev monitor` prints, by where it goes: a live table on a terminal, which is given back
 * as it was; lines, JSON and CSV elsewhere.
 */
#include "command.h"
#include "common.h"
#include "json_valid.h"
#include "kselftest_harness.h"

#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#define ENTER "\033[?1049h\033[2J\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

static struct output output;

FIXTURE(live)
{
	int master;
	int command;
	size_t got;
};

FIXTURE_SETUP(live)
{
	self->master = -1;
	self->command = -1;
	self->got = 0;
	if (!have_command())
		SKIP(return, "there is no `pmudev` command in PATH");
}

FIXTURE_TEARDOWN(live)
{
	if (self->command > 0) {
		kill(self->command, SIGKILL);
		waitpid(self->command, NULL, 0);
	}
	if (self->master >= 0)
		close(self->master);
}

/* On a terminal of @rows x 80. */
static bool start_there(struct _test_data_live *self, unsigned short rows, char *const argv[])
{
	struct winsize size = { .ws_row = rows, .ws_col = 80 };

	memset(&output, 0, sizeof(output));
	self->command = forkpty(&self->master, NULL, NULL, &size);
	if (self->command)
		return self->command > 0;
	setenv("TERM", "vt100", 1);
	execvp(argv[0], argv);
	_exit(127);
}

/* Reads on until @text has been seen @times times; false if it ends before. */
static bool seen(struct _test_data_live *self, const char *text, unsigned int times)
{
	ssize_t n;

	while (times_in(&output, text) < times) {
		if (self->got >= sizeof(output.text) - 1)
			return false;
		n = read(self->master, output.text + self->got,
			 sizeof(output.text) - 1 - self->got);
		if (n <= 0)
			return false;
		self->got += n;
	}
	return true;
}

static int ended(struct _test_data_live *self)
{
	int status = -1;

	while (seen(self, "what nobody prints", 1))
		;
	waitpid(self->command, &status, 0);
	self->command = -1;
	return status;
}

static char *const one_cpu[] = { "pmudev", "monitor", "-C",	      "0", "-i",
				 "0.02",   "-e",      "instructions", NULL };

/* Ctrl-C: the terminal is given back, and the sums stay there. */
TEST_F(live, table_until_interrupted)
{
	char *after;

	ASSERT_TRUE(start_there(self, 24, one_cpu));
	ASSERT_TRUE(seen(self, "\033[H", 4)) TH_LOG("%s", output.text);
	EXPECT_EQ((char *)output.text, strstr(output.text, ENTER));
	EXPECT_EQ(1U, times_in(&output, ENTER));
	EXPECT_LE(3U, times_in(&output, "pmudev monitor: CPU 0, every 0.02 s"));
	EXPECT_EQ(0U, times_in(&output, LEAVE));
	ASSERT_EQ(1, write(self->master, "\003", 1));
	EXPECT_EQ(0, ended(self));
	EXPECT_EQ(1U, times_in(&output, LEAVE));
	after = strstr(output.text, LEAVE);
	ASSERT_NE(NULL, after);
	EXPECT_NE(NULL, strstr(after, "# sum")) TH_LOG("%s", after);
	EXPECT_EQ(NULL, strstr(after + strlen(LEAVE), "\033")) TH_LOG("%s", after);
}

/* It fills the window, whatever size that gets. */
TEST_F(live, follows_the_window)
{
	struct winsize low = { .ws_row = 2, .ws_col = 10 };

	ASSERT_TRUE(start_there(self, 24, one_cpu));
	ASSERT_TRUE(seen(self, "since the start", 2));
	ASSERT_EQ(0, ioctl(self->master, TIOCSWINSZ, &low));
	/* The title's first ten characters, and nothing of the table. */
	ASSERT_TRUE(seen(self, "pmudev mon\033[0m\033[K\r", 3)) TH_LOG("%s", output.text);
	ASSERT_EQ(1, write(self->master, "\003", 1));
	EXPECT_EQ(0, ended(self));
}

/* Ctrl-Z: the shell has its terminal, until it is continued. */
TEST_F(live, gives_the_terminal_back_while_stopped)
{
	int status;

	ASSERT_TRUE(start_there(self, 24, one_cpu));
	ASSERT_TRUE(seen(self, "since the start", 1));
	ASSERT_EQ(1, write(self->master, "\032", 1));
	ASSERT_TRUE(seen(self, LEAVE, 1));
	ASSERT_EQ(self->command, waitpid(self->command, &status, WUNTRACED));
	ASSERT_TRUE(WIFSTOPPED(status));
	ASSERT_EQ(0, kill(self->command, SIGCONT));
	ASSERT_TRUE(seen(self, ENTER, 2));
	ASSERT_EQ(0, kill(self->command, SIGTERM));
	EXPECT_EQ(0, ended(self));
	EXPECT_EQ(2U, times_in(&output, LEAVE));
}

TEST_F(live, lines_if_asked_for)
{
	static char *const plain[] = { "pmudev", "monitor", "--plain",	    "-C",
				       "0",	 "-i",	    "0.01",	    "-n",
				       "1",	 "-e",	    "instructions", NULL };

	ASSERT_TRUE(start_there(self, 24, plain));
	EXPECT_EQ(0, ended(self));
	EXPECT_EQ(0U, times_in(&output, "\033")) TH_LOG("%s", output.text);
	EXPECT_EQ(1U, times_in(&output, "# sum"));
}

/* --------------------------------------------------------------- not a terminal -- */

TEST_F(live, no_table_in_a_pipe)
{
	run(&output, "pmudev monitor -C 0 -i 0.01 -n 2 -e instructions");
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(0U, times_in(&output, "\033")) TH_LOG("%s", output.text);
	EXPECT_EQ(1U, times_in(&output, "# CPU 0: events since the line before, every 0.01 s\n"));
	EXPECT_EQ(3U, times_in(&output, "\n      "));
}

TEST_F(live, several_cpus_in_lines)
{
	double seconds;
	int cpu, lines = 0;
	long count;
	char *line;

	if (cpus_online() < 4)
		SKIP(return, "needs 4 CPUs");
	run(&output, "pmudev monitor -a -i 0.01 -n 2 -e instructions");
	EXPECT_EQ(0, output.status);
	EXPECT_EQ(1U, times_in(&output, "# CPUs 0-3: events"));
	EXPECT_EQ(1U, times_in(&output, "#   seconds   CPU    instructions\n"));
	EXPECT_EQ(4U, times_in(&output, "  # sum\n"));
	for (line = strtok(output.text, "\n"); line; line = strtok(NULL, "\n")) {
		if (*line == '#')
			continue;
		ASSERT_TRUE(sscanf(line, "%lf %d %ld", &seconds, &cpu, &count) == 3)
		TH_LOG("%s", line);
		EXPECT_EQ(lines++ % 4, cpu);
	}
	EXPECT_EQ(12, lines);
}

TEST_F(live, csv)
{
	double seconds, percent;
	long a, b;
	int cpu;
	char *line;

	run(&output, "pmudev monitor --csv -C 0 -i 0.01 -n 1 -e instructions,r%x:u/name=a,b/ 2>&1",
	    EVENT_CYCLES);
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev monitor --csv -C 0 -i 0.01 -n 1 -e instructions,cpu/event=%#x,name=c/",
	    EVENT_CYCLES & 0xff);
	EXPECT_EQ(0, output.status);
	line = strtok(output.text, "\n");
	ASSERT_STREQ("seconds,cpu,percent-running,\"instructions\",\"c\"", line);
	line = strtok(NULL, "\n");
	ASSERT_NE(NULL, line);
	ASSERT_TRUE(sscanf(line, "%lf,%d,%lf,%ld,%ld", &seconds, &cpu, &percent, &a, &b) == 5)
	TH_LOG("%s", line);
	EXPECT_EQ(0, cpu);
	EXPECT_EQ(100, percent);
	EXPECT_LT(0, a);
	EXPECT_LT(0, b);
	EXPECT_EQ(NULL, strtok(NULL, "\n"));
}

/* A line of JSON Lines, to its end. */
struct member {
	double seconds;
	unsigned long count;
	char event[32];
	unsigned long runtime;
	double percent;
};

#define WHAT "{\"interval\": %lf, \"cpu\": 0, \"event\": \"%31[a-z]\", \"counter-value\": %lu%n"
#define HOW  ", \"event-runtime\": %lu, \"pcnt-running\": %lf}%n"

static bool parse(const char *line, struct member *m)
{
	int n = 0;

	if (sscanf(line, WHAT, &m->seconds, m->event, &m->count, &n) != 3)
		return false;
	line += n;
	return sscanf(line, HOW, &m->runtime, &m->percent, &n) == 2 && !line[n];
}

TEST_F(live, json)
{
	struct member m;
	int lines = 0;
	char *line;

	run(&output, "pmudev monitor --json -C 0 -i 0.01 -n 2 -e instructions,cycles");
	EXPECT_EQ(0, output.status);
	EXPECT_TRUE(json_lines_valid(output.text)) TH_LOG("%s", output.text);
	for (line = strtok(output.text, "\n"); line; line = strtok(NULL, "\n")) {
		ASSERT_TRUE(parse(line, &m)) TH_LOG("%s", line);
		EXPECT_LE(0.01 * (lines / 2 + 1) - 0.001, m.seconds);
		EXPECT_STREQ(lines++ % 2 ? "cycles" : "instructions", m.event);
		EXPECT_LT(0UL, m.count);
		EXPECT_LT(0UL, m.runtime);
		EXPECT_EQ(100, m.percent);
	}
	EXPECT_EQ(4, lines);
}

TEST_F(live, what_is_refused)
{
	run(&output, "pmudev monitor -C 4000 -e instructions");
	EXPECT_EQ(1, output.status);
	EXPECT_EQ(1U, times_in(&output, "CPU 4000: there is no such CPU"))
	TH_LOG("%s", output.text);
	run(&output, "pmudev monitor -C 0-");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev monitor -i 0");
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev monitor --bogus");
	EXPECT_EQ(1U, times_in(&output, "unknown option '--bogus'"));
	EXPECT_EQ(2, output.status);
	run(&output, "pmudev monitor -i");
	EXPECT_EQ(1U, times_in(&output, "'-i' needs a value"));
	run(&output, "pmudev monitor true");
	EXPECT_EQ(2, output.status);
}

TEST_HARNESS_MAIN
